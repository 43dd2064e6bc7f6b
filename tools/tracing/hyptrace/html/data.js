// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the recording from the element "data". The format is described in
 * src/export/htmldata.c. All times are ns since the first event, except in texts.
 */
"use strict";

const PLACES = ["task", "EL2", "guest", "irq", "softirq", "idle", "unknown"];
const PLACE_NAMES = PLACES.map((name) => name.toLowerCase());	/* as in JSON */
const RARE_PLACES = [3, 4, 5];	/* not shown where a recording has none */
const TASK_PLACES = [0, 1, 2, 3, 4];	/* places of a task; the others are of a CPU */
const SIDES = ["host", "el2", "guest"];	/* of events, as in their colours */
const SIDE_NAMES = ["host", "hyp", "guest"];	/* and as in texts */
const GUEST = 2;
const WHAT = { EVENT: 0, STRANGER: 1, LOSS: 2, CORRUPT: 3 };

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
		this.decoder = new TextDecoder();
	}

	varint() {
		let byte = this.bytes[this.at++];
		let value = byte & 127;

		for (let factor = 128; byte >= 128; factor *= 128) {
			byte = this.bytes[this.at++];
			value += (byte & 127) * factor;
		}
		return value;
	}

	signed() {
		const value = this.varint();

		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	text() {
		const size = this.varint();

		this.at += size;
		return this.decoder.decode(this.bytes.subarray(this.at - size, this.at));
	}

	list(element) {
		const list = new Array(this.varint());

		for (let i = 0; i < list.length; i++)
			list[i] = element();
		return list;
	}
}

function bytesOf(base64) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(base64);
	return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

/* Lines stay lists of words until they are displayed */
function readLines(r) {
	const n = r.varint();
	const start = new Uint32Array(n + 1);
	let words = new Uint32Array(1024);

	for (let i = 0, at = 0; i < n; i++) {
		const length = r.varint();

		while (at + length > words.length) {
			const more = new Uint32Array(2 * words.length);

			more.set(words);
			words = more;
		}
		for (const end = at + length; at < end; at++)
			words[at] = r.varint();
		start[i + 1] = at;
	}
	return { n, start, words };
}

function readKind(r) {
	return { what: r.varint(), side: r.varint(), cpu: r.varint(), task: r.varint(),
		 system: r.varint(), name: r.varint() };
}

function readPlace(r) {
	const p = { place: r.varint(), task: r.varint(), vcpu: null };
	const named = r.varint();

	if (named === 2)
		p.vcpu = { vm: r.varint(), index: r.varint() };
	else if (named)
		p.vcpu = { vm: null, index: null };
	return p;
}

function readEvents(r) {
	const n = r.varint();
	const e = { n, t: new Float64Array(n), kind: new Uint32Array(n), line: new Uint32Array(n) };

	for (let i = 0, t = 0; i < n; i++) {
		e.t[i] = t += r.signed();
		e.kind[i] = r.varint();
		e.line[i] = r.varint();
	}
	return e;
}

/* Slices of time; sum[i] is the total time of the slices before i */
function newSlices(n) {
	return { n: 0, start: new Float64Array(n), end: new Float64Array(n),
		 what: new Uint32Array(n), sum: new Float64Array(n + 1) };
}

function addSlice(s, start, end, what) {
	s.start[s.n] = start;
	s.end[s.n] = end;
	s.what[s.n] = what;
	s.n++;
	s.sum[s.n] = s.sum[s.n - 1] + end - start;
}

/* The spans of a CPU => slices by place, and the places in their order */
function readSpans(r, start, places) {
	const n = r.varint();
	const what = new Uint32Array(n);
	const ns = new Float64Array(n);
	const count = PLACES.map(() => 0);

	for (let i = 0; i < n; i++) {
		ns[i] = r.varint();
		what[i] = r.varint();
		count[places[what[i]].place]++;
	}
	const slices = count.map(newSlices);
	const order = Uint8Array.from(what, (w) => places[w].place);

	for (let i = 0, t = start; i < n; t += ns[i], i++)
		addSlice(slices[places[what[i]].place], t, t + ns[i], what[i]);
	return { slices, order };
}

/* EL2 entries, hypercalls or world switches; more: an array of one more number of each */
function readVisits(r, more, Type) {
	const n = r.varint();
	const visits = newSlices(n);

	if (more)
		visits[more] = new Type(n);
	for (let i = 0, t = 0; i < n; i++) {
		const start = t + r.signed();

		t = start + r.varint();
		addSlice(visits, start, t, r.varint());
		if (more)
			visits[more][i] = r.varint();
	}
	return visits;
}

function readCpu(r, places) {
	const cpu = { cpu: r.varint() };
	const start = r.signed();

	Object.assign(cpu, readSpans(r, start, places));
	cpu.stays = readVisits(r, "call", Uint32Array);
	cpu.calls = readVisits(r, "ns", Float64Array);
	cpu.switches = readVisits(r);
	return cpu;
}

/* Indices of events in order of time, and their times */
function marksOf(events, list) {
	let sorted = true;

	for (let i = 1; i < list.length && sorted; i++)
		sorted = events.t[list[i - 1]] <= events.t[list[i]];
	if (!sorted)
		list.sort((a, b) => events.t[a] - events.t[b]);
	return { n: list.length, event: list, t: Float64Array.from(list, (i) => events.t[i]) };
}

