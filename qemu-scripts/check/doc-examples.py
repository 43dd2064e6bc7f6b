#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: doc-examples.py DIRECTORY FILE...

Extracts the examples from documents, each into a file of its own in DIRECTORY,
and prints a line "KIND NAME ARGUMENT" for each, where KIND is

  c         a C program, NAME.c. ARGUMENT, if any, has to be in its output
  sh        a shell script, NAME.sh, which has to succeed; ARGUMENT as above
  endless   a shell script that has to print something and keep running
  event     a REMOTE_EVENT(), NAME.h
  site      a call of the event before it; ARGUMENT is FILE TEXT: the call belongs in
            nvhe/FILE.c, after the line with TEXT
  kernel    a part of ARGUMENT.c, which is kernel code
  skip      not an example; ARGUMENT says why

In an .rst file, every code-block of c, sh or console is an example. A comment before
the block, ".. check-docs: KIND [ARGUMENT]", gives its kind if that is not clear from
the block; ".. check-docs: prints TEXT" gives an ARGUMENT. A console block has lines
"# COMMAND" with their output, in which "..." stands for any text.

In a .md file, an indented block after a comment "<!-- check-docs: KIND -->" is one.
"""
import os
import re
import sys
import textwrap

EXPECT = '''\
expect()	# PATTERN
{
	case $(cat /tmp/output) in
	$1) ;;
	*) echo "printed:"; cat /tmp/output; echo "and not: $1"; exit 1 ;;
	esac
}
'''


def die(text):
    sys.exit(f"doc-examples.py: {text}")


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def glob(text):
    parts = [re.sub(r'([\\*?\[\]])', r'\\\1', part) for part in text.split('...')]
    return '*'.join(parts)


def console_to_shell(text):
    """Commands with their expected outputs => a script that checks them."""
    script = [EXPECT]
    output = None
    for line in text.rstrip('\n').split('\n') + ['# :']:
        if line.startswith('# '):
            if output is not None:
                script.append('expect ' + quoted(glob('\n'.join(output).rstrip('\n'))))
            script.append('{ ' + line[2:] + '; } >/tmp/output 2>&1 || '
                          '{ cat /tmp/output; exit 1; }')
            output = []
        elif output is None:
            die(f"a console block begins without a command: {line}")
        else:
            output.append(line)
    return '\n'.join(script) + '\n'


def indented_block(lines, start):
    """The block that is indented more than line @start; its first line's number."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    first = start + 1
    while first < len(lines) and not lines[first].strip():
        first += 1
    end = first
    while end < len(lines) and (not lines[end].strip() or
                                len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    return first, textwrap.dedent('\n'.join(lines[first:end])).strip('\n') + '\n'


def rst_blocks(lines):
    marker = ''
    for i, line in enumerate(lines):
        found = re.match(r'\s*\.\. check-docs: (.*)', line)
        if found:
            marker = found[1].strip()
            continue
        found = re.match(r'\s*\.\. code-block:: (\w+)', line)
        if found and found[1] in ('c', 'sh', 'console'):
            first, text = indented_block(lines, i)
            yield first, found[1], marker, text
        if line.strip():
            marker = ''


def md_blocks(lines):
    for i, line in enumerate(lines):
        found = re.match(r'<!-- check-docs: (.*) -->', line)
        if found:
            first, text = indented_block(lines, i)
            yield first, 'sh', found[1].strip(), text


def kind_of(language, marker, text):
    word, _, argument = marker.partition(' ')
    if word == 'prints':
        word = ''
    if word in ('sh', 'endless', 'event', 'kernel', 'site', 'skip'):
        return word, argument
    if word:
        die(f"unknown kind of example '{word}'")
    if language != 'c':
        return 'sh', argument
    if not re.search(r'^int main\(', text, re.M):
        return 'skip', 'a fragment'
    return 'c', argument


def write(directory, name, text, mode='w'):
    with open(os.path.join(directory, name), mode, encoding='ascii') as file:
        file.write(text)


def take(directory, path):
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    blocks = md_blocks if path.endswith('.md') else rst_blocks
    for first, language, marker, text in blocks(lines):
        kind, argument = kind_of(language, marker, text)
        name = f'{os.path.basename(path)}-{first + 1}'
        if language == 'console':
            text = console_to_shell(text)
        if kind in ('sh', 'endless'):
            write(directory, name + '.sh', text)
        elif kind == 'c':
            write(directory, name + '.c', text)
        elif kind in ('event', 'site'):
            write(directory, name + '.h', text)
        elif kind == 'kernel':
            write(directory, argument + '.c', text, 'a')
        print(kind, name, argument)


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith('-'):
        print(__doc__, end='')
        sys.exit(0 if sys.argv[1:] in (['-h'], ['--help']) else 1)
    for path in sys.argv[2:]:
        take(sys.argv[1], path)


if __name__ == '__main__':
    main()
