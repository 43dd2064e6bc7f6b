# SPDX-License-Identifier: GPL-2.0
"""Litmus tests: a few threads, and an outcome.

A test is a list of threads, each of them a list of events, one a line:

    [NAME:] OPERATION [LOCATION VALUE...] [DEPENDENCY...]

    R x 1         a load that reads 1; "R x ?" may read anything
    W x 1         a store
    CAS x 0 1     a compare-and-swap that reads 0 and stores 1, in one instruction
    LLSC x 0 1    the same by exclusives, a load and a store
    F.ish         a barrier; also F.ishld, F.ishst, ISB
    addr(NAME)    at the end of a line: its address depends on what NAME has loaded;
                  data(NAME): what it stores; ctrl(NAME): whether it is executed,
                  and all that follows in this thread

.A and .L after an operation are acquire and release. Each location is 0 in the
beginning, or what a line "init x 1" says. The outcome is that each load reads the value
that is given, and that "final x 1" holds at the end.
"""
import re

from cat import conj, disj

LINE = re.compile(r'^(?:([\w.-]+):\s+)?([A-Za-z][\w.]*)((?:\s+[\w?.]+)*?)((?:\s+\w+\([\w.-]+\))*)$')
FENCES = {'F.ish': 'DMB.ISH', 'F.ishld': 'DMB.ISHLD', 'F.ishst': 'DMB.ISHST', 'ISB': 'ISB'}
SETS = ['R', 'W', 'A', 'L'] + list(FENCES.values())


class Event:
    def __init__(self, number, thread, text, loc=None, value=None):
        self.id = 'e%d' % number
        self.thread = thread
        self.text = text
        self.loc = loc
        self.value = value
        self.sets = {}


class Program:
    """The events of a litmus test, and the relations between them that are known"""

    def __init__(self):
        self.events = []
        self.pairs = {'rmw': {}, 'amo': {}, 'addr': {}, 'data': {}, 'ctrl': {}}
        self.init = {}
        self.final = {}
        self.switches = []
        self.named = {}
        self.thread = None
        self.controls = []

    def start_thread(self, name):
        self.thread = name
        self.controls = []

    def new(self, text, sets, switch, loc=None, value=None):
        """@sets: those of SETS that it is in; @switch: when it is a barrier"""
        event = Event(len(self.events), self.thread, '%s: %s' % (self.thread, text), loc, value)
        for name in sets:
            event.sets[name] = True if name in ('R', 'W') else switch
        for source in self.controls:
            self.pairs['ctrl'][source.id, event.id] = True
        self.events.append(event)
        return event

    def switch(self, name):
        """The condition under which the barrier @name is there"""
        if name is None:
            return True
        if name not in self.switches:
            self.switches.append(name)
        return 'barrier.' + name

    def add(self, text, switched=False):
        """One line of a test. @switched: what has a name is a barrier that can be removed"""
        match = LINE.match(text)
        if not match:
            raise SyntaxError(text)
        name, operation, args, dependencies = match.groups()
        switch = self.switch(name) if switched else True
        args = args.split()
        before = len(self.events)
        if operation in ('init', 'final'):
            getattr(self, operation)[args[0]] = int(args[1])
        elif operation in FENCES:
            self.new(text, [FENCES[operation]], switch)
        else:
            self.access(text, operation.split('.'), args, switch)
        for kind, source in re.findall(r'(\w+)\((.*?)\)', dependencies):
            self.depend(kind, self.named[source], self.events[before:])
        if name and len(self.events) > before:
            self.named[name] = self.events[before]

    def access(self, text, operation, args, switch):
        kind, order = operation[0], operation[1:]
        loc, values = args[0], [None if v == '?' else int(v) for v in args[1:]]
        if kind in ('R', 'W') and len(values) == 1:
            self.new(text, [kind] + order, switch, loc, values[0])
        elif kind in ('CAS', 'LLSC') and len(values) == 2:
            self.exchange(text, kind, order, loc, values, switch)
        else:
            raise SyntaxError(text)

    def exchange(self, text, kind, order, loc, values, switch):
        load = self.new(text, ['R'] + [o for o in order if o == 'A'], switch, loc, values[0])
        store = self.new(text, ['W'] + [o for o in order if o == 'L'], switch, loc, values[1])
        self.pairs['rmw'][load.id, store.id] = True
        if kind == 'CAS':
            self.pairs['amo'][load.id, store.id] = True

    def depend(self, kind, source, events):
        if kind == 'ctrl':
            self.controls.append(source)
        for event in events:
            self.pairs[kind][source.id, event.id] = True


