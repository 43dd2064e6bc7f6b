# SPDX-License-Identifier: GPL-2.0
"""A part of page_test.py: lanes of vCPUs, VMs and tasks."""
import collections
import random
import re
import subprocess
import sys

import htmlpage
import synth
from page_use_tests import click_element, guest_run, is_line, written
from pagetools import canvas_at, colour, expect, look, near, pixel, text, view
from schedulemodel import EMPTY, Schedule

ON = synth.enabled("hyp_enter", "hyp_exit", "kvm_entry", "kvm_exit", "sched_switch")
VM = 0x1000
HOST, EL2, GUEST, EVENTS = 2, 3, 4, 5	# rows of a vCPU, below the title and the CPUs
RUNS = 1


def switch(ts, old, new):
    return ts, "sched_switch", old, {"prev_pid": old, "next_pid": new}


def hvc(ts, pid, ns=200):
    return [(ts, "hyp_enter", pid, {"reason": 1}), (ts + 50, "host_hcall", pid, {"id": 12}),
            (ts + ns, "hyp_exit", pid, {"reason": 6})]


def write(path, host, hyp, comms, on=ON):
    """host, hyp: {cpu: lists of events; events were lost before all but the first}"""
    data = [{cpu: [synth.page(sorted(events, key=lambda e: e[0]), lost=5 if i else 0)
                   for i, events in enumerate(lists)]
             for cpu, lists in side.items()} for side in (host, hyp)]
    synth.write(path, *data, texts=on, comms=comms)
    page = path[:-4] + ".html"
    subprocess.run([sys.argv[1], "export", "-q", "--html", "-o", page, path], check=True)
    return page


def write_moves(path):
    """
    Task 7, vCPU 0, runs on CPU 0 from 1000 to 6000, on CPU 1 from 8000 to 12000, and on CPU 0 from
    16000 to 17000. Task 9, vCPU 1, runs on CPU 1 from 1500 to 8000 and from 14000 on. Task 11 is
    none. Events are lost on CPU 0 before 7000, and on CPU 1 before 20100.
    """
    runs = {(0, 2000): (200, VM, 0, 7), (1, 2500): (200, VM, 1, 9), (1, 9000): (200, VM, 0, 7),
            (1, 15000): (200, VM, 1, 9)}
    host = {0: [switch(1000, 0, 7), switch(6000, 7, 0), switch(16000, 0, 7), switch(17000, 7, 0)],
            1: [switch(1500, 0, 9), switch(8000, 9, 7), switch(12000, 7, 11), switch(13000, 11, 0),
                switch(14000, 0, 9)]}
    hyp = {0: hvc(500, 0, 100) + hvc(6500, 0, 100), 1: hvc(12500, 11)}
    for (cpu, ts), arguments in runs.items():
        both = guest_run(ts, *arguments)
        host[cpu] += both[0]
        hyp[cpu] += both[1]
    lossy = {cpu: [events] for cpu, events in hyp.items()}
    lossy[0].append(hvc(7000, 0, 100) + hvc(16500, 7))
    lossy[1].append(guest_run(20000, 200, VM, 1, 9)[1])
    return write(path, {cpu: [events] for cpu, events in host.items()}, lossy,
                 b"7 first\n9 second\n11 other\n")


# --- what is in the lanes -------------------------------------------------------

def lanes(b):
    """=> for each lane: its name, times by place, events, CPUs that it was on"""
    return b.js("""page.lanes.lanes.map((lane) => ({
        name: lane.name, events: Array.from(lane.all.event),
        times: [0, 1, 2].map((p) => d3.sum(lane.members, (m) => m.slices[p].sum[m.slices[p].n])),
        runs: lane.runs && Array.from(lane.runs.start, (start, i) =>
            [page.data.cpus[lane.runs.what[i]].cpu, start, lane.runs.end[i]]),
        stays: Array.from(lane.stays.start, (start, i) => [start, lane.stays.end[i]]),
    }))""")


