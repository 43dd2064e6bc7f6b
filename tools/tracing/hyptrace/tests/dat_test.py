#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: dat_test.py HYPTRACE [RECORDING]...

Converts files, a synthetic one and each RECORDING, to the other forms of trace.dat that
hyptrace reads. What it makes of them has to be the same. Uses trace-cmd as well, if it is
there. TAP.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import repack
import synth
from tap import attempt, equal, finish, result, run

HYPTRACE = os.path.abspath(sys.argv[1])
COMMANDS = (["report"], ["report", "--json"], ["report", "--cpus=0"], ["stat"],
            ["stat", "--json"], ["check"], ["compare", "trace.dat"],
            ["export", "--perfetto", "-o", "out"], ["export", "--html", "-o", "out"])
OTHERS = (["--compression", "zstd"], ["--compression", "none"], ["--file-version", "6"])


def outcome(directory, command):
    """Of trace.dat in the directory"""
    done = run(HYPTRACE, *command, "trace.dat", cwd=directory)
    out, path = b"", os.path.join(directory, "out")
    if os.path.exists(path):
        with open(path, "rb") as file:
            out = file.read()
        os.unlink(path)
    return done.returncode, done.stdout, done.stderr, out


def write(directory, data):
    with open(os.path.join(directory, "trace.dat"), "wb") as file:
        file.write(data)


class Comparison:
    """Compares what the commands make of a file to what they make of the original"""

    def __init__(self, name, directory, data):
        self.name, self.directory = name, directory
        write(directory, data)
        self.want = [outcome(directory, command) for command in COMMANDS]

    def is_read(self):
        result("%s: the original is read" % self.name,
               ["%s: %s" % (c, w) for c, w in zip(COMMANDS, self.want) if w[0] or not w[1] + w[3]])

    def same(self, what, data=None):
        if data:
            write(self.directory, data)
        problems = []
        for command, want in zip(COMMANDS, self.want):
            got = outcome(self.directory, command)
            if got != want:
                problems += [" ".join(command), "got  %.300r" % (got,), "want %.300r" % (want,)]
        result("%s: %s" % (self.name, what), problems)


def some_pages(cpu, reasons, losses):
    """Five, which are several chunks"""
    pages = []
    for nr in range(5):
        start = (1 << 20) + 1000 * nr + cpu
        events = [(start + 100 * i, name, 7, {"reason": reason})
                  for i, (name, reason) in enumerate(reasons)]
        pages.append(synth.page(events, losses if nr == 4 else 0))
    return pages


def synthetic(directory):
    """Three buffers, CPUs without data, and a loss"""
    path = os.path.join(directory, "trace.dat")
    host = some_pages(0, [("kvm_entry", 0), ("kvm_exit", 0)], 0)
    hyp = some_pages(1, [("hyp_enter", 1), ("hyp_exit", 6)], 3)
    texts = synth.enabled("hyp_enter", "hyp_exit")
    for name, events in ("host", (10, 0)), ("hypervisor", (0, 13)), ("other", (1, 0)):
        for cpu, nr in enumerate(events):
            lost = nr // 13 * 3
            texts.append(("hyptrace: buffer=%s cpu=%d written=%d overrun=%d read=%d dropped=0\n" % (
                name, cpu, nr, lost, nr - lost)).encode())
    synth.write(path, {0: host, 1: []}, {0: [], 1: hyp}, texts=texts, comms=b"7 task\n",
                uname=b"Linux")
    with open(path, "rb") as file:
        made = repack.Recording(file.read())
    other = synth.page([(1 << 20, "vm_create", 8, {"ret": -1})])
    # trace-cmd makes a file of version 6 without them if these are not there
    made.options += (repack.CPUCOUNT, struct.pack("<I", 2)), (repack.TRACECLOCK, b"[boot]\n\0")
    made.buffers.append((b"other", b"boot", synth.PAGE, {0: other, 1: b""}))
    return made


def test_trace_cmd(comparison, plain):
    original = os.path.join(comparison.directory, "original.dat")
    with open(original, "wb") as file:
        file.write(plain)
    for arguments in OTHERS:
        what = "trace-cmd convert " + " ".join(arguments)
        done = run("trace-cmd", "convert", "-i", original, "-o",
                   os.path.join(comparison.directory, "trace.dat"), *arguments,
                   stdin=subprocess.DEVNULL)
        if done.returncode:
            result("%s: %s" % (comparison.name, what), [done.stderr])
        else:
            comparison.same(what)


def test_offset(recording, directory):
    """A corrupt sub-buffer is at the offset of its chunk"""
    page_size, cpus = next(b for b in recording.buffers if b[3].get(1))[2:]
    data = bytearray(cpus[1])
    data[3 * page_size + 10] = 0xff
    cpus[1] = bytes(data)
    made = repack.Version7(recording, b"zlib")
    begin = made.places["cpus"][1]
    size, = struct.unpack_from("<I", made.data, begin + 4)
    write(directory, made.data)
    status, out, err, _ = outcome(directory, ["report", "--json"])
    places = [json.loads(line).get("corrupt_at") for line in out.decode().splitlines()]
    place = begin + 12 + size
    equal("a corrupt sub-buffer", (status, err, [p for p in places if p is not None]),
          (1, b"hyptrace: trace.dat: 1 corrupt sub-buffers, the first one at byte %d: "
              b"the rest of each was left out\n" % place, [place]))


def test_clocks(recording, directory):
    """In version 6: that of the first buffer is also that of those that have none, and it is
    "local" if it has none either"""
    recording.options = [o for o in recording.options if b"clock=" not in o[1]]
    for clock, with_clock in (b"local", ()), (b"global", (0,)):
        recording.buffers = [(b[0], clock, *b[2:]) for b in recording.buffers]
        plain = repack.Version7(recording, b"none").data
        if not with_clock:
            recording.buffers = [(b[0], b"boot", *b[2:]) for b in recording.buffers]
        comparison = Comparison(clock.decode(), directory, plain)
        comparison.same("version 6", repack.Version6(recording, with_clock).data)


def test_sent(name, recording, directory):
    """The CPUs of the second buffer are behind those of the first one"""
    recording.buffers = recording.buffers[:2]
    comparison = Comparison(name, directory, repack.Version7(recording, b"none").data)
    comparison.same("that was sent", repack.sent(recording).data)


def test_forms(name, recording, directory):
    plain = repack.Version7(recording, b"none").data
    comparison = Comparison(name, directory, plain)
    comparison.is_read()
    for compression in b"zlib", b"zstd":
        for pack_options in False, True:
            comparison.same("%s%s" % (compression.decode(), " of options too" * pack_options),
                            repack.Version7(recording, compression, pack_options).data)
    comparison.same("version 6", repack.Version6(recording).data)
    if shutil.which("trace-cmd"):
        test_trace_cmd(comparison, plain)


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as directory:
        attempt(test_forms, "synthetic", synthetic(directory), directory)
        attempt(test_sent, "synthetic", synthetic(directory), directory)
        attempt(test_clocks, synthetic(directory), directory)
        attempt(test_offset, synthetic(directory), directory)
        for path in sys.argv[2:]:
            with open(path, "rb") as file:
                recording = repack.Recording(file.read())
            attempt(test_forms, path, recording, directory)
            attempt(test_sent, path, recording, directory)
    finish()


main()
