#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: merge_test.py HYPTRACE

What "hyptrace merge" makes of the recordings of a host and of guests, and what report and
check say of the result. The counter has 100 MHz, so a tick is 10 ns. TAP.
"""
import json
import os
import re
import struct
import sys

import synth
from tap import attempt_each, equal, finish, run

HYPTRACE = sys.argv[1]
CLOCKS = (b"mono_raw", b"mono_raw")
SET_CNTVOFF = 5
TICK = 10
# Of the host: its clock is 0 when the counter is BASE
BASE = 1000000
# Of a guest whose clock is 0 when its counter is 0: the clock of the host then
VOFF, OTHER_VOFF = BASE + 50000, BASE + 70000
SHIFT, OTHER_SHIFT = 500000, 700000

synth.EVENTS["host_hcall"] = (
    "hypervisor", 102, [(synth.U32, "id"), (synth.U32, "invalid"), (synth.U64, "a1")],
    '"id=%s", ' + synth.symbols("id", "__kvm_vcpu_run", "b", "c", "d", "e",
                                "__kvm_timer_set_cntvoff"))


def pair(counter, start, end=None, frequency=100000000):
    return b"hyptrace: counter=%d mono_raw=%d..%d frequency=%d\n" % (
        counter, start, start if end is None else end, frequency)


def counters(written, overrun=0):
    return b"hyptrace: buffer=host cpu=0 written=%d overrun=%d read=%d dropped=0\n" % (
        written, overrun, written - overrun)


def set_cntvoff(ts, task, voff):
    return (ts, "host_hcall", task, {"id": SET_CNTVOFF, "a1": voff})


def vcpu_run(start, end, task=7, vcpu=0, handled=()):
    """The vCPU runs from start to end; at the times handled, EL2 handles an exit"""
    return [(start, "vcpu_enter", task, {"vcpu": vcpu})] + [
        (ts, "vcpu_exit", task, {"vcpu": vcpu, "handled": 1}) for ts in handled] + [
            (end, "vcpu_exit", task, {"vcpu": vcpu})]


# The tasks 7 and 8 run the vCPUs of a VM, 9 that of another one
RUNS = sorted([set_cntvoff(500000, 7, VOFF), set_cntvoff(500010, 8, VOFF),
               set_cntvoff(500020, 9, OTHER_VOFF),
               (500900, "host_hcall", 7, {"id": 0, "a1": 77})] +
              vcpu_run(501000, 502000, handled=[501500]) + vcpu_run(503000, 504000) +
              vcpu_run(503500, 505000, 8, 1) + vcpu_run(702500, 703500, 9) +
              [set_cntvoff(703600, 9, 0), (900000, "trace_off", 7, {})])
HOST_PAIRS = [pair(BASE, 0), pair(BASE + 100000, 1000000)]
GUEST_PAIRS = [pair(0, 0), pair(10000, 100000)]


def tick(ts, task=1):
    return (ts, "sched_switch", task, {"prev_pid": task, "next_pid": 0})


FINE = {0: [tick(1000), tick(1400), tick(1600), tick(3999)], 1: [tick(3500), tick(5000)]}


def write_host(directory, events=None, pairs=None, lost=0, name="host.dat"):
    path = os.path.join(directory, name)
    events = RUNS if events is None else events
    pages = [synth.page(events)] if not lost else [
        synth.page(events[:lost]), synth.page(events[lost:], lost=4)]
    synth.write(path, {0: [synth.page([tick(490000, 7)])]}, {0: pages}, clocks=CLOCKS,
                texts=HOST_PAIRS if pairs is None else pairs, comms=b"1 host-task\n")
    return path


def write_guest(directory, events=None, pairs=None, name="linux.dat", texts=()):
    path = os.path.join(directory, name)
    pages = {cpu: [synth.page(of_cpu)] for cpu, of_cpu in (events or FINE).items()}
    synth.write(path, pages, {}, clocks=CLOCKS, comms=b"1 guest-task\n",
                texts=(GUEST_PAIRS if pairs is None else pairs) + list(texts))
    return path


def merge(directory, *options, host=None, guest=None):
    """=> what ran, and the path of the result"""
    out = os.path.join(directory, "out.dat")
    if os.path.exists(out):
        os.unlink(out)
    return run(HYPTRACE, "merge", "-o", out, *options, host or write_host(directory),
               guest or write_guest(directory)), out


def checked(directory, **files):
    """=> of the line of the guest: the numbers; and the lines of violations"""
    done, out = merge(directory, **files)
    if done.returncode:
        raise ValueError(done.stderr.decode())
    said = run(HYPTRACE, "check", out).stdout.decode()
    line = re.search(r"^guest linux: (.*)$", said, re.M).group(1)
    return ({key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line)},
            [v for v in said.splitlines() if v.startswith("violation: ") and "guest" in v])


def numbers(**others):
    return {"events": 6, "violations": 0, "skipped": 0, "cut": 0, "lost": 0, "unaccounted": 0,
            "max_skew_ns": 0, "clock_error_ns": 0, **others}


def report(path, *options):
    return [json.loads(line) for line in
            run(HYPTRACE, "report", "--json", *options, path).stdout.splitlines()]


def merges_three_sides(directory):
    done, out = merge(directory)
    equal("the summary", (done.returncode, done.stderr.decode()), (
        0, "hyptrace: %s: guest linux: 6 events, 0 of them outside of its vCPUs' runs, "
        "0 not checked; the host's clock is its clock and %d ns, with an error of at most 0 ns\n" % (out, SHIFT)))
    events = report(out)
    equal("all in order of time", [e["ts"] for e in events], sorted(e["ts"] for e in events))
    equal("the guest's", [(e["ts"], e["cpu"], e["comm"]) for e in events if e["side"] == "guest"],
          sorted((ts + SHIFT, cpu, "guest-task")
                 for cpu, of_cpu in FINE.items() for ts, *_ in of_cpu))
    host = report(os.path.join(directory, "host.dat"))
    equal("the others are as they were", [e for e in events if e["side"] != "guest"], host)
    equal("--host-only, --hyp-only", report(out, "--host-only") + report(out, "--hyp-only"),
          sorted(host, key=lambda e: e["side"]))
    equal("--guest-only", report(out, "--guest-only"),
          [e for e in events if e["side"] == "guest"])
    equal("--cpus leaves guests out", report(out, "--cpus=0"), host)
    equal("--event", len(report(out, "--event=sched_switch")), 7)
    text = run(HYPTRACE, "report", out).stdout.decode().splitlines()
    equal("a line of the host", text[0], "[000]     0.000490000 host             <...>-7       "
          "sched_switch: prev_pid=7 ==> next_pid=0")
    equal("as text", [line for line in text if " guest " in line][0],
          "[000]     0.000501000 guest       guest-task-1       sched_switch: "
          "prev_pid=1 ==> next_pid=0")
    equal("the total", text[-1], "total: events=%d host_events=1 guest_events=6 lost=0 corrupt=0"
          % len(RUNS))
    stat = [run(HYPTRACE, "stat", "--json", path).stdout
            for path in (out, os.path.join(directory, "host.dat"))]
    equal("stat is as it was", stat[0], stat[1])


def renamed(directory, path, name):
    new = os.path.join(directory, name)
    os.rename(path, new)
    return new


def takes_a_second_guest(directory):
    first = renamed(directory, merge(directory)[1], "first.dat")
    second = write_guest(directory, {0: [tick(2600, 2)]}, name="second.dat")
    done, out = merge(directory, host=first, guest=second)
    equal("it is the other VM", (done.returncode, "clock and %d ns," % OTHER_SHIFT
                                 in done.stderr.decode()), (0, True))
    equal("both are there", [(e["ts"], e["pid"]) for e in report(out, "--guest-only")][-2:],
          [(505000, 1), (702600, 2)])
    lines = run(HYPTRACE, "check", out).stdout.decode().splitlines()
    equal("check has a line for each", [line.split(" violations")[0] for line in lines
                                        if line.startswith("guest ")],
          ["guest linux: events=6", "guest second: events=1"])
    done, out = merge(directory, "--task=9", host=first, guest=second)
    equal("--task, which has left it", done.returncode, 0)
    done, _ = merge(directory, "--name=linux", host=first, guest=second)
    equal("not with the same name", (done.returncode, done.stderr.decode()), (
        1, "hyptrace: %s has a guest 'linux' already: expected another --name\n" % first))
    done, _ = merge(directory, guest=first)
    equal("not a guest with a guest", (done.returncode, done.stderr.decode()), (
        1, "hyptrace: %s has a guest itself: expected it as the first file\n" % first))


def checks_times(directory):
    equal("all within", checked(directory), (numbers(), []))
    late = {0: FINE[0] + [tick(4120)], 1: FINE[1]}
    got, lines = checked(directory, guest=write_guest(directory, late))
    equal("at the end, nothing follows", (got, lines), (numbers(cut=1), []))
    between = {0: FINE[0][:3] + [tick(2120)] + FINE[0][3:], 1: FINE[1]}
    guest = write_guest(directory, between)
    got, lines = checked(directory, guest=guest)
    equal("120 ns after an exit", (got, lines), (
        numbers(events=7, violations=1, max_skew_ns=120),
        ["violation: [000] 0.000502120: event of guest linux 120 ns outside of vcpu_enter "
         "and vcpu_exit"]))
    between[0][3] = tick(2990)
    got, lines = checked(directory, guest=write_guest(directory, between))
    equal("10 ns before an entry", (got, len(lines)), (
        numbers(events=7, violations=1, max_skew_ns=10), 1))
    got, lines = checked(directory, host=write_host(directory, pairs=[
        pair(BASE, 0, 20), pair(BASE + 100000, 1000000, 1000020)]))
    equal("no more than the error", (got, lines), (
        numbers(max_skew_ns=10, clock_error_ns=10), []))
    got, lines = checked(directory, guest=write_guest(directory, {**FINE, 0: FINE[0] + [
        tick(4500)]}), host=write_host(directory, sorted(
            RUNS[:-1] + vcpu_run(506000, 507000) + RUNS[-1:])))
    equal("of another vCPU's run", (got["violations"], got["max_skew_ns"]), (1, 500))


def knows_what_is_missing(directory):
    entry = next(i for i, e in enumerate(RUNS) if e[0] == 503000)
    got, lines = checked(directory, host=write_host(directory, RUNS[:entry] + RUNS[entry + 1:],
                                                    lost=entry))
    equal("a loss may have been an entry", (got["violations"], got["skipped"], lines), (0, 1, []))
    got, lines = checked(directory, guest=write_guest(directory, {
        0: [tick(500)] + FINE[0], 1: FINE[1]}))
    equal("before the first run", (got, lines), (numbers(cut=1), []))
    got, lines = checked(directory, guest=write_guest(directory, texts=[counters(5)]))
    equal("an event is unaccounted for", (got["unaccounted"], got["lost"]), (1, 0))


def relates_clocks(directory):
    def shift(host_pairs, guest_pairs):
        done, _ = merge(directory, host=write_host(directory, pairs=host_pairs),
                        guest=write_guest(directory, pairs=guest_pairs))
        found = re.search(r"clock and (-?\d+) ns, with an error of at most (\d+) ns",
                          done.stderr.decode())
        return tuple(int(n) for n in found.groups()) if found else done.stderr.decode()

    equal("one moment is enough", shift(HOST_PAIRS[:1], GUEST_PAIRS[:1]), (SHIFT, 0))
    equal("before the host's", shift([pair(BASE + 60000, 600000), pair(BASE + 160000, 1600000)],
                                     GUEST_PAIRS), (SHIFT, 0))
    equal("errors add up", shift([pair(BASE, 0, 40), pair(BASE + 100000, 1000000, 1000040)],
                                 [pair(0, 0, 20), pair(10000, 100000, 100020)]), (SHIFT + 10, 30))
    equal("what both moments allow", shift(HOST_PAIRS, [pair(0, 0, 20), pair(10000, 99990,
                                                                            100000)]),
          (SHIFT, 0))
    equal("a clock that drifts: in between", shift(HOST_PAIRS, [pair(0, 0), pair(10000, 99800)]),
          (SHIFT + 100, 100))
    equal("another rate of the clock", shift([pair(BASE, 0), pair(BASE + 100000, 1000400)],
                                             [pair(0, 0), pair(10000, 100040)])[0],
          SHIFT + 200)


def refuses(directory):
    host, guest = write_host(directory), write_guest(directory)
    other = write_guest(directory, pairs=[], name="other.dat")
    far = write_guest(directory, {0: [tick(90000)]}, name="far.dat")
    odd = write_guest(directory, {0: [tick(1400), tick(2300), tick(2600)]},
                      name="odd.dat")
    quiet = write_host(directory, [e for e in RUNS if e[1] != "host_hcall"], name="quiet.dat")
    hz = write_guest(directory, pairs=[pair(0, 0, frequency=5)], name="hz.dat")
    twins = write_host(directory, sorted(RUNS + vcpu_run(501000, 502000, 9) +
                                         [set_cntvoff(500030, 9, VOFF + 1)]), name="twins.dat")
    one = write_guest(directory, {0: [tick(1400)]}, name="one.dat")
    for what, status, message, arguments in (
            ("no file", 2, "expected HOST and GUEST, got none: see hyptrace merge --help", []),
            ("one file", 2, "expected HOST and GUEST, got one file: see hyptrace merge --help",
             [host]),
            ("three files", 2, "expected HOST and GUEST, got 'x' as well", [host, guest, "x"]),
            ("a task 0", 2, "bad task '0': expected a number from 1 to 2147483647",
             ["--task=0", host, guest]),
            ("no name", 2, "bad name '': expected a name", ["--name=", host, guest]),
            ("no such file", 1, "cannot open /nonexistent: No such file or directory",
             [host, "/nonexistent"]),
            ("a clock without a counter", 1,
             other + ": its clock cannot be related to the counter: expected a recording that "
             "was made on arm64 with --clock=mono_raw", [host, other]),
            ("another counter", 1, hz + ": the counter has 5 Hz, in " + host +
             " 100000000 Hz: expected a guest of that machine", [host, hz]),
            ("no VM", 1, quiet + ": no hypercall __kvm_timer_set_cntvoff of a vCPU: expected all "
             "hypervisor events, recorded while the guest ran", [quiet, guest]),
            ("another time", 1, far + ": no event of it is within a run of a vCPU in " + host +
             ": expected a guest that ran during that recording", [host, far]),
            ("mostly outside", 1, odd + ": 2 of 3 events are outside of the runs of the vCPUs in " +
             host + ": expected a guest of that machine", ["--task=7", host, odd]),
            ("two VMs fit", 1, one + ": it fits to more than one VM of " + twins +
             ": expected --task, a task that runs one of its vCPUs", [twins, one]),
            ("a task without a vCPU", 1, host + ": task 1 ran no vCPU: expected a task that did",
             ["--task=1", host, guest]),
            ("onto the guest's", 1, guest + " is the recording of the guest: expected another "
             "output file", ["-o", guest, host, guest])):
        out = os.path.join(directory, "none.dat")
        options = [] if "-o" in arguments else ["-o", out]
        before = open(guest, "rb").read()
        done = run(HYPTRACE, "merge", *options, *arguments)
        equal(what, (done.returncode, done.stderr.decode(), os.path.exists(out),
                     open(guest, "rb").read() == before),
              (status, "hyptrace: %s\n" % message, False, True))
    done, _ = merge(directory, "--task=7", host=twins, guest=one)
    equal("--task", done.returncode, 0)


def takes_the_counter_of_another(directory):
    theirs = write_guest(directory, pairs=[], name="theirs.dat")
    ours = write_guest(directory, {0: [tick(90000)]}, name="ours.dat")
    done, out = merge(directory, "--counter-of=" + ours, guest=theirs)
    equal("--counter-of", (done.returncode, "clock and %d ns," % SHIFT in done.stderr.decode(),
                           len(report(out, "--guest-only"))), (0, True, 6))
    done, _ = merge(directory, "--counter-of=" + theirs, guest=theirs)
    equal("--counter-of one without", (done.returncode, done.stderr.decode().split(":")[2]), (
        1, " its clock cannot be related to the counter"))
    synth.write(theirs, {0: [synth.page([tick(1000)])]}, {}, clocks=(b"local", b"local"))
    done, _ = merge(directory, "--counter-of=" + ours, guest=theirs)
    equal("another clock", (done.returncode, done.stderr.decode()), (
        1, "hyptrace: %s: its clock is 'local': expected mono_raw\n" % theirs))


def replaces_the_host(directory):
    host, guest = write_host(directory), write_guest(directory)
    done = run(HYPTRACE, "merge", "-q", "-o", host, host, guest)
    equal("the host's file is replaced", (done.returncode, done.stderr,
                                          len(report(host, "--guest-only"))), (0, b"", 6))
    equal("nothing else is left", [n for n in os.listdir(directory) if n.startswith("host.dat.")],
          [])


def survives_damage(directory):
    _, out = merge(directory)
    data = open(out, "rb").read()
    at = data.rindex(b"linux\0") - 8
    section = struct.unpack_from("<Q", data, at)[0]

    def broken(what, where, value, message):
        path = os.path.join(directory, "broken.dat")
        with open(path, "wb") as file:
            file.write(data[:where] + value + data[where + len(value):])
        done = run(HYPTRACE, "check", path)
        equal(what, (done.returncode, message in done.stderr.decode()), (1, True))

    broken("no section there", at, struct.pack("<Q", 16), "corrupt: section ")
    broken("behind the end", at, struct.pack("<Q", len(data)), "truncated or corrupt: ")
    broken("larger than the file", section + 8, struct.pack("<Q", len(data)),
           "truncated or corrupt: ")
    broken("not a recording", section + 16, b"x", "guest linux: bad magic")
    size = struct.unpack_from("<Q", data, section + 8)[0]
    equal("the guest's file is in it as it was",
          data[section + 16:section + 16 + size], open(os.path.join(directory, "linux.dat"),
                                                       "rb").read())
    equal("at an aligned place", section % 16, 0)
    page = data.index(struct.pack("<Q", FINE[1][0][0]), section)
    path = os.path.join(directory, "broken.dat")
    with open(path, "wb") as file:
        file.write(data[:page + 8] + struct.pack("<Q", 1 << 20) + data[page + 16:])
    equal("a corrupt sub-buffer", [e["corrupt_at"] for e in report(path) if "corrupt_at" in e],
          [page])


def reads_no_guest_of_a_guest(directory):
    host, guest = (open(write(directory), "rb").read() for write in (write_host, write_guest))
    path = os.path.join(directory, "nested.dat")
    for what, file, want in (("a guest", guest, (0, "")), (
            "a guest with a guest", synth.add_guest(guest, b"inner", guest),
            (1, "hyptrace: %s: guest outer: corrupt: expected no guest in the recording of a "
             "guest\n" % path))):
        with open(path, "wb") as out:
            out.write(synth.add_guest(host, b"outer", file))
        done = run(HYPTRACE, "report", path)
        equal(what, (done.returncode, done.stderr.decode()), want)


def bounds_guests(directory):
    """Guests that are all the same part of a file must not make it a larger one"""
    big = os.path.join(directory, "big.dat")
    synth.write(big, {0: [synth.page([tick(1400 + i)]) for i in range(100)]}, {}, clocks=CLOCKS,
                texts=GUEST_PAIRS)
    path = write_host(directory)
    for name, guest in (("a", big), ("b", write_guest(directory)), ("c", write_guest(directory))):
        _, out = merge(directory, "--name=" + name * 7, "--task=7", host=path, guest=guest)
        path = renamed(directory, out, name + ".dat")
    data = bytearray(open(path, "rb").read())
    first = data.index(b"aaaaaaa\0") - 8
    for name in b"bbbbbbb\0", b"ccccccc\0":
        at = data.index(name) - 8
        data[at:at + 8] = data[first:first + 8]
    with open(path, "wb") as file:
        file.write(data)
    done = run(HYPTRACE, "report", path)
    equal("together no larger than the file", (
        done.returncode, ": others have the rest" in done.stderr.decode()), (1, True))


attempt_each((merges_three_sides, takes_a_second_guest, checks_times, knows_what_is_missing,
              relates_clocks, refuses, takes_the_counter_of_another, replaces_the_host,
              survives_damage, reads_no_guest_of_a_guest, bounds_guests))
finish()
