# SPDX-License-Identifier: GPL-2.0
"""Made-up recordings of vCPUs, hypercalls and other tasks, at random; the same for the same seed."""
import os
import random

import synth
from synth import S32, U64

HVC, HOST_ABORT, GUEST_EXIT, ERET_HOST, ERET_GUEST = 1, 4, 5, 6, 7
TRAP = 2
EXITS = 0x1, 0x16, 0x24
BASE = 10**9
CPUS = 3
synth.EVENTS["sched_switch"] = ("sched", 210, [(S32, "prev_pid"), (U64, "prev_state"), (S32, "next_pid")],
                                '"%d %d", REC->prev_pid, REC->next_pid')
CALLS = (None, "__pkvm_host_share_hyp", "__pkvm_host_unshare_hyp", "__kvm_tlb_flush_vmid",
         "__kvm_timer_set_cntvoff", "__kvm_vcpu_run")
synth.EVENTS["host_hcall"] = synth.EVENTS["host_hcall"][:3] + (
    '"id=%s invalid=%u", ' + synth.symbols("id", *CALLS) + ", REC->invalid",)
WHOLE = "hyp_enter", "hyp_exit", "sched_switch", "mem_transition", "guest_mem"
COMMS = b"".join(b"%d vmm%d\n" % (70 + n, n) for n in range(CPUS)) + b"80 hog\n81 a\\tb\n"
UNAME = b"Linux box 6.12.99 aarch64"


class Cpu:
    """The events of a CPU, at random"""

    def __init__(self, number, chance, slow, costs):
        self.number, self.chance, self.slow, self.costs = number, chance, slow, costs
        self.ts, self.pid = BASE + number, 70 + number
        self.host, self.hyp = [], []

    def wait(self, most):
        self.ts += self.chance.randint(1, most) * self.slow

    def on_host(self, name, **values):
        self.host.append((self.ts, name, self.pid, values))
        self.wait(50)

    def at_el2(self, name, most=100, **values):
        self.hyp.append((self.ts, name, self.pid, values))
        self.wait(most)

    def hypercall(self):
        self.at_el2("hyp_enter", reason=HVC)
        number = self.chance.randint(1, 4)
        self.at_el2("host_hcall", self.costs.get(CALLS[number], 400), id=number)
        if self.chance.random() < 0.3:
            self.at_el2("mem_transition", op=self.chance.randint(0, 2), to=1, nr_pages=1,
                        pfn=self.chance.randint(1, 20))
        self.at_el2("hyp_exit", reason=ERET_HOST)

    def switch(self, task):
        self.on_host("sched_switch", prev_pid=self.pid, prev_state=self.chance.randint(0, 1),
                     next_pid=task)
        self.pid = task

    def run_guest(self):
        self.on_host("kvm_entry")
        self.at_el2("hyp_enter", reason=HVC)
        self.at_el2("host_hcall", id=CALLS.index("__kvm_vcpu_run"))
        if self.chance.random() < 0.9:
            self.at_el2("vcpu_enter", vm=0x1000 + self.pid, vcpu=self.chance.randint(0, 1))
        for again in range(self.chance.randint(1, 2)):
            self.at_el2("hyp_exit", 900, reason=ERET_GUEST, vcpu=self.pid)
            self.at_el2("hyp_enter", reason=GUEST_EXIT, vcpu=self.pid)
            self.at_el2("vcpu_exit", code=TRAP, esr=self.chance.choice(EXITS) << 26)
        self.at_el2("hyp_exit", reason=ERET_HOST)
        self.on_host("kvm_exit")

    def work(self, steps):
        for _ in range(steps):
            what = self.chance.random()
            if what < 0.5 and self.pid < 80:
                self.run_guest()
            elif what < 0.7:
                self.hypercall()
            elif what < 0.8:
                self.at_el2("hyp_enter", self.costs.get("abort", 100), reason=HOST_ABORT)
                self.at_el2("hyp_exit", 3000, reason=ERET_HOST)
            else:
                self.switch(70 + self.number if self.pid >= 80 else self.chance.choice((80, 81)))
            self.wait(500)


def pages(events, chance, losses):
    """Some of them have losses"""
    out = []
    for i in range(0, len(events), 40):
        lost = chance.choice((0, 0, 3, None)) if losses and i else 0
        out.append(synth.page(events[i:i + 40], lost=lost))
    return out


def recording(directory, seed, slow=1, steps=150, losses=True, name=None, uname=UNAME, costs=()):
    """A file. Time passes SLOW times as fast; COSTS: {name of a hypercall, or abort: its longest time}"""
    chance = random.Random(seed)
    cpus = [Cpu(number, chance, slow, dict(costs)) for number in range(CPUS)]
    for cpu in cpus:
        cpu.work(steps)
    path = os.path.join(directory, name or "%d-%d.dat" % (seed, slow))
    synth.write(path, {c.number: pages(c.host, chance, losses) for c in cpus},
                {c.number: pages(c.hyp, chance, losses) for c in cpus},
                texts=synth.enabled(*WHOLE), comms=COMMS, uname=uname)
    return path
