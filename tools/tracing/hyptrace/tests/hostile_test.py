#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: hostile_test.py HYPTRACE

Runs hyptrace on files that it cannot read, among them a recording that is truncated at
each byte. It has to end with status 1 and one line that has the name of the file and, if
there is one, the offset and value of a byte. Export has to leave no file behind. TAP.
"""
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

import synth
from tap import finish, result

HYPTRACE = os.path.abspath(sys.argv[1])
COMMANDS = (["report"], ["check"], ["stat"], ["export", "--perfetto"], ["export", "--html"])
DOES_NOT_FIT = r"truncated or corrupt: .* needs \d+ bytes at byte \d+, there are \d+$"
NOBODY = 65534


def problems_of(command, path, pattern, **more):
    """What is wrong in hyptrace's reaction to the file"""
    try:
        run = subprocess.run([HYPTRACE] + command + [path], stdout=subprocess.PIPE, timeout=60,
                             stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **more)
    except subprocess.TimeoutExpired as error:
        return [str(error)]
    said = run.stderr.decode(errors="replace")
    what = "%s: status %d: %s" % (" ".join(command), run.returncode, said.strip())
    left = [name for name in os.listdir(os.path.dirname(path)) if ".pftrace" in name]
    if run.returncode != 1 or run.stdout or left:
        return [what + " and %d bytes, %s" % (len(run.stdout), left)]
    if said.count("\n") != 1 or path not in said or not re.search(pattern, said.strip()):
        return [what + " (want %s)" % pattern]
    return []


def rejected(what, path, pattern, **more):
    result(what, sum((problems_of(c, path, pattern, **more) for c in COMMANDS), []))


def recording(path):
    """A small one. Return: its bytes"""
    synth.PAGE = 64
    names = "hyp_enter", "hyp_exit"
    events = {name: synth.EVENTS[name] for name in names}
    every, synth.EVENTS = synth.EVENTS, events
    pages = [synth.page([(100 + 10 * i, name, 1, {"reason": 6})]) for i, name in enumerate(names)]
    synth.write(path, {0: [], 1: []}, {0: pages, 1: []}, texts=synth.enabled(*names))
    synth.EVENTS = every
    with open(path, "rb") as file:
        return file.read()


def test_beginnings(path, whole):
    for command in COMMANDS[0], COMMANDS[2]:
        run = subprocess.run([HYPTRACE] + command + [path], stdout=subprocess.DEVNULL)
        result("%s of the whole file" % command[0], [] if run.returncode == 0 else ["fails"])
    problems = []
    for size in range(1, len(whole)):
        with open(path, "wb") as file:
            file.write(whole[:size])
        problems += problems_of(COMMANDS[size % len(COMMANDS)], path, DOES_NOT_FIT)
    result("the first 1 to %d bytes of %d" % (size, len(whole)), problems)


def test_kinds(directory):
    path = os.path.join(directory, "file")
    rejected("no file", path, "No such file")
    with open(path, "wb") as file:
        rejected("an empty file", path, "empty: expected a trace.dat file")
        file.truncate(1 << 40)
    rejected("a sparse file", path, "bad magic: byte 0 is 0x00|cannot map .*Cannot allocate")
    os.unlink(path)
    os.mkdir(path)
    rejected("a directory", path, "not a regular file")
    os.rmdir(path)
    os.mkfifo(path)
    rejected("a FIFO", path, "not a regular file")
    os.unlink(path)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(path)
        rejected("a socket", path, "No such device")
    os.unlink(path)
    os.symlink("file", path)
    rejected("a link to itself", path, "symbolic links")
    os.unlink(path)


def test_unreadable(directory, whole):
    path = os.path.join(directory, "file")
    with open(path, "wb") as file:
        file.write(whole)
    os.chmod(path, 0)
    os.chmod(directory, 0o755)
    # root can read it anyway, and other users may not be able to run root's program
    more = {"user": NOBODY, "executable": shutil.copy(HYPTRACE, directory)}
    rejected("a file without permission", path, "cannot open .*Permission denied",
             **more if os.geteuid() == 0 else {})
    os.unlink(path)


def replaced(whole, at, fmt, value):
    data = bytearray(whole)
    struct.pack_into(fmt, data, at, value)
    return bytes(data)


def with_options(whole, options):
    """Replaces the options of the file"""
    at = struct.unpack_from("<Q", whole, 24)[0]
    return whole[:at] + synth.section(0, options)


def buffers(*cpus):
    return b"".join(synth.buffer_option(b"hypervisor", b"boot", c) for c in cpus)


