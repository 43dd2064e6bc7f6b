// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of "stat", and the events as "report" prints them. Texts of the recording
 * are added as text nodes only, never as markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/* An element with properties and children (elements or texts) */
function element(name, properties = {}, ...children) {
	const e = document.createElement(name);

	for (const [key, value] of Object.entries(properties)) {
		if (key === "class")
			e.className = value;
		else if (key in e)
			e[key] = value;
		else
			e.setAttribute(key, value);
	}
	e.append(...children);
	return e;
}

function svgElement(name, attributes, ...children) {
	const e = document.createElementNS(SVG, name);

	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	e.append(...children);
	return e;
}

/* The shares of the places as a bar */
function shareBar(row, whole) {
	const width = 120;
	const svg = svgElement("svg", { class: "share", width, height: 12, "aria-hidden": true });
	let x = 0;

	for (const name of PLACE_NAMES) {
		const size = whole ? row[name] / whole * width : 0;

		svg.append(svgElement("rect", { class: name, x, y: 0, width: size, height: 12 }));
		x += size;
	}
	return svg;
}

/* Durations by powers of two; all histograms of a table have the same scale */
function histogram(row, low, high) {
	const width = 7;
	const height = 22;
	const top = Math.max(...row.histogram.map(([, n]) => n));
	const svg = svgElement("svg", { class: "histogram", width: (high - low + 1) * width,
					height: height + 1, "aria-hidden": true });

	svg.append(svgElement("path", { class: "floor", d: `M0 ${height + 0.5}H${(high - low + 1) * width}` }));
	for (const [floor, n] of row.histogram) {
		const bar = Math.max(1.5, n / top * height);
		const title = svgElement("title", {});

		title.textContent = countText(n) + " from " + durationText(floor) + " to " +
			durationText(2 * floor);
		svg.append(svgElement("rect", { class: "bar", x: (bucketOf(floor) - low) * width,
						y: height - bar, width: width - 1, height: bar }, title));
	}
	return svg;
}

function bucketOf(floor) {
	return floor ? Math.round(Math.log2(floor)) + 1 : 0;
}

function time(ns) {
	return { text: durationText(ns), title: countText(ns) + " ns", value: ns };
}

function percent(part, whole) {
	return { text: whole ? (100 * part / whole).toFixed(2) + " %" : "", title: countText(part) + " ns",
		 value: part };
}

function count(n) {
	return n === undefined ? { text: "" } : { text: countText(n), value: n };
}

function label(text) {
	return { text, left: true, value: text };
}

/* --- the tables of stat: columns, rows of cells, the query of a row -------- */

function timesTable(title, first, rows, { whole, shown }, name, query) {
	return {
		columns: [first, "shares", "entries", ...shown.flatMap((place) => [PLACES[place], "%"])],
		rows: rows.map((row) => ({
			cells: [label(name(row)), { node: shareBar(row, whole), left: true }, count(row.entries),
				...shown.map((place) => row[PLACE_NAMES[place]])
					.flatMap((ns) => [time(ns), percent(ns, whole)])],
			query: query(row),
		})),
		title,
	};
}

/* list: the visits of a CPU that the rows count */
function distTable(title, first, rows, list, query) {
	const floors = rows.flatMap((row) => row.histogram.map(([floor]) => bucketOf(floor)));
	const low = Math.min(...floors);
	const high = Math.max(...floors);
	const times = ["total", "mean", "p50", "p90", "p99"];

	return {
		columns: [first, rows.length ? `${durationText(low ? 2 ** (low - 1) : 0)} to ${durationText(2 ** high)}` : "",
			  "count", ...times, "max"],
		rows: rows.map((row) => ({
			cells: [label(row.name), { node: histogram(row, low, high), left: true },
				count(row.count), ...times.map((t) => time(row[t])),
				{ ...time(row.max), visit: { list, name: row.name } }],
			query: query(row),
		})),
		title,
	};
}

function taskOf(row) {
	return row.pid === null ? "unknown task" : row.comm + "-" + row.pid;
}

function entryQuery(row) {
	const [reason, what] = row.name.split(" ");

	return what ? "vcpu_exit =" + what : "hyp_enter reason=" + reason;
}

/* shown: the places that have columns */
function statTables(stat, shown) {
	const how = { whole: stat.wall, shown };

	return [
		timesTable("CPUs", "CPU", stat.cpus, how, (r) => "CPU " + r.cpu, (r) => "cpu" + r.cpu),
		timesTable("Tasks", "task", stat.tasks, how, taskOf, (r) => r.pid === null ? null : taskOf(r)),
		timesTable("vCPUs", "vCPU", stat.vcpus, how,
			   (r) => vcpuText({ vm: r.vm, index: r.vcpu }) + " of " + taskOf(r),
			   (r) => "vcpu_enter " + taskOf(r)),
		distTable("EL2 entries", "reason", stat.entries, "stays", entryQuery),
		distTable("Hypercalls", "hypercall", stat.hypercalls, "calls",
			  (r) => "host_hcall id=" + r.name),
		distTable("World switches", "direction", stat.switches, "switches", () => null),
		timesTable("VMs", "VM", vmRows(stat.vcpus), how, (r) => vmText(r.vm), () => null),
	];
}

function visitButton(c, go) {
	const button = element("button", { type: "button", title: `${c.title}: show it` }, c.text);

	button.addEventListener("click", (e) => {
		e.stopPropagation();
		go(c.visit);
	});
	return button;
}

function cellElement(c, go) {
	const td = element("td", { class: c.left ? "left" : "", title: c.title || "" });

	td.append(c.node || (c.visit ? visitButton(c, go) : c.text));
	return td;
}

function rowElement(row, { search, go }) {
	const tr = element("tr", {}, ...row.cells.map((c) => cellElement(c, go)));

	if (!row.query)
		return tr;
	tr.tabIndex = 0;
	tr.title = "Search for " + row.query;
	tr.addEventListener("click", () => search(row.query));
	tr.addEventListener("keydown", (e) => {
		if (e.key === "Enter" && e.target === tr)
			search(row.query);
	});
	return tr;
}

/* on: search(query); go(visit), to the longest one; sorted(), when the order changed */
function tableElement(table, on) {
	if (!table.rows.length)
		return element("p", { class: "empty" }, "None.");
	return sortableElement(table, (row) => rowElement(row, on), on.sorted);
}

/* --- the events around one event ------------------------------------------------- */

const AROUND = 100;

function logText(data, i) {
	const { t, kind, line } = data.events;
	const k = data.kinds[kind[i]];
	const place = `[${String(k.cpu).padStart(3, "0")}] ${stampText(data, t[i]).padStart(15)} ` +
		SIDE_NAMES[k.side].padEnd(4);
	const text = lineText(data, line[i]);

	if (k.what >= WHAT.LOSS)
		return `${place} *** ${text}`;
	const task = k.what === WHAT.STRANGER && !k.task ? "?-?" : taskText(data, k.task);

	return `${place} ${task.padStart(22)} ${data.words[k.name]}: ${text}`;
}

function eventsElement(data, current, select) {
	const from = Math.max(0, current - AROUND);
	const to = Math.min(data.events.n, current + AROUND + 1);
	const body = element("tbody");

	for (let i = from; i < to; i++) {
		const tr = element("tr", { tabIndex: 0, class: i === current ? "current" : "" },
				   element("td", { class: "left log" }, logText(data, i)));

		tr.addEventListener("click", () => select(i));
		tr.addEventListener("keydown", (e) => {
			if (e.key === "Enter")
				select(i);
		});
		body.append(tr);
	}
	return element("table", {}, body);
}