def vcpu_name(vcpu):
    return "vCPU 0x%x:%d" % vcpu if vcpu else "vCPU"


def task_name(task):
    return "%s-%d" % (task[1].decode(), task[0])


def expected_times(page, name_of):
    """=> {name: times by place}, and {name: CPUs with the times on them}, by the data itself"""
    times = collections.defaultdict(lambda: [0, 0, 0])
    spans = collections.defaultdict(list)
    for cpu, list_of_spans in page.spans.items():
        for start, end, place, task, vcpu in list_of_spans:
            name = name_of(task, vcpu)
            if name and place != "unknown":
                times[name][htmlpage.PLACES.index(place)] += end - start
                spans[name].append((start - page.base, end - page.base, cpu))
    runs = {}
    for name, found in spans.items():
        runs[name] = []
        for start, end, cpu in sorted(found):
            if runs[name] and runs[name][-1][0] == cpu:
                runs[name][-1][2] = end
            else:
                runs[name].append([cpu, start, end])
    return dict(times), runs


def consistent(b, by):
    """What is in a lane is that of the CPU that the lane says, and is found there again"""
    wrong = b.js("""page.lanes.lanes.flatMap((lane, index) => [
        ...Array.from(lane.all.event).filter((i) =>
            page.lanes.locate(eventBox(page.data, i)).lane !== index).map((i) => "event " + i),
        ...Array.from(lane.stays.start, (start, i) => [start, laneBox(lane, "stay", lane.stays, i)])
            .filter(([start, box]) => page.data.cpus[box.cpu].stays.start[box.i] !== start ||
                page.lanes.locate(box).lane !== index).map(([start]) => "stay at " + start)])""")
    expect("lanes: lists are parts of those of CPUs, by " + by, not wrong, wrong)


def compare(b, path, by, name_of):
    page = htmlpage.Page(path)
    b.open(path, "#lanes=" + by)
    got, (times, runs) = lanes(b), expected_times(page, name_of)
    seen = {lane["name"]: lane["times"] for lane in got}
    expect("lanes: times by %s" % by, seen == times and len(got) == len(times), seen, times)
    consistent(b, by)
    seen = {lane["name"]: lane["runs"] for lane in got}
    expect("lanes: CPUs, by %s" % by, seen == runs, seen, runs)
    return page, got


def test_times(b, path):
    page, got = compare(b, path, "vcpu", lambda task, vcpu: vcpu and vcpu_name(vcpu))
    for lane, name in zip(got, (b" first-7 ", b" second-9 ")):
        want = [i for i, line in enumerate(page.lines) if name in line]
        expect("lanes: events of " + lane["name"], lane["events"] == want, lane["events"], want)
    expect("lanes: vCPUs are in their order", [lane["name"] for lane in got] ==
           ["vCPU 0x1000:0", "vCPU 0x1000:1"], got)
    losses = b.js("page.lanes.lanes.map((lane) => Array.from(lane.losses.t))")
    expect("lanes: losses where the vCPU was last", losses == [[7000 - page.base], [20100 - page.base]], losses)
    names = b.js("Array.from(page.lanes.lanes[0].stays.start, (_, i) =>"
                 " stayText(page.data, page.lanes.lanes[0].stays, i))")
    expect("lanes: names of EL2 entries", names == ["hvc 12", "guest_exit"] * 2 + ["hvc 12"], names)
    by_vcpu = {vcpu_name((r["vm"], r["vcpu"])): [r[p] for p in htmlpage.PLACES[:3]]
               for r in page.stat["vcpus"]}
    expect("lanes: they have the times of stat", by_vcpu == {l["name"]: l["times"] for l in got}, by_vcpu)
    stays = sorted([[s[0] - page.base, s[1] - page.base] for s in page.stays[0] + page.stays[1]
                    if s[0] not in (500, 6500, 7000, 12500)])
    both = b.js("(page.showLanes('vm'), null)") or lanes(b)
    consistent(b, "vm")
    expect("lanes: a VM has the times of its vCPUs", len(both) == 1 and both[0]["name"] == "VM 0x1000" and
           both[0]["times"] == [sum(t) for t in zip(*by_vcpu.values())], both)
    expect("lanes: and their EL2 entries in order", both[0]["stays"] == stays, both[0]["stays"], stays)
    expect("lanes: and their events", both[0]["events"] == sorted(got[0]["events"] + got[1]["events"]),
           both[0]["events"])
    page, got = compare(b, path, "task", lambda task, vcpu: task[0] > 0 and task_name(task))
    busy = [sum(lane["times"]) for lane in got]
    expect("lanes: the busiest task is first", busy == sorted(busy, reverse=True) and len(got) == 3, busy)


