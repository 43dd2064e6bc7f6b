// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the timeline: the time axis, lanes and their names, what is selected.
 */

function axisStep(view) {
	return Math.max(1, d3.tickStep(view.t0, view.t1, Math.max(2, view.width / 130)) || 1);
}

/* Round distances from a moment in view, and their texts */
function relativeTicks(zero, view) {
	const step = axisStep(view);
	const [t0, t1] = [view.t0 - zero, view.t1 - zero];
	const [size, unit] = unitOf(Math.max(Math.abs(t0), Math.abs(t1)));
	const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));

	return d3.range(Math.ceil(t0 / step - 1e-9), t1 / step + 1e-9).map((i) =>
		({ x: view.x(zero + i * step),
		   text: signed(i, (i * step / size).toFixed(i ? digits : 0) + " " + unit) }));
}

/*
 * Round timestamps in view, and their texts. Timestamps do not fit into a number: they count from
 * an origin, which is a multiple of each step of up to a whole view.
 */
function axisTicks(data, view) {
	const step = axisStep(view);
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

/* A lane, at y */
class LanePainter {
	constructor(painter, view, lane, y) {
		Object.assign(this, { p: painter, view, lane, y });
	}

	draw(hits) {
		const { p, lane, view, y } = this;

		if (hits)
			this.drawHits(hits);
		lane.rows.forEach((row, i) => {
			const top = y + lane.tops[i];

			if (top + row.height > 0 && top < p.height)
				row.draw(p, view, top);
		});
		this.drawUnknown();
		this.drawLosses();
		new ArrowPainter(p, view, lane, y).draw();
	}

	/* Beside the slices, so that a hit is always visible */
	drawHits(hits) {
		const { p, lane, y } = this;

		walkMarks(hits, this.view, (x) => {
			p.rect(p.colours.hit, x - 1, y - 5, 3, 4);
			p.rect(p.colours.hit, x - 1, y + lane.height - EVENTS, 3, EVENTS);
		});
	}

	drawUnknown() {
		const { p, lane, y } = this;
		const height = lane.height - EVENTS;
		const hatch = (x0, x1) => {
			const left = Math.max(x0, LABELS);

			p.rect(p.hatch, left, y, Math.max(1, Math.min(x1, p.width) - left), height);
		};

		if (!lane.slices)
			return;
		walkSlices(lane.slices[PLACES.indexOf("unknown")], this.view, (i, x0, x1) => {
			hatch(x0, x1);
			if (x1 - x0 > 76) {
				const at = Math.max(x0, LABELS) + 6;

				p.rect(p.colours.background, at - 3, y + height / 2 - 8,
				       p.textWidth("unknown") + 6, 16);
				p.text(p.colours.muted, "unknown", at, y + height / 2);
			}
		}, (x) => hatch(x, x + 1));
	}

	drawLosses() {
		const { p, lane, y } = this;

		walkMarks(lane.losses, this.view, (x) => {
			p.rect(p.colours.loss, x, y - 4, 2, lane.height + 4);
			p.rect(p.colours.loss, x - 3, y - 6, 8, 3);
		});
	}
}

class TimelinePainter extends Painter {
	/* view: the visible time; set: the lanes; state: selection, hover, hits by lane */
	draw(view, set, scrolled, state) {
		this.begin();
		this.drawGrid(view);
		set.lanes.forEach((lane, i) => {
			const y = this.topOf(set, i, scrolled);

			if (y + lane.height + GAP > 0 && y < this.height)
				this.drawLane(view, lane, i, y, state);
		});
		if (state.range)
			this.drawRange(view, state.range);
		this.drawZero(view);
		this.drawSelection(view, set, scrolled, state);
		this.drawAxis(view);
		if (state.range)
			this.drawEdges(view, state.range);
	}

	topOf(set, lane, scrolled) {
		return AXIS + GAP + set.tops[lane] - scrolled;
	}

	drawGrid(view) {
		const { zero } = this.data;

		this.ticks = zero === undefined ? axisTicks(this.data, view) : relativeTicks(zero, view);
		this.rect(this.colours.line, LABELS - 1, 0, 1, this.height);
		for (const tick of this.ticks)
			this.rect(this.colours.line, Math.round(tick.x), AXIS, 1, this.height - AXIS);
	}

	drawLane(view, lane, i, y, state) {
		const { c } = this;

		c.save();
		c.beginPath();
		c.rect(LABELS, 0, this.width - LABELS, this.height);
		c.clip();
		new LanePainter(this, view, lane, y).draw(state.hits[i]);
		c.restore();
		this.style = null;
		this.drawNames(lane, y, i === state.lane, state.range);
	}

	drawNames(lane, y, current, range) {
		const { c, colours } = this;

		this.rect(colours.panel, 0, y - GAP / 2, LABELS - 1, lane.height + GAP);
		if (current)
			this.rect(colours.selection, 0, y - 2, 3, lane.height + 4);
		this.drawTitle(lane, y, range);
		c.textAlign = "right";
		lane.rows.forEach((row, i) => this.text(colours.muted, this.fitted(row.name, LABELS - 15),
							LABELS - 9, y + lane.tops[i] + row.height / 2));
		c.textAlign = "left";
		this.rect(colours.line, 0, y + lane.height + GAP / 2 - 1, this.width, 1);
	}

	/* With the times of the range, if it is not a CPU */
	drawTitle(lane, y, range) {
		const { c, colours } = this;

		c.font = STRONG;
		this.text(colours.text, lane.name, 10, y + LANE / 2);
		const x = 10 + c.measureText(lane.name).width;

		c.font = FONT;
		if (!lane.members)
			return;
		const detail = [lane.detail, timesText(lane.members, range)].filter(Boolean).join("   ");

		this.text(colours.muted, detail, x + 12, y + LANE / 2);
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

	/* The moment to which times are relative, if there is one */
	drawZero(view) {
		const { zero } = this.data;

		if (zero === undefined || zero < view.t0 || zero > view.t1)
			return;
		this.c.globalAlpha = 0.6;
		this.rect(this.colours.selection, Math.round(view.x(zero)), AXIS, 1, this.height);
		this.c.globalAlpha = 1;
	}

	drawSelection(view, set, scrolled, state) {
		const { c, colours } = this;

		for (const [box, alpha] of [[state.hover, 0.5], [state.selected, 1]]) {
			if (!box || box.lane < 0)
				continue;
			const lane = set.lanes[box.lane];
			const y = this.topOf(set, box.lane, scrolled) + lane.tops[box.row];
			const x0 = Math.max(LABELS, view.x(box.start));
			const x1 = Math.min(this.width + 2, view.x(box.end));

			if (x1 < LABELS)
				continue;
			c.globalAlpha = alpha;
			c.strokeStyle = colours.selection;
			c.lineWidth = 2;
			c.strokeRect(x0 - 1, y, Math.max(2, x1 - x0) + 1, lane.rows[box.row].height);
			c.globalAlpha = 1;
			this.primitives++;
		}
	}

	drawAxis(view) {
		const { colours } = this;

		this.rect(colours.panel, 0, 0, this.width, AXIS);
		this.rect(colours.line, 0, AXIS - 1, this.width, 1);
		this.rect(colours.line, LABELS - 1, 0, 1, AXIS);
		for (const tick of this.ticks) {
			this.rect(colours.muted, Math.round(tick.x), AXIS - 6, 1, 6);
			if (tick.x + this.textWidth(tick.text) + 4 < this.width)
				this.text(colours.muted, tick.text, tick.x + 4, AXIS / 2 - 1);
		}
		this.rect(colours.panel, 0, 0, LABELS - 1, AXIS);
	}
}
