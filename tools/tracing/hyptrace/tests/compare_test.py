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
    """Of durations, which the user says are independent"""
    a, b = os.path.join(directory, "a.dat"), os.path.join(directory, "b.dat")
    shift = [(HVC, 100 + i) for i in range(40)]
    recording(a, shift + [(HOST_ABORT, 50)] * 19 + [(SMC, 5)])
    recording(b, [(r, d + 30) for r, d in shift] + [(HOST_ABORT, 90)] * 25)
    got = rows("--independent", a, b)
    equal("slower", (got["hvc"]["verdict"], got["hvc"]["a"]["p50"], got["hvc"]["b"]["p50"],
                     got["hvc"]["a"]["p99"], got["hvc"]["b"]["p99"]),
          ("slower", 119, 149, 139, 169))
    equal("typical", (got["hvc"]["a"]["typical"], got["hvc"]["b"]["typical"], got["hvc"]["change"]),
          (119.5, 149.5, float("%.6g" % (100 * (149.5 / 119.5 - 1)))))
    equal("few", (got["host_abort"]["verdict"], got["host_abort"]["p"]), ("few", None))
    equal("only in A", (got["smc"]["verdict"], got["smc"]["b"]["count"]), ("only in A", 0))
    equal("only in B", rows("--independent", b, a)["smc"]["verdict"], "only in B")
    equal("faster", rows("--independent", b, a)["hvc"]["verdict"], "faster")
    same = rows("--independent", a, a)["hvc"]
    equal("the same", (same["verdict"], same["change"], same["p"], same["rate_ratio"]), ("noise", 0, 1, 1))


