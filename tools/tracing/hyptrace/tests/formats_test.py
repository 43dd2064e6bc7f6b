#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: formats_test.py HYPTRACE

Events whose text libtraceevent would print wrongly, or whose format it does not accept. The
text is the kernel's, or the fields by name; text, JSON, query, page and Perfetto's file agree.
TAP.
"""
import json
import os
import random
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


def signed(value):
    """As SQL has it"""
    return value - (1 << 64) if isinstance(value, int) and value >> 63 > 0 else value


def with_text(event):
    """What Perfetto gets of an event"""
    alone = event["system"] == "ftrace" or " record] of " in event["text"]
    more = {"text": event["text"]} if alone else {}
    return {**event["fields"], **more}


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
                  [signed(value) for value in event["fields"].values()])
    equal(what + ": page", [text.decode() for text in page_of(path).lines if b" host " in text],
          printed)
    equal(what + ": Perfetto", list(traced(path)),
          [(event["event"], with_text(event)) for event in events])


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


# Fields of the formats below: a=-5 b=42 c='X' d=00 01 02 03 04 05 e=12

COUNTED = [("int a", 8, 4, 1), ("u32 b", 12, 4, 0), ("char c", 16, 1, 0), ("u8 d[6]", 17, 6, 0),
           ("u64 e", 24, 8, 0)]
COUNTED_RECORD = struct.pack("<iIc6sxQ", -5, 42, b"X", bytes(range(6)), 12)
COUNTED_NAMES = "a=-5 b=42 c=88 d=00 01 02 03 04 05 e=12"


def test_conversions(directory):
    """Each one counts its arguments, or is not used"""
    by_name = ("%c n=%d", "%5c n=%d", "%+d n=%d", "% d n=%d", "%'d n=%d", "%td n=%d", "%jd n=%d",
               "%qd n=%d", "%n n=%d", "%pK n=%d", "%px n=%d", "%pe n=%d", "%pB n=%d", "%pGp n=%d",
               "%pa n=%d", "%pMpmk n=%d", "%6phC n=%d", "%ph n=%d", "%pM n=%d", "%pU n=%d")
    check(directory, "conversions", {
        "by_name_%d" % i: (COUNTED, '"%s", REC->%s, REC->b' % (text, "e" if "p" in text else "a"),
                           COUNTED_RECORD, COUNTED_NAMES, None) for i, text in enumerate(by_name)})
    printed = (("%i", "a", "-5"), ("%5d", "a", "   -5"), ("%-5d", "a", "-5   "), ("%#x", "b", "0x2a"),
               ("%o", "b", "52"), ("%.3X", "b", "02A"), ("%hd", "a", "-5"), ("%lu", "e", "12"),
               ("%zu", "e", "12"), ("%p", "e", "0xc"), ("%pM", "d", "00:01:02:03:04:05"),
               ("%pMF", "d", "00-01-02-03-04-05"))
    check(directory, "conversions", {
        "printed_%d" % i: (COUNTED, '"%s n=%%d%%%%", REC->%s, REC->b' % (text, field),
                           COUNTED_RECORD, want + " n=42%", None)
        for i, (text, field, want) in enumerate(printed)})


BPRINT = [("unsigned long ip", 8, 8, 0), ("const char * fmt", 16, 8, 0), ("u32 buf[]", 24, 0, 0)]
BPRINT_TEXT = '"%ps: %s", (void *)REC->ip, REC->fmt'
AT, STRING = 0xffff800080010000, 0xffff800081000000


def bprint(directory, text, values, *options):
    """What is printed of a record of trace_printk(text) and its values"""
    event = Made("bprint", BPRINT, BPRINT_TEXT, struct.pack("<QQ", AT, STRING) + values, "ftrace")
    path = write(directory, [event], symbols=b"%x T start_fn\n" % AT,
                 strings=b'0x%x : "%s\\n"\n' % (STRING, text.encode()))
    agree("trace_printk(%s)" % text, path, 1)
    return [json.loads(line) for line in lines_of(path, "--json", *options)[0]][0]["text"]


def test_printk(directory):
    """Its arguments are in the record, one behind the other"""
    word, number = struct.pack("<I", 88), struct.pack("<I", 42)
    for text in "%c", "%+d", "% d", "%-5d", "%hd", "%hhu", "%*d", "%n":
        got = bprint(directory, text + " n=%d", word + number)
        equal("trace_printk: " + text, got,
              "ip=0x%x fmt=0x%x buf=58 00 00 00 2a 00 00 00" % (AT, STRING))
    for text in "%td", "%jd", "%pK", "%px", "%pe":
        got = bprint(directory, text + " n=%d", bytes(8) + number)
        equal("trace_printk: " + text, got, "ip=0x%x fmt=0x%x buf=%s2a 00 00 00" %
              (AT, STRING, 8 * "00 "))
    for text, want in ("%d", "88"), ("%5u", "   88"), ("%#x", "0x58"), ("%08X", "00000058"):
        equal("trace_printk: " + text, bprint(directory, text + " n=%d", word + number),
              "start_fn: %s n=42" % want)
    for text, values, want in (("%lld", struct.pack("<q", -1), "-1"), ("%s", b"abc\0", "abc"),
                               ("%pM", b"0:1\0", "0:1"), ("%pS", struct.pack("<Q", AT), "start_fn+0x0")):
        equal("trace_printk: " + text, bprint(directory, text + " n=%d", values + number),
              "start_fn: %s n=42" % want)


def test_printk_short(directory):
    """A record that ends before its arguments does not spoil the others"""
    def record(values):
        return Made("bprint", BPRINT, BPRINT_TEXT, struct.pack("<QQ", AT, STRING) + values, "ftrace")
    path = os.path.join(directory, "short.dat")
    text = record(b"").text(1000).decode().encode()
    records = [record(values).record(1000, 100) for values in (b"", struct.pack("<q", 5))]
    synth.write(path, {0: [synth.raw_page(list(zip((1000, 2000), records)))]}, {},
                formats=[("ftrace", text)], strings=b'0x%x : "n=%%lld\\n"\n' % STRING)
    got = [json.loads(line)["text"] for line in lines_of(path, "--json")[0]]
    equal("trace_printk: behind a short record", got[1], "0x%x: n=5" % AT)
    equal("trace_printk: a short record", got[0], "ip=0x%x fmt=0x%x buf=" % (AT, STRING))


def test_declarations(directory):
    """Whatever the declaration of a field is, its name, place and size are used"""
    sockaddr = struct.pack("<HH4B", 2, 0x5000, 127, 0, 0, 1) + bytes(20)
    after = ("u32 n", 24, 4, 0)
    check(directory, "declarations", {
        "sizeof_array": ([("__u8 addr[sizeof(struct sockaddr_in6)]", 8, 28, 0), ("__u16 port", 36, 2, 0)],
                         '"src=%pISpc port=%u", REC->addr, REC->port', sockaddr + b"\x50\0",
                         "src=127.0.0.1:80 port=80", {"addr": sockaddr.hex(" "), "port": 80}),
        "hex_array": ([("u8 data[0x10]", 8, 16, 0), after],
                      '"n=%u data=%s", REC->n, __print_hex(REC->data, 2)', bytes(range(16)) + b"\x09\0\0\0",
                      "n=9 data=00 01", {"data": bytes(range(16)).hex(" "), "n": 9}),
        "computed": ([("u32 data[2 * (1 + 1)]", 8, 16, 0), after], '"%u %u", REC->data[1], REC->n',
                     struct.pack("<5I", 1, 2, 3, 4, 9), "2 9", {"data": "{0x1,0x2,0x3,0x4}", "n": 9}),
        "chars": ([("char word[MAX_LEN + 1]", 8, 16, 0), after], '"%s %u", REC->word, REC->n',
                  b"some text".ljust(16, b"\0") + b"\x09\0\0\0", "some text 9", {"word": "some text", "n": 9}),
        "two_dimensions": ([("u16 data[2][4]", 8, 16, 0), after], BY_NAME,
                           struct.pack("<8HI", *range(8), 9),
                           "data={0x0,0x1,0x2,0x3,0x4,0x5,0x6,0x7} n=9", None),
        "wrong_length": ([("u32 data[5]", 8, 16, 0), after], '"%u", REC->n', struct.pack("<5I", 1, 2, 3, 4, 9),
                         "9", {"data": "{0x1,0x2,0x3,0x4}", "n": 9}),
        "attribute": ([('const char __attribute__((btf_type_tag("user"))) * path', 8, 8, 0)],
                      '"0x%lx", REC->path', struct.pack("<Q", 255), "0xff", {"path": 255}),
        "callback": ([("void (*)(int) fn", 8, 8, 0), ("typeof(x) negative", 16, 4, 1)],
                     '"%d", REC->negative', struct.pack("<Qi", 1, -7), "-7", {"fn": 1, "negative": -7}),
        "dynamic": ([("__data_loc struct x[2] * data", 8, 4, 0), ("u32 n", 12, 4, 0)], '"%u", REC->n',
                    struct.pack("<II", 16 | 2 << 16, 9) + b"\1\2", "9", {"data": "01 02", "n": 9}),
        # no name or no number: at least the bytes
        "no_name": ([("u8 [4]", 8, 4, 0)], '"x"', b"\1\2\3\4", "01 02 03 04", {}),
        "no_offset": ([("u8 a", -1, 4, 0)], '"x"', b"\1\2\3\4", "01 02 03 04", {}),
        "huge": ([("u8 a", 8, 99999, 0)], '"x"', b"\1\2\3\4", "01 02 03 04", {}),
        "many": ([("u8 f%d" % i, 8, 1, 0) for i in range(300)], '"x"', b"\1\2\3\4", "01 02 03 04", {}),
        "long_text": ([INT_A], '"%s"' % ("x" * 70000), b"\1\2\3\4", "01 02 03 04", {}),
        "short": ([("int n", 8, 4, 1), ("u64 late", 200, 8, 0)], '"n=%d", REC->n', b"\3\0\0\0",
                  "[short record] of 12 bytes: 03 00 00 00", {}),
        "corrupt": ([("__data_loc char[] a", 8, 4, 0)], '"%s", __get_str(a)', struct.pack("<I", 99 | 1 << 16),
                    "[corrupt record] of 12 bytes: 63 00 01 00", {}),
    })


def test_told(directory):
    """One line at the end says which events were not printed as their formats say"""
    cases = [Made("good", [INT_A], '"%d", REC->a', bytes(4)),
             Made("percent", [INT_A], '"%c", REC->a', bytes(4)),
             Made("short", [("u64 a", 8, 8, 0)], '"%llu", REC->a', bytes(4)),
             Made("repaired", [("u8 a[0x4]", 8, 4, 0)], '"%s", __print_hex(REC->a, 1)', bytes(4))]
    path = write(directory, cases)
    told = ("hyptrace: %s: 2 events printed by fields or bytes, not as their formats say: "
            "made:short (1), made:percent (1)\n" % path)
    equal("told: text", lines_of(path)[1], told)
    equal("told: JSON", lines_of(path, "--json")[1], told)
    equal("told: not those that are left out", lines_of(path, "-e", "good")[1], "")
    for case in cases:
        equal("told: found by --event: " + case.name,
              [text.split()[5] for text in lines_of(path, "-e", "made:" + case.name)[0][:-1]],
              [case.name + ":"])
    path = write(directory, [Made("kind%d" % i, [INT_A], '"%c", REC->a', bytes(4)) for i in range(10)])
    equal("told: not all names", lines_of(path)[1].split(" (1), ")[-1], "2 other events\n")


def test_unknown(directory):
    """An event without a format has a task, and its bytes"""
    path = os.path.join(directory, "unknown.dat")
    records = [(1000, struct.pack("<HHi", 999, 0, 100) + b"\1\2\xfe\xff"), (2000, b"\xe7\3\0\0")]
    synth.write(path, {0: [synth.raw_page(records)]}, {0: [synth.page(handmade.HYP)]},
                comms=b"100 a task\n", texts=synth.enabled("hyp_enter", "hyp_exit"))
    text, said = lines_of(path)
    equal("unknown: text", text[:2], [
        "[000]     0.000001000 host           a task-100     event 999: [unknown event] of 12 bytes: 01 02 fe ff",
        "[000]     0.000002000 host                ?-?       event 999: [unknown event] of 4 bytes: "])
    equal("unknown: told", said, "hyptrace: %s: 2 events printed by fields or bytes, not as their "
          "formats say: 2 without a format\n" % path)
    equal("unknown: JSON", json.loads(lines_of(path, "--json")[0][0]),
          {"ts": 1000, "cpu": 0, "side": "host", "unknown_bytes": 12, "event": "event 999", "pid": 100,
           "comm": TASK, "fields": {}, "text": "[unknown event] of 12 bytes: 01 02 fe ff"})
    equal("unknown: page", [line.decode() for line in page_of(path).lines if b" host " in line], text[:2])
    equal("unknown: query", [(row["name"], row["pid"], row["comm"]) for row in
                             rows(path, "select * from event where side = 'host'")],
          [("event 999", 100, TASK), ("event 999", -1, "<...>")])


def test_puts(directory):
    """The text of trace_puts() is no format"""
    fields = [("unsigned long ip", 8, 8, 0), ("const char * str", 16, 8, 0)]
    event = Made("bputs", fields, '"%ps: %s", (void *)REC->ip, REC->str',
                 struct.pack("<QQ", AT, STRING), "ftrace")
    for escaped, want in ((r"const string\n", "const string"), ("a", "a"), (r"\n\n", "\n"),
                          ("100% done %c %", "100% done %c %"), (r"a \ b", r"a \ b"),
                          (r'a \"b\" \t c\n', 'a "b" \t c')):
        path = write(directory, [event], symbols=b"%x T start_fn\n" % AT,
                     strings=b'0x%x : "%s"\n' % (STRING, escaped.encode()))
        equal("trace_puts: %r" % want, json.loads(lines_of(path, "--json")[0][0])["text"], "start_fn: " + want)
    path = write(directory, [event])
    equal("trace_puts: no text", json.loads(lines_of(path, "--json")[0][0])["text"],
          "ip=0x%x str=0x%x" % (AT, STRING))


def test_long_lines(directory):
    """Names of symbols and formats of printk have any length; Rust's are long"""
    path = os.path.join(directory, "long.dat")
    name, text = "_RN" + "v" * 300, "z" * 5000
    function = Made("caller", [("unsigned long ip", 8, 8, 0), ("unsigned long parent_ip", 16, 8, 0)],
                    '"%ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip',
                    struct.pack("<QQ", AT + 0x30010, AT + 4))
    event = Made("bprint", BPRINT, BPRINT_TEXT, struct.pack("<QQI", AT + 0x30010, STRING, 7), "ftrace")
    handmade.write(path, [function, event], symbols=(
        "%x T start_fn\n%x T before_long\n%x T %s\n%x T after\n" % (
            AT, AT + 0x20000, AT + 0x30000, name, AT + 0x40000)).encode(),
                   strings=b'0x%x : "%s v=%%d\\n"\n' % (STRING, text.encode()),
                   comms=b"100 %s\n" % TASK.encode())
    got = [json.loads(line)["text"] for line in lines_of(path, "--json")[0]]
    equal("long lines: a symbol", got[0], "%s <-- start_fn" % name)
    equal("long lines: a format", got[1], "%s: %s v=7" % (name, text))
    agree("long lines", path, 2)


