# SPDX-License-Identifier: GPL-2.0
"""A part of page_test.py: the totals of a selected range of time."""
import collections
import random

import htmlpage
from page_use_tests import click_element, column, sorts, stamp, written
from pagetools import canvas_at, expect, look, near, text, view

SHIFT = 8		# the modifier key
TIMES = htmlpage.PLACES
DISTS = "count", "total", "mean", "p50", "p90", "p99", "max"


def range_stat(b, begin, end):
    return b.js("rangeStat(page.data, { from: %d - Number(page.data.base),"
                " to: %d - Number(page.data.base) })" % (begin, end))


def as_stat(stat):
    """What a range has of stat, independent of the order of equal rows"""
    rows = {}
    for table, key in ("cpus", ("cpu",)), ("tasks", ("pid", "comm")), ("vcpus", ("pid", "vm", "vcpu")):
        rows[table] = {tuple(r[k] for k in key): [r[p] for p in TIMES] for r in stat[table]}
    for table in "entries", "hypercalls", "switches":
        rows[table] = {r["name"]: [r[k] for k in DISTS] + [r["histogram"]] for r in stat[table]}
    return rows


def parts(slices, begin, end):
    """=> (ns, slice) of what is in the range"""
    for s in slices:
        ns = min(s[1], end) - max(s[0], begin)
        if ns > 0:
            yield ns, s


def expected(page, begin, end):
    """Times by CPU and of all tasks, (count, total, max) of EL2 entries, by the data itself"""
    cpus, tasks = {}, collections.Counter()
    entries = collections.defaultdict(list)
    for cpu, spans in page.spans.items():
        cpus[cpu] = dict.fromkeys(TIMES, 0)
        for ns, span in parts(spans, begin, end):
            cpus[cpu][span[2]] += ns
            tasks[None if span[3][0] == -1 else span[3][0]] += ns
        for ns, stay in parts(page.stays[cpu], begin, end):
            entries[stay[2]].append(ns)
    return cpus, dict(tasks), {name: (len(v), sum(v), max(v)) for name, v in entries.items()}


def got(stat):
    cpus = {row["cpu"]: {p: row[p] for p in TIMES} for row in stat["cpus"]}
    tasks = {row["pid"]: sum(row[p] for p in TIMES) for row in stat["tasks"]}
    return cpus, tasks, {r["name"]: (r["count"], r["total"], r["max"]) for r in stat["entries"]}


def test_totals(b, path):
    page = htmlpage.Page(path)
    b.open(path)
    first, wall = page.base, page.stat["wall"]
    whole = as_stat(range_stat(b, first, first + wall)), as_stat(page.stat)
    expect("range: the whole recording has the numbers of stat", whole[0] == whole[1],
           *["%s: %s, want %s" % (k, whole[0][k], whole[1][k]) for k in whole[0]
             if whole[0][k] != whole[1][k]])
    chance = random.Random(7)
    ranges = [sorted(first + chance.randrange(wall + 1) for _ in range(2)) for _ in range(5)]
    middle = first + wall // 2
    ranges += [[middle, middle + 1], [middle, middle + 123], [middle - 7, middle + 25000]]
    for begin, end in ranges:
        seen, want = got(range_stat(b, begin, end)), expected(page, begin, end)
        expect("range: %d ns, cut exactly" % (end - begin), seen == want, seen, want)
    sums = [collections.Counter() for _ in range(2)]
    cuts = sorted({first, first + wall, *(first + chance.randrange(wall) for _ in range(9))})
    for pair, total in [((a, c), sums[0]) for a, c in zip(cuts, cuts[1:])] + [((first, first + wall), sums[1])]:
        stat = range_stat(b, *pair)
        for table in "entries", "hypercalls", "switches":
            total.update({(table, row["name"]): row["total"] for row in stat[table]})
        total.update({(r["pid"], r["vm"], r["vcpu"], p): r[p] for r in stat["vcpus"] for p in TIMES})
    expect("range: adjoining ones add up", sums[0] == sums[1], sums)


def chosen(b):
    """=> the range, as timestamps, or None"""
    range_, base = b.js("[page.ranges.range, Number(page.data.base)]")
    return range_ and (range_["from"] + base, range_["to"] + base)


