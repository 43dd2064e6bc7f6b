// SPDX-License-Identifier: GPL-2.0
/*
 * The lanes of VMs: how many vCPUs run at a time, and below that a row for each of them.
 */

/*
 * How many of the groups are in the guest, at EL2 and in the host, as steps: from t[i] on,
 * level[3 * i + place] are there. sum is their time up to t[i]. All of the host is in place 0.
 */
class Levels {
	constructor(groups) {
		const lists = groups.flatMap(({ slices }) =>
			TASK_PLACES.flatMap((place) => [slices[place].start, slices[place].end]));
		const most = d3.sum(lists, (list) => list.length);

		this.n = 0;
		this.t = new Float64Array(most);
		this.level = new Int32Array(3 * most);
		this.sum = new Float64Array(3 * most);
		eachInOrder(lists, (l, i) => {
			this.stepTo(lists[l][i]);
			const place = (l >> 1) % TASK_PLACES.length;

			this.level[3 * (this.n - 1) + (place < 3 ? place : 0)] += l % 2 ? -1 : 1;
		});
	}

	stepTo(t) {
		const last = this.n - 1;

		if (last >= 0 && this.t[last] === t)
			return;
		for (const place of last < 0 ? [] : [0, 1, 2]) {
			this.level[3 * this.n + place] = this.level[3 * last + place];
			this.sum[3 * this.n + place] = this.until(last, place, t);
		}
		this.t[this.n++] = t;
	}

	/* The time in a place up to t, which is in step i */
	until(i, place, t) {
		return i < 0 ? 0 : this.sum[3 * i + place] + this.level[3 * i + place] * (t - this.t[i]);
	}

	/* The step at t, -1 before the first one */
	find(t, from = 0) {
		const i = lowerBound(this.t, this.n, t, from);

		return i < this.n && this.t[i] === t ? i : i - 1;
	}

	/* How many are in a place on average, from t0, in step i, to t1, in step j */
	mean(place, i, t0, j, t1) {
		if (i === j)
			return i < 0 ? 0 : this.level[3 * i + place];
		return (this.until(j, place, t1) - this.until(i, place, t0)) / (t1 - t0);
	}

	of(i) {
		return this.level.subarray(3 * i, 3 * i + 3);
	}
}

/* The number of vCPUs that run; in a pixel with several steps, the mean */
class LevelRow {
	constructor(lane) {
		this.lane = lane;
		this.name = `of ${lane.members.length} vCPUs`;
		this.height = LEVELS;
		this.levels = new Levels(lane.members);
	}

	draw(p, view, y) {
		const { levels } = this;
		let i = levels.find(view.t0);
		let last = null;

		p.rect(p.colours.lane, LABELS, y + 1, p.width, LEVELS - 2);
		for (let x = LABELS; x < p.width; x++) {
			const j = levels.find(view.t(x + 1), Math.max(i, 0));
			const means = [0, 1, 2].map((place) =>
				levels.mean(place, i, view.t(x), j, view.t(x + 1)));

			i = j;
			if (last && last.means.every((mean, place) => mean === means[place]))
				continue;
			this.drawColumns(p, last, x, y);
			last = { x, means };
		}
		this.drawColumns(p, last, p.width, y);
		this.drawGrid(p, y);
	}

	/* Equal ones, up to the x where another one begins */
	drawColumns(p, column, end, y) {
		const scale = (LEVELS - 2) / this.lane.members.length;
		let at = y + LEVELS - 1;

		for (const place of column ? [2, 1, 0] : []) {
			const height = column.means[place] * scale;

			if (height > 1e-9)
				p.rect(placeColour(p, place), column.x, at - height, end - column.x, height);
			at -= height;
		}
	}

	/* A line for each vCPU, if that leaves the rest visible */
	drawGrid(p, y) {
		const step = (LEVELS - 2) / this.lane.members.length;

		for (let at = step; step >= 8 && at < LEVELS - 2.5; at += step)
			p.rect(p.colours.background, LABELS, Math.round(y + LEVELS - 1 - at), p.width, 1);
	}

	hit(view, x) {
		const { levels } = this;
		const i = levels.find(view.t(x));

		return i < 0 || i + 1 === levels.n ? null :
			{ type: "level", i, start: levels.t[i], end: levels.t[i + 1],
			  group: this.lane, levels };
	}

	shows() {
		return false;
	}
}

