# SPDX-License-Identifier: GPL-2.0
"""z3, as a process that is asked in SMT-LIB"""
import subprocess


class SolverError(Exception):
    pass


class Solver:
    def __init__(self):
        self.process = subprocess.Popen(['z3', '-in'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def tell(self, *lines):
        self.process.stdin.write('\n'.join(lines) + '\n')

    def answer(self, *expected):
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer not in expected:
            raise SolverError('z3 says "%s"' % answer)
        return answer == expected[0]

    def start(self, lines):
        self.tell('(reset)', '(set-option :model.completion true)', *lines)

    def possible(self, switches):
        """Is there an execution with these switches? @switches: constant => on"""
        self.tell('(check-sat-assuming (%s))' % ' '.join(
            constant if on else '(not %s)' % constant for constant, on in switches.items()))
        return self.answer('sat', 'unsat')

    def value(self, constant):
        """After possible(): is it true in the execution that was found?"""
        self.tell('(eval %s)' % constant)
        return self.answer('true', 'false')
