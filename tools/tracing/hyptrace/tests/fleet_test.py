#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: fleet_test.py HYPTRACE PAGE SERVER RECORDINGS

The queries about many machines in PAGE give the same by "hyptrace query" and by ClickHouse, with
the rows of "hyptrace export --rows", and find what was planted in the made-up recordings; rows
are what the tables have; errors. SERVER is the program of ClickHouse's server, of which one runs
meanwhile, on a port of its own of the loopback device. RECORDINGS is how many there are; prints
what they cost, from 10 on. TAP.
"""
import csv
import glob
import json
import math
import os
import re
import socket
import subprocess
import sys
import textwrap
import time

from randomrun import recording
from tap import attempt_each, equal, finish, result, run

HYPTRACE, PAGE, SERVER = sys.argv[1:4]
RECORDINGS = int(sys.argv[4])

# A hypercall takes longer with the second kernel; one machine is longer in memory aborts
RELEASES = "6.12.90", "6.12.99"
SLOW_CALL = "__kvm_tlb_flush_vmid"
ODD = 5
HOSTS = 40
STEPS = 60
DAY = 86400
EXAMPLE = 200

CONFIG = """<yandex>
 <logger><level>warning</level><log>{0}/log</log><errorlog>{0}/errors</errorlog></logger>
 <tcp_port>{1}</tcp_port><listen_host>127.0.0.1</listen_host>
 <path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path><format_schema_path>{0}/formats/</format_schema_path>
 <mark_cache_size>100000000</mark_cache_size>
 <users_config>{0}/config.xml</users_config>
 <default_profile>default</default_profile><default_database>default</default_database>
 <profiles><default/></profiles><quotas><default/></quotas>
 <users><default><password></password><networks><ip>127.0.0.1</ip></networks>
  <profile>default</profile><quota>default</quota></default></users>
