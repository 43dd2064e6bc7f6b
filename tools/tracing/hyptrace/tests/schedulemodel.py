# SPDX-License-Identifier: GPL-2.0
"""
Random schedules of CPUs, with events of other tasks in between, and where the time goes. It follows
from what the CPU does at each moment, not from the events.
"""
import random

import synth
from synth import S32, U32, U64

HVC, GUEST_EXIT, ERET_HOST, ERET_GUEST = 1, 5, 6, 7
BEGIN = 10**9
ENDED = 0x10, 0x20
SYSTEMS = {"sched_switch": "sched", "contention_begin": "lock", "sys_enter": "raw_syscalls",
           "irq_handler_entry": "irq", "irq_handler_exit": "irq", "softirq_entry": "irq",
           "softirq_exit": "irq", "ipi_entry": "ipi", "ipi_exit": "ipi"}
HANDLERS = {"irq_handler": "irq", "ipi": "irq", "softirq": "softirq"}
EVENTS = {name: (system, 210 + number, [(U32, "number")], '"%u", REC->number')
          for number, (name, system) in enumerate(SYSTEMS.items())}
EVENTS["sched_switch"] = ("sched", 210, [(S32, "prev_pid"), (U64, "prev_state"), (S32, "next_pid")],
                          '"%d %d", REC->prev_pid, REC->next_pid')
OTHERS = "contention_begin", "sys_enter"
RECORDED = "hyp_enter", "hyp_exit", *SYSTEMS
EMPTY = dict.fromkeys(("task", "el2", "guest", "irq", "softirq", "idle", "unknown"), 0)


class Tasks:
    """pids, of which one is used again when its task has ended"""

    def __init__(self):
        self.waiting, self.vcpu, self.nr = [], {}, 0
        for pid in range(70, 80):
            self.begin(pid)

    def begin(self, pid):
        self.waiting.append(pid)
        self.vcpu[pid] = None

    def take(self, chance):
        return self.waiting.pop(chance.randrange(len(self.waiting)))

    def end(self, pid):
        self.begin(pid)


class Cpu:
    """spans: (place, pid, vCPU, ns); host, hyp: events"""

    def __init__(self, chance, tasks, start):
        self.chance, self.tasks, self.now, self.task = chance, tasks, start, None
        self.host, self.hyp, self.spans, self.handlers = [], [], [], []

    def pass_to(self, now, place=None):
        place = place or (self.handlers[-1] if self.handlers else "task" if self.task else "idle")
        self.spans.append((place, self.task, self.tasks.vcpu.get(self.task), now - self.now))
        self.now = now

    def wait(self, most, place=None):
        self.pass_to(self.now + self.chance.randrange(most), place)

    def on_host(self, name, pid=None, **values):
        self.host.append((self.now, name, self.task if pid is None else pid, values))

    def at_el2(self, name, **values):
        self.hyp.append((self.now, name, self.task, values))

    def noise(self, pids):
        for _ in range(self.chance.randrange(3)):
            self.on_host(self.chance.choice(OTHERS), self.chance.choice(pids))
            self.wait(50)

    def switch(self):
        """The events that follow can still have the task before"""
        before, ends = self.task, self.task > 0 and not self.chance.randrange(4)
        after = self.tasks.take(self.chance) if self.chance.randrange(4) or not before else 0
        self.on_host("sched_switch", prev_pid=before, next_pid=after,
                     prev_state=self.chance.choice(ENDED) if ends else self.chance.randrange(3))
        if ends:
            self.tasks.end(before)
        elif before:
            self.tasks.waiting.append(before)
        self.task = after
        self.wait(50)
        self.noise((before, before, after, 99))

    def hypercall(self):
        self.at_el2("hyp_enter", reason=HVC)
        self.wait(300, "el2")
        self.at_el2("hyp_exit", reason=ERET_HOST)

    def run_guest(self):
        vcpu = self.tasks.vcpu[self.task] or (0x1000 + self.chance.randrange(3),
                                              self.chance.randrange(4))
        self.at_el2("hyp_enter", reason=HVC)
        self.wait(300, "el2")
        self.at_el2("vcpu_enter", vm=vcpu[0], vcpu=vcpu[1])
        self.tasks.vcpu[self.task] = vcpu
        self.wait(30, "el2")
        self.at_el2("hyp_exit", reason=ERET_GUEST, vcpu=self.task)
        self.wait(2000, "guest")
        self.at_el2("hyp_enter", reason=GUEST_EXIT, vcpu=self.task)
        self.wait(300, "el2")
        self.at_el2("hyp_exit", reason=ERET_HOST)

    def interrupt(self):
        """In which EL2 and more handlers can run"""
        name = self.chance.choice(list(HANDLERS))
        self.on_host(name + "_entry")
        self.handlers.append(HANDLERS[name])
        self.wait(200)
        if not self.chance.randrange(3):
            self.hypercall()
            self.wait(100)
        if not self.chance.randrange(3) and len(self.handlers) < 5:
            self.interrupt()
            self.wait(100)
        self.on_host(name + "_exit")
        self.handlers.pop()

    def begin(self):
        """The first events, which tell where the CPU is"""
        self.task = self.tasks.take(self.chance)
        self.hypercall()
        self.on_host("sys_enter")

    def work(self):
        what = self.chance.randrange(6)
        if what == 0:
            self.switch()
        elif what == 1:
            self.hypercall()
        elif what == 2 and self.task:
            self.run_guest()
        elif what > 3:
            self.interrupt()
        else:
            self.on_host(self.chance.choice(OTHERS))
        self.wait(500)


def pages(events):
    return [synth.page(events[n:n + 40]) for n in range(0, len(events), 40)]


class Schedule:
    """CPUs that take turns"""

    def __init__(self, seed, nr=3, steps=900):
        chance = random.Random(seed)
        tasks = Tasks()
        self.cpus = []
        now = BEGIN
        for _ in range(nr):
            self.cpus.append(Cpu(chance, tasks, now))
            self.cpus[-1].begin()
        # in order of time, so that a task runs on one CPU at a time
        for _ in range(steps):
            cpu = min(self.cpus, key=lambda c: c.now)
            cpu.work()
        end = max(cpu.now for cpu in self.cpus)
        for cpu in self.cpus:
            cpu.pass_to(end)
            cpu.on_host("sys_enter")

    def times(self, key):
        """{key(number of a CPU, task, vCPU): {place: ns}}, without None"""
        rows = {}
        for number, cpu in enumerate(self.cpus):
            for place, task, vcpu, ns in cpu.spans:
                row = rows.setdefault(key(number, task, vcpu), dict(EMPTY))
                row[place] += ns
        rows.pop(None, None)
        return {what: row for what, row in rows.items() if any(row.values())}

    def write(self, path):
        usual = synth.EVENTS
        synth.EVENTS = {**usual, **EVENTS}
        synth.write(path, {n: pages(cpu.host) for n, cpu in enumerate(self.cpus)},
                    {n: pages(cpu.hyp) for n, cpu in enumerate(self.cpus)},
                    texts=synth.enabled(*RECORDED))
        synth.EVENTS = usual
