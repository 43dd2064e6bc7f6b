// SPDX-License-Identifier: GPL-2.0
/*
 * Where time goes inside of EL2, as a flame graph that hangs from the top: a row for each level
 * of calls, where the width of a call is its time. It is of the whole recording.
 */

const FLAME_ROW = 18;
const FLAME_CHARACTER = 7;	/* about the width of one */
const FLAME_LEAST = 0.3;	/* narrower ones are not drawn, in pixels */

/* The nodes with their children, the largest first; the first one stands for all entries */
function flameTree({ entries, functions, nodes }) {
	const tree = [{ name: "all EL2 entries", entry: true, calls: 0, self: 0, children: [] }];

	for (const [parent, what, calls, self, resumed] of nodes) {
		const node = { name: (parent ? functions : entries)[what], entry: !parent, calls, self,
			       resumed, parent: tree[parent], children: [] };

		tree[parent].children.push(node);
		tree.push(node);
		if (!parent)
			tree[0].calls += calls;
	}
	for (const node of tree)
		node.total = node.self;
	for (const node of tree.slice(1).reverse())
		node.parent.total += node.total;
	for (const node of tree)
		node.children.sort((a, b) => b.total - a.total);
	return tree;
}

/* Call draw(node, x, width, level, above) for a node, all below, and all above it */
function placeFlame(node, width, draw) {
	const above = [];

	for (let n = node.parent; n; n = n.parent)
		above.unshift(n);
	above.forEach((n, level) => draw(n, 0, width, level, true));
	const scale = node.total ? width / node.total : 0;
	const place = (n, x, level) => {
		if (n.total * scale < FLAME_LEAST && n !== node)
			return;
		draw(n, x, n === node ? width : n.total * scale, level, false);
		for (const child of n.children) {
			place(child, x, level + 1);
			x += child.total * scale;
		}
	};

	place(node, 0, above.length);
}

function flameTitle(n, whole) {
	const resumed = n.resumed ? `, and ${countText(n.resumed)} that went on here` : "";
	const self = n.entry ? "in no function that was traced" : "self";

	return `${n.name}: ${durationText(n.total)} (${countText(n.total)} ns), ` +
		`${whole ? (100 * n.total / whole).toFixed(2) : 0} %; ${self}: ${countText(n.self)} ns; ` +
		`${n.entry ? "entries" : "calls"}: ${countText(n.calls)}${resumed}`;
}

function flameBox(n, { x, width, level, above }, whole, zoom) {
	const title = svgElement("title", {}, flameTitle(n, whole));
	const fits = Math.floor((width - 6) / FLAME_CHARACTER);
	const g = svgElement("g", { class: `${n.entry ? "entry" : ""} ${above ? "above" : ""}`,
				    tabindex: 0, role: "button", "aria-label": title.textContent },
			     title, svgElement("rect", { x, y: level * FLAME_ROW, width, height: FLAME_ROW }));

	if (fits >= 3)
		g.append(svgElement("text", { x: x + 4, y: level * FLAME_ROW + 13 },
				    n.name.length > fits ? n.name.slice(0, fits - 1) + "\u2026" : n.name));
	g.addEventListener("click", () => zoom(n));
	g.addEventListener("keydown", (e) => {
		if (e.key === "Enter")
			zoom(n);
	});
	return g;
}

function flameFacts({ measured, cut, misnested, too_deep }) {
	return `Whole recording, ${countText(measured)} EL2 entries; not measured: ${countText(cut)} that were cut, ` +
		`${countText(misnested)} misnested. Calls too deep to be recorded: ${countText(too_deep)}. ` +
		"Click a function to zoom, one above it to zoom out.";
}

function flameElement(functions) {
	const tree = flameTree(functions);
	const width = Math.max(300, $("table").clientWidth - 30);
	const svg = svgElement("svg", { width, role: "group", "aria-label": "EL2 functions" });
	const zoom = (node) => {
		const boxes = [];
		let levels = 0;

		placeFlame(node, width, (n, x, w, level, above) => {
			boxes.push(flameBox(n, { x, width: w, level, above }, tree[0].total, zoom));
			levels = Math.max(levels, level + 1);
		});
		svg.setAttribute("height", levels * FLAME_ROW + 1);
		svg.replaceChildren(...boxes);
	};

	zoom(tree[0]);
	return element("div", { class: "flame" }, element("p", {}, flameFacts(functions)), svg);
}
