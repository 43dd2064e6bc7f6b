// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the timeline and the overview. However many events there are, a lane takes at
 * most two primitives per pixel: slices that are shorter than a pixel are merged into a
 * bar, whose height is their share of the time. They are found by binary search.
 */

const LABELS = 92;		/* width of the names on the left */
const AXIS = 26;
const LANE = 20;
const EVENTS = 15;
const GAP = 12;
const BLOCK = 3 * LANE + EVENTS + GAP;
const ROWS = ["host", "EL2", "guest", "events"];
const FONT = "11px system-ui, 'DejaVu Sans', sans-serif";
const STRONG = "600 12px system-ui, 'DejaVu Sans', sans-serif";

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

/* --- the time axis ---------------------------------------------------------- */

/*
 * Round timestamps in view, and their texts. Timestamps do not fit into a number: they count from
 * an origin, which is a multiple of each step of up to a whole view.
 */
function axisTicks(data, view) {
	const count = Math.max(2, view.width / 130);
	const step = Math.max(1, d3.tickStep(view.t0, view.t1, count) || 1);
	const unit = BigInt(10 ** Math.max(9, Math.ceil(Math.log10(step))));
	const origin = data.base / unit * unit;
	const offset = Number(data.base - origin);
	const digits = Math.max(0, 9 - Math.floor(Math.log10(step) + 1e-9));
	const first = Math.ceil((view.t0 + offset) / step) * step;

	return d3.range(first, view.t1 + offset + 0.5, step).map((ns) => {
		const whole = Math.floor(ns / 1e9);
		const rest = String(ns - whole * 1e9).padStart(9, "0");
		const text = origin / 1000000000n + BigInt(whole);

		return { x: view.x(ns - offset),
			 text: text + (digits ? "." + rest.slice(0, digits) : "") + " s" };
	});
}

/* --- colours ---------------------------------------------------------------- */

const COLOURS = ["background", "panel", "lane", "text", "muted", "line", "host", "el2", "guest",
		 "unknown", "idle", "loss", "hit", "on-slice", "selection"];

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
		this.idle = data.tasks.map((t) => t.pid === 0);
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

		if (room < 14)
			return;
		if (this.textWidth(text) <= room) {
			this.text(style, text, from, y);
			return;
		}
		const letters = Math.floor(room / (this.textWidth(text) / text.length)) - 1;

		if (letters >= 3)
			this.text(style, text.slice(0, letters) + "\u2026", from, y);
	}

	/* A slice; there is a gap between neighbours if they are wide enough */
	slice(style, x0, x1, y) {
		const left = Math.max(x0, LABELS - 1);
		const right = Math.min(x1, this.width + 1);

		this.rect(style, left, y + 1, Math.max(1, right - left - (x1 - x0 > 8 ? 1 : 0)),
			  LANE - 2);
	}

	column(style, x, share, y) {
		const height = Math.max(2, share * (LANE - 2));

		if (x >= LABELS)
			this.rect(style, x, y + LANE - 1 - height, 1, height);
	}
}

/* The three lanes of a CPU */
class CpuPainter {
	constructor(painter, view, cpu, y) {
		Object.assign(this, { p: painter, view, cpu, y, data: painter.data,
				      colours: painter.colours });
	}

	hostText(what) {
		return taskText(this.data, this.data.places[what].task);
	}

	drawHost() {
		const { p, colours, y } = this;

		walkSlices(this.cpu.slices[0], this.view, (i, x0, x1) => {
			const what = this.cpu.slices[0].what[i];
			const idle = p.idle[this.data.places[what].task];

			p.slice(idle ? colours.idle : colours.host, x0, x1, y);
			p.label(idle ? colours.text : colours["on-slice"], this.hostText(what),
				x0, x1, y + LANE / 2);
		}, (x, share) => p.column(colours.host, x, share, y));
	}