def test_drawn(b, path):
    b.open(path, "#lanes=vcpu")
    look(b, 0, 14000)
    for what, t, lane, row, name in (
            ("in the guest", 3000, 0, GUEST, "guest"), ("not at EL2", 3000, 0, EL2, "lane"),
            ("at EL2", 2250, 0, EL2, "el2"), ("in the host", 5000, 0, HOST, "host"),
            ("not running", 7500, 0, HOST, "lane"), ("on the other CPU", 10500, 0, GUEST, "guest"),
            ("the other one not there", 10500, 1, GUEST, "lane"),
            ("its CPU", 5800, 0, RUNS, "cpu-even"), ("its other CPU", 11500, 0, RUNS, "cpu-odd")):
        seen = pixel(b, t, lane, row)
        expect("lanes: %s at %d" % (what, t), seen == colour(b, name), seen, name, colour(b, name))
    for points in ([(9000, HOST), (9100, EL2), (9300, GUEST)], [(11000, GUEST), (11200, EL2), (11300, HOST)]):
        look(b, 8900, 11400)
        expect("lanes: arrows at %d" % points[0][0], all(
            is_line(b, a, c, 0) for a, c in zip(points, points[1:])))
    look(b, 14000, 24000)
    seen = [pixel(b, 20100, lane, GUEST) for lane in (0, 1)]
    expect("lanes: a loss is only where the vCPU was last", [s == colour(b, "loss") for s in seen] ==
           [False, True], seen)
    b.js("page.showLanes('vm')")
    look(b, 0, 14000)
    for what, t, row, name in (("vCPU 0 is in the guest", 3000, 2, "guest"), ("at EL2", 4050, 2, "el2"),
                               ("in the host", 5500, 2, "host"), ("not running", 7500, 2, "lane"),
                               ("vCPU 1 is in the guest", 3000, 3, "guest")):
        seen = pixel(b, t, 0, row)
        expect("lanes: VM: %s at %d" % (what, t), seen == colour(b, name), seen, name)


def test_levels(b, path):
    """How many vCPUs of the VM run; the times below the steps are those of the slices"""
    b.open(path, "#lanes=vm")
    look(b, 0, 14000)
    for t, wants in ((3000, ("2 of 2 vCPUs in the guest", "at EL2\n0", "not running\n0")),
                     (4300, ("1 of 2 vCPUs in the guest", "in the host\n1", "from\n0.000004200 s")),
                     (10000, ("1 of 2 vCPUs in the guest", "not running\n1", "1.700 \u00b5s (1\u202f700 ns)"))):
        b.mouse("mouseMoved", *canvas_at(b, t, 0, 1))
        b.frames()
        expect("lanes: vCPUs at %d" % t, all(w in text(b, "tip") for w in wants), text(b, "tip"))
    x, y = canvas_at(b, 10000, 0, 1)
    high = [b.js("(() => { const r = document.getElementById('timeline').getBoundingClientRect();"
                 " return Array.from(document.getElementById('timeline').getContext('2d').getImageData("
                 "%f - r.left, %f - r.top - 26, 1, 52).data); })()" % (at, y))
            for at in (x, canvas_at(b, 3000, 0, 1)[0])]
    guest = [int(colour(b, "guest")[i:i + 2], 16) for i in (1, 3, 5)]
    count = [sum(h[i:i + 3] == guest for i in range(0, len(h), 4)) for h in high]
    expect("lanes: the height is their number", 24 <= count[0] <= 27 and 48 <= count[1] <= 52, count)
    chance = random.Random(5)
    for _ in range(8):
        begin, end = sorted(chance.randrange(24000) for _ in range(2))
        both = b.js("""(() => {
            const lane = page.lanes.lanes[0], { levels } = lane.rows[1];
            const [from, to] = [%d, %d].map((t) => t - Number(page.data.base));
            const [i, j] = [from, to].map((t) => levels.find(t));
            return [0, 1, 2].map((place) => [levels.mean(place, i, from, j, to) * (to - from),
                d3.sum(lane.members, (m) => timeIn(m.slices[place], from, to))]);
        })()""" % (begin, end))
        expect("lanes: vCPUs from %d to %d" % (begin, end), all(near(a, c, 1e-6) for a, c in both), both)


