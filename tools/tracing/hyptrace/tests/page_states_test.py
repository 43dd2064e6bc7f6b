#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: page_states_test.py HYPTRACE

What "hyptrace pages" prints and "hyptrace check" finds about pages that change hands, legally
and illegally, in recordings that are complete and in some that are not. TAP.
"""
import json
import os
import re
import sys

import synth
from tap import attempt_each, equal, finish, result, run

HYPTRACE = sys.argv[1]

HVC, GUEST_EXIT, ERET_HOST = 1, 5, 6
ON = synth.enabled("mem_transition", "guest_mem", "trace_on", "trace_off")
VM, GFN = 0x1000, 0x80000

# name: (event, its numbers)
HOST, HYP, FFA = range(3)
OPS = {
    "host_share_hyp": {"op": 0, "from": HOST, "to": HYP},
    "host_unshare_hyp": {"op": 1, "from": HOST, "to": HYP},
    "host_donate_hyp": {"op": 2, "from": HOST, "to": HYP},
    "hyp_donate_host": {"op": 2, "from": HYP, "to": HOST},
    "host_share_ffa": {"op": 0, "from": HOST, "to": FFA},
    "host_unshare_ffa": {"op": 1, "from": HOST, "to": FFA},
}
GUEST_OPS = {"host_donate_guest": 0, "host_reclaim_page_guest": 1,
             "host_force_reclaim_page_guest": 2, "hyp_poison_page": 3, "host_share_guest": 4,
             "host_unshare_guest": 5, "guest_share_host": 6, "guest_unshare_host": 7}
ALL_OPS = list(OPS) + list(GUEST_OPS)

# state: (transitions that lead to it, what it is called)
OF_VM = "vm 0x1000 gfn 0x80000"
KNOWN = ["host_share_hyp", "host_unshare_hyp"]
STATES = {
    "host": (KNOWN, "host"),
    "shared with hyp": (["host_share_hyp"], "host, shared with hyp"),
    "shared with ffa": (["host_share_ffa"], "host, shared with ffa"),
    "shared with a guest": (KNOWN + ["host_share_guest"], "host, shared with guests 1 times"),
    "hyp": (["host_donate_hyp"], "hyp"),
    "guest": (["host_donate_guest"], OF_VM),
    "overwritten": (["host_donate_guest", "hyp_poison_page"], OF_VM + ", overwritten"),
    "shared with host": (["host_donate_guest", "guest_share_host"], OF_VM + ", shared with host"),
}
# What is legal, and the state that it leads to
LEGAL = {
    ("host", "host_share_hyp"): "shared with hyp",
    ("host", "host_donate_hyp"): "hyp",
    ("host", "host_share_ffa"): "shared with ffa",
    ("host", "host_donate_guest"): "guest",
    ("host", "host_share_guest"): "shared with a guest",
    ("shared with hyp", "host_unshare_hyp"): "host",
    ("shared with ffa", "host_unshare_ffa"): "host",
    ("shared with a guest", "host_share_guest"): None,
    ("shared with a guest", "host_unshare_guest"): "host",
    ("hyp", "hyp_donate_host"): "host",
    ("guest", "hyp_poison_page"): "overwritten",
    ("guest", "guest_share_host"): "shared with host",
    ("overwritten", "host_reclaim_page_guest"): "host",
    ("overwritten", "host_force_reclaim_page_guest"): "host",
    ("shared with host", "guest_unshare_host"): "guest",
    ("shared with host", "host_reclaim_page_guest"): "host",
}


def change(op, pfn, vm=VM, gfn=GFN, nr=1, ret=0):
    """=> an event without its time"""
    values = {"pfn": pfn, "nr_pages": nr, "ret": ret}
    if op in OPS:
        return ("mem_transition", 7, {**values, **OPS[op]})
    return ("guest_mem", 7, {**values, "vm": vm, "gfn": gfn, "op": GUEST_OPS[op]})


def timed(events, start=1000, step=10):
    return [(start + i * step, *event) for i, event in enumerate(events)]


def pages_of(events):
    """=> sub-buffers of at most 40 events"""
    return [synth.page(events[i:i + 40]) for i in range(0, len(events), 40)]


def counters(cpu, written, dropped=0):
    return b"hyptrace: buffer=hypervisor cpu=%d written=%d overrun=0 read=%d dropped=%d\n" % (
        cpu, written, written, dropped)


def write(directory, cpus, on=ON, texts=None):
    """cpus: {cpu: events with their times, or sub-buffers} => the path of the file"""
    path = os.path.join(directory, "pages.dat")
    data, count = {}, {}
    for cpu, events in cpus.items():
        plain = not events or isinstance(events[0], tuple)
        data[cpu] = pages_of(events) if plain else events
        count[cpu] = len(events) if plain else 0
    if texts is None:
        texts = [counters(cpu, n) for cpu, n in count.items()]
    synth.write(path, {}, data, texts=on + texts, comms=b"7 worker\n")
    return path


def check(path, *options):
    """=> violations, and the lines about pages"""
    out = run(HYPTRACE, "check", *options, path).stdout.decode()
    lines = [line for line in out.splitlines() if " of page " in line or "pages" in line]
    return int(re.search(r"violations=(\d+)", out).group(1)), lines


def history(path, pfns, *options):
    """=> {pfn: its steps}"""
    done = run(HYPTRACE, "pages", "--json", "--pfn", pfns, *options, path)
    assert done.returncode == 0, done.stderr
    return {page["pfn"]: page["steps"] for page in json.loads(done.stdout)["pages"]}


def counts(path, *options):
    done = run(HYPTRACE, "pages", "--json", *options, path)
    assert done.returncode == 0, done.stderr
    return {row.pop("name"): row for row in json.loads(done.stdout)["transitions"]}


def row(pages=0, unknown=0, illegal=0, refused=0):
    return {"pages": pages, "unknown": unknown, "illegal": illegal, "refused": refused}


def legal(path, pfn):
    return [step["legal"] for step in history(path, hex(pfn))[pfn]]


def test_all(directory):
    """Each transition in each state, on a page of its own"""
    pairs = [(state, op) for state in STATES for op in ALL_OPS]
    events = []
    for pfn, (state, op) in enumerate(pairs, 0x8000):
        events += [change(each, pfn) for each in STATES[state][0] + [op]]
    path = write(directory, {0: timed(events)})
    got = history(path, "0x8000-0x%x" % (0x8000 + len(pairs)))
    equal("all pages", sorted(got), list(range(0x8000, 0x8000 + len(pairs))))
    for pfn, pair in enumerate(pairs, 0x8000):
        step = got[pfn][-1]
        what = "%s, when the state is: %s" % (pair[1], pair[0])
        equal(what, (step["transition"], step["before"], step["known"], step["legal"]),
              (pair[1], STATES[pair[0]][1], True, pair in LEGAL))
        after = LEGAL.get(pair)
        if after:
            equal(what + ": after it", step["after"], STATES[after][1])
    violations, lines = check(path)
    equal("check finds each of them", violations, len(pairs) - len(LEGAL))
    told = [line for line in lines if " of page " in line]
    equal("and prints 20", (len(told), told[0]), (
        20, "violation: [000] 0.000001050: host_unshare_hyp of page 0x8001, which was: host"))
    equal("pages prints how many", sum(r["illegal"] for r in counts(path).values()), violations)


def test_owner(directory):
    """A guest's page belongs to one VM, at one address"""
    for what, op, more, want in (
            ("the owner", "guest_share_host", {}, True),
            ("another VM", "guest_share_host", {"vm": VM + 1}, False),
            ("another address", "guest_share_host", {"gfn": GFN + 1}, False)):
        path = write(directory, {0: timed([change("host_donate_guest", 5), change(op, 5, **more)])})
        equal("a guest's page shared by " + what, (legal(path, 5), check(path)[0]),
              ([True, want], not want))