# Text of expressions, of which libtraceevent takes all values for positive ones of 64 bits

SIGNED = [("s8 a", 8, 1, 1), ("signed char b", 9, 1, 1), ("short c", 10, 2, 1), ("int d", 12, 4, 1),
          ("s64 e", 16, 8, 1), ("s16 f[2]", 24, 4, 1), ("u32 g", 28, 4, 0)]
NEGATIVE = struct.pack("<bbhiqhhI", -1, -2, -4, -5, -6, -7, 8, 9)
NEGATIVE_NAMES = "a=-1 b=-2 c=-4 d=-5 e=-6 f={0xfff9,0x8} g=9"


def test_negative(directory):
    printed = (("%d %d %d %d", "a, REC->b, REC->c, REC->d", "-1 -2 -4 -5"), ("%hhd", "a", "-1"),
               ("%hd %d", "c, REC->g", "-4 9"), ("%lld", "e", "-6"), ("%ld", "d", "-5"),
               ("%u", "a", "4294967295"), ("%x", "c", "fffffffc"), ("%llx", "d", "fffffffffffffffb"),
               ("%d", "d + 1", "-4"), ("%lld", "e + 1", "-5"), ("%d", "f[1]", "8"),
               ("%d", "d & 0xff", "251"), ("%d", "g - 10", "-1"))
    check(directory, "negative", {
        "printed_%d" % i: (SIGNED, '"%s", REC->%s' % (text, values), NEGATIVE, want, None)
        for i, (text, values, want) in enumerate(printed)})
    by_name = ('"%d", REC->f[0]', '"%d", REC->d < 0', '"%s", REC->e < 0 ? "yes" : "no"',
               '"%d", REC->d == -5', '"%lld", (long long)REC->d / 2', '"%d", REC->a >> 1',
               '"%s", __print_symbolic(REC->d + 0, { 1, "one" })',
               '"%s", __print_flags(REC->d, "|", { 1, "one" })')
    check(directory, "negative", {
        "by_name_%d" % i: (SIGNED, text, NEGATIVE, NEGATIVE_NAMES, None)
        for i, text in enumerate(by_name)})