/* The indices of events, in the lists that choose() selects */
function distribute(events, lists, choose) {
	const size = new Uint32Array(lists);

	for (let i = 0; i < events.n; i++) {
		const l = choose(i);

		if (l >= 0)
			size[l]++;
	}
	const all = Array.from(size, (n) => new Uint32Array(n));

	size.fill(0);
	for (let i = 0; i < events.n; i++) {
		const l = choose(i);

		if (l >= 0)
			all[l][size[l]++] = i;
	}
	return all.map((list) => marksOf(events, list));
}

/* Each CPU's events, by side and all of them, and its losses */
function sortEvents(data) {
	const index = data.cpuIndex;
	const number = SIDES.length + 1;
	const listOf = data.kinds.map((k) => index.has(k.cpu) ?
		number * index.get(k.cpu) + (k.what >= WHAT.LOSS ? SIDES.length : k.side) : -1);
	const lists = distribute(data.events, number * data.cpus.length,
				 (i) => listOf[data.events.kind[i]]);

	data.cpus.forEach((c, i) => {
		c.points = SIDES.map((colour, side) => ({ colour, marks: lists[number * i + side] }));
		c.losses = lists[number * i + SIDES.length];
	});
	distribute(data.events, data.cpus.length,
		   (i) => Math.floor(listOf[data.events.kind[i]] / number))
		.forEach((marks, i) => {
			data.cpus[i].all = marks;
		});
}

function readData(base64) {
	const r = new Reader(bytesOf(base64));
	const magic = String.fromCharCode(...r.bytes.subarray(0, 4));

	if (magic !== "HTD1")
		throw new Error("its data is incomplete");
	r.at = 4;
	const data = { file: r.text(), kernel: r.text(), clock: r.text(), base: BigInt(r.text()),
		       stat: JSON.parse(r.text()) };

	data.words = r.list(() => r.text());
	data.lines = readLines(r);
	data.tasks = r.list(() => ({ pid: r.signed(), comm: r.varint() }));
	data.kinds = r.list(() => readKind(r));
	data.places = r.list(() => readPlace(r));
	data.events = readEvents(r);
	data.cpus = r.list(() => readCpu(r, data.places));
	data.cpuIndex = new Map(data.cpus.map((c, i) => [c.cpu, i]));
	sortEvents(data);
	data.shown = [...PLACES.keys()].filter((place) =>
		!RARE_PLACES.includes(place) || data.cpus.some(({ slices }) => slices[place].n));
	data.start = Infinity;
	for (const c of data.cpus)
		for (const s of c.slices)
			if (s.n)
				data.start = Math.min(data.start, s.start[0]);
	data.start = Number.isFinite(data.start) ? data.start : 0;
	data.end = data.start + Math.max(data.stat.wall, 1);
	return data;
}

/* --- texts ------------------------------------------------------------------ */

function lineText(data, line) {
	const { start, words } = data.lines;
	let text = "";

	for (let i = start[line]; i < start[line + 1]; i++)
		text += (i > start[line] ? " " : "") + data.words[words[i]];
	return text;
}

function taskText(data, task) {
	const t = data.tasks[task];

	return task ? data.words[t.comm] + "-" + t.pid : "unknown task";
}

function vcpuText(vcpu) {
	const vm = vcpu.vm ? "0x" + vcpu.vm.toString(16) : "?";

	return vcpu.vm === null ? "vCPU" : "vCPU " + vm + ":" + vcpu.index;
}

function vmText(vm) {
	return vm ? "VM 0x" + vm.toString(16) : vm === null ? "VM without a name" : "VMs without a handle";
}

/* As "report" prints it */
function stampText(data, t) {
	const ns = data.base + BigInt(Math.round(t));

	return (ns / 1000000000n) + "." + String(ns % 1000000000n).padStart(9, "0");
}

/* The largest unit that a time has: [ns, name] */
function unitOf(ns) {
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]];

	return units.find(([size]) => Math.abs(ns) >= size) || [1, "ns"];
}

function durationText(ns) {
	const [size, unit] = unitOf(ns);

	return (size > 1 ? (ns / size).toPrecision(4) : Math.round(ns)) + " " + unit;
}

function signed(ns, text) {
	return (ns > 0 ? "+" : "") + text;
}

/* A moment: its timestamp; if data.zero is one to which times are relative, how far it is from it */
function momentText(data, t) {
	const stamp = stampText(data, t) + " s";
	const ns = t - data.zero;

	return data.zero === undefined ? stamp : `${signed(ns, durationText(ns))} (${stamp})`;
}

function countText(n) {
	return n.toLocaleString("en").replaceAll(",", "\u202f");
}

/* --- binary search ---------------------------------------------------------- */

/* The first of list[from...n] that is not below value */
function lowerBound(list, n, value, from = 0) {
	let low = from;
	let high = n;

	while (low < high) {
		const middle = (low + high) >>> 1;

		if (list[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The slice that t is in, or -1 */
function sliceAt(slices, t) {
	const i = lowerBound(slices.start, slices.n, t + 0.5) - 1;

	return i >= 0 && t < slices.end[i] ? i : -1;
}

/* How much of the time from a to b is in slices */
function timeIn(slices, a, b) {
	const until = (t) => {
		const i = lowerBound(slices.start, slices.n, t);

		return i ? slices.sum[i] - Math.max(0, slices.end[i - 1] - t) : 0;
	};

	return until(b) - until(a);
}

/* Which mark is nearest to t, or -1 */
function nearestMark(marks, t) {
	const i = lowerBound(marks.t, marks.n, t);

	if (i > 0 && (i === marks.n || t - marks.t[i - 1] < marks.t[i] - t))
		return i - 1;
	return i < marks.n ? i : -1;
}
