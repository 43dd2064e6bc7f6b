// SPDX-License-Identifier: GPL-2.0
/*
 * Search. An event matches a term if the term is part of the label of its kind
 * ("hypervisor:hyp_enter", task, side, CPU) or of a word of its line. Kinds and lines
 * are few: each is searched once, and the events refer to them by index.
 */

const MAX_TERMS = 30;

function kindLabel(data, k) {
	const system = data.words[k.system];
	const name = k.what === WHAT.LOSS ? "lost" : k.what === WHAT.CORRUPT ? "corrupt" :
		data.words[k.name];

	return [system ? system + ":" + name : name, k.task ? taskText(data, k.task) : "",
		SIDE_NAMES[k.side], "cpu" + k.cpu];
}

/* The terms that are in a text, as bits */
function termsIn(terms, text) {
	const lower = text.toLowerCase();

	return terms.reduce((bits, term, i) => lower.includes(term) ? bits | 1 << i : bits, 0);
}

function termsOfLines(data, terms) {
	const { n, start, words } = data.lines;
	const ofWord = Uint32Array.from(data.words, (w) => termsIn(terms, w));
	const ofLine = new Uint32Array(n);

	for (let i = 0; i < n; i++)
		for (let w = start[i]; w < start[i + 1]; w++)
			ofLine[i] |= ofWord[words[w]];
	return ofLine;
}

/* The indices of the events that match all terms of the query */
function searchEvents(data, query) {
	const terms = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_TERMS);
	const { n, kind, line } = data.events;

	if (!terms.length)
		return new Uint32Array(0);
	const want = 2 ** terms.length - 1;
	const ofLine = termsOfLines(data, terms);
	const ofKind = Uint32Array.from(data.kinds, (k) =>
		kindLabel(data, k).reduce((bits, text) => bits | termsIn(terms, text), 0));
	const found = new Uint32Array(n);
	let hits = 0;

	for (let i = 0; i < n; i++)
		if ((ofKind[kind[i]] | ofLine[line[i]]) === want)
			found[hits++] = i;
	return found.slice(0, hits);
}
