// SPDX-License-Identifier: GPL-2.0
/*
 * The events that a search finds: their marks, their number, and the steps from one to the next.
 */

class Hits {
	constructor(page) {
		this.page = page;
		this.query = "";
		this.found = new Uint32Array(0);
	}

	search(query) {
		$("query").value = query;
		this.query = query;
		this.found = searchEvents(this.page.data, query);
		this.at = -1;
		this.mark();
		this.show();
		this.page.redraw();
	}

	/* By lane; the last list is of hits that are in none */
	mark() {
		const { state, data, lanes } = this.page;
		const lists = [...lanes.lanes, null].map(() => []);

		for (const i of this.found)
			lists.at(lanes.laneOf(eventBox(data, i))).push(i);
		state.hits = this.found.length ?
			lists.map((l) => marksOf(data.events, Uint32Array.from(l))) : [];
	}

	show() {
		const n = this.found.length;
		const out = $("hits");

		out.className = this.query.trim() && !n ? "none" : "";
		if (!this.query.trim())
			out.textContent = "";
		else if (!n)
			out.textContent = "no event found";
		else
			out.textContent = (this.at >= 0 ? countText(this.at + 1) + " of " : "") + countText(n) +
				(n === 1 ? " hit" : " hits");
	}

	/* The next hit after the current one, or else after the start of the view */
	next(by) {
		const { found, page } = this;

		if (!found.length)
			return;
		if (this.at < 0) {
			const behind = found.findIndex((i) => page.data.events.t[i] >= page.view.t0);

			this.at = (behind < 0 ? 0 : behind) - (by < 0 ? 1 : 0);
		} else {
			this.at += by;
		}
		this.at = (this.at + found.length) % found.length;
		this.show();
		page.selectEvent(found[this.at]);
	}
}
