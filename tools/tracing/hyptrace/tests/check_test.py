#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: check_test.py HYPTRACE

What "hyptrace check" finds in recordings that follow its rules, and in some that violate
each of them; and what stat and report print about losses. TAP.
"""
import json
import os
import re
import struct
import sys

import synth
from tap import attempt_each, equal, finish, run

HYPTRACE = sys.argv[1]

HVC, HOST_ABORT, GUEST_EXIT, ERET_HOST, ERET_GUEST = 1, 4, 5, 6, 7
ON = synth.enabled("kvm_entry", "kvm_exit", "hyp_enter", "hyp_exit")
FINE = {"violations": 0, "unaccounted": 0, "max_skew_ns": 0}


def enter(ts, reason):
    return (ts, "hyp_enter", 7, {"reason": reason})


def leave(ts, reason):
    return (ts, "hyp_exit", 7, {"reason": reason})


def guest(ts):
    """A guest run from ts to ts + 30"""
    return [enter(ts, HVC), leave(ts + 10, ERET_GUEST),
            enter(ts + 20, GUEST_EXIT), leave(ts + 30, ERET_HOST)]


def window(start, end):
    return [(start, "kvm_entry", 7, {}), (end, "kvm_exit", 7, {})]


def counters(buffer, written, overrun=0, dropped=0):
    return b"hyptrace: buffer=%s cpu=0 written=%d overrun=%d read=%d dropped=%d\n" % (
        buffer, written, overrun, written - overrun, dropped)


def check(directory, host, hyp, texts=None, on=ON):
    """=> the exit status, the numbers of the last line, all lines and messages.

    host, hyp: events, or a list of sub-buffers. The counters match the content of the file.
    """
    path = os.path.join(directory, "trace.dat")
    pages = [[synth.page(side)] if side and isinstance(side[0], tuple) else side
             for side in (host, hyp)]
    if texts is None:
        texts = [counters(b"host", len(host)), counters(b"hypervisor", len(hyp))]
    synth.write(path, {0: pages[0]}, {0: pages[1]}, texts=on + texts)
    done = run(HYPTRACE, "check", path)
    out = done.stdout.decode()
    numbers = re.findall(r"(\w+)=(\d+)", " ".join(out.splitlines()[-2:]).replace(
        "skipped: windows", "skipped"))
    return done.returncode, {k: int(v) for k, v in numbers}, out + done.stderr.decode()


def finds(what, got, status, said="", **want):
    numbers = {name: got[1].get(name) for name in want}
    equal(what, (got[0], numbers, said in got[2] or got[2]), (status, want, True))


def test_good(directory):
    host, hyp = window(1000, 1100) + window(1200, 1300), guest(1010) + guest(1250)
    finds("all rules kept", check(directory, host, hyp), 0, events=8, host_events=4, windows=2,
          cut=0, skipped=0, lost=0, **FINE)
    stacks = [e for ts, *event in hyp for e in
              ((ts, *event), (ts + 1, "kernel_stack", 7, {"callers": [ts, ts + 4]}))]
    finds("each event has a stack", check(directory, host, stacks), 0, events=16, host_events=4,
          windows=2, cut=0, skipped=0, lost=0, **FINE)
    touching = check(directory, window(1000, 1030), guest(1000))
    finds("a run as long as its window", touching, 0, windows=1, **FINE)
    finds("cut by the beginning", check(directory, host[1:], hyp[3:]), 0, windows=1, cut=1, **FINE)
    finds("cut by the end", check(directory, host[:-1], hyp), 0, windows=1, cut=2, **FINE)


def test_torn(directory):
    host, hyp = window(1000, 1100) + window(1200, 1300), guest(1010) + guest(1250)
    for missing in range(1, 5):
        got = check(directory, host, hyp[:-missing], texts=[])
        finds("no counters, and %d events of the hypervisor missing at the end" % missing, got, 1,
              "no counters for 2 buffers", windows=1, cut=1, violations=0)
        finds("the same with counters", check(directory, host, hyp[:-missing]), 1,
              "no guest run at EL2", windows=2, violations=1)
    finds("no counters, and a run missing before", check(directory, host, hyp[4:], texts=[]), 1,
          "no guest run at EL2", violations=1)


def test_broken(directory):
    host, hyp = window(1000, 1100), guest(1010)
    for what, host_events, hyp_events, said in (
            ("no run", host, [enter(900, HVC), leave(910, ERET_HOST)], "no guest run at EL2"),
            ("two runs", host, hyp + guest(1050), "outside of kvm_entry and kvm_exit"),
            ("a run outside", host + window(1200, 1300), hyp + guest(1150) + guest(1210),
             "outside of kvm_entry and kvm_exit"),
            ("two entries of the host", host[:1] * 2 + host[1:], hyp, "kvm_entry after kvm_entry"),
            ("an exit of the host alone", host + host[1:], hyp, "kvm_exit without kvm_entry"),
            ("entered twice", host, hyp[:1] * 2 + hyp[1:], "hyp_enter while the CPU is at EL2"),
            ("left twice", host, hyp + [leave(1050, ERET_HOST)],
             "hyp_exit while the CPU is in the host"),
            ("a guest's exit out of the host", host, hyp + [enter(1050, GUEST_EXIT)],
             "hyp_enter while the CPU is in the host"),
            ("a call out of a guest", host, hyp[:2] + [enter(1025, HVC)] + hyp[3:],
             "hyp_enter while the CPU is in a guest"),
            ("a guest entered by an abort", host, [enter(1010, HOST_ABORT)] + hyp[1:],
             "guest entered, but EL2 was not entered by hvc"),
            ("an event of the hypervisor in the host", host,
             hyp + [(1060, "host_hcall", 7, {})], "host_hcall while the CPU is in the host")):
        got = check(directory, host_events, hyp_events)
        finds(what, got, 1, said)
        equal(what + ": counted", got[1]["violations"] > 0, True)
    for what, run_at, skew in ("early", 990, 10), ("late", 1080, 10), ("by one", 1071, 1):
        finds("beyond the window " + what, check(directory, host, guest(run_at)), 1,
              "extends beyond its window by %d ns" % skew, violations=1, max_skew_ns=skew)


SECOND, DAY = 10**9, 86400 * 10**9
YEAR, BEGIN = 365 * DAY, 400 * DAY
TIMES = [b"hyptrace: clock=boot now=%d boot=0\n" % now for now in (BEGIN, BEGIN + 2 * SECOND)]
STAMPS = 5


def run_of(make, number):
    """Events of a sub-buffer"""
    return sum((make(BEGIN + number * 10000 + i * 1000) for i in range(3)), [])


def write_stamps(path, hyp, texts):
    host = [synth.page(run_of(lambda ts: window(ts, ts + 100), i)) for i in range(STAMPS)]
    synth.write(path, {0: host}, {0: hyp}, texts=ON + texts)


def delayed(events, by, first=5):
    """All events from one on are later"""
    return events[:first] + [(ts + by, *rest) for ts, *rest in events[first:]]


def stamped(page, ts):
    return struct.pack("<Q", ts) + page[8:]


def absolute(events, ts, first=5):
    """A TIME_STAMP before one of the events"""
    pages = [synth.page(part) for part in (events[:first], events[first:])]
    parts = [page[16:16 + struct.unpack_from("<Q", page, 8)[0]] for page in pages]
    data = parts[0] + struct.pack("<II", (ts & (1 << 27) - 1) << 5 | 31, ts >> 27) + parts[1]
    return (pages[0][:8] + struct.pack("<Q", len(data)) + data).ljust(synth.PAGE, b"\0")


def stat_of(path, at_end):
    """At the end of a recording, it is not compared where a CPU was after its last event"""
    done = run(HYPTRACE, "stat", "--json", path)
    got = json.loads(done.stdout)
    for name in ("lost", "corrupt") + ("losses", ) * at_end:
        del got[name]
    for row in (got["cpus"] + got["tasks"] + got["vcpus"]) * at_end:
        row["task"] += row.pop("unknown")
    return got


def test_time(directory):
    """A corrupt timestamp is as a loss of the rest of its sub-buffer. The other sub-buffers, and
    all of the host's, are used."""
    path = os.path.join(directory, "stamps.dat")
    events = [run_of(lambda ts: guest(ts + 10), i) for i in range(STAMPS)]
    pages = [synth.page(part) for part in events]
    # (what, in which sub-buffer, how many of its events are right, the sub-buffer, texts)
    for what, at, right, page, texts in (
            ("far ahead", 2, 0, stamped(pages[2], BEGIN + YEAR), []),
            ("a bit ahead", 2, 0, stamped(pages[2], BEGIN + 40011), []),
            ("far ahead, the first", 0, 0, stamped(pages[0], BEGIN + YEAR), []),
            ("far ahead, the last but one", 3, 0, stamped(pages[3], BEGIN + YEAR), []),
            ("far ahead, the last", 4, 0, stamped(pages[4], BEGIN + YEAR), []),
            ("after the recording's end", 4, 0, stamped(pages[4], BEGIN + 4 * SECOND), TIMES),
            ("far back", 2, 0, stamped(pages[2], 0), []),
            ("a bit back", 2, 0, stamped(pages[2], BEGIN + 5000), []),
            ("far back, the second", 1, 0, stamped(pages[1], 0), []),
            ("far back, the last", 4, 0, stamped(pages[4], 0), []),
            ("before the recording's begin", 0, 0, stamped(pages[0], BEGIN - 4 * SECOND), TIMES),
            ("an event far ahead", 2, 5, synth.page(delayed(events[2], YEAR)), []),
            ("an event a bit ahead", 2, 5, synth.page(delayed(events[2], 10**4)), []),
            ("an event far ahead, in the last", 4, 4, synth.page(delayed(events[4], YEAR, 4)), []),
            ("an event after the recording's end", 4, 4,
             synth.page(delayed(events[4], 4 * SECOND, 4)), TIMES),
            ("an event that goes back", 2, 5, absolute(events[2], events[2][4][0] - 1), [])):
        write_stamps(path, pages[:at] + [page] + pages[at + 1:], texts)
        done = run(HYPTRACE, "stat", path)
        offset = os.path.getsize(path) // synth.PAGE * synth.PAGE - (STAMPS - at) * synth.PAGE
        equal("stamps: %s: stat says it" % what, (done.returncode, done.stderr.decode()), (
            1, "hyptrace: %s: 1 corrupt sub-buffers, the first one at byte %d: "
            "the rest of each was left out\n" % (path, offset)))
        last = at == STAMPS - 1
        got = stat_of(path, last)
        times = [json.loads(line)["ts"] for line in run(HYPTRACE, "report", "-j", path).stdout.splitlines()]
        equal("stamps: %s: report is in order" % what,
              (times[1:] == sorted(times[1:]), times[-1]), (True, BEGIN + 42100))
        said = run(HYPTRACE, "check", path).stdout.decode()
        equal("stamps: %s: check finds nothing else" % what, (" violations=1 " in said, "violation: "
              "[000] " in said and "corrupt sub-buffer at file offset %d\n" % offset in said), (True, True))
        kept = pages[:at] + ([synth.page(events[at][:right])] if right else [])
        kept += [synth.page(part, lost=None if i == 0 else 0) for i, part in enumerate(events[at + 1:])]
        write_stamps(path, kept, texts)
        equal("stamps: %s: stat leaves it out" % what, got, stat_of(path, last))
    write_stamps(path, pages, TIMES)
    equal("stamps: all are right", run(HYPTRACE, "stat", path).returncode, 0)