# --- what one can do with them ---------------------------------------------------

def test_use(b, path):
    b.open(path, "#lanes=vcpu")
    look(b, 0, 14000)
    b.mouse("mouseMoved", *canvas_at(b, 10000, 0, GUEST))
    b.frames()
    expect("lanes: the tip has the CPU", all(w in text(b, "tip") for w in
           ("vCPU 0x1000:0", "CPU\n1", "1.700 \u00b5s", "first-7")), text(b, "tip"))
    b.mouse("mouseMoved", *canvas_at(b, 11800, 0, RUNS))
    b.frames()
    expect("lanes: the CPU has a tip", "On CPU 1" in text(b, "tip") and "4.000 \u00b5s" in text(b, "tip"),
           text(b, "tip"))
    b.click(*canvas_at(b, 4100, 0, EL2))
    expect("lanes: a click", "EL2: guest_exit" in text(b, "details") and "CPU\n0" in text(b, "details"),
           text(b, "details"))
    b.key("]")
    expect("lanes: the next EL2 entry is on another CPU", all(w in text(b, "details") for w in
           ("EL2: hvc", "CPU\n1", "from\n0.000009100 s")), text(b, "details"))
    b.key("l")
    expect("lanes: the key l, and what is selected stays", "EL2: hvc" in text(b, "details") and
           b.js("[page.by, page.state.selected.lane, page.state.selected.row, "
                "document.getElementById('by').value]") == ["vm", 0, 2, "vm"], b.js("page.state"))
    b.key("[")
    expect("lanes: in a VM, the one before may be another vCPU's", "from\n0.000004500 s" in text(b, "details") and
           b.js("page.state.selected.row") == 3, text(b, "details"))
    look(b, 12000, 13000)
    b.js("page.showLanes('vcpu')")
    expect("lanes: the view stays", all(near(a, c, 0.01) for a, c in zip(view(b), (12000, 13000))), view(b))
    look(b, 0, 14000)
    b.click(*canvas_at(b, 2150, 0, EVENTS))
    b.key("ArrowDown")
    b.key(".")
    expect("lanes: the next event of another lane", "second-9" in text(b, "details"), text(b, "details"))
    b.js("page.tabs.show(4)")
    click_element(b, "#table tbody tr button")
    expect("lanes: a maximum", b.js("page.state.selected.lane") >= 0 and "(200 ns)" in text(b, "details"),
           text(b, "details"))
    b.js("page.hits.search('other-11 host_hcall')")
    b.key("n")
    expect("lanes: an event that is in none", "host_hcall" in text(b, "details") and
           "Show it by CPU" in text(b, "details") and b.js("page.state.selected.lane") == -1,
           text(b, "details"))
    b.js("Array.from(document.querySelectorAll('#details button')).at(-2).click()")
    expect("lanes: its surroundings", b.js(
        "page.data.events.t[page.tabs.current] === page.state.selected.start") and
        "host_hcall" in text(b, "table"), text(b, "table")[:200])
    b.js("Array.from(document.querySelectorAll('#details button')).at(-1).click()")
    expect("lanes: and by CPU", b.js("[page.by, page.state.selected.lane]") == ["cpu", 1] and
           "Show it by CPU" not in text(b, "details"), b.js("page.by"))
    b.js("(page.showLanes('task'), page.hits.search('first-7 vcpu_'))")
    hits = b.js("page.state.hits.map((marks) => marks.n)")
    expect("lanes: hits are in the lane of their task", hits[0] + hits[1] == sum(hits) == 2, hits)
    expect("lanes: no complaint", not b.complaints(), b.complaints())


