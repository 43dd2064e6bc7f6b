#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: stat_compare.py HYPTRACE FILE

Compares the output of 'hyptrace stat' with what this script computes from the text of
'hyptrace report' in another way: it keeps no state, but looks at pairs of events.
Prints TAP.
"""
import collections
import json
import re
import subprocess
import sys

LINE = re.compile(r'\[(\d+)\] +(\d+)\.(\d{9}) (hyp|host) +(.*)')
EVENT = re.compile(r'.*-\d+ +(\w+): (.*)')


class Events:
    """The events of each CPU: (ns, side, name, fields); a loss has the name None"""

    def __init__(self, text):
        self.cpus = collections.defaultdict(list)
        self.stamps = []
        for line in text.splitlines():
            match = LINE.match(line)
            if match:
                self.add(*match.groups())

    def add(self, cpu, seconds, nanoseconds, side, text):
        stamp = int(seconds) * 10**9 + int(nanoseconds)
        event = EVENT.match(text)
        if text.startswith('***'):
            event = (None, {})
        else:
            event = (event[1], dict(w.split('=', 1) for w in event[2].split() if '=' in w))
            self.stamps.append(stamp)
        self.cpus[int(cpu)].append((stamp, side, *event))


def stays(events):
    """Complete EL2 entries: (reason, exit's reason, start, end, hypercall)"""
    start = None
    for stamp, side, name, fields in events:
        if side != 'hyp':
            continue
        if name == 'hyp_enter':
            start, reason, call = stamp, fields['reason'], None
        elif name == 'vcpu_exit':
            reason = 'guest_exit ' + (fields['ec'] if fields['code'] == 'TRAP' else fields['code'])
        elif name == 'host_hcall':
            call = fields['id']
        elif name == 'hyp_exit' and start is not None:
            yield reason, fields['reason'], start, stamp, call
            start = None
        elif name is None or name == 'trace_on':
            start = None


def between(events, first, key, second, other):
    """Time from hyp_exit or hyp_enter (@first) to the opposite one right behind"""
    total = 0
    begin = None
    for stamp, side, name, fields in events:
        if side != 'hyp':
            continue
        if begin is not None and name == second and (fields['reason'] == 'guest_exit') == other:
            total += stamp - begin
        begin = stamp if name == first and fields['reason'] == key else None
    return total


def ways(events):
    """Durations of world switches: into guests, and out of them"""
    into, out = [], []
    entry = leave = None
    in_host = False
    for stamp, side, name, fields in events:
        if side == 'hyp':
            in_host = name == 'hyp_exit' and fields['reason'] == 'eret_host'
        if name in (None, 'trace_on', 'trace_off'):
            entry = leave = None
        elif name == 'kvm_entry':
            entry, leave = stamp, None
        elif name == 'hyp_exit' and fields['reason'] == 'eret_guest' and entry is not None:
            into.append(stamp - entry)
            entry = None
        elif name == 'hyp_enter' and fields['reason'] == 'guest_exit':
            leave = stamp
        elif name == 'kvm_exit':
            if leave is not None and in_host:
                out.append(stamp - leave)
            entry = leave = None
    return into, out


def summary(values):
    values = sorted(values)

    def percentile(percent):
        return next(v for i, v in enumerate(values, 1) if 1000 * i >= round(10 * percent) * len(values))

    return {'count': len(values), 'total': sum(values),
            'mean': (2 * sum(values) + len(values)) // (2 * len(values)),
            'p50': percentile(50), 'p90': percentile(90), 'p99': percentile(99),
            'max': values[-1], 'min': values[0], 'p999': percentile(99.9)}


def calls(all_stays):
    """Hypercalls without a guest run; the others are in the sum of the CPU"""
    found = collections.defaultdict(list)
    for reason, leave, start, end, call in all_stays:
        if reason == 'hvc' and leave == 'eret_host' and call:
            found[call].append(end - start)
    return found


failed = 0
number = 0


def expect(name, got, want):
    global failed, number
    number += 1
    if got != want:
        failed += 1
        print(f'# {name}: stat says {got}, the events say {want}')
    print(f'{"ok" if got == want else "not ok"} {number} {name}')


def named(rows):
    return {row.pop('name'): row for row in rows}


def main(hyptrace, path):
    def run(*args):
        return subprocess.run([hyptrace, *args, path], check=True, text=True,
                              errors='replace', stdout=subprocess.PIPE).stdout

    events = Events(run('report'))
    stat = json.loads(run('stat', '--json'))
    wall = max(events.stamps) - min(events.stamps)
    print('TAP version 13')
    expect('wall time', stat['wall'], wall)
    places = ('task', 'irq', 'softirq', 'idle', 'el2', 'guest', 'unknown')
    for row in stat['cpus']:
        cpu = row['cpu']
        expect(f'CPU {cpu}: the sum', sum(row[p] for p in places), wall)
        expect(f'CPU {cpu}: host', sum(row[place] for place in places[:4]),
               between(events.cpus[cpu], 'hyp_exit', 'eret_host', 'hyp_enter', False))
        expect(f'CPU {cpu}: guest', row['guest'],
               between(events.cpus[cpu], 'hyp_exit', 'eret_guest', 'hyp_enter', True))
    for place in places:
        expect(f'tasks: {place}', sum(row[place] for row in stat['tasks']),
               sum(row[place] for row in stat['cpus']))
    all_stays = [stay for cpu in events.cpus.values() for stay in stays(cpu)]
    reasons = collections.defaultdict(list)
    for reason, _, start, end, _ in all_stays:
        reasons[reason].append(end - start)
    want = {reason: summary(values) for reason, values in reasons.items()}
    expect('EL2 entries', named(stat['entries']), want)
    got = named(stat['hypercalls'])
    got.pop('__kvm_vcpu_run', None)
    expect('hypercalls', got, {k: summary(v) for k, v in calls(all_stays).items()
                               if k != '__kvm_vcpu_run'})
    into, out = map(lambda lists: sum(lists, []), zip(*map(ways, events.cpus.values())))
    expect('world switches', named(stat['switches']),
           {'kvm_entry to guest': summary(into), 'guest to kvm_exit': summary(out)})
    print(f'1..{number}')
    return 1 if failed else 0


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[0])
    sys.exit(main(*sys.argv[1:]))
