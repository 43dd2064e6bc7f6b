#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: includes_test.py README SRC

Checks that the includes in SRC follow the table of folders in README, that no files include
each other in a circle, where x.c and x.h count as one, and that no two files define a
struct, union or enum of the same name. TAP.
"""
import glob
import os
import re
import sys

from tap import attempt, finish, result

README, SRC = sys.argv[1:]
HEADING = "folder    may include "
# Each command has these
EACH_COMMAND = {"struct options"}
# Declares NAME_main() of cmd/NAME.c
COMMANDS = "cmd/commands"
# A function, its return type at the start of a line, and the end of the declaration
FUNCTION = r"^(?!static |typedef |return |else )[A-Za-z][\w *]*?\b(\w+)\([^;{}]*\)[^;{}()]*([;{])"


def table():
    """{folder: [folder that it may include]}, top first"""
    lines = open(README).read().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith(HEADING))
    first, second = (slice(m.start(), m.end()) for m in list(re.finditer("=+", lines[head - 1]))[:2])
    folders = {}
    for line in lines[head + 2:]:
        if line.startswith("="):
            return folders
        if line[first].strip():
            folders[line[first].strip()] = line[second].split()
    raise ValueError("%s: the table of folders has no end" % README)


def found_in_lines(pattern):
    """(file, line, what the pattern's group matches)"""
    for folder, _, names in sorted(os.walk(SRC)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            for number, line in enumerate(open(path), 1):
                match = re.match(pattern, line)
                if match:
                    yield os.path.relpath(path, SRC), number, match.group(1)


def module(path):
    return os.path.splitext(path)[0]


def test_table(folders, found):
    there = {name for name in os.listdir(SRC)}
    problems = ["%s is not in the table" % name for name in sorted(there - set(folders))]
    problems += ["there is no %s" % name for name in sorted(set(folders) - there)]
    order = list(folders)
    problems += ["%s may not include %s, which is above it" % (a, b) for a in order
                 for b in folders[a] if b not in order[order.index(a) + 1:]]
    used = {(path.split("/")[0], what.split("/")[0]) for path, _, what in found}
    problems += ["%s does not include %s at all" % (a, b) for a in order for b in folders[a]
                 if (a, b) not in used]
    result("the table of folders is right", problems)


def test_folders(folders, found):
    problems = []
    for path, line, what in found:
        here, there = path.split("/")[0], what.split("/")[0]
        if not os.path.exists(os.path.join(SRC, what)):
            problems.append("%s:%d: %s is no FOLDER/FILE of %s" % (path, line, what, SRC))
        elif there != here and there not in folders.get(here, ()):
            problems.append("%s:%d: %s may not include %s" % (path, line, here, what))
    result("each include goes down", problems)


def circle(graph, start):
    """A path from start back to it, or None"""
    ways, seen = [[start]], set()
    while ways:
        way = ways.pop()
        for there in sorted(graph.get(way[-1], ())):
            if there == start:
                return way + [there]
            if there not in seen:
                seen.add(there)
                ways.append(way + [there])
    return None


def test_circles(found):
    graph = {}
    for path, _, what in found:
        if module(path) != module(what):
            graph.setdefault(module(path), set()).add(module(what))
    ways = [circle(graph, start) for start in sorted(graph)]
    result("no files include each other", [" -> ".join(way) for way in ways if way])


def functions():
    """({name: file that defines it}, {name: [header that declares it]})"""
    defined, declared = {}, {}
    for path in sorted(glob.glob(os.path.join(SRC, "*", "*.[ch]"))):
        what = os.path.relpath(path, SRC)
        for name, end in re.findall(FUNCTION, open(path).read(), re.M):
            if what.endswith(".c") and end == "{":
                defined[name] = what
            elif what.endswith(".h"):
                declared.setdefault(name, []).append(what)
    return defined, declared


def test_headers():
    """Otherwise a header could hide a circle"""
    defined, declared = functions()
    defined.pop("main")
    problems = []
    for name, path in sorted(defined.items()):
        wanted = COMMANDS if name == os.path.basename(module(path)) + "_main" else module(path)
        if [module(header) for header in declared.get(name, ())] != [wanted]:
            problems.append("%s() of %s is declared in %s" % (
                name, path, ", ".join(declared.get(name, ())) or "no header"))
    result("each header declares what its file defines", problems)


def test_names():
    places = {}
    for path, number, name in found_in_lines(r"((?:struct|union|enum)\s+\w+)\s*\{"):
        places.setdefault(name, []).append("%s:%d" % (path, number))
    result("a name of a struct, union or enum has one meaning", [
        "%s: %s" % (name, ", ".join(where)) for name, where in sorted(places.items())
        if len(where) > 1 and name not in EACH_COMMAND])


def main():
    print("TAP version 13")
    found = list(found_in_lines(r'\s*#\s*include\s+"([^"]+)"'))
    folders = table()
    attempt(test_table, folders, found)
    attempt(test_folders, folders, found)
    attempt(test_circles, found)
    attempt(test_headers)
    attempt(test_names)
    finish()


main()
