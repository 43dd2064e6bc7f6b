// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the timeline: the time axis, lanes and their names, what is selected.
 */

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
