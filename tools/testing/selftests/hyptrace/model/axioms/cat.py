# SPDX-License-Identifier: GPL-2.0
"""The part of the language cat that armv8.cat uses.

A relation is a dictionary of pairs of events, a set one of events. Each value is the
condition under which the pair or the event is in it: True, or a formula of SMT-LIB.

Every alternative of a definition, and every axiom, has a switch: a Boolean of SMT-LIB.
If it is false, the model is without that clause.
"""
import re

TOKEN = re.compile(r'\s*([A-Za-z][\w.-]*|[|;&()\[\]])')
STATEMENT = re.compile(r'^(let|acyclic|empty)\s+', re.M)


def conj(*formulas):
    parts = [f for f in dict.fromkeys(formulas) if f is not True]
    if len(parts) < 2:
        return parts[0] if parts else True
    return '(and %s)' % ' '.join(parts)


def disj(*formulas):
    parts = list(dict.fromkeys(formulas))
    if True in parts:
        return True
    return parts[0] if len(parts) == 1 else '(or %s)' % ' '.join(parts)


def add(to, key, formula):
    to[key] = disj(to[key], formula) if key in to else formula


def union(*parts):
    result = {}
    for part in parts:
        for key, formula in part.items():
            add(result, key, formula)
    return result


def intersection(left, right):
    return {key: conj(left[key], right[key]) for key in left if key in right}


def sequence(left, right):
    result, successors = {}, {}
    for (a, b), formula in right.items():
        successors.setdefault(a, []).append((b, formula))
    for (a, b), formula in left.items():
        for c, then in successors.get(b, ()):
            add(result, (a, c), conj(formula, then))
    return result


def identity(events):
    return {(e, e): formula for e, formula in events.items()}


def events_range(relation):
    result = {}
    for (_, b), formula in relation.items():
        add(result, b, formula)
    return result


class Parser:
    """A tree of ("|" | ";" | "&", left, right), ("[]" | "range", inner), ("name", name)"""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        if ''.join(self.tokens) != re.sub(r'\s', '', text):
            raise SyntaxError('not understood: ' + text)

    def take(self, expected=None):
        token = self.tokens.pop(0) if self.tokens else ''
        if expected and token != expected:
            raise SyntaxError('"%s" instead of "%s"' % (token, expected))
        return token

    def binary(self, operators='|;&'):
        if not operators:
            return self.atom()
        left = self.binary(operators[1:])
        while self.tokens and self.tokens[0] == operators[0]:
            left = (self.take(), left, self.binary(operators[1:]))
        return left

    def inner(self, end):
        tree = self.binary()
        self.take(end)
        return tree

    def atom(self):
        token = self.take()
        if token == '(':
            return self.inner(')')
        if token == '[':
            return ('[]', self.inner(']'))
        if token == 'range':
            self.take('(')
            return ('range', self.inner(')'))
        if not token[:1].isalpha():
            raise SyntaxError('"%s" instead of a name' % token)
        return ('name', token)

    def all(self):
        tree = self.binary()
        if self.tokens:
            raise SyntaxError('"%s" is too much' % self.tokens[0])
        return tree


BINARY = {'|': union, ';': sequence, '&': intersection}


def evaluate(tree, env):
    kind = tree[0]
    if kind == 'name':
        return env[tree[1]]
    if kind == '[]':
        return identity(evaluate(tree[1], env))
    if kind == 'range':
        return events_range(evaluate(tree[1], env))
    return BINARY[kind](evaluate(tree[1], env), evaluate(tree[2], env))


class Clause:
    """An alternative of the definition @owner, or the axiom @owner"""

    def __init__(self, name, text, switch, extra=False):
        self.name = name
        self.tree = Parser(text).all()
        self.switch = switch
        self.extra = extra


class Model:
    """@extra: alternatives of "ob" that the model does not have; their switch is off"""

    def __init__(self, text, extra=()):
        self.clauses = []
        self.definitions = {}
        self.axioms = []
        text = re.sub(r'\(\*.*?\*\)', '', text, flags=re.S)
        parts = STATEMENT.split(text)[1:]
        for kind, body in zip(parts[::2], parts[1::2]):
            if kind == 'let':
                self.define(body, extra)
            else:
                self.require(kind, body)

    def clause(self, name, text, **options):
        clause = Clause(name, text, 'clause%d' % len(self.clauses), **options)
        self.clauses.append(clause)
        return clause

    def define(self, body, extra):
        name, _, expression = body.partition('=')
        name = name.strip()
        texts = [' '.join(text.split()) for text in expression.split('|')]
        self.definitions[name] = [self.clause(name + ': ' + text, text) for text in texts]
        if name == 'ob':
            self.definitions[name] += [self.clause(text, text, extra=True) for text in extra]

    def require(self, kind, body):
        expression, _, name = body.rpartition(' as ')
        self.axioms.append((kind, self.clause(name.strip(), expression)))

    def constraints(self, env):
        """The axioms for an execution, whose relations and sets are @env"""
        env = dict(env)
        for name, clauses in self.definitions.items():
            env[name] = union(*({pair: conj(formula, clause.switch)
                                 for pair, formula in evaluate(clause.tree, env).items()}
                                for clause in clauses))
        for kind, axiom in self.axioms:
            relation = evaluate(axiom.tree, env)
            for (a, b), formula in relation.items():
                then = 'false' if kind == 'empty' else '(< %s.%s %s.%s)' % (
                    axiom.switch, a, axiom.switch, b)
                yield '(=> %s %s)' % (conj(axiom.switch, formula), then)

    def ranks(self, events):
        """What constraints() needs to be declared: an axiom "acyclic" orders the events"""
        for clause in self.clauses:
            yield '(declare-const %s Bool)' % clause.switch
        for kind, axiom in self.axioms:
            if kind == 'acyclic':
                for event in events:
                    yield '(declare-const %s.%s Int)' % (axiom.switch, event)
