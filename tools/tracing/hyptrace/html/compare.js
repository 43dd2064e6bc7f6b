// SPDX-License-Identifier: GPL-2.0
/*
 * Two recordings beside each other: a table of what differs, and a timeline of each. A timeline is
 * the page of "export --html" in a frame, which shows nothing else. Both have one view: a moment of
 * each, the anchor, is at the same place.
 *
 *	a row of the table, buttons -> show() -> align() -> both views
 *	a view is changed in its frame -> follow() -> the other view
 */

const KINDS = [["entries", "EL2 entry", "stays"], ["hypercalls", "hypercall", "calls"],
	       ["switches", "world switch", "switches"]];
const VIEW_KEYS = ["+", "=", "-", "w", "s", "a", "d", "ArrowLeft", "ArrowRight", "0", "Home", "End", "t"];
const MARK = "@" + "DATA@";		/* not to be replaced here */
const $ = (id) => document.getElementById(id);

function systemTheme() {
	return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function decode(base64) {
	return new TextDecoder().decode(bytesOf(base64));
}

/* --- the table --------------------------------------------------------------- */

/* verdict: null for none; fails: it became slower by more than --fail-over */
function verdictCell({ verdict, fails }) {
	if (!verdict)
		return { ...label("-"), left: false };
	return { ...label(fails ? verdict + ", over the limit" : verdict), left: false, verdict };
}

function changeCell({ a, b, change }) {
	if (!a.count || !b.count)
		return { text: "", value: -Infinity };
	return { text: signed(change, change.toFixed(1) + " %"), value: change };
}

function times(name, { a, b }) {
	return [a, b].map((side) => side.count ? time(side[name]) : { text: "", value: -1 });
}

/* Of the typical duration; null: not known */
function typicals({ a, b }) {
	return times("typical", { a, b }).map((cell, i) => {
		const { spread } = [a, b][i];

		return { ...cell, title: spread === null ? "spread not known" : `spread ${spread.toFixed(1)} %` };
	});
}

function compareTable(comparison) {
	const rows = KINDS.flatMap(([key, kind, list]) => comparison[key].map((row) => ({
		cells: [label(row.name), label(kind), count(row.a.count), count(row.b.count),
			...times("p50", row), ...times("p99", row), ...typicals(row), changeCell(row),
			verdictCell(row)],
		visit: { list, name: row.name, text: `${kind} ${row.name}` },
	})));

	return { rows, columns: ["what", "kind", "count A", "count B", "p50 A", "p50 B", "p99 A", "p99 B",
				 "typical A", "typical B", "change", "verdict"] };
}

function compareRow(row, show) {
	const tr = element("tr", { tabIndex: 0, title: "Align the slowest of both" },
			   ...row.cells.map((c) => element("td", {
				   class: [c.left ? "left" : "", c.verdict || ""].join(" ").trim(),
				   title: c.title || "" }, c.text)));

	tr.addEventListener("click", () => show(row.visit, tr));
	tr.addEventListener("keydown", (e) => {
		if (e.key === "Enter")
			show(row.visit, tr);
	});
	return tr;
}

/* --- a recording ---------------------------------------------------------------- */

class Side {
	constructor(name, page, data) {
		this.frame = $(name);
		this.title = $("name-" + name);
		this.letter = name.toUpperCase();
		this.loaded = new Promise((done) => this.frame.addEventListener("load", done, { once: true }));
		/* not the URL of a blob: of a file, that has another origin */
		this.frame.srcdoc = page.replace(MARK, () => data);
	}

	/* When it is loaded; call drawn() after each change of what it shows, theme() for another one */
	begin(drawn, theme) {
		const { page } = this.frame.contentWindow;
		const draw = page.frame;

		this.page = page;
		this.first = page.data.start;
		this.last = page.data.end;
		page.frame = () => {
			draw.call(page);
			drawn();
		};
		page.toggleTheme = theme;
		page.embed();
	}

	/* The boxes of a visit in the order of time, and the slowest first */
	boxes(visit) {
		const inTime = this.frame.contentWindow.visitBoxes(this.page.data, visit);

		return { inTime, slowest: [...inTime].sort((a, b) => b.ns - a.ns) };
	}

	select(box) {
		const { page } = this;
		const found = box ? page.lanes.locate(box) : null;

		page.select(found);
		if (found)
			page.scrollTo(found);
	}
}

/* Within a hypercall, a guest may have run */
function lengthText({ start, end, ns }) {
	return durationText(ns) + (ns === end - start ? "" : ` at EL2 in ${durationText(end - start)}`);
}

/* --- both ---------------------------------------------------------------------------- */

class Compare {
	constructor(sides, comparison) {
		this.sides = sides;
		this.comparison = comparison;
		sides.forEach((side, i) => side.begin(() => this.follow(i), () => this.toggleTheme()));
		this.showNames();
		this.showTable();
		this.listen();
		this.setTheme(systemTheme());
		this.alignStarts();
	}

	showNames() {
		const { percent, wall, no_verdict: doubt, differences } = this.comparison;
		const pair = (values, text) => `${text(values[0])} \u2192 ${text(values[1])}`;
		const facts = [["wall time", pair(wall, durationText)],
			       ...PLACES.map((name) =>
				[name, pair(percent[name.toLowerCase()], (p) => p.toFixed(2) + " %")])];
		const names = this.sides.map(({ page }) => page.data.file);

		$("differ").textContent = differences.map(({ text }) => text).join("; ");
		$("doubt").textContent = doubt ? `No verdict: ${doubt}` : "";
		document.title = names.join(", ") + " - hyptrace compare";
		$("names").textContent = pair(names, String);
		$("facts").replaceChildren(...facts.map(([name, value]) =>
			element("div", {}, element("dt", {}, name), element("dd", {}, value))));
	}

	showTable() {
		$("table").replaceChildren(sortableElement(compareTable(this.comparison),
			(row) => compareRow(row, (visit, tr) => this.choose(visit, tr)), () => {}));
	}

	listen() {
		$("slowest").addEventListener("click", () => this.showSlowest(0));
		$("slower").addEventListener("click", () => this.showSlowest(this.rank - 1));
		$("faster").addEventListener("click", () => this.showSlowest(this.rank + 1));
		$("median").addEventListener("click", () => this.showMedian());
		$("nth").addEventListener("input", () => this.showNth($("nth").valueAsNumber));
		$("starts").addEventListener("click", () => this.alignStarts());
		$("theme").addEventListener("click", () => this.toggleTheme());
		document.addEventListener("keydown", (e) => this.key(e));
	}

	/* Those that change the view do so outside of the timelines as well */
	key(e) {
		if (VIEW_KEYS.includes(e.key))
			this.sides[0].page.keys.key(e);
	}

	toggleTheme() {
		this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
	}

	setTheme(theme) {
		document.documentElement.dataset.theme = theme;
		for (const { page } of this.sides)
			page.setTheme(theme);
	}

	/* --- alignment --- */

	/* The moments, one of each, are at the same place from now on */
	align(moments) {
		const before = Math.max(...this.sides.map((side, i) => moments[i] - side.first));
		const after = Math.max(...this.sides.map((side, i) => side.last - moments[i]));

		this.anchor = moments;
		this.sides.forEach(({ page }, i) => page.setExtent(moments[i] - before, moments[i] + after, moments[i]));
	}

	/* The view is from @from to @to around the anchor */
	setView(from, to) {
		this.sides.forEach(({ page }, i) => page.setView(this.anchor[i] + from, this.anchor[i] + to));
	}

	/* The i-th has changed its view */
	follow(i) {
		if (!this.anchor)
			return;
		const { t0, t1 } = this.sides[i].page.view;
		const other = this.sides[1 - i].page;
		const by = this.anchor[1 - i] - this.anchor[i];
		const near = (t1 - t0) / 1e7 + 1e-3;

		if (Math.abs(other.view.t0 - t0 - by) > near || Math.abs(other.view.t1 - t1 - by) > near)
			other.setView(t0 + by, t1 + by);
	}

	alignStarts() {
		this.choose(null);
		this.align(this.sides.map(({ first }) => first));
		for (const side of this.sides) {
			side.select(null);
			side.title.textContent = `${side.letter}: ${side.page.data.file}`;
		}
		$("aligned").textContent = "Aligned at the first event of each. Click a row to align what it counts.";
		this.setView(0, Math.max(...this.sides.map(({ first, last }) => last - first)));
	}

	choose(visit, tr) {
		$("table").querySelector(".current")?.classList.remove("current");
		tr?.classList.add("current");
		this.visit = visit;
		this.all = visit ? this.sides.map((side) => side.boxes(visit)) : null;
		for (const id of ["slowest", "slower", "faster", "median", "nth"])
			$(id).disabled = !visit;
		$("nth").value = "";
		if (!visit)
			return;
		$("nth").max = Math.min(...this.counts());
		this.showSlowest(0);
	}

	/* How many of what is chosen there are, on each side that has one */
	counts() {
		return this.all.map(({ inTime }) => inTime.length).filter(Boolean);
	}

	/* rank: from the slowest on, which is 0 */
	showSlowest(rank) {
		const most = Math.max(...this.counts());

		this.rank = Math.max(0, Math.min(rank, most - 1));
		$("nth").value = "";
		this.show(this.all.map(({ slowest: all }) => all[Math.min(this.rank, all.length - 1)]),
			  this.rank ? `number ${this.rank + 1} of at most ${most} from the slowest on` : "the slowest");
	}

	showMedian() {
		this.rank = 0;
		$("nth").value = "";
		this.show(this.all.map(({ slowest: all }) => all[all.length >> 1]), "the median");
	}

	/* n: in the order of time, from 1 on */
	showNth(n) {
		const nth = Math.max(1, Math.min(Math.floor(n), ...this.counts()));

		if (Number.isNaN(nth))
			return;
		this.rank = 0;
		this.show(this.all.map(({ inTime }) => inTime[nth - 1]), `number ${nth}`);
	}

	/* A box of each side, or undefined; which: what they are */
	show(boxes, which) {
		const shown = boxes.filter(Boolean);

		if (!shown.length)
			return;
		this.align(this.sides.map((side, i) => boxes[i] ? boxes[i].start : side.first));
		this.sides.forEach((side, i) => {
			const { data } = side.page;
			const box = boxes[i];

			side.select(box);
			side.title.textContent = `${side.letter}: ${data.file}` + (box ?
				`, ${lengthText(box)} from ${stampText(data, box.start)} s` :
				", where it does not occur");
		});
		$("aligned").textContent = `Aligned at the start of ${this.visit.text}: ${which} of each`;
		const longest = Math.max(...shown.map((box) => box.end - box.start), 1);

		this.setView(-longest, 2 * longest);
	}
}

window.addEventListener("DOMContentLoaded", async () => {
	try {
		const [a, b, comparison] = $("data").textContent.trim().split(/\s+/);
		const page = decode($("page").textContent.trim());
		const sides = [new Side("a", page, a), new Side("b", page, b)];

		await Promise.all(sides.map((side) => side.loaded));
		window.compare = new Compare(sides, JSON.parse(decode(comparison)));
	} catch (error) {
		document.body.prepend(element("p", { role: "alert" }, "This page cannot be shown: " + error.message));
		throw error;
	}
});