def test_no_verdict(directory):
    """One recording of each, which differ by far: what is known, and why there is no verdict"""
    a, b = os.path.join(directory, "a.dat"), os.path.join(directory, "b.dat")
    # fifths of 100, 102, 104, 106 and 108 ns: their standard deviation is that of 10 ns / 2 ** 0.5
    recording(a, [(HVC, 100 + i // 10 * 2) for i in range(50)] + [(SMC, 5)])
    recording(b, [(HVC, 200)] * 50)
    status, got = document("--fail-over=3%", a, b)
    row = got["entries"][0]
    equal("no verdict", (status, row["verdict"], row["p"], row["fails"], got["failed"], got["judged_by"]),
          (0, None, None, False, 0, None))
    equal("no verdict: change and spread", (row["change"], row["a"]["spread"], row["b"]["spread"]),
          (float("%.6g" % (100 * (200 / 104 - 1))), float("%.6g" % (100 * 10 ** 0.5 / 104)), 0))
    equal("no verdict: what only A has", got["entries"][1]["verdict"], "only in A")
    status, out, said = compare("--fail-over=3%", a, b)
    equal("no verdict: text", (status, said, out.split("\n\n")[-2:]), (
        0, "", ["no verdict: " + got["no_verdict"], "slower by more than 3%: not known without a verdict\n"]))
    result("no verdict: a line", [] if len(out.split("\n\n")[-2]) < 80 else [out])
    for more in [a, b, "--", b], [a, b, "--", b, b], [a, b, b, "--", b, a]:
        equal("no verdict: fewer than three", document("--fail-over=3%", *more)[1]["judged_by"], None)
    status, got = document("--independent", "--fail-over=3%", a, b)
    equal("independent", (status, got["entries"][0]["verdict"], got["no_verdict"], got["judged_by"]),
          (3, "slower", None, "durations"))
    equal("independent: three of each", document("--independent", *[a] * 3, "--", *[b] * 3)[1]["judged_by"],
          "recordings")


def test_one_statistic(directory):
    """The change and the verdict have one sign, though medians and ranks have the other"""
    # 11 of 21 are short before, and 11 are long after; of the long ones, a part is much longer before
    a, b = os.path.join(directory, "a.dat"), os.path.join(directory, "b.dat")
    recording(a, [(HVC, ns) for ns in [1000] * 55 + [2000] * 10 + [9000] * 35] * 4)
    recording(b, [(HVC, ns) for ns in [1100] * 45 + [2200] * 55] * 4)
    row = rows("--independent", a, b)["hvc"]
    equal("one statistic: medians", row["a"]["p50"] < row["b"]["p50"], True)
    equal("one statistic", (row["change"] < 0, row["verdict"]), (True, "faster"))
    status, out, _ = compare("--independent", a, b)
    line = [line.split() for line in out.splitlines() if line.startswith("hvc ")][0]
    equal("one statistic: what is shown is what is tested", (line[-7:-5], line[-3]), (
        ["%.3fus" % (row[side]["typical"] / 1000) for side in "ab"], "%+.1f%%" % row["change"]))


def test_small(directory):
    """A significant difference that is too small, and a large one that is not significant"""
    a, b = os.path.join(directory, "a.dat"), os.path.join(directory, "b.dat")
    recording(a, [(HVC, 10000 + i % 100) for i in range(10000)] + [(SMC, 10 + i) for i in range(20)])
    recording(b, [(HVC, 10040 + i % 100) for i in range(10000)] + [(SMC, 13 + i) for i in range(20)])
    got = rows("--independent", a, b)
    equal("significant, but small", (got["hvc"]["verdict"], got["hvc"]["p"] < 1e-9), ("noise", True))
    equal("large, not significant", (got["smc"]["verdict"], got["smc"]["change"] > 10), ("noise", True))


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
    status, out, said = compare("--independent", a, b)
    lines = [line.split() for line in out.splitlines()]
    equal("text: status", (status, said), (0, ""))
    equal("text: shares", [line for line in lines if line and line[0] == "el2"],
          [["el2", "50.85", "67.42"]])
    equal("text: a row", [line for line in lines if line and line[0] == "hvc"],
          [["hvc", "30", "30", "0.66", "1.000us", "2.000us", "2.00", "1.000us", "2.000us",
            "2.00", "1.000us", "2.000us", "0.0%", "0.0%", "+100.0%", "0.0e+00", "slower"]])


# In the order of the table, with the number of those that are left out later
GROUPS = (("count A B per s", 3), ("p50 A B ratio", 2), ("p99 A B ratio", 4), ("typical A B", 0),
          ("spread A B", 1), ("change", 0), ("p", 0.5), ("verdict", 0))


def test_width(directory):
    """What belongs together is left out together"""
    paths = write_runs(directory, "width", [[(HVC, 1000)] * 30, [(HVC, 2000)] * 30])
    heads = [" ".join(["EL2 ENTRY"] + [names for names, drop in GROUPS if drop <= least])
             for least in (0, 0.5, 1, 2, 3, 4)]
    for columns in range(60, 190, 5):
        lines = on_terminal(columns, HYPTRACE, "compare", *paths).splitlines()[:-1]
        head = [line for line in lines if line.startswith("EL2 ENTRY")][0]
        equal("%d columns: whole groups" % columns, " ".join(head.split()) in heads, True)
        result("%d columns: no more" % columns, [line for line in lines if len(line) > columns])
    equal("wide enough for all", " ".join(head.split()), heads[-1])


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
    # t = 19.5 / sqrt(5 / 3 / 4 + 1 / 3) = 22.52, with 4.97 degrees of freedom: of these, 4 count
    equal("runs: the test", (got["judged_by"], "%.2e" % row["p"], row["verdict"]), ("recordings", "2.30e-05", "slower"))
    equal("runs: spread", ["%.4f" % row[side]["spread"] for side in "ab"],
          ["%.4f" % (100 * (5 / 3) ** 0.5 / 1001.5), "%.4f" % (100 / 1021)])
    equal("runs: faster", rows(*b, "--", *a)["hvc"]["verdict"], "faster")
    wall = [sum((n - 1) * (ns + 1000) + ns for ns in times)
            for n, times in ((20, range(1000, 1004)), (30, range(1020, 1023)))]
    equal("runs: wall time", got["wall"], wall)
    # all durations of one side are longer, but the means of runs are far apart
    noisy = write_runs(directory, "noisy", [[(HVC, ns)] * 20 for ns in (1010, 1100, 1400)])
    equal("runs: too far apart", rows(*a, "--", *noisy)["hvc"]["verdict"], "noise")
    near = write_runs(directory, "near", [[(HVC, ns)] * 20 for ns in (1005, 1005, 1005)])
    equal("runs: a small change", rows(*a, "--", *near)["hvc"]["verdict"], "noise")
    equal("runs: few in each", rows(*write_runs(directory, "few", [[(HVC, 1000)] * 19] * 3), "--", *b)
          ["hvc"]["verdict"], "few")
    five = write_runs(directory, "five", [[(HVC, ns), (SMC, 2 * ns)] * 20 for ns in (990, 1000, 1010, 1020, 1030)])
    other = write_runs(directory, "other", [[(HVC, ns), (SMC, ns)] * 20 for ns in (1000, 1010, 1021, 1031, 1040)])
    got = rows(*five, "--", *other)
    # Holm: t = 1.03 with 7 degrees of freedom is the larger one of two, and not corrected
    equal("runs: corrected", (got["smc"]["verdict"], "%.2f" % got["hvc"]["p"]), ("faster", "0.34"))
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
        status, got = document("--independent", "--fail-over", limit, a, b)
        equal("fail over %s" % limit, (status, [r["name"] for r in got["entries"] if r["fails"]],
                                       got["failed"]), (3 if failed else 0, failed, len(failed)))
    status, out, said = compare("--independent", "--fail-over=3%", a, b)
    equal("fail over: text", (status, said, out.split("\n\n")[-1]), (3, "", "slower by more than 3%:\n+5.0% hvc\n"))
    status, out, said = compare("--independent", "--fail-over=5%", a, b)
    equal("fail over: none", (status, said, out.split("\n\n")[-1]), (0, "", "slower by more than 5%: none\n"))
    equal("faster does not fail", compare("--independent", "--fail-over=0", b, a)[0], 3)
    equal("files behind --", compare("--independent", "--fail-over=3%", "--", a, b)[0], 3)
    equal("options behind files", compare(a, b, "--fail-over=3%", "--independent")[0], 3)
    few = write_runs(directory, "few", [[(HVC, 2000)] * 19])[0]
    equal("few do not fail", compare("--independent", "--fail-over=3%", a, few)[0], 0)


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


def loaded_run(chance, between, load, slower=1):
    """A run in real time: load comes and goes, so events depend on those before them, some take
    much longer, and runs differ as a whole. @between: standard deviation of that; @load: by how
    much it makes events slower; @slower: the factor of call 1"""
    whole, busy, entries = chance.lognormvariate(0, between), chance.random() < 0.5, []
    calls = [call for call in CALLS for _ in range(80)]
    chance.shuffle(calls)
    for call in calls:
        busy ^= chance.random() < 0.02
        ns = CALLS[call] * whole * chance.lognormvariate(load * busy, 0.02) * (slower if call == 1 else 1)
        entries.append((call, int(ns * (20 if chance.random() < 0.02 else 1))))
    return entries


def made_runs(directory, name, seed, make, *how):
    """Five recordings of runs"""
    return [record_calls(os.path.join(directory, "%s%d.dat" % (name, i)),
                         make(random.Random("%s %d %d" % (name, seed, i)), *how)) for i in range(5)]


def changed(got):
    return [row["name"] for kind in ("entries", "hypercalls") for row in got[kind]
            if row["verdict"] in ("slower", "faster")]


def found(a, b):
    """What was found, unless it is that call 1 became slower"""
    status, got = document("--fail-over=1%", *a, "--", *b)
    slow = [row["name"] for row in got["hypercalls"] if row["fails"]]
    return [] if (status, slow) == (3, ["1"]) else [(status, slow)]


def test_power(directory):
    """On virtual time, 2 % in one hypercall are found in each of 20 tries, and nothing else is"""
    missed, wrong = [], []
    for seed in range(20):
        a = made_runs(directory, "a", seed, noisy_run, 1)
        b = made_runs(directory, "b", seed, noisy_run, 1.02)
        missed += found(a, b)
        status, got = document("--fail-over=1%", *a, "--", *made_runs(directory, "c", seed, noisy_run, 1))
        wrong += [(seed, status, changed(got))] if status or changed(got) else []
        wrong += [seed] if changed(document(*a[:3], "--", *a[3:], b[0])[1]) else []
    result("2 % are found in 20 of 20 tries", missed)
    result("nothing is found where nothing changed, in 20 of 20 tries", wrong)


def test_load(directory):
    """In real time and with load, 40 comparisons of the same find something once at most"""
    wrong, alone = [], []
    for seed in range(40):
        a, b = (made_runs(directory, name, seed, loaded_run, 0.05, 0.7) for name in "ab")
        status, got = document("--fail-over=1%", *a, "--", *b)
        wrong += [(seed, status, changed(got))] if status or changed(got) else []
        status, got = document("--fail-over=1%", a[0], b[0])
        alone += [(seed, status, changed(got))] if status or changed(got) else []
    result("load: nothing changed, in 39 of 40 comparisons of 5 with 5", wrong[1:])
    result("load: nothing changed, in 40 comparisons of 1 with 1", alone)


def test_quiet(directory):
    """Where recordings differ by half a percent, 3 % in one hypercall are found in 19 of 20 tries"""
    missed = []
    for seed in range(20):
        missed += found(made_runs(directory, "a", seed, loaded_run, 0.005, 0.005),
                        made_runs(directory, "b", seed, loaded_run, 0.005, 0.005, 1.03))
    result("3 % are found in 19 of 20 tries", missed[1:])


KNOWN = [b"hyptrace: time=real\n", b"hyptrace: option=kvm-arm.mode=protected\n"]
UNAME = b"Linux box 6.12.1 aarch64"


def made(directory, name, more=(), texts=TEXTS + KNOWN, cpus=(0,), lost=0, **others):
    """A recording with a hypercall of 100 ns, in which there are more events"""
    path = os.path.join(directory, name + ".dat")
    events = [(10**9, "hyp_enter", 7, {"reason": HVC})] + [(10**9 + 50, what, 7, {}) for what in more] + \
        [(10**9 + 100, "hyp_exit", 7, {"reason": ERET_HOST})]
    pages = [synth.page(events)] + ([synth.page([(10**9 + 200, "trace_off", 7, {})], lost)] if lost else [])
    synth.write(path, {0: []}, {cpu: pages for cpu in cpus}, texts=texts, **{"uname": UNAME, **others})
    return path


# Of the second recording: its events or what else it has; what is said; whether it is refused
DIFFERENT = (
    ("graph", {"more": ["funcgraph_entry", "funcgraph_exit"]}, "functions: recorded in B", True),
    ("function", {"more": ["function"]}, "functions: recorded in B", True),
    ("stacks", {"more": ["kernel_stack"]}, "stacks: recorded in B", True),
    ("clock", {"clocks": (b"mono", b"mono")}, "clock: boot in A, mono in B", True),
    ("virtual", {"texts": TEXTS + [b"hyptrace: time=virtual\n", KNOWN[1]]}, "time: real in A, virtual in B", True),
    ("old", {"texts": TEXTS + KNOWN[1:]}, "time: real in A, not known in B", False),
    ("mode", {"texts": TEXTS + KNOWN[:1] + [b"hyptrace: option=kvm-arm.mode=nvhe\n"]},
     "KVM's options: kvm-arm.mode=protected in A, kvm-arm.mode=nvhe in B", False),
    ("kernel", {"uname": b"Linux box 6.12.2 aarch64"}, "kernel: Linux box 6.12.1 aarch64 in A, Linux box 6.12.2 aarch64 in B",
     False),
    ("cpus", {"cpus": (0, 1)}, "CPUs: 1 in B", False),
    ("events", {"texts": TEXTS + KNOWN + synth.enabled("host_hcall", "vcpu_exit")},
     "events: hypervisor/host_hcall, hypervisor/vcpu_exit in B", False),
    ("filters", {"texts": TEXTS + KNOWN + synth.enabled("host_hcall", how="filtered") +
                 [b"hyptrace: filter=hypervisor/host_hcall id > 1\n"]},
     "filters: hypervisor/host_hcall id > 1 in B", False),
    ("filtered", {"texts": TEXTS + KNOWN + synth.enabled("host_hcall", how="filtered")},
     "filters: not known in B", False),
    ("lost", {"lost": 5}, "lost events: 5 in B", False),
)


def test_conditions(directory):
    """What was recorded differently is said first, or refused"""
    a = made(directory, "first")
    equal("made alike", (document(a, made(directory, "alike"))[1]["differences"], compare(a, a)[1][:7]), ([], "TIME, %"))
    for name, how, words, grave in DIFFERENT:
        b = made(directory, name, **how)
        refused = "hyptrace: different %s: expected the same, or --force\n" % words
        printed = "different %s\n\nTIME, %%" % words
        if grave:
            equal("%s: refused" % name, compare(a, b), (1, "", refused))
        status, out, said = compare("--force", a, b) if grave else compare(a, b)
        equal("%s: said first" % name, (status, said, out[:len(printed)]), (0, "", printed))
        got = document("--force", a, b)[1]["differences"]
        sides = [text + " in " + side for side, text in zip("AB", (got[0]["a"], got[0]["b"])) if text]
        equal("%s: as JSON" % name, (len(got), got[0]["what"] + ": " + ", ".join(sides)), (1, words))
    old = made(directory, "older", texts=TEXTS)
    equal("not known of any", compare(old, old)[1].split("\n")[:3], ["time: not known", "KVM's options: not known", ""])
    one = made(directory, "one", clocks=(b"mono", b"mono"))
    equal("one of several", compare(a, one, "--", a, a)[0::2],
          (1, "hyptrace: different clock: boot, mono in A, boot in B: expected the same, or --force\n"))


def test_boots(directory):
    """Several recordings of a boot, of which the other side has none"""
    of = [[made(directory, "boot%s%d" % (boot, i), texts=TEXTS + KNOWN + [b"hyptrace: boot=%s\n" % boot.encode()])
           for i in range(2)] for boot in "xyz"]
    unknown = made(directory, "noboot")
    for what, a, b, text in (
            ("two", of[0], of[1], ["different boots: 1 for 2 recordings in A, 1 for 2 recordings in B"]),
            ("one side", of[0], of[1][:1] + of[2][:1],
             ["different boots: 1 for 2 recordings in A, 2 for 2 recordings in B"]),
            ("both have it", of[0], of[0][:1] + of[1][:1], []), ("a boot each", [of[0][0], of[1][0]], [of[2][0]], []),
            ("one of each", of[0][:1], of[1][:1], []), ("not known", of[0], [unknown], [])):
        equal("boots: " + what, [d["text"] for d in document(*a, "--", *b)[1]["differences"]], text)


def test_virtual(directory):
    """Events are independent on virtual time, of all recordings"""
    texts = TEXTS + [b"hyptrace: time=virtual\n", KNOWN[1]]
    paths = [made(directory, name, texts=texts) for name in ("v0", "v1")]
    equal("virtual: judged", document(*paths)[1]["judged_by"], "durations")
    equal("one real: not judged", document("--force", paths[0], made(directory, "r"))[1]["judged_by"], None)


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
    slower = compare("--independent", "--fail-over=1%", "--html", page, a, b)
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
    attempt_each((test_verdicts, test_no_verdict, test_one_statistic, test_small, test_rates, test_text, test_width, test_runs,
                  test_fail_over, test_power,
                  test_load, test_quiet, test_conditions, test_boots, test_virtual, test_errors, test_page, test_no_page, test_corrupt))
    finish()


main()
