// SPDX-License-Identifier: GPL-2.0
/*
 * The tables below the timeline, one of which is shown.
 */

const DEFAULT_TAB = 4;

class Tabs {
	/* current: the event that "Events" shows */
	constructor(page) {
		this.page = page;
		this.tables = this.tablesOf(page.data.stat);
		this.current = 0;
		this.makeTabs();
	}

	/* If EL2's functions were traced, the last one is a picture of them */
	tablesOf(stat) {
		const { shown, stat: { functions } } = this.page.data;
		const tables = statTables(stat, shown);
		const flame = { title: "EL2 functions", columns: [], rows: [], functions };

		return functions ? [...tables, flame] : tables;
	}

	makeTabs() {
		const titles = ["Events", ...this.tables.map((t) => t.title)];

		$("tabs").replaceChildren(...titles.map((title, i) => {
			const tab = element("button", { type: "button", role: "tab" }, title);

			tab.addEventListener("click", () => this.show(i));
			tab.addEventListener("keydown", (e) => {
				const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];

				if (by) {
					this.show((i + by + titles.length) % titles.length);
					$("tabs").children[this.tab].focus();
				}
			});
			return tab;
		}));
	}

	/* The tables of the range, with the orders of those before */
	count() {
		const { data, ranges } = this.page;
		const tables = this.tablesOf(ranges.range ? rangeStat(data, ranges.range) : data.stat);

		tables.forEach((table, i) => {
			table.order = this.tables[i].order;
		});
		this.tables = tables;
		if (this.tab)
			this.show(this.tab);
	}

	/* The table that is shown, or undefined */
	get table() {
		return this.tables[this.tab - 1];
	}

	sort(order) {
		if (!this.table)
			return;
		this.table.order = parseOrder(this.table, order);
		this.show(this.tab);
	}

	show(wanted) {
		const i = Math.max(0, Math.min(Math.floor(wanted) || 0, this.tables.length));

		this.tab = i;
		this.page.link.changed();
		Array.from($("tabs").children).forEach((tab, n) => {
			tab.setAttribute("aria-selected", n === i);
			tab.tabIndex = n === i ? 0 : -1;
		});
		if (!i)
			this.showEvents();
		else if (this.tables[i - 1].functions)
			$("table").replaceChildren(flameElement(this.tables[i - 1].functions));
		else
			this.showTable(this.tables[i - 1]);
	}

	showTable(table) {
		const { data, hits, link, ranges } = this.page;

		$("table").replaceChildren(tableElement(table, {
			search: (query) => {
				hits.search(query);
				hits.next(1);
			},
			go: (visit) => this.page.goTo(longestVisit(data, visit, ranges.range || this.page.whole)),
			sorted: () => link.changed(),
		}));
	}

	showEvents() {
		$("table").replaceChildren(eventsElement(this.page.data, this.current,
							 (n) => this.page.selectEvent(n)));
		const row = $("table").querySelector(".current");

		if (row)
			$("table").scrollTop = row.offsetTop - $("table").clientHeight / 2;
	}
}
