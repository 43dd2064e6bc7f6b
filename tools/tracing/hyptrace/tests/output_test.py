#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: output_test.py HYPTRACE

Where the commands that read a recording write to: no command replaces or changes the file
that it reads. TAP.
"""
import os
import sys

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


def main():
    print("TAP version 13")
    attempt_each((test_export_onto_input, test_print_onto_input))
    finish()


main()
