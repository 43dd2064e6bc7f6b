// SPDX-License-Identifier: GPL-2.0
/*
 * The lanes of vCPUs and of tasks.
 */

const MAX_TASKS = 100;

/* The rest of a lane's title: the times of its members, in a range or in all of the recording */
function timesText(members, range) {
	const timeOf = (slices) => range ? timeIn(slices, range.from, range.to) : slices.sum[slices.n];

	const times = [2, 1, 0, 3, 4].map((place) =>
		[PLACES[place], d3.sum(members, ({ slices }) => timeOf(slices[place]))]);

	return times.filter(([, time]) => time).map(([name, time]) => `${name} ${durationText(time)}`)
		.join(", ");
}

/* hasPlace(group, place): is there a row of it? */
function groupLane(data, group, { name, detail, guestName, hasPlace }) {
	const on = group.cpu === undefined ? "" : ", " + cpuName(data, group.cpu);
	const text = (place, i) => {
		const slices = group.slices[place];

		return (place === 2 ? guestName(slices.what[i]) : "") + cpuName(data, slices.cpu[i]);
	};

	return new Lane({
		...group, data, text, detail, members: [group], name: name + on,
	}, (lane) => [
		new TitleRow(), new RunRow(lane),
		...placeRows(lane, TASK_PLACES, (place) => hasPlace(group, place)),
		new EventRow(lane)]);
}

/*
 * As in stat, the task is a part of it: VMs that are not protected have no number, and a number
 * is used again for another VM.
 */
function vcpuKey(data, { vcpu, task }) {
	return vcpu && `${vcpu.vm} ${vcpu.index} ${data.tasks[task].pid}`;
}

function vcpuGrouping(data) {
	data.vcpuGrouping ??= new Grouping(data, (place) => vcpuKey(data, place));
	return data.vcpuGrouping;
}

function tasksOf(data, group) {
	const tasks = new Set(group.places.map((p) => taskText(data, data.places[p].task)));

	return [...tasks].join(", ");
}

/* By VM and number, those without one last */
function compareVcpus(a, b) {
	const number = ({ vm, index }) => vm === null ? [Infinity, 0] : [vm, index];
	const [x, y] = [number(a), number(b)];

	return x[0] === y[0] ? x[1] - y[1] : x[0] - y[0];
}

function vcpuOf(data, group) {
	return data.places[group.places[0]].vcpu;
}

/* The indices of groups */
function vcpuOrder(data) {
	const { groups } = vcpuGrouping(data);

	return [...groups.keys()].sort((a, b) =>
		compareVcpus(vcpuOf(data, groups[a]), vcpuOf(data, groups[b])));
}

function vcpuNote(lanes) {
	return lanes.length ? "" : "No vCPU ran in this recording.";
}

function vcpuLanes(data) {
	const grouping = vcpuGrouping(data);
	const order = vcpuOrder(data);
	const lanes = order.map((g) => groupLane(data, grouping.groups[g], {
		name: vcpuText(vcpuOf(data, grouping.groups[g])), detail: tasksOf(data, grouping.groups[g]),
		guestName: () => "", hasPlace: ({ slices }, place) => place < 3 || slices[place].n > 0,
	}));
	const laneOfGroup = new Map(order.map((g, i) => [g, i]));

	return new LaneSet(lanes, (box) => laneOfGroup.get(grouping.groupOf(box)) ?? -1, vcpuNote(lanes));
}

/* Which tasks have no lane */
function restText({ n, ns }) {
	const rest = n ? `${countText(n)} more tasks ran for ${durationText(ns)} in all. ` : "";

	return rest + "Idle tasks, and time of which the task is unknown, have no lane.";
}

function taskLanes(data) {
	const grouping = new Grouping(data, ({ task }) =>
		task && data.tasks[task].pid ? String(data.tasks[task].pid) : null, MAX_TASKS);
	const guestName = (what) => {
		const { vcpu } = data.places[what];

		return vcpu ? vcpuText(vcpu) + ", " : "";
	};
	const lanes = grouping.groups.map((group) => groupLane(data, group, {
		name: tasksOf(data, group), detail: "", guestName,
		hasPlace: ({ slices }, place) => slices[place].n > 0,
	}));

	return new LaneSet(lanes, (box) => grouping.groupOf(box), restText(grouping.rest));
}
