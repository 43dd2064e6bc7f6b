# SPDX-License-Identifier: GPL-2.0
"""Test results in TAP."""
import subprocess
import sys
import tempfile

tests = 0
failed = 0


def run(*command, stdout=subprocess.PIPE, **more):
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, **more)


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
