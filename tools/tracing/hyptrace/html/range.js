// SPDX-License-Identifier: GPL-2.0
/*
 * The selected range of time. It is selected by dragging with Shift, on the time axis, or
 * anywhere while the tool is on; or by keys. The tables then have the numbers of the range.
 * Its drags hide theirs from d3.zoom, so it is made before.
 */

class RangeTool {
	constructor(page) {
		this.page = page;
		this.range = null;
		$("ranging").addEventListener("click", () => this.toggle());
		$("timeline").addEventListener("mousemove", (e) => {
			$("timeline").classList.toggle("ranging", this.wants(e));
		});
		this.listenToDrag();
	}

	/* A drag that begins like this selects a range, and does not pan */
	wants(e) {
		const box = $("timeline").getBoundingClientRect();
		const { clientX, clientY } = e.touches?.[0] || e;

		return clientX - box.left >= LABELS &&
			(this.on || e.shiftKey || clientY - box.top < AXIS);
	}

	toggle() {
		this.on = !this.on;
		$("ranging").setAttribute("aria-pressed", this.on);
	}

	listenToDrag() {
		const time = () => this.page.shown().t(d3.event.x);
		let anchor;

		d3.select($("timeline")).call(d3.drag()
			.filter(() => !d3.event.button && !d3.event.ctrlKey && this.wants(d3.event))
			.on("start", () => {
				anchor = time();
			})
			.on("drag", () => this.show(this.cut(anchor, time())))
			.on("end", () => this.range && this.set(this.range.from, this.range.to)));
	}

	/* => the range between two times, in whole ns, or null */
	cut(a, b) {
		const { start, end } = this.page.data;
		const [from, to] = [a, b].map((t) => Math.max(start, Math.min(Math.round(t), end)));

		return from === to ? null : { from: Math.min(from, to), to: Math.max(from, to) };
	}

	set(a, b) {
		this.show(this.cut(a, b));
		this.page.tabs.count();
	}

	clear() {
		this.show(null);
		this.page.tabs.count();
	}

	/* What is selected, or the view */
	setToSelection() {
		const { state, view } = this.page;

		if (state.selected && state.selected.end > state.selected.start)
			this.set(state.selected.start, state.selected.end);
		else
			this.set(view.t0, view.t1);
	}

	/* The selected place becomes the start or the end */
	setEdge(isStart) {
		const { data, state } = this.page;
		const place = this.page.position();
		const at = !isStart && state.selected ? Math.max(place, state.selected.end) : place;
		const { from, to } = this.range || { from: data.start, to: data.end };

		if (isStart)
			this.set(at, to > at ? to : data.end);
		else
			this.set(from < at ? from : data.start, at);
	}

	show(range) {
		const { page } = this;

		this.range = page.state.range = range;
		$("selected").hidden = !range;
		if (range)
			$("selected-text").textContent = `Only ${durationText(range.to - range.from)} from ` +
				`${stampText(page.data, range.from)} s to ${stampText(page.data, range.to)} s`;
		page.redraw();
	}

	zoomTo() {
		this.page.setView(this.range.from, this.range.to);
	}
}