def test_select(b, path, start):
    page = htmlpage.Page(path)
    b.open(path, "#tab=4")
    look(b, start, start + 20000)
    seen = view(b)
    x0, y = canvas_at(b, start + 5500, 0, 1)
    x1 = canvas_at(b, start + 9500, 0, 1)[0]
    axis = y - canvas_at(b, start, 0, 1)[1] + b.js(
        "document.getElementById('timeline').getBoundingClientRect().top + AXIS / 2")
    ways = {"Shift and drag": lambda: b.drag(x0, x1, y, SHIFT), "drag on the axis": lambda: b.drag(x1, x0, axis)}
    for what, act in ways.items():
        b.key("Escape")
        act()
        now = chosen(b)
        expect("range: " + what, now and near(now[0], start + 5500, 20) and near(now[1], start + 9500, 20)
               and view(b) == seen and "Click a slice" in text(b, "details"), now, view(b), seen)
        totals = [int(t.split("\u202f")[0].split(" ")[0].replace(",", "")) for t in column(b, 2)]
        want = expected(page, *now)[2]
        expect("range: the table counts it", dict(zip(column(b, 0), totals)) ==
               {name: v[0] for name, v in want.items()}, column(b, 0), totals, want)
    expect("range: it is named", stamp(now[0]) in text(b, "selected") and stamp(now[1]) in text(b, "selected"),
           text(b, "selected"))
    b.click(x0, y)
    expect("range: a click selects nothing of it", chosen(b) == now and "EL2: hvc" in text(b, "details"))
    b.key("Escape")
    b.drag(x0, x1, y)
    expect("range: a drag alone pans", chosen(b) == now and view(b) != seen, chosen(b), view(b))
    click_element(b, "#ranging")
    seen = view(b)
    b.drag(x0, x1, y)
    expect("range: the tool", chosen(b) != now and view(b) == seen and b.js(
        "document.getElementById('ranging').ariaPressed") == "true", chosen(b), view(b))
    click_element(b, "#ranging")
    click_element(b, "#selected-zoom")
    expect("range: zoom to it", near(view(b)[0], chosen(b)[0], 1) and near(view(b)[1], chosen(b)[1], 1),
           view(b), chosen(b))
    click_element(b, "#selected-clear")
    expect("range: cleared", chosen(b) is None and b.js("document.getElementById('selected').hidden") and
           b.js("page.tabs.table.rows.find((row) => row.cells[0].text === 'hvc').cells[2].value") ==
           next(r["count"] for r in page.stat["entries"] if r["name"] == "hvc"))


def test_keys(b, path, start):
    b.open(path)
    look(b, start, start + 20000)
    b.key("r")
    expect("range: r takes the view", near(chosen(b)[0], start, 1) and near(chosen(b)[1], start + 20000, 1),
           chosen(b))
    b.click(*canvas_at(b, start + 5500, 0, 1))
    b.key("r")
    expect("range: r takes the selection", chosen(b) == (start + 5000, start + 6000), chosen(b))
    b.key("]")
    b.key(")")
    expect("range: ) ends it", chosen(b) == (start + 5000, start + 10000), chosen(b))
    b.key("(")
    expect("range: ( begins it", chosen(b) == (start + 9000, start + 10000), chosen(b))
    look(b, start, start + 40000)
    b.key("Escape")
    expect("range: Escape clears the selection first", chosen(b) and "Click a slice" in text(b, "details"))
    address = written(b)
    want = "range=%s-%s" % (stamp(start + 9000), stamp(start + 10000))
    expect("range: the address", want in address, address)
    b.key("Escape")
    expect("range: Escape clears it", chosen(b) is None and "range" not in written(b), written(b))
    b.open(path, address)
    expect("range: from a link", chosen(b) == (start + 9000, start + 10000) and written(b) == address and
           stamp(start + 9000) in text(b, "selected"), chosen(b), written(b))
    b.js("page.tabs.show(4)")
    click_element(b, "#table tbody tr button")
    expect("range: its maximum", "guest_exit" in text(b, "details") and
           stamp(start + 9000) in text(b, "details"), text(b, "details"))
    b.open(path, "#tab=1&sort=-3")
    b.key("r")
    unsorted = sorts(b)
    b.key("Escape")
    expect("range: the order stays, and waits for values", set(unsorted) == {None} and
           sorts(b)[2] == "descending", unsorted, sorts(b))
    b.open(path, "#range=5-x")
    expect("range: nonsense", chosen(b) is None and not b.complaints(), b.complaints())
