// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers of stat for a range of time [from, to), in whole ns, computed from the data. Of a
 * slice that the range cuts, the part within it counts; so the totals of ranges that adjoin add
 * up. A visit without duration counts where it happened.
 */

/* Call found(i, ns) for the slices that have a part in the range */
function eachPart({ n, start, end }, { from, to, last }, found) {
	for (let i = lowerBound(end, n, from); i < n && (start[i] < to || last); i++) {
		const ns = Math.min(end[i], to) - Math.max(start[i], from);

		if (ns > 0 || start[i] === end[i])
			found(i, ns);
	}
}

/* last: no other range adjoins */
function rangeOf(data, from, to) {
	return { from, to, last: to === data.end };
}

/* Call found(i, ns) for visits; of a hypercall, the time of the EL2 entries in it counts */
function eachVisit(cpu, list, range, found) {
	const { start, end, ns } = cpu[list];

	if (!ns) {
		eachPart(cpu[list], range, found);
		return;
	}
	eachPart(cpu[list], range, (i) => {
		const whole = start[i] >= range.from && end[i] <= range.to;

		found(i, whole ? ns[i] : timeIn(cpu.stays, Math.max(start[i], range.from),
						Math.min(end[i], range.to)));
	});
}

function emptyTimes(rest) {
	return { ...rest, ...Object.fromEntries(PLACE_NAMES.map((name) => [name, 0])) };
}

function cpuTimes(data, { from, to }) {
	return data.cpus.map((cpu) => {
		const row = emptyTimes({ cpu: cpu.cpu });

		PLACE_NAMES.forEach((name, p) => {
			row[name] = timeIn(cpu.slices[p], from, to);
		});
		return row;
	});
}

/* The time of each entry of data.places */
function placeTimes(data, range) {
	const sum = new Float64Array(data.places.length);

	for (const cpu of data.cpus)
		for (const slices of cpu.slices)
			eachPart(slices, range, (i, ns) => {
				sum[slices.what[i]] += ns;
			});
	return sum;
}

/* identify(place) => the members that tell a row from others, or null for none */
function groupTimes(data, sums, identify) {
	const rows = new Map();

	data.places.forEach((p, i) => {
		const identity = sums[i] ? identify(p) : null;

		if (!identity)
			return;
		const key = JSON.stringify(identity);

		if (!rows.has(key))
			rows.set(key, emptyTimes(identity));
		rows.get(key)[PLACE_NAMES[p.place]] += sums[i];
	});
	return [...rows.values()];
}

function taskIdentity(data, task) {
	const { pid, comm } = data.tasks[task];

	return task ? { pid, comm: data.words[comm] } : { pid: null, comm: null };
}

/* --- durations ----------------------------------------------------------------- */

/* The largest power of two that is not above ns; 0 of 0 */
function bucketFloor(ns) {
	const floor = ns ? 2 ** Math.floor(Math.log2(ns)) : 0;

	return floor > ns ? floor / 2 : floor;
}

function histogramOf(sorted) {
	const histogram = [];

	for (const ns of sorted) {
		const floor = bucketFloor(ns);

		if (histogram.at(-1)?.[0] !== floor)
			histogram.push([floor, 0]);
		histogram.at(-1)[1]++;
	}
	return histogram;
}

function summary(name, values) {
	const sorted = Float64Array.from(values).sort();
	const count = sorted.length;
	const total = sorted.reduce((sum, ns) => sum + ns, 0);
	const below = (percent) => sorted[Math.ceil(count * percent / 100) - 1];

	return { name, count, total, mean: Math.round(total / count), p50: below(50), p90: below(90),
		 p99: below(99), max: sorted[count - 1], histogram: histogramOf(sorted) };
}

function visitSummaries(data, list, range) {
	const values = new Map();

	for (const cpu of data.cpus)
		eachVisit(cpu, list, range, (i, ns) => {
			const word = cpu[list].what[i];

			if (!values.has(word))
				values.set(word, []);
			values.get(word).push(ns);
		});
	values.delete(0);
	return Array.from(values, ([word, ns]) => summary(data.words[word - 1], ns))
		.sort((a, b) => b.total - a.total);
}

/* --- all ------------------------------------------------------------------------- */

/* As data.stat, without the numbers of entries of CPUs and vCPUs */
function rangeStat(data, { from, to }) {
	const range = rangeOf(data, from, to);
	const sums = placeTimes(data, range);
	const all = (row) => PLACE_NAMES.reduce((sum, name) => sum + row[name], 0);

	return {
		wall: to - from,
		cpus: cpuTimes(data, range),
		tasks: groupTimes(data, sums, (p) => taskIdentity(data, p.task))
			.sort((a, b) => all(b) - all(a)),
		vcpus: groupTimes(data, sums, (p) => p.vcpu && { ...taskIdentity(data, p.task),
			vm: p.vcpu.vm, vcpu: p.vcpu.index }).sort((a, b) => b.guest - a.guest),
		entries: visitSummaries(data, "stays", range),
		hypercalls: visitSummaries(data, "calls", range),
		switches: visitSummaries(data, "switches", range),
	};
}

/* VMs are the sums of their vCPUs */
function vmRows(vcpus) {
	const rows = new Map();

	for (const vcpu of vcpus) {
		const row = rows.get(vcpu.vm) || emptyTimes({ vm: vcpu.vm });

		for (const name of PLACE_NAMES)
			row[name] += vcpu[name];
		rows.set(vcpu.vm, row);
	}
	return [...rows.values()].sort((a, b) => b.guest - a.guest);
}
