// SPDX-License-Identifier: GPL-2.0
/*
 * EL2 entries ("stays"), hypercalls up to the return to the host ("calls") and world switches
 * ("switches") of CPUs: slices whose name is a word. A guest can run within a hypercall, which
 * takes the time of its EL2 entries only.
 */

const BOX_TYPE = Object.fromEntries(Object.entries(VISITS).map(([type, list]) => [list, type]));

function visitName(data, visits, i) {
	return visits.what[i] ? data.words[visits.what[i] - 1] : "";
}

/* => the boxes of all with this name in the order of time, with the ns that each one takes */
function visitBoxes(data, { list, name }) {
	const word = data.words.indexOf(name) + 1;
	const boxes = [];

	if (!word)
		return boxes;
	data.cpus.forEach(({ [list]: visits }, index) => {
		for (let i = 0; i < visits.n; i++) {
			const box = sliceBox(BOX_TYPE[list], index, visits, i);

			if (visits.what[i] === word)
				boxes.push({ ...box, ns: visits.ns ? visits.ns[i] : box.end - box.start });
		}
	});
	return boxes.sort((a, b) => a.start - b.start);
}

/* => the box of the longest one with this name in a range, of equal ones the first, or null */
function longestVisit(data, { list, name }, { from, to }) {
	const word = data.words.indexOf(name) + 1;
	let best = null;
	let most = -1;

	data.cpus.forEach((cpu, index) => {
		const visits = cpu[list];

		eachVisit(cpu, list, rangeOf(data, from, to), (i, ns) => {
			if (visits.what[i] !== word || ns < most ||
			    (ns === most && visits.start[i] >= best.start))
				return;
			best = sliceBox(BOX_TYPE[list], index, visits, i);
			most = ns;
		});
	});
	return best;
}
