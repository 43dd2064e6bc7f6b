#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: page_heat_test.py HYPTRACE

Where "hyptrace pages --heat" says that faults are, and how long they took. TAP.
"""
import json
import os
import sys

import synth
from tap import attempt_each, equal, finish, result, run

HYPTRACE = sys.argv[1]

HVC, HOST_ABORT, GUEST_EXIT, ERET_HOST, ERET_GUEST = 1, 4, 5, 6, 7
IABT, DABT, SYSREG = 0x20, 0x24, 0x18
MIB = 1 << 20
EVENTS = ["hyp_enter", "hyp_exit", "host_mem_abort", "vcpu_enter", "vcpu_exit", "trace_on"]
HOST, VM = None, 0x1000


def enter(ts, reason):
    return (ts, "hyp_enter", 7, {"reason": reason})


def leave(ts, reason):
    return (ts, "hyp_exit", 7, {"reason": reason})


def host_fault(ts, ns, address):
    return [enter(ts, HOST_ABORT), (ts + 1, "host_mem_abort", 7, {"addr": address}),
            leave(ts + ns, ERET_HOST)]


def vcpu_exit(ts, address, vm=VM, vcpu=0, pid=7, ec=DABT):
    """The guest is left, and the host runs"""
    return [enter(ts, GUEST_EXIT),
            (ts + 1, "vcpu_exit", pid, {"esr": ec << 26, "hpfar": address >> 12 << 4, "vm": vm,
                                        "vcpu": vcpu, "code": 2}),
            leave(ts + 2, ERET_HOST)]


def vcpu_enter(ts, vm=VM, vcpu=0, pid=7):
    return [enter(ts - 1, HVC), (ts, "vcpu_enter", pid, {"vm": vm, "vcpu": vcpu}),
            leave(ts + 1, ERET_GUEST)]


def write(directory, cpus, names=EVENTS, lost=0):
    """cpus: {cpu: events, or a list of lists, before the last of which events were lost}"""
    path = os.path.join(directory, "heat.dat")
    data = {cpu: [synth.page(events)] if isinstance(events[0], tuple) else
            [synth.page(part, lost=lost if i else 0) for i, part in enumerate(events)]
            for cpu, events in cpus.items()}
    synth.write(path, {}, data, texts=synth.enabled(*names))
    return path


def heat(path, *options):
    """=> {(VM, address): (count, total)} and what was not measured"""
    done = run(HYPTRACE, "pages", "--heat", "--json", *options, path)
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    return {(b["vm"], b["address"]): (b["count"], b["total"]) for b in got["blocks"]
            }, got["unmeasured"]


def test_blocks(directory):
    path = write(directory, {0: host_fault(1000, 100, 0x40000000) +
                             host_fault(2000, 50, 0x40000000 + 2 * MIB - 1) +
                             host_fault(3000, 20, 0x40000000 + 2 * MIB)})
    equal("of the host", heat(path), ({(HOST, 0x40000000): (2, 150),
                                       (HOST, 0x40000000 + 2 * MIB): (1, 20)}, 0))
    top = (1 << 52) - 2 * MIB
    path = write(directory, {0: vcpu_exit(1000, 0x80201000) + vcpu_enter(1100) +
                             vcpu_exit(1200, 0x80200000, ec=IABT) + vcpu_enter(1210) +
                             vcpu_exit(1300, 0x80200000, vm=0) + vcpu_enter(1400, vm=0) +
                             vcpu_exit(1500, top + 0x1000, vm=2**32 - 1) +
                             vcpu_enter(1600, vm=2**32 - 1) +
                             vcpu_exit(1700, 0x1000, ec=SYSREG) + vcpu_enter(1800)})
    equal("of guests", heat(path), ({(VM, 0x80200000): (2, 110), (0, 0x80200000): (1, 100),
                                     (2**32 - 1, top): (1, 100)}, 0))


def test_cpus(directory):
    events = {0: vcpu_exit(1000, 0) + vcpu_exit(1100, 2 * MIB, vcpu=1),
              1: vcpu_enter(1150, vcpu=1) + vcpu_enter(1300)}
    path = write(directory, events)
    want = {(VM, 0): (1, 300), (VM, 2 * MIB): (1, 50)}
    equal("a vCPU that changes its CPU", heat(path), (want, 0))
    equal("only the CPU of the faults", heat(path, "--cpus", "0"), (want, 0))
    equal("only the other one", heat(path, "--cpus", "1"), ({}, 0))
    events[1] = vcpu_enter(1150, pid=8) + vcpu_enter(1300)
    equal("a vCPU of that number, of another task", heat(write(directory, events)),
          ({(VM, 0): (1, 300)}, 1))


def test_unmeasured(directory):
    fault = host_fault(1000, 100, 0)
    equal("no entry", heat(write(directory, {0: fault[1:]})), ({}, 1))
    equal("no exit", heat(write(directory, {0: fault[:2]})), ({}, 1))
    equal("a guest never entered again", heat(write(directory, {0: vcpu_exit(1000, 0)})), ({}, 1))
    equal("two faults in a row", heat(write(directory, {
        0: vcpu_exit(1000, 0) + vcpu_exit(1100, 0) + vcpu_enter(1200)})), ({(VM, 0): (1, 100)}, 1))
    equal("the entry of the guest's exit is missing", heat(write(directory, {
        0: vcpu_exit(1000, 0)[1:] + vcpu_enter(1200)})), ({}, 1))
    on = [(1050, "trace_on", 7, {})]
    for what, lost, second in (("no loss", 0, None), ("a loss", 3, None), ("tracing begins", 0, on)):
        good = lost == 0 and not second
        parts = [fault[:2], (second or []) + fault[2:]]
        equal("in a host's fault: " + what, heat(write(directory, {0: parts}, lost=lost)),
              ({(HOST, 0): (1, 100)} if good else {}, 0 if good else 1))
        other = [enter(1010, HVC)], (second or []) + [leave(1060, ERET_HOST)]
        parts = {0: vcpu_exit(1000, 0) + vcpu_enter(1100), 1: list(other)}
        equal("in a guest's fault, on another CPU: " + what,
              heat(write(directory, parts, lost=lost)),
              ({(VM, 0): (1, 100)} if good else {}, 0 if good else 1))


def test_text(directory):
    path = write(directory, {0: host_fault(1000, 100, 0x40000000) + vcpu_exit(2000, 0x80201000) +
                             vcpu_enter(4000) + vcpu_exit(5000, 0) +
                             vcpu_exit(6000, 0, vm=0) + vcpu_enter(7000, vm=0)})
    out = run(HYPTRACE, "pages", "--heat", path).stdout.decode()
    equal("text", [line.split() for line in out.splitlines()], [
        ["VM", "BLOCK", "faults", "total", "mean", "p50", "p90", "p99", "max"],
        ["0x1000", "0x80200000", "1"] + ["2.000"] * 6,
        ["?", "0x0", "1"] + ["1.000"] * 6,
        ["host", "0x40000000", "1"] + ["0.100"] * 6, ["not", "measured:", "faults=1"]])


def test_errors(directory):
    for missing in ("hyp_enter",), ("hyp_exit",), ("host_mem_abort", "vcpu_exit"):
        path = write(directory, {0: host_fault(1000, 100, 0)},
                     [name for name in EVENTS if name not in missing])
        done = run(HYPTRACE, "pages", "--heat", path)
        good = done.returncode == 1 and b"faults were not recorded" in done.stderr
        result("error: without " + " and ".join(missing), [] if good else [done.stderr])
    for missing in ("host_mem_abort",), ("vcpu_exit",), ("vcpu_enter",):
        path = write(directory, {0: host_fault(1000, 100, 0)},
                     [name for name in EVENTS if name not in missing])
        result("no error: without " + missing[0],
               [] if run(HYPTRACE, "pages", "--heat", path).returncode == 0 else ["failed"])


def main():
    print("TAP version 13")
    attempt_each((test_blocks, test_cpus, test_unmeasured, test_text, test_errors))
    finish()


main()
