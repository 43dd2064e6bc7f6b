#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Usage: el2-code.py DIRECTORY

Checks the compiled code of EL2 for what a test in QEMU cannot show, since QEMU's CPUs have
no caches and do not reorder instructions: that something is done on every path between two
other things. DIRECTORY is a kernel's build directory. Prints TAP.
"""
import os
import re
import subprocess
import sys
from collections import namedtuple

OBJECTS = 'arch/arm64/kvm/hyp/nvhe'
# Size of an entry of .altinstructions
ALT_INSTR_SIZE = 12
OBJDUMP = 'aarch64-linux-gnu-objdump'

# In OBJECT, each path from SINCE to BEFORE has to pass NEED. These are expressions for an
# instruction, or for "call NAME". If FROM_ENTRY, so has each path from the function's entry.
Rule = namedtuple('Rule', 'object what since need before from_entry')

RULES = (
    Rule('trace_buffers', 'a page of the host has one content when EL2 has taken it',
         'call __pkvm_host_donate_hyp', 'call dcache_clean_inval_poc', r'mov\s+w0, #0x0|str\b',
         False),
    Rule('trace_buffers', 'a page that goes back to the host is cleaned to the point of coherency',
         'call memset', 'call dcache_clean_inval_poc', 'call __pkvm_hyp_donate_host', True),
    Rule('clock', "the counter is read after the clock's parameters were copied",
         r'ldap?r\b', r'isb\b', r'ret\b|.*\bcntp\w+_el0', False),
    Rule('text', 'an instruction that was written is cleaned before its page is unmapped',
         'call kvm_pgtable_hyp_map', 'call dcache_clean_inval_poc', 'call kvm_pgtable_hyp_unmap',
         True),
    Rule('text', 'the alias of a page of text is unmapped before a place is fetched again',
         'call dcache_clean_inval_poc', 'call kvm_pgtable_hyp_unmap', 'call icache_inval_pou', True),
    Rule('text', 'an instruction that was written is fetched again by all CPUs',
         'call kvm_pgtable_hyp_unmap', 'call icache_inval_pou', r'ret\b', False),
)


class Insn:
    """An instruction: its address, its text, and the addresses that may follow it"""

    def __init__(self, addr, text):
        self.addr = addr
        self.text = text
        self.next = []


def objdump(path, *options):
    """The lines that objdump prints"""
    return subprocess.run([OBJDUMP, *options, path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.splitlines()


def replacements(path):
    """Which instruction may be replaced at boot, and by which: that at an address, or a nop"""
    place = re.compile(r'^([0-9a-f]+) R_AARCH64_PREL32\s+([^\s+]+)(?:\+0x([0-9a-f]+))?$')
    found, section = {}, ''
    for line in objdump(path, '-r'):
        if line.startswith('RELOCATION RECORDS FOR '):
            section = line
        match = place.match(line)
        if not match or '[.altinstructions]' not in section:
            continue
        addr = int(match.group(3) or '0', 16)
        if int(match.group(1), 16) % ALT_INSTR_SIZE == 0:
            replaced = addr
        else:
            found[replaced] = addr if match.group(2) == '.text' else None
    return found


def branches_to(insn):
    """Where an instruction branches to within its function, as a list"""
    branch = re.match(r'(?:b|b\.\w+|cbn?z|tbn?z)\s(?:.*\s)?([0-9a-f]+) <', insn.text)
    return [int(branch.group(1), 16)] if branch else []


def falls_through(insn):
    """May the next instruction follow?"""
    return not re.match(r'(b|br|ret|brk|eret|tail call)(\s|$)', insn.text)


def add_successors(insns, replaced):
    """Sets the member next of all instructions"""
    by_addr = {insn.addr: insn for insn in insns}
    for i, insn in enumerate(insns):
        forms = [insn]
        if insn.addr in replaced:
            forms.append(by_addr.get(replaced[insn.addr], Insn(0, 'nop')))
        for form in forms:
            insn.next += branches_to(form)
            if falls_through(form) and i + 1 < len(insns):
                insn.next.append(insns[i + 1].addr)


def functions(path):
    """The instructions of an object, as a dictionary by function"""
    found, insns = {}, []
    for line in objdump(path, '-dr', '--no-show-raw-insn', '-j', '.text'):
        header = re.match(r'[0-9a-f]+ <(.*)>:$', line)
        insn = re.match(r'\s+([0-9a-f]+):\t(.*)', line)
        call = re.search(r'R_AARCH64_(?:CALL|JUMP)26\s+(\S+)', line)
        if header:
            found[header.group(1)] = function = []
        elif call:
            kind = 'call' if function[-1].text.startswith('bl') else 'tail call'
            function[-1].text = f'{kind} {call.group(1)}'
        elif insn:
            function.append(Insn(int(insn.group(1), 16), insn.group(2).split('//')[0].strip()))
            insns.append(function[-1])
    add_successors(insns, replacements(path))
    return found


def violations(insns, rule):
    """The instructions of a function that can be reached without what the rule needs"""
    by_addr = {insn.addr: insn for insn in insns}
    seen, found = set(), set()
    todo = [(insns[0].addr, rule.from_entry)] if insns else []
    while todo:
        addr, missing = todo.pop()
        if (addr, missing) in seen or addr not in by_addr:
            continue
        seen.add((addr, missing))
        insn = by_addr[addr]
        if missing and re.match(rule.before, insn.text):
            found.add(addr)
        if re.match(rule.need, insn.text):
            missing = False
        elif re.match(rule.since, insn.text):
            missing = True
        todo += [(following, missing) for following in insn.next]
    return found


def check(directory, rule):
    """Returns what is wrong, or nothing"""
    path = f'{directory}/{OBJECTS}/{rule.object}.nvhe.o'
    if not os.path.exists(path):
        return [f'there is no {path}']
    found = functions(path)
    wrong = [f'{name}, 0x{addr:x}' for name, insns in found.items()
             for addr in violations(insns, rule)]
    texts = [insn.text for insns in found.values() for insn in insns]
    for pattern in rule.since, rule.before:
        if not any(re.match(pattern, text) for text in texts):
            wrong.append(f'nothing in {path} is like "{pattern}"')
    return wrong


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith('-'):
        print(__doc__.strip())
        sys.exit(sys.argv[1:] not in (['-h'], ['--help']))
    failed = False
    for nr, rule in enumerate(RULES, 1):
        wrong = check(sys.argv[1], rule)
        for text in wrong:
            print(f'# {text}')
        print(f'{"not ok" if wrong else "ok"} {nr} {rule.what}')
        failed = failed or bool(wrong)
    print(f'1..{len(RULES)}')
    sys.exit(failed)


main()
