#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: hostile_test.py HYPTRACE

Runs hyptrace on files that it cannot read, among them a recording that is truncated at
each byte. It has to end with status 1 and one line that has the name of the file and, if
there is one, the offset and value of a byte. Export has to leave no file behind. TAP.
"""
import os
import re
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

import repack
import synth
from tap import finish, result

HYPTRACE = os.path.abspath(sys.argv[1])
COMMANDS = (["report"], ["check"], ["stat"], ["export", "--perfetto"], ["export", "--html"])
DOES_NOT_FIT = r"truncated or corrupt: .* needs \d+ bytes at byte \d+, there are \d+$"
NOBODY = 65534


def problems_of(command, path, pattern, **more):
    """What is wrong in hyptrace's reaction to the file"""
    try:
        run = subprocess.run([HYPTRACE] + command + [path], stdout=subprocess.PIPE, timeout=300,
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


def test_beginnings(path, what, whole, step):
    with open(path, "wb") as file:
        file.write(whole)
    for command in COMMANDS[0], COMMANDS[2]:
        run = subprocess.run([HYPTRACE] + command + [path], stdout=subprocess.DEVNULL)
        result("%s of %s" % (command[0], what), [] if run.returncode == 0 else ["fails"])
    problems = []
    for size in range(1, len(whole), step):
        with open(path, "wb") as file:
            file.write(whole[:size])
        problems += problems_of(COMMANDS[size % len(COMMANDS)], path, DOES_NOT_FIT)
    result("the first 1 to %d bytes of %d of %s" % (size, len(whole), what), problems)


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
        ("a text", b"hello, this is no recording\n", "this is a text: expected a trace.dat"),
        ("UTF-8", b"\xc3\xa4 text, too\n" * 9, "this is a text: "),
        ("gzip", b"\x1f\x8b\x08" + bytes(30), "this is a gzip file, which 'gzip -d' unpacks: expected"),
        ("zstd", b"\x28\xb5\x2f\xfd" + bytes(30), "this is a zstd file"),
        ("xz", b"\xfd7zXZ\0" + bytes(30), "this is an xz file"),
        ("bzip2", b"BZh91AY" + bytes(30), "this is a bzip2 file"),
        ("zip", b"PK\3\4" + bytes(30), "this is a zip file"),
        ("ELF", b"\x7fELF\2\1\1" + bytes(30), "this is a program"),
        ("perf", b"PERFILE2" + bytes(30), "this is a file of perf"),
        ("SQLite", b"SQLite format 3\0" + bytes(30), "this is an SQLite database"),
        ("unknown bytes", bytes(range(1, 99)), "bad magic: byte 0 is 0x01"),
        ("another version", replaced(whole, 10, "B", 0x35), "version: byte 10 is 0x35"),
        ("big-endian", replaced(whole, 12, "B", 1), "big-endian: byte 12 is 0x01"),
        ("32-bit", replaced(whole, 13, "B", 4), "not 64-bit: byte 13 is 0x04"),
        ("latency trace", with_options(whole, synth.option(22, bytes(8) + b"\0local\0") + done),
         r"latency trace at byte \d+: expected a recording of events"),
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
        ("a buffer of another section", with_options(whole, synth.option(*buffer_at(32, [])) + done),
         "section 18 at byte 32, expected 3"),
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


def compressed(whole, compression, more_options=(), pack_options=False):
    recording = repack.Recording(whole)
    recording.options += more_options
    return repack.Version7(recording, compression, pack_options)


def buffer_at(section, cpus):
    """The content of an option BUFFER"""
    body = struct.pack("<Q", section) + b"other\0boot\0" + struct.pack("<II", 64, len(cpus))
    return repack.BUFFER, body + b"".join(struct.pack("<IQQ", *cpu) for cpu in cpus)


def bomb(whole, size):
    """A chunk of zeros behind the end, as the data of one more CPU"""
    chunk = repack.packed(repack.zstd_zeros, bytes(size))
    made = compressed(whole, b"zstd")
    option = buffer_at(made.places["buffers"][0], [(0, 1 << 40, len(chunk))])
    made = compressed(whole, b"zstd", [option]).data
    made = made.replace(struct.pack("<Q", 1 << 40), struct.pack("<Q", len(made)))
    return made + struct.pack("<I", 1) + chunk


def bad_chunks(whole, compression):
    made = compressed(whole, compression)
    data, cpu = made.data, made.places["cpus"][0]
    size, = struct.unpack_from("<I", data, cpu + 4)
    large, more = (1 << 32) - 1, 1000 * len(data) + 1
    shared = buffer_at(made.places["buffers"][1], [(i, cpu, size + 8) for i in range(100)])
    entry = data.index(struct.pack("<QQ", cpu, size + 8))
    cannot = "%d bytes at byte %d cannot be decompressed to %%d bytes" % (size, cpu + 12)
    return (
        ("that is beyond the data", replaced(data, cpu + 4, "<I", size + 1),
         "compressed data needs %d bytes at byte %d, there are %d" % (size + 1, cpu + 12, size)),
        ("of 4 GiB", replaced(data, cpu + 4, "<I", large),
         "compressed data needs %d bytes at byte %d, there are %d" % (large, cpu + 12, size)),
        ("that is behind the end", replaced(data, entry, "<Q", 1 << 40),
         "the data of a CPU needs 1 bytes at byte %d, there are 0" % (1 << 40)),
        ("in data that is too long", replaced(data, entry + 8, "<Q", 1 << 40),
         r"the data of a CPU needs %d bytes at byte %d, there are \d+$" % (1 << 40, cpu + 4)),
        ("that is not there", replaced(data, cpu, "<I", large),
         "compressed data needs 4 bytes at byte %d, there are 0" % (cpu + 12 + size)),
        ("that is not counted", replaced(data, cpu, "<I", 0),
         "%d bytes behind the last chunk at byte %d, expected none" % (size + 8, cpu + 4)),
        ("that becomes longer", replaced(data, cpu + 8, "<I", 64), cannot % 64),
        ("that becomes shorter", replaced(data, cpu + 8, "<I", 192), cannot % 192),
        ("that would be 4 GiB", replaced(data, cpu + 8, "<I", large),
         "decompressed to %d bytes at byte %d, expected at most %d$" % (large, cpu + 4, 1 << 26)),
        ("that would be 1,000 times the file", replaced(data, cpu + 8, "<I", more),
         r"decompressed to %d bytes at byte %d, expected at most \d{6,7}$" % (more, cpu + 4)),
        ("whose begin is wrong", replaced(data, cpu + 12, "B", data[cpu + 12] ^ 1), cannot % 128),
        ("that is none", data.replace(compression + b"\0001", b"none\0001"),
         "compressed data at byte %d, expected none: the header says 'none'" % (cpu + 4)),
        ("that many CPUs share", compressed(whole, compression, [shared]).data,
         r"%d bytes for CPU \d+ at byte \d+, expected at most \d+: other CPUs" % (size + 8)),
    )


def bad_sections(whole):
    made, large = compressed(whole, b"zlib", pack_options=True), (1 << 32) - 1
    data, formats, options = made.data, made.places[repack.FORMATS], made.places[0]
    high = compressed(whole, b"zlib", [buffer_at(0, [(4096, 0, 0)])], True)
    return (
        ("with an unknown compression", data.replace(b"zlib", b"l\x1b[m"),
         r"compressed by 'l\?\[m', see byte 18: expected zstd or zlib$"),
        ("that is zlib, not zstd", data.replace(b"zlib", b"zstd"),
         r"at byte %d cannot be decompressed to \d+ bytes" % (options + 24)),
        ("with data beyond its end", replaced(data, formats + 16, "<I", large),
         r"compressed data needs %d bytes at byte %d, there are \d+$" % (large, formats + 24)),
        ("that would be 4 GiB", replaced(data, formats + 20, "<I", large),
         r"to %d bytes at byte %d, expected at most \d+$" % (large, formats + 16)),
        ("that becomes shorter", replaced(data, options + 20, "<I", 9999),
         "cannot be decompressed to 9999 bytes"),
        ("with a CPU number too high", high.data,
         r"CPU number 4096 at byte \d+ of the section at byte %d, decompressed, expected below 4096" %
         high.places[0]),
    )


def test_compressed(directory, whole):
    path = os.path.join(directory, "file")
    cases = [("a section " + what, data, pattern) for what, data, pattern in bad_sections(whole)]
    for name in b"zlib", b"zstd":
        cases += [("%s: a chunk %s" % (name.decode(), what), data, pattern)
                  for what, data, pattern in bad_chunks(whole, name)]
    cases.append(("a bomb", bomb(whole, 1 << 26),
                  r"to %d bytes at byte \d+, expected at most \d{7}$" % (1 << 26)))
    for what, data, pattern in cases:
        with open(path, "wb") as file:
            file.write(data)
        rejected(what, path, pattern)
    os.unlink(path)


def version6(whole, options=(), buffers=()):
    recording = repack.Recording(whole)
    recording.options += options
    recording.buffers += buffers
    return repack.Version6(recording)


def sent(whole, what):
    """Says that it was sent"""
    return version6(whole, [(repack.CPUSTAT, b"hyptrace: sent " + what + b"\n\0")]).data


def shared_list(whole):
    """Many buffers with the same list of CPUs"""
    begin = 0
    for _ in range(2):
        made = version6(whole, [(repack.BUFFER, struct.pack("<Q", begin) + b"\0")] * 60)
        begin = made.places["lists"][1]
    return made.data


def test_version6(directory, whole):
    path = os.path.join(directory, "file")
    made = version6(whole)
    data, (top, hyp) = made.data, made.places["lists"]
    option = data.index(struct.pack("<HI", 3, 19))
    offset, = struct.unpack_from("<Q", data, hyp + 10)
    many = [(b"%d" % i, b"boot", 64, {}) for i in range(63)]
    contents = (
        ("big-endian", replaced(data, 12, "B", 1), "big-endian: byte 12 is 0x01"),
        ("32-bit", replaced(data, 13, "B", 4), "not 64-bit: byte 13 is 0x04"),
        ("pages without size", replaced(data, 14, "<I", 0),
         "sub-buffers of 0 bytes at byte 14, expected more than 16"),
        ("half a sub-buffer", replaced(data, hyp + 18, "<Q", 65),
         "65 bytes for CPU 0 at byte %d, expected a multiple of 64" % (hyp + 10)),
        ("latency trace", replaced(data, top, "10s", b"latency  "),
         "latency trace at byte %d: expected a recording of events" % top),
        ("another type of data", replaced(data, top, "10s", b"flyRecord"),
         "unknown type of data at byte %d, expected flyrecord" % top),
        ("another type of data of a buffer", replaced(data, hyp, "10s", b"options"),
         "unknown type of data at byte %d, expected flyrecord" % hyp),
        ("2^32 - 1 CPUs", replaced(data, made.places["cpus"], "<I", (1 << 32) - 1),
         r"the CPUs of a buffer needs %d bytes at byte %d, there are \d+" % (
             16 * ((1 << 32) - 1), top + 10)),
        ("a CPU with a number too high", version6(whole, buffers=[(b"", b"", 64, {4096: b""})]).data,
         r"CPU number 4096 at byte \d+, expected below 4096"),
        ("a buffer behind the end", replaced(data, option + 6, "<Q", 1 << 63),
         "the type of data needs 1 bytes at byte %d, there are 0" % (1 << 63)),
        ("data behind the end", replaced(data, hyp + 10, "<Q", 1 << 40),
         "data of a CPU needs 1 bytes at byte %d, there are 0" % (1 << 40)),
        ("data beyond the end", replaced(data, hyp + 18, "<Q", 1 << 40),
         "data of a CPU needs %d bytes at byte %d, there are 128" % (1 << 40, offset)),
        ("an option beyond the end", replaced(data, option + 2, "<I", (1 << 32) - 1),
         "an option needs %d bytes at byte %d, there are" % ((1 << 32) - 1, option + 6)),
        ("names of tasks that are not there",
         replaced(data, made.places["cpus"] - 8, "<Q", 1 << 63),
         "the names of tasks needs %d bytes at byte %d, there are" % (1 << 63, made.places["cpus"])),
        ("too many buffers", version6(whole, buffers=many).data,
         r"buffer 65 at byte \d+, expected at most 64"),
        ("more CPUs of the host than there are", sent(whole, b"cpus=99 clock=boot"),
         r"which CPUs are the host's, expected at most \d+"),
        ("CPUs of the host without a clock", sent(whole, b"cpus=1"),
         r"which CPUs are the host's, expected at most \d+"),
        ("a list of CPUs that many buffers share", shared_list(whole),
         r"128 bytes for CPU 0 at byte \d+, expected at most \d+: other CPUs have the rest"),
    )
    for what, data, pattern in contents:
        with open(path, "wb") as file:
            file.write(data)
        rejected("version 6: " + what, path, pattern)
    os.unlink(path)


def test_temporary_file(directory, whole):
    path = os.path.join(directory, "file")
    with open(path, "wb") as file:
        file.write(compressed(whole, b"zlib").data)
    none = os.path.join(directory, "none")
    rejected("no directory for a temporary file", path,
             "cannot create a temporary file in %s: No such file" % none,
             env={**os.environ, "TMPDIR": none})
    rejected("no space for a temporary file", path,
             "cannot write a temporary file in %s: File too large: set TMPDIR" % directory,
             env={**os.environ, "TMPDIR": directory},
             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
    result("no temporary file is left", [n for n in os.listdir(directory) if "hyptrace." in n])
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
                           stderr=subprocess.DEVNULL, timeout=300)
        except subprocess.TimeoutExpired as error:
            problems.append(str(error))
    result("many CPUs and texts", problems)


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "small.dat")
        whole = recording(path)
        test_beginnings(path, "a file", whole, 1)
        for name in b"zlib", b"zstd":
            test_beginnings(path, "a file with " + name.decode(),
                            compressed(whole, name, pack_options=True).data, 11)
        test_beginnings(path, "a file of version 6", version6(whole).data, 5)
        test_kinds(directory)
        test_unreadable(directory, whole)
        test_contents(directory, whole)
        test_compressed(directory, whole)
        test_version6(directory, whole)
        test_temporary_file(directory, whole)
        test_formats(directory)
        test_size(directory, whole)
    finish()


main()