def test_address(b, path):
    for by in "vcpu", "vm", "task", "cpu":
        b.js("(() => { const by = document.getElementById('by'); by.value = '%s';"
             " by.dispatchEvent(new Event('change')); })()" % by)
        fragment = written(b)
        want = "" if by == "cpu" else "lanes=" + by
        expect("lanes: the address, by " + by, want in fragment and ("lanes" in fragment) == bool(want),
               fragment)
        b.open(path, fragment)
        expect("lanes: from the address, by " + by, b.js("page.by") == by and written(b) == fragment)
    b.open(path, "#lanes=constructor")
    expect("lanes: nonsense", b.js("page.by") == "cpu" and not b.complaints(), b.complaints())


def test_range(b, path):
    """The times beside a lane's name are those of the range"""
    b.open(path, "#lanes=vcpu&range=0.000003000-0.000005000")
    said = b.js("page.lanes.lanes.map((lane) => timesText(lane.members, page.state.range))")
    expect("lanes: times of a range", said == ["guest 1.000 \u00b5s, EL2 200 ns, task 800 ns",
                                               "guest 1.500 \u00b5s, EL2 200 ns, task 300 ns"], said)
    b.key("Escape")
    said = b.js("timesText(page.lanes.lanes[0].members, page.state.range)")
    expect("lanes: and else of all", said.startswith("guest 3.400 \u00b5s"), said)


# --- other recordings --------------------------------------------------------------

def test_same_number(b, directory):
    """VMs that are not protected have no number, and one may be used again: tasks tell them apart"""
    for vm in 0, VM:
        host, hyp = {}, {}
        for cpu in range(2):
            both = guest_run(1000 + 500 * cpu, 200, vm, 0, 7 + cpu)
            host[cpu] = [[switch(500, 0, 7 + cpu)] + both[0]]
            hyp[cpu] = [both[1]]
        b.open(write(directory + "/number.dat", host, hyp, b"7 a\n8 b\n"), "#lanes=vcpu")
        got = [[lane["name"], lane["times"][2]] for lane in lanes(b)]
        expect("lanes: vCPUs with the number %d" % vm, got == [["vCPU %s:0" % (hex(vm) if vm else "?"), 1700]] * 2, got)
        b.js("page.showLanes('vm')")
        rows = b.js("page.lanes.lanes.map((lane) => lane.rows.map((row) => row.name))")
        expect("lanes: and their VMs", len(rows) == 1 and
               sorted(rows[0][2:4]) == ["0, task 7", "0, task 8"], rows)


def test_many_tasks(b, directory):
    """The busiest ones have a lane, and it is said how long the rest ran"""
    tasks = 130
    host, ts = [switch(1000, 0, 100)], 1000
    for i in range(tasks):
        ts += 1000 + i
        host.append(switch(ts, 100 + i, 101 + i if i + 1 < tasks else 0))
    comms = "".join("%d t\n" % (100 + i) for i in range(tasks)).encode()
    hyp = [event for i in range(2) for event in hvc(ts + 1000 * (i + 1), 0)]
    b.open(write(directory + "/tasks.dat", {0: [host]}, {0: [hvc(500, 0) + hyp]}, comms), "#lanes=task")
    names = b.js("page.lanes.lanes.map((lane) => lane.name)")
    rest = sum(1000 + i for i in range(tasks - 100))
    expect("lanes: the busiest tasks", names == ["t-%d" % (100 + i) for i in range(tasks - 1, 29, -1)], names)
    expect("lanes: the other ones", "30 more tasks ran for %.2f \u00b5s" % (rest / 1000) in text(b, "note"),
           text(b, "note"))
    drawn = b.js("page.timeline.primitives")
    expect("lanes: those outside the window are not drawn", drawn < 700, drawn)
    for _ in range(99):
        b.js("page.stepLane(1)")
    b.key(",")
    expect("lanes: the keys reach the last one", "t-130" in text(b, "details") and in_window(b, 99, 3),
           text(b, "details"))


