#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: why_guest.py HYPTRACE DIRECTORY

What "hyptrace why" blames in the recordings of why.sh, which are in DIRECTORY. TAP.
"""
import json
import os
import sys

from tap import attempt, equal, finish, result, run

HYPTRACE, DIRECTORY = sys.argv[1:]


def delays(name, *arguments):
    """All delays of the worst 1000, the longest of all first"""
    done = run(HYPTRACE, "why", "--json", "-n", "1000", *arguments,
               os.path.join(DIRECTORY, name + ".dat"))
    assert done.returncode == 0, done.stderr.decode()
    whole = json.loads(done.stdout)
    equal(name + ": all events that are needed were recorded", whole["missing"], [])
    found = [delay for vcpu in whole["vcpus"] for delay in vcpu["worst"]]
    result(name + ": the parts add up", [delay for delay in found if sum(
        part["ns"] for part in delay["parts"]) != delay["end"] - delay["start"]])
    return sorted(found, key=lambda delay: -delay["ns"])


def blames(what, delay, want):
    result(what, [] if want in delay["blame"] else [delay["blame"], delay["parts"]])


def test_quiet():
    found = delays("quiet")
    faults = [delay for delay in found if delay["after"].startswith("a stage-2 fault")]
    stores = [delay for delay in found if delay["after"].startswith("an MMIO access")]
    calls = [delay for delay in found if delay["after"] == "exit HVC64"]
    print("# faults %d, stores %d, calls %d" % (len(faults), len(stores), len(calls)))
    equal("quiet: faults, stores and calls", (len(faults) >= 32, len(stores) >= 40, len(calls) >= 100),
          (True, True, True))
    faults.sort(key=lambda delay: delay["ns"])
    blames("quiet: a fault", faults[len(faults) // 2], "the handling of the fault took")
    # only a store leaves the kernel
    users = [delay for delay in found if any(part["part"] == "user" for part in delay["parts"])]
    result("quiet: only stores reach the VMM", [delay for delay in users if delay not in stores])
    equal("quiet: all stores do", len([delay for delay in users if delay in stores]), len(stores))
    result("quiet: nothing is unknown", [delay for delay in found for part in delay["parts"]
                                         if part["part"] in ("unknown", "host")])


def test_hog():
    blames("hog: a task of higher priority", delays("hog")[0], "hog-")


def test_stopped():
    blames("stopped: a VMM that is stopped", delays("stopped")[0], "the VMM, stopped by a signal")


def test_storm():
    blames("storm: a storm of interrupts", delays("storm")[0], "interrupts on CPU 0")


def test_hypercalls():
    blames("hypercalls: those of an interrupt", delays("hypercalls")[0],
           "EL2, which executed hypercall __kvm_timer_set_cntvoff,")


def main():
    print("TAP version 13")
    for test in (test_quiet, test_hog, test_stopped, test_storm, test_hypercalls):
        attempt(test)
    finish()


main()
