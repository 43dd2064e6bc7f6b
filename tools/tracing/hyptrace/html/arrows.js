// SPDX-License-Identifier: GPL-2.0
/*
 * World switches as arrows, where there is room: from kvm_entry in the host through EL2 into the
 * guest, and from the guest through EL2 to kvm_exit. The host's events are not in a slice of their
 * own; the arrow shows what of the host's time belongs to the switch.
 */

const ARROW_ROOM = 40;		/* px of a switch */
const ARROW_HEAD = 8;

/* => the times and rows that the arrow goes through; it turns in the EL2 entry next to the host */
function switchPoints({ stays, switches }, i) {
	const [from, to] = [switches.start[i], switches.end[i]];
	const first = sliceAt(stays, from);

	if (first >= 0 && stays.start[first] === from)
		return [[from, 2], [stays.end[first], 1], [to, 0]];
	const last = sliceAt(stays, to - 1);

	return [[from, 0], ...last >= 0 ? [[stays.start[last], 1]] : [], [to, 2]];
}

class ArrowPainter {
	constructor(painter, view, cpu, y) {
		Object.assign(this, { p: painter, c: painter.c, view, cpu, y });
	}

	draw() {
		const { p, c, cpu, view } = this;

		c.strokeStyle = p.colours.selection;
		c.lineWidth = 2;
		walkSlices(cpu.switches, view, (i, x0, x1) => {
			if (x1 - x0 >= ARROW_ROOM)
				this.drawSwitch(switchPoints(cpu, i));
		}, () => {});
	}

	drawSwitch(points) {
		const { c, y } = this;
		const at = points.map(([t, row]) => [this.view.x(t), y + (row + 0.5) * LANE]);

		c.beginPath();
		at.forEach((point) => c.lineTo(...point));
		this.addHead(at.at(-2), at.at(-1));
		c.stroke();
		this.p.primitives++;
	}

	addHead([x0, y0], [x1, y1]) {
		const angle = Math.atan2(y1 - y0, x1 - x0);

		for (const side of [-0.5, 0.5]) {
			this.c.moveTo(x1, y1);
			this.c.lineTo(x1 - ARROW_HEAD * Math.cos(angle + side),
				      y1 - ARROW_HEAD * Math.sin(angle + side));
		}
	}
}