	/* Spans are all the time at EL2; the complete entries in them have names */
	drawEl2() {
		const { p, cpu, colours } = this;
		const y = this.y + LANE;

		walkSlices(cpu.slices[1], this.view, (i, x0, x1) => p.slice(colours.el2, x0, x1, y),
			   (x, share) => p.column(colours.el2, x, share, y));
		walkSlices(cpu.stays, this.view, (i, x0, x1) => {
			if (x1 - x0 > 4)
				p.slice(colours.el2, x0, x1, y);
			p.label(colours["on-slice"], stayText(this.data, cpu.stays, i), x0, x1,
				y + LANE / 2);
		}, () => {});
	}

	drawGuest() {
		const { p, cpu, colours } = this;
		const y = this.y + 2 * LANE;

		walkSlices(cpu.slices[2], this.view, (i, x0, x1) => {
			p.slice(colours.guest, x0, x1, y);
			p.label(colours["on-slice"], guestText(this.data, cpu.slices[2].what[i]),
				x0, x1, y + LANE / 2);
		}, (x, share) => p.column(colours.guest, x, share, y));
	}

	drawUnknown() {
		const { p, cpu, colours, y } = this;
		const hatch = (x0, x1) => {
			const left = Math.max(x0, LABELS);

			p.rect(p.hatch, left, y, Math.max(1, Math.min(x1, p.width) - left), 3 * LANE);
		};

		walkSlices(cpu.slices[3], this.view, (i, x0, x1) => {
			hatch(x0, x1);
			if (x1 - x0 > 76) {
				const at = Math.max(x0, LABELS) + 6;

				p.rect(colours.background, at - 3, y + 1.5 * LANE - 8,
				       p.textWidth("unknown") + 6, 16);
				p.text(colours.muted, "unknown", at, y + 1.5 * LANE);
			}
		}, (x) => hatch(x, x + 1));
	}

	/* Wide ones if there are few events */
	drawTicks(marks, style, y) {
		const { t0, t1, width } = this.view;
		const number = lowerBound(marks.t, marks.n, t1) - lowerBound(marks.t, marks.n, t0);
		const broad = number < width / 8 ? 2 : 1;

		walkMarks(marks, this.view, (x, n) => {
			this.p.c.globalAlpha = Math.min(1, (broad - 1) + 0.6 + n / 10);
			this.p.rect(style, x, y, broad, EVENTS / 2 - 0.5);
		});
		this.p.c.globalAlpha = 1;
	}

	/* Names, where there is room up to the next event */
	drawNames(y) {
		const { p, cpu, data, view } = this;
		const all = cpu.all;
		const first = lowerBound(all.t, all.n, view.t0);
		const last = lowerBound(all.t, all.n, view.t1);

		if (last - first > view.width / 20)
			return;
		for (let i = first; i < last; i++) {
			const kind = data.kinds[data.events.kind[all.event[i]]];
			const x = view.x(all.t[i]);
			const next = i + 1 < all.n ? view.x(all.t[i + 1]) : p.width;

			if (kind.what < WHAT.LOSS)
				p.label(p.colours.text, data.words[kind.name], x, next, y);
		}
	}

	drawLosses() {
		const { p, colours, y } = this;

		walkMarks(this.cpu.losses, this.view, (x) => {
			p.rect(colours.loss, x, y - 4, 2, 3 * LANE + EVENTS + 4);
			p.rect(colours.loss, x - 3, y - 6, 8, 3);
		});
	}

	draw() {
		const events = this.y + 3 * LANE;

		this.drawHost();
		this.drawEl2();
		this.drawGuest();
		this.drawUnknown();
		this.drawTicks(this.cpu.host, this.colours.host, events + 1);
		this.drawTicks(this.cpu.hyp, this.colours.el2, events + 1 + EVENTS / 2);
		this.drawNames(events + EVENTS / 2);
		this.drawLosses();
	}
}

function stayText(data, stays, i) {
	const reason = visitName(data, stays, i) || "entry";

	return stays.call[i] ? reason + " " + data.words[stays.call[i] - 1] : reason;
}

