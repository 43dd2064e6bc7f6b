// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the whole recording: the shares over all CPUs, and the part that is in view.
 */

class OverviewPainter extends Painter {
	constructor(canvas, data) {
		super(canvas, data);
		this.shares = document.createElement("canvas");
	}

	paintShares() {
		const { data, colours } = this;
		const inside = this.width - LABELS;
		const ns = (data.end - data.start) / inside;
		const order = [2, 1, 0, 3, 4, 5];

		this.begin();
		this.rect(colours.panel, 0, 0, this.width, this.height);
		this.text(colours.muted, "all CPUs", 10, this.height / 2);
		for (let x = 0; x < inside; x++) {
			const from = data.start + x * ns;
			let y = this.height - 2;

			for (const place of order) {
				const time = data.cpus.reduce((sum, cpu) =>
					sum + timeIn(cpu.slices[place], from, from + ns), 0);
				const share = time / ns / data.cpus.length * (this.height - 4);

				this.rect(placeColour(this, place), LABELS + x, y - share, 1, share);
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