def test_losses(directory):
    host = window(1000, 1100) + window(1200, 1300)
    hyp = [synth.page(guest(1010)), synth.page(guest(1410), lost=4)]
    host += window(1400, 1500)
    texts = [counters(b"host", 6), counters(b"hypervisor", 12, overrun=4)]
    finds("a window in a loss", check(directory, host, hyp, texts), 0, windows=2, skipped=1,
          lost=4, **FINE)
    finds("the same without the loss", check(
        directory, host, [hyp[0], synth.page(guest(1410))],
        [counters(b"host", 6), counters(b"hypervisor", 8)]), 1, windows=3, violations=1)
    for what, text in (("more were written", counters(b"hypervisor", 13, overrun=4)),
                       ("fewer were written", counters(b"hypervisor", 11, overrun=4)),
                       ("more were lost", counters(b"hypervisor", 13, overrun=5))):
        got = check(directory, host, hyp, texts[:1] + [text])
        finds(what, got, 1, "unaccounted: [000] hyp", unaccounted=1, violations=0)
    finds("dropped", check(directory, host[:2], hyp[:1], [
        counters(b"host", 2), counters(b"hypervisor", 4, dropped=9)]), 0, lost=9, **FINE)


def stat(directory, *options):
    """What stat prints about the last file"""
    return run(HYPTRACE, "stat", *options, os.path.join(directory, "trace.dat")).stdout.decode()


