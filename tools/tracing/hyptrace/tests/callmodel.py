# SPDX-License-Identifier: GPL-2.0
"""
Random calls of EL2 on some CPUs, of which a part is recorded, and what "hyptrace graph" has to say
of them. It follows from what ran at each moment, not from the events.
"""
import random

from graphs import ADDRESS, BEGIN, ERET_GUEST, ERET_HOST, GUEST_EXIT, HVC, Trace

RECURSIVE = ["walk", "visit", "flush"]


class Call:
    """name; path: the names above it; entry: the EL2 entry in which it is made"""

    def __init__(self, name, path, entry):
        self.name, self.path, self.entry = name, path + (name,), entry
        self.first = self.last = self.since = self.until = None


class Entry:
    """moments: (calls that run, ns); calls: made in it; resumed: that ran at its begin"""

    def __init__(self):
        self.kind = self.first = self.last = None
        self.moments, self.calls, self.resumed, self.whole = [], [], [], True


class Cpu:
    """One CPU. events: (ns, name, values); anchors: where nothing that ran before is left"""

    def __init__(self, chance, outside):
        self.chance, self.outside = chance, outside
        self.events, self.entries, self.anchors, self.returned = [], [], set(), []
        self.now, self.el2, self.inside, self.stack, self.entry = 0, 0, False, [], Entry()

    def add(self, name, **values):
        self.events.append((self.now, name, values))
        return len(self.events) - 1

    def wait(self, ns):
        self.now += ns
        if self.inside:
            self.el2 += ns
            self.entry.moments.append((tuple(call.name for call in self.stack), ns))

    def call(self, name):
        call = Call(name, self.stack[-1].path if self.stack else (), self.entry)
        call.first = self.add("funcgraph_entry", func=ADDRESS[name] + 8, depth=len(self.stack))
        call.since = self.el2
        if not self.stack:
            self.anchors.add(call.first)
        self.entry.calls.append(call)
        self.stack.append(call)

    def end(self):
        call = self.stack.pop()
        call.last = self.add("funcgraph_exit", func=ADDRESS[call.name] + 8, depth=len(self.stack))
        call.until = self.el2
        self.returned.append(call)

    def enter(self, reason):
        self.entry.resumed = [call for call in self.stack if call.entry != self.entry]
        self.entry.first = self.add("hyp_enter", reason=reason)
        self.entry.kind = "guest_exit"
        if reason == HVC:
            hypercall = self.chance.choice((5, 6))
            self.entry.kind = "hvc %u" % hypercall
            self.add("host_hcall", id=hypercall)
        self.inside = True

    def leave(self, reason):
        self.entry.last = self.add("hyp_exit", reason=reason)
        self.inside = False
        if reason == ERET_HOST:
            self.anchors.add(self.entry.last)
        self.entries.append(self.entry)
        self.entry = Entry()

    def some_calls(self, depth=0):
        for _ in range(self.chance.randrange(4 if depth < 2 else 3 if depth < 5 else 1)):
            self.wait(self.chance.randrange(3) * 100)
            self.call(self.chance.choice(RECURSIVE))
            self.some_calls(depth + 1)
            self.wait(self.chance.randrange(200))
            self.end()
        self.wait(self.chance.randrange(50))

    def guest_run(self, depth=0):
        """In the function that runs a guest, or in one that calls itself before it does"""
        self.call("run_vcpu")
        if not self.chance.randrange(3) and depth < 3:
            self.guest_run(depth + 1)
        for _ in range(self.chance.randrange(1, 4)):
            self.some_calls(3)
            self.leave(ERET_GUEST)
            self.wait(10000)
            self.enter(GUEST_EXIT)
            self.some_calls(3)
        self.end()

    def visit(self):
        if self.outside:
            self.call("handle_trap")
        self.wait(30)
        self.enter(HVC)
        self.some_calls()
        if not self.chance.randrange(3):
            self.guest_run()
        stuck = not self.chance.randrange(12)
        if stuck and not self.outside:
            self.call("lock")       # it does not return: the entry is not whole
            self.entry.whole = False
        self.wait(self.chance.randrange(9))
        self.leave(ERET_HOST)
        self.wait(20)
        if self.outside and not stuck:
            self.end()
        self.stack.clear()
        self.wait(1000)

    def record(self, losses):
        """=> the recorded events, each with how many were lost before it, and those' parts"""
        at = sorted(self.chance.sample(range(len(self.events)), 2 * losses + 2))
        self.parts = list(zip(at[::2], at[1::2]))
        events, lost = [], 0
        for first, last in self.parts:
            if events:
                lost = first - end
            for n, (ns, name, values) in enumerate(self.events[first:last]):
                events.append((BEGIN + ns, name, 70, values, 0 if n else lost))
            end = last
        return events

    def part_of(self, first, last):
        """Of two events with nothing lost between them"""
        return next((part for part in self.parts
                     if last is not None and part[0] <= first and last < part[1]), None)

    def is_measured(self, entry):
        part = self.part_of(entry.first, entry.last)
        return bool(part) and entry.whole and any(
            n in self.anchors for n in range(part[0], entry.first))


