#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: compare_test.py HYPTRACE

What "hyptrace compare" prints about files whose durations are known. TAP.
"""
import base64
import json
import os
import random
import re
import sys

import htmlpage
import synth
from tap import attempt_each, equal, finish, on_terminal, result, run

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


def document(*arguments):
    """The exit status, and what is printed"""
    status, out, said = compare("--json", *arguments)
    assert not said, said
    return status, json.loads(out)


def rows(*arguments):
    status, got = document(*arguments)
    assert status == 0, status
    return {row["name"]: row for row in got["entries"]}


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
          [["hvc", "30", "30", "0.66", "1.000us", "2.000us", "2.00", "1.000us", "2.000us",
            "2.00", "slower"]])


# From the most important one on
GROUPS = "change verdict", "larger p", "p50 A B ratio", "count A B per s", "p99 A B ratio"


def test_width(directory):
    """What belongs together is left out together"""
    paths = write_runs(directory, "width", [[(HVC, 1000)] * 30, [(HVC, 2000)] * 30])
    for columns in range(50, 150, 5):
        lines = on_terminal(columns, HYPTRACE, "compare", *paths).splitlines()
        head = [line for line in lines if line.startswith("EL2 ENTRY")][0]
        there = [group for group in GROUPS if " " + group in " ".join(head.split())]
        rest = " ".join(head.split())[len("EL2 ENTRY"):]
        for group in there:
            rest = rest.replace(" " + group, "", 1)
        equal("%d columns: whole groups, the first ones" % columns, (rest, there), ("", list(GROUPS[:len(there)])))
        result("%d columns: no more" % columns, [line for line in lines if len(line) > columns])
    equal("wide enough for all", len(there), len(GROUPS))


def write_runs(directory, name, runs):
    paths = [os.path.join(directory, "%s%d.dat" % (name, i)) for i in range(len(runs))]
    for path, entries in zip(paths, runs):
        recording(path, entries)
    return paths


def test_runs(directory):
    """Three runs or more are compared by their means"""
    a = write_runs(directory, "a", [[(HVC, ns)] * 20 for ns in (1000, 1001, 1002, 1003)])
    b = write_runs(directory, "b", [[(HVC, ns)] * 30 for ns in (1020, 1021, 1022)])
    status, got = document(*a, "--", *b)
    row = got["entries"][0]
    equal("runs: numbers", (status, got["runs"], row["a"]["count"], row["b"]["count"]), (0, [4, 3], 80, 90))
    equal("runs: change", "%.4f" % row["change"], "%.4f" % (100 * (1021 / 1001.5 - 1)))
    # t = 19.5 / sqrt((5 + 2) / 5 * (1 / 4 + 1 / 3)) = 21.58, with 5 degrees of freedom
    equal("runs: the test", (row["by_runs"], "%.2e" % row["p"], row["verdict"]), (True, "3.97e-06", "slower"))
    equal("runs: faster", rows(*b, "--", *a)["hvc"]["verdict"], "faster")
    wall = [sum((n - 1) * (ns + 1000) + ns for ns in times)
            for n, times in ((20, range(1000, 1004)), (30, range(1020, 1023)))]
    equal("runs: wall time", got["wall"], wall)
    equal("two runs: by durations", (rows(*a, "--", *b[:2])["hvc"]["by_runs"],
                                     rows(*a[:2], "--", *b)["hvc"]["by_runs"]), (False, False))
    # all durations of one side are longer, but the means of runs are far apart
    noisy = write_runs(directory, "noisy", [[(HVC, ns)] * 20 for ns in (1010, 1100, 1400)])
    equal("runs: too far apart", rows(*a, "--", *noisy)["hvc"]["verdict"], "noise")
    near = write_runs(directory, "near", [[(HVC, ns)] * 20 for ns in (1005, 1005, 1005)])
    equal("runs: a small change", rows(*a, "--", *near)["hvc"]["verdict"], "noise")
    equal("runs: few in each", rows(*write_runs(directory, "few", [[(HVC, 1000)] * 19] * 3), "--", *b)
          ["hvc"]["by_runs"], False)
    tenths = write_runs(directory, "tenths", [[(HVC, 1)] * 2 + [(HVC, 1000)] * 16 + [(HVC, 10**6)] * 2] * 3)
    equal("runs: without the tenths", rows(*tenths, "--", *b)["hvc"]["change"], 2.1)
    mixed = [write_runs(directory, "mixed%d" % nr, [[(HVC, 1000)] * nr + [(HVC, 1100)] * (20 - nr)] * 3)
             for nr in (12, 11)]
    # of the 16 in the middle, 6 and 7 are long
    equal("runs: less than the median tells", "%.4f" % rows(*mixed[0], "--", *mixed[1])["hvc"]["change"],
          "%.4f" % (100 * (16700 / 16600 - 1)))


def test_fail_over(directory):
    a = write_runs(directory, "a", [[(HVC, 1000), (SMC, 1000), (HOST_ABORT, 1000)] * 20])[0]
    b = write_runs(directory, "b", [[(HVC, 1050), (SMC, 1020), (HOST_ABORT, 900)] * 20])[0]
    for limit, failed in (("3%", ["hvc"]), ("1.5", ["smc", "hvc"]), ("5%", []), ("4.99%", ["hvc"])):
        status, got = document("--fail-over", limit, a, b)
        equal("fail over %s" % limit, (status, [r["name"] for r in got["entries"] if r["fails"]],
                                       got["failed"]), (3 if failed else 0, failed, len(failed)))
    status, out, said = compare("--fail-over=3%", a, b)
    equal("fail over: text", (status, said, out.split("\n\n")[-1]), (3, "", "slower by more than 3%:\n+5.0% hvc\n"))
    status, out, said = compare("--fail-over=5%", a, b)
    equal("fail over: none", (status, said, out.split("\n\n")[-1]), (0, "", "slower by more than 5%: none\n"))
    equal("faster does not fail", compare("--fail-over=0", b, a)[0], 3)
    equal("files behind --", compare("--fail-over=3%", "--", a, b)[0], 3)
    equal("options behind files", compare(a, b, "--fail-over=3%")[0], 3)
    few = write_runs(directory, "few", [[(HVC, 2000)] * 19])[0]
    equal("few do not fail", compare("--fail-over=3%", a, few)[0], 0)


# Typical ns of hypercalls, by id; a tenth of the fourth takes five times as long
CALLS = {1: 1000, 2: 650, 3: 2200, 4: 900, 5: 5000}


def noisy_run(chance, slower):
    """A run on virtual time: a counter of 16 ns, and a run that is a bit faster or slower as
    a whole; @slower is the factor of call 1"""
    whole, entries = chance.uniform(0.998, 1.002), []
    for call, ns in CALLS.items():
        for _ in range(80):
            exact = ns * whole * chance.uniform(0.99, 1.01) * (slower if call == 1 else 1)
            if call == 4 and chance.random() < 0.1:
                exact *= 5
            ticks = int(exact / 16 + chance.random())
            entries.append((call, 16 * ticks))
    chance.shuffle(entries)
    return entries


def record_calls(path, entries):
    pages, events, ts = [], [], 10**9
    for call, duration in entries:
        events += [(ts, "hyp_enter", 7, {"reason": HVC}), (ts, "host_hcall", 7, {"id": call}),
                   (ts + duration, "hyp_exit", 7, {"reason": ERET_HOST})]
        ts += duration + 1000
        if len(events) == 90:
            pages.append(synth.page(events))
            events = []
    synth.write(path, {0: []}, {0: pages + ([synth.page(events)] if events else [])}, texts=TEXTS)
    return path


def noisy_runs(directory, name, seed, slower):
    return [record_calls(os.path.join(directory, "%s%d.dat" % (name, i)),
                         noisy_run(random.Random("%s %d %d" % (name, seed, i)), slower)) for i in range(5)]


def test_power(directory):
    """2 % in one hypercall are found in each of 20 tries; without a change nothing is"""
    missed, wrong = [], []
    for seed in range(20):
        a = noisy_runs(directory, "a", seed, 1)
        status, got = document("--fail-over=1%", *a, "--", *noisy_runs(directory, "b", seed, 1.02))
        slow = [row["name"] for row in got["hypercalls"] if row["fails"]]
        if (status, slow) != (3, ["1"]):
            missed.append((seed, status, slow))
        status, got = document("--fail-over=1%", *a, "--", *noisy_runs(directory, "c", seed, 1))
        changed = [row["name"] for kind in ("entries", "hypercalls") for row in got[kind]
                   if row["verdict"] != "noise"]
        if status or changed:
            wrong.append((seed, status, changed))
    result("2 % are found in 20 of 20 tries", missed)
    result("nothing is found where nothing changed, in 20 of 20 tries", wrong)


def test_errors(directory):
    path = os.path.join(directory, "a.dat")
    recording(path, [(HVC, 100)])
    none = os.path.join(directory, "none.dat")
    synth.write(none, {0: []}, {0: []})
    some = os.path.join(directory, "some.dat")
    synth.write(some, {0: []}, {0: []}, texts=synth.enabled("hyp_enter") +
                synth.enabled("hyp_exit", how="filtered"))
    for want, text, arguments in (
            (2, "expected two files, or several with '--' between those of A and of B, got 1", [path]),
            (2, "of B, got 3", [path] * 3), (2, "of B, got 0", []), (2, "of B, got 1", [path, "--"]),
            (2, "of B, got 3", ["--", path, path, path]),
            (2, "bad limit '3x': expected a number of percent, such as 3%", ["--fail-over=3x", path, path]),
            (2, "bad limit '-1%'", ["--fail-over=-1%", path, path]),
            (2, "bad limit ''", ["--fail-over=", path, path]),
            (2, "bad limit 'nan'", ["--fail-over=nan", path, path]),
            (1, "none.dat: hyp_enter and hyp_exit were not recorded", [path, path, "--", path, none]),
            (2, "unrecognized option '--nonsense'", ["--nonsense"]),
            (1, "a.dat: CPU 99 was not recorded", ["-P", "0,99", path, path]),
            (1, "No such file", [path, os.path.join(directory, "missing")]),
            (1, "none.dat: hyp_enter and hyp_exit were not recorded", [path, none]),
            (1, "some.dat: hyp_enter and hyp_exit were filtered", [some, path])):
        status, out, said = compare(*arguments)
        good = status == want and text in said and said.count("\n") == 1 and not out
        result("error: " + text, [] if good else ["status %d: %s" % (status, said)])


# --- the page -----------------------------------------------------------------

def written(directory, name, **more):
    """A recording of one event of each kind"""
    path = os.path.join(directory, name)
    synth.write(path, {0: []}, {0: [synth.page([(100, "hyp_enter", 7, {"reason": HVC}),
                                                (300, "hyp_exit", 7, {"reason": ERET_HOST})])]},
                texts=TEXTS, **more)
    return path


def page_data(path, name):
    """=> what an element of a page has, in words"""
    with open(path, "rb") as page:
        return re.search(b'id="%s">([^<]*)<' % name, page.read())[1].split()


def test_page(directory):
    """Its parts are the pages of both recordings, and what --json prints"""
    a = write_runs(directory, "a", [[(HVC, 1000), (SMC, 1000)] * 20])[0]
    b = write_runs(directory, "b", [[(HVC, 1050), (SMC, 1020)] * 20])[0]
    page = os.path.join(directory, "both.html")
    status, out, said = compare("--html", page, a, b)
    equal("page: the tables as well", (status, out, said), compare(a, b))
    parts = page_data(page, b"data")
    alone = []
    for path in a, b:
        run(HYPTRACE, "export", "-q", "--html", "-o", path + ".html", path)
        alone += page_data(path + ".html", b"data")
    equal("page: the data of both", parts[:2], alone)
    equal("page: the figures", json.loads(base64.b64decode(parts[2])), document(a, b)[1])
    frame = base64.b64decode(page_data(page, b"page")[0])
    equal("page: the frames", frame.replace(b"@DATA@", b""), htmlpage.Page(a + ".html").shell)
    slower = compare("--fail-over=1%", "--html", page, a, b)
    equal("page: slower than the limit", (slower[0], slower[2]), (3, ""))


def test_no_page(directory):
    """What has no page, in one line, and nothing is written"""
    path, other = written(directory, "one.dat"), written(directory, "two.dat")
    mono = written(directory, "mono.dat", clocks=(b"mono", b"mono"))
    link, page = os.path.join(directory, "link.dat"), os.path.join(directory, "no.html")
    os.link(path, link)
    for what, status, text, arguments in (
            ("three", 2, "--html with 3 recordings: expected one of each", ["--html", page, path, "--", other, mono]),
            ("A is B", 1, "one.dat are the same recording: expected two", ["--html", page, path, path]),
            ("A is B by another name", 1, "link.dat are the same recording: expected two", ["--html", page, path, link]),
            ("two clocks", 1, "mono.dat 'mono': expected the same, as with record --clock", ["--html", page, path, mono]),
            ("in place of A", 1, "one.dat is a file that is read: expected another output file", ["--html", path, path, other]),
            ("in place of B", 1, "two.dat is a file that is read: expected another output file", ["--html", other, path, other]),
            ("no name", 1, "expected the name of a file", ["--html=", path, other])):
        before = [open(name, "rb").read() for name in (path, other)]
        done = compare(*arguments)
        after = [open(name, "rb").read() for name in (path, other)]
        result("no page: " + what, [] if done[0] == status and text in done[2] and
               done[2].count("\n") == 1 and not done[1] and before == after else [done])
    equal("no page: nothing is left", [f for f in os.listdir(directory)
                                       if f.startswith(".") or f == "no.html"], [])


def test_corrupt(directory):
    """It is said once, and the page is written"""
    bad, good = os.path.join(directory, "bad.dat"), written(directory, "good.dat")
    page = bytearray(synth.page([(300, "hyp_enter", 7, {"reason": HVC})]))
    page[8:12] = (4096).to_bytes(4, "little")
    synth.write(bad, {0: []}, {0: [bytes(page)]}, texts=TEXTS)
    out = os.path.join(directory, "bad.html")
    status, _, said = compare("--html", out, bad, good)
    equal("page: corrupt", (status, said.count("\n"), "1 corrupt sub-buffers" in said, os.path.exists(out)),
          (1, 1, True, True))


def main():
    print("TAP version 13")
    attempt_each((test_verdicts, test_small, test_rates, test_text, test_width, test_runs,
                  test_fail_over, test_power, test_errors, test_page, test_no_page, test_corrupt))
    finish()


main()
