#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: stat_output_test.py HYPTRACE

What "hyptrace stat" prints of a recording whose times are known. TAP.
"""
import json
import os
import sys

import synth
from tap import attempt_each, equal, finish, on_terminal, result, run

HYPTRACE = sys.argv[1]

HVC, GUEST_EXIT, ERET_HOST, ERET_GUEST = 1, 5, 6, 7
BASE = 10**9
VM = 0x1003


def guest_run(number, vm=VM):
    """Events of host and EL2 of a guest's run: every 10 us one, the n-th exit n us longer"""
    ts, pid, vcpu = BASE + 10000 * number, 7 + number % 2, number % 2
    left = ts + 1300 + 1000 * number
    host = [(ts, "kvm_entry", pid, {}), (left + 100, "kvm_exit", pid, {})]
    hyp = [(ts + 100, "hyp_enter", pid, {"reason": HVC}), (ts + 110, "host_hcall", pid, {"id": 5}),
           (ts + 120, "vcpu_enter", pid, {"vm": vm, "vcpu": vcpu}),
           (ts + 200, "hyp_exit", pid, {"reason": ERET_GUEST}),
           (ts + 1200, "hyp_enter", pid, {"reason": GUEST_EXIT}),
           (left, "hyp_exit", pid, {"reason": ERET_HOST})]
    return host, hyp


def recording(directory, runs=4, vm=VM):
    path = os.path.join(directory, "runs%d.dat" % runs)
    host, hyp = [], []
    for number in range(runs):
        events = guest_run(number, vm)
        host += events[0]
        hyp += events[1]
    synth.write(path, {0: [synth.page(host)]}, {0: [synth.page(hyp)]},
                texts=synth.enabled("hyp_enter", "hyp_exit"), comms=b"7 first\n8 second\n")
    return path


