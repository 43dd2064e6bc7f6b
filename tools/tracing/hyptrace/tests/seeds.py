#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: seeds.py DIRECTORY

Makes small inputs for the fuzzers to start with, in DIRECTORY/{pages,files,formats}:
valid sub-buffers, files and formats, among them those of formats.txt. See FUZZING.rst.
"""
import os
import re
import struct
import sys

import repack
import synth

PAGE = 128
FORMATS = {
    "flags": (0, [(synth.U32, "flags")],
              '"%s|%08x", __print_flags(REC->flags, "|", { 1, "A" }, { 2, "B" }), '
              '(unsigned int)(REC->flags & ~3) << 2'),
    "ternary": (1, [(synth.U64, "id"), (synth.U8, "code")],
                '"id=%llu code=%-5s %pS", REC->id / 16, REC->code ? "yes" : "no", '
                '(void *)REC->id'),
    "next": (2, [(synth.U32, "prev_state"), (synth.U32, "next_pid")],
             '"%c%d %s", REC->prev_state + 65, REC->next_pid, '
             '__print_symbolic(REC->prev_state, { 0, "R" }, { 1, "S" })'),
}
STRINGS = (
    ("ftrace", "bprint", "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
     "\tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;\n"
     "\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n",
     '"%ps: %s", (void *)REC->ip, REC->fmt', struct.pack("<QQIQQ", 0xffff800080010004, 8, 7, 9, 3)),
    ("ftrace", "print", "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
     "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n",
     '"%ps: %s", (void *)REC->ip, REC->buf', struct.pack("<Q", 0xffff800080010004) + b"text\n\0"),
    ("kvm", "text", "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
     "\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n"
     "\tfield:__rel_loc char[] more;\toffset:28;\tsize:4;\tsigned:0;\n"
     "\tfield:u8 raw[4];\toffset:32;\tsize:4;\tsigned:0;\n",
     '"%s %s %s", REC->comm, __get_str(name), __get_str(more)',
     b"init".ljust(16, b"\0") + struct.pack("<II4s", 36 | 4 << 16, 8 | 4 << 16, b"raw") + b"abc\0def\0"),
)
PRINTK = b'0x8 : "%d %s %llx\\n"\n0x10 : "%pS %lx"\n'
SYSTEMS = ("hypervisor", "kvm", "sched", "ftrace")


def small_page(events, lost=0):
    synth.PAGE = PAGE
    return synth.page(events, lost)


def burst(start):
    """The events of a guest's run on both sides"""
    host = [(start, "kvm_entry", 7, {"vcpu_pc": 4096})]
    hyp = [(start + 10, "hyp_enter", 7, {"reason": 1}),
           (start + 12, "host_hcall", 7, {"id": 3}),
           (start + 20, "hyp_exit", 7, {"reason": 7}),
           (start + 60, "hyp_enter", 7, {"reason": 5}),
           (start + 70, "hyp_exit", 7, {"reason": 6})]
    return host, hyp


def strange_page():
    """Padding, a discarded event, both kinds of timestamps, a long event"""
    body = synth.record("hyp_exit", 1, {"reason": 6})
    data = struct.pack("<II", 5 << 5 | 30, 1)
    data += struct.pack("<II", 9 << 5 | 31, 2)
    data += struct.pack("<II4x", 4 << 5 | 29, 8)
    data += struct.pack("<II", 3 << 5, len(body) + 4) + body
    data += struct.pack("<I", 29)
    data = data.ljust(100, b"\0")
    return (struct.pack("<QQ", 1000, len(data)) + data).ljust(PAGE, b"\0")


def write(directory, target, name, data):
    path = os.path.join(directory, target)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name + ".bin"), "wb") as out:
        out.write(data)


def write_pages(directory):
    host, hyp = burst(1 << 20)
    pages = {"host": [small_page(host)], "hyp": [small_page(hyp)],
             "lost": [small_page(hyp, 5), small_page(hyp, None)],
             "strange": [strange_page(), small_page(hyp)]}
    for name, parts in pages.items():
        write(directory, "pages", name, b"\3\1" + b"".join(parts))


