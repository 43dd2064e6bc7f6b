#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: formats_test.py HYPTRACE

Events whose text libtraceevent would print wrongly, or whose format it does not accept. The
text is the kernel's, or the fields by name; text, JSON, query, page and Perfetto's file agree.
TAP.
"""
import json
import os
import struct
import sys

import handmade
import htmlpage
import pftrace
import synth
from handmade import Made
from tap import attempt_each, equal, finish, result, run

HYPTRACE = sys.argv[1]
TASK = "a task"
INT_A = ("int a", 8, 4, 1)


def lines_of(path, *options, status=0):
    done = run(HYPTRACE, "report", "--host-only", *options, path)
    assert done.returncode == status, done.stderr
    return done.stdout.decode().splitlines(), done.stderr.decode()


def write(directory, events, **more):
    path = os.path.join(directory, "made.dat")
    handmade.write(path, events, comms=b"100 %s\n" % TASK.encode(), **more)
    return path


def place(i):
    """Of the i-th event of a file that write() has made"""
    return "[000] %15.9f host " % ((handmade.FIRST_ID + i) / 1e6)


def line(i, name, text):
    return place(i) + "%16s-%-7d %s: %s" % (TASK, 100, name, text)


def rows(path, sql):
    done = run(HYPTRACE, "query", "--json", path, sql)
    assert not done.returncode, done.stderr
    return [json.loads(row) for row in done.stdout.decode().splitlines()]


def traced(path):
    """What Perfetto's file has: (name, fields) of each event"""
    out, status, said = pftrace.export(HYPTRACE, path)
    assert not status, said
    for packet in pftrace.packets(out):
        for name, event in packet.get("ftrace_events", []):
            generic = dict(event).get("generic") if name == "event" else None
            if generic:
                yield dict(generic)["event_name"], {
                    dict(field)["name"]: field[-1][1] for key, field in generic if key == "field"}


def page_of(path):
    out = path + ".html"
    done = run(HYPTRACE, "export", "--html", "-o", out, path)
    assert not done.returncode, done.stderr
    return htmlpage.Page(out)


def agree(what, path, nr):
    """Text, JSON, query, page and Perfetto's file show the same of each event"""
    events = [json.loads(text) for text in lines_of(path, "--json")[0]]
    printed = lines_of(path)[0][:-1]
    equal(what + ": all are there", len(events), nr)
    equal(what + ": JSON and text", [line(i, event["event"], event["text"])
                                     for i, event in enumerate(events)], printed)
    equal(what + ": query", [(row["name"], row["pid"], row["comm"], json.loads(row["fields"]), row["text"])
                             for row in rows(path, "select * from event where side = 'host'")],
          [(e["event"], e["pid"], e["comm"], e["fields"], e["text"]) for e in events])
    for event in events:
        if event.get("fields"):
            equal(what + ": table of " + event["event"],
                  list(rows(path, "select %s from %s" % (
                      ", ".join('"%s"' % f for f in event["fields"]), event["event"]))[0].values()),
                  list(event["fields"].values()))
    equal(what + ": page", [text.decode() for text in page_of(path).lines if b" host " in text],
          printed)
    equal(what + ": Perfetto", list(traced(path)),
          [(event["event"], event.get("fields", {})) for event in events])


def check(directory, what, cases):
    """cases: {name: (fields, print fmt, values, text, {field: value} or None)}"""
    events = [Made(name, *case[:3]) for name, case in cases.items()]
    path = write(directory, events)
    got = [json.loads(text) for text in lines_of(path, "--json")[0]]
    for event, (name, case) in zip(got, cases.items()):
        equal("%s: text of %s" % (what, name), event["text"], case[3])
        if case[4] is not None:
            equal("%s: fields of %s" % (what, name), event["fields"], case[4])
    agree(what, path, len(cases))


# By name: the kernel's printf() is not known here

BY_NAME = '"%lc", REC->a'


def test_values(directory):
    """Of fields by name: signs, bytes and other arrays"""
    check(directory, "values", {
        "minus": ([("s8 a", 8, 1, 1), ("signed char b", 9, 1, 1), ("short c", 10, 2, 1),
                   ("int d", 12, 4, 1), ("s64 e", 16, 8, 1), ("u8 f", 24, 1, 0)],
                  BY_NAME, struct.pack("<bbhiqB", -1, -2, -4, -5, -6, 255),
                  "a=-1 b=-2 c=-4 d=-5 e=-6 f=255",
                  {"a": -1, "b": -2, "c": -4, "d": -5, "e": -6, "f": 255}),
        "bytes": ([("u8 a[4]", 8, 4, 0), ("unsigned char b[2]", 12, 2, 0), ("char c[8]", 16, 8, 0)],
                  BY_NAME, b"\0\1\xfe\xff\x80\0\0\0text\0and",
                  "a=00 01 fe ff b=80 00 c=text", {"a": "00 01 fe ff", "b": "80 00", "c": "text"}),
        "arrays": ([("u32 a[3]", 8, 12, 0), ("s16 b[2]", 20, 4, 1), ("u64 c[1]", 24, 8, 0)],
                   BY_NAME, struct.pack("<3IhhQ", 1, 10, 255, -1, 2, 1 << 63),
                   "a={0x1,0xa,0xff} b={0xffff,0x2} c={0x8000000000000000}", None),
        "struct": ([("struct in6_addr a", 8, 16, 0), ("u32 b", 24, 4, 0)],
                   BY_NAME, bytes(range(16)) + struct.pack("<I", 7),
                   "a=00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f b=7", None),
        "dynamic": ([("__data_loc u8[] a", 8, 4, 0), ("__data_loc char[] b", 12, 4, 0),
                     ("__rel_loc u32[] c", 16, 4, 0)],
                    BY_NAME, struct.pack("<IIIBB2x4sII", 20 | 2 << 16, 24 | 4 << 16, 8 | 8 << 16,
                                         1, 0, b"abc", 3, 4),
                    "a=01 00 b=abc c={0x3,0x4}", {"a": "01 00", "b": "abc", "c": "{0x3,0x4}"}),
        "pointer": ([("void * a", 8, 8, 0), ("unsigned long b", 16, 8, 0)],
                    BY_NAME, struct.pack("<QQ", 1 << 40, 16), "a=0x10000000000 b=0x10",
                    {"a": 1 << 40, "b": 16}),
    })


if __name__ == "__main__":
    attempt_each([value for name, value in list(globals().items()) if name.startswith("test_")])
    finish()