class Execution:
    """The executions of a program that have its outcome, as SMT-LIB in @lines"""

    def __init__(self, program, model):
        self.program = program
        self.events = list(program.events)
        self.lines = []
        for loc in sorted({e.loc for e in self.events if e.loc}):
            event = Event(len(self.events), None, 'the beginning', loc, program.init.get(loc, 0))
            event.sets['W'] = True
            self.events.append(event)
        self.loads = [e for e in self.events if 'R' in e.sets]
        self.stores = [e for e in self.events if 'W' in e.sets]
        for name in program.switches:
            self.declare('barrier.' + name, 'Bool')
        self.lines += model.ranks([e.id for e in self.events])
        for formula in model.constraints(self.relations()):
            self.assume(formula)

    def assume(self, formula):
        self.lines.append('(assert %s)' % formula)

    def declare(self, name, sort):
        self.lines.append('(declare-const %s %s)' % (name, sort))
        return name

    def stores_to(self, loc):
        return [e for e in self.stores if e.loc == loc]

    def reads_from(self):
        """Each load reads one store, which has its value"""
        rf = {}
        for load in self.loads:
            choices = [self.declare('rf.%s.%s' % (store.id, load.id), 'Bool')
                       for store in self.stores_to(load.loc)]
            self.assume('(or false %s)' % ' '.join(choices))
            self.assume('((_ at-most 1) %s)' % ' '.join(choices))
            for store, choice in zip(self.stores_to(load.loc), choices):
                if load.value not in (None, store.value):
                    self.assume('(not %s)' % choice)
                else:
                    rf[store.id, load.id] = choice
        return rf

    def coherence(self):
        """The stores to a location are in a total order, the beginning first"""
        co = {}
        for store in self.stores:
            rank = self.declare('co.' + store.id, 'Int')
            self.assume('(%s %s 0)' % ('=' if store.thread is None else '>', rank))
            for other in self.stores_to(store.loc):
                if other is not store:
                    co[store.id, other.id] = '(< co.%s co.%s)' % (store.id, other.id)
        for a, b in co:
            self.assume('(distinct co.%s co.%s)' % (a, b))
        return co

    def outcome(self, co):
        for loc, value in self.program.final.items():
            stores = self.stores_to(loc)
            self.assume('(or false %s)' % ' '.join(
                conj('true', *(co[other.id, last.id] for other in stores if other is not last))
                for last in stores if last.value == value))

    def from_reads(self, rf, co):
        """From a load to the stores after the one that it reads"""
        fr = {}
        for (store, load), choice in rf.items():
            for (a, b), after in co.items():
                if a == store:
                    fr.setdefault((load, b), []).append(conj(choice, after))
        return {pair: disj(*formulas) for pair, formulas in fr.items()}

    def relations(self):
        """What armv8.cat begins with"""
        rf, co = self.reads_from(), self.coherence()
        self.outcome(co)
        env = dict(self.program.pairs, rf=rf, co=co, fr=self.from_reads(rf, co))
        threads = {e.id: e.thread for e in self.events}
        inside = {(a.id, b.id): a.loc is not None and a.loc == b.loc
                  for i, a in enumerate(self.events) for b in self.events[i + 1:]
                  if a.thread is not None and a.thread == b.thread}
        env['po'] = {pair: True for pair in inside}
        env['po-loc'] = {pair: True for pair, same in inside.items() if same}
        for name in ('rf', 'co', 'fr'):
            internal = {(a, b) for a, b in env[name] if threads[a] and threads[a] == threads[b]}
            env[name + 'i'] = {pair: f for pair, f in env[name].items() if pair in internal}
            env[name + 'e'] = {pair: f for pair, f in env[name].items() if pair not in internal}
        for name in SETS:
            env[name] = {e.id: e.sets[name] for e in self.events if name in e.sets}
        return env

    def witness(self, solver):
        """Which store each load reads, in an execution that was found"""
        stores = {e.id: e for e in self.stores}
        for load in self.loads:
            for store in self.stores_to(load.loc):
                if solver.value('rf.%s.%s' % (store.id, load.id)):
                    yield '%s  <-  %s' % (load.text, stores[store.id].text)
