// SPDX-License-Identifier: GPL-2.0
/*
 * Keys, buttons, and the splitter above the tables.
 */

class Keys {
	constructor(page) {
		this.page = page;
		this.listenToKeys();
		this.listenToButtons();
	}

	listenToKeys() {
		const { page } = this;
		const pan = (by) => () => page.pan(by);
		const zoom = (by) => () => page.scaleView(by);

		this.keys = {
			"+": zoom(1.6), "=": zoom(1.6), w: zoom(1.6), "-": zoom(1 / 1.6), s: zoom(1 / 1.6),
			ArrowLeft: pan(-0.15), a: pan(-0.15), ArrowRight: pan(0.15), d: pan(0.15),
			PageUp: pan(-0.9), PageDown: pan(0.9),
			ArrowUp: () => page.stepLane(-1), ArrowDown: () => page.stepLane(1),
			",": () => page.stepEvent(-1), ".": () => page.stepEvent(1),
			"[": () => page.stepStay(-1), "]": () => page.stepStay(1),
			0: () => page.setView(page.data.start, page.data.end),
			Home: () => page.setView(page.data.start, page.data.start + page.view.t1 - page.view.t0),
			End: () => page.setView(page.data.end - page.view.t1 + page.view.t0, page.data.end),
			Enter: () => page.state.selected && page.zoomTo(page.state.selected),
			n: () => page.hits.next(1), N: () => page.hits.next(-1),
			"/": () => $("query").select(),
			t: () => page.toggleTheme(), "?": () => $("help").showModal(),
			Escape: () => this.clear(),
			l: () => page.nextLanes(),
			r: () => page.ranges.setToSelection(),
			"(": () => page.ranges.setEdge(true), ")": () => page.ranges.setEdge(false),
		};
		document.addEventListener("keydown", (e) => this.key(e));
		$("query").addEventListener("keydown", (e) => this.queryKey(e));
		$("query").addEventListener("input", () => page.hits.search($("query").value));
		$("search").addEventListener("submit", (e) => e.preventDefault());
	}

	/* Everywhere, except in elements that handle keys themselves */
	key(e) {
		const own = e.target.closest?.("input, select, dialog, button, tr, [role=tab], #splitter, #table");
		const moves = ["ArrowUp", "ArrowDown", "Enter", "Home", "End", "PageUp", "PageDown",
			       "ArrowLeft", "ArrowRight"].includes(e.key);

		if (e.ctrlKey || e.metaKey || e.altKey || !this.keys[e.key])
			return;
		if (own && (moves || e.target.closest("input, select, dialog")))
			return;
		e.preventDefault();
		this.keys[e.key]();
	}

	clear() {
		const { page } = this;

		if (page.state.selected)
			page.select(null);
		else if (page.ranges.range)
			page.ranges.clear();
		else
			page.hits.search("");
	}

	queryKey(e) {
		const { hits } = this.page;

		if (e.key === "Enter") {
			e.preventDefault();
			hits.next(e.shiftKey ? -1 : 1);
		} else if (e.key === "Escape") {
			e.preventDefault();
			hits.search("");
			$("timeline").focus();
		}
	}

	listenToButtons() {
		const { page } = this;
		const on = (id, action) => $(id).addEventListener("click", action);

		on("previous", () => page.hits.next(-1));
		on("next", () => page.hits.next(1));
		on("zoom-in", this.keys["+"]);
		on("zoom-out", this.keys["-"]);
		on("whole", this.keys[0]);
		on("selected-zoom", () => page.ranges.zoomTo());
		on("selected-clear", () => page.ranges.clear());
		on("theme", this.keys.t);
		on("help-button", this.keys["?"]);
		$("by").addEventListener("change", () => page.showLanes($("by").value));
		this.listenToSplitter();
	}

	listenToSplitter() {
		const set = (height) => {
			const most = window.innerHeight - 260;

			this.page.panelSet = true;
			$("panel").style.height = Math.max(80, Math.min(height, most)) + "px";
		};
		const height = () => $("panel").getBoundingClientRect().height;

		d3.select($("splitter")).call(d3.drag().container(document.body)
			.on("drag", () => set(window.innerHeight - d3.event.y)));
		$("splitter").addEventListener("keydown", (e) => {
			if (e.key === "ArrowUp" || e.key === "ArrowDown") {
				e.preventDefault();
				set(height() + (e.key === "ArrowUp" ? 24 : -24));
			}
		});
	}
}