def test_guests(directory):
    """The host may share a page several times, and has it back after the last time"""
    share = [change("host_share_guest", 5, VM + i) for i in range(3)]
    unshare = [change("host_unshare_guest", 5, VM + i) for i in range(3)]
    known, donate = [change(op, 5) for op in KNOWN], [change("host_donate_hyp", 5)]
    for taken, want in (0, False), (2, False), (3, True):
        path = write(directory, {0: timed(known + share + unshare[:taken] + donate)})
        equal("shared with three guests, and taken back %d times" % taken, legal(path, 5)[-1], want)
    path = write(directory, {0: timed(share + unshare + donate)})
    equal("when it is not known how often before", legal(path, 5), [True] * 7)
    path = write(directory, {0: timed(known + share + unshare + unshare[:1])})
    equal("taken back too often", legal(path, 5), [True] * 8 + [False])


def test_blocks(directory):
    path = write(directory, {0: timed([change("host_share_guest", 0x200, nr=512, gfn=0x400),
                                       change("host_donate_hyp", 0x3ff),
                                       change("host_share_hyp", 0x400)])})
    equal("the last page of a block, and the one behind it", check(path)[0], 1)
    path = write(directory, {0: timed([change("host_donate_guest", 0x200, nr=3),
                                       change("guest_share_host", 0x202, gfn=GFN + 2)])})
    equal("addresses in a guest count as well", check(path)[0], 0)
    equal("as pages", counts(path)["host_donate_guest"], row(pages=3, unknown=3))
    twice = [change("host_donate_hyp", 0x200)] * 2
    for nr, pfn, want in ((8192, 0x100000, 1), (8193, 0x100000, 0), (2, 2**64 - 1, 0), (0, 1, 1)):
        path = write(directory, {0: timed(twice[:1] + [change("host_share_hyp", pfn, nr=nr)] +
                                          twice[:1])})
        equal("after a transition of %d pages from 0x%x on" % (nr, pfn), check(path)[0], want)


