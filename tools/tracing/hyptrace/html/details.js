// SPDX-License-Identifier: GPL-2.0
/*
 * Describes a slice or an event: beside the pointer, or when it is selected.
 */

const SIDE_TITLES = ["Host", "EL2", "Guest"];

class Details {
	constructor(page) {
		this.page = page;
		this.data = page.data;
	}

	describe(box) {
		if (box.type === "event")
			return this.describeEvent(box);
		const fields = [["duration", `${durationText(box.end - box.start)} (${countText(box.end - box.start)} ns)`],
				["from", momentText(this.data, box.start)],
				["to", momentText(this.data, box.end)]];

		return box.type === "level" ? this.describeLevel(box, fields) : this.describeSlice(box, fields);
	}

	/* How many vCPUs of a VM run */
	describeLevel({ i, group, levels }, fields) {
		const [host, el2, guest] = levels.of(i);
		const rest = group.members.length - host - el2 - guest;

		return { colour: "guest", title: `${guest} of ${group.members.length} vCPUs in the guest`,
			 fields: [...fields, ["at EL2", String(el2)], ["in the host", String(host)],
				  ["not running", String(rest)]] };
	}

	describeSlice(box, fields) {
		const cpu = this.data.cpus[box.cpu];

		fields.push(["CPU", String(cpu.cpu)]);
		if (box.type === "stay")
			return this.describeStay(box, cpu.stays, fields);
		if (box.type === "switch")
			return { colour: "el2", fields, title: visitName(this.data, cpu.switches, box.i) };
		if (box.type === "call")
			return this.describeCall(box, cpu.calls, fields);
		if (box.type === "run")
			return { colour: "cpu", fields, title: "On CPU " + cpu.cpu };
		const slices = cpu.slices[PLACES.indexOf(box.type)];
		const place = this.data.places[slices.what[box.i]];

		if (box.type !== "unknown")
			fields.push(["task", taskText(this.data, place.task)]);
		if (place.vcpu)
			fields.push([box.type === "guest" ? "vCPU" : "last vCPU", vcpuText(place.vcpu)]);
		return { colour: box.type.toLowerCase(), fields, title: this.titleOf(box, place) };
	}

	titleOf(box, place) {
		switch (box.type) {
		case "unknown":
			return "Unknown: events are missing, or the CPU was off";
		case "EL2":
			return "EL2: incomplete entry";
		case "guest":
			return place.vcpu ? vcpuText(place.vcpu) : "Guest";
		default:
			return taskText(this.data, place.task);
		}
	}

	describeCall(box, calls, fields) {
		const ns = calls.ns[box.i];

		fields.splice(1, 0, ["at EL2", `${durationText(ns)} (${countText(ns)} ns)`]);
		return { colour: "el2", fields, title: "Hypercall " + visitName(this.data, calls, box.i) };
	}

	describeStay(box, stays, fields) {
		const words = this.data.words;
		const around = this.data.cpus[box.cpu].slices[1];
		const span = sliceAt(around, box.start);

		if (stays.what[box.i])
			fields.push(["reason", words[stays.what[box.i] - 1]]);
		if (stays.call[box.i])
			fields.push(["hypercall", words[stays.call[box.i] - 1]]);
		if (span >= 0)
			fields.push(["task", taskText(this.data, this.data.places[around.what[span]].task)]);
		return { colour: "el2", fields, title: "EL2: " + stayText(this.data, stays, box.i) };
	}

	describeEvent(box) {
		const { data } = this;
		const k = data.kinds[data.events.kind[box.i]];
		const text = lineText(data, data.events.line[box.i]);
		const fields = [["time", momentText(data, box.start)], ["CPU", String(k.cpu)]];

		if (k.what >= WHAT.LOSS)
			return { colour: "loss", fields, title: SIDE_TITLES[k.side] + ": " + text };
		if (k.task)
			fields.push(["task", taskText(data, k.task)]);
		for (const [, name, value] of text.matchAll(/(\S+?)=(\S+)/g))
			fields.push([name, value]);
		return { colour: SIDES[k.side], fields, raw: logText(data, box.i),
			 title: (data.words[k.system] ? data.words[k.system] + ":" : "") + data.words[k.name] };
	}

	descriptionElements(box) {
		const d = this.describe(box);
		const list = element("dl", { class: "fields" });

		for (const [name, value] of d.fields)
			list.append(element("dt", {}, name), element("dd", {}, value));
		return [element("div", { class: "what" }, element("i", { class: d.colour }), d.title), list,
			...d.raw ? [element("div", { class: "raw" }, d.raw)] : []];
	}

	showTip(x, y) {
		const tip = $("tip");
		const { hover, selected } = this.page.state;

		tip.hidden = !hover || (same(hover, selected) && !this.page.embedded);
		if (tip.hidden)
			return;
		tip.replaceChildren(...this.descriptionElements(hover));
		const main = tip.parentElement.getBoundingClientRect();
		const box = tip.getBoundingClientRect();
		const left = x + 16 + box.width < main.width ? x + 16 : Math.max(4, x - box.width - 12);
		const below = main.top + y + OVERVIEW + 18;

		tip.style.left = left + "px";
		tip.style.top = Math.min(below, window.innerHeight - box.height - 6) - main.top + "px";
	}

	show() {
		const { page } = this;
		const { selected } = page.state;
		const hint = element("p", { class: "hint" },
				     "Click a slice or an event, or press . to step through the events. Press ? for help.");

		if (!selected) {
			$("details").replaceChildren(hint);
			return;
		}
		const button = (text, title, action) => {
			const b = element("button", { type: "button", title }, text);

			b.addEventListener("click", action);
			return b;
		};
		const step = (by) => selected.type === "stay" ? page.stepStay(by) : page.stepEvent(by);
		const keys = selected.type === "stay" ? ["[", "]"] : [",", "."];

		$("details").replaceChildren(...this.descriptionElements(selected), element("div", { class: "buttons" },
			button("\u2190", `Previous (${keys[0]})`, () => step(-1)),
			button("\u2192", `Next (${keys[1]})`, () => step(1)),
			button("Zoom in on it", "Enter", () => page.zoomTo(selected)),
			button("Events here", "", () => page.showEventsAt(selected.start)),
			...selected.lane < 0 ? [button("Show it by CPU", "It is in none of these lanes",
						       () => page.showLanes("cpu"))] : []));
	}
}
