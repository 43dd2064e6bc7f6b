// SPDX-License-Identifier: GPL-2.0
/*
 * The page: the view, the selection, and the events that change them.
 *
 *	wheel, drag, keys -> d3.zoom -> setView() -> frame() -> painters
 *	pointer, keys, tables -> select() -> details, frame()
 */

const MIN_VIEW = 100;		/* ns */
const OVERVIEW = 38;
/* By their names in links, in the order in which a key goes through them */
const LANES = { cpu: cpuLanes, vcpu: vcpuLanes, vm: vmLanes, task: taskLanes };
const DEFAULT_LANES = "cpu";
const $ = (id) => document.getElementById(id);

function systemTheme() {
	return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

class Page {
	constructor(data) {
		this.data = data;
		this.state = { lane: 0, hits: [], hover: null, selected: null, range: null };
		this.timeline = new TimelinePainter($("timeline"), data);
		this.overview = new OverviewPainter($("overview"), data);
		this.laneSets = new Map();
		this.setLanes(DEFAULT_LANES);
		this.view = { t0: data.start, t1: data.end };
		this.ranges = new RangeTool(this);
		this.link = new Link(this);
		this.hits = new Hits(this);
		this.tabs = new Tabs(this);
		this.details = new Details(this);
		this.dirty = false;
		this.frameMs = 0;
		this.listenToZoom();
		this.listenToPointer();
		this.keys = new Keys(this);
		this.showFacts();
		this.showLegend();
		this.details.show();
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

	/* In a frame, which has neither an address nor a place for what is selected */
	embed() {
		this.embedded = true;
		this.link.write = () => {};
		document.documentElement.classList.add("embedded");
		this.resize();
	}

	/* The time that can be viewed; it may be more than what was recorded; times are relative to zero */
	setExtent(start, end, zero) {
		Object.assign(this.data, { start, end, zero });
		this.zoom.scaleExtent([1, Math.max(1, (end - start) / MIN_VIEW)]);
		this.resize();
	}

	scaleView(factor, at = (this.view.t0 + this.view.t1) / 2) {
		const { t0, t1 } = this.view;

		this.setView(at - (at - t0) / factor, at + (t1 - at) / factor);
	}

	pan(share) {
		const by = (this.view.t1 - this.view.t0) * share;

		this.setView(this.view.t0 + by, this.view.t1 + by);
	}

	/* --- lanes --------------------------------------------------------------- */

	setLanes(by) {
		if (!this.laneSets.has(by))
			this.laneSets.set(by, LANES[by](this.data));
		this.by = by;
		this.lanes = this.laneSets.get(by);
	}

	/* What is selected stays so, if it is there, and so does the view */
	showLanes(by) {
		const { state } = this;

		this.setLanes(Object.hasOwn(LANES, by) ? by : DEFAULT_LANES);
		$("by").value = this.by;
		$("note").textContent = this.lanes.note;
		$("note").hidden = !this.lanes.note;
		state.lane = 0;
		state.hover = null;
		$("lanes").scrollTop = 0;
		this.hits.mark();
		this.resize();
		this.fitPanel();
		this.select(state.selected && !state.selected.group ? this.lanes.locate(state.selected) : null);
		this.details.showTip();
		if (state.selected)
			this.scrollTo(state.selected);
	}

	nextLanes() {
		const names = Object.keys(LANES);

		this.showLanes(names[(names.indexOf(this.by) + 1) % names.length]);
	}

	/* Scroll and pan so that a box and its lane are visible */
	reveal(box) {
		const { t0, t1 } = this.view;
		const size = t1 - t0;

		if (box.start < t0 || box.start > t1 - size / 50)
			this.setView((box.start + box.end - size) / 2, (box.start + box.end + size) / 2);
		this.scrollTo(box);
	}

	/* To its lane, or if that is higher than the window, to its row */
	scrollTo(box) {
		if (box.lane < 0)
			return;
		const lanes = $("lanes");
		const lane = this.lanes.lanes[box.lane];
		const isHigh = AXIS + GAP + lane.height + GAP > lanes.clientHeight && box.row >= 0;
		const y = this.lanes.tops[box.lane] + (isHigh ? lane.tops[box.row] : 0);
		const below = y + AXIS + GAP + (isHigh ? lane.rows[box.row].height : lane.height) + GAP -
			lanes.clientHeight;

		if (y < lanes.scrollTop)
			lanes.scrollTop = y;
		else if (below > lanes.scrollTop)
			lanes.scrollTop = below;
	}

	zoomTo(box, widths = 1.5) {
		const size = Math.max((box.end - box.start) * widths, box.end > box.start ? MIN_VIEW : 20000);
		const middle = (box.start + box.end) / 2;

		this.setView(middle - size / 2, middle + size / 2);
	}

	fitPanel() {
		const lanes = AXIS + GAP + this.lanes.height + OVERVIEW + $("note").offsetHeight;
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

		$("spacer").style.height = Math.max(0, AXIS + GAP + this.lanes.height - lanes.clientHeight) + "px";
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

	/* The view, on the canvas */
	shown() {
		return viewOf(this.view.t0, this.view.t1, this.timeline.width);
	}

	frame() {
		const begin = performance.now();
		const view = this.shown();

		this.timeline.draw(view, this.lanes, $("lanes").scrollTop, this.state);
		this.overview.draw(view, this.state);
		this.frameMs = performance.now() - begin;
		$("range").textContent = durationText(view.t1 - view.t0) + " from " +
			stampText(this.data, view.t0) + " s";
	}

	/* --- pointer ---------------------------------------------------------- */

	/* The box at a point of the canvas, or null */
	hit(x, y) {
		const down = y + $("lanes").scrollTop - AXIS - GAP;

		if (x < LABELS || y < AXIS || down < 0)
			return null;
		return this.lanes.hit(this.shown(), x, down);
	}

	listenToPointer() {
		const canvas = $("timeline");

		canvas.addEventListener("mousemove", (e) => {
			this.state.hover = e.buttons ? null : this.hit(e.offsetX, e.offsetY);
			this.details.showTip(e.offsetX, e.offsetY);
			this.redraw();
		});
		canvas.addEventListener("mouseleave", () => {
			this.state.hover = null;
			this.details.showTip();
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
		if (box && box.lane >= 0)
			this.state.lane = box.lane;
		if (box && box.type === "event")
			this.tabs.current = box.i;
		this.details.show();
		if (this.tabs.tab === 0)
			this.tabs.show(0);
		this.redraw();
	}

	get whole() {
		return { from: this.data.start, to: this.data.end };
	}

	/* With what was before and after it */
	goTo(visit) {
		const box = this.lanes.locate(visit);

		this.zoomTo(box, 5);
		this.reveal(box);
		this.select(box);
	}

	selectEvent(i) {
		const box = this.lanes.locate(eventBox(this.data, i));

		this.reveal(box);
		this.select(box);
	}

	/* The lane in which the keys step, or undefined */
	get lane() {
		return this.lanes.lanes[this.state.lane];
	}

	/* Whether something of this type is selected in this lane */
	isSelected(type) {
		const { selected, lane } = this.state;

		return selected && selected.lane === lane && (!type || selected.type === type);
	}

	/* The time from which the keys step on */
	position() {
		return this.isSelected() ? this.state.selected.start : (this.view.t0 + this.view.t1) / 2;
	}

	stepEvent(by) {
		const all = this.lane?.all;

		if (!all)
			return;
		const at = this.isSelected("event") ? all.event.indexOf(this.state.selected.i) + by :
			lowerBound(all.t, all.n, this.position()) - (by < 0);

		if (at >= 0 && at < all.n)
			this.selectEvent(all.event[at]);
	}

	stepStay(by) {
		const { lane } = this;

		if (!lane)
			return;
		const { stays } = lane;
		const at = this.isSelected("stay") ? indexOfBox(lane, stays, this.state.selected) + by :
			lowerBound(stays.start, stays.n, this.position()) - (by < 0);

		if (at < 0 || at >= stays.n)
			return;
		const box = this.lanes.locate(laneBox(lane, "stay", stays, at));

		this.reveal(box);
		this.select(box);
	}

	stepLane(by) {
		const { lanes } = this.lanes;

		this.state.lane = Math.max(0, Math.min(lanes.length - 1, this.state.lane + by));
		if (this.lane)
			this.reveal({ lane: this.state.lane, start: this.view.t0, end: this.view.t0 });
		this.redraw();
	}

	showEventsAt(t) {
		const { selected } = this.state;
		const all = selected.lane < 0 ? { ...this.data.events, event: null } : this.lane.all;
		const i = Math.min(lowerBound(all.t, all.n, t), all.n - 1);

		if (i >= 0)
			this.tabs.current = all.event ? all.event[i] : i;
		this.tabs.show(0);
	}

	/* --- theme and head --------------------------------------------------------------- */

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

	showLegend() {
		for (const place of RARE_PLACES)
			if (!this.data.shown.includes(place))
				$("legend").querySelector("." + PLACES[place]).parentElement.remove();
	}

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
