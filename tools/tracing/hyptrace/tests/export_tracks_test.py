#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: export_tracks_test.py HYPTRACE [RECORDING]...

Exports files to Perfetto's format, decodes the result with protoc, and checks the tracks
of vCPUs and threads, and the flows through them: those of a synthetic file against the
known ones, those of each RECORDING against the output of "hyptrace stat" and "hyptrace
report". TAP.
"""
import collections
import json
import os
import re
import sys

import graphs
import pftrace
import synth
from schedulemodel import Schedule
from tap import attempt, attempt_each, equal, finish, result, run

HYPTRACE = sys.argv[1]
BEGIN, END, INSTANT = 1, 2, 3

# --- the tracks, decoded ------------------------------------------------------

Slice = collections.namedtuple("Slice", "depth start end category name arguments")
Step = collections.namedtuple("Step", "track ts name last")


class Trace:
    """track: {uuid: fields}; slices: {uuid: [Slice, ...]}, by their begin; flows: {id: [Step,
    ...]}, by time; instants: {tid: [(name, ts), ...]}"""

    def __init__(self, path):
        self.track, self.names, events = {}, {}, []
        self.flows, self.instants = {}, {}
        used = [p for p in pftrace.packets(path) if "ftrace_events" not in p]
        for i, packet in enumerate(used):
            assert packet["trusted_packet_sequence_id"] == 1, packet
            assert packet["sequence_flags"] == (2 if i else 3), packet
            self.take_names(packet.get("interned_data", []))
            if "track_descriptor" in packet:
                self.take_track(dict(packet["track_descriptor"]))
            else:
                events.append((packet["timestamp"], self.event_of(packet["track_event"])))
        self.slices = {uuid: [] for uuid in self.track}
        self.nest(sorted(events, key=lambda e: e[0]))    # as Perfetto does; it is stable

    def take_names(self, interned):
        for kind, entry in interned:
            entry = dict(entry)
            assert (kind, entry["iid"]) not in self.names, entry
            self.names[kind, entry["iid"]] = entry["name"]

    def take_track(self, track):
        assert track["uuid"] and track["uuid"] not in self.track, track
        assert track.get("parent_uuid", 0) in {0, *self.track}, track
        if "thread" in track:
            track["thread"] = dict(track["thread"])
            assert track["thread"]["tid"] == track["thread"]["pid"], track
        self.track[track["uuid"]] = track

    def event_of(self, fields):
        event = dict(fields, arguments={})
        single = [key for key, _ in fields if key != "debug_annotations"]
        assert len(single) == len(set(single)), fields
        assert event["track_uuid"] in self.track, event
        for key, value in fields:
            if key == "debug_annotations":
                (_, name), (kind, what) = value
                name = self.names["debug_annotation_names", name]
                event["arguments"][name] = kind.replace("_value", ""), what
        if event["type"] != END:
            event["name"] = self.names["event_names", event["name_iid"]]
            event["category"] = self.names["event_categories", event["category_iids"]]
        else:
            assert not event["arguments"] and "flow_ids" not in event, event
        return event

    def nest(self, events):
        stacks = {uuid: [] for uuid in self.track}
        for ts, event in events:
            stack, slices = stacks[event["track_uuid"]], self.slices[event["track_uuid"]]
            self.take_flow(event, ts)
            if event["type"] == INSTANT:
                tid = self.track[event["track_uuid"]]["thread"]["tid"]
                self.instants.setdefault(tid, []).append((event["name"], ts))
            elif event["type"] == BEGIN:
                stack.append(len(slices))
                slices.append(Slice(len(stack) - 1, ts, None, event["category"],
                                    event["name"], event["arguments"]))
            else:
                at = stack.pop()
                slices[at] = slices[at]._replace(end=ts)
        assert not any(stacks.values()), "slices without an end"

    def take_flow(self, event, ts):
        for key in ("flow_ids", "terminating_flow_ids"):
            if key in event:
                self.flows.setdefault(event[key], []).append(
                    Step(event["track_uuid"], ts, event["name"], key != "flow_ids"))

    def vcpus(self):
        """=> {(name of the VM's track or None, name): [Slice, ...]}"""
        found = {}
        for uuid, track in self.track.items():
            if track.get("name", "").startswith("vCPU"):
                parent = self.track.get(track.get("parent_uuid"), {"name": None})
                found[parent["name"], track["name"]] = self.slices[uuid]
        return found


def export(path):
    out, status, said = pftrace.export(HYPTRACE, path)
    assert not status, said
    return Trace(out), int(re.search(r"shifted by (-?\d+) ns", said)[1])


def misplaced(slices):
    """Yields what is wrong with the slices of a track: kinds, depths and overlaps"""
    end = [0, 0]    # of the last slice, by depth
    inside = None
    for s in slices:
        if s.depth > 1 or s.start < end[s.depth]:
            yield "%s overlaps, or is too deep" % (s,)
            continue
        end[s.depth] = s.end
        if s.depth == 0:
            inside = s
            continue
        if inside.category != "exit" or s.category not in ("EL2", "host") or s.end > inside.end:
            yield "%s is inside %s" % (s, inside)


def wrong_flows(trace, cut):
    """Yields what is wrong: each leads from kvm_entry of a task through EL2 and guests to its
    kvm_exit; if @cut, that may be missing"""
    for flow, steps in trace.flows.items():
        names = [s.name for s in steps]
        inner = steps[1:-1] if steps[-1].last else steps[1:]
        first = trace.track[steps[0].track].get("thread", {"tid": 0})["tid"]
        good = names[0] == "kvm_entry" and first and inner
        good = good and len({s.track for s in inner}) == 1
        good = good and trace.track[inner[0].track]["name"].endswith("-%d" % first)
        good = good and all(n == "guest" or n.startswith("EL2") for n in names[1:1 + len(inner)])
        if steps[-1].last:
            good = good and names[-1] == "kvm_exit" and steps[-1].track == steps[0].track
        else:
            good = good and cut
        if not good or any(s.last for s in steps[:-1]):
            yield "flow %d: %s" % (flow, steps)


# --- a synthetic file ---------------------------------------------------------

REASON = {"smc": 0, "hvc": 1, "host_abort": 4, "guest_exit": 5, "host": 6, "guest": 7}
TAKEN = "hyp_enter", "hyp_exit", "sched_switch"


def enter(ts, pid, reason):
    return ts, "hyp_enter", pid, {"reason": REASON[reason]}


def leave(ts, pid, to, task=0):
    return ts, "hyp_exit", pid, {"reason": REASON[to], "vcpu": task}


def vcpu(ts, pid, vm, number):
    return ts, "vcpu_enter", pid, {"vm": vm, "vcpu": number}


def exits(ts, pid, esr=0, code=2):
    return ts, "vcpu_exit", pid, {"esr": esr, "code": code}


def switch(ts, prev, following):
    return ts, "sched_switch", prev, {"prev_pid": prev, "next_pid": following}


def synthetic_pages():
    """Task 7 runs vCPU 1 of VM 0x1000 on CPUs 0 and 1, and vCPU 2 after a loss. Task 8 runs
    a vCPU without vcpu_enter. Of task 11, the exit from the guest is missing, and of task
    12 what follows it."""
    host = {0: [synth.page([switch(50, 3, 7), (95, "kvm_entry", 7, {}),
                            (225, "kvm_exit", 7, {}), (260, "kvm_exit", 7, {})]),
                synth.page([switch(310, 7, 3)], lost=2)],
            1: [synth.page([switch(60, 9, 3), switch(340, 3, 7), (390, "kvm_entry", 7, {}),
                            (985, "kvm_entry", 7, {}), switch(990, 7, 3)])],
            2: [synth.page([switch(840, 3, 8), switch(900, 8, 3), switch(920, 3, 8)])],
            4: [synth.page([(90, "kvm_entry", 12, {}), (250, "kvm_entry", 12, {})])]}
    cpu0 = [leave(90, 7, "host"), enter(100, 7, "hvc"), vcpu(110, 7, 0x1000, 1),
            leave(120, 7, "guest", 7),
            enter(200, 7, "guest_exit"), exits(210, 7, 0x24 << 26), leave(220, 7, "host"),
            enter(240, 7, "host_abort"), leave(250, 7, "host"),
            enter(320, 3, "smc"), leave(330, 3, "host")]
    cpu1 = [leave(70, 9, "host"), enter(400, 7, "hvc"), vcpu(410, 7, 0x1000, 1),
            leave(420, 7, "guest", 7),
            enter(500, 7, "guest_exit"), leave(520, 7, "guest", 7),
            enter(600, 7, "guest_exit"), exits(610, 7, 0, 0)]
    more1 = [enter(700, 7, "hvc"), vcpu(710, 7, 0x1000, 2), leave(720, 7, "guest", 7),
             enter(800, 7, "guest_exit"), exits(810, 7, 1 << 26), leave(830, 7, "host")]
    cpu2 = [enter(850, 3, "hvc"), leave(870, 3, "guest", 8), enter(880, 8, "guest_exit"),
            leave(890, 8, "host")]
    more2 = [enter(950, 8, "hvc"), leave(960, 8, "host")]
    cpu3 = [enter(100, 11, "hvc"), vcpu(110, 11, 0, 0), leave(120, 11, "guest", 11),
            enter(200, 11, "hvc"), leave(210, 11, "host")]
    cpu4 = [enter(100, 12, "hvc"), vcpu(110, 12, 0, 1), leave(120, 12, "guest", 12),
            enter(200, 12, "guest_exit")]
    return host, {0: [synth.page(cpu0)], 1: [synth.page(cpu1), synth.page(more1, lost=3)],
                  2: [synth.page(cpu2), synth.page(more2, lost=1)], 3: [synth.page(cpu3)],
                  4: [synth.page(cpu4), synth.page([leave(300, 12, "host")], lost=1)]}


SEVEN_1 = "VM 0x1000", "vCPU 1 of seven-7"
KNOWN = {
    SEVEN_1: [
        (0, 110, 120, "EL2", "EL2 hvc"), (0, 120, 200, "guest", "guest"),
        (0, 200, 420, "exit", "DABT_LOW"), (1, 200, 220, "EL2", "EL2 guest_exit"),
        (1, 220, 240, "host", "host"), (1, 240, 250, "EL2", "EL2 host_abort"),
        (1, 250, 260, "host", "host"), (1, 340, 400, "host", "host"),
        (1, 400, 420, "EL2", "EL2 hvc"), (0, 420, 500, "guest", "guest"),
        (0, 500, 520, "exit", "guest_exit"), (1, 500, 520, "EL2", "EL2 guest_exit"),
        (0, 520, 600, "guest", "guest"),
        (0, 600, 610, "exit", "IRQ"), (1, 600, 610, "EL2", "EL2 guest_exit")],
    ("VM 0x1000", "vCPU 2 of seven-7"): [
        (0, 710, 720, "EL2", "EL2 hvc"), (0, 720, 800, "guest", "guest"),
        (0, 800, 990, "exit", "WFx"), (1, 800, 830, "EL2", "EL2 guest_exit"),
        (1, 830, 990, "host", "host")],
    (None, "vCPU of <...>-8"): [
        (0, 870, 880, "guest", "guest"), (0, 880, 920, "exit", "guest_exit"),
        (1, 880, 890, "EL2", "EL2 guest_exit"), (1, 890, 900, "host", "host"),
        (1, 920, 920, "host", "host")],
    (None, "vCPU 0 of <...>-11"): [
        (0, 110, 120, "EL2", "EL2 hvc"), (0, 120, 120, "guest", "guest")],
    (None, "vCPU 1 of <...>-12"): [
        (0, 110, 120, "EL2", "EL2 hvc"), (0, 120, 200, "guest", "guest"),
        (0, 200, 200, "exit", "guest_exit"), (1, 200, 200, "EL2", "EL2 guest_exit")],
}


def synthetic(directory, texts, name="tracks.dat"):
    path = directory + "/" + name
    synth.write(path, *synthetic_pages(), texts=texts, comms=b"7 seven\n0 <idle>\n3 three\n")
    return path


def without_arguments(trace):
    return {key: [s[:5] for s in slices] for key, slices in trace.vcpus().items()}


def test_synthetic(directory):
    trace, _ = export(synthetic(directory, synth.enabled(*TAKEN)))
    got = without_arguments(trace)
    equal("synthetic: tracks", sorted(map(str, got)), sorted(map(str, KNOWN)))
    for key, want in KNOWN.items():
        equal("synthetic: slices of %s" % key[1], got.get(key), want)
    slices = trace.vcpus()[SEVEN_1]
    want = {"esr": 0x24 << 26, "far": 0, "hpfar": 0, "vm": 0, "vcpu": 0, "code": 2, "handled": 0}
    got = next(s.arguments for s in slices if s.category == "exit")
    equal("synthetic: arguments of an exit", got, {k: ("uint", v) for k, v in want.items()})
    cpus = [s.arguments["cpu"] for s in slices if s.category == "host"]
    equal("synthetic: CPUs", cpus, [("uint", 0), ("uint", 0), ("uint", 1)])


def test_flows(directory):
    trace, _ = export(synthetic(directory, synth.enabled(*TAKEN)))
    threads = [t["thread"] for t in trace.track.values() if "thread" in t]
    equal("synthetic: threads", threads, [{"pid": 7, "tid": 7, "thread_name": "seven"},
                                          {"pid": 3, "tid": 3, "thread_name": "three"},
                                          {"pid": 12, "tid": 12}])
    equal("synthetic: instants", trace.instants, {7: [
        ("kvm_entry", 95), ("kvm_exit", 225), ("kvm_exit", 260), ("kvm_entry", 390),
        ("kvm_entry", 985)], 12: [("kvm_entry", 90), ("kvm_entry", 250)]})
    got = [[tuple(s[1:]) for s in steps] for steps in trace.flows.values()]
    equal("synthetic: flows", sorted(got), [
        [(90, "kvm_entry", False), (110, "EL2 hvc", False), (120, "guest", False)],
        [(95, "kvm_entry", False), (110, "EL2 hvc", False), (120, "guest", False),
         (200, "EL2 guest_exit", False), (225, "kvm_exit", True)],
        [(390, "kvm_entry", False), (400, "EL2 hvc", False), (420, "guest", False),
         (500, "EL2 guest_exit", False), (520, "guest", False), (600, "EL2 guest_exit", False)]])
    result("synthetic: ends of flows", list(wrong_flows(trace, True)))


def test_not_recorded(directory):
    trace, _ = export(synthetic(directory, synth.enabled("hyp_enter", "hyp_exit")))
    want = {key: [s for s in slices if s[3] != "host"] for key, slices in KNOWN.items()}
    equal("no sched_switch: nothing is known of the host", without_arguments(trace), want)
    trace, _ = export(synthetic(directory, synth.enabled("hyp_enter", "sched_switch")))
    equal("no hyp_exit: no tracks", trace.vcpus(), {})


# --- recordings ---------------------------------------------------------------

LINE = re.compile(r"\[(\d+)\] +(\d+)\.(\d{9}) hyp +(.*)")
EXIT = re.compile(r".*?-(\d+) +(hyp_enter|vcpu_exit): +(.*)")
KVM = re.compile(r"\[\d+\] +(\d+)\.(\d{9}) host +.*?-(\d+) +(kvm_entry|kvm_exit): ")
PLACES = {"guest": "guest", "EL2": "el2", "host": "host"}


def report(path):
    """=> lines"""
    done = run(HYPTRACE, "report", path)
    assert not done.returncode, done.stderr
    return done.stdout.decode(errors="replace").splitlines()


def reported_exits(lines):
    """=> {pid: [(time, name)]} of guest exits that have a hyp_enter and a vcpu_exit"""
    found, entered = {}, {}
    for line in filter(None, map(LINE.match, lines)):
        cpu, ts, event = line[1], int(line[2]) * 10**9 + int(line[3]), EXIT.match(line[4])
        if line[4].startswith("*** "):
            entered.pop(cpu, None)
        elif event and event[2] == "hyp_enter":
            entered[cpu] = ts
        elif event and cpu in entered:
            word = dict(w.split("=", 1) for w in event[3].split())
            name = word["ec"] if word["code"] == "TRAP" else word["code"]
            found.setdefault(int(event[1]), []).append((entered[cpu], name))
    return found


def reported_kvm(lines):
    """=> {pid: [(name, time)]} of the host's kvm events"""
    found = {}
    for line in filter(None, map(KVM.match, lines)):
        found.setdefault(int(line[3]), []).append((line[4], int(line[1]) * 10**9 + int(line[2])))
    return found


def stat(path):
    done = run(HYPTRACE, "stat", "--json", path)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def vcpu_of(row):
    """The names of a vCPU's tracks"""
    vm = "VM 0x%x" % row["vm"] if row["vm"] else None
    return vm, "vCPU %d of %s-%d" % (row["vcpu"], row["comm"], row["pid"])


def of_stat(row, key):
    """A vCPU has one slice for all of the host"""
    return row["task"] + row["irq"] + row["softirq"] if key == "host" else row[key]


def sums(slices):
    """=> what stat has of a vCPU"""
    found = dict.fromkeys(PLACES.values(), 0)
    for s in slices:
        if s.category in PLACES:
            found[PLACES[s.category]] += s.end - s.start
    return dict(found, entries=sum(s.category == "guest" for s in slices))


def check_times(name, vcpus, known):
    number = sum(map(len, vcpus.values()))
    result("%s: %d slices nest" % (name, number),
           [wrong for slices in vcpus.values() for wrong in misplaced(slices)])
    exact = ["guest", "el2", "entries"] + ["host"] * (not known["losses"])
    want = {vcpu_of(row): {key: of_stat(row, key) for key in exact} for row in known["vcpus"]}
    got = {key: {k: v for k, v in sums(slices).items() if k in exact}
           for key, slices in vcpus.items()}
    equal("%s: the times and entries of %d vCPUs are those of stat" % (name, len(want)), got, want)


def test_schedule(directory):
    """With events of other tasks in between, and tasks that end"""
    for seed in range(3):
        path = os.path.join(directory, "schedule.dat")
        Schedule(seed).write(path)
        check_times("schedule %d" % seed, export(path)[0].vcpus(), stat(path))


def test_recording(path):
    name = os.path.basename(path)
    trace, shift = export(path)
    os.unlink(path + ".pftrace")
    vcpus, known = trace.vcpus(), stat(path)
    check_times(name, vcpus, known)
    lines = report(path)
    got, wanted = {}, reported_exits(lines)
    for (_, vcpu_name), slices in vcpus.items():
        got.setdefault(int(vcpu_name.rsplit("-", 1)[1]), []).extend(
            (s.start - shift, s.name) for s in slices if s.category == "exit" and
            s.name != "guest_exit")
    equal("%s: %d exits, with the times and names of the report" % (
        name, sum(map(len, wanted.values()))), {p: sorted(e) for p, e in got.items()}, wanted)
    names = {t["thread"]["tid"]: t["thread"].get("thread_name")
             for t in trace.track.values() if "thread" in t}
    equal("%s: the names of %d threads are those of stat" % (name, len(names)),
          {row["pid"]: names.get(row["pid"]) or "<...>" for row in known["tasks"] if row["pid"]},
          {row["pid"]: row["comm"] for row in known["tasks"] if row["pid"]})
    check_flows(name, trace, shift, reported_kvm(lines), known)


def check_flows(name, trace, shift, kvm, known):
    got = {tid: [(n, ts - shift) for n, ts in instants] for tid, instants in trace.instants.items()}
    equal("%s: %d kvm_entry and kvm_exit, as in the report" % (name, sum(map(len, kvm.values()))),
          got, kvm)
    cut = bool(known["losses"] or known["misplaced"])
    result("%s: %d flows with both ends" % (name, len(trace.flows)), list(wrong_flows(trace, cut)))
    guests = sum(s.name == "guest" for steps in trace.flows.values() for s in steps)
    entries = sum(row["entries"] for row in known["vcpus"])
    good = guests <= entries if cut else guests == entries
    result("%s: %d of %d guest entries are in a flow" % (name, guests, entries),
           [] if good else ["got %d" % guests])


def functions_of(trace):
    """=> {path of names: [slices, time in no slice inside]} of all CPUs"""
    found = {}
    for uuid, track in trace.track.items():
        if not track.get("name", "").startswith("EL2 functions CPU "):
            continue
        path = []
        for s in trace.slices[uuid]:
            path[s.depth:] = [s.name]
            for depth in range(max(s.depth - 1, 0), s.depth + 1):
                node = found.setdefault(tuple(path[:depth + 1]), [0, 0])
                node[1] += s.end - s.start if depth == s.depth else s.start - s.end
            found[tuple(path)][0] += 1
    return found


def test_functions(directory):
    """Slices of EL2's functions: their times are those of the tree of hyptrace graph"""
    path = os.path.join(directory, "functions.dat")
    for outside in False, True:
        made = graphs.random_trace(12, outside=outside)
        made.write(path)
        trace, _ = export(path)
        want = {}
        for node, (_, ns) in made.tree.items():
            node = ("EL2 " + node[0].split()[0],) + node[1:]
            want[node] = want.get(node, 0) + ns
        got = functions_of(trace)
        equal("functions: time of self in each slice", {n: ns for n, (_, ns) in got.items()}, want)
    lost = graphs.Trace()
    lost.prime()
    for loss in 0, 3, 0:
        lost.enter(hcall=5)
        lost.wait(10)
        lost.call("walk")
        lost.wait(20)
        lost.add("host_hcall", lost=loss)
        lost.end()
        lost.leave()
    lost.write(path)
    equal("functions: a loss ends all slices at the event before", functions_of(export(path)[0]),
          {("EL2 hvc",): [3, 30], ("EL2 hvc", "walk"): [3, 40]})


def main():
    print("TAP version 13")
    attempt_each((test_synthetic, test_flows, test_not_recorded, test_functions, test_schedule))
    for path in sys.argv[2:]:
        attempt(test_recording, path)
    finish()


main()
