#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: compare_noise.py HYPTRACE RECORDING...

How often "hyptrace compare" finds a change where there is none. The recordings are of one kernel and
workload, each of a boot of its own, in real time. Ten at a time are compared, 5 with 5, in an order
that chance decides; then pairs are. At most one comparison in 40 may have a verdict, no pair. TAP.
"""
import json
import random
import sys

from tap import finish, result, run


def changed(hyptrace, a, b):
    """The rows with a verdict of a change"""
    got = json.loads(run(hyptrace, "compare", "--json", *a, "--", *b, check=True).stdout)
    return ["%s %+.1f %% %s" % (row["name"], row["change"], row["verdict"])
            for kind in ("entries", "hypercalls", "switches") for row in got[kind]
            if row["verdict"] in ("slower", "faster")]


def count(hyptrace, paths, each):
    """=> how many comparisons there are, and what those with a verdict have found"""
    starts = range(0, len(paths) - 2 * each + 1, 2 * each)
    found = [changed(hyptrace, paths[i:i + each], paths[i + each:i + 2 * each]) for i in starts]
    return len(found), [rows for rows in found if rows]


def main(hyptrace, *recordings):
    print("TAP version 13")
    paths = list(recordings)
    random.Random(1).shuffle(paths)
    for each, share in (5, 40), (1, 0):
        nr, wrong = count(hyptrace, paths, each)
        allowed = max(1, nr // share) if share else 0
        result("%d of %d comparisons of %d with %d have a verdict" % (len(wrong), nr, each, each),
               wrong if len(wrong) > allowed or not nr else [])
    finish()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.splitlines()[0])
    main(*sys.argv[1:])
