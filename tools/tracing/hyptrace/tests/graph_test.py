#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: graph_test.py HYPTRACE

What "hyptrace graph" says of recordings of which it is known where time goes. TAP.
"""
import json
import os
import sys

from graphs import ADDRESS, ERET_GUEST, GUEST_EXIT, RECORDED, Trace, random_trace
from tap import attempt_each, equal, finish, result, run

HYPTRACE = sys.argv[1]


def hyptrace(command, *arguments):
    done = run(HYPTRACE, command, *arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def graph(*arguments):
    return hyptrace("graph", *arguments)


def analyze(directory, trace, *arguments):
    path = os.path.join(directory, "graph.dat")
    if trace:
        trace.write(path)
    status, out, said = graph("--json", path, *arguments)
    assert status == 0 and not said, said
    return json.loads(out)


def nodes(children, path=()):
    """By the path: calls, time of self"""
    for node in children:
        here = path + (node.get("entry") or node["function"],)
        yield here, [node["calls"], node["self"]]
        yield from nodes(node["children"], here)


def same(what, got, want):
    """Of two that are large"""
    result(what, ["%r is %r, want %r" % (key, got.get(key), want.get(key))
                  for key in sorted(set(got) | set(want)) if got.get(key) != want.get(key)])


def selves(whole):
    return dict(nodes(whole["tree"]))


def test_entries(directory):
    trace = random_trace(8)
    for pattern, chosen in (("hvc 5", ["hvc 5"]), ("6", ["hvc 6"]), ("hvc", ["hvc 5", "hvc 6"]),
                            ("guest_*", ["guest_exit"])):
        want = {path: node for path, node in trace.tree.items() if path[0] in chosen}
        whole = analyze(directory, trace, "-e", pattern)
        same("entries that match %s" % pattern, selves(whole), want)
        equal("entries that do not match %s" % pattern, whole["other"], sum(
            node[0] for path, node in trace.tree.items()
            if len(path) == 1 and path[0] not in chosen))


def visit(t, hcall=5, lost_in=None, overrun=0):
    """An entry of 100 ns, 40 of them in walk, and 10 in flush below it"""
    t.enter(hcall=hcall)
    t.wait(20)
    t.call("walk")
    t.wait(30)
    t.call("flush", **({"lost": 3} if lost_in == "flush" else {}))
    t.wait(10)
    t.end(overrun=overrun)
    t.wait(10)
    t.end(overrun=overrun)
    t.wait(30)
    t.leave()
    t.wait(1000)


GOOD = {("hvc 5",): [1, 50], ("hvc 5", "walk"): [1, 40], ("hvc 5", "walk", "flush"): [1, 10]}


def times(n):
    return {path: [n * calls, n * ns] for path, (calls, ns) in GOOD.items()}


def test_losses(directory):
    t = Trace()
    t.prime()
    visit(t)
    visit(t, lost_in="flush")
    visit(t)
    whole = analyze(directory, t)
    equal("an entry with a loss is not measured", selves(whole), times(2))
    equal("an entry with a loss is counted", [whole[key] for key in (
        "entries", "ns", "lost", "losses", "entries_without_exit")], [2, 200, 3, 1, 1])
    t = Trace()
    t.prime()
    t.call("handle_trap")
    t.enter(lost=None)      # what ran when it was entered may be lost
    t.wait(10)
    t.leave()
    t.end()
    visit(t)
    whole = analyze(directory, t)
    equal("after a loss, the next entry is cut", selves(whole), GOOD)
    equal("an entry that a loss has cut", (whole["cut"], whole["lost"]), (2, None))
    t = Trace()
    t.prime()
    visit(t)
    t.enter(hcall=5)
    t.wait(5)
    t.call("walk")
    equal("an entry without an end", selves(analyze(directory, t)), GOOD)
    t = Trace()
    t.prime()
    visit(t, overrun=2)
    visit(t, overrun=2)
    visit(t, overrun=5)
    whole = analyze(directory, t)
    equal("calls that were too deep", (whole["too_deep"], selves(whole)), (5, times(3)))


def is_sorted(rows, key):
    if key == "name":
        names = [row.get("function") or row["entry"] for row in rows]
        return names == sorted(names)
    return [row[key] for row in rows] == sorted((row[key] for row in rows), reverse=True)


def test_sort(directory):
    random_trace(9).write(os.path.join(directory, "graph.dat"))
    orders = set()
    for key in "total", "self", "calls", "name", "mean", "min", "p50", "p99", "max":
        whole = analyze(directory, None, "--sort", key)
        orders.add(str(whole["functions"]))
        of_nodes = key if key in ("self", "calls", "name") else "total"
        parents, wrong = [whole["tree"]], []
        while parents:
            rows = parents.pop()
            wrong += [] if is_sorted(rows, of_nodes) else [rows]
            parents += [row["children"] for row in rows]
        result("sorted by " + key, wrong + (
            [] if is_sorted(whole["functions"], key) else [whole["functions"]]))
    result("sorted differently", [] if len(orders) > 4 else [len(orders)])


def miss_call(t):
    t.stack.append("share")


def only_return(t):
    miss_call(t)
    t.end()


def wrong_depth(t):
    miss_call(t)
    t.call("lock")
    t.end()
    t.stack.pop()


def wrong_function(t):
    t.call("lock")
    t.stack[-1] = "share"
    t.end()


SPOILT = {"a return without a call": only_return, "a depth": wrong_depth,
          "a return of another function": wrong_function}


def test_nesting(directory):
    for what, spoil in SPOILT.items():
        t = Trace()
        t.prime()
        visit(t)
        t.enter(hcall=5)
        t.wait(10)
        spoil(t)
        t.leave()
        visit(t)
        whole = analyze(directory, t)
        equal("misnested by %s" % what, (selves(whole), whole["misnested"], whole["cut"]),
              (times(2), 1, 1))


def test_depth(directory):
    """A call that is too deep, and does not return in its entry"""
    t = Trace()
    t.prime()
    visit(t)
    t.enter(hcall=5)
    t.wait(10)
    miss_call(t)
    t.call("lock")
    t.leave(ERET_GUEST)
    t.stack = []
    t.enter(GUEST_EXIT)
    t.leave()
    visit(t)
    whole = analyze(directory, t)
    equal("misnested by a depth, and after it", (selves(whole), whole["misnested"], whole["cut"]),
          (times(2), 1, 2))


def test_unreturned(directory):
    """A function that EL2 leaves to the host without returning; the next one begins anew"""
    t = Trace()
    t.prime()
    t.call("handle_trap")
    t.enter(hcall=5)
    t.wait(40)
    t.leave()
    t.stack.pop()
    t.wait(100)
    visit(t)
    whole = analyze(directory, t)
    want = {("hvc 5",): [2, 50], ("hvc 5", "handle_trap"): [1, 40]}
    want.update({path: node for path, node in GOOD.items() if len(path) > 1})
    equal("a function that does not return", (selves(whole), whole["without_return"]), (want, 1))
    t = Trace()
    t.prime()
    visit(t)
    t.enter(hcall=5)
    t.wait(40)
    t.call("walk")      # tracing of functions ends here, and begins again after the entry
    t.wait(30)
    t.leave()
    t.stack.pop()
    visit(t)
    whole = analyze(directory, t)
    equal("tracing ends in an entry", (selves(whole), whole["cut"], whole["without_return"]),
          (times(2), 2, 1))


def test_guest(directory):
    """A function that runs a guest: its duration is the time at EL2"""
    t = Trace()
    t.prime()
    t.enter(hcall=5)
    t.call("run_vcpu")
    t.wait(100)
    t.leave(ERET_GUEST)
    t.wait(10**6)
    t.enter(GUEST_EXIT)
    t.wait(7)
    t.call("walk")
    t.wait(20)
    t.end()
    t.end()
    t.wait(3)
    t.leave()
    whole = analyze(directory, t)
    equal("a guest's run", selves(whole), {
        ("hvc 5",): [1, 0], ("hvc 5", "run_vcpu"): [1, 100], ("guest_exit",): [1, 3],
        ("guest_exit", "run_vcpu"): [0, 7], ("guest_exit", "run_vcpu", "walk"): [1, 20]})
    equal("the duration of a function that runs a guest",
          [(row["calls"], row["total"], row["max"]) for row in whole["functions"]
           if row["function"] == "run_vcpu"], [(1, 127, 127)])


def test_scope(directory):
    t = Trace()
    for cpu, task in ((0, 70), (1, 71)):
        t.cpu, t.task = cpu, task
        t.prime()
        visit(t)
        visit(t)
    t.write(os.path.join(directory, "graph.dat"))
    for arguments, n in (([], 4), (["-P", "1"], 2), (["--task", "other"], 2),
                         (["--time", "+0.0000011,"], 2), (["--time", "+0,+0.000000500"], 2)):
        equal("what counts with %s" % (arguments,), selves(analyze(directory, None, *arguments)),
              times(n))


def test_text(directory):
    path = os.path.join(directory, "text.dat")
    t = Trace()
    t.prime()
    visit(t)
    visit(t, hcall=6)
    t.write(path)
    status, out, said = graph(path, "-u", "ns")
    equal("text: status", (status, said), (0, ""))
    equal("text", out.splitlines(), [
        "EL2 entries: measured=2 time=200 in_no_function=100 other=0",
        "not measured: cut=1 misnested=0 entries_without_exit=0 exits_without_entry=0",
        "calls: recorded=4 too_deep=0 without_return=0",
        "events: lost=0 losses=0 misplaced=0",
        "all times are in ns",
        "",
        "     CALLS        TOTAL         SELF       %  EL2 ENTRY, FUNCTION",
        "         1          100           50   50.00  hvc 5",
        "         1           50           40   25.00    walk",
        "         1           10           10    5.00      flush",
        "         1          100           50   50.00  hvc 6",
        "         1           50           40   25.00    walk",
        "         1           10           10    5.00      flush",
        "",
        "FUNCTION                       calls total     % self %self mean min p50 p99 max",
        "walk                               2   100 50.00   80 40.00   50  50  50  50  50",
        "flush                              2    20 10.00   20 10.00   10  10  10  10  10"])
    tree = graph(path, "--by", "all", "-u", "ns", "-d", "1", "-s", "name")[1].splitlines()[6:9]
    equal("text: one tree, one level", tree, [
        "     CALLS        TOTAL         SELF       %  FUNCTION",
        "         2          100           80   50.00  walk",
        "         2          100          100   50.00  [in no function]"])
    tree = graph(path, "-n", "1", "-u", "ns")[1].splitlines()[7:]
    equal("text: one row of each", tree[3:], [
        "         1          100          100   50.00  others (1)",
        "",
        "FUNCTION                       calls total     % self %self mean min p50 p99 max",
        "walk                               2   100 50.00   80 40.00   50  50  50  50  50",
        "others (1)                         2               20 10.00                     "])
    related = graph(path, "-f", "walk", "-u", "ns")[1].splitlines()[5:]
    equal("text: callers and callees", related[4:], [
        "CALLER                         calls total     %",
        "hvc 5                              1    50 50.00",
        "hvc 6                              1    50 50.00",
        "",
        "CALLS                          calls total     %",
        "flush                              2    20 20.00",
        "[self]                             2    80 80.00"])


def test_recursive_text(directory):
    """Callees whose totals contain each other are not added"""
    path = os.path.join(directory, "recursive.dat")
    t = Trace()
    t.prime()
    t.enter(hcall=5)
    for name, ns in ("walk", 20), ("walk", 30), ("flush", 50):
        t.call(name)
        t.wait(ns)
    for _ in range(3):
        t.end()
    t.leave()
    t.write(path)
    related = graph(path, "-f", "walk", "-u", "ns", "-n", "1")[1].splitlines()[6:]
    equal("text: a function that calls itself", related, [
        "FUNCTION                       calls total      % self %self mean min p50 p99 max",
        "walk                               2   100 100.00   50 50.00   90  80  80 100 100",
        "",
        "CALLER                         calls total      %",
        "hvc 5                              1   100 100.00",
        "others (1)                         1             ",
        "",
        "CALLS                          calls total     %",
        "walk                               1    80 80.00",
        "others (1)                         1            ",
        "[self]                             2    50 50.00"])


def test_report(directory):
    path = os.path.join(directory, "report.dat")
    t = Trace()
    t.prime()
    t.call("handle_trap")
    t.enter(hcall=5)
    t.call("walk")
    t.add("function", ip=ADDRESS["lock"], parent_ip=ADDRESS["walk"] + 16)
    t.end(calltime=1000, rettime=2234567)
    t.leave()
    t.end()
    t.add("funcgraph_entry", func=16, depth=10**6)
    t.write(path)
    lines = hyptrace("report", path, "-e", "ftrace:*")[1].splitlines()[:-1]
    equal("report: functions", [line[52:] for line in lines], [
        "funcgraph_entry:              |  handle_trap() {",
        "funcgraph_entry:              |    walk() {", "function: lock <-- walk",
        "funcgraph_exit:   2233.567 us |    } /* walk */",
        "funcgraph_exit:               |  } /* handle_trap */",
        "funcgraph_entry:              |  %64s0x10() {" % ""])


def test_check(directory):
    path = os.path.join(directory, "check.dat")
    trace = random_trace(10)
    trace.write(path)
    out = hyptrace("check", path)[1]
    calls = analyze(directory, trace)["calls"]
    result("check: nested calls", [] if "functions: calls=%d\n" % calls in out and
           " violations=0 " in out else [out])
    for n, spoil in enumerate(SPOILT.values()):
        t = Trace()
        t.prime()
        visit(t)
        t.enter(hcall=5)
        spoil(t)
        t.leave()
        visit(t)
        t.write(path)
        out = hyptrace("check", path)[1]
        result("check: misnested %d" % n, [] if " violations=1 " in out and
               "does not fit the calls before" in out else [out])


def test_folded(directory):
    path = os.path.join(directory, "folded.dat")
    trace = random_trace(11)
    trace.write(path)
    status, out, said = hyptrace("export", "--folded", path)
    equal("folded stacks: status", (status, out), (0, ""))
    with open(path.replace(".dat", ".folded"), encoding="utf-8") as folded:
        lines = folded.read().splitlines()
    stacks = {tuple(stack.split(";")): int(ns)
              for stack, ns in (line.rsplit(" ", 1) for line in lines)}
    same("folded stacks", stacks, {p: ns for p, (_, ns) in trace.tree.items() if ns})
    want = "%u stacks, %u ns in %u EL2 entries; not measured: cut=2 misnested=0" % (
        len(lines), sum(stacks.values()),
        sum(calls for p, (calls, _) in trace.tree.items() if len(p) == 1))
    result("folded stacks: what is said", [] if want in said else [said])
    trace.write(path, RECORDED[1:])
    status, out, said = hyptrace("export", "--folded", "-o", path + "2", path)
    equal("folded stacks: of a file without entries",
          (status, os.path.exists(path + "2"), said.count("\n")), (1, False, 1))


def test_errors(directory):
    path = os.path.join(directory, "a.dat")
    t = Trace()
    t.prime()
    visit(t)
    t.write(path)
    some = os.path.join(directory, "some.dat")
    t.write(some, RECORDED[1:])
    none = os.path.join(directory, "none.dat")
    t = Trace()
    t.prime()
    t.write(none)
    for want, text, arguments in (
            (2, "expected one file, got 0", []), (2, "bad by 'x'", [path, "-b", "x"]),
            (2, "bad sort 'p90'", [path, "-s", "p90"]), (2, "bad top '0'", [path, "-n", "0"]),
            (2, "bad depth '-1'", [path, "-d", "-1"]), (2, "bad unit 'h'", [path, "-u", "h"]),
            (2, "bad time '5'", [path, "--time", "5"]),
            (1, "no calls of 'x'", [path, "-f", "x"]), (1, "no task 'x'", [path, "--task", "x"]),
            (1, "CPU 9 was not recorded", [path, "-P", "9"]),
            (1, "nothing was recorded at that time", [path, "--time", "99,"]),
            (1, "hyp_enter and hyp_exit were not recorded", [some]),
            (1, "has recorded no calls of functions", [none])):
        status, out, said = graph(*arguments)
        good = status == want and text in said and said.count("\n") == 1 and not out
        result("error: " + text, [] if good else ["status %d: %s" % (status, said)])


def main():
    print("TAP version 13")
    attempt_each((test_entries, test_sort, test_losses, test_nesting, test_depth,
                  test_unreturned, test_guest, test_scope, test_text, test_recursive_text,
                  test_report, test_check, test_folded, test_errors))
    finish()


main()
