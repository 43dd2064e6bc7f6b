// SPDX-License-Identifier: GPL-2.0
/*
 * The page: the view, the selection, and the events that change them.
 *
 *	wheel, drag, keys -> d3.zoom -> setView() -> frame() -> painters
 *	pointer, keys, tables -> select() -> details, frame()
 */

const MIN_VIEW = 100;		/* ns */
const OVERVIEW = 38;
const DEFAULT_TAB = 4;
const $ = (id) => document.getElementById(id);

/* The position of something on the timeline: CPU's index, row, times */
function eventBox(data, i) {
	const k = data.kinds[data.events.kind[i]];
	const cpu = data.cpus.findIndex((c) => c.cpu === k.cpu);
	const t = data.events.t[i];

	return { type: "event", i, cpu, row: 3, start: t, end: t };
}

function sliceBox(type, cpu, row, slices, i) {
	return { type, i, cpu, row, start: slices.start[i], end: slices.end[i] };
}

function same(a, b) {
	return a && b && a.type === b.type && a.i === b.i && a.cpu === b.cpu && a.row === b.row;
}

function systemTheme() {
	return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

class Page {
	constructor(data) {
		this.data = data;
		this.state = { cpu: 0, hits: [], hover: null, selected: null, range: null };
		this.query = "";
		this.found = new Uint32Array(0);
		this.timeline = new TimelinePainter($("timeline"), data);
		this.overview = new OverviewPainter($("overview"), data);
		this.view = { t0: data.start, t1: data.end };
		this.tables = statTables(data.stat);
		this.ranges = new RangeTool(this);
		this.link = new Link(this);
		this.dirty = false;
		this.frameMs = 0;
		this.listenToZoom();
		this.listenToPointer();
		this.listenToKeys();
		this.listenToButtons();
		this.showFacts();
		this.showTabs();
		this.showDetails();
		this.setTheme(systemTheme());
		this.resize();
		new ResizeObserver(() => this.resize()).observe($("lanes"));
		const fit = new ResizeObserver(() => this.fitPanel());

		for (const e of document.querySelectorAll("html, header, nav"))
			fit.observe(e);
	}

	/* --- the view ------------------------------------------------------------ */

	listenToZoom() {
		const { data } = this;

		this.zoom = d3.zoom()
			.scaleExtent([1, Math.max(1, (data.end - data.start) / MIN_VIEW)])
			.filter(() => !d3.event.button && !this.isScroll(d3.event) &&
				!(d3.event.type === "wheel" && this.isPan(d3.event)))
			.on("zoom", () => this.zoomed());
		this.timeline.selection = d3.select($("timeline")).call(this.zoom)
			.on("dblclick.zoom", null);
		$("timeline").addEventListener("wheel", (e) => this.wheel(e), { passive: false });
	}

	/* Over the names, the wheel scrolls the CPUs, which the browser does */
	isScroll(e) {
		return e.type === "wheel" && e.offsetX < LABELS;
	}

	isPan(e) {
		return e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY);
	}

	wheel(e) {
		if (!this.isPan(e) || this.isScroll(e))
			return;
		e.preventDefault();
		this.pan((e.deltaX || e.deltaY) / this.inside());
	}

	inside() {
		return this.timeline.width - LABELS;
	}

	zoomed() {
		const { x, k } = d3.event.transform;
		const ns = (this.data.end - this.data.start) / this.inside();
		const t0 = this.data.start - (x + LABELS * (k - 1)) / k * ns;

		this.view = { t0, t1: t0 + this.inside() * ns / k };
		this.redraw();
	}

	/* Changes the view, except for zooming and panning by the pointer */
	setView(t0, t1) {
		const { start, end } = this.data;
		const size = Math.max(Math.min(t1 - t0, end - start), Math.min(MIN_VIEW, end - start));
		const from = Math.max(start, Math.min((t0 + t1 - size) / 2, end - size));
		const k = (end - start) / size;
		const x = -(from - start) / size * this.inside() - LABELS * (k - 1);

		this.timeline.selection.call(this.zoom.transform, d3.zoomIdentity.translate(x, 0).scale(k));
	}

	scaleView(factor, at = (this.view.t0 + this.view.t1) / 2) {
		const { t0, t1 } = this.view;

		this.setView(at - (at - t0) / factor, at + (t1 - at) / factor);
	}

	pan(share) {
		const by = (this.view.t1 - this.view.t0) * share;

		this.setView(this.view.t0 + by, this.view.t1 + by);
	}

	/* Scroll and pan so that a box and its CPU are visible */
	reveal(box) {
		const { t0, t1 } = this.view;
		const size = t1 - t0;

		if (box.start < t0 || box.start > t1 - size / 50)
			this.setView((box.start + box.end - size) / 2, (box.start + box.end + size) / 2);
		const y = box.cpu * BLOCK;
		const lanes = $("lanes");

		if (y < lanes.scrollTop)
			lanes.scrollTop = y;
		else if (y + AXIS + GAP + BLOCK > lanes.scrollTop + lanes.clientHeight)
			lanes.scrollTop = y + AXIS + GAP + BLOCK - lanes.clientHeight;
	}

	zoomTo(box, widths = 1.5) {
		const size = Math.max((box.end - box.start) * widths, box.end > box.start ? MIN_VIEW : 20000);
		const middle = (box.start + box.end) / 2;

		this.setView(middle - size / 2, middle + size / 2);
	}

	fitPanel() {
		const lanes = AXIS + GAP + this.data.cpus.length * BLOCK + OVERVIEW;
		const top = $("overview").getBoundingClientRect().top;
		const room = window.innerHeight - top - lanes - 8;
		const share = (part) => part * window.innerHeight;

		if (!this.panelSet)
			$("panel").style.height = Math.max(share(0.33), Math.min(room, share(0.6))) + "px";
	}

	resize() {
		const lanes = $("lanes");
		const { t0, t1 } = this.view;
		const width = lanes.clientWidth;

		$("spacer").style.height = Math.max(0, AXIS + GAP + this.data.cpus.length * BLOCK -
						    lanes.clientHeight) + "px";
		if (width <= LABELS || !lanes.clientHeight)
			return;
		this.timeline.resize(width, lanes.clientHeight);
		this.overview.resize(width, OVERVIEW);
		this.zoom.extent([[LABELS, 0], [width, lanes.clientHeight]])
			.translateExtent([[LABELS, -Infinity], [width, Infinity]]);
		this.overview.paintShares();
		this.setView(t0, t1);
		this.redraw();
	}

	redraw() {
		this.link.changed();
		if (this.dirty || !this.overview.width)
			return;
		this.dirty = true;
		requestAnimationFrame(() => {
			this.dirty = false;
			this.frame();
		});
	}

	frame() {
		const begin = performance.now();
		const view = viewOf(this.view.t0, this.view.t1, this.timeline.width);

		this.timeline.draw(view, $("lanes").scrollTop, this.state);
		this.overview.draw(view, this.state);
		this.frameMs = performance.now() - begin;
		$("range").textContent = durationText(view.t1 - view.t0) + " from " +
			stampText(this.data, view.t0) + " s";
	}

	/* --- hit test --------------------------------------------------------- */

	/* The box at a point of the canvas, or null */
	hit(x, y) {
		const view = viewOf(this.view.t0, this.view.t1, this.timeline.width);
		const down = y + $("lanes").scrollTop - AXIS - GAP;
		const index = Math.floor(down / BLOCK);
		const cpu = this.data.cpus[index];

		if (!cpu || x < LABELS || y < AXIS || down < 0)
			return null;
		const t = view.t(x);
		const row = Math.floor((down - index * BLOCK) / LANE);

		if (row >= 3)
			return this.hitEvent(cpu, view, x, t);
		return this.hitSlice(cpu, index, row, t);
	}

	hitEvent(cpu, view, x, t) {
		const near = [cpu.all, cpu.losses].map((marks) => {
			const i = nearestMark(marks, t);

			return i >= 0 && Math.abs(view.x(marks.t[i]) - x) < 5 ? marks.event[i] : -1;
		}).filter((i) => i >= 0);

		return near.length ? eventBox(this.data, near[near.length - 1]) : null;
	}

	hitSlice(cpu, index, row, t) {
		if (row === 1) {
			const stay = sliceAt(cpu.stays, t);

			if (stay >= 0)
				return sliceBox("stay", index, 1, cpu.stays, stay);
		}
		for (const place of [row, 3]) {
			const i = sliceAt(cpu.slices[place], t);

			if (i >= 0)
				return sliceBox(PLACES[place], index, row, cpu.slices[place], i);
		}
		return null;
	}

	listenToPointer() {
		const canvas = $("timeline");

		canvas.addEventListener("mousemove", (e) => {
			this.state.hover = e.buttons ? null : this.hit(e.offsetX, e.offsetY);
			this.showTip(e.offsetX, e.offsetY);
			this.redraw();
		});
		canvas.addEventListener("mouseleave", () => {
			this.state.hover = null;
			this.showTip();
			this.redraw();
		});
		canvas.addEventListener("click", (e) => this.select(this.hit(e.offsetX, e.offsetY)));
		canvas.addEventListener("dblclick", (e) => {
			const box = this.hit(e.offsetX, e.offsetY);

			if (box)
				this.zoomTo(box);
		});
		$("lanes").addEventListener("scroll", () => this.redraw());
		this.listenToOverview();
	}

	listenToOverview() {
		const whole = () => viewOf(this.data.start, this.data.end, this.overview.width);
		const move = () => {
			const half = (this.view.t1 - this.view.t0) / 2;
			const t = whole().t(d3.event.x);

			this.setView(t - half, t + half);
		};

		d3.select($("overview")).call(d3.drag().on("start", move).on("drag", move));
		$("overview").addEventListener("wheel", (e) => {
			e.preventDefault();
			this.scaleView(2 ** (-e.deltaY / 500), whole().t(e.offsetX));
		}, { passive: false });
	}

	/* --- selection ---------------------------------------------------------------- */

	select(box) {
		this.state.selected = box;
		if (box) {
			this.state.cpu = box.cpu;
			if (box.type === "event")
				this.current = box.i;
		}
		this.showDetails();
		if (this.tab === 0)
			this.showTab(0);
		this.redraw();
	}

	get whole() {
		return { from: this.data.start, to: this.data.end };
	}

	/* With what was before and after it */
	goTo(box) {
		this.zoomTo(box, 5);
		this.reveal(box);
		this.select(box);
	}

	selectEvent(i) {
		const box = eventBox(this.data, i);

		this.reveal(box);
		this.select(box);
	}

	/* The time from which the keys step on */
	position() {
		const { selected, cpu } = this.state;

		if (selected && selected.cpu === cpu)
			return selected.start;
		return (this.view.t0 + this.view.t1) / 2;
	}

	stepEvent(by) {
		const { selected, cpu } = this.state;

		if (!this.data.cpus.length)
			return;
		const all = this.data.cpus[cpu].all;
		const at = selected && selected.type === "event" && selected.cpu === cpu ?
			all.event.indexOf(selected.i) + by :
			lowerBound(all.t, all.n, this.position()) - (by < 0);

		if (at >= 0 && at < all.n)
			this.selectEvent(all.event[at]);
	}

	stepStay(by) {
		const { selected, cpu } = this.state;

		if (!this.data.cpus.length)
			return;
		const stays = this.data.cpus[cpu].stays;
		const at = selected && selected.type === "stay" && selected.cpu === cpu ? selected.i + by :
			lowerBound(stays.start, stays.n, this.position()) - (by < 0);

		if (at < 0 || at >= stays.n)
			return;
		const box = sliceBox("stay", cpu, 1, stays, at);

		this.reveal(box);
		this.select(box);
	}

	stepCpu(by) {
		const { cpus } = this.data;

		this.state.cpu = Math.max(0, Math.min(cpus.length - 1, this.state.cpu + by));
		this.reveal({ cpu: this.state.cpu, start: this.view.t0, end: this.view.t0 });
		this.redraw();
	}

	/* --- description of a box ------------------------------------------------------ */

	describe(box) {
		if (box.type === "event")
			return this.describeEvent(box);
		const cpu = this.data.cpus[box.cpu];
		const fields = [["duration", `${durationText(box.end - box.start)} (${countText(box.end - box.start)} ns)`],
				["from", stampText(this.data, box.start) + " s"],
				["to", stampText(this.data, box.end) + " s"],
				["CPU", String(cpu.cpu)]];

		if (box.type === "stay")
			return this.describeStay(box, cpu.stays, fields);
		if (box.type === "switch")
			return { colour: "el2", fields, title: visitName(this.data, cpu.switches, box.i) };
		if (box.type === "call")
			return this.describeCall(box, cpu.calls, fields);
		const slices = cpu.slices[PLACES.indexOf(box.type)];
		const place = this.data.places[slices.what[box.i]];

		if (box.type !== "unknown")
			fields.push(["task", taskText(this.data, place.task)]);
		if (place.vcpu)
			fields.push([box.type === "guest" ? "vCPU" : "last vCPU", vcpuText(place.vcpu)]);
		return { colour: box.type.toLowerCase(), fields, title: this.titleOf(box, place) };
	}

	titleOf(box, place) {
		switch (box.type) {
		case "unknown":
			return "Unknown: events are missing, or the CPU was off";
		case "EL2":
			return "EL2: incomplete entry";
		case "guest":
			return place.vcpu ? vcpuText(place.vcpu) : "Guest";
		default:
			return taskText(this.data, place.task);
		}
	}

	describeCall(box, calls, fields) {
		const ns = calls.ns[box.i];

		fields.splice(1, 0, ["at EL2", `${durationText(ns)} (${countText(ns)} ns)`]);
		return { colour: "el2", fields, title: "Hypercall " + visitName(this.data, calls, box.i) };
	}

	describeStay(box, stays, fields) {
		const words = this.data.words;
		const around = this.data.cpus[box.cpu].slices[1];
		const span = sliceAt(around, box.start);

		if (stays.what[box.i])
			fields.push(["reason", words[stays.what[box.i] - 1]]);
		if (stays.call[box.i])
			fields.push(["hypercall", words[stays.call[box.i] - 1]]);
		if (span >= 0)
			fields.push(["task", taskText(this.data, this.data.places[around.what[span]].task)]);
		return { colour: "el2", fields, title: "EL2: " + stayText(this.data, stays, box.i) };
	}

	describeEvent(box) {
		const { data } = this;
		const k = data.kinds[data.events.kind[box.i]];
		const text = lineText(data, data.events.line[box.i]);
		const fields = [["time", stampText(data, box.start) + " s"], ["CPU", String(k.cpu)]];

		if (k.what >= WHAT.LOSS)
			return { colour: "loss", fields, title: (k.hyp ? "EL2: " : "Host: ") + text };
		if (k.task)
			fields.push(["task", taskText(data, k.task)]);
		for (const [, name, value] of text.matchAll(/(\S+?)=(\S+)/g))
			fields.push([name, value]);
		return { colour: k.hyp ? "el2" : "host", fields, raw: logText(data, box.i),
			 title: (data.words[k.system] ? data.words[k.system] + ":" : "") + data.words[k.name] };
	}

	descriptionElements(box) {
		const d = this.describe(box);
		const list = element("dl", { class: "fields" });

		for (const [name, value] of d.fields)
			list.append(element("dt", {}, name), element("dd", {}, value));
		return [element("div", { class: "what" }, element("i", { class: d.colour }), d.title), list,
			...d.raw ? [element("div", { class: "raw" }, d.raw)] : []];
	}

	showTip(x, y) {
		const tip = $("tip");
		const { hover } = this.state;

		tip.hidden = !hover || same(hover, this.state.selected);
		if (tip.hidden)
			return;
		tip.replaceChildren(...this.descriptionElements(hover));
		const main = tip.parentElement.getBoundingClientRect();
		const box = tip.getBoundingClientRect();
		const left = x + 16 + box.width < main.width ? x + 16 : Math.max(4, x - box.width - 12);
		const below = main.top + y + OVERVIEW + 18;

		tip.style.left = left + "px";
		tip.style.top = Math.min(below, window.innerHeight - box.height - 6) - main.top + "px";
	}

	showDetails() {
		const { selected } = this.state;
		const hint = element("p", { class: "hint" },
				     "Click a slice or an event, or press . to step through the events. Press ? for help.");

		if (!selected) {
			$("details").replaceChildren(hint);
			return;
		}
		const button = (text, title, action) => {
			const b = element("button", { type: "button", title }, text);

			b.addEventListener("click", action);
			return b;
		};
		const step = selected.type === "stay" ? (by) => this.stepStay(by) : (by) => this.stepEvent(by);
		const keys = selected.type === "stay" ? ["[", "]"] : [",", "."];

		$("details").replaceChildren(...this.descriptionElements(selected), element("div", { class: "buttons" },
			button("\u2190", `Previous (${keys[0]})`, () => step(-1)),
			button("\u2192", `Next (${keys[1]})`, () => step(1)),
			button("Zoom in on it", "Enter", () => this.zoomTo(selected)),
			button("Events here", "", () => this.showEventsAt(selected.start))));
	}

	showEventsAt(t) {
		const all = this.data.cpus[this.state.cpu].all;
		const i = Math.min(lowerBound(all.t, all.n, t), all.n - 1);

		if (i >= 0)
			this.current = all.event[i];
		this.showTab(0);
	}

	/* --- search ----------------------------------------------------------------------- */

	search(query) {
		$("query").value = query;
		this.query = query;
		this.found = searchEvents(this.data, query);
		this.at = -1;
		this.markHits();
		this.showHits();
		this.redraw();
	}

	markHits() {
		const { events, kinds, cpus } = this.data;
		const index = new Map(cpus.map((c, i) => [c.cpu, i]));
		const lists = cpus.map(() => []);

		for (const i of this.found)
			lists[index.get(kinds[events.kind[i]].cpu)]?.push(i);
		this.state.hits = this.found.length ? lists.map((l) => marksOf(events, Uint32Array.from(l))) : [];
	}

	showHits() {
		const n = this.found.length;
		const out = $("hits");

		out.className = this.query.trim() && !n ? "none" : "";
		if (!this.query.trim())
			out.textContent = "";
		else if (!n)
			out.textContent = "no event found";
		else
			out.textContent = (this.at >= 0 ? countText(this.at + 1) + " of " : "") + countText(n) +
				(n === 1 ? " hit" : " hits");
	}

	/* The next hit after the current one, or else after the start of the view */
	nextHit(by) {
		const { found, data } = this;

		if (!found.length)
			return;
		if (this.at < 0) {
			const behind = found.findIndex((i) => data.events.t[i] >= this.view.t0);

			this.at = (behind < 0 ? 0 : behind) - (by < 0 ? 1 : 0);
		} else {
			this.at += by;
		}
		this.at = (this.at + found.length) % found.length;
		this.showHits();
		this.selectEvent(found[this.at]);
	}

	/* --- keys and buttons --------------------------------------------------------------- */

	listenToKeys() {
		const pan = (by) => () => this.pan(by);
		const zoom = (by) => () => this.scaleView(by);

		this.keys = {
			"+": zoom(1.6), "=": zoom(1.6), w: zoom(1.6), "-": zoom(1 / 1.6), s: zoom(1 / 1.6),
			ArrowLeft: pan(-0.15), a: pan(-0.15), ArrowRight: pan(0.15), d: pan(0.15),
			PageUp: pan(-0.9), PageDown: pan(0.9),
			ArrowUp: () => this.stepCpu(-1), ArrowDown: () => this.stepCpu(1),
			",": () => this.stepEvent(-1), ".": () => this.stepEvent(1),
			"[": () => this.stepStay(-1), "]": () => this.stepStay(1),
			0: () => this.setView(this.data.start, this.data.end),
			Home: () => this.setView(this.data.start, this.data.start + this.view.t1 - this.view.t0),
			End: () => this.setView(this.data.end - this.view.t1 + this.view.t0, this.data.end),
			Enter: () => this.state.selected && this.zoomTo(this.state.selected),
			n: () => this.nextHit(1), N: () => this.nextHit(-1),
			"/": () => $("query").select(),
			t: () => this.toggleTheme(), "?": () => $("help").showModal(),
			Escape: () => this.clear(),
			r: () => this.ranges.setToSelection(),
			"(": () => this.ranges.setEdge(true), ")": () => this.ranges.setEdge(false),
		};
		document.addEventListener("keydown", (e) => this.key(e));
		$("query").addEventListener("keydown", (e) => this.queryKey(e));
		$("query").addEventListener("input", () => this.search($("query").value));
		$("search").addEventListener("submit", (e) => e.preventDefault());
	}

	/* Everywhere, except in elements that handle keys themselves */
	key(e) {
		const own = e.target.closest?.("input, dialog, button, tr, [role=tab], #splitter, #table");
		const moves = ["ArrowUp", "ArrowDown", "Enter", "Home", "End", "PageUp", "PageDown",
			       "ArrowLeft", "ArrowRight"].includes(e.key);

		if (e.ctrlKey || e.metaKey || e.altKey || !this.keys[e.key])
			return;
		if (own && (moves || e.target.closest("input, dialog")))
			return;
		e.preventDefault();
		this.keys[e.key]();
	}

	clear() {
		if (this.state.selected)
			this.select(null);
		else if (this.ranges.range)
			this.ranges.clear();
		else
			this.search("");
	}

	queryKey(e) {
		if (e.key === "Enter") {
			e.preventDefault();
			this.nextHit(e.shiftKey ? -1 : 1);
		} else if (e.key === "Escape") {
			e.preventDefault();
			this.search("");
			$("timeline").focus();
		}
	}

	listenToButtons() {
		const on = (id, action) => $(id).addEventListener("click", action);

		on("previous", () => this.nextHit(-1));
		on("next", () => this.nextHit(1));
		on("zoom-in", this.keys["+"]);
		on("zoom-out", this.keys["-"]);
		on("whole", this.keys[0]);
		on("selected-zoom", () => this.ranges.zoomTo());
		on("selected-clear", () => this.ranges.clear());
		on("theme", this.keys.t);
		on("help-button", this.keys["?"]);
		this.listenToSplitter();
	}

	listenToSplitter() {
		const set = (height) => {
			const most = window.innerHeight - 260;

			this.panelSet = true;
			$("panel").style.height = Math.max(80, Math.min(height, most)) + "px";
		};
		const height = () => $("panel").getBoundingClientRect().height;

		d3.select($("splitter")).call(d3.drag().container(document.body)
			.on("drag", () => set(window.innerHeight - d3.event.y)));
		$("splitter").addEventListener("keydown", (e) => {
			if (e.key === "ArrowUp" || e.key === "ArrowDown") {
				e.preventDefault();
				set(height() + (e.key === "ArrowUp" ? 24 : -24));
			}
		});
	}

	setTheme(theme) {
		document.documentElement.dataset.theme = theme;
		for (const painter of [this.timeline, this.overview])
			painter.setColours(readColours());
		if (this.overview.width)
			this.overview.paintShares();
		this.redraw();
	}

	toggleTheme() {
		this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
	}

	/* --- head and tables ------------------------------------------------------------------- */

	showFacts() {
		const { data } = this;
		const { stat } = data;
		const places = countText(stat.losses) + (stat.losses === 1 ? " place" : " places");
		const missing = stat.lost || stat.losses;
		const corrupt = data.kinds.some((k) => k.what === WHAT.CORRUPT);
		const facts = [
			["wall time", durationText(stat.wall)], ["clock", data.clock],
			["kernel", data.kernel], ["CPUs", String(data.cpus.length)],
			["hypervisor events", countText(stat.events)], ["host events", countText(stat.host_events)],
			["lost", missing ? `${stat.lost ? countText(stat.lost) : "events"} in ${places}` : "none", missing],
			...stat.misplaced ? [["misplaced", countText(stat.misplaced), true]] : [],
			...corrupt ? [["file", "partly corrupt", true]] : [],
		];

		document.title = data.file + " - hyptrace";
		$("file").textContent = data.file;
		$("facts").replaceChildren(...facts.filter(([, value]) => value).map(([name, value, bad]) =>
			element("div", { class: bad ? "bad" : "" }, element("dt", {}, name), element("dd", {}, value))));
	}

	showTabs() {
		const titles = ["Events", ...this.tables.map((t) => t.title)];

		$("tabs").replaceChildren(...titles.map((title, i) => {
			const tab = element("button", { type: "button", role: "tab" }, title);

			tab.addEventListener("click", () => this.showTab(i));
			tab.addEventListener("keydown", (e) => {
				const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];

				if (by) {
					this.showTab((i + by + titles.length) % titles.length);
					$("tabs").children[this.tab].focus();
				}
			});
			return tab;
		}));
	}

	/* The tables of the range, with the orders of those before */
	countRange() {
		const { range } = this.ranges;
		const tables = statTables(range ? rangeStat(this.data, range) : this.data.stat);

		tables.forEach((table, i) => {
			table.order = this.tables[i].order;
		});
		this.tables = tables;
		if (this.tab)
			this.showTab(this.tab);
	}

	/* The table that is shown, or undefined */
	get table() {
		return this.tables[this.tab - 1];
	}

	sortTable(order) {
		if (!this.table)
			return;
		this.table.order = parseOrder(this.table, order);
		this.showTab(this.tab);
	}

	showTab(wanted) {
		const i = Math.max(0, Math.min(Math.floor(wanted) || 0, this.tables.length));

		this.tab = i;
		this.link.changed();
		Array.from($("tabs").children).forEach((tab, n) => {
			tab.setAttribute("aria-selected", n === i);
			tab.tabIndex = n === i ? 0 : -1;
		});
		if (i) {
			$("table").replaceChildren(tableElement(this.tables[i - 1], {
				search: (query) => {
					this.search(query);
					this.nextHit(1);
				},
				go: (visit) => this.goTo(longestVisit(this.data, visit, this.ranges.range || this.whole)),
				sorted: () => this.link.changed(),
			}));
			return;
		}
		$("table").replaceChildren(eventsElement(this.data, this.current || 0, (n) => this.selectEvent(n)));
		const row = $("table").querySelector(".current");

		if (row)
			$("table").scrollTop = row.offsetTop - $("table").clientHeight / 2;
	}
}

window.addEventListener("DOMContentLoaded", () => {
	try {
		window.page = new Page(readData($("data").textContent));
		window.page.link.follow(location.hash);
	} catch (error) {
		document.body.prepend(element("p", { role: "alert" }, "This page cannot be shown: " + error.message));
		throw error;
	}
});
