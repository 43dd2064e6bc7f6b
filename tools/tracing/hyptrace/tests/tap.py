# SPDX-License-Identifier: GPL-2.0
"""Test results in TAP, and how programs are run."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios

tests = 0
failed = 0


def run(*command, stdout=subprocess.PIPE, **more):
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, **more)


def on_terminal(columns, *command):
    """What is printed on a terminal with so many columns"""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen(command, stdout=theirs)
    os.close(theirs)
    out, closed = b"", 0
    while closed < 2:   # a read that sees the close may miss what was written just before
        try:
            out += os.read(ours, 65536)
        except OSError:
            closed += 1
    os.close(ours)
    child.wait()
    return out.decode().replace("\r\n", "\n")


def result(what, problems):
    """No problems: ok"""
    global tests, failed
    tests += 1
    for problem in problems[:10]:
        print("# %s" % (problem,))
    failed += bool(problems)
    print("%s %d %s" % ("not ok" if problems else "ok", tests, what), flush=True)


def equal(what, got, want):
    result(what, [] if got == want else ["got  %r" % (got,), "want %r" % (want,)])


def attempt(test, *arguments):
    """An exception in a test is a failure"""
    try:
        test(*arguments)
    except (AssertionError, LookupError, OSError, TypeError, ValueError,
            subprocess.TimeoutExpired) as error:
        result("%s %s" % (test.__name__, arguments), ["%s: %s" % (type(error).__name__, error)])


def attempt_each(chosen):
    """Each test, given a directory for all of them"""
    with tempfile.TemporaryDirectory() as directory:
        for test in chosen:
            attempt(test, directory)


def finish():
    print("1..%d" % tests)
    sys.exit(1 if failed else 0)
