// SPDX-License-Identifier: GPL-2.0
/*
 * Lanes. A lane is a stack of rows (rows.js), which draw its lists:
 *
 *	slices		of time, by place; with what text(place, i) says of one
 *	stays, switches	EL2 entries, world switches
 *	points		events that have a mark, a list for each side
 *	all, losses	events to step through and to point at; places where events were lost
 *
 * The lists of a lane that is not a CPU's are parts of those of CPUs: cpu[i] and at[i] say of
 * which CPU, and where there.
 *
 * What one can point at is a box. It is the same in all lanes: { type, cpu, i, start, end },
 * the i-th event, or the i-th slice in the CPU's list of this type; lane and row say where it is
 * now, lane -1 if it is in none.
 */

const VISITS = { stay: "stays", call: "calls", switch: "switches" };

function eventBox(data, i) {
	const k = data.kinds[data.events.kind[i]];
	const t = data.events.t[i];

	return { type: "event", cpu: data.cpuIndex.get(k.cpu), i, start: t, end: t };
}

function sliceBox(type, cpu, slices, i) {
	return { type, cpu, i, start: slices.start[i], end: slices.end[i] };
}

/* The box of the i-th one of a lane's list */
function laneBox(lane, type, slices, i) {
	return { ...sliceBox(type, slices.cpu ? slices.cpu[i] : lane.cpuIndex, slices, i),
		 i: slices.at ? slices.at[i] : i };
}

/* The box of a lane that has the time t in it, or null */
function sliceBoxAt(lane, type, t) {
	const slices = VISITS[type] ? lane[VISITS[type]] : lane.slices[PLACES.indexOf(type)];
	const i = sliceAt(slices, t);

	return i >= 0 ? laneBox(lane, type, slices, i) : null;
}

/* Where a box is in a list of its type, or -1 */
function indexOfBox(lane, list, box) {
	let i = lowerBound(list.start, list.n, box.start);

	while (i < list.n && !same(laneBox(lane, box.type, list, i), box))
		i++;
	return i < list.n ? i : -1;
}

function same(a, b) {
	return a && b && a.type === b.type && a.i === b.i && a.cpu === b.cpu && a.group === b.group;
}

function cpuName(data, index) {
	return "CPU " + data.cpus[index].cpu;
}

function stayText(data, stays, i) {
	const reason = visitName(data, stays, i) || "entry";

	return stays.call[i] ? reason + " " + data.words[stays.call[i] - 1] : reason;
}

function guestText(data, what) {
	const { vcpu, task } = data.places[what];

	return (vcpu ? vcpuText(vcpu) + ", " : "") + taskText(data, task);
}

/* => y of each row, and the height of all */
function stackRows(rows) {
	let height = 0;
	const tops = rows.map((row) => (height += row.height) - row.height);

	return { tops, height };
}

class Lane {
	/* lists: see above; with name, and data */
	constructor(lists, makeRows) {
		Object.assign(this, lists);
		this.rows = makeRows(this);
		Object.assign(this, stackRows(this.rows));
	}

	/* The row at y, or -1 */
	rowAt(y) {
		return this.rows.findIndex((row, i) => y >= this.tops[i] && y < this.tops[i] + row.height);
	}

	/* The middle of a place's row, or undefined */
	middleOf(place) {
		const i = this.rows.findIndex((row) => row.place === place);

		return i < 0 ? undefined : this.tops[i] + this.rows[i].height / 2;
	}
}

class LaneSet {
	/* laneOf(box) => the index of its lane, or -1; note: what has no lane */
	constructor(lanes, laneOf, note = "") {
		this.lanes = lanes;
		this.note = note;
		this.laneOf = laneOf;
		Object.assign(this, stackRows(lanes.map((lane) => ({ height: lane.height + GAP }))));
	}

	/* The lane at y, or -1 */
	laneAt(y) {
		const i = lowerBound(this.tops, this.tops.length, y + 1e-9) - 1;

		return i >= 0 && y < this.tops[i] + this.lanes[i].height ? i : -1;
	}

	/* What is at x of the view and y, or null */
	hit(view, x, y) {
		const lane = this.laneAt(y);
		const row = lane < 0 ? -1 : this.lanes[lane].rowAt(y - this.tops[lane]);
		const box = row < 0 ? null : this.lanes[lane].rows[row].hit(view, x);

		return box && { ...box, lane, row };
	}

	/* => the box, with where it is */
	locate(box) {
		const lane = this.laneOf(box);
		const row = lane < 0 ? -1 : this.lanes[lane].rows.findIndex((r) => r.shows(box));

		return { ...box, lane: row < 0 ? -1 : lane, row };
	}
}

/* A row for each of the places that isThere(place) */
function placeRows(lane, places, isThere) {
	return places.filter(isThere).map((place) => new PlaceRow(lane, place));
}

function cpuLanes(data) {
	const lanes = data.cpus.map((cpu, cpuIndex) => new Lane({
		...cpu, data, cpuIndex, name: cpuName(data, cpuIndex),
		text: (place, i) => place === 2 ? guestText(data, cpu.slices[2].what[i]) :
			taskText(data, data.places[cpu.slices[place].what[i]].task),
	}, (lane) => [...placeRows(lane, [0, 1, 2, 3, 4, 5], (place) => place < 3 || cpu.slices[place].n),
		      new EventRow(lane)]));

	return new LaneSet(lanes, (box) => box.cpu ?? -1);
}
