#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: query_test.py HYPTRACE PAGE [RECORDING]...

The queries of PAGE, the manual page of "hyptrace query", give the figures of stat, compare and
why, of made-up recordings and of each RECORDING; conditions that are pushed down change no
result; a query cannot write; errors. TAP.
"""
import collections
import hashlib
import json
import math
import os
import pty
import random
import re
import subprocess
import sys

import synth
from randomrun import BASE, COMMS, CPUS, HVC, UNAME, WHOLE, recording
from synth import U8, U16, U32, U64
from tap import attempt_each, equal, finish, result, run

HYPTRACE, PAGE = sys.argv[1:3]
RECORDINGS = sys.argv[3:]

MAX_LINES = 20
synth.EVENTS.update({
    # names that tables, columns or SQL itself have, and one that two systems have
    "entry": ("hypervisor", 150, [(U32, "cpu"), (U64, "Text"), (U8, "select")], '"%u", REC->cpu'),
    "sqlite_stat1": ("hypervisor", 151, [(U32, "x")], '"%u", REC->x'),
    "twice": ("hypervisor", 152, [(U16, "x")], '"%u", REC->x'),
})


def query(*arguments, **more):
    done = run(HYPTRACE, "query", *arguments, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def rows(*arguments, status=0):
    got, out, said = query("--json", *arguments)
    assert got == status, said
    return [json.loads(line) for line in out.splitlines()]


def figures(command, *arguments):
    done = run(HYPTRACE, command, "--json", *arguments)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout.decode())


def page_queries():
    """{name: SQL}"""
    text = open(PAGE).read()
    found = {}
    for name, sql in re.findall(r"^\.\. query: (\S+)\n\.\. code-block:: sql\n\n((?:        .*\n|\n)+)",
                                text, re.M):
        found[name] = sql.rstrip()
    return found


QUERIES = page_queries()


def ask(name, *paths):
    return rows(*paths, QUERIES[name])


def same_rows(what, got, want, *keys):
    """Lists of dictionaries, in any order; only these members. Real numbers have 6 digits"""
    def exact(row):
        return tuple(row.get(key) for key in keys if not isinstance(row.get(key), float))

    def real(row):
        return [row[key] for key in keys if isinstance(row.get(key), float)]

    count = collections.Counter(map(exact, got))
    count.subtract(map(exact, want))
    problems = ["%d more than by the command: %s" % (n, row) for row, n in count.items() if n]
    wanted = {exact(row): real(row) for row in want}
    for row in got:
        for x, y in zip(real(row), wanted.get(exact(row), [])):
            if not math.isclose(x, y, rel_tol=1e-5):
                problems.append("%s: %r instead of %r" % (exact(row), x, y))
    result(what, problems + (["no rows"] if want and not got else []))


# Figures of other commands

PLACES = "task", "el2", "guest", "irq", "softirq", "idle", "unknown"
DIST = "name", "count", "total", "mean", "min", "p50", "p90", "p99", "p999", "max"


def check_stat(path, name):
    want = figures("stat", "--histogram", "--slowest=5", path)
    same_rows("stat, time: " + name, ask("stat-recording", path), [want], "start", "wall")
    same_rows("stat, summary: " + name, ask("stat-summary", path), [want], "events", "host_events",
              "lost", "dropped", "corrupt", "losses", "misplaced", "entries_without_exit",
              "exits_without_entry")
    same_rows("stat, CPUs: " + name, ask("stat-cpus", path), want["cpus"], "cpu", "entries", *PLACES)
    same_rows("stat, tasks: " + name, ask("stat-tasks", path), want["tasks"], "pid", "comm", *PLACES)
    same_rows("stat, vCPUs: " + name, ask("stat-vcpus", path), want["vcpus"], "pid", "comm", "vm",
              "vcpu", "entries", *PLACES)
    for kind in "entries", "hypercalls", "switches":
        same_rows("stat, %s: %s" % (kind, name), ask("stat-" + kind, path), want[kind], *DIST)
    histogram = [{"name": row["name"], "ns": ns, "count": count} for row in want["entries"]
                 for ns, count in row["histogram"]]
    same_rows("stat, histogram: " + name, ask("stat-histogram", path), histogram, "name", "ns", "count")
    same_rows("stat, slowest: " + name, ask("stat-slowest", path), want["slowest_entries"], "ns")


def check_why(path, name):
    want = figures("why", "--worst=1000", path)
    same_rows("why, summary: " + name, ask("why-summary", path), [want], "idle", "lost", "cut")
    same_rows("why, vCPUs: " + name, ask("why-vcpus", path), want["vcpus"], "task", "comm", "vm",
              "vcpu", "delays", "total")
    worst, parts, timeline = [], [], []
    for vcpu in want["vcpus"]:
        for number, delay in enumerate(vcpu["worst"]):
            if number < 5:
                worst.append(dict(delay, task=vcpu["task"]))
            parts += [dict(part, start=delay["start"], task=vcpu["task"]) for part in delay["parts"]]
            timeline += [dict(piece, delay=delay["start"], task=vcpu["task"])
                         for piece in delay["timeline"]]
    keys = "start", "end", "ns", "cpu", "after", "blame", "task"
    got = ask("why-worst", path)
    # delays of the same length may come in any order
    same_rows("why, worst: " + name, got, worst, "ns", "task")
    every = [dict(d, task=v["task"]) for v in want["vcpus"] for d in v["worst"]]
    result("why, each of the worst: " + name,
           [row for row in got if [row[k] for k in keys] not in [[d[k] for k in keys] for d in every]])
    if sum(v["delays"] for v in want["vcpus"]) == len(every):
        same_rows("why, parts: " + name, ask("why-parts", path), parts, "start", "task", "part",
                  "what", "ns", "pieces")
        same_rows("why, timeline: " + name, ask("why-timeline", path), timeline, "delay", "task",
                  "start", "end", "cpu", "part", "what")


def check_pages(path, name):
    want = figures("pages", path)["transitions"]
    got = rows(path, "SELECT transition AS name, count(*) FILTER (WHERE NOT ret) AS pages, "
               "count(*) FILTER (WHERE ret) AS refused, count(*) FILTER (WHERE NOT legal) AS illegal "
               "FROM page GROUP BY 1")
    same_rows("pages: " + name, got, want, "name", "pages", "refused", "illegal")
    pfn = rows(path, "SELECT pfn, count(*) FROM page GROUP BY 1 ORDER BY 2 DESC LIMIT 1")[0]["pfn"]
    steps = figures("pages", "--pfn=%d" % pfn, path)["pages"][0]["steps"]
    got = rows(path, "SELECT * FROM page WHERE pfn = %d" % pfn)
    same_rows("pages, the history of one: " + name, got,
              [dict(step, known=int(step["known"]), legal=int(step["legal"])) for step in steps],
              "ts", "cpu", "transition", "caller", "pid", "comm", "ret", "before", "after", "known",
              "legal")


def test_pages(directory):
    check_pages(recording(directory, 1), "seed 1")
    check_pages(recording(directory, 3, losses=False), "nothing lost")


def test_stat(directory):
    for seed in 1, 2:
        check_stat(recording(directory, seed), "seed %d" % seed)
    check_stat(recording(directory, 3, losses=False), "nothing lost")


def test_why(directory):
    for seed in 1, 2:
        check_why(recording(directory, seed), "seed %d" % seed)


def test_compare(directory):
    a, b = recording(directory, 1, losses=False), recording(directory, 2, 2, losses=False)
    want = figures("compare", a, b)
    same_rows("compare, percent", ask("compare-percent", a, b),
              [{"place": place, "a": float(values[0]), "b": float(values[1])}
               for place, values in want["percent"].items() if any(values)], "place", "a", "b")
    same_rows("compare, entries", ask("compare-entries", a, b), want["entries"], "name", "change",
              "rate_ratio")
    runs = [recording(directory, seed, slow, losses=False) for slow in (1, 2) for seed in (4, 5, 6)]
    want = figures("compare", *runs[:3], "--", *runs[3:])
    same_rows("compare, runs", ask("compare-runs", *runs),
              [dict(row, kind=kind) for kind in ("entries", "hypercalls", "switches") for row in want[kind]
               if row["p"] is not None], "kind", "name", "change", "p", "verdict")


def test_recordings(_):
    for path in RECORDINGS:
        name = os.path.basename(path)
        if run(HYPTRACE, "stat", path).returncode == 0:
            check_stat(path, name)
        if run(HYPTRACE, "why", path).returncode == 0:
            check_why(path, name)
        if run(HYPTRACE, "pages", path).returncode == 0:
            check_pages(path, name)
        status, out, _ = query("--tsv", path, "SELECT count(*) FROM event WHERE side <> 'guest'")
        report = run(HYPTRACE, "report", path).stdout
        lines = [line for line in report.splitlines() if re.match(rb"\[\d+\] +\d+\.\d+ (host|hyp) ", line)]
        equal("as many events as report prints: " + name, (status, out.split()[-1]), (0, str(len(lines))))


def test_short(_):
    problems = ["%s has %d lines" % (name, sql.count("\n") + 1) for name, sql in QUERIES.items()
                if sql.count("\n") + 1 > MAX_LINES + 2 * (name == "compare-runs")]
    result("queries are short", problems)
    result("there are queries", [] if len(QUERIES) >= 20 else [len(QUERIES)])


# What is pushed down

CONDITIONS = ("ts > %(ts)d", "ts >= %(ts)d", "ts < %(ts)d", "ts <= %(ts)d", "ts = %(ts)d",
              "ts BETWEEN %(ts)d AND %(ts)d + 20000", "cpu = %(cpu)d", "side = '%(side)s'",
              "recording = %(recording)d", "ts > %(ts)d + 0.5",
              "recording = %(recording)d.0", "side = upper('%(side)s') COLLATE NOCASE",
              "cpu IN (0, %(cpu)d)", "name = 'hyp_exit'", "name IN ('hyp_enter', 'kvm_exit')")


def test_pushdown(directory):
    """A unary plus keeps SQLite from pushing a condition down"""
    paths = [recording(directory, seed) for seed in (1, 2)]
    stamps = [row["ts"] for row in rows(*paths, "SELECT ts FROM event")]
    chance = random.Random(7)
    for table in "event", "hyp_enter", "sched_switch", "vcpu_exit":
        problems = []
        for _ in range(40):
            chosen = [c for c in chance.sample(CONDITIONS, chance.randint(1, 3))
                      if table == "event" or "name" not in c]
            values = {"ts": chance.choice(stamps), "cpu": chance.randint(-1, CPUS),
                      "side": chance.choice(("host", "hyp", "guest", "")),
                      "recording": chance.randint(0, 3)}
            where = [c % values for c in chosen] or ["1"]
            plain = [re.sub(r"^(\w+)", r"+\1", c) for c in where]
            sql = "SELECT recording, ts, cpu, side, text, lost FROM %s WHERE %s"
            down, up = (sorted(rows(*paths, sql % (table, " AND ".join(how))), key=repr)
                        for how in (where, plain))
            if down != up:
                problems.append("%s: %d rows instead of %d" % (where, len(down), len(up)))
        result("conditions of %s" % table, problems)
    for order in "ts", "recording, ts", "ts DESC", "recording DESC, ts", "cpu, ts":
        keys = [term.split()[0] for term in order.split(", ")]
        down, up = ([[row[key] for key in keys] for row in
                     rows(*paths, "SELECT recording, ts, cpu FROM event ORDER BY " + how)]
                    for how in (order, "+" + order.replace(", ", ", +")))
        result("ORDER BY " + order, [] if down == up else ["rows come in another order"])
    one = rows(paths[0], "SELECT ts FROM event")
    equal("events come in order of time", one, sorted(one, key=lambda row: row["ts"]))
    equal("recordings come one after the other",
          [row["recording"] for row in rows(*paths, "SELECT DISTINCT recording FROM event")], [1, 2])


def test_tables(directory):
    path = os.path.join(directory, "names.dat")
    events = [(BASE, "entry", 81, {"cpu": 9, "Text": 2**64 - 1, "select": 3}),
              (BASE + 5, "sqlite_stat1", 7, {"x": 4}), (BASE + 9, "hyp_enter", 7, {"reason": HVC})]
    synth.write(path, {0: []}, {0: [synth.page(events[:1]), synth.page(events[1:], lost=None)]},
                texts=synth.enabled(*WHOLE), comms=COMMS, uname=UNAME)
    got = rows(path, 'SELECT cpu, cpu_, Text_, "select", comm FROM hypervisor_entry')
    equal("names that are taken", got, [{"cpu": 0, "cpu_": 9, "Text_": -1, "select": 3, "comm": "a\\tb"}])
    equal("a name that SQLite keeps", rows(path, "SELECT x FROM hypervisor_sqlite_stat1"), [{"x": 4}])
    got = rows(path, "SELECT name, fields->>'x' AS x FROM event WHERE name = 'sqlite_stat1'")
    equal("fields", got, [{"name": "sqlite_stat1", "x": 4}])
    equal("losses", rows(path, "SELECT ts, cpu, side, lost FROM loss"),
          [{"ts": BASE + 5, "cpu": 0, "side": "hyp", "lost": None}])
    got = rows(path, path, "SELECT id, host, release, cpus, ts, ns FROM recording")
    equal("recordings", got, [{"id": i, "host": "box", "release": "6.12.99", "cpus": 1, "ts": BASE, "ns": 9}
                              for i in (1, 2)])
    status, out, _ = query("--tsv", path, "SELECT comm, lost, NULL, 1.5 FROM hypervisor_entry")
    equal("TSV", (status, out), (0, "comm\tlost\tNULL\t1.5\na\\\\tb\t0\t\\N\t1.5\n"))
    status, out, _ = query(path, "SELECT comm, lost, NULL AS n, 1.5 AS r FROM hypervisor_entry; SELECT 7")
    equal("table", (status, out), (0, "comm   lost  n  r\na\\\\tb     0  -  1.5\n\n7\n7\n"))
    status, out, _ = query(path, "--list")
    result("--list", [word for word in ("event ", "delay_part ", "hypervisor_entry", "percentile(x, percent)")
                      if status or word not in out])
    status, out, _ = query(path, "--columns=hyp_enter")
    equal("--columns=TABLE", (status, [line.split()[0] for line in out.splitlines()]),
          (0, "recording ts cpu side guest pid comm vcpu reason text lost".split()))
    for table in "entry", "recording", "delay_piece", "event", "loss":
        status, out, _ = query(path, "--columns=" + table)
        result("--columns=%s: all columns are described" % table,
               [line for line in out.splitlines() if "field of" in line or len(line.split()) < 3] or
               ["status %d" % status] * (status != 0))
    host = os.path.join(directory, "host.dat")
    synth.write(host, {0: [synth.page([(BASE, "kvm_entry", 7, {})])]}, {0: []})
    with open(host, "rb") as file, open(path, "rb") as guest:
        data = synth.add_guest(file.read(), b"inner", guest.read(), shift=100)
    with open(host, "wb") as file:
        file.write(data)
    got = rows(host, "SELECT ts, side, guest, name FROM event WHERE ts > %d" % (BASE + 104))
    equal("a guest's events", got, [{"ts": BASE + 105, "side": "guest", "guest": "inner", "name": "sqlite_stat1"},
                                    {"ts": BASE + 109, "side": "guest", "guest": "inner", "name": "hyp_enter"}])
    equal("a guest's fields", rows(host, "SELECT x FROM hypervisor_sqlite_stat1"), [{"x": 4}])


def test_functions(directory):
    path = recording(directory, 1, steps=1)
    values = "(SELECT column1 AS x, column2 AS b FROM (VALUES %s))"
    for sql, want in (
            ("SELECT percentile(x, 50) AS v FROM " + values % "(1,0),(2,0),(3,0),(4,0)", 2),
            ("SELECT percentile(x, 99.9) AS v FROM " + values % "(1,0),(NULL,0),(3,0)", 3),
            ("SELECT percentile(x, 0) AS v FROM " + values % "(5,0),(4,0)", 4),
            ("SELECT percentile(ns, 50) AS v FROM entry WHERE 0", None),
            ("SELECT middle_mean(x) AS v FROM " + values % "(1,0),(2,0),(6,0)", 3),
            ("SELECT ttest_p(x, b) AS v FROM " + values % "(1,0),(2,0),(3,1)", None),
            ("SELECT ttest_p(x, b) AS v FROM " + values % "(1,0),(2,0),(1,1),(2,1)", 1)):
        equal(sql, rows(path, sql), [{"v": want}])
    for sql, want in (("SELECT percentile(-1, 50)", "negative"), ("SELECT percentile(1, 101)", "0 to 100"),
                      ("SELECT percentile(1)", "wrong number of arguments")):
        status, out, said = query("--json", path, sql)
        result(sql, [] if status == 1 and want in said and said.count("\n") == 1 and not out else [said])


# Only reading

def state(directory):
    return {name: hashlib.sha256(open(os.path.join(directory, name), "rb").read()).hexdigest()
            for name in os.listdir(directory)}


def test_read_only(directory):
    path = recording(directory, 1, steps=20)
    before = state(directory)
    other = os.path.join(directory, "other")
    for sql in ("CREATE TABLE t(x)", "CREATE TEMP TABLE t(x)", "CREATE VIEW v AS SELECT 1",
                "INSERT INTO event(ts) VALUES (1)", "DELETE FROM event", "UPDATE hyp_enter SET ts = 0",
                "DROP TABLE event", "DROP VIEW loss", "ATTACH '%s' AS o" % other, "DETACH main",
                "VACUUM INTO '%s'" % other, "PRAGMA journal_mode=OFF", "PRAGMA table_info(event)",
                "BEGIN", "SAVEPOINT s", "ALTER TABLE event RENAME TO e", "ANALYZE",
                "CREATE VIRTUAL TABLE temp.v USING event", "SELECT load_extension('%s')" % other):
        status, out, said = query(path, "SELECT 1 AS first;" + sql)
        good = status == 1 and out.split() == ["first", "1"] and said.count("\n") == 1 and \
            re.search("can only read|not authorized|may not be|not be modified", said)
        result("refused: " + sql[:40], [] if good else ["status %d: %r %r" % (status, out, said)])
    equal("nothing was written", state(directory), before)


def test_errors(directory):
    path = recording(directory, 1, steps=20)
    no_switches = os.path.join(directory, "no.dat")
    synth.write(no_switches, {0: []}, {0: [synth.page([(BASE, "hyp_enter", 7, {"reason": HVC})])]},
                texts=synth.enabled("hyp_enter", "hyp_exit"))
    for want, text, arguments in (
            (1, 'line 1, column 1: near "selec": syntax error', [path, "selec"]),
            (1, "line 3, column 2: no such column: nosuch", [path, "SELECT 1;\nSELECT\n nosuch FROM event"]),
            (1, "no such table: nosuch", [path, "SELECT * FROM nosuch"]),
            (1, "incomplete input", [path, "SELECT"]),
            (1, "no table 'nosuch'", [path, "--columns=nosuch"]),
            (1, "No such file", ["/nonexistent", "SELECT 1"]),
            (1, "expected a trace.dat file", [__file__, "SELECT 1"]),
            (1, "sched_switch was not recorded", [no_switches, "SELECT * FROM delay"]),
            (1, "mem_transition", [no_switches, "SELECT * FROM page"]),
            (2, "expected a file, got only 'SELECT 1'", ["SELECT 1"]),
            (2, "expected files and SQL, got nothing", []),
            (2, "unrecognized option", [path, "--nosuch", "SELECT 1"])):
        status, out, said = query("--json", *arguments, stdin=subprocess.DEVNULL)
        good = status == want and text in said and said.count("\n") == 1 and out in ("", '{"1": 1}\n')
        result("error: " + text, [] if good else ["status %d: %r %r" % (status, out, said)])
    for arguments in [path], [path, "-"]:
        status, out, _ = query("--json", *arguments, input=b"SELECT 3 AS x; -- last\nSELECT 4 AS y\n")
        equal("standard input, %d arguments" % len(arguments), (status, out), (0, '{"x": 3}\n{"y": 4}\n'))
    bad = os.path.join(directory, "bad.dat")
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at = len(data) // synth.PAGE * synth.PAGE // 2 // synth.PAGE * synth.PAGE
    data[at + 8:at + 12] = b"\xff\xff\x00\x00"
    with open(bad, "wb") as file:
        file.write(data)
    for table in "event", "entry", "delay", "page", "cpu_time":
        status, out, said = query("--json", bad, "SELECT count(*) AS n FROM " + table)
        good = status == 1 and "1 corrupt sub-buffers" in said and json.loads(out)["n"] > 0
        result("a corrupt place, " + table, [] if good else ["status %d: %r %r" % (status, out, said)])
    equal("a corrupt place is a row", rows(bad, "SELECT text, pid FROM event WHERE name IS NULL", status=1),
          [{"text": "[corrupt sub-buffer]", "pid": None}])


def test_prompt(directory):
    """On a terminal: several lines, an error, and the end"""
    path = recording(directory, 1, steps=20)
    parent, child = pty.openpty()
    process = subprocess.Popen([HYPTRACE, "query", "--json", path], stdin=child, stdout=child, stderr=child)
    os.close(child)
    os.write(parent, b"SELECT 6\n* 7 AS x;\nselec;\nSELECT 8 AS y;\n\x04")
    out = b""
    while True:
        try:
            part = os.read(parent, 4096)
        except OSError:
            break
        if not part:
            break
        out += part
    equal("prompt: status", process.wait(60), 0)
    text = out.decode()
    result("prompt", [word for word in ('{"x": 42}', "syntax error", '{"y": 8}', "hyptrace> ", "   ...> ")
                      if word not in text] and [text])
    os.close(parent)


def main():
    print("TAP version 13")
    attempt_each((test_short, test_stat, test_compare, test_why, test_pages, test_pushdown, test_tables,
                  test_functions, test_read_only, test_errors, test_prompt, test_recordings))
    finish()


main()