def test_refused(directory):
    path = write(directory, {0: timed([
        change("host_donate_hyp", 5), change("host_share_hyp", 5, ret=-1),
        change("host_donate_guest", 6, ret=-1), change("host_donate_hyp", 6),
        change("hyp_donate_host", 5)])})
    equal("what is refused changes nothing", check(path),
          (0, ["pages: transitions=3 unknown=2 refused=2"]))
    got = history(path, "5,6")
    equal("refused", [(s["before"], s["after"], s["ret"], s["known"]) for s in
                      (got[5][1], got[6][0])],
          [("hyp", "hyp", -1, True), ("unknown", "unknown", -1, False)])


def test_refused_wrongly(directory):
    """-EPERM says that the state forbids it"""
    allowed, forbidden = "host_share_hyp", "host_unshare_hyp"
    for what, events, want in (
            ("what the state allows", [change(allowed, 5, ret=-1)], 1),
            ("what it forbids", [change(forbidden, 5, ret=-1)], 0),
            ("for another reason", [change(allowed, 5, ret=-12)], 0),
            ("several pages", [change(allowed, 5, nr=2, ret=-1)], 0),
            ("a page not known", [change(allowed, 6, ret=-1)], 0),
            ("for a guest, that may have another page there",
             [change("host_donate_guest", 5, ret=-1)], 0)):
        path = write(directory, {0: timed([change(op, 5) for op in KNOWN] + events)})
        violations, lines = check(path)
        equal("refused: " + what, (violations, sum(r["illegal"] for r in counts(path).values())),
              (want, want))
        if want:
            equal("how it is told", lines[0], "violation: [000] 0.000001020: host_share_hyp of "
                  "page 0x5 refused, which was: host")


def test_other(directory):
    """What is not a transition, and what a newer kernel may do"""
    twice = [change("host_donate_hyp", 5)] * 2
    for op in range(8, 13):
        other = ("guest_mem", 7, {"pfn": 5, "nr_pages": 1, "vm": VM, "op": op})
        path = write(directory, {0: timed([twice[0], other, twice[1]])})
        equal(synth.GUEST_OPS[op] + " is none", (legal(path, 5), check(path)[0]), ([True, False], 1))
    for what, name, values in (
            ("a guest's", "guest_mem", {"op": 13}), ("with a number only", "guest_mem", {"op": 99}),
            ("to another one", "mem_transition", {"op": 2, "from": 1, "to": 2})):
        other = (name, 7, {"pfn": 5, "nr_pages": 1, **values})
        path = write(directory, {0: timed([twice[0], other, twice[1]])})
        equal("a new one, %s: the state is unknown" % what,
              [(s["transition"], s["known"], s["legal"]) for s in history(path, "5")[5]],
              [("host_donate_hyp", False, True), ("other", True, True),
               ("host_donate_hyp", False, True)])


