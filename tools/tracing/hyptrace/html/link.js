// SPDX-License-Identifier: GPL-2.0
/*
 * What the page shows, as the fragment of its address. Each part has a name; what is not there
 * has its default. Timestamps are exact, SECONDS.NANOSECONDS, as "report" prints them.
 *
 *	from, to	the view
 *	lanes		cpu, vcpu, vm or task
 *	tab		the number of the table
 *	sort		its order: see sorting.js
 *	range		the selected range, FROM-TO
 *	search		the words
 *	theme		light or dark
 */

const CALM = 300;		/* ms without a change before the address is written */

/* => ns since the first event, or null */
function parseStamp(data, text) {
	const parts = /^(\d+)(?:\.(\d{1,9}))?$/.exec(text);

	if (!parts)
		return null;
	return Number(BigInt(parts[1]) * 1000000000n + BigInt((parts[2] || "").padEnd(9, "0")) -
		      data.base);
}

function rangeText(data, range) {
	return range ? stampText(data, range.from) + "-" + stampText(data, range.to) : "";
}

class Link {
	constructor(page) {
		this.page = page;
		window.addEventListener("hashchange", () => this.follow(location.hash));
	}

	follow(hash) {
		const { page } = this;
		const { data } = page;
		const wanted = new URLSearchParams(hash.replace(/^#/, ""));
		const view = [parseStamp(data, wanted.get("from")) ?? data.start,
			      parseStamp(data, wanted.get("to")) ?? data.end];

		page.setTheme(wanted.get("theme") || systemTheme());
		page.showLanes(wanted.get("lanes"));
		page.tabs.show(wanted.get("tab") || DEFAULT_TAB);
		page.tabs.sort(wanted.get("sort"));
		this.followRange(wanted.get("range") || "");
		page.setView(...view);
		page.hits.search(wanted.get("search") || "");
		page.hits.next(1);
		if (wanted.has("from") || wanted.has("to"))
			page.setView(...view);
	}

	followRange(text) {
		const { data, ranges } = this.page;
		const edges = text.split("-").map((edge) => parseStamp(data, edge));

		if (edges.length === 2 && !edges.includes(null))
			ranges.set(...edges);
		else
			ranges.clear();
	}

	text() {
		const { page } = this;
		const { data, view } = page;
		const parts = new URLSearchParams();
		const put = (name, value, usual) => {
			if (value !== usual)
				parts.set(name, value);
		};

		put("from", stampText(data, view.t0), stampText(data, data.start));
		put("to", stampText(data, view.t1), stampText(data, data.end));
		put("lanes", page.by, DEFAULT_LANES);
		put("tab", page.tabs.tab, DEFAULT_TAB);
		put("sort", orderText(page.tabs.table?.order), "");
		put("range", rangeText(data, page.ranges.range), "");
		put("search", page.hits.query.trim(), "");
		put("theme", document.documentElement.dataset.theme, systemTheme());
		return parts.toString();
	}

	/* Something that is in the address may have changed */
	changed() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.write(), CALM);
	}

	write() {
		const text = this.text();

		if (text !== location.hash.replace(/^#/, ""))
			history.replaceState(null, "", "#" + text);
	}
}
