#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: compare_test.py HYPTRACE

What "hyptrace compare" prints about files whose durations are known. TAP.
"""
import json
import os
import sys

import synth
from tap import attempt_each, equal, finish, result, run

HYPTRACE = sys.argv[1]

SMC, HVC, HOST_ABORT, ERET_HOST = 0, 1, 4, 6
TEXTS = synth.enabled("hyp_enter", "hyp_exit")


def recording(path, entries):
    """entries: (reason, ns); 1000 ns are between any two"""
    pages, events, ts = [], [], 10**9
    for reason, duration in entries:
        events += [(ts, "hyp_enter", 7, {"reason": reason}),
                   (ts + duration, "hyp_exit", 7, {"reason": ERET_HOST})]
        ts += duration + 1000
        if len(events) == 100:
            pages.append(synth.page(events))
            events = []
    synth.write(path, {0: []}, {0: pages + ([synth.page(events)] if events else [])}, texts=TEXTS)


def compare(*arguments):
    done = run(HYPTRACE, "compare", *arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def rows(a, b):
    status, out, said = compare("--json", a, b)
    assert status == 0 and not said, said
    return {row["name"]: row for row in json.loads(out)["entries"]}


def test_verdicts(directory):
    a, b = os.path.join(directory, "a.dat"), os.path.join(directory, "b.dat")
    shift = [(HVC, 100 + i) for i in range(40)]
    recording(a, shift + [(HOST_ABORT, 50)] * 19 + [(SMC, 5)])
    recording(b, [(r, d + 30) for r, d in shift] + [(HOST_ABORT, 90)] * 25)
    got = rows(a, b)
    equal("slower", (got["hvc"]["verdict"], got["hvc"]["a"]["p50"], got["hvc"]["b"]["p50"],
                     got["hvc"]["a"]["p99"], got["hvc"]["b"]["p99"]),
          ("slower", 119, 149, 139, 169))
    # of 1600 pairs, those with 10 or more between: 1 + ... + 9 are not, 10 are equal
    equal("larger", got["hvc"]["larger"], (1600 - 45 - 5) / 1600)
    equal("few", (got["host_abort"]["verdict"], got["host_abort"]["larger"]), ("few", 1))
    equal("only in A", (got["smc"]["verdict"], got["smc"]["b"]["count"]), ("only in A", 0))
    equal("only in B", rows(b, a)["smc"]["verdict"], "only in B")
    equal("faster", rows(b, a)["hvc"]["verdict"], "faster")
    same = rows(a, a)["hvc"]
    equal("the same", (same["verdict"], same["larger"], same["p"], same["rate_ratio"]),
          ("noise", 0.5, 1, 1))


def test_small(directory):
    """A significant difference that is too small, and a large one that is not significant"""
    a, b = os.path.join(directory, "a.dat"), os.path.join(directory, "b.dat")
    recording(a, [(HVC, 100 + i % 100) for i in range(10000)] + [(SMC, 10 + i) for i in range(20)])
    recording(b, [(HVC, 104 + i % 100) for i in range(10000)] + [(SMC, 13 + i) for i in range(20)])
    got = rows(a, b)
    equal("significant, but small", (got["hvc"]["verdict"], got["hvc"]["p"] < 1e-9), ("noise", True))
    equal("large, not significant", (got["smc"]["verdict"], got["smc"]["larger"] > 0.6), ("noise", True))


def test_rates(directory):
    """Twice as often in the same time"""
    a, b = os.path.join(directory, "a.dat"), os.path.join(directory, "b.dat")
    recording(a, [(HVC, 100), (SMC, 1000)] * 50)
    recording(b, [(HVC, 100), (SMC, 1000), (HVC, 100)] * 50)
    wall = [50 * 3100 - 1000, 50 * 4200 - 1000]
    equal("rates", "%.6g" % rows(a, b)["hvc"]["rate_ratio"], "%.6g" % (2 * wall[0] / wall[1]))


def test_text(directory):
    a, b = os.path.join(directory, "a.dat"), os.path.join(directory, "b.dat")
    recording(a, [(HVC, 1000)] * 30)
    recording(b, [(HVC, 2000)] * 30)
    status, out, said = compare(a, b)
    lines = [line.split() for line in out.splitlines()]
    equal("text: status", (status, said), (0, ""))
    equal("text: shares", [line for line in lines if line and line[0] == "el2"],
          [["el2", "50.85", "67.42"]])
    equal("text: a row", [line[:10] + line[-1:] for line in lines if line and line[0] == "hvc"],
          [["hvc", "30", "30", "0.66", "1.000", "2.000", "2.00", "1.000", "2.000", "2.00", "slower"]])


def test_errors(directory):
    path = os.path.join(directory, "a.dat")
    recording(path, [(HVC, 100)])
    none = os.path.join(directory, "none.dat")
    synth.write(none, {0: []}, {0: []})
    some = os.path.join(directory, "some.dat")
    synth.write(some, {0: []}, {0: []}, texts=synth.enabled("hyp_enter") +
                synth.enabled("hyp_exit", how="filtered"))
    for want, text, arguments in (
            (2, "expected two files, got 1", [path]), (2, "expected two files, got 3", [path] * 3),
            (2, "unrecognized option '--nonsense'", ["--nonsense"]),
            (1, "a.dat: CPU 99 was not recorded", ["-P", "0,99", path, path]),
            (1, "No such file", [path, os.path.join(directory, "missing")]),
            (1, "none.dat: hyp_enter and hyp_exit were not recorded", [path, none]),
            (1, "some.dat: hyp_enter and hyp_exit were filtered", [some, path])):
        status, out, said = compare(*arguments)
        good = status == want and text in said and said.count("\n") == 1 and not out
        result("error: " + text, [] if good else ["status %d: %s" % (status, said)])


def main():
    print("TAP version 13")
    attempt_each((test_verdicts, test_small, test_rates, test_text, test_errors))
    finish()


main()
