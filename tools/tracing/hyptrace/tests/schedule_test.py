#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: schedule_test.py HYPTRACE

Compares the times that "hyptrace stat" gives to CPUs, tasks and vCPUs with those of a model, for
random schedules. TAP.
"""
import json
import os
import sys

from htmlpage import Page
from schedulemodel import EMPTY, Schedule
from tap import attempt_each, finish, result, run

HYPTRACE = sys.argv[1]


def same(what, got, want):
    result(what, ["%r is %r, want %r" % (key, got.get(key), want.get(key))
                  for key in sorted(set(got) | set(want), key=str) if got.get(key) != want.get(key)])


def times(rows, key):
    return {key(row): {place: row[place] for place in EMPTY} for row in rows
            if any(row[place] for place in EMPTY)}


def test_times(directory):
    path = os.path.join(directory, "schedule.dat")
    for seed in range(12):
        model = Schedule(seed)
        model.write(path)
        done = run(HYPTRACE, "stat", "--json", path)
        assert not done.returncode, done.stderr
        stat = json.loads(done.stdout)
        same("schedule %d: CPUs" % seed, times(stat["cpus"], lambda row: row["cpu"]),
             model.times(lambda cpu, task, vcpu: cpu))
        same("schedule %d: tasks" % seed, times(stat["tasks"], lambda row: row["pid"]),
             model.times(lambda cpu, task, vcpu: task))
        same("schedule %d: vCPUs" % seed,
             times(stat["vcpus"], lambda row: (row["pid"], row["vm"], row["vcpu"])),
             model.times(lambda cpu, task, vcpu: vcpu and (task,) + vcpu))


def add(rows, key, place, ns):
    rows.setdefault(key, dict(EMPTY))[place] += ns


def test_spans(directory):
    """Those of query, and those of the page"""
    path = os.path.join(directory, "schedule.dat")
    model = Schedule(20)
    model.write(path)
    want = model.times(lambda cpu, task, vcpu: (cpu, task))
    done = run(HYPTRACE, "query", "--json", path,
               "SELECT cpu, pid, place, sum(ns) AS ns FROM cpu_time GROUP BY 1, 2, 3")
    assert not done.returncode, done.stderr
    queried, painted = {}, {}
    for row in map(json.loads, done.stdout.splitlines()):
        add(queried, (row["cpu"], row["pid"]), row["place"], row["ns"])
    same("query", queried, want)
    assert not run(HYPTRACE, "export", "--html", "-o", path + ".html", path).returncode
    for cpu, spans in Page(path + ".html").spans.items():
        for start, end, place, (pid, _), _ in spans:
            add(painted, (cpu, pid), place, end - start)
    same("page", painted, want)


def test_total(directory):
    """The shares of a total are of the time of all CPUs"""
    path = os.path.join(directory, "total.dat")
    Schedule(21).write(path)
    out = run(HYPTRACE, "stat", path).stdout.decode()
    for part in out.split("\n\n"):
        head, *rows = part.splitlines()
        if head.split()[0] in ("CPU", "TASK"):
            shares = [float(cell) for name, cell in zip(head.split()[1:], rows[-1].split()[1:])
                      if name[0] == "%"]
            result("the total of %s" % head.split()[0],
                   [] if len(shares) == 7 and abs(sum(shares) - 100) < 0.05 else [shares])


def main():
    print("TAP version 13")
    attempt_each((test_times, test_spans, test_total))
    finish()


main()