def test_cpus(directory):
    """By time, whatever CPU it is on"""
    events = timed([change(op, 5) for op in ("host_share_hyp", "host_unshare_hyp",
                                              "host_donate_hyp", "hyp_donate_host")])
    path = write(directory, {0: events[::2], 1: events[1::2]})
    equal("on two CPUs", (legal(path, 5), check(path)[0]), ([True] * 4, 0))
    steps = history(path, "5", "--cpus", "1")[5]
    equal("--cpus selects what is printed", [(s["cpu"], s["transition"], s["known"]) for s in steps],
          [(1, "host_unshare_hyp", True), (1, "hyp_donate_host", True)])
    equal("and counted", counts(path, "--cpus", "1"),
          {"host_unshare_hyp": row(1), "hyp_donate_host": row(1)})
    equal("check needs all CPUs", check(path, "--cpus", "1"), (0, [
        "transitions of pages not checked: needs mem_transition, and guest_mem if the kernel "
        "has it, without a filter, of all CPUs"]))


def test_lost(directory):
    """CPU 0 donates a page again and again. From the event before to the event after a loss on
    CPU 1, it may have got it back."""
    events = timed([change("host_donate_hyp", 5)] * 6, 1000, 100)
    hcall = "host_hcall", 7, {}

    def known(first, lost, second, dropped=0, **more):
        texts = [counters(0, 6), counters(1, 2, dropped)] if "texts" not in more else more["texts"]
        path = write(directory, {0: pages_of(events), 1: [
            synth.page(first), *([synth.page(second, lost=lost)] if second else [])]}, texts=texts)
        return [s["known"] for s in history(path, "5")[5]]

    early, late = [(1150, *hcall)], [(1350, *hcall)]
    every = [False] + [True] * 5
    equal("no loss", known(early, 0, late), every)
    for lost in 3, None:
        equal("lost between: %s" % lost, known(early, lost, late),
              [False, True, False, False, False, True])
    end = [False] * 6
    equal("no counters", known(early, 0, late, texts=[counters(0, 6)]),
          [False, True, True, True, False, False])
    equal("dropped at the end", known(early, 0, late, dropped=3),
          [False, True, True, True, False, False])
    equal("switched off", known(early, 0, [(1350, "trace_off", 7, {})]),
          [False, True, True, True, False, False])
    equal("switched on", known(early, 0, [(1350, "trace_on", 7, {})]),
          [False, True, False, False, False, True])
    equal("switched on at first", known([(1350, "trace_on", 7, {})], 0, []),
          [False, False, False, False, False, True])
    equal("lost before the first", known([(1050, "trace_off", 7, {})], 0, []), end)
    path = write(directory, {0: pages_of(events), 1: [synth.page(early), synth.page(late)[:8] +
                             b"\xff" * 8 + synth.page(late)[16:], synth.page([(1450, *hcall)])]},
                 texts=[counters(0, 6), counters(1, 3)])
    done = run(HYPTRACE, "pages", "--json", "--pfn", "5", path)
    equal("a corrupt sub-buffer", (done.returncode, [s["known"] for s in json.loads(done.stdout)[
        "pages"][0]["steps"]], b"1 corrupt sub-buffers" in done.stderr),
          (1, [False, True, False, False, False, False], True))