VALUES = {"b": ("u32", 7), "d": ("u64", 11), "a": ("s32", -5), "c": ("s64", -9), "g": ("s16", -3),
          "h": ("u16", 4)}
PLACES = [("%s %s" % (ctype, name), 8 + 8 * i, int(ctype[1:]) // 8, ctype[0] == "s")
          for i, (name, (ctype, _)) in enumerate(VALUES.items())]
PROGRAM = """
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
struct { %s } record = { %s }, *REC = &record;
sigjmp_buf divided;
void by_zero(int signal) { siglongjmp(divided, 1); }
int main() { signal(SIGFPE, by_zero); %s return 0; }
"""


def expression(rng, depth):
    kind = rng.random()
    if depth <= 0 or kind < .3:
        return rng.choice(["REC->" + name for name in VALUES] + ["1", "2", "5", "9"])
    left, right = expression(rng, depth - 1), expression(rng, depth - 1)
    if kind < .65:
        return "%s %s %s" % (left, rng.choice("+ - * / % < > <= >= == != & | && ||".split()), right)
    if kind < .75:
        return "(%s %s %s)" % (expression(rng, 0), rng.choice(("<<", ">>")), rng.choice("1234"))
    if kind < .85:
        return "(%s)" % left
    if kind < .92:
        return rng.choice("-~!") + expression(rng, 0)
    return "%s ? %s : %s" % (left, right, expression(rng, depth - 1))


def computed(directory, expressions):
    """What C makes of them; None for a division by 0"""
    fields = "".join("%sint%s_t %s;" % ("u" * (ctype[0] == "u"), ctype[1:], name)
                     for name, (ctype, _) in VALUES.items())
    lines = "".join('if (sigsetjmp(divided, 1)) puts(""); else printf("%%d\\n", (int)(%s));\n' % e
                    for e in expressions)
    source, program = (os.path.join(directory, name) for name in ("c.c", "c"))
    with open(source, "w") as out:
        out.write(PROGRAM % (fields, ", ".join(str(v) for _, v in VALUES.values()), lines))
    done = run("clang", "-w", "-O0", "-fwrapv", "-o", program, source)
    assert not done.returncode, done.stderr
    return [int(line) if line else None for line in run(program).stdout.decode().splitlines()]


def test_expressions(directory):
    """Random ones are printed as C computes them, or by the fields"""
    rng = random.Random(1)
    expressions = [expression(rng, 4) for _ in range(600)]
    values = b"".join(struct.pack("<q", value) for _, value in VALUES.values())
    path = write(directory, [Made("e%d" % i, PLACES, '"is %%d", %s' % text, values)
                             for i, text in enumerate(expressions)])
    texts = [json.loads(line)["text"] for line in lines_of(path, "--json")[0]]
    right = ["is %s" % value for value in computed(directory, expressions)]
    result("expressions: as C computes them", [
        "%s: got %r, want %r" % found for found in zip(expressions, texts, right)
        if found[1].startswith("is ") and found[1] != found[2]])
    used = sum(text.startswith("is ") for text in texts)
    result("expressions: most are used", [] if used >= len(texts) / 3 else ["%d" % used])


if __name__ == "__main__":
    attempt_each([value for name, value in list(globals().items()) if name.startswith("test_")])
    finish()