def inexact(directory):
    """Losses without a mark in a sub-buffer of the last file"""
    return [int(n) for n in re.findall(r"^inexact: (\d+) ", stat(directory), re.M)]


def test_dropped(directory):
    """EL2 marks dropped events as well, the host does not"""
    host = window(1000, 1100)
    for mark, overrun, dropped, unaccounted, unmarked in (
            (4, 0, 4, 0, []), (4, 0, 9, 0, [5]), (4, 3, 1, 0, []), (4, 4, 9, 0, [9]),
            (4, 0, 3, 1, []), (4, 5, 9, 1, [10]), (None, 3, 9, 0, [])):
        hyp = [synth.page(guest(1010)), synth.page(guest(1150), lost=mark)]
        texts = [counters(b"host", 2), counters(b"hypervisor", 8 + overrun, overrun, dropped)]
        got = check(directory, host, hyp, texts)
        what = "marked %s, overrun %d, dropped %d" % (mark, overrun, dropped)
        finds(what, got, int(unaccounted > 0), unaccounted=unaccounted, lost=overrun + dropped)
        equal(what + ": not marked", inexact(directory), unmarked)
    pages = [synth.page(host), synth.page(window(1200, 1300), lost=4)]
    for overrun, dropped, unaccounted in (4, 9, 0), (0, 4, 4):
        texts = [counters(b"host", 4 + overrun, overrun, dropped), counters(b"hypervisor", 8)]
        finds("marked by the host, overrun %d, dropped %d" % (overrun, dropped),
              check(directory, pages, guest(1010) + guest(1210), texts), int(unaccounted > 0),
              unaccounted=unaccounted)