def test_many_vcpus(b, directory):
    """A lane that is higher than the window"""
    host, hyp = collections.defaultdict(list), collections.defaultdict(list)
    for cpu in range(4):
        for i in range(10):
            pid = 100 + 10 * cpu + i
            both = guest_run(1000 + 4000 * i, 200, VM, pid - 100, pid)
            host[cpu] += [switch(500 + 4000 * i, 0 if not i else pid - 1, pid)] + both[0]
            hyp[cpu] += both[1]
    comms = "".join("%d t\n" % (100 + i) for i in range(40)).encode()
    b.open(write(directory + "/vcpus.dat", {cpu: [e] for cpu, e in host.items()},
                 {cpu: [e] for cpu, e in hyp.items()}, comms), "#lanes=vm&tab=4")
    names = b.js("page.lanes.lanes[0].rows.map((row) => row.name)")
    expect("lanes: all vCPUs of a VM", names[1:42] == ["of 40 vCPUs"] + ["vCPU %d" % i for i in range(40)],
           names)
    drawn = b.js("""(() => {
        const { draw } = TrackRow.prototype;
        let n = 0;
        TrackRow.prototype.draw = function (...where) {
            n++;
            draw.apply(this, where);
        };
        page.frame();
        TrackRow.prototype.draw = draw;
        return n;
    })()""")
    expect("lanes: the last one is below the window, and not drawn", not in_window(b, 0, 41) and
           10 < drawn < 35, drawn)
    b.js("page.goTo(laneBox(page.lanes.lanes[0].members[39], 'stay', page.lanes.lanes[0].members[39].stays, 1))")
    b.frames()
    expect("lanes: it comes into the window", b.js("page.state.selected.row") == 41 and in_window(b, 0, 41) and
           "EL2: guest_exit" in text(b, "details"), text(b, "details"))


def in_window(b, lane, row):
    y = canvas_at(b, 0, lane, row)[1]
    box = b.js("(() => { const r = document.getElementById('lanes').getBoundingClientRect();"
               " return [r.top, r.bottom]; })()")
    return box[0] < y < box[1]


def test_contradiction(b, page, start):
    """Task 7 runs on four CPUs at a time: it has four lanes, each of which is right"""
    b.open(page, "#lanes=task")
    names = b.js("page.lanes.lanes.map((lane) => lane.name)")
    expect("lanes: a task on several CPUs is split", sorted(names) == ["qemu-7, CPU %d" % c for c in range(4)],
           names)
    look(b, start - 1000, start + 11000)
    b.mouse("mouseMoved", *canvas_at(b, start + 7500, names.index("qemu-7, CPU 2"), 3))
    b.frames()
    expect("lanes: the part of a CPU", "CPU\n2" in text(b, "tip") and "3.000 \u00b5s" in text(b, "tip"),
           text(b, "tip"))
    events = b.js("page.lanes.lanes.map((lane) => lane.all.n)")
    total = b.js("page.data.cpus.map((cpu) => cpu.points[0].marks.n + cpu.points[1].marks.n)")
    rows = b.js("(page.showLanes('vm'), page.lanes.lanes[0].rows.slice(2, -1).map((row) => row.name))")
    expect("lanes: and in the VM", sorted(rows) == ["task 7, CPU %d" % c for c in range(4)], rows)
    expect("lanes: and its events", sorted(events) == sorted(total), events, total)


