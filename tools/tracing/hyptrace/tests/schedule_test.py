#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: schedule_test.py HYPTRACE

Compares the times that "hyptrace stat" gives to CPUs, tasks and vCPUs with those of a model, for
random schedules. TAP.
"""
import json
import os
import sys

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


def main():
    print("TAP version 13")
    attempt_each((test_times,))
    finish()


main()