def test_uncounted(directory):
    """Without counters, the marks give the number of lost events"""
    hyp = [synth.page(guest(1010)), synth.page(guest(1150), lost=4)]
    more = hyp + [synth.page(guest(1250), lost=None)]
    for pages, text, number in (hyp, "4", 4), (more, "4+?", None):
        got = check(directory, window(1000, 1100), pages, texts=[])
        finds("no counters: check says lost=" + text, got, 1, " lost=%s unaccounted=0 " % text)
        equal("no counters: stat says lost=" + text, " lost=%s\n" % text in stat(directory), True)
        equal("no counters: and as JSON", json.loads(stat(directory, "-j"))["lost"], number)
        done = run(HYPTRACE, "report", os.path.join(directory, "trace.dat")).stdout.decode()
        equal("no counters: report says lost=" + text, " lost=%s corrupt=0\n" % text in done, True)


def test_filtered(directory):
    """Events that a filter may have removed are not missed; all other rules are checked"""
    host, hyp = window(1000, 1100) + window(1200, 1300), guest(1010) + guest(1250)
    turns, windows = "EL2 entries and exits not checked", "windows not checked"
    on = synth.enabled("hyp_enter", "hyp_exit") + synth.enabled("kvm_entry", "kvm_exit",
                                                                 how="filtered")
    got = check(directory, host[:1] + host[3:], hyp, on=on)
    finds("filtered: the host's", got, 0, windows, windows=0, **FINE)
    equal("filtered: the host's only", turns in got[2], False)
    got = check(directory, host[:1] + host[3:], hyp[:1] + hyp, on=on)
    finds("filtered: the host's, and EL2 entered twice", got, 1,
          "hyp_enter while the CPU is at EL2")
    for name in "hyp_enter", "hyp_exit":
        on = [text for text in ON if name.encode() not in text]
        on += synth.enabled(name, how="filtered")
        got = check(directory, host, [e for e in hyp if e[1] != name], on=on)
        finds("filtered: " + name, got, 0, turns, windows=0, **FINE)
        equal("filtered: windows without " + name, windows in got[2], True)


def test_errors(directory):
    path = os.path.join(directory, "trace.dat")
    check(directory, window(1000, 1100), guest(1010))
    done = run(HYPTRACE, "check", "-P", "99", path)
    equal("error: no such CPU", (done.returncode, done.stdout, done.stderr.decode()),
          (1, b"", "hyptrace: %s: CPU 99 was not recorded\n" % path))


def main():
    print("TAP version 13")
    attempt_each((test_good, test_torn, test_broken, test_time, test_losses, test_dropped,
                  test_uncounted, test_filtered, test_errors))
    finish()


main()