def test_contents(directory, whole):
    path = os.path.join(directory, "file")
    at = struct.unpack_from("<Q", whole, 24)[0]
    data = at - 2 * synth.PAGE
    done = synth.option(0, struct.pack("<Q", 0))
    contents = (
        ("a text", b"hello, this is no recording\n", "bad magic: byte 0 is 0x68"),
        ("another version", replaced(whole, 10, "B", 0x36), "version: byte 10 is 0x36"),
        ("big-endian", replaced(whole, 12, "B", 1), "big-endian: byte 12 is 0x01"),
        ("32-bit", replaced(whole, 13, "B", 4), "not 64-bit: byte 13 is 0x04"),
        ("compressed options", replaced(whole, at + 2, "<H", 1),
         "compressed: byte %d is 0x01" % (at + 2)),
        ("no options", replaced(whole, 24, "<Q", 0), "incomplete: it has no options"),
        ("options far away", replaced(whole, 24, "<Q", 1 << 63),
         "section needs 1 bytes at byte %d, there are 0" % (1 << 63)),
        ("no section where the options should be", replaced(whole, 24, "<Q", 32),
         "section 18 at byte 32, expected 0"),
        ("options that lead to themselves", with_options(
            whole, synth.option(0, struct.pack("<Q", at))), "loop in the list of options: again at byte %d" % at),
        ("a CPU with a number too high", with_options(whole, buffers([(4096, data, 64)]) + done),
         r"CPU number 4096 at byte \d+, expected below 4096"),
        ("data behind the end", with_options(whole, buffers([(0, 1 << 40, 64)]) + done),
         "data of a CPU needs 1 bytes at byte %d, there are 0" % (1 << 40)),
        ("data beyond the end", with_options(whole, buffers([(0, data, 1 << 40)]) + done),
         "data of a CPU needs %d bytes at byte %d, there are" % (1 << 40, data)),
        ("half a sub-buffer", with_options(whole, buffers([(0, data, 65)]) + done),
         r"65 bytes for CPU 0 at byte \d+, expected a multiple of 64"),
        ("data of many CPUs at one place", with_options(
            whole, buffers([(cpu, data, 128) for cpu in range(100)]) + done),
         r"128 bytes for CPU \d+ at byte \d+, expected at most \d+"),
        ("too many buffers", with_options(whole, buffers(*[[]] * 65) + done),
         r"buffer 65 at byte \d+, expected at most 64"),
        ("sub-buffers without size", replaced(whole, whole.index(b"boot\0") + 5, "<I", 0),
         r"sub-buffers of 0 bytes at byte \d+, expected more than 16"),
    )
    for what, data, pattern in contents:
        with open(path, "wb") as file:
            file.write(data)
        rejected(what, path, pattern)
    os.unlink(path)


def test_formats(directory):
    """As many as the limit, then one more"""
    path = os.path.join(directory, "file")
    every, limit, texts = synth.EVENTS, 8192, synth.enabled("hyp_enter", "hyp_exit")
    for nr in limit, limit + 1:
        synth.EVENTS = {"e%d" % i: ("hypervisor", i, [], '""') for i in range(nr)}
        synth.write(path, {0: []}, {0: []}, texts=texts)
        if nr > limit:
            rejected("too many formats", path, r"event format 8193 at byte \d+, expected at most 8192")
        else:
            done = subprocess.run([HYPTRACE, "report", path], stdout=subprocess.DEVNULL)
            result("many formats", [] if done.returncode == 0 else ["fails"])
    synth.EVENTS = every
    os.unlink(path)


def test_size(directory, whole):
    """Many CPUs and many texts: the time must not be proportional to their product"""
    path = os.path.join(directory, "file")
    texts = struct.unpack_from("<Q", whole, 24)[0] + 16
    options = buffers([(cpu % 4096, 0, 0) for cpu in range(25000)]) + synth.option(2, b"\0") * 70000
    with open(path, "wb") as file:
        file.write(with_options(whole, options + whole[texts:]))
    problems = []
    for command in COMMANDS:
        try:
            subprocess.run([HYPTRACE] + command + [path], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=60)
        except subprocess.TimeoutExpired as error:
            problems.append(str(error))
    result("many CPUs and texts", problems)


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "small.dat")
        whole = recording(path)
        test_beginnings(path, whole)
        test_kinds(directory)
        test_unreadable(directory, whole)
        test_contents(directory, whole)
        test_formats(directory)
        test_size(directory, whole)
    finish()


main()
