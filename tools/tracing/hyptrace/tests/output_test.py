#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: output_test.py HYPTRACE

Where the commands that read a recording write to: no command replaces or changes the file
that it reads, and none writes through a link that another user may have put there. A
command ends as soon as its output cannot be written, or its input is gone. TAP.
"""
import ctypes
import os
import resource
import signal
import struct
import subprocess
import sys

import repack
import synth
from tap import attempt_each, equal, finish, result, run

HYPTRACE = os.path.abspath(sys.argv[1])
FORMATS = "--perfetto", "--html"
PRINTS = ["report"], ["report", "--json"], ["check"], ["stat"], ["compare"]


def recording(path):
    """A small one. Return: its bytes"""
    pages = [synth.page([(1000, "hyp_enter", 7, {"reason": 1}), (1100, "hyp_exit", 7, {"reason": 6})])]
    synth.write(path, {0: []}, {0: pages}, texts=synth.enabled("hyp_enter", "hyp_exit"))
    return content(path)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def refused(what, done, text, path, before, names):
    """One line with the text, the status of an error, and the directory as before"""
    said, there = done.stderr.decode(), sorted(os.listdir(os.path.dirname(path)))
    good = done.returncode == 1 and said.count("\n") == 1 and text in said and not done.stdout
    result(what, ([] if good else ["status %d: %s" % (done.returncode, said)]) +
           ([] if content(path) == before else ["the recording has changed"]) +
           ([] if there == names else ["files: %s" % there]))


def test_export_onto_input(directory):
    """Whatever name the file has: by its device and inode"""
    directory += "/onto"
    os.mkdir(directory)
    path = directory + "/in.dat"
    before = recording(path)
    os.symlink("in.dat", directory + "/link")
    os.link(path, directory + "/other")
    os.symlink(".", directory + "/here")
    for suffix in ".pftrace", ".html":
        os.symlink("in.dat", directory + "/in" + suffix)
    names = sorted(os.listdir(directory))
    for form in FORMATS:
        for name in "in.dat", "link", "other", "here/in.dat":
            out = os.path.join(directory, name)
            refused("export %s -o %s" % (form, name), run(HYPTRACE, "export", form, "-o", out, path),
                    "%s is the file that is read" % out, path, before, names)
        refused("export %s to its default name, a link" % form,
                run(HYPTRACE, "export", form, path), "is the file that is read", path, before, names)
        refused("export %s from a link" % form,
                run(HYPTRACE, "export", form, "-o", path, directory + "/link"),
                "is the file that is read", path, before, names)


def test_print_onto_input(directory):
    """Standard output is the file that is read"""
    directory += "/print"
    os.mkdir(directory)
    path = directory + "/in.dat"
    before = recording(path)
    recording(directory + "/b.dat")
    names = sorted(os.listdir(directory))
    for command in PRINTS:
        more = [directory + "/b.dat"] if command == ["compare"] else []
        for flags in os.O_APPEND, 0:
            fd = os.open(path, os.O_WRONLY | flags)
            done = run(HYPTRACE, *command, *more, path, stdout=fd)
            os.close(fd)
            done.stdout = b""
            refused("%s %s" % (" ".join(command), ">>" if flags else "1<>"), done,
                    "%s: standard output is this file" % path, path, before, names)
    done = run(HYPTRACE, "report", path)
    equal("report elsewhere", done.returncode, 0)


def big(path, corrupt=False):
    """A recording that takes a while to read; corrupt: its last sub-buffer is"""
    events = [(10 * i, "hyp_exit" if i % 2 else "hyp_enter", 7, {"reason": 6 if i % 2 else 1})
              for i in range(40)]
    page = synth.page(events)
    pages = [struct.pack("<Q", 1000 * i) + page[8:] for i in range(4000)]
    if corrupt:
        pages[-1] = pages[-1][:8] + struct.pack("<I", synth.PAGE) + pages[-1][12:]
    synth.write(path, {0: []}, {0: pages}, texts=synth.enabled("hyp_enter", "hyp_exit"))


def test_left_over(directory):
    """A file or a link that is there already, with a name that the unfinished file could have"""
    directory += "/left"
    os.mkdir(directory)
    recording(directory + "/in.dat")
    for what in "file", "link", "dangling link", "directory":
        victim, part = directory + "/victim", directory + "/out.part"
        with open(victim, "w") as file:
            file.write("precious")
        if what == "directory":
            os.mkdir(part)
        elif what == "file":
            os.link(victim, part)
        else:
            os.symlink("victim" if what == "link" else "nothing", part)
        for form in FORMATS:
            done = run(HYPTRACE, "export", "-q", form, "-o", directory + "/out", directory + "/in.dat")
            equal("%s: %s" % (form, what), (done.returncode, done.stderr, content(victim),
                  os.path.getsize(directory + "/out") > 10, sorted(os.listdir(directory))),
                  (0, b"", b"precious", True, ["in.dat", "out", "out.part", "victim"]))
            os.unlink(directory + "/out")
        os.rmdir(part) if what == "directory" else os.unlink(part)


PTRACE_TRACEME, PTRACE_DETACH, PTRACE_SYSCALL = 0, 17, 24


def ptrace(request, pid, value=0):
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = (ctypes.c_long(n) for n in (request, pid, 0, value))
    if libc.ptrace(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def begin_traced():
    """In the child. A process that was started in the background may ignore SIGINT"""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)
    ptrace(PTRACE_TRACEME, 0)


def send_while_writing(directory, number, *command):
    """
    Runs the command from system call to system call until it has made a file, and then sends it
    the signal. So it gets the signal before it has finished, however busy the machine is.
    Return: the process, and the name of the file
    """
    process = subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=begin_traced)
    while os.WIFSTOPPED(os.waitpid(process.pid, 0)[1]):
        names = set(os.listdir(directory)) - {"in.dat"}
        if names:
            ptrace(PTRACE_DETACH, process.pid, number)
            return process, names.pop()
        ptrace(PTRACE_SYSCALL, process.pid)
    return process, None


def test_signal(directory):
    """A signal ends export; the unfinished file is removed, and had another name each time"""
    directory += "/signal"
    os.mkdir(directory)
    big(directory + "/in.dat")
    names = set()
    for form in FORMATS:
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            process, name = send_while_writing(directory, number, HYPTRACE, "export", form, "-o",
                                               directory + "/out", directory + "/in.dat")
            names.add(name)
            said = process.communicate()[1]
            equal("%s: %s" % (form, number.name), (process.returncode, said, os.listdir(directory)),
                  (-number, b"", ["in.dat"]))
    equal("unfinished files", (None in names, len(names)), (False, 6))


def test_limit(directory):
    """An error while the file is written: one line, and nothing is left"""
    directory += "/limit"
    os.mkdir(directory)
    recording(directory + "/in.dat")
    for form in FORMATS:
        done = run(HYPTRACE, "export", form, "-o", directory + "/out", directory + "/in.dat",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))
        said = done.stderr.decode()
        equal("%s: a file too large" % form,
              (done.returncode, said.count("\n"), "cannot write %s/out: File too large" % directory in said,
               os.listdir(directory)), (1, 1, True, ["in.dat"]))


def test_full(directory):
    """It stops at once: it does not come to the corrupt sub-buffer at the end"""
    directory += "/full"
    os.mkdir(directory)
    path = directory + "/in.dat"
    big(path, corrupt=True)
    equal("the whole", run(HYPTRACE, "report", path).stderr.decode().count("1 corrupt"), 1)
    for options in [], ["--json"], ["--per-cpu"], ["-e", "hyp_exit", "-C", "1"]:
        with open("/dev/full", "wb") as full:
            done = run(HYPTRACE, "report", *options, path, stdout=full)
        equal("report %s to a full device" % " ".join(options),
              (done.returncode, done.stderr.decode()),
              (1, "hyptrace: cannot write the output: No space left on device\n"))
    done = run(HYPTRACE, "export", "--perfetto", "-o", directory + "/out", path,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
    equal("export to a full device", (done.returncode, done.stderr.decode()),
          (1, "hyptrace: cannot write %s/out: File too large\n" % directory))
    for command in ["stat"], ["stat", "--json"], ["check"], ["compare", path]:
        with open("/dev/full", "wb") as full:
            said = run(HYPTRACE, *command, path, stdout=full).stderr.decode()
        equal("%s to a full device" % " ".join(command[:2]),
              said.count("cannot write the output: No space left on device\n"), 1)


def shrinks(what, path, process, continues):
    """The file becomes shorter while the process waits; then it goes on"""
    directory = os.path.dirname(path)
    with open(path, "r+b") as file:
        file.truncate(synth.PAGE)
    continues()
    said = process.communicate()[1].decode()
    equal("%s: the file becomes shorter" % what, (process.returncode, said, os.listdir(directory)),
          (1, "hyptrace: %s: it became shorter while it was read, or its disk failed\n" % path,
           ["in.dat"]))


def test_shrinks(directory):
    directory += "/shrinks"
    os.mkdir(directory)
    path = directory + "/in.dat"
    big(path)
    process = subprocess.Popen([HYPTRACE, "report", path], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.read(1)      # the rest does not fit into the pipe
    shrinks("report", path, process, lambda: None)
    for form in FORMATS:
        big(path)
        process, name = send_while_writing(directory, signal.SIGSTOP, HYPTRACE, "export", form,
                                           "-o", directory + "/out", path)
        equal("export has begun", name is None, False)
        os.waitpid(process.pid, os.WUNTRACED)
        shrinks("export " + form, path, process, lambda: process.send_signal(signal.SIGCONT))


def incomplete(directory):
    """A directory FILE.part with events. Return: its spool's bytes"""
    os.mkdir(directory)
    synth.write(directory + "/head", {0: []}, {0: []}, texts=synth.enabled("hyp_enter", "hyp_exit"))
    spool = synth.page([(1000, "hyp_enter", 7, {"reason": 1}), (1100, "hyp_exit", 7, {"reason": 6})])
    with open(directory + "/hypervisor.0", "wb") as file:
        file.write(spool)
    return spool


