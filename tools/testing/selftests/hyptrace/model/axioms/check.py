#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: check.py [--kernel TREE] [NAME]...

Checks the barriers of the ring buffer with the memory model of Armv8, and prints TAP:

- The file "litmus" has litmus tests whose verdict is known. The model, armv8.cat, has to
  reach the same. Each of its clauses has to be needed for that.
- The file "pairs" has the racing accesses of the ring buffer, line by line of the source.
  Their outcome must not be possible, and has to be possible without the barriers that are
  named there, but not without fewer. This is checked with each way to do an exchange.
- Each barrier in the source has to be in "pairs", and each label in the overview.

  --kernel TREE   the patched kernel (default: build/linux)
  NAME            only these tests and fragments
"""
import argparse
import os
import sys

from cat import Model
from litmus import Execution, Program
from solver import Solver, SolverError
from source import EXCHANGES, PRIMITIVES, SourceError, Sources

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, *['..'] * 6))


class Tap:
    def __init__(self):
        self.results = []

    def result(self, ok, text, *comments):
        for comment in comments:
            print('# ' + comment)
        self.results.append(ok)
        print('%sok %d %s' % ('' if ok else 'not ', len(self.results), text), flush=True)

    def end(self):
        passed, failed = sum(self.results), self.results.count(False)
        print('1..%d' % len(self.results))
        print('# Totals: pass:%d fail:%d xfail:0 xpass:0 skip:0 error:0' % (passed, failed))
        return failed > 0


class Test:
    def __init__(self, kind, name):
        self.kind = kind
        self.name = name
        self.lines = []		# (thread or None, text)
        self.needs = []


def read_tests(name):
    """The tests of a file, and its lines that belong to none of them, by their first word"""
    tests, rest, thread = [], {'extra': [], 'implied': [], 'spare': []}, None
    with open(os.path.join(HERE, name), encoding='utf-8') as file:
        lines = [line for line in file.read().split('\n') if line.strip() and line[0] != '#']
    for line in lines:
        word, _, text = line.strip().partition(' ')
        if line[0] in '\t ':
            tests[-1].lines.append((thread, line.strip()))
        elif word in ('allowed', 'forbidden', 'fragment'):
            tests.append(Test(word, text))
        elif word in rest:
            rest[word].append(text)
        elif word in ('init', 'final'):
            tests[-1].lines.append((None, line))
        elif word == 'needs':
            tests[-1].needs.append(text)
        elif word == 'harmless':
            tests[-1].kind = word
        else:
            thread = word
    return tests, rest


#
# The model
#

def axioms(model):
    return {clause.switch: not clause.extra for clause in model.clauses}


def program_of(test):
    program = Program()
    for thread, text in test.lines:
        if thread and thread != program.thread:
            program.start_thread(thread)
        program.add(text)
    return program


def check_litmus(tap, solver, model, tests):
    """Return: the tests whose verdict changes without each clause, or with an extra one"""
    changed = {clause.name: [] for clause in model.clauses}
    normal = axioms(model)
    for test in tests:
        solver.start(Execution(program_of(test), model).lines)
        possible = solver.possible(normal)
        tap.result(possible == (test.kind == 'allowed'), '%s is %s' % (test.name, test.kind))
        for clause in model.clauses:
            # The other clauses can only confirm the verdict
            if clause.extra == possible and \
               solver.possible({**normal, clause.switch: clause.extra}) != possible:
                changed[clause.name].append(test.name)
    return changed


def check_clauses(tap, model, changed, implied):
    for clause in model.clauses:
        tests = changed[clause.name]
        text = '%s "%s", ' % ('with' if clause.extra else 'without', clause.name)
        if clause.name in implied:
            tap.result(not tests, text + 'no verdict changes')
        else:
            tap.result(bool(tests), text + 'the verdict of %s changes' %
                       (tests[0] if tests else 'some test'))


#
# The fragments
#

class Fragment:
    """A test of "pairs" as the source has it. @exchange: how a cmpxchg() is done"""

    def __init__(self, test, sources, exchange):
        self.sources = sources
        self.exchange = exchange
        self.program = Program()
        self.barriers = {}	# name => sites
        self.previous = None	# path, site and order of the line before
        for thread, text in test.lines:
            if thread and thread != self.program.thread:
                self.program.start_thread(thread)
                self.previous = None
            self.add(text)

    def add(self, text):
        access, *where = [part.strip() for part in text.split('|')]
        operations = [access]
        if access == 'again':
            self.previous = None
            return
        if where:
            operations = self.operations(access, self.find(where[0].split('/'), where[1]))
        for operation in operations:
            self.program.add(operation, switched=True)

    def find(self, path, text):
        """The site of a line, which has to come after the one before it"""
        old_path, old_site, old_order = self.previous or ([None], None, None)
        after = old_site.line.number if path == old_path else 0
        site, order = self.sources.position(path, text, after)
        if path[0] == old_path[0] and order <= old_order:
            raise SourceError('%s() has "%s" before "%s"' % (
                path[0], text, old_site.line.code.strip()))
        self.previous = path, site, order
        return site

    def operations(self, access, site):
        """An access as the source has it: "R x 1" becomes "R.A x 1" for an acquire"""
        name, _, operation = access.rpartition(': ')
        kind, _, args = operation.partition(' ')
        if not site.line.primitive and not name and kind in ('R', 'W'):
            return [access]
        self.check_barrier(name, kind, site)
        self.barriers.setdefault(name, set()).add(site)
        if kind != 'X':
            return [('%s: %s %s' % (name, PRIMITIVES[site.line.primitive][1], args)).rstrip()]
        exchange, *fence = EXCHANGES[self.exchange]
        return ['%s: %s %s' % (name, exchange, args)] + ['%s: %s' % (name, f) for f in fence]

    @staticmethod
    def check_barrier(name, kind, site):
        line, label = site.line, name.split('.')[0] if '.' in name else None
        if PRIMITIVES.get(line.primitive, [None])[0] != kind:
            raise SourceError('%s:%d: %s is not what the fragment has' % (
                site.file, line.number, line.primitive or 'a plain access'))
        if not name or label != line.label:
            raise SourceError('%s:%d: the label is %s, and the fragment has "%s"' % (
                site.file, line.number, line.label or 'missing', name))


def without(model, names, removed):
    return {**axioms(model), **{'barrier.' + name: name not in removed for name in names}}


def find_cuts(solver, model, names):
    """All smallest sets of barriers without which the outcome is possible"""
    cuts = []
    while solver.possible(axioms(model)):
        removed = {name for name in names if not solver.value('barrier.' + name)}
        for name in sorted(removed):
            if solver.possible(without(model, names, removed - {name})):
                removed.remove(name)
        cuts.append(frozenset(removed))
        solver.tell('(assert (or false %s))' % ' '.join('barrier.' + n for n in sorted(removed)))
    return cuts


def show(cuts):
    return ', '.join(sorted('needs ' + (' | '.join(sorted(cut)) or 'more than it has')
                            for cut in cuts)) or 'needs nothing'


def expected_cuts(test):
    if test.kind == 'harmless':
        return {frozenset()}
    return {frozenset(need.split(' | ')) for need in test.needs if need != 'nothing'}


def check_fragment(tap, solver, model, test, fragment):
    """Return: the sites of its barriers that are needed"""
    names = fragment.program.switches
    execution = Execution(fragment.program, model)
    solver.start(execution.lines)
    comments = []
    if solver.possible(without(model, names, ())) and test.kind != 'harmless':
        comments = list(execution.witness(solver))
    cuts, expected = find_cuts(solver, model, names), expected_cuts(test)
    ok = set(cuts) == expected and (test.kind == 'harmless' or test.needs != [])
    if not ok:
        comments += ['found: ' + show(cuts), 'expected: ' + show(expected)]
    found = 'harmless' if ok and test.kind == 'harmless' else show(cuts)
    how = ' with ' + fragment.exchange if fragment.program.pairs['rmw'] else ''
    tap.result(ok, '%s%s: %s' % (test.name, how, found), *comments)
    needed = set().union(*cuts)
    return {site for name, sites in fragment.barriers.items() if name in needed
            for site in sites}


def check_fragments(tap, solver, model, sources, tests):
    """Return: sites by the names of barriers, and the sites that are needed"""
    names, needed = {}, set()
    for test in tests:
        for exchange in EXCHANGES:
            try:
                fragment = Fragment(test, sources, exchange)
            except SourceError as error:
                tap.result(False, '%s: %s' % (test.name, error))
                break
            needed |= check_fragment(tap, solver, model, test, fragment)
            for name, sites in fragment.barriers.items():
                names.setdefault(name, set()).update(sites)
            if not fragment.program.pairs['rmw']:
                break
    return names, needed


#
# The source
#

def describe(site):
    return '%s:%d: %s(): %s' % (site.file, site.line.number, site.function,
                                site.line.code.strip())


def check_sources(tap, sources, names, needed, spare):
    barriers = set(sources.barriers())
    known = set().union(*names.values())
    spares = set().union(*(names[name] for name in spare if name in names))
    wrong = list(sources.wrong_instructions())
    tap.result(not wrong, 'the barriers are the instructions that the fragments have', *wrong)

    labels = {site.line.label for site in barriers} - {None}
    tap.result(labels == sources.overview, 'the overview has the labels in the code: %s, %s' % (
        ' '.join(sorted(sources.overview)), ' '.join(sorted(labels))))

    lost = sorted(map(describe, barriers - known))
    tap.result(not lost, 'each barrier is in a fragment', *lost)

    idle = sorted('needed by none: ' + describe(site) for site in known - needed - spares)
    idle += sorted('spare, but needed: ' + describe(site) for site in spares & needed)
    tap.result(not idle, 'each barrier is needed, but for those that are said to be spare', *idle)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n', 1)[0][7:], add_help=False)
    parser.add_argument('-h', '--help', action='store_true')
    parser.add_argument('--kernel', default=os.path.join(ROOT, 'build/linux'))
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    if args.help:
        print(__doc__.rstrip())
        sys.exit()
    return args


def main():
    args = arguments()
    litmus, model_lines = read_tests('litmus')
    pairs, source_lines = read_tests('pairs')
    with open(os.path.join(HERE, 'armv8.cat'), encoding='utf-8') as file:
        model = Model(file.read(), model_lines['extra'])
    sources = Sources(ROOT, args.kernel)
    litmus, pairs = [[test for test in tests if not args.names or test.name in args.names]
                     for tests in (litmus, pairs)]
    tap, solver = Tap(), Solver()
    print('TAP version 13')
    changed = check_litmus(tap, solver, model, litmus)
    if not args.names:
        check_clauses(tap, model, changed, model_lines['implied'])
    names, needed = check_fragments(tap, solver, model, sources, pairs)
    if not args.names:
        check_sources(tap, sources, names, needed, source_lines['spare'])
    return tap.end()


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (OSError, SolverError, SyntaxError) as error:
        sys.exit('check.py: %s' % error)
