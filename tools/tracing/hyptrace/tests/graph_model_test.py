#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: graph_model_test.py HYPTRACE

Compares all numbers of the graph of EL2's functions with those of a model, for random calls. TAP.
"""
import json
import os
import sys

from callmodel import Run
from htmlpage import Page
from tap import attempt_each, finish, result, run

HYPTRACE = sys.argv[1]
LOSSES = 0, 2, 15, 40
NUMBERS = "calls", "resumed", "total", "self"


def hyptrace(command, *arguments):
    done = run(HYPTRACE, command, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def same(what, got, want):
    result(what, ["%r is %r, want %r" % (key, got.get(key), want.get(key))
                  for key in sorted(set(got) | set(want)) if got.get(key) != want.get(key)])


def percentile(values, percent):
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


def durations(values):
    """measured, mean, min, p50, p99, max"""
    if not values:
        return [0] + 5 * [None]
    mean = (2 * sum(values) + len(values)) // (2 * len(values))
    return [len(values), mean, min(values), percentile(values, 50), percentile(values, 99),
            max(values)]


def nodes(children, path=()):
    for node in children:
        here = path + (node.get("entry") or node["function"],)
        yield here, [node[key] for key in NUMBERS]
        yield from nodes(node["children"], here)


def rows(whole, key):
    return {row.get("entry") or row["function"]: [row[number] for number in NUMBERS[:3]]
            for row in whole[key]}


def check_json(what, path, model):
    whole = json.loads(hyptrace("graph", "--json", path))
    joined = json.loads(hyptrace("graph", "--json", "--by", "all", path))
    same(what + "sums", {key: whole[key] for key in ("entries", "ns", "cut", "misnested")},
         {"entries": len(model.entries), "ns": model.ns(), "cut": model.cut, "misnested": 0})
    same(what + "tree", dict(nodes(whole["tree"])), model.tree())
    same(what + "one tree", dict(nodes(joined["tree"])), model.tree(joined=True))
    same(what + "functions", {
        row["function"]: [row[key] for key in NUMBERS + (
            "measured", "mean", "min", "p50", "p99", "max")] for row in whole["functions"]
    }, {name: row + durations(model.durations.get(name))
        for name, row in model.functions().items()})


def check_pairs(what, path, model):
    callers, callees = {}, {}
    for name in model.functions():
        whole = json.loads(hyptrace("graph", "--json", "-f", name, path))
        callers.update({(other, name): row for other, row in rows(whole, "callers").items()})
        callees.update({(name, other): row for other, row in rows(whole, "callees").items()})
    pairs = model.pairs()
    same(what + "callers", callers, pairs)
    same(what + "callees", callees,
         {pair: row for pair, row in pairs.items() if pair[0] in model.functions()})


def cell(calls, resumed):
    return "%d+%d" % (calls, resumed) if resumed else "%d" % calls


def split(line):
    """The cells of a row of a table behind its name, which has no space but in "hvc 5" """
    return (line[:30].strip(),) + tuple(line[30:].split())


def text_tables(out):
    """{title: {name: cells}}"""
    tables = {}
    for part in out.split("\n\n")[1:]:
        head, *lines = part.splitlines()
        tables[head.split()[0]] = {name: cells for name, *cells in map(split, lines)}
    return tables


def share(ns, whole):
    return "%.2f" % (100 * ns / whole)


def check_text(what, path, model):
    functions, pairs = model.functions(), model.pairs()
    got = text_tables(hyptrace("graph", "-u", "ns", path))["FUNCTION"]
    same(what + "text, functions", got, {
        name: [cell(*row[:2]), str(row[2]), share(row[2], model.ns()), str(row[3]),
               share(row[3], model.ns())] +
              ["-" if n is None else str(n) for n in durations(model.durations.get(name))[1:]]
        for name, row in functions.items()})
    for name, (calls, resumed, total, alone) in functions.items():
        tables = text_tables(hyptrace("graph", "-u", "ns", "-f", name, path))
        row = {other: [cell(*pair[:2]), str(pair[2]), share(pair[2], total)]
               for (other, callee), pair in pairs.items() if callee == name}
        same(what + "text, callers of " + name, tables["CALLER"], row)
        row = {other: [cell(*pair[:2]), str(pair[2]), share(pair[2], total)]
               for (caller, other), pair in pairs.items() if caller == name}
        row["[self]"] = [cell(calls, resumed), str(alone), share(alone, total)]
        same(what + "text, callees of " + name, tables["CALLS"], row)


def check_text_tree(what, path, model):
    rows, above = {}, []
    for line in hyptrace("graph", "-u", "ns", path).split("\n\n")[1].splitlines()[1:]:
        calls, total, alone, percent = line[:45].split()
        name = line[46:].strip()
        above[(len(line[46:]) - len(line[46:].lstrip())) // 2:] = [name]
        rows[tuple(above)] = [calls, total, alone, percent]
    same(what + "text, tree", rows, {
        node: [cell(*row[:2]), str(row[2]), str(row[3]), share(row[2], model.ns())]
        for node, row in model.tree().items()})


def check_exports(what, path, model):
    hyptrace("export", "--folded", "-o", path + ".folded", path)
    with open(path + ".folded", encoding="utf-8") as folded:
        lines = [line.rsplit(" ", 1) for line in folded]
    same(what + "folded stacks", {tuple(stack.split(";")): int(ns) for stack, ns in lines},
         {node: row[3] for node, row in model.tree().items() if row[3]})
    hyptrace("export", "--html", "-o", path + ".html", path)
    data, paths, got = Page(path + ".html").stat["functions"], [()], {}
    for parent, number, calls, alone, resumed in data["nodes"]:
        name = data["functions" if parent else "entries"][number]
        paths.append(paths[parent] + (name,))
        got[paths[-1]] = [calls, resumed, alone]
    same(what + "page", got, {node: row[:2] + row[3:] for node, row in model.tree().items()})


def test_all(directory):
    path = os.path.join(directory, "calls.dat")
    for seed in range(32):
        model = Run(seed, bool(seed % 2), LOSSES[seed // 2 % 4])
        model.trace.write(path)
        check_json("random calls %d: " % seed, path, model)
        if seed < 6:
            for check in check_pairs, check_text, check_text_tree, check_exports:
                check("random calls %d: " % seed, path, model)


def test_entries(directory):
    """A function that was called in an entry that is not asked for"""
    path = os.path.join(directory, "some.dat")
    model = Run(7, False, 1, kinds=("guest_exit",))
    model.trace.write(path)
    whole = json.loads(hyptrace("graph", "--json", "-e", "guest_exit", path))
    same("some entries: tree", dict(nodes(whole["tree"])), model.tree())
    same("some entries: functions", {
        row["function"]: [row[key] for key in NUMBERS + ("measured", "min")]
        for row in whole["functions"]
    }, {name: row + durations(model.durations.get(name))[:3:2]
        for name, row in model.functions().items()})


def main():
    print("TAP version 13")
    attempt_each((test_all, test_entries))
    finish()


main()
