// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of a lane. Each has
 *
 *	name, height
 *	draw(p, view, y)	with the painter p, at y
 *	hit(view, x)		=> the box that is there (see lanes.js), or null
 *	shows(box)		is a box of the lane in this row?
 */

function placeColour(p, place) {
	return p.colours[PLACES[place].toLowerCase()];
}

/* The complete EL2 entries have names */
function drawStays(p, view, stays, y, height) {
	walkSlices(stays, view, (i, x0, x1) => {
		if (x1 - x0 > 4)
			p.slice(p.colours.el2, x0, x1, y, height);
		p.label(p.colours["on-slice"], stayText(p.data, stays, i), x0, x1, y + height / 2);
	}, () => {});
}

/* A place of a lane */
class PlaceRow {
	constructor(lane, place) {
		this.lane = lane;
		this.place = place;
		this.name = PLACES[place];
		this.height = LANE;
	}

	get slices() {
		return this.lane.slices[this.place];
	}

	draw(p, view, y) {
		const { slices, lane, place } = this;
		const colour = placeColour(p, place);

		p.rect(p.colours.lane, LABELS, y + 1, p.width, LANE - 2);
		walkSlices(slices, view, (i, x0, x1) => {
			p.slice(colour, x0, x1, y);
			if (place !== 1)
				p.label(p.colours[this.name === "idle" ? "text" : "on-slice"],
					lane.text(place, i), x0, x1, y + LANE / 2);
		}, (x, share) => p.column(colour, x, share, y));
		if (place === 1)
			drawStays(p, view, lane.stays, y, LANE);
	}

	hit(view, x) {
		const t = view.t(x);
		const types = [...this.place === 1 ? ["stay"] : [], this.name, "unknown"];

		return types.map((type) => sliceBoxAt(this.lane, type, t)).find(Boolean) || null;
	}

	shows({ type }) {
		return type === this.name || type === "unknown" ||
			(this.place === 1 && ["stay", "call", "switch"].includes(type));
	}
}

/* A lane's name and times, above the rows */
class TitleRow {
	constructor() {
		this.name = "";
		this.height = TITLE;
	}

	draw(p, view, y) {
		p.rect(p.colours.panel, LABELS, y - 1, p.width, TITLE - 1);
	}

	hit() {
		return null;
	}

	shows() {
		return false;
	}
}

/* The CPUs on which a lane was running */
class RunRow {
	constructor(lane) {
		this.lane = lane;
		this.name = "on CPU";
		this.height = RUNS;
	}

	draw(p, view, y) {
		const { runs } = this.lane;
		const shade = (i) => p.colours[runs.what[i] % 2 ? "cpu-odd" : "cpu-even"];

		walkSlices(runs, view, (i, x0, x1) => {
			p.slice(shade(i), x0, x1, y, RUNS);
			p.label(p.colours.text, cpuName(p.data, runs.what[i]), x0, x1, y + RUNS / 2);
		}, (x, share) => p.column(p.colours["cpu-even"], x, share, y, RUNS));
	}

	hit(view, x) {
		const { runs } = this.lane;
		const i = sliceAt(runs, view.t(x));

		return i < 0 ? null : { ...sliceBox("run", runs.what[i], runs, i), group: this.lane };
	}

	shows() {
		return false;
	}
}

/* The events of a lane: those of each side above each other, their names where there is room */
class EventRow {
	constructor(lane) {
		this.lane = lane;
		this.name = "events";
		this.height = EVENTS;
	}

	draw(p, view, y) {
		const { points } = this.lane;
		const height = EVENTS / points.length;

		points.forEach(({ colour, marks }, i) =>
			this.drawTicks(p, view, marks, p.colours[colour], y + 1 + i * height, height - 0.5));
		this.drawNames(p, view, y + EVENTS / 2);
	}

	/* Wide ones if there are few events */
	drawTicks(p, view, marks, style, y, height) {
		const number = lowerBound(marks.t, marks.n, view.t1) - lowerBound(marks.t, marks.n, view.t0);
		const broad = number < view.width / 8 ? 2 : 1;

		walkMarks(marks, view, (x, n) => {
			p.c.globalAlpha = Math.min(1, (broad - 1) + 0.6 + n / 10);
			p.rect(style, x, y, broad, height);
		});
		p.c.globalAlpha = 1;
	}

	/* Names, where there is room up to the next event */
	drawNames(p, view, y) {
		const { data } = p;
		const { all } = this.lane;
		const first = lowerBound(all.t, all.n, view.t0);
		const last = lowerBound(all.t, all.n, view.t1);

		if (last - first > view.width / 20)
			return;
		for (let i = first; i < last; i++) {
			const kind = data.kinds[data.events.kind[all.event[i]]];
			const next = i + 1 < all.n ? view.x(all.t[i + 1]) : p.width;

			if (kind.what < WHAT.LOSS)
				p.label(p.colours.text, data.words[kind.name], view.x(all.t[i]), next, y);
		}
	}

	hit(view, x) {
		const near = [this.lane.all, this.lane.losses].map((marks) => {
			const i = nearestMark(marks, view.t(x));

			return i >= 0 && Math.abs(view.x(marks.t[i]) - x) < 5 ? marks.event[i] : -1;
		}).filter((i) => i >= 0);

		return near.length ? eventBox(this.lane.data, near.at(-1)) : null;
	}

	shows({ type }) {
		return type === "event";
	}
}
