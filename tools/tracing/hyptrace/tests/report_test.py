#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: report_test.py HYPTRACE

What "hyptrace report" prints of a file whose events are known, and its messages for
wrong options. TAP.
"""
import json
import os
import struct
import sys
import tempfile

import synth
from tap import attempt, equal, finish, result, run

HYPTRACE = sys.argv[1]

HVC, ERET_HOST = 1, 6
HYP0 = [(2000000100, "hyp_enter", 7, {"reason": HVC}),
        (2000000200, "host_hcall", 7, {"id": 5}),
        (2000000400, "hyp_exit", 7, {"reason": ERET_HOST})]
HYP0_LATER = [(2000001000, "hyp_enter", 7, {"reason": HVC}),
              (2000001500, "hyp_exit", 7, {"reason": ERET_HOST})]
HOST0 = [(2000000000, "kvm_entry", 7, {"vcpu_pc": 0x40}),
         (2000000800, "kvm_entry", 7, {"vcpu_pc": 0x44})]
HYP1 = [(2000000300, "vm_create", 8, {"ret": -3, "tiny": 2})]

ENTER = "           <...>-7       hyp_enter: reason=hvc vcpu=0"
HCALL = "           <...>-7       host_hcall: id=5 invalid=0"
EXIT = "           <...>-7       hyp_exit: reason=eret_host vcpu=0"
ENTRY40 = "           <...>-7       kvm_entry: PC: 0x40"
ENTRY44 = "           <...>-7       kvm_entry: PC: 0x44"
CREATE = "           <...>-8       vm_create: ret=-3 tiny=2"
WHOLE = [
    "[000]     2.000000000 host " + ENTRY40,
    "[000]     2.000000100 hyp  " + ENTER,
    "[000]     2.000000200 hyp  " + HCALL,
    "[001]     2.000000300 hyp  " + CREATE,
    "[000]     2.000000400 hyp  " + EXIT,
    "[000]     2.000000800 host " + ENTRY44,
    "[000]     2.000001000 hyp  *** 5 events lost",
    "[000]     2.000001000 hyp  " + ENTER,
    "[000]     2.000001500 hyp  " + EXIT,
    "total: events=6 host_events=2 lost=5 corrupt=0",
]


def report(*arguments):
    done = run(HYPTRACE, "report", *arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def lines(path, *options):
    status, out, said = report(*options, path)
    assert status == 0 and not said, said
    return out.splitlines()


def make(directory):
    path = os.path.join(directory, "trace.dat")
    synth.write(path, {0: [synth.page(HOST0)]},
                {0: [synth.page(HYP0), synth.page(HYP0_LATER, lost=5)], 1: [synth.page(HYP1)]})
    return path


def test_text(path):
    equal("the whole", lines(path), WHOLE)
    equal("the host's", lines(path, "--host-only"), [WHOLE[0], WHOLE[5], WHOLE[-1]])
    equal("the hypervisor's", lines(path, "--hyp-only"), WHOLE[1:5] + WHOLE[6:])
    equal("a CPU's", lines(path, "-P", "1"),
          [WHOLE[3], "total: events=1 host_events=0 lost=0 corrupt=0"])
    equal("CPU by CPU", lines(path, "--per-cpu"), WHOLE[:3] + WHOLE[4:9] + [WHOLE[3], WHOLE[-1]])


def times(path, *options):
    return [line[6:22].strip() for line in lines(path, *options)[:-1]]


def test_times(path):
    equal("relative times", times(path, "-t", "relative"),
          ["+    0.000000%03d" % t for t in (0, 100, 200, 300, 400, 800)] +
          ["+    0.000001000", "+    0.000001000", "+    0.000001500"])
    equal("relative to the first, printed or not",
          times(path, "-t", "rel", "-e", "host_hcall")[0], "+    0.000000200")
    equal("relative to the first, of a CPU that is printed or not",
          times(path, "-t", "rel", "-P", "1"), ["+    0.000000300"])
    equal("delta times", times(path, "-t", "delta"),
          ["+    0.000000%03d" % t for t in (0, 100, 100, 100, 100, 400, 200, 0, 500)])
    equal("delta times CPU by CPU: the first of each has none",
          times(path, "-t", "delta", "--per-cpu")[-2:], ["+    0.000000500", "+    0.000000000"])


def test_events(path):
    loss = WHOLE[6]
    equal("one event", lines(path, "-e", "host_hcall")[:-1], [WHOLE[2], loss])
    equal("patterns", lines(path, "-e", "kvm:*", "-e", "vm_*")[:-1],
          [WHOLE[0], WHOLE[3], WHOLE[5], loss])
    equal("around an event", lines(path, "-e", "host_hcall", "-C", "1")[:-1],
          WHOLE[1:4] + ["--", loss])
    equal("around events that are near", lines(path, "-e", "hyp_exit", "-C", "1", "-P", "0")[:-1],
          [WHOLE[2], WHOLE[4], WHOLE[5], loss, WHOLE[7], WHOLE[8]])
    equal("around an event, a loss in its context", lines(path, "-e", "hyp_exit", "-C", "3")[:-1],
          WHOLE[1:9])
    equal("around events that are not", lines(path, "-e", "kvm_entry", "-C", "1")[:-1],
          WHOLE[:2] + ["--"] + WHOLE[4:8])


def test_order(directory):
    """Context and losses are in the order of the file: each event has a loss before it"""
    path = os.path.join(directory, "order.dat")
    names = "hyp_enter", "hyp_exit", "hyp_enter", "host_hcall", "hyp_exit", "hyp_enter", "hyp_exit"
    synth.write(path, {0: []}, {0: [synth.page([(3000 + n, name, 7, {})], lost=n + 1)
                                    for n, name in enumerate(names)]})
    # L: a loss, E: an event, each with the last digit of its time
    for context, want in ((1, "L0 -- L1 -- L2 E2 L3 E3 L4 E4 L5 -- L6"),
                          (2, "L0 -- L1 E1 L2 E2 L3 E3 L4 E4 L5 E5 L6"),
                          (9, "L0 E0 L1 E1 L2 E2 L3 E3 L4 E4 L5 E5 L6 E6")):
        options = "-e", "host_hcall", "-C", str(context)
        printed = lines(path, *options)[:-1]
        equal("order: %d around an event" % context, " ".join(
            line if line == "--" else ("L" if "***" in line else "E") + line[20] for line in printed),
            want)
        deltas = [line[6:22] for line in lines(path, *options, "-t", "delta") if line[0] == "["]
        moments = [int(item[1]) for item in want.split() if item != "--"]
        equal("order: deltas, %d around an event" % context, deltas, [
            "+    0.%09d" % (now - before) for before, now in zip(moments[:1] + moments, moments)])
    equal("order: json", [(e["ts"] - 3000, "lost" in e) for e in map(
        json.loads, lines(path, "--json", "-e", "host_hcall", "-C", "1"))],
          [(0, True), (1, True), (2, True), (2, False), (3, True), (3, False), (4, True), (4, False),
           (5, True), (6, True)])


def test_json(path):
    got = [json.loads(line) for line in lines(path, "--json")]
    equal("json: as many", len(got), 9)
    equal("json: an event", got[3],
          {"ts": 2000000300, "cpu": 1, "side": "hyp", "system": "hypervisor", "event": "vm_create",
           "pid": 8, "comm": "<...>", "fields": {"ret": -3, "tiny": 2}, "text": "ret=-3 tiny=2"})
    equal("json: a loss", got[6], {"ts": 2000001000, "cpu": 0, "side": "hyp", "lost": 5})
    equal("json: the order", [e["ts"] % 10000 for e in got],
          [0, 100, 200, 300, 400, 800, 1000, 1000, 1500])


def test_ticks(directory):
    """The timestamps of some clocks are no time"""
    path = os.path.join(directory, "ticks.dat")
    for clock, want in ((b"counter", ("2000000000", "+300")), (b"uptime", ("2000000000", "+300")),
                        (b"x86-tsc", ("2000000000", "+300")),
                        (b"mono", ("2.000000000", "+0.000000300"))):
        synth.write(path, {0: [synth.page(HOST0)]}, {1: [synth.page(HYP1)]}, clocks=(clock, clock))
        equal("ticks: " + clock.decode(), (times(path)[0], times(path, "-t", "rel")[1].replace(" ", "")),
              want)


def test_stack_of_event(directory):
    """An event that is chosen has its stack, with events of other CPUs between"""
    path = os.path.join(directory, "chosen.dat")
    stack = "kernel_stack", 7, {"callers": [0x1010]}
    synth.write(path, {0: []}, {
        0: [synth.page([(1000, "hyp_enter", 7, {"reason": HVC}), (1004,) + stack,
                        (1005, "host_hcall", 7, {}), (1006,) + stack,
                        (1007, "hyp_exit", 7, {"reason": ERET_HOST})])],
        1: [synth.page([(1001, "hyp_enter", 8, {"reason": HVC}), (1002, "vm_create", 8, {}),
                        (1003,) + stack])]})
    def stamps(*options):
        return [line[19:21] for line in lines(path, *options)[:-1] if line[0] == "["]
    equal("stack of an event", stamps("-e", "hyp_enter"), ["00", "01", "04"])
    equal("stack of another event", stamps("-e", "host_hcall", "-e", "hyp_exit"), ["05", "06", "07"])
    equal("stack and context", stamps("-e", "vm_create", "-C", "1"), ["01", "02", "03", "04"])
    equal("stack of none", stamps("-e", "hyp_exit"), ["07"])


def test_stacks(directory):
    """A line for each caller; a record has as many as it has room for"""
    path = os.path.join(directory, "stacks.dat")
    many = [0x1000 + 16 * n for n in range(32)]
    synth.write(path, {0: []}, {0: [synth.page([
        (1000, "hyp_enter", 7, {"reason": HVC}),
        (1001, "kernel_stack", 7, {"callers": [0x1010, 0x2ff8, 0x5000]}),
        (1002, "hyp_exit", 7, {"reason": ERET_HOST}),
        (1003, "kernel_stack", 7, {"callers": many}),
        (1004, "kernel_stack", 7, {"callers": []})])]},
        symbols=b"1000 t __kvm_nvhe_first\n2000 t __kvm_nvhe_\\second\n4000 t last\n6000 t end\n")
    got = lines(path)
    equal("a stack", got[1:5], ["[000]     0.000001001 hyp             <...>-7       "
                                "kernel_stack: <stack trace>", " => __kvm_nvhe_first",
                                " => __kvm_nvhe_\\\\second", " => last"])
    equal("a long stack", got[7:39], [" => __kvm_nvhe_first"] * 32)
    equal("an empty stack", got[39:-1], ["[000]     0.000001004 hyp             <...>-7       "
                                         "kernel_stack: <stack trace>"])
    equal("json: a stack", json.loads(lines(path, "--json")[1])["text"],
          "<stack trace>\n => __kvm_nvhe_first\n => __kvm_nvhe_\\second\n => last")


def test_names(directory):
    """A name in UTF-8 is unchanged; in other names, each byte is taken as Latin 1"""
    path = os.path.join(directory, "names.dat")
    good = "caf\u00e9 \u20ac\U0001f600\u0080", '"\\\t\x7f'
    bad = b"caf\xe9", b"\xc3", b"\x80\xbf", b"\xc0\xaf\xc1\xbf", b"\xe0\x9f\xbf", b"\xed\xa0\x80", \
        b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80\xff", b"\xe2\x82(\xc3\xa9"
    want = list(good) + [name.decode("latin-1") for name in bad]
    want[-1] = "\u00e2\u0082(\u00e9"
    comms = [name.encode() for name in good] + list(bad)
    events = [(1000 + 100 * pid, "hyp_enter" if pid % 2 else "hyp_exit", pid,
               {"reason": HVC if pid % 2 else ERET_HOST}) for pid in range(1, len(comms) + 1)]
    events.append((9000, "hyp_exit", 1, {"reason": ERET_HOST}))
    synth.write(path, {0: []}, {0: [synth.page(events)]},
                comms=b"".join(b"%d %s\n" % comm for comm in enumerate(comms, 1)),
                texts=synth.enabled("hyp_enter", "hyp_exit"))
    equal("names: report", [json.loads(line)["comm"] for line in lines(path, "--json")[:-1]], want)
    tasks = json.loads(run(HYPTRACE, "stat", "--json", path).stdout)["tasks"]
    equal("names: stat", {t["pid"]: t["comm"] for t in tasks if t["pid"]},
          {pid: want[pid - 1] for pid in range(1, len(want) + 1, 2)})


# What a terminal obeys, or cannot show: C0, DEL, C1 as UTF-8, and bytes that are not UTF-8
EVIL = b"\x1b]0;x\x07\x7f\xc2\x9b2J\x9b\\\xe9"
SHOWN = r"\033]0;x\a\177\302\2332J\233\\\351"
JSON = "\x1b]0;x\x07\x7f\u009b2J\u009b\\\u00e9"
CHARS = ("char", 16, "")
EVIL_EVENTS = {
    "string": ("hypervisor", 120, [(CHARS, "s[16]")], '"s=%s", REC->s'),
    # a format with control characters is not used
    "literal": ("hypervisor", 122, [(synth.U32, "x")], '"\x1b[2J%u\x9b", REC->x'),
    "symbol": ("hypervisor", 123, [(synth.U32, "x")],
               '"%s", __print_symbolic(REC->x, { 0x1b, "\x1b[3J" })'),
    "newline": ("hypervisor", 124, [(CHARS, "s[16]")], '"s=%s\\n", REC->s'),
    "host_hcall": ("hypervisor", 102, [(CHARS, "id[16]")], '"id=%s", REC->id'),
}


def write_evil(path, **more):
    """A file in which each string that can be anything is EVIL, or like it"""
    every, synth.EVENTS = synth.EVENTS, dict(synth.EVENTS, **EVIL_EVENTS)
    values = {"s[16]": int.from_bytes(EVIL, "little"), "x": 0x1b,
              "id[16]": int.from_bytes(b"\x1b[5m", "little")}
    events = [(1000, "hyp_enter", 7, {"reason": HVC})]
    events += [(1010 + i, name, 7, values) for i, name in enumerate(EVIL_EVENTS)]
    events += [(1100, "hyp_exit", 7, {"reason": ERET_HOST})]
    synth.write(path, {0: []}, {0: [synth.page(events)]}, comms=b"7 " + EVIL + b"\n", uname=EVIL,
                texts=synth.enabled("hyp_enter", "hyp_exit") + [b"hyptrace: " + EVIL + b"\n"], **more)
    synth.EVENTS = every


def shows(what, command, *wanted):
    """The command says all of @wanted, in UTF-8 without control characters but newlines"""
    done = run(HYPTRACE, *command)
    text = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    problems = ["control or not UTF-8: %r" % line for line in text.split("\n")
                if not all(" " <= c < "\x7f" or "\xa0" <= c < "\ud800" for c in line)]
    problems += ["no %r in %r" % (want, text) for want in wanted if want not in text]
    result("control: " + what, problems)
    return done.stdout


def test_control(directory):
    """Nothing of a file, nor of its name, reaches a terminal as something that it obeys"""
    path = os.path.join(directory, "evil\x1b[2J\u009b.dat")
    named = r"evil\033[2J\302\233.dat"
    write_evil(path)
    shows("report", ["report", path], SHOWN + "-7       hyp_enter: ", " string: s=%s\n" % SHOWN,
          " literal: x=27\n", " symbol: x=27\n", " newline: s=%s\n" % SHOWN,
          r" host_hcall: id=\033[5m")
    got = [json.loads(line) for line in shows("report --json", ["report", "-j", path]).splitlines()]
    equal("control: report --json: a name", {e["comm"] for e in got}, {JSON})
    equal("control: report --json: a string", got[1]["fields"], {"s": JSON})
    shows("stat", ["stat", "-H", path], "\n%s-7 " % SHOWN, "\n\\033[5m ", "\n\\033[5m\n")
    got = json.loads(shows("stat --json", ["stat", "-j", path]))
    equal("control: stat --json: a name", got["tasks"][0]["comm"], JSON)
    shows("compare", ["compare", path, path], "\n\\033[5m ")
    shows("check", ["check", path], "check: ")
    shows("an option", ["report", "-e", "\x1b[2J", path], named, r"no event '\033[2J'")
    shows("no file", ["stat", path + "\n"], named + r"\n: No such file")
    page = os.path.join(directory, "page\x1b.html")
    shows("the page", ["export", "--html", "-o", page, path], r"page\033.html")
    with open(page, "rb") as file:
        equal("control: in the page", [c for c in set(file.read()) if c < 32 and c not in b"\t\n"], [])
    pftrace = os.path.join(directory, "pftrace")
    shows("Perfetto", ["export", "--perfetto", "-o", pftrace, path])
    with open(pftrace, "rb") as file:
        equal("control: Perfetto has each byte", EVIL in file.read(), True)
    write_evil(path, clocks=(EVIL, b"boot"))
    shows("clocks", ["export", "--perfetto", "-o", pftrace, path], named, "'%s'" % SHOWN)


def test_broken(directory):
    path = os.path.join(directory, "broken.dat")
    page = bytearray(synth.page(HYP0))
    page[16:20] = b"\xff\xff\xff\xff"
    synth.write(path, {0: [synth.page(HOST0)]}, {0: [bytes(page), synth.page(HYP0_LATER, lost=None)]})
    status, out, said = report("--json", path)
    got = [json.loads(line) for line in out.splitlines()]
    message = "1 corrupt sub-buffers, the first one at byte %d: the rest of each was left out\n"
    place = [e["corrupt_at"] for e in got if "corrupt_at" in e][0]
    equal("broken: status and message", (status, said),
          (1, "hyptrace: %s: %s" % (path, message % place)))
    equal("broken: json", [e.get("corrupt_at", -1) > 0 for e in got].count(True), 1)
    equal("broken: a loss of unknown size", [e["lost"] for e in got if "lost" in e], [None])
    synth.write(path, {0: []}, {0: [bytes(page), synth.page(HYP0_LATER)]},
                texts=synth.enabled("hyp_enter", "hyp_exit"))
    place = os.path.getsize(path) // synth.PAGE * synth.PAGE - 2 * synth.PAGE
    done = run(HYPTRACE, "stat", path)
    equal("broken: stat", (done.returncode, done.stderr.decode(),
                           done.stdout.decode().splitlines()[2] + "\n"),
          (1, "hyptrace: %s: %s" % (path, message % place),
           (message % place).replace("1 corrupt", "corrupt: 1")))
    equal("broken: stat --json",
          json.loads(run(HYPTRACE, "stat", "-j", path).stdout)["corrupt"], 1)
    page = bytearray(synth.page(HYP0))
    page[8:12] = struct.pack("<I", synth.PAGE)
    synth.write(path, {0: [synth.page(HOST0)]}, {0: [bytes(page), synth.page(HYP0_LATER)]})
    for which, want in ("relative", (0, 0, 800, 1000, 1500)), ("delta", (0, 0, 800, 200, 500)):
        equal("broken: %s times, also of a corrupt place before the first event" % which,
              [line[6:22] for line in report("-t", which, path)[1].splitlines()[:-1]],
              ["+    0.%09d" % t for t in want])


def test_errors(path):
    for options, text in (
            (["--nonsense"], "unrecognized option '--nonsense'"),
            (["-t", "never"], "bad time 'never': expected absolute, relative or delta"),
            (["-t", ""], "bad time ''"),
            (["-C", "0", "-e", "hyp_exit"], "bad context '0'"),
            (["-C", "10001", "-e", "hyp_exit"], "bad context '10001'"),
            (["-C", "1"], "--context without --event"),
            (["--host-only", "--hyp-only"], "exclude all events"),
            (["-P", "x"], "bad CPU list 'x'")):
        status, out, said = report(*options, path)
        good = status == 2 and text in said and said.count("\n") == 1 and not out
        result("error: " + text, [] if good else ["status %d: %s" % (status, said)])
    status, out, said = report("-P", "0,99", path)
    equal("error: no such CPU", (status, out, "CPU 99 was not recorded" in said), (1, "", True))
    status, out, said = report("-e", "nosuch", path)
    equal("error: no such event", (status, out, "no event 'nosuch'" in said), (1, "", True))


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as directory:
        path = make(directory)
        for test in test_text, test_times, test_events, test_json, test_errors:
            attempt(test, path)
        attempt(test_order, directory)
        attempt(test_stacks, directory)
        attempt(test_stack_of_event, directory)
        attempt(test_ticks, directory)
        attempt(test_names, directory)
        attempt(test_control, directory)
        attempt(test_broken, directory)
    finish()


main()