</yandex>
"""


class Server:
    """ClickHouse in a directory of its own"""

    def __init__(self, directory):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        for name in "data", "tmp", "formats":
            os.makedirs(os.path.join(directory, name))
        config = os.path.join(directory, "config.xml")
        with open(config, "w") as out:
            out.write(CONFIG.format(directory, self.port))
        with open(os.path.join(directory, "output"), "w") as output:
            self.process = subprocess.Popen([SERVER, "--config-file=" + config], stdout=output,
                                            stderr=output, cwd=directory)
        while run("clickhouse-client", *self.place(), "--query", "SELECT 1").returncode:
            assert self.process.poll() is None, open(os.path.join(directory, "output")).read()
            time.sleep(0.2)

    def place(self):
        return "--host", "127.0.0.1", "--port", str(self.port)

    def ask(self, sql):
        done = run("clickhouse-client", *self.place(), "--format", "JSONEachRow",
                   "--output_format_json_quote_64bit_integers", "0", "--query", sql)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def shell(self, script, directory):
        """Run a script with "clickhouse-client", as a user has it"""
        done = run("bash", "-euc", 'clickhouse-client() { command clickhouse-client %s "$@"; }\n%s'
                   % (" ".join(self.place()), script), cwd=directory)
        assert done.returncode == 0, done.stderr

    def end(self):
        self.process.terminate()
        self.process.wait()


def make_fleet(directory, nr):
    """NR recordings, half of them of each kernel"""
    paths = []
    for i in range(nr):
        host = i // 2 % HOSTS
        costs = {SLOW_CALL: 600 if i % 2 else 400, "abort": 6000 if host == ODD else 100}
        path = recording(directory, i, steps=STEPS, losses=i % 7 == 0, name="m%d.dat" % i, costs=costs,
                         uname=b"Linux m%02d %s aarch64" % (host, RELEASES[i % 2].encode()))
        os.utime(path, (DAY * (20000 + i), DAY * (20000 + i)))
        paths.append(path)
    return paths


def block(kind, name):
    """A block of code behind a comment ".. fleet: KIND NAME" in the page"""
    found = re.search(r"^\.\. fleet: %s %s\n(?:\.\. code-block:: \w+|::)\n\n((?:        .*\n|\n)+)" % (kind, name),
                      open(PAGE).read(), re.M)
    assert found, "no %s %s" % (kind, name)
    return textwrap.dedent(found.group(1)).rstrip()


def query(sql, *paths):
    done = run(HYPTRACE, "query", "--json", *paths, sql)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def export(directory, *arguments):
    done = run(HYPTRACE, "export", "--rows=" + directory, *arguments)
    return done.returncode, done.stderr.decode()


# Rows

COMMON = "day", "release", "host", "recording"
ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def value(text):
    if text == "\\N":
        return None
    return re.sub(r"\\(.)", lambda found: ESCAPED[found.group(1)], text)


def rows_of(directory, table):
    [path] = glob.glob(os.path.join(directory, table, "*.tsv"))
    with open(path, newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return path, [dict(zip(lines[0], map(value, line))) for line in lines[1:]]


def test_rows(directory):
    path = recording(directory, 1, name="one.dat", uname=b"Linux a\\b 1.2 x")
    os.utime(path, (DAY * 20000, DAY * 20000))
    out = os.path.join(directory, "one")
    status, said = export(out, path)
    tables = sorted(os.listdir(out))
    result("one note", [] if status == 0 and said.count("\n") == 1 and " rows of 13 tables " in said else [said])
    for table in tables:
        if table == "schema.sql":
            continue
        file, got = rows_of(out, table)
        number = os.path.basename(file)[:-len(".tsv")]
        want = [{k: None if v is None else str(v) for k, v in row.items()}
                for row in query("SELECT * FROM " + table, path)]
        for row in want:
            row.pop("id" if table == "recording" else "recording")
            row.update(day="2024-10-04", release="1.2", host="a\\b", recording=number)
        result("rows of " + table, [pair for pair in zip(got, want) if pair[0] != pair[1]] +
               ["%d rows, %d wanted" % (len(got), len(want))] * (len(got) != len(want) or not got))
        result("columns of " + table, [] if tuple(got[0])[:4] == COMMON else [tuple(got[0])])
    before = {f: open(f, "rb").read() for f in glob.glob(out + "/*/*")}
    os.rename(path, path + "2")
    export(out, "--tables=hypercall", path + "2")
    equal("the same recording has the same files", {f: open(f, "rb").read() for f in glob.glob(out + "/*/*")}, before)
    export(out, "--tables=hypercall,entry", recording(directory, 2, name="two.dat"))
    equal("another one has others, of the tables that are named",
          {t: len(glob.glob(os.path.join(out, t, "*"))) for t in tables if t != "schema.sql"},
          {t: 1 + (t in ("hypercall", "entry")) for t in tables if t != "schema.sql"})


def test_errors(directory):
    path = recording(directory, 1, name="one.dat")
    out = os.path.join(directory, "none")
    file = os.path.join(directory, "file")
    open(file, "w").close()
    for status, text, arguments in (
            (2, "no table 'event' of which rows can be written", ["--rows=" + out, "--tables=entry,event"]),
            (2, "no table '' of", ["--rows=" + out, "--tables="]),
            (2, "no table '' of", ["--rows=" + out, "--tables=entry,"]),
            (2, "--tables without --rows", ["--html", "--tables=entry"]),
            (2, "--rows with --cpus", ["--rows=" + out, "--cpus=0"]),
            (2, "--output with --rows", ["--rows=" + out, "-o", out]),
            (1, "cannot make %s/x: No such file" % out, ["--rows=%s/x" % out]),
            (1, "%s" % file, ["--rows=" + file])):
        done = run(HYPTRACE, "export", *arguments, path)
        said = done.stderr.decode()
        result(text, [] if done.returncode == status and text in said and said.count("\n") == 1
               else [done.returncode, said])
    result("nothing was written", [out] * os.path.exists(out))
    corrupt = os.path.join(directory, "corrupt.dat")
    data = bytearray(open(path, "rb").read())
    data[data.index(b"\0" * 64, 4096) - 200:][:8] = b"\xff" * 8
    with open(corrupt, "wb") as damaged:
        damaged.write(data[:len(data) // 2])
    status, said = export(out, corrupt)
    equal("a file that ends early", (status, os.path.exists(out)), (1, False))


# The fleet

def same(name, got, want):
    """Real numbers may differ in the last digits, as sums of them have another order"""
    problems = ["%d rows, %d wanted" % (len(got), len(want))] if len(got) != len(want) else []
    for a, b in zip(got, want):
        if list(a) != list(b) or any(
                not math.isclose(a[k], b[k], rel_tol=1e-9, abs_tol=1e-9) if isinstance(a[k], float) else a[k] != b[k]
                for k in a):
            problems.append("%s, not %s" % (a, b))
    result(name, problems + ["no rows"] * (not want))


QUERIES = "percentiles", "outliers", "changes"


def check_queries(server, paths):
    answers = {}
    for name in QUERIES:
        answers[name] = query(block("sqlite", name), *paths)
        same("%s, of %d recordings" % (name, len(paths)), server.ask(block("clickhouse", name)), answers[name])
    equal("the machine that was planted is the most unlike others", answers["outliers"][0]["host"], "m%02d" % ODD)
    slower = [row["name"] for row in answers["changes"] if abs(row["change"]) > 3 * row["noise"] > 0]
    equal("the hypercall that was planted is slower, and no other", slower, [SLOW_CALL])


def check_example(name, paths):
    """What the page shows is what is printed"""
    done = run(HYPTRACE, "query", *paths, block("sqlite", name))
    printed = done.stdout.decode().splitlines()
    result("the output of %s in the page" % name,
           [line for line in block("output", name).splitlines() if line != "..." and line not in printed])


def load(server, paths, rows, directory):
    for path in paths:
        status, said = export(rows, "-q", path)
        assert status == 0 or "corrupt" in said, said
    server.ask("DROP DATABASE IF EXISTS default")
    server.ask("CREATE DATABASE default")
    server.shell(block("shell", "load").replace("DIR", rows), directory)


def costs(server, nr):
    for table in server.ask("SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts "
                            "WHERE active AND database = 'default' GROUP BY table ORDER BY table"):
        print("# %d recordings: %s: %d rows, %.1f bytes each" %
              (nr, table["table"], table["rows"], table["bytes"] / table["rows"]))
    for name in QUERIES:
        start = time.monotonic()
        server.ask(block("clickhouse", name))
        print("# %d recordings: %s: %.0f ms" % (nr, name, 1000 * (time.monotonic() - start)))


def test_fleet(directory):
    server = Server(os.path.join(directory, "server"))
    try:
        paths = make_fleet(directory, RECORDINGS)
        sizes = [nr for nr in (10, 20, 50, 100) if nr < RECORDINGS // 2] + [RECORDINGS]
        for nr in sizes:
            rows = os.path.join(directory, "rows%d" % nr)
            load(server, paths[:nr], rows, directory)
            if nr >= 10:
                costs(server, nr)
        check_queries(server, paths)
        for table in ("entry", "reason"), ("hypercall", "name"), ("switch", "way"):
            same("the distributions of %s" % table[0],
                 server.ask("SELECT release, %s, ns, sum(count) AS n FROM %s_times GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
                            .replace("1, 2, 3", "release, %s, ns" % table[1]) % (table[1], table[0])),
                 server.ask("SELECT release, %s, ns, count() AS n FROM %s GROUP BY release, %s, ns "
                            "ORDER BY release, %s, ns" % (table[1], table[0], table[1], table[1])))
        if RECORDINGS == EXAMPLE:
            for name in QUERIES:
                check_example(name, paths)
    finally:
        server.end()


print("TAP version 13")
attempt_each((test_rows, test_errors, test_fleet))
finish()