def test_recover(directory):
    directory += "/recover"
    os.mkdir(directory)
    part, out = directory + "/x.part", directory + "/x"
    incomplete(part)
    done = run(HYPTRACE, "recover", part)
    equal("recover", (done.returncode, done.stderr.decode(), os.listdir(directory)),
          (0, "hyptrace: %s: recovered\n" % out, ["x"]))
    equal("recover: the events", run(HYPTRACE, "report", out).stdout.decode().splitlines()[-1],
          "total: events=2 host_events=0 lost=0 corrupt=0")
    os.unlink(out)


def test_recover_links(directory):
    """A directory that comes from somebody else: its links are not followed"""
    directory += "/links"
    os.mkdir(directory)
    part = directory + "/x.part"
    spool = incomplete(part)
    for name in "head", "hypervisor.0":
        for kind in "link", "fifo", "directory":
            path, away = part + "/" + name, directory + "/away"
            os.rename(path, away)
            before = content(away)
            if kind == "link":
                os.symlink("../away", path)
            else:
                (os.mkfifo if kind == "fifo" else os.mkdir)(path)
            done = run(HYPTRACE, "recover", part, timeout=300)
            said = done.stderr.decode()
            equal("recover: %s is a %s" % (name, kind),
                  (done.returncode, said.count("\n"), "%s: expected a regular file" % path in said,
                   sorted(os.listdir(part)), sorted(os.listdir(directory)), content(away) == before),
                  (1, 1, True, ["head", "hypervisor.0"], ["away", "x.part"], True))
            (os.rmdir if kind == "directory" else os.unlink)(path)
            os.rename(away, path)
    os.symlink("x.part", directory + "/link.part")
    done = run(HYPTRACE, "recover", directory + "/link.part")
    equal("recover: a link to the directory", (done.returncode, content(part + "/hypervisor.0") == spool),
          (1, True))
    equal("recover: afterwards", run(HYPTRACE, "recover", part).returncode, 0)


