#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: pristine.py KERNEL TREE PRISTINE FILE [FUNCTION]...

Compiles the source FILE twice to assembler, as the kernel in the build directory KERNEL
compiles it: from the source tree TREE, and from the folder PRISTINE, which has the files
and headers that patches change as they were. Prints a TAP line: ok if the two differ in
nothing but the FUNCTIONs that are named, and these do differ. Numbers of lines, labels,
padding, and whether a symbol is local do not count.
"""
import os
import re
import subprocess
import sys

SAVED = re.compile(r'^savedcmd_\S+ := (.*)$', re.M)
# What is dropped: comments, padding, where a symbol can be seen
DROPPED = re.compile(r'\s*(//|#|\.(p2align|align|loc|file|ident|global|type|size|weak)\b|$)')
FUNCTION = re.compile(r'\s*\.type\s+([\w.]+), %function')
NUMBERED = re.compile(r'\.L[A-Z]*\d+|\b1447\d|(?<=\w)\.\d+\b|__\d+_\d+_(?=\w)')
LINE = re.compile(r'\.short \d+;')


class Failure(Exception):
    pass


def command(kernel, tree, source, target):
    """The command that compiles @source, from @tree, to @target"""
    saved = os.path.join(os.path.dirname(target), f'.{os.path.basename(target)}.cmd')
    with open(os.path.join(kernel, saved), encoding='utf-8') as file:
        match = SAVED.search(file.read())
    if not match or f'{tree}/{source}' not in match[1]:
        raise Failure(f'{saved} does not compile {source}')
    words = match[1].split(' ; ')[0].split(' ')
    words = [word for word in words if not word.startswith('-Wp,-MMD')]
    cut = words.index('-o')
    return words[:cut] + words[cut + 2:]


def assembler(kernel, tree, folder, source):
    """The assembler of @source, as it is in @folder"""
    words = command(kernel, tree, source, source[:-2] + '.o')
    if folder != tree:
        words[1:1] = [f'-fmacro-prefix-map={folder}/=', f'-I{folder}/include',
                      f'-I{folder}/include/uapi']
    text = ' '.join(words).replace(f'{tree}/{source}', f'{folder}/{source}')
    return subprocess.run(f'{text} -S -o -', shell=True, cwd=kernel, check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def normal(lines):
    """The lines without what does not count; labels by the order in which they occur"""
    names = {}

    def rename(match):
        return names.setdefault(match[0], f'<{len(names)}>')

    return [NUMBERED.sub(rename, LINE.sub('.short LINE;', line.strip())) for line in lines
            if not DROPPED.match(line)]


def functions(text):
    """The lines of each function by its name, and the rest by the name 'data'"""
    parts, current = {'data': []}, 'data'
    for line in text.splitlines():
        begins = FUNCTION.match(line)
        if begins:
            current = re.sub(r'\.\d+$', '', begins[1])
            parts[current] = []
        parts[current].append(line)
        if re.match(r'\s*\.size\s', line):
            current = 'data'
    return {name: normal(lines) for name, lines in parts.items()}


def compare(kernel, tree, pristine, source, expected):
    """What is wrong, or None"""
    ours = functions(assembler(kernel, tree, tree, source))
    theirs = functions(assembler(kernel, tree, pristine, source))
    if len(theirs) < 50:
        raise Failure(f'{source} has only {len(theirs)} functions')
    differ = {name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)}
    if differ == set(expected):
        return None
    return ' '.join(sorted(differ ^ set(expected)))


def main(kernel, tree, pristine, source, *expected):
    wrong = compare(kernel, tree, pristine, source, expected)
    if wrong:
        print(f'not ok 1 {source} is that of a pristine kernel: not in {wrong}')
        return 1
    print(f'ok 1 {source} is that of a pristine kernel' +
          (f', but for {" ".join(expected)}' if expected else ''))
    return 0


if __name__ == '__main__':
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except (Failure, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f'pristine.py: {error}')
