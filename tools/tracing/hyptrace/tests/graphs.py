# SPDX-License-Identifier: GPL-2.0
"""Makes recordings of the functions that EL2 calls, and knows where their time goes."""
import random

import synth

HVC, GUEST_EXIT, ERET_HOST, ERET_GUEST = 1, 5, 6, 7
BEGIN = 10**9
FUNCTIONS = ["handle_trap", "run_vcpu", "walk", "visit", "flush", "share", "lock"]
ADDRESS = {name: 0xffff800080010000 + 0x100 * n for n, name in enumerate(FUNCTIONS)}
SYMBOLS = "".join("%x t __kvm_nvhe_%s\n" % (ADDRESS[name], name)
                  for name in FUNCTIONS).encode() + b"ffff800080020000 T end\n"
RECORDED = "hyp_enter", "hyp_exit", "host_hcall"


class Trace:
    """
    What EL2 does on CPUs, one event after the other. tree: by the path of names, the first of
    which is the kind of EL2 entry, a list of calls and time of self.
    """

    def __init__(self):
        self.events, self.tree = {}, {}
        self.cpu, self.task = 0, 70
        self.now, self.stack = {}, []
        self.at_el2, self.pending, self.kind = False, [], None

    def add(self, name, lost=0, **values):
        at = BEGIN + self.now.setdefault(self.cpu, 0)
        self.events.setdefault(self.cpu, []).append((at, name, self.task, values, lost))

    def wait(self, ns):
        self.now[self.cpu] = self.now.get(self.cpu, 0) + ns
        if self.at_el2:
            self.pending.append((tuple(self.stack), 0, ns))

    def call(self, name, **values):
        self.add("funcgraph_entry", func=ADDRESS[name] + 8, depth=len(self.stack), **values)
        self.stack.append(name)
        self.pending.append((tuple(self.stack), 1, 0))

    def end(self, **values):
        name = self.stack.pop()
        self.add("funcgraph_exit", func=ADDRESS[name] + 8, depth=len(self.stack), **values)

    def enter(self, reason=HVC, hcall=None, lost=0):
        self.add("hyp_enter", reason=reason, lost=lost)
        self.at_el2 = True
        self.kind = "guest_exit" if reason == GUEST_EXIT else "hvc"
        if hcall is not None:
            self.add("host_hcall", id=hcall)
            self.kind += " %u" % hcall

    def leave(self, reason=ERET_HOST):
        self.add("hyp_exit", reason=reason)
        self.at_el2 = False
        self.count((), 1, 0)
        for path, calls, ns in self.pending:
            self.count(path, calls, ns)
        self.pending = []

    def count(self, path, calls, ns):
        for n in range(len(path) + 1):
            node = self.tree.setdefault((self.kind,) + path[:n], [0, 0])
        node[0] += calls
        node[1] += ns

    def pages(self):
        """A sub-buffer for each loss, and for each 40 events"""
        pages = {}
        for cpu, events in self.events.items():
            pages[cpu], group, lost = [], [], 0
            for event in events:
                if group and (event[4] != 0 or len(group) == 40):
                    pages[cpu].append(synth.page(group, lost))
                    group, lost = [], 0
                lost = lost if lost != 0 else event[4]
                group.append(event[:4])
            pages[cpu].append(synth.page(group, lost))
        return pages

    def write(self, path, recorded=RECORDED, **more):
        pages = self.pages()
        synth.write(path, {cpu: [] for cpu in pages}, pages, texts=synth.enabled(*recorded),
                    symbols=SYMBOLS, comms=b"70 vmm\n71 other\n", **more)

    def prime(self):
        """An entry that is cut: what ran when the recording began is not known"""
        self.add("hyp_enter", reason=HVC)
        self.wait(7)
        self.add("hyp_exit", reason=ERET_HOST)
        self.wait(13)


def some_calls(t, chance, depth=0):
    """Calls, with recursive ones, that take any time, also none"""
    for _ in range(chance.randrange(4 if depth < 4 else 1)):
        t.wait(chance.randrange(3) * 100)
        t.call(chance.choice(FUNCTIONS[2:]))
        some_calls(t, chance, depth + 1)
        t.wait(chance.randrange(200))
        t.end()
    t.wait(chance.randrange(50))


def guest_run(t, chance):
    t.call("run_vcpu")
    for _ in range(chance.randrange(1, 4)):
        some_calls(t, chance)
        t.leave(ERET_GUEST)
        t.wait(100000)
        t.enter(GUEST_EXIT)
        some_calls(t, chance)
    t.end()


def random_trace(seed, entries=60, outside=True):
    """outside: the function that handles entries is called before hyp_enter"""
    chance = random.Random(seed)
    t = Trace()
    for cpu in 0, 1:
        t.cpu = cpu
        t.prime()
        for _ in range(entries):
            if outside:
                t.call("handle_trap")
            t.wait(30)
            t.enter(HVC, chance.choice((5, 6)))
            some_calls(t, chance)
            if chance.randrange(3) == 0:
                guest_run(t, chance)
            t.leave()
            t.wait(20)
            if outside:
                t.end()
            t.wait(1000)
    return t