function guestText(data, what) {
	const { vcpu, task } = data.places[what];

	return (vcpu ? vcpuText(vcpu) + ", " : "") + taskText(data, task);
}

class TimelinePainter extends Painter {
	/* view: the visible time; state: selection, hover, hits by CPU */
	draw(view, scrolled, state) {
		this.begin();
		this.drawGrid(view);
		this.data.cpus.forEach((cpu, i) => {
			const y = AXIS + GAP + i * BLOCK - scrolled;

			if (y + BLOCK > 0 && y < this.height)
				this.drawCpu(view, cpu, i, y, state);
		});
		if (state.range)
			this.drawRange(view, state.range);
		this.drawSelection(view, scrolled, state);
		this.drawAxis(view);
		if (state.range)
			this.drawEdges(view, state.range);
	}

	drawGrid(view) {
		this.ticks = axisTicks(this.data, view);
		for (const tick of this.ticks)
			this.rect(this.colours.line, Math.round(tick.x), AXIS, 1, this.height - AXIS);
	}

	drawCpu(view, cpu, i, y, state) {
		const { c, colours } = this;

		c.save();
		c.beginPath();
		c.rect(LABELS, 0, this.width - LABELS, this.height);
		c.clip();
		if (state.hits[i])
			this.drawHits(view, state.hits[i], y);
		for (let row = 0; row < 3; row++)
			this.rect(colours.lane, LABELS, y + row * LANE + 1, this.width, LANE - 2);
		new CpuPainter(this, view, cpu, y).draw();
		new ArrowPainter(this, view, cpu, y).draw();
		c.restore();
		this.style = null;
		this.drawNames(cpu, y, i === state.cpu);
	}

	/* In the gaps of the lanes, so that a hit is always visible */
	drawHits(view, hits, y) {
		walkMarks(hits, view, (x) => {
			this.rect(this.colours.hit, x - 1, y - 5, 3, 4);
			this.rect(this.colours.hit, x - 1, y + 3 * LANE, 3, EVENTS);
		});
	}

	drawNames(cpu, y, current) {
		const { c, colours } = this;

		this.rect(colours.panel, 0, y - GAP / 2, LABELS - 1, BLOCK);
		if (current)
			this.rect(colours.selection, 0, y - 2, 3, BLOCK - GAP + 4);
		c.font = STRONG;
		this.text(colours.text, "CPU " + cpu.cpu, 10, y + LANE / 2);
		c.font = FONT;
		c.textAlign = "right";
		ROWS.forEach((name, row) => {
			const height = row < 3 ? LANE : EVENTS;

			this.text(colours.muted, name, LABELS - 9, y + row * LANE + height / 2);
		});
		c.textAlign = "left";
		this.rect(colours.line, 0, y + BLOCK - GAP / 2 - 1, this.width, 1);
	}

	/* x of both ends, limited to the lanes */
	rangeSides(view, { from, to }) {
		return [from, to].map((t) => Math.max(LABELS, Math.min(view.x(t), this.width)));
	}

	drawRange(view, range) {
		const [x0, x1] = this.rangeSides(view, range);

		this.c.globalAlpha = 0.14;
		this.rect(this.colours.selection, x0, AXIS, x1 - x0, this.height - AXIS);
		this.c.globalAlpha = 1;
	}

	drawEdges(view, range) {
		const [x0, x1] = this.rangeSides(view, range);

		this.rect(this.colours.selection, x0, AXIS - 4, x1 - x0, 4);
		for (const t of [range.from, range.to])
			if (t >= view.t0 && t <= view.t1)
				this.rect(this.colours.selection, Math.round(view.x(t)), AXIS - 8, 1, this.height);
	}