def test_none(b, page):
    """Neither vCPUs nor tasks"""
    for by in "vcpu", "vm", "task":
        b.open(page, "#lanes=" + by)
        for key in (*"][.,+-0nNrl", "ArrowDown", "End", "Enter"):
            b.key(key)
        b.js("page.showLanes('%s')" % by)
        b.click(*canvas_at(b, 5, 99, 0))
        b.js("page.hits.search('hyp')")
        b.key("n")
        note = text(b, "note")
        expect("lanes: none by " + by, not b.complaints() and b.js("page.lanes.lanes.length") == 0 and
               ("vCPU" in note or "no lane" in note), b.complaints(), note)


def test_frames(b, page):
    """What is drawn is bounded by the pixels of the rows"""
    b.open(page)
    for by in "vcpu", "vm", "task":
        b.js("page.showLanes('%s')" % by)
        most, rows, milliseconds = b.js("""(() => {
            const times = [];
            let most = 0;
            for (let i = 0; i < 60; i++) {
                page.scaleView(i < 30 ? 1.3 : 1 / 1.3);
                page.frame();
                most = Math.max(most, page.timeline.primitives);
                times.push(page.frameMs);
            }
            return [most, d3.sum(page.lanes.lanes, (lane) => lane.rows.length),
                    times.sort((x, y) => x - y)[30]];
        })()""")
        print("# by %s: %d rows, at most %d primitives, median %.1f ms" % (by, rows, most, milliseconds))
        expect("lanes: bounded, by " + by, most < 4 * rows * b.js("page.timeline.width"), most, rows)


def test_places(b, directory):
    """Idle, interrupts and softirqs have rows, and numbers of their own, which are those of the model"""
    path = directory + "/places.dat"
    model = Schedule(5)
    model.write(path)
    subprocess.run([sys.argv[1], "export", "-q", "--html", path], check=True)
    b.open(path.replace(".dat", ".html"), "#tab=1")
    names = b.js("page.lanes.lanes[0].rows.map((row) => row.name)")
    expect("places: rows", names[:6] == ["task", "EL2", "guest", "irq", "softirq", "idle"], names)
    rows = b.js("rangeStat(page.data, { from: page.data.start, to: page.data.end })")
    for what, key, want in (("cpus", "cpu", model.times(lambda cpu, task, vcpu: cpu)),
                            ("tasks", "pid", model.times(lambda cpu, task, vcpu: task))):
        got = {row[key]: {place: row[place] for place in EMPTY} for row in rows[what]}
        expect("places: times of " + what, got == want, got, want)
    legend, columns = text(b, "legend"), b.js("document.querySelector('#table tr').textContent")
    expect("places: in the legend and the columns", all(
        name in legend and name in columns for name in ("softirq", "idle")), legend, columns)
    times = b.js("vmLanes(page.data).lanes.map(({ members }) => new Levels(members))"
                 ".map((l) => [0, 1, 2].map((place) => l.sum[3 * (l.n - 1) + place]))")
    want = [sum(row[place] for row in model.times(lambda cpu, task, vcpu: vcpu and (task, vcpu)).values()
                for place in places) for places in (("task", "irq", "softirq"), ("el2",), ("guest",))]
    expect("places: levels of VMs", [sum(level) for level in zip(*times)] == want, times, want)


def test_all(b, directory, page, start):
    moves = write_moves(directory + "/moves.dat")
    test_times(b, moves)
    test_drawn(b, moves)
    test_levels(b, moves)
    test_use(b, moves)
    test_address(b, moves)
    test_range(b, moves)
    test_same_number(b, directory)
    test_many_tasks(b, directory)
    test_many_vcpus(b, directory)
    test_contradiction(b, page, start)
    test_places(b, directory)
    test_frames(b, page)
    test_none(b, write(directory + "/none.dat", {}, {0: [hvc(1000, 0)]}, b"", ON[:2]))