class Run:
    """What is recorded of all CPUs; of EL2 entries, only those of kinds"""

    def __init__(self, seed, outside, losses, kinds=None):
        chance = random.Random(seed)
        self.trace, self.cut, self.entries, self.durations = Trace(), 0, [], {}
        for n in range(3):
            cpu = Cpu(chance, outside)
            for _ in range(60):
                cpu.visit()
            self.trace.events[n] = cpu.record(losses)
            self.take(cpu, kinds)

    def take(self, cpu, kinds):
        complete = [e for e in cpu.entries if cpu.part_of(e.first, e.last)]
        measured = [e for e in complete if cpu.is_measured(e)]
        self.cut += len(complete) - len(measured)
        chosen = {e for e in measured if not kinds or e.kind in kinds}
        self.entries += sorted(chosen, key=lambda e: e.first)
        for call in cpu.returned:
            if call.entry in chosen and cpu.part_of(call.first, call.last):
                self.durations.setdefault(call.name, []).append(call.until - call.since)

    def moments(self):
        """(kind of EL2 entry, names of the functions that run), ns"""
        for entry in self.entries:
            for names, ns in entry.moments:
                yield (entry.kind,) + names, ns

    def begun(self):
        """(kind, names of the functions that run and of the one called), 0 made or 1 resumed"""
        for entry in self.entries:
            for made, calls in enumerate((entry.calls, entry.resumed)):
                for call in calls:
                    yield (entry.kind,) + call.path, made

    def ns(self):
        return sum(ns for _, ns in self.moments())

    def tree(self, joined=False):
        """{path: [calls, resumed, total, self]}"""
        tree = {}
        for path, made in self.begun():
            tree.setdefault(path[joined:], [0, 0, 0, 0])[made] += 1
        for entry in [] if joined else self.entries:
            tree.setdefault((entry.kind,), [0, 0, 0, 0])[0] += 1
        for path, ns in self.moments():
            path = path[joined:]
            for n in range(1, len(path) + 1):
                tree[path[:n]][2] += ns
            if path:
                tree[path][3] += ns
        return tree

    def functions(self):
        """{name: [calls, resumed, total, self]}"""
        rows = {}
        for path, made in self.begun():
            rows.setdefault(path[-1], [0, 0, 0, 0])[made] += 1
        for path, ns in self.moments():
            for name in set(path[1:]):
                rows[name][2] += ns
            if path[1:]:
                rows[path[-1]][3] += ns
        return rows

    def pairs(self):
        """{(caller, callee): [calls, resumed, total]}"""
        pairs = {}
        for path, made in self.begun():
            pairs.setdefault(path[-2:], [0, 0, 0])[made] += 1
        for path, ns in self.moments():
            for pair in set(zip(path, path[1:])):
                pairs[pair][2] += ns
        return pairs
