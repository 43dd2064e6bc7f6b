#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: readers_test.py HYPTRACE LIBKSHARK RECORDING...

What "trace-cmd report" prints of a RECORDING, and what KernelShark's library (LIBKSHARK,
libkshark.so.2) loads, has to be the same as the output of "hyptrace report": each event with its
buffer, CPU, timestamp, task and name, and each place where events were lost. TAP.
"""
import collections
import ctypes
import re
import subprocess
import sys

from tap import finish, result

HYPTRACE, LIBKSHARK = sys.argv[1:3]
OURS = re.compile(r"\[(\d+)\] +(\d+)\.(\d{9}) (hyp|host) +(.*?)$")
OUR_EVENT = re.compile(r" *(.*)-(-?\d+) +(\w+):")
THEIRS = re.compile(r"(?:(\w+):)? +(.*)-(-?\d+) +\[(\d+)\] +([\d.]+): +(\w+):")
DROPPED = re.compile(r"(?:(\w+): *)?CPU:(\d+) \[.*EVENTS DROPPED\]")
NOT_PARSED = re.compile(r"FAILED TO PARSE|CAN.?T FIND|UNKNOWN EVENT|NO FORMAT FOUND")

Event = collections.namedtuple("Event", "hyp cpu ts pid name comm")
Loss = collections.namedtuple("Loss", "hyp cpu")


def lines_of(*command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return run.stdout.decode(errors="replace").splitlines()


def difference(theirs, ours):
    """Entries that only one of them has"""
    theirs, ours = collections.Counter(theirs), collections.Counter(ours)
    return ["only there: %s" % (e,) for e in theirs - ours] + \
           ["missing there: %s" % (e,) for e in ours - theirs]


def our_events(path):
    events, losses = [], []
    for line in lines_of(HYPTRACE, "report", path):
        place = OURS.match(line)
        if not place:
            continue
        cpu, sec, nsec, side, rest = place.groups()
        if "events lost" in rest:
            losses.append(Loss(side == "hyp", int(cpu)))
            continue
        comm, pid, name = OUR_EVENT.match(rest).groups()
        events.append(Event(side == "hyp", int(cpu), int(sec) * 10**9 + int(nsec), int(pid),
                            name, comm))
    return events, losses


def test_trace_cmd(path, events, losses):
    """-N: Debian's plugin for kvm events knows those of x86 only; -t: nanoseconds, as seconds
    or not, as the clock is"""
    theirs, dropped, problems, announced = [], [], [], None
    for line in lines_of("trace-cmd", "report", "-N", "-t", "-i", path):
        event, loss = THEIRS.match(line), DROPPED.match(line)
        if NOT_PARSED.search(line):
            problems.append(line)
        if event:
            buffer, comm, pid, cpu, ts, name = event.groups()
            buffer = buffer or announced
            theirs.append(Event(buffer == "hypervisor", int(cpu), int(ts.replace(".", "")), int(pid), name,
                                comm))
        elif loss:
            dropped.append(Loss(loss.group(1) == "hypervisor", int(loss.group(2))))
        # after a loss, the event that follows it has no name of the buffer
        announced = loss.group(1) if loss else None
    problems += difference(theirs, events) + difference(dropped, losses)
    result("%s: trace-cmd prints its %d events, %d losses" % (path, len(events), len(losses)),
           problems)


class Entry(ctypes.Structure):
    """struct kshark_entry of libkshark.so.2"""
    _fields_ = [("next", ctypes.c_void_p), ("visible", ctypes.c_uint16),
                ("stream", ctypes.c_int16), ("event", ctypes.c_int16), ("cpu", ctypes.c_int16),
                ("pid", ctypes.c_int32), ("offset", ctypes.c_int64), ("ts", ctypes.c_int64)]


def load(path):
    """All entries of all streams, by time, with KernelShark's ids, which losses have, too"""
    lib = ctypes.CDLL(LIBKSHARK)
    lib.kshark_instance.restype = ctypes.c_bool
    lib.kshark_load_all_entries.restype = ctypes.c_ssize_t
    lib.kshark_get_event_name.restype = ctypes.c_char_p
    lib.kshark_get_task.restype = ctypes.c_char_p
    context, rows = ctypes.c_void_p(), ctypes.POINTER(ctypes.POINTER(Entry))()
    assert lib.kshark_instance(ctypes.byref(context))
    top = lib.kshark_open(context, path.encode())
    assert top >= 0, "kshark_open: %d" % top
    others = lib.kshark_tep_init_all_buffers(context, top)
    assert others == 1, "%d streams beside the top one" % others
    nr = lib.kshark_load_all_entries(context, ctypes.byref(rows))
    assert nr >= 0, "kshark_load_all_entries: %d" % nr
    for row in rows[:nr]:
        entry = row.contents
        name = lib.kshark_get_event_name(row).decode().split("/")[-1]
        task = lib.kshark_get_task(row).decode()
        yield Event(entry.stream != top, entry.cpu, entry.ts, entry.pid, name, task), entry.event
    lib.kshark_close_all(context)


def test_kernelshark(path, events, losses):
    theirs, lost = [], []
    for event, number in load(path):
        if number >= 0:
            theirs.append(event)
        else:
            lost.append(Loss(event.hyp, event.cpu))
    result("%s: KernelShark loads its %d events, %d losses" % (path, len(events), len(losses)),
           difference(theirs, events) + difference(lost, losses))
    return theirs


def test_tasks(path, events, losses):
    """In what it loads, EL2 runs for the task whose vCPU the host has entered"""
    running, problems, nr = {}, [], 0
    for e in events:
        if e.name == "kvm_entry":
            running[e.cpu] = e.pid
        elif e.name == "kvm_exit":
            running.pop(e.cpu, None)
        elif e.hyp and e.cpu in running:
            nr += 1
            if e.pid != running[e.cpu]:
                problems.append("%s, but %d runs a vCPU" % (e, running[e.cpu]))
    if losses:
        return
    result("%s: %d events of EL2 inside of a guest's run have its task" % (path, nr),
           problems if nr else ["none"])


def main():
    print("TAP version 13")
    for path in sys.argv[3:]:
        events, losses = our_events(path)
        test_trace_cmd(path, events, losses)
        test_tasks(path, test_kernelshark(path, events, losses), losses)
    finish()


main()
