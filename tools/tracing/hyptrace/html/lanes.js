// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the lanes of a CPU.
 */

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