/* A vCPU: the host, EL2 and the guest in one row */
class TrackRow {
	/* isIts(box): is a box in this vCPU? */
	constructor(group, name, isIts) {
		this.group = group;
		this.name = name;
		this.height = TRACK;
		this.isIts = isIts;
	}

	draw(p, view, y) {
		const narrow = [];

		p.rect(p.colours.lane, LABELS, y + 1, p.width, TRACK - 2);
		for (const place of [2, 1, 0, 3, 4]) {
			const slices = this.group.slices[place];
			const colour = placeColour(p, place);

			walkSlices(slices, view, (i, x0, x1) => {
				p.slice(colour, x0, x1, y, TRACK);
				if (place !== 1)
					p.label(p.colours["on-slice"], cpuName(p.data, slices.cpu[i]), x0, x1,
						y + TRACK / 2);
			}, (x, share) => narrow.push({ x, share, colour }));
		}
		drawStays(p, view, this.group.stays, y, TRACK);
		this.drawNarrow(p, narrow, y);
	}

	/* Places that share a pixel are above each other */
	drawNarrow(p, narrow, y) {
		const used = new Float32Array(p.width + 1);

		for (const { x, share, colour } of narrow)
			used[x] += p.column(colour, x, share, y, TRACK, used[x]);
	}

	hit(view, x) {
		const types = ["stay", ...TASK_PLACES.map((place) => PLACES[place])];

		return types.map((type) => sliceBoxAt(this.group, type, view.t(x))).find(Boolean) || null;
	}

	shows(box) {
		return box.type !== "event" && this.isIts(box);
	}
}

function mergeMarks(data, lists) {
	const all = new Uint32Array(d3.sum(lists, ({ n }) => n));
	let n = 0;

	for (const { event } of lists) {
		all.set(event, n);
		n += event.length;
	}
	all.sort();
	return marksOf(data.events, all.filter((event, i) => event !== all[i - 1]));
}

/* To step through; they overlap */
function mergeStays(groups) {
	const parts = newParts(d3.sum(groups, ({ stays }) => stays.n));

	eachInOrder(groups.map(({ stays }) => stays.start), (g, i) => {
		const { stays } = groups[g];

		addPart(parts, stays, stays.cpu[i], i);
		parts.at[parts.n - 1] = stays.at[i];
	});
	return parts;
}

/* With the task if the number does not tell it from the others */
function trackName(data, group, members) {
	const { index } = vcpuOf(data, group);
	const { pid } = data.tasks[data.places[group.places[0]].task];
	const on = group.cpu === undefined ? "" : ", " + cpuName(data, group.cpu);

	const isUnique = members.filter((other) => vcpuOf(data, other).index === index).length === 1;

	if (index === null)
		return `task ${pid}` + on;
	return (isUnique ? `vCPU ${index}` : `${index}, task ${pid}`) + on;
}

function vmLane(data, vm, members, isIts) {
	const merged = (listOf) => mergeMarks(data, members.map(listOf));
	const rest = vm === 0 ? ", of all VMs that are not protected" : "";

	return new Lane({
		data, members, name: vmText(vm), detail: countText(members.length) + " vCPUs" + rest,
		stays: mergeStays(members),
		points: SIDES.map((colour, i) =>
			({ colour, marks: merged((group) => group.points[i].marks) })),
		all: merged((group) => group.all),
		losses: merged((group) => group.losses),
	}, (lane) => [new TitleRow(), new LevelRow(lane), ...members.map((group) =>
		new TrackRow(group, trackName(data, group, members), (box) => isIts(group, box))),
	new EventRow(lane)]);
}

function vmLanes(data) {
	const grouping = vcpuGrouping(data);
	const order = vcpuOrder(data);
	const vcpus = order.map((g) => vcpuOf(data, grouping.groups[g]));
	const vms = [...new Set(vcpus.map(({ vm }) => vm))];
	const isIts = (group, box) => grouping.groups[grouping.groupOf(box)] === group;
	const lanes = vms.map((vm) => vmLane(data, vm, order.map((g) => grouping.groups[g])
		.filter((_, i) => vcpus[i].vm === vm), isIts));
	const laneOfGroup = new Map(order.map((g, i) => [g, vms.indexOf(vcpus[i].vm)]));

	return new LaneSet(lanes, (box) => laneOfGroup.get(grouping.groupOf(box)) ?? -1, vcpuNote(lanes));
}
