#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: minimize.py FUZZER CORPUS DIRECTORY...

Copies inputs of the DIRECTORYs to CORPUS, smaller ones first, so that they cover all the
code that the DIRECTORYs cover. See FUZZING.rst.
"""
import hashlib
import os
import subprocess
import sys
import tempfile


def chosen(fuzzer, directories):
    """libFuzzer goes from small to large, and reports the code that each input covers first"""
    with tempfile.TemporaryDirectory() as work:
        control = os.path.join(work, "control")
        empty = os.path.join(work, "empty")
        os.mkdir(empty)
        subprocess.run([fuzzer, "-merge=1", "-merge_control_file=" + control, empty] + directories,
                       stderr=subprocess.DEVNULL, check=True)
        with open(control) as file:
            lines = file.read().splitlines()
    names = lines[2:2 + int(lines[0])]
    for word in map(str.split, lines):
        if word[0] == "COV" and len(word) > 2:
            yield names[int(word[1])]


def main():
    fuzzer, corpus, directories = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(corpus, exist_ok=True)
    for name in chosen(fuzzer, directories):
        with open(name, "rb") as file:
            data = file.read()
        name = hashlib.sha1(data).hexdigest()[:12] + ".bin"
        with open(os.path.join(corpus, name), "wb") as out:
            out.write(data)


main()
