// SPDX-License-Identifier: GPL-2.0
/*
 * World switches as arrows, where there is room: from kvm_entry in the host through EL2 into the
 * guest, and from the guest through EL2 to kvm_exit. The host's events are not in a slice of their
 * own; the arrow shows what of the host's time belongs to the switch.
 */

const ARROW_ROOM = 40;		/* px of a switch */
const ARROW_HEAD = 8;

/* => the times and places that the arrow goes through; it turns in the EL2 entry next to the host */
function switchPoints({ stays, switches }, i) {
	const [from, to] = [switches.start[i], switches.end[i]];
	const first = sliceAt(stays, from);

	if (first >= 0 && stays.start[first] === from)
		return [[from, 2], [stays.end[first], 1], [to, 0]];
	const last = sliceAt(stays, to - 1);

	return [[from, 0], ...last >= 0 ? [[stays.start[last], 1]] : [], [to, 2]];
}

class ArrowPainter {
	constructor(painter, view, lane, y) {
		Object.assign(this, { p: painter, c: painter.c, view, lane, y });
		this.middles = [0, 1, 2].map((place) => lane.middleOf(place));
	}

	draw() {
		const { p, c, lane, view } = this;

		if (this.middles.includes(undefined))
			return;
		c.strokeStyle = p.colours.selection;
		c.lineWidth = 2;
		walkSlices(lane.switches, view, (i, x0, x1) => {
			if (x1 - x0 >= ARROW_ROOM)
				this.drawSwitch(switchPoints(lane, i));
		}, () => {});
	}

	drawSwitch(points) {
		const { c } = this;
		const at = points.map(([t, place]) => [this.view.x(t), this.y + this.middles[place]]);

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