def test_text(directory):
    call = ("host_hcall", 7, {"id": 20})
    path = write(directory, {2: timed([
        ("hyp_enter", 7, {"reason": HVC}), call, change("host_share_hyp", 0x48231),
        ("hyp_exit", 7, {"reason": ERET_HOST}),
        ("hyp_enter", 7, {"reason": HVC}), change("host_donate_hyp", 0x48231),
        change("hyp_donate_host", 0x48231, ret=-16), change("host_donate_guest", 0x9),
        ("hyp_enter", 7, {"reason": GUEST_EXIT}), change("guest_share_host", 0x9)])})
    out = run(HYPTRACE, "pages", "--pfn", "9,0x48000-0x48fff", path).stdout.decode()
    lines = [re.sub(" +", " ", line) for line in out.splitlines()]
    equal("history as text", lines, [
        "PAGE 0x9",
        "[002] 0.000001070 host_donate_guest hvc worker-7 (host) => " + OF_VM,
        "[002] 0.000001090 guest_share_host guest worker-7 " + OF_VM + " => " + OF_VM +
        ", shared with host",
        "",
        "PAGE 0x48231",
        "[002] 0.000001020 host_share_hyp 20 worker-7 (host) => host, shared with hyp",
        "[002] 0.000001050 host_donate_hyp hvc worker-7 host, shared with hyp => hyp, illegal",
        "[002] 0.000001060 hyp_donate_host hvc worker-7 hyp, refused: -16"])
    step = history(path, "9")[9][1]
    equal("the same as JSON", step, {
        "ts": 1090, "cpu": 2, "transition": "guest_share_host", "caller": "guest", "pid": 7,
        "comm": "worker", "ret": 0, "before": OF_VM, "after": OF_VM + ", shared with host",
        "known": True, "legal": True})
    out = run(HYPTRACE, "pages", path).stdout.decode()
    equal("counts as text", [line.split() for line in out.splitlines()], [
        ["TRANSITION", "pages", "unknown", "refused", "illegal"],
        ["host_share_hyp", "1", "1", "0", "0"], ["host_donate_hyp", "1", "0", "0", "1"],
        ["hyp_donate_host", "0", "0", "1", "0"], ["host_donate_guest", "1", "1", "0", "0"],
        ["guest_share_host", "1", "0", "0", "0"]])
    equal("no such page", run(HYPTRACE, "pages", "--pfn", "1", path).stdout,
          b"no transitions of these pages were recorded\n")
    none = run(HYPTRACE, "pages", write(directory, {0: timed([("hyp_enter", 7, {})])}))
    equal("no transitions", (none.returncode, none.stdout.decode()), (
        0, "no transitions were recorded: outside of protected mode, EL2 makes none\n"))
    path = write(directory, {0: timed([change("host_share_hyp", 0x48231)])})
    equal("no such page as JSON", history(path, "1"), {})
    equal("decimal", list(history(path, str(0x48231))), [0x48231])


def test_errors(directory):
    path = write(directory, {0: []})
    bad = "bad list of pages '%s': expected frame numbers such as 0x8421,0x9000-0x90ff"
    cases = [(2, bad % text, ["--pfn", text, path]) for text in (
        "", "0x", "x1", "1,", ",1", "1-", "-1", "2-1", "1-2-3", "1 2", "+1", "0x-1", "12ab",
        "18446744073709551616", "0x10000000000000000")]
    for want, text, arguments in cases + [
            (2, "expected one file, got 0", ["--pfn", "1"]),
            (2, "expected one file, got 2", [path, path]),
            (2, "unrecognized option '--nonsense'", ["--nonsense"]),
            (2, "--pfn and --heat: expected one of them", ["--heat", "--pfn", "1", path]),
            (1, "CPU 9 was not recorded", ["-P", "9", path]),
            (1, "No such file", [path + ".none"])]:
        done = run(HYPTRACE, "pages", *arguments)
        said = done.stderr.decode()
        good = done.returncode == want and text in said and said.count("\n") == 1 and not done.stdout
        result("error: " + text, [] if good else ["status %d: %s" % (done.returncode, said)])
    twice = timed([change("host_donate_hyp", 5)] * 2)
    for what, on in (
            ("were not recorded", []), ("were not recorded", synth.enabled("mem_transition")),
            ("were filtered", synth.enabled("mem_transition") +
             synth.enabled("guest_mem", how="filtered"))):
        path = write(directory, {0: twice}, on=on)
        done = run(HYPTRACE, "pages", path)
        equal("transitions of pages " + what, (done.returncode, what in done.stderr.decode(),
                                               done.stderr.count(b"\n")), (1, True, 1))
        violations, lines = check(path)
        equal("check says so", (violations, len(lines), "not checked" in lines[0]), (0, 1, True))


def main():
    print("TAP version 13")
    attempt_each((test_all, test_owner, test_guests, test_blocks, test_refused,
                  test_refused_wrongly, test_other, test_cpus, test_lost, test_text, test_errors))
    finish()


main()