def stat(*arguments):
    done = run(HYPTRACE, "stat", *arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def text(*arguments):
    status, out, said = stat(*arguments)
    assert status == 0 and not said, said
    return out


def numbers(*arguments):
    return json.loads(text("--json", *arguments))


def table(out, title):
    """The rows of a table, each a list of words, without its heading"""
    rows = [line.split() for line in out.split("\n%s " % title)[1].split("\n\n")[0].splitlines()]
    return rows[1:]


def times(row):
    return [row[place] for place in ("task", "el2", "guest", "unknown")]


def durations(rows, *members):
    return {row["name"]: [row[member] for member in members] for row in rows}


def test_json(directory):
    got = numbers(recording(directory))
    equal("json: the recording", (got["start"], got["wall"]), (BASE, 34400))
    equal("json: times", times(got["cpus"][0]), [23500, 6800, 4000, 100])
    equal("json: min, p99.9", durations(got["entries"], "count", "min", "p999", "max"),
          {"hvc": [4, 100, 100, 100], "guest_exit": [4, 100, 3100, 3100]})
    equal("json: no list of the slowest", [key for key in got if "slowest" in key], [])


def test_units(directory):
    path = recording(directory)
    row = table(text(path), "EL2 ENTRY")[0]
    equal("auto", row, ["guest_exit", "4", "6.400us", "18.60", "1.600us", "100ns", "1.100us",
                        "3.100us", "3.100us", "3.100us", "3.100us"])
    for unit, want in (("ns", "6400"), ("us", "6.400"), ("ms", "0.006400"), ("s", "0.000006400")):
        out = text("--unit", unit, path)
        equal("unit " + unit, table(out, "EL2 ENTRY")[0][2], want)
        equal("unit %s: is named" % unit, "are in %s\n" % unit in out, True)


def test_rounding(directory):
    """Four digits: a number that rounds up to the next unit is printed in that one"""
    path = os.path.join(directory, "round.dat")
    for ns, want in ((999, "999ns"), (1000, "1.000us"), (9999, "9.999us"), (99994, "99.99us"),
                     (99995, "100.0us"), (999949, "999.9us"), (999950, "1.000ms"),
                     (1234567, "1.235ms"), (12345678901, "12.35s")):
        events = [(BASE, "hyp_enter", 7, {"reason": HVC}),
                  (BASE + ns, "hyp_exit", 7, {"reason": ERET_HOST})]
        synth.write(path, {0: []}, {0: [synth.page(events)]},
                    texts=synth.enabled("hyp_enter", "hyp_exit"))
        equal("%d ns" % ns, table(text(path), "EL2 ENTRY")[0][-1], want)


def test_total(directory):
    out = text("-u", "ns", recording(directory))
    equal("total: durations", table(out, "EL2 ENTRY")[-1],
          ["total", "8", "6800", "19.77", "850", "100", "100", "3100", "3100", "3100", "3100"])
    equal("total: times", table(out, "TASK")[-1],
          ["total", "23500", "68.31", "6800", "19.77", "4000", "11.63"] + 3 * ["0", "0.00"] +
          ["100", "0.29"])
    equal("total: entries", table(out, "VCPU")[-1][:2], ["total", "4"])


def names(rows):
    return [row["name"] for row in rows]


def test_sort(directory):
    path = recording(directory)
    equal("sort by total", names(numbers(path)["entries"]), ["guest_exit", "hvc"])
    equal("sort by name", names(numbers("-s", "name", path)["switches"]),
          ["guest to kvm_exit", "kvm_entry to guest"])
    for key in "total", "mean", "p50", "p99.9", "max":
        equal("sort by " + key, names(numbers("--sort", key, path)["entries"]), ["guest_exit", "hvc"])
    tasks = [(row["pid"], row["el2"]) for row in numbers("-s", "EL2", path)["tasks"]]
    equal("sort by EL2", tasks, [(8, 4400), (7, 2400), (None, 0)])
    tasks = [row["pid"] for row in numbers("-s", "task", path)["tasks"]]
    equal("sort by task", tasks[0], None)
    equal("sort by entries", [row["vcpu"] for row in numbers("-s", "ent", path)["vcpus"]], [0, 1])


def test_no_handle(directory):
    out = text(recording(directory, runs=2, vm=0))
    equal("vCPUs of VMs without a handle", [" ".join(row[:3]) for row in table(out, "VCPU")[:2]],
          ["?:0 of first-7", "?:1 of second-8"])


def test_top(directory):
    path = recording(directory)
    out = text("-n", "1", "-u", "ns", path)
    equal("top: durations", [row[:3] for row in table(out, "EL2 ENTRY")],
          [["guest_exit", "4", "6400"], ["others", "(1)", "4"], ["total", "8", "6800"]])
    equal("top: the others' percentiles", table(out, "EL2 ENTRY")[1][5:], ["100"] * 7)
    equal("top: tasks", [row[0] for row in table(out, "TASK")], ["second-8", "others", "total"])
    equal("top: json", [len(numbers("-n", "1", path)[key]) for key in ("tasks", "entries")], [1, 1])
    equal("top: enough for all", text("-n", "9", path), text(path))


def test_time(directory):
    path = recording(directory)
    got = numbers("--time", "1.00001,1.00002", path)
    equal("time: start and length", (got["start"], got["wall"]), (BASE + 10000, 10000))
    equal("time: times", times(got["cpus"][0]), [7800, 1200, 1000, 0])
    equal("time: durations", durations(got["entries"] + got["hypercalls"] + got["switches"],
                                       "count", "total"),
          {"hvc": [1, 100], "guest_exit": [1, 1100], "5": [1, 1200],
           "kvm_entry to guest": [1, 200], "guest to kvm_exit": [1, 1200]})
    equal("time: entries", (got["cpus"][0]["entries"], [r["entries"] for r in got["vcpus"]]), (2, [1]))
    equal("time: since the first event", numbers("--time=+0.00001,+0.00002", path), got)
    # an entry that begins inside counts as a whole, one that ends inside does not
    got = numbers("--time", "+0.000010150,+0.000011250", path)
    equal("time: cuts a span", times(got["cpus"][0]), [0, 100, 1000, 0])
    equal("time: cuts an entry", durations(got["entries"], "count", "total"), {"guest_exit": [1, 1100]})
    got = numbers("--time", "+0.000010150,+0.00002", path)
    equal("time: cuts a hypercall and a switch", durations(got["hypercalls"] + got["switches"], "count"),
          {"guest to kvm_exit": [1]})
    equal("time: to the end", numbers("--time=1.00003,", path)["wall"], 4400)
    equal("time: from the start", numbers("--time=,1.00003", path)["wall"], 30000)
    equal("time: text", "\nselected: time=10.00us from=1.000010000\n" in
          text("--time", "1.00001,1.00002", path), True)
    equal("time: all of it", numbers("--time=+0,", path), numbers(path))


def test_who(directory):
    path = recording(directory)
    want = {"hvc": [2, 200], "guest_exit": [2, 4200], "5": [2, 4400],
            "kvm_entry to guest": [2, 400], "guest to kvm_exit": [2, 4400]}
    for options in (["--task=8"], ["--task=second"], ["--vcpu=0x1003:1"], ["--vcpu", "4099:1"],
                    ["--vm=0x1003", "--task=8"]):
        got = numbers(*options, path)
        equal("%s: durations" % options,
              durations(got["entries"] + got["hypercalls"] + got["switches"], "count", "total"), want)
        # the first time, EL2 is entered for a vCPU 20 ns before vcpu_enter
        el2 = 4400 if options[0].startswith("--task") else 4380
        equal("%s: times" % options, times(got["cpus"][0]), [0, el2, 2000, 0])
        equal("%s: entries" % options, (got["cpus"][0]["entries"], [r["vcpu"] for r in got["vcpus"]]),
              (4, [1]))
    equal("a VM", times(numbers("--vm=0x1003", path)["cpus"][0]), [0, 6760, 4000, 0])
    equal("a task and a time", durations(numbers("--task=8", "--time=,1.00002", path)["entries"], "total"),
          {"hvc": [100], "guest_exit": [1100]})


def test_slowest(directory):
    path = recording(directory)
    got = numbers("--slowest", "3", path)
    equal("slowest: entries", [(r["ts"] - BASE, r["ns"], r["cpu"], r["comm"], r["name"], r["hypercall"])
                               for r in got["slowest_entries"]],
          [(31200, 3100, 0, "second", "guest_exit", None), (21200, 2100, 0, "first", "guest_exit", None),
           (11200, 1100, 0, "second", "guest_exit", None)])
    equal("slowest: switches", [(r["ts"] - BASE, r["ns"], r["name"]) for r in got["slowest_switches"]],
          [(31200, 3200, "guest to kvm_exit"), (21200, 2200, "guest to kvm_exit"),
           (11200, 1200, "guest to kvm_exit")])
    equal("slowest: equal ones", [r["ts"] - BASE for r in
                                  numbers("-S", "100", path)["slowest_entries"]][3:],
          [100, 1200, 10100, 20100, 30100])
    out = text("--slowest=1", path)
    equal("slowest: text", (table(out, "SLOWEST EL2 ENTRY"), table(out, "SLOWEST SWITCH")),
          ([["guest_exit", "3.100us", "1.000031200", "0", "second-8"]],
           [["guest", "to", "kvm_exit", "3.200us", "1.000031200", "0", "second-8"]]))
    out = text("-S", "1", "--task=7", "--time=,1.000015", path)
    equal("slowest: of a part", table(out, "SLOWEST EL2 ENTRY"),
          [["hvc", "5", "100ns", "1.000000100", "0", "first-7"]])


def test_width(directory):
    path = recording(directory)
    for columns in range(80, 140, 6):
        lines = on_terminal(columns, HYPTRACE, "stat", "-H", "-S", "2", path).splitlines()
        result("%d columns" % columns, [line for line in lines if len(line) > columns])
    for columns, want in ((80, "count total % mean p50 p99 p99.9 max"), (60, "count % p50 p99 max")):
        heads = [line for line in on_terminal(columns, HYPTRACE, "stat", path).splitlines() if "p50" in line]
        equal("%d columns: the most important ones" % columns, heads[0].split()[2:], want.split())
    equal("enough columns", on_terminal(200, HYPTRACE, "stat", path), text(path))


def test_errors(directory):
    path = recording(directory)
    for want, message, arguments in (
            (2, "bad unit 'hours': expected auto, ns, us, ms or s", ["--unit=hours", path]),
            (2, "bad sort 'p': expected name, count", ["--sort=p", path]),
            (2, "bad top '0': expected a number from 1 to", ["--top=0", path]),
            (2, "bad slowest '1e3': expected a number from 1 to 100000", ["--slowest=1e3", path]),
            (2, "bad time '1.5': expected FROM,TO in seconds", ["--time=1.5", path]),
            (2, "bad time ','", ["--time=,", path]), (2, "bad time ',0'", ["--time=,0", path]),
            (2, "bad time '1.0000000001,2'", ["--time=1.0000000001,2", path]),
            (2, "bad time '-1,2'", ["--time=-1,2", path]),
            (2, "bad time '99999999999999,'", ["--time=99999999999999,", path]),
            (2, "bad VM 'x': expected its handle", ["--vm=x", path]),
            (2, "bad vCPU '0x1003': expected VM:VCPU", ["--vcpu=0x1003", path]),
            (2, "bad vCPU '1:-1'", ["--vcpu=1:-1", path]),
            (1, "the time from 2.000000000 to 1.500000000 is empty", ["--time=2,1.5", path]),
            (1, "nothing was recorded at that time", ["--time=2,3", path]),
            (1, "no task 'third'", ["--task=third", path]),
            (1, "no such VM or vCPU", ["--vcpu=0x1003:2", path]),
            (1, "no such VM or vCPU", ["--vm=1", path])):
        status, out, said = stat(*arguments)
        good = status == want and message in said and said.count("\n") == 1 and not out
        result("error: " + message, [] if good else ["status %d: %s" % (status, said)])


def main():
    print("TAP version 13")
    attempt_each((test_json, test_units, test_rounding, test_total, test_sort, test_no_handle, test_top,
                  test_time, test_who, test_slowest, test_width, test_errors))
    finish()


main()