def write_calls(directory):
    """Calls of functions, for report, check, graph, and the exports"""
    every, names = synth.EVENTS, ("hyp_enter", "hyp_exit", "funcgraph_entry", "funcgraph_exit")
    synth.EVENTS = {name: every[name] for name in names}
    synth.PAGE = 2 * PAGE
    events, ts = [], 1 << 20
    for name, values in (("hyp_exit", {"reason": 6}), ("hyp_enter", {"reason": 1}),
                         ("funcgraph_entry", {"func": 0x1004}),
                         ("funcgraph_entry", {"func": 0x2004, "depth": 1}),
                         ("funcgraph_exit", {"func": 0x2004, "depth": 1}),
                         ("funcgraph_exit", {"func": 0x1004}), ("hyp_exit", {"reason": 6})):
        events.append((ts, name, 7, values))
        ts += 10
    path = os.path.join(directory, "file")
    synth.write(path, {0: []}, {0: [synth.page(events)]}, texts=synth.enabled(*names),
                symbols=b"1000 t __kvm_nvhe_walk\n2000 t visit\n3000 T end\n")
    with open(path, "rb") as made:
        data = made.read()
    os.unlink(path)
    for command in 0, 1, 5, 16, 17, 28:
        write(directory, "files", "calls%d" % command, bytes([command]) + data)
    synth.EVENTS = every


def write_files(directory):
    # kvm_exit is enabled in them, and they do not say what its fields are
    texts = synth.enabled("kvm_entry", "kvm_exit", "hyp_enter", "hyp_exit")
    for name in set(synth.EVENTS) - {"hyp_enter", "hyp_exit", "kvm_entry", "host_hcall"}:
        del synth.EVENTS[name]
    host, hyp = burst(1 << 20)
    later = [(ts + 1000, name, pid, values) for ts, name, pid, values in hyp]
    texts.append(b"hyptrace: buffer=hypervisor cpu=0 written=10 overrun=0 read=10 dropped=0\n")
    texts.append(b"hyptrace: clock=local now=7 boot=9\n")
    path = os.path.join(directory, "file")
    for nr in range(6):
        synth.PAGE = PAGE
        synth.write(path, {0: [small_page(host)]},
                    {0: [small_page(hyp), small_page(later, nr)], 1: [strange_page()]},
                    clocks=(b"local", b"local"), texts=texts)
        with open(path, "rb") as made:
            data = made.read()
        write(directory, "files", "command%d" % nr, bytes([nr]) + data)
        write_forms(directory, nr, repack.Recording(data))
        if nr < 2:      # report and check
            write(directory, "files", "command%d-guest" % nr,
                  bytes([nr]) + synth.add_guest(data, b"guest", data, 100))
    os.unlink(path)


def write_forms(directory, nr, recording):
    """The same for the same command, compressed and of version 6"""
    write(directory, "files", "command%d-6" % nr, bytes([nr]) + repack.Version6(recording).data)
    if len(recording.buffers) == 2:
        write(directory, "files", "command%d-sent" % nr, bytes([nr]) + repack.sent(recording).data)
    for name in b"zlib", b"zstd":
        for pack_options in False, True:
            write(directory, "files", "command%d-%s%d" % (nr, name.decode(), pack_options),
                  bytes([nr]) + repack.Version7(recording, name, pack_options).data)


def write_formats(directory):
    for name, event in synth.EVENTS.items():
        if event[0]:
            values = {f: 1 for _, f in event[2]}
            write(directory, "formats", name,
                  bytes([SYSTEMS.index(event[0])]) + synth.format_text(name) + b"\0\0" +
                  synth.record(name, 1, values))
    for system, name, fields, fmt, body in STRINGS:
        text = "name: %s\nID: 6\nformat:\n%s\n%s\nprint fmt: %s\n" % (
            name, synth.COMMON, fields, fmt)
        write(directory, "formats", name, bytes([SYSTEMS.index(system)]) + text.encode() +
              b"\0" + PRINTK + b"\0" + struct.pack("<HHi", 6, 0, 1) + body)


def record_of(text):
    """Each integer is 4, and dynamic fields have the bytes at the end"""
    fields = re.findall(r"field:([^;]*);\toffset:(\d+);\tsize:(\d+);", text)
    data = bytearray(max(int(offset) + int(size) for _, offset, size in fields))
    for declaration, offset, size in fields:
        value = len(data) | 16 << 16 if declaration.startswith("__data_loc") else 4
        if "[" not in declaration or declaration.startswith("__"):
            data[int(offset):int(offset) + int(size)] = value.to_bytes(int(size), "little")
    return bytes(data) + b"dynamic\0bytes\0\1\2"


def write_kernel_formats(directory):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "formats.txt")
    with open(path) as file:
        formats = re.split(r"^@ .*\n", file.read(), flags=re.MULTILINE)[1:]
    for nr, text in enumerate(formats):
        write(directory, "formats", "kernel%d" % nr,
              b"\1" + text.encode() + b"\0\0" + record_of(text))


def main():
    directory = sys.argv[1]
    for name, (system, fields, fmt) in FORMATS.items():
        synth.EVENTS[name] = (SYSTEMS[system], 400 + system, fields, fmt)
    os.makedirs(directory, exist_ok=True)
    write_pages(directory)
    write_formats(directory)
    write_kernel_formats(directory)
    write_calls(directory)
    write_files(directory)


main()