def others(head):
    """What cannot be the head of a recording"""
    made = repack.Recording(head)
    yield "with options that are compressed", repack.Version7(made, b"zlib", True).data
    plain = repack.Version7(made, b"none")
    data = bytearray(plain.data)
    data[plain.places["buffers"][1] + 2] = 1
    yield "with a buffer that is compressed in an unknown way", bytes(data)
    yield "of version 6", repack.Version6(made).data


def test_recover_other(directory):
    """Data is only added to a file that hyptrace may have written"""
    part = directory + "/other.part"
    spool = incomplete(part)
    for what, other in others(content(part + "/head")):
        with open(part + "/head", "wb") as file:
            file.write(other)
        done = run(HYPTRACE, "recover", part)
        equal("recover: a head " + what,
              (done.returncode, done.stderr.decode(), content(part + "/head") == other,
               content(part + "/hypervisor.0") == spool),
              (1, "hyptrace: %s/head: not written by hyptrace: expected version 7, with options "
                  "that are not compressed\n" % part, True, True))


def many_pages():
    """More than a chunk of them"""
    return [synth.page([(1000 * i, "hyp_enter", 7, {"reason": 1})], lost=i) for i in range(1, 200)]


def test_recover_packed(directory):
    """The head says how to compress. An error, or an end in the middle, does no harm"""
    directory += "/packed"
    os.mkdir(directory)
    part, out, spool = directory + "/x.part", directory + "/x", b"".join(many_pages())
    for name in b"none", b"zlib", b"zstd":
        incomplete(part)
        head = repack.Version7(repack.Recording(content(part + "/head")), name).data
        for path, data in ("/head", head + b"of a kill"), ("/hypervisor.0", spool):
            with open(part + path, "wb") as file:
                file.write(data)
        sizes = set()
        for limit in range(200, 1400, 300):
            limit += len(head)
            done = run(HYPTRACE, "recover", part, preexec_fn=lambda: (
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))))
            said = done.stderr.decode()
            equal("recover, %s: %d bytes fit" % (name.decode(), limit),
                  (done.returncode, said.count("\n"),
                   "cannot write %s/head: File too large; the data recorded" % part in said,
                   content(part + "/hypervisor.0") == spool, os.listdir(directory)),
                  (1, 1, True, True, ["x.part"]))
            sizes.add(os.path.getsize(part + "/head"))
        if name != b"none":    # which is filled up to a page
            equal("recover, %s: what did not fit is removed" % name.decode(), len(sizes), 1)
        equal("recover, %s" % name.decode(), run(HYPTRACE, "recover", part).returncode, 0)
        made = content(out)
        again = repack.Recording(made)
        equal("recover, %s: the data" % name.decode(),
              (again.compression, again.buffers[1][3][0] == spool, len(made) < len(spool) / 5),
              (name, True, name != b"none"))
        equal("recover, %s: the events" % name.decode(),
              run(HYPTRACE, "report", out).stdout.decode().splitlines()[-1],
              "total: events=199 host_events=0 lost=19900 corrupt=0")
        os.unlink(out)


def test_recover_stray(directory):
    """Files in the directory that are not of the recording stay, and do not disturb"""
    directory += "/stray"
    os.mkdir(directory)
    part, out = directory + "/x.part", directory + "/x"
    incomplete(part)
    for name in "notes", "hypervisor.7":
        with open(part + "/" + name, "w") as file:
            file.write("precious")
    done = run(HYPTRACE, "recover", part)
    equal("recover with other files", (done.returncode, done.stderr.decode()),
          (0, "hyptrace: %s is kept: there are other files in it\nhyptrace: %s: recovered\n" % (part, out)))
    equal("recover: the other files", (sorted(os.listdir(part)), content(part + "/notes")),
          (["hypervisor.7", "notes"], b"precious"))
    equal("recover: the events", run(HYPTRACE, "report", out).stdout.decode().splitlines()[-1],
          "total: events=2 host_events=0 lost=0 corrupt=0")


def main():
    print("TAP version 13")
    attempt_each((test_export_onto_input, test_print_onto_input, test_left_over, test_signal,
                  test_limit, test_full, test_shrinks, test_recover, test_recover_links,
                  test_recover_other, test_recover_packed, test_recover_stray))
    finish()


main()
