// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that are sorted by a click on a column's name: first the largest numbers, or the first
 * texts; with the next click the other way round. An order is { column, descending }; a table
 * without one has its rows as they came. Cells without a value cannot be sorted by; an order by
 * them waits until there are values.
 */

const COLLATOR = new Intl.Collator("en", { numeric: true });

function isSortable(table, column) {
	return table.rows.length > 0 && table.rows[0].cells[column]?.value !== undefined;
}

function compareValues(a, b) {
	return typeof a === "number" ? a - b : COLLATOR.compare(a, b);
}

function orderOf(table) {
	return isSortable(table, table.order?.column) ? table.order : null;
}

function sortedRows(table) {
	const { rows } = table;
	const order = orderOf(table);
	const sign = order?.descending ? -1 : 1;
	const value = (row) => row.cells[order.column].value;

	return order ? [...rows].sort((a, b) => sign * compareValues(value(a), value(b))) : rows;
}

function nextOrder({ rows, order }, column) {
	const descending = order?.column === column ? !order.descending :
		typeof rows[0].cells[column].value === "number";

	return { column, descending };
}

/* In links: the number of the column, negative if descending; it begins with 1 */
function orderText(order) {
	return order ? (order.descending ? "-" : "") + (order.column + 1) : "";
}

function parseOrder(table, text) {
	const number = /^-?\d{1,3}$/.test(text) ? Number(text) : 0;
	const column = Math.abs(number) - 1;

	return isSortable(table, column) ? { column, descending: number < 0 } : null;
}

function headElement(table, column, sort) {
	const th = element("th", { class: column > 1 ? "" : "left", scope: "col" });

	if (!isSortable(table, column)) {
		th.append(table.columns[column]);
		return th;
	}
	const button = element("button", { type: "button", title: "Sort" }, table.columns[column]);

	button.addEventListener("click", () => sort(nextOrder(table, column)));
	th.append(button);
	return th;
}

function markOrder(heads, order) {
	heads.forEach((th, column) => {
		if (order?.column === column)
			th.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
		else
			th.removeAttribute("aria-sort");
	});
}

/* makeRow(row) => its element; changed() is called with each new order */
function sortableElement(table, makeRow, changed) {
	const made = new Map(table.rows.map((row) => [row, makeRow(row)]));
	const body = element("tbody");
	const show = () => {
		body.append(...sortedRows(table).map((row) => made.get(row)));
		markOrder(heads, orderOf(table));
	};
	const heads = table.columns.map((_, column) => headElement(table, column, (order) => {
		table.order = order;
		show();
		changed();
	}));

	show();
	return element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
}