	drawSelection(view, scrolled, state) {
		const { c, colours } = this;

		for (const [box, alpha] of [[state.hover, 0.5], [state.selected, 1]]) {
			if (!box)
				continue;
			const y = AXIS + GAP + box.cpu * BLOCK + box.row * LANE - scrolled;
			const x0 = Math.max(LABELS, view.x(box.start));
			const x1 = Math.min(this.width + 2, view.x(box.end));

			if (x1 < LABELS)
				continue;
			c.globalAlpha = alpha;
			c.strokeStyle = colours.selection;
			c.lineWidth = 2;
			c.strokeRect(x0 - 1, y, Math.max(2, x1 - x0) + 1, box.row < 3 ? LANE : EVENTS);
			c.globalAlpha = 1;
			this.primitives++;
		}
	}

	drawAxis(view) {
		const { colours } = this;

		this.rect(colours.panel, 0, 0, this.width, AXIS);
		this.rect(colours.line, 0, AXIS - 1, this.width, 1);
		this.rect(colours.line, LABELS - 1, 0, 1, this.height);
		for (const tick of this.ticks) {
			this.rect(colours.muted, Math.round(tick.x), AXIS - 6, 1, 6);
			if (tick.x + this.textWidth(tick.text) + 4 < this.width)
				this.text(colours.muted, tick.text, tick.x + 4, AXIS / 2 - 1);
		}
		this.rect(colours.panel, 0, 0, LABELS - 1, AXIS);
	}
}

/* The whole recording: the shares over all CPUs, and the part that is in view */
class OverviewPainter extends Painter {
	constructor(canvas, data) {
		super(canvas, data);
		this.shares = document.createElement("canvas");
	}

	paintShares() {
		const { data, colours } = this;
		const inside = this.width - LABELS;
		const ns = (data.end - data.start) / inside;
		const order = [[2, "guest"], [1, "el2"], [0, "host"]];

		this.begin();
		this.rect(colours.panel, 0, 0, this.width, this.height);
		this.text(colours.muted, "all CPUs", 10, this.height / 2);
		for (let x = 0; x < inside; x++) {
			const from = data.start + x * ns;
			let y = this.height - 2;

			for (const [place, name] of order) {
				const time = data.cpus.reduce((sum, cpu) =>
					sum + timeIn(cpu.slices[place], from, from + ns), 0);
				const share = time / ns / data.cpus.length * (this.height - 4);

				this.rect(colours[name], LABELS + x, y - share, 1, share);
				y -= share;
			}
		}
		for (const cpu of data.cpus)
			walkMarks(cpu.losses, this.whole(), (x) =>
				this.rect(colours.loss, x, 0, 2, this.height));
		this.shares.width = this.canvas.width;
		this.shares.height = this.canvas.height;
		this.shares.getContext("2d").drawImage(this.canvas, 0, 0);
	}

	whole() {
		return viewOf(this.data.start, this.data.end, this.width);
	}

	draw(view, { hits, range }) {
		const { c, colours } = this;
		const whole = this.whole();
		const x0 = whole.x(view.t0);
		const x1 = Math.max(x0 + 3, whole.x(view.t1));

		this.begin();
		c.drawImage(this.shares, 0, 0, this.width, this.height);
		for (const marks of hits)
			walkMarks(marks, whole, (x) => this.rect(colours.hit, x, 0, 1, 5));
		if (range)
			this.rect(colours.selection, whole.x(range.from), this.height - 4,
				  Math.max(2, whole.x(range.to) - whole.x(range.from)), 4);
		c.globalAlpha = 0.6;
		this.rect(colours.background, LABELS, 0, x0 - LABELS, this.height);
		this.rect(colours.background, x1, 0, this.width - x1, this.height);
		c.globalAlpha = 1;
		c.strokeStyle = colours.selection;
		c.lineWidth = 1.5;
		c.strokeRect(x0, 1, x1 - x0, this.height - 2);
	}
}

/* The visible time, and its position on the canvas */
function viewOf(t0, t1, width) {
	const scale = (width - LABELS) / (t1 - t0);

	return { t0, t1, scale, width: width - LABELS,
		 x: (t) => LABELS + (t - t0) * scale,
		 t: (x) => t0 + (x - LABELS) / scale };
}
