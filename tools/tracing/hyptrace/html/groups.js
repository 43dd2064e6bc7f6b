// SPDX-License-Identifier: GPL-2.0
/*
 * Sorts what happened on the CPUs by something else that runs on them: vCPUs, tasks.
 *
 * The time of each group is that of the places (htmldata.c) that belong to it, whatever CPU they
 * are on; so it adds up to what stat counts. An event is in the group of its task; if the task has
 * several groups, in the one that it ran for at that time.
 *
 * No group runs on two CPUs at a time. Where a recording says so, because it is not complete, or
 * not right, the group is split by CPU.
 */

/* Call visit(l, i) for the elements of sorted lists in their order; of equal ones, lists in turn */
function eachInOrder(lists, visit) {
	const next = new Uint32Array(lists.length);
	const before = (a, b) => {
		const order = lists[a][next[a]] - lists[b][next[b]];

		return order < 0 || (order === 0 && a < b);
	};
	const heap = [...lists.keys()].filter((l) => lists[l].length).sort((a, b) => before(a, b) ? -1 : 1);

	while (heap.length) {
		const l = heap[0];

		visit(l, next[l]++);
		if (next[l] === lists[l].length) {
			const last = heap.pop();

			if (!heap.length)
				return;
			heap[0] = last;
		}
		sink(heap, before);
	}
}

