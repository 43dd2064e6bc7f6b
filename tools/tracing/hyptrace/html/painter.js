// SPDX-License-Identifier: GPL-2.0
/*
 * What all drawings have in common. However many events there are, a lane takes at most two
 * primitives per pixel: slices that are shorter than a pixel are merged into a bar, whose height is
 * their share of the time. They are found by binary search.
 */

const LABELS = 92;		/* width of the names on the left */
const AXIS = 26;
const LANE = 20;
const EVENTS = 15;
const TITLE = 19;
const RUNS = 15;
const LEVELS = 54;
const TRACK = 17;
const GAP = 12;
const FONT = "11px system-ui, 'DejaVu Sans', sans-serif";
const STRONG = "600 12px system-ui, 'DejaVu Sans', sans-serif";

/* The visible time, and its position on the canvas */
function viewOf(t0, t1, width) {
	const scale = (width - LABELS) / (t1 - t0);

	return { t0, t1, scale, width: width - LABELS,
		 x: (t) => LABELS + (t - t0) * scale,
		 t: (x) => t0 + (x - LABELS) / scale };
}

/* --- slices and marks per pixel -------------------------------------------- */

/* Call span(i, x0, x1) for slices of a pixel or more, column(x, share) for shorter ones */
function walkSlices(slices, view, span, column) {
	const { n, start, end, sum } = slices;
	const wide = (i) => (end[i] - start[i]) * view.scale >= 1;
	let i = lowerBound(end, n, view.t0);

	while (i < n && start[i] < view.t1) {
		if (wide(i)) {
			span(i, view.x(start[i]), view.x(end[i]));
			i++;
			continue;
		}
		const x = Math.floor(view.x(start[i]));
		let next = lowerBound(start, n, view.t(x + 1), i + 1);

		if (wide(next - 1))
			next--;
		column(x, Math.min(1, (sum[next] - sum[i]) * view.scale));
		i = next;
	}
}

/* Call mark(x, number, first) for each pixel with marks */
function walkMarks(marks, view, mark) {
	let i = lowerBound(marks.t, marks.n, view.t0);

	while (i < marks.n && marks.t[i] <= view.t1) {
		const x = Math.floor(view.x(marks.t[i]));
		const next = lowerBound(marks.t, marks.n, view.t(x + 1), i + 1);

		mark(x, next - i, i);
		i = next;
	}
}

/* --- colours ---------------------------------------------------------------- */

const COLOURS = ["background", "panel", "lane", "text", "muted", "line", "host", "el2", "guest",
		 "task", "irq", "softirq", "unknown", "idle", "cpu-even", "cpu-odd", "loss", "hit", "on-slice", "selection"];

function readColours() {
	const style = getComputedStyle(document.documentElement);

	return Object.fromEntries(COLOURS.map((name) =>
		[name, style.getPropertyValue("--" + name).trim()]));
}

function hatchPattern(c, colours) {
	const tile = document.createElement("canvas");

	tile.width = tile.height = 8;
	const t = tile.getContext("2d");

	t.strokeStyle = colours.unknown;
	t.lineWidth = 1.5;
	for (const at of [-8, 0, 8]) {
		t.beginPath();
		t.moveTo(at - 1, 9);
		t.lineTo(at + 9, -1);
		t.stroke();
	}
	return c.createPattern(tile, "repeat");
}

/* --- painting --------------------------------------------------------------- */

class Painter {
	constructor(canvas, data) {
		this.canvas = canvas;
		this.c = canvas.getContext("2d");
		this.data = data;
		this.primitives = 0;
		this.texts = new Map();
	}

	setColours(colours) {
		this.colours = colours;
		this.hatch = hatchPattern(this.c, colours);
	}

	/* In CSS pixels; the canvas has the pixels of the screen */
	resize(width, height) {
		const ratio = window.devicePixelRatio || 1;

		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.height = height + "px";
		this.canvas.style.width = width + "px";
		this.ratio = ratio;
		this.width = width;
		this.height = height;
	}

	begin() {
		this.primitives = 0;
		this.style = null;
		this.c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		this.c.clearRect(0, 0, this.width, this.height);
		this.c.font = FONT;
		this.c.textBaseline = "middle";
	}

	/* Setting a style takes longer than checking it */
	fill(style) {
		if (this.style !== style)
			this.c.fillStyle = style;
		this.style = style;
	}

	rect(style, x, y, width, height) {
		this.fill(style);
		this.c.fillRect(x, y, width, height);
		this.primitives++;
	}

	text(style, text, x, y) {
		this.fill(style);
		this.c.fillText(text, x, y);
		this.primitives++;
	}

	textWidth(text) {
		let width = this.texts.get(text);

		if (width === undefined) {
			width = this.c.measureText(text).width;
			this.texts.set(text, width);
		}
		return width;
	}

	/* A text in the visible part of a slice, if it fits */
	label(style, text, x0, x1, y) {
		const from = Math.max(x0, LABELS) + 4;
		const room = Math.min(x1, this.width) - from - 3;

		const part = room < 14 ? "" : this.fitted(text, room);

		if (part)
			this.text(style, part, from, y);
	}

	/* As much of a text as there is room for, "" if that is too little */
	fitted(text, room) {
		if (this.textWidth(text) <= room)
			return text;
		const letters = Math.floor(room / (this.textWidth(text) / text.length)) - 1;

		return letters >= 3 ? text.slice(0, letters) + "\u2026" : "";
	}

	/* A slice; there is a gap between neighbours if they are wide enough */
	slice(style, x0, x1, y, height = LANE) {
		const left = Math.max(x0, LABELS - 1);
		const right = Math.min(x1, this.width + 1);

		this.rect(style, left, y + 1, Math.max(1, right - left - (x1 - x0 > 8 ? 1 : 0)),
			  height - 2);
	}

	/* above: the height of what is below it in this pixel; => its own */
	column(style, x, share, y, height = LANE, above = 0) {
		const part = Math.min(Math.max(2, share * (height - 2)), height - 2 - above);

		if (x >= LABELS && part > 0)
			this.rect(style, x, y + height - 1 - above - part, 1, part);
		return Math.max(part, 0);
	}
}
