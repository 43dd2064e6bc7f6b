# SPDX-License-Identifier: GPL-2.0
"""The barriers in the C sources: where they are, and what they are on arm64"""
import collections
import os
import re

# The files of which every barrier has to be in a fragment, except those whose comment has
# the function that they pair with
OURS = ['include/linux/ring_buffer_writer.h', 'kernel/trace/ring_buffer_writer.c',
        'kernel/trace/ring_buffer_remote.c', 'kernel/trace/ring_buffer_remote_alloc.c',
        'kernel/trace/ring_buffer_remote_pages.c', 'kernel/trace/ring_buffer_remote_watch.c',
        'kernel/trace/trace_remote_dump.c']
# Fragments may refer to these as well
OTHERS = ['arch/arm64/kvm/hyp/nvhe/trace_buffers.c', 'kernel/trace/ring_buffer.c']

# What each one is on arm64, as an operation of litmus.py. A cmpxchg() that succeeds is
# casal, or with exclusives ldxr, stlxr and, after the loop, a dmb ish.
PRIMITIVES = {
    'smp_store_release': ('W', 'W.L'),
    'smp_load_acquire': ('R', 'R.A'),
    'smp_mb': ('F', 'F.ish'),
    'smp_rmb': ('F', 'F.ishld'),
    'smp_wmb': ('F', 'F.ishst'),
    'cmpxchg': ('X', None),
    'hyp_spin_lock': ('R', 'R.A'),
    'hyp_spin_unlock': ('W', 'W.L'),
}
EXCHANGES = {'LSE': ['CAS.A.L'], 'LL/SC': ['LLSC.L', 'F.ish']}

# Where the kernel says so
INSTRUCTIONS = [
    ('arch/arm64/include/asm/barrier.h', r'#define __smp_mb\(\)\s+dmb\(ish\)'),
    ('arch/arm64/include/asm/barrier.h', r'#define __smp_rmb\(\)\s+dmb\(ishld\)'),
    ('arch/arm64/include/asm/barrier.h', r'#define __smp_wmb\(\)\s+dmb\(ishst\)'),
    ('arch/arm64/include/asm/barrier.h', r'define __smp_store_release(?:.*\\\n)+?.*"stlr '),
    ('arch/arm64/include/asm/barrier.h', r'define __smp_load_acquire(?:.*\\\n)+?.*"ldar '),
    ('arch/arm64/include/asm/atomic_lse.h', r'__CMPXCHG_CASE\(x, *,  mb_, 64, al, "memory"\)'),
    ('arch/arm64/include/asm/atomic_lse.h', r'"\tcas" #mb #sfx "\t'),
    ('arch/arm64/include/asm/atomic_ll_sc.h',
     r'__CMPXCHG_CASE\( , *,  mb_, 64, dmb ish, *, l, "memory", L\)'),
    ('arch/arm64/kvm/hyp/include/nvhe/spinlock.h', r'"1:\tldaxr\t(?:.*\n)+?"\tldadda\t'),
    ('arch/arm64/kvm/hyp/include/nvhe/spinlock.h', r'"\tstlrh\t(?:.*\n)+?\s*"\tstaddlh\t'),
]

BARRIER = re.compile(r'\b(smp_(?!processor|call)\w+|\w*xchg\w*|hyp_spin_(?:un)?lock)\(')
LABEL = re.compile(r'/\* (?:.*\b[Pp]airs with )?([A-Z])\b(?= \*/|[:,])')
OTHER_PAIR = re.compile(r'/\* Pairs with \w+\(\)')
OVERVIEW = re.compile(r'^ \*   ([A-Z]): ', re.M)

Line = collections.namedtuple('Line', 'number code label primitive other_pair')
Site = collections.namedtuple('Site', 'file function line')


class SourceError(Exception):
    pass


def without_comments(text):
    """The same number of lines and columns"""
    return re.sub(r'/\*.*?\*/|//[^\n]*', lambda m: re.sub(r'[^\n]', ' ', m.group()), text,
                  flags=re.S)


def make_line(number, code, raw):
    barrier, label = BARRIER.search(code), LABEL.search(raw)
    return Line(number, code, label.group(1) if label else None,
                barrier.group(1) if barrier else None, bool(OTHER_PAIR.search(raw)))


def functions(text):
    """Name and lines of each function, which begins and ends in the first column"""
    name, begin = None, None
    lines = [make_line(i, *both) for i, both in
             enumerate(zip(without_comments(text).split('\n'), text.split('\n')), 1)]
    for i, line in enumerate(lines):
        if begin is not None:
            if line.code == '}':
                yield name, lines[begin:i]
                name, begin = None, None
        elif line.code == '{' and name:
            begin = i
        elif line.code.rstrip().endswith(';'):
            name = None
        elif not name:
            match = re.match(r'(?=[A-Za-z_])(?:.*?[\s*])?(\w+)\(', line.code)
            name = match and match.group(1)


class Sources:
    def __init__(self, root, kernel):
        self.kernel = kernel
        self.functions = {}
        self.files = {}
        self.overview = set()
        for name in OURS + OTHERS:
            path = os.path.join(root, name)
            with open(path if os.path.exists(path) else os.path.join(kernel, name),
                      encoding='utf-8') as file:
                text = file.read()
            if name == OURS[0]:
                self.overview = set(OVERVIEW.findall(text))
            for function, lines in functions(text):
                self.functions[function] = lines
                self.files[function] = name

    def barriers(self):
        """Those that need a fragment"""
        return [Site(self.files[f], f, line) for f, lines in self.functions.items()
                for line in lines
                if line.primitive and not line.other_pair and self.files[f] in OURS]

    def body(self, function):
        if function not in self.functions:
            raise SourceError('there is no %s()' % function)
        return self.functions[function]

    def position(self, path, snippet, after=0):
        """The line with @snippet in the last function of @path, in which each function
        calls the next; and what orders it among the lines of the first function"""
        order = []
        for caller, callee in zip(path, path[1:]):
            call = re.compile(r'\b%s\(' % callee)
            found = [(line.number, -call.search(line.code).start())
                     for line in self.body(caller) if call.search(line.code)]
            if not found:
                raise SourceError('%s() does not call %s()' % (caller, callee))
            order.append(found[0])
        for line in self.body(path[-1]):
            if line.number > after and snippet in line.code:
                order.append((line.number, 0))
                return Site(self.files[path[-1]], path[-1], line), order
        raise SourceError('%s() has no "%s"%s' % (path[-1], snippet,
                                                  ' after line %d' % after if after else ''))

    def wrong_instructions(self):
        for name, pattern in INSTRUCTIONS:
            with open(os.path.join(self.kernel, name), encoding='utf-8') as file:
                if not re.search(pattern, file.read()):
                    yield '%s: no %s' % (name, pattern)