/* The first element of a heap may be too large */
function sink(heap, before) {
	const moved = heap[0];
	let at = 0;

	for (;;) {
		let child = 2 * at + 1;

		if (child + 1 < heap.length && before(heap[child + 1], heap[child]))
			child++;
		if (child >= heap.length || before(moved, heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* The spans of a CPU, whatever their place */
class SpanTable {
	constructor({ slices, order }) {
		const next = PLACES.map(() => 0);

		this.slices = slices;
		this.order = order;
		this.at = Uint32Array.from(order, (place) => next[place]++);
		this.start = Float64Array.from(order, (place, s) => slices[place].start[this.at[s]]);
		this.last = 0;
	}

	what(s) {
		return this.slices[this.order[s]].what[this.at[s]];
	}

	end(s) {
		return this.slices[this.order[s]].end[this.at[s]];
	}

	/* The span at a time, -1 before the first; mostly it is near the one asked for before */
	find(t) {
		const { start } = this;
		const isAt = (s) => start[s] <= t && !(start[s + 1] <= t);

		if (isAt(this.last + 1))
			this.last++;
		else if (!isAt(this.last))
			this.last = lowerBound(start, start.length, t + 0.5) - 1;
		return this.last;
	}
}

function spanTables(data) {
	data.spanTables ??= data.cpus.map((cpu) => new SpanTable(cpu));
	return data.spanTables;
}

/* Slices that are those of CPUs */
function newParts(n) {
	return { ...newSlices(n), cpu: new Uint16Array(n), at: new Uint32Array(n) };
}

function addPart(parts, slices, cpu, at) {
	parts.cpu[parts.n] = cpu;
	parts.at[parts.n] = at;
	addSlice(parts, slices.start[at], slices.end[at], slices.what[at]);
}

/* Where each group was running: from its first to its last span on a CPU in a row */
class RunList {
	constructor() {
		this.list = [];
	}

	add(cpu, start, end) {
		const last = this.list.at(-1);

		if (last?.cpu === cpu)
			last.end = end;
		else
			this.list.push({ cpu, start, end });
	}

	slices() {
		const slices = newSlices(this.list.length);

		for (const { start, end, cpu } of this.list)
			addSlice(slices, start, end, cpu);
		return slices;
	}
}

/* The events that were lost on the CPU on which a group ran last */
function lossesOf(data, runs) {
	const found = [];

	for (let i = 0; i < runs.n; i++) {
		const { losses } = data.cpus[runs.what[i]];
		const until = i + 1 < runs.n ? runs.start[i + 1] : Infinity;
		const from = lowerBound(losses.t, losses.n, runs.start[i]);

		for (let l = from; l < losses.n && losses.t[l] < until; l++)
			found.push(losses.event[l]);
	}
	return marksOf(data.events, Uint32Array.from(found));
}

/* keyOf(place) => the name of its group, or null; of more groups than limit, the busiest */
class Grouping {
	constructor(data, keyOf, limit = Infinity) {
		this.data = data;
		this.tables = spanTables(data);
		this.choose(keyOf, limit);
		this.splitOverlaps();
		this.sortSpans();
		for (const list of ["stays", "switches"])
			this.sortVisits(list);
		this.sortEvents();
	}

	/* --- groups ---------------------------------------------------------------- */

	/* this.of[cpu][place's index] => the group's index, or -1 */
	choose(keyOf, limit) {
		const { data } = this;
		const sums = placeTimes(data, { from: data.start, to: data.end, last: true });
		const groups = new Map();

		data.places.forEach((place, what) => {
			const key = sums[what] ? keyOf(place) : null;

			if (key === null)
				return;
			if (!groups.has(key))
				groups.set(key, { places: [], ns: 0 });
			groups.get(key).places.push(what);
			groups.get(key).ns += sums[what];
		});
		const all = [...groups.values()].sort((a, b) => b.ns - a.ns);

		this.groups = all.slice(0, limit);
		this.rest = { n: all.length - this.groups.length,
			      ns: d3.sum(all.slice(this.groups.length), ({ ns }) => ns) };
		this.number();
	}

	/* Each group's places; of one that is split, on its CPU */
	number() {
		this.of = this.data.cpus.map(() => new Int32Array(this.data.places.length).fill(-1));
		this.groups.forEach((group, g) => {
			this.of.forEach((table, cpu) => {
				if ((group.cpu ?? cpu) === cpu)
					group.places.forEach((what) => {
						table[what] = g;
					});
			});
		});
	}

	/* Call found(group, cpu, span) in order of time */
	eachSpan(found) {
		eachInOrder(this.tables.map((table) => table.start), (cpu, s) => {
			const g = this.of[cpu][this.tables[cpu].what(s)];

			if (g >= 0)
				found(g, cpu, s);
		});
	}

	/* Split the groups that run on two CPUs at a time */
	splitOverlaps() {
		const seen = this.groups.map(() => ({ end: -Infinity, cpus: new Set(), overlaps: false }));

		this.eachSpan((g, cpu, s) => {
			const group = seen[g];

			group.overlaps ||= this.tables[cpu].start[s] < group.end;
			group.end = Math.max(group.end, this.tables[cpu].end(s));
			group.cpus.add(cpu);
		});
		if (!seen.some(({ overlaps }) => overlaps))
			return;
		this.groups = this.groups.flatMap((group, g) => !seen[g].overlaps ? [group] :
			[...seen[g].cpus].sort((a, b) => a - b).map((cpu) => ({ ...group, cpu })));
		this.number();
	}

	/* --- what is in them ------------------------------------------------------- */

	sortSpans() {
		const sizes = this.groups.map(() => PLACES.map(() => 0));
		const runs = this.groups.map(() => new RunList());

		this.data.cpus.forEach(({ slices }, cpu) => slices.forEach(({ what }, place) => {
			for (const w of what)
				if (this.of[cpu][w] >= 0)
					sizes[this.of[cpu][w]][place]++;
		}));
		this.groups.forEach((group, g) => {
			group.slices = sizes[g].map(newParts);
		});
		this.eachSpan((g, cpu, s) => {
			const { order, at, slices } = this.tables[cpu];

			addPart(this.groups[g].slices[order[s]], slices[order[s]], cpu, at[s]);
			runs[g].add(cpu, this.tables[cpu].start[s], this.tables[cpu].end(s));
		});
		this.groups.forEach((group, g) => {
			group.runs = runs[g].slices();
			group.losses = lossesOf(this.data, group.runs);
		});
	}

	/* The group of a CPU's span at a time, or -1 */
	groupAt(cpu, t) {
		const s = this.tables[cpu].find(t);

		return s < 0 ? -1 : this.of[cpu][this.tables[cpu].what(s)];
	}

	/* By its end: an entry to EL2 may have begun before it was known for which vCPU */
	groupOfVisit(cpu, start, end) {
		return this.groupAt(cpu, Math.max(start, end - 1));
	}

	sortVisits(list) {
		const { cpus } = this.data;
		const of = cpus.map((cpu, c) => Int32Array.from(cpu[list].start, (start, i) =>
			this.groupOfVisit(c, start, cpu[list].end[i])));
		const size = new Uint32Array(this.groups.length);

		for (const numbers of of)
			for (const g of numbers)
				if (g >= 0)
					size[g]++;
		this.groups.forEach((group, g) => {
			group[list] = newParts(size[g]);
			if (list === "stays")
				group.stays.call = new Uint32Array(size[g]);
		});
		eachInOrder(cpus.map((cpu) => cpu[list].start), (c, i) => {
			const into = this.groups[of[c][i]]?.[list];

			if (into?.call)
				into.call[into.n] = cpus[c].stays.call[i];
			if (into)
				addPart(into, cpus[c][list], c, i);
		});
	}

	/* Of each kind of events, the groups of its task */
	groupsOfKinds() {
		const { kinds, places, tasks, cpuIndex } = this.data;
		const ofTask = tasks.map(() => []);

		this.groups.forEach((group, g) => {
			for (const task of new Set(group.places.map((p) => places[p].task)))
				ofTask[task].push(g);
		});
		return kinds.map(({ what, cpu, task }) => {
			const index = cpuIndex.get(cpu);

			return task && what < WHAT.LOSS ?
				ofTask[task].filter((g) => (this.groups[g].cpu ?? index) === index) : [];
		});
	}

	/* The group that an event's task ran for: at its time, or just before; of a guest's event, the
	   group of its vCPU */
	groupOfEvent(i) {
		const { events, kinds, places, cpuIndex } = this.data;
		const { cpu, task, side } = kinds[events.kind[i]];
		const table = this.tables[cpuIndex.get(cpu)];

		for (const t of [events.t[i], events.t[i] - 1]) {
			const s = table.find(t);

			if (s >= 0 && (side === GUEST || places[table.what(s)].task === task))
				return this.of[cpuIndex.get(cpu)][table.what(s)];
		}
		return -1;
	}

	sortEvents() {
		const { data, groups } = this;
		const { kind, n } = data.events;
		const ofKind = this.groupsOfKinds();
		const number = SIDES.length;

		this.ofEvent = new Int32Array(n);
		for (let i = 0; i < n; i++) {
			const few = ofKind[kind[i]];

			this.ofEvent[i] = few.length > 1 || data.kinds[kind[i]].side === GUEST ?
				this.groupOfEvent(i) : few[0] ?? -1;
		}
		const of = (i) => this.ofEvent[i];
		const sides = distribute(data.events, number * groups.length,
					 (i) => of(i) < 0 ? -1 : number * of(i) + data.kinds[kind[i]].side);
		const all = distribute(data.events, groups.length, of);

		groups.forEach((group, g) => {
			group.points = SIDES.map((colour, side) =>
				({ colour, marks: sides[number * g + side] }));
			group.all = all[g];
		});
	}

	/* The group that a box is in, or -1 */
	groupOf({ type, cpu, i, start, end }) {
		if (type === "event")
			return this.ofEvent[i];
		if (VISITS[type])
			return this.groupOfVisit(cpu, start, end);
		const place = PLACES.indexOf(type);

		return place < 0 ? -1 : this.of[cpu][this.data.cpus[cpu].slices[place].what[i]];
	}
}
