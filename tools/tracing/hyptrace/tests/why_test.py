#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: why_test.py HYPTRACE

What "hyptrace why" blames for delays whose causes are planted. TAP.
"""
import json
import os
import sys

import synth
from synth import S32, U8, U16, U32, U64
from tap import attempt_each, equal, finish, result, run

HYPTRACE = sys.argv[1]

HVC, GUEST_EXIT, ERET_HOST, ERET_GUEST = 1, 5, 6, 7
TRAP = 2
EXITS = {"IRQ": 0, "WFx": 1, "HVC64": 0x16, "DABT_LOW": 0x24}
VCPU, OTHER, HOG = 70, 71, 80
COMMS = b"70 vmm\n71 vmm\n80 hog\n"
SLEEP = 101     # nanosleep
MIN, MS = 10**9, 10**6

synth.EVENTS.update({
    "tlb_flush": ("hypervisor", 122, [(U8, "kind")],
                  '"kind=%s", __print_symbolic(REC->kind, { 1, "vmid" })'),
    "vm_teardown": ("hypervisor", 126, [(U32, "vm"), (S32, "ret")], '"vm=0x%x", REC->vm'),
    "psci_cpu_off": ("hypervisor", 123, [(U64, "mpidr")], '"mpidr=0x%llx", REC->mpidr'),
    "psci_cpu_entry": ("hypervisor", 124, [(U64, "pc")], '"pc=0x%llx", REC->pc'),
    "psci_cpu_suspend": ("hypervisor", 125, [(U64, "state")], '"state=0x%llx", REC->state'),
    "sched_switch": ("sched", 210, [(S32, "prev_pid"), (U64, "prev_state"), (S32, "next_pid")],
                     '"%d %d", REC->prev_pid, REC->next_pid'),
    "sched_waking": ("sched", 211, [(S32, "pid"), (S32, "target_cpu")], '"%d", REC->pid'),
    "sched_wakeup": ("sched", 212, [(S32, "pid"), (S32, "target_cpu")], '"%d", REC->pid'),
    "sched_migrate_task": ("sched", 213, [(S32, "pid"), (S32, "dest_cpu")], '"%d", REC->pid'),
    "irq_handler_entry": ("irq", 220, [(S32, "irq")], '"irq=%d name=uart", REC->irq'),
    "irq_handler_exit": ("irq", 221, [(S32, "irq")], '"irq=%d", REC->irq'),
    "softirq_entry": ("irq", 222, [(U32, "vec")],
                      '"vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 1, "TIMER" })'),
    "softirq_exit": ("irq", 223, [(U32, "vec")], '"vec=%u", REC->vec'),
    "ipi_entry": ("ipi", 224, [], '""'),
    "ipi_exit": ("ipi", 225, [], '""'),
    "sys_enter": ("raw_syscalls", 230, [(U64, "id")], '"NR %lld", REC->id'),
    "sys_exit": ("raw_syscalls", 231, [(U64, "id")], '"NR %lld", REC->id'),
    "contention_begin": ("lock", 240, [(U32, "flags")], '"%u", REC->flags'),
    "contention_end": ("lock", 241, [(U32, "ret")], '"%u", REC->ret'),
    "kvm_userspace_exit": ("kvm", 202, [(U32, "reason")], '"%u", REC->reason'),
    "kvm_vcpu_wakeup": ("kvm", 203, [(U64, "ns")], '"%llu", REC->ns'),
    "kvm_mmio": ("kvm", 204, [(U32, "type")], '"%u", REC->type'),
})
WHOLE = [name for name, event in synth.EVENTS.items()
         if event[0] and name not in ("markup", "kvm_entry", "kvm_exit")]


class Trace:
    """Events of some CPUs; times are in ns from the beginning"""

    def __init__(self):
        self.events = {}

    def add(self, where, ts, name, pid, values):
        lost = values.pop("lost", 0)
        self.events.setdefault(where, []).append((MIN + ts, name, pid, values, lost))

    def host(self, cpu, ts, name, by=VCPU, **values):
        self.add(("host", cpu), ts, name, by, values)

    def hyp(self, cpu, ts, name, by=VCPU, **values):
        self.add(("hyp", cpu), ts, name, by, values)

    def entry(self, cpu, ts, vcpu=0, task=VCPU):
        """A stay at EL2 of 100 ns that ends in the guest"""
        self.hyp(cpu, ts - 100, "hyp_enter", task, reason=HVC)
        self.hyp(cpu, ts - 90, "host_hcall", task, id=7)
        self.hyp(cpu, ts - 50, "vcpu_enter", task, vm=0x1003, vcpu=vcpu)
        self.hyp(cpu, ts, "hyp_exit", task, reason=ERET_GUEST, vcpu=task)

    def leave(self, cpu, ts, why="IRQ", task=VCPU, hpfar=0):
        """A stay at EL2 of 100 ns that begins in the guest"""
        self.hyp(cpu, ts, "hyp_enter", task, reason=GUEST_EXIT, vcpu=task)
        self.hyp(cpu, ts + 10, "vcpu_exit", task, esr=EXITS[why] << 26, hpfar=hpfar,
                 code=0 if why == "IRQ" else TRAP)
        self.hyp(cpu, ts + 100, "hyp_exit", task, reason=ERET_HOST)

    def switch(self, cpu, ts, prev, nxt, state=0):
        self.host(cpu, ts, "sched_switch", prev, prev_pid=prev, prev_state=state, next_pid=nxt)

    def pages(self, side):
        """A sub-buffer for each loss, and for each 40 events"""
        pages = {}
        for (where, cpu), events in self.events.items():
            if where != side:
                continue
            pages[cpu], group, lost = [], [], 0
            for event in events:
                if group and (event[4] or len(group) == 40):
                    pages[cpu].append(synth.page(group, lost))
                    group, lost = [], 0
                lost = lost or event[4]
                group.append(event[:4])
            pages[cpu].append(synth.page(group, lost))
        return pages

    def write(self, path, recorded=None):
        host, hyp = self.pages("host"), self.pages("hyp")
        for cpu in set(host) ^ set(hyp):
            (host if cpu not in host else hyp)[cpu] = []
        synth.write(path, host, hyp, comms=COMMS,
                    texts=synth.enabled(*(WHOLE if recorded is None else recorded)))


def why(*arguments):
    done = run(HYPTRACE, "why", *arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def analyze(directory, trace, *arguments, recorded=None):
    """The JSON, of which each delay was checked to be the sum of its parts"""
    path = os.path.join(directory, "why.dat")
    trace.write(path, recorded)
    status, out, said = why("--json", path, *arguments)
    assert status == 0 and not said, said
    whole = json.loads(out)
    for vcpu in whole["vcpus"]:
        for delay in vcpu["worst"]:
            check_sums(delay)
    return whole


def check_sums(delay):
    at = delay["start"]
    for piece in delay["timeline"]:
        assert piece["start"] == at and piece["end"] > at, "a gap: %r" % (piece,)
        at = piece["end"]
    assert at == delay["end"] == delay["start"] + delay["ns"], "the end: %r" % (delay,)
    assert sum(part["ns"] for part in delay["parts"]) == delay["ns"], "the sum: %r" % (delay,)


def worst(whole, vcpu=0):
    return whole["vcpus"][vcpu]["worst"][0]


def parts(delay):
    return {(part["part"], part["what"]): part["ns"] for part in delay["parts"]}


def blamed(what, delay, who, want=None):
    """The sentence begins with @who, and the parts are @want, if it is given"""
    problems = [] if delay["blame"].startswith(who) else ["blame: " + delay["blame"], "want:  " + who]
    if want is not None and parts(delay) != want:
        problems += ["got  %r" % parts(delay), "want %r" % want]
    result(what, problems)


LEAVE, ENTER = ("el2", "exit IRQ"), ("el2", "hypercall 7")
KERNEL = ("kernel", "KVM_RUN")


def test_hog(directory):
    """A task of higher priority takes the CPU; the vCPU's task then runs on another one"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.switch(0, 3000, VCPU, HOG, 0x100)
    t.host(1, 5 * MS, "sched_migrate_task", 0, pid=VCPU, dest_cpu=1)
    t.switch(1, 5 * MS + 500, 0, VCPU)
    t.entry(1, 5 * MS + 1000)
    delay = worst(analyze(directory, t))
    blamed("a task of higher priority", delay, "hog-80, which ran on CPU 0 instead of the vCPU's "
           "task, took 100.0 % of the time after exit IRQ.", {
        LEAVE: 100, KERNEL: 900 + 400, ("runnable", "hog-80"): 5 * MS - 3000,
        ("runnable", "nothing"): 500, ENTER: 100})
    equal("the place", (delay["page"].split("/")[-1], delay["cpu"], delay["after"]),
          ("why.html#from=1.000002000&to=1.005001000", 1, "exit IRQ"))
    no_migration = worst(analyze(directory, t, recorded=[n for n in WHOLE if n != "sched_migrate_task"]))
    equal("the same, where another CPU was not expected",
          parts(no_migration)[("runnable", "hog-80")], 5 * MS - 3000)
    stale = Trace()
    stale.events = {key: list(events) for key, events in t.events.items()}
    stale.host(0, 3200, "contention_end", VCPU)    # the lock of the run queue
    equal("an event of the task before, after sched_switch",
          parts(worst(analyze(directory, stale))), parts(delay))
    del t.events[("host", 1)][0]
    blamed("a migration that nobody saw", worst(analyze(directory, t)), "something unknown", {
        LEAVE: 100, KERNEL: 1300, ("runnable", "something unknown"): 5 * MS - 2500, ENTER: 100})


def test_hogs(directory):
    """Many tasks, of which none is to blame by itself; and the delay of a task that has ended"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.switch(0, 3000, VCPU, HOG)
    for i in range(4):
        t.switch(0, 13000 + 10000 * i, HOG + i, HOG + i + 1)
    t.switch(0, 51000, HOG + 4, VCPU)
    t.entry(0, 52000)
    t.leave(0, 53000)
    t.switch(0, 54000, VCPU, HOG, 0x80 | 0x20)
    t.entry(0, 60000)
    whole = analyze(directory, t)
    blamed("several tasks", worst(whole), "other tasks, which ran instead of the vCPU's, took 96.0 % "
           "of the time after exit IRQ, most of it could run, but did not; instead ran hog-80 (20.0 %)")
    equal("a task that has ended", whole["vcpus"][0]["delays"], 1)


def test_interrupts(directory):
    """A storm of interrupts, with softirqs that are interrupted in turn"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    for i in range(100):
        ts = 10000 + 1000 * i
        t.host(0, ts, "irq_handler_entry", irq=11)
        t.host(0, ts + 600, "irq_handler_exit", irq=11)
    t.host(0, 110000, "softirq_entry", vec=1)
    t.host(0, 110100, "irq_handler_entry", irq=12)
    t.host(0, 110200, "irq_handler_exit", irq=12)
    t.host(0, 110300, "ipi_entry")
    t.host(0, 110350, "ipi_exit")
    t.host(0, 111000, "softirq_exit", vec=1)
    t.entry(0, 112000)
    blamed("a storm of interrupts", worst(analyze(directory, t)),
           "interrupts on CPU 0, in 105 pieces, took 55.5 % of the time after exit IRQ, most of it "
           "host, interrupt 11 uart (54.5 %)", {
               LEAVE: 100, ENTER: 100, ("interrupt", "11 uart"): 60000,
               ("interrupt", "12 uart"): 100, ("softirq", "TIMER"): 850, ("ipi", ""): 50,
               KERNEL: 110000 - 200 - 61000})
    t.events["host", 0] = [e for e in t.events["host", 0] if e[1] != "softirq_exit"]
    equal("a softirq whose end was not recorded", parts(worst(analyze(
        directory, t, recorded=[n for n in WHOLE if n != "softirq_exit"])))[KERNEL], 49650)


def test_fault(directory):
    """A stage-2 fault, and an MMIO access that looks like one"""
    def make(mmio):
        t = Trace()
        t.entry(0, 1000)
        t.leave(0, 2000, "DABT_LOW", hpfar=0x100000)
        if mmio:
            t.host(0, 2500, "kvm_mmio")
        for i in range(3):
            ts = 3000 + 2000 * i
            t.hyp(0, ts, "hyp_enter", reason=HVC)
            t.hyp(0, ts + 50, "host_hcall", id=5)
            t.hyp(0, ts + 900, "tlb_flush", kind=1)
            t.hyp(0, ts + 1000, "hyp_exit", reason=ERET_HOST)
        t.entry(0, 10000)
        return t
    want = {("el2", "exit DABT_LOW"): 100, ("el2", "hypercall 5"): 2700, ("tlb_flush", "vmid"): 300,
            ENTER: 100, KERNEL: 4800}
    delay = worst(analyze(directory, make(False)))
    blamed("a stage-2 fault", delay, "the handling of the fault took 100.0 % of the time after a "
           "stage-2 fault (exit DABT_LOW) at 0x10000000, most of it host, kernel: KVM_RUN", want)
    equal("its chain", [piece["what"] for piece in delay["timeline"]][:5],
          ["exit DABT_LOW", "KVM_RUN", "hypercall 5", "vmid", "KVM_RUN"])
    blamed("an MMIO access", worst(analyze(directory, make(True))),
           "the host's kernel, which handled the exit, took 60.0 % of the time after an MMIO access",
           want)
    delay = worst(analyze(directory, make(False), recorded=[n for n in WHOLE if n != "kvm_mmio"]))
    equal("not known which", delay["after"],
          "a stage-2 fault or an MMIO access (exit DABT_LOW) at 0x10000000")


def test_hypercall(directory):
    """A slow hypercall and slow firmware; an EL2 that is not the task's is not blamed"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.hyp(0, 3000, "hyp_enter", reason=HVC)
    t.hyp(0, 3010, "tlb_flush", kind=1)
    t.hyp(0, 3020, "host_hcall", id=9)
    t.hyp(0, 90000, "hyp_exit", reason=ERET_HOST)
    t.hyp(1, 4000, "hyp_enter", HOG, reason=HVC)
    t.hyp(1, 4020, "host_hcall", HOG, id=8)
    t.hyp(1, 91000, "hyp_exit", HOG, reason=ERET_HOST)
    t.hyp(0, 92000, "hyp_enter", reason=0)
    t.hyp(0, 92500, "host_smc", id=0x84000001, forwarded=1)
    t.hyp(0, 99000, "hyp_exit", reason=ERET_HOST)
    t.hyp(0, 99100, "hyp_enter", reason=0)
    t.hyp(0, 99200, "host_smc", id=0x84000002)
    t.hyp(0, 99300, "hyp_exit", reason=ERET_HOST)
    t.entry(0, 100000)
    blamed("a slow hypercall", worst(analyze(directory, t)),
           "EL2, which executed hypercall 9, took 88.8 % of the time after exit IRQ, and others of "
           "its kind 0.9 %", {
               LEAVE: 100, ("el2", "hypercall 9"): 86990, ("tlb_flush", "vmid"): 10, ("el2", "smc"): 500,
               ("firmware", "0x84000001"): 6500, ("el2", "smc 0x84000002"): 200, ENTER: 100,
               KERNEL: 900 + 2000 + 100 + 600})


def test_vmm(directory):
    """A VMM that computes, then sleeps, and is not woken up at once"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000, "DABT_LOW")
    t.host(0, 2200, "kvm_mmio")
    t.host(0, 2500, "kvm_userspace_exit")
    t.host(0, 3000, "sys_exit", id=29)
    t.host(0, 10000, "sys_enter", id=SLEEP)
    t.switch(0, 11000, VCPU, 0, 1)
    t.host(0, MS, "sched_waking", 0, pid=VCPU, target_cpu=0)
    t.switch(0, MS + 2000, 0, VCPU)
    t.host(0, MS + 3000, "sys_exit", id=SLEEP)
    t.host(0, MS + 4000, "sys_enter", id=29)
    t.entry(0, MS + 5000)
    call = Trace()
    for where, events in t.events.items():
        call.events[where] = [e if e[1] != "vcpu_exit" else
                              e[:3] + ({"esr": EXITS["HVC64"] << 26, "code": TRAP},) + e[4:]
                              for e in events]
    whole = analyze(directory, call)
    equal("a VMM that sleeps for a call", (whole["idle"], parts(worst(whole))["asleep", "nanosleep"]),
          (0, MS - 11000))
    whole = analyze(directory, t)
    blamed("a VMM that sleeps", worst(whole), "the VMM, which slept in nanosleep, took", {
        ("el2", "exit DABT_LOW"): 100, KERNEL: 900, ("user", ""): 8000, ("kernel", "nanosleep"): 2000,
        ("asleep", "nanosleep"): MS - 11000, ("runnable", "nothing"): 2000,
        ("kernel", "ioctl"): 900, ENTER: 100})
    equal("all is recorded", (whole["missing"], whole["idle"], whole["lost"], whole["cut"]),
          ([], 0, 0, 0))
    some = [n for n in WHOLE if not n.startswith("sys_")]
    whole = analyze(directory, t, recorded=some)
    equal("without system calls: missing", whole["missing"],
          ["raw_syscalls/sys_enter", "raw_syscalls/sys_exit"])
    t.events["host", 0] = [e for e in t.events["host", 0] if not e[1].startswith("sys_")]
    blamed("without system calls", worst(analyze(directory, t, recorded=some)),
           "the VMM, which slept in an unknown system call, took", {
               ("el2", "exit DABT_LOW"): 100, KERNEL: 400, ("host", ""): 8500 + 2900,
               ("asleep", "an unknown system call"): MS - 11000, ("runnable", "nothing"): 2000,
               ENTER: 100})
    some = [n for n in some if n != "kvm_userspace_exit"]
    equal("without anything that tells of the VMM",
          parts(worst(analyze(directory, t, recorded=some)))[("host", "")], 900 + 8000 + 2900)


def test_stopped(directory):
    """A VMM that a signal stops on its way to user space"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.host(0, 3000, "sys_exit", id=29)
    t.switch(0, 3500, VCPU, HOG, 4)
    t.host(0, MS, "sched_waking", HOG, pid=VCPU, target_cpu=0)
    t.switch(0, MS + 100, HOG, VCPU)
    t.host(0, MS + 200, "sys_enter", id=29)
    t.entry(0, MS + 1000)
    blamed("a VMM that is stopped", worst(analyze(directory, t)),
           "the VMM, stopped by a signal or in a page fault, took 99.7 %", {
               LEAVE: 100, KERNEL: 900, ("user", ""): 500 + 100, ("asleep", "no system call"): MS - 3500,
               ("runnable", "hog-80"): 100, ("kernel", "ioctl"): 700, ENTER: 100})


def test_lock(directory):
    """A mutex that another task has, for which the vCPU's task spins and then sleeps"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.host(0, 3000, "contention_begin", flags=32)
    t.switch(0, 4000, VCPU, HOG, 2)
    t.host(0, 60000, "sched_waking", HOG, pid=VCPU, target_cpu=0)
    t.switch(0, 60500, HOG, VCPU)
    t.host(0, 61000, "contention_end")
    t.entry(0, 62000)
    blamed("a lock", worst(analyze(directory, t)), "the wait for a lock of the kernel, a mutex,", {
        LEAVE: 100, KERNEL: 900 + 900, ("lock", "mutex"): 1000 + 56000 + 500,
        ("runnable", "hog-80"): 500, ENTER: 100})


def test_off(directory):
    """The CPU goes off while the vCPU's task waits for it; and a CPU that is suspended"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.switch(0, 3000, VCPU, HOG)
    t.hyp(0, 4000, "hyp_enter", HOG, reason=0)
    t.hyp(0, 4100, "psci_cpu_off", HOG)
    t.hyp(0, 5 * MS, "hyp_enter", 0, reason=0)
    t.hyp(0, 5 * MS + 10, "psci_cpu_entry", 0)
    t.hyp(0, 5 * MS + 100, "hyp_exit", 0, reason=ERET_HOST)
    t.switch(0, 5 * MS + 500, 0, VCPU)
    t.entry(0, 5 * MS + 1000)
    blamed("a CPU that goes off", worst(analyze(directory, t)),
           "CPU 0, which was off although the vCPU's task could run, took 99.9 %", {
               LEAVE: 100, KERNEL: 900 + 400, ("runnable", "hog-80"): 1100 + 500,
               ("cpu_off", ""): 5 * MS - 4100, ENTER: 100})
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000, "WFx")
    t.switch(0, 3000, VCPU, 0, 1)
    t.hyp(0, 4000, "hyp_enter", 0, reason=0)
    t.hyp(0, 4100, "psci_cpu_suspend", 0)
    t.host(1, 5000, "sched_waking", HOG, pid=VCPU, target_cpu=0)
    t.hyp(0, 9000, "hyp_exit", 0, reason=ERET_HOST)
    t.switch(0, 9100, 0, VCPU)
    t.entry(0, 9500)
    blamed("a CPU that is suspended", worst(analyze(directory, t)), "firmware, which executed CPU_SUSPEND", {
        ("firmware", "CPU_SUSPEND"): 4000, ("runnable", "nothing"): 100, KERNEL: 300, ENTER: 100})


def test_idle(directory):
    """A guest that is idle is not delayed until its task is woken up, or has polled enough"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000, "WFx")
    t.switch(0, 3000, VCPU, HOG, 1)
    t.host(1, 8 * MS, "sched_waking", 0, pid=VCPU, target_cpu=1)
    t.host(1, 8 * MS + 300, "sched_wakeup", 0, pid=VCPU, target_cpu=0)
    t.switch(0, 8 * MS + 2000, HOG, VCPU)
    t.entry(0, 8 * MS + 3000)
    t.leave(0, 9 * MS, "WFx")
    t.host(0, 10 * MS, "kvm_vcpu_wakeup")
    t.entry(0, 10 * MS + 700)
    t.leave(0, 11 * MS, "HVC64")
    t.switch(0, 11 * MS + 200, VCPU, HOG, 1)
    whole = analyze(directory, t)
    equal("idle", (whole["idle"], whole["cut"], whole["vcpus"][0]["delays"]), (3, 0, 2))
    blamed("a wake-up", worst(whole), "hog-80, which ran on CPU 0 instead of the vCPU's task, took "
           "56.7 % of the time after the wake-up, and others of its kind 10.0 %", {
        ("runnable", "hog-80"): 1700, ("runnable", "nothing"): 300, KERNEL: 900, ENTER: 100})
    second = whole["vcpus"][0]["worst"][1]
    equal("a wake-up from polling", (second["after"], second["ns"]), ("the wake-up", 700))


def test_unknown(directory):
    """Lost events of the host are unknown time; of the hypervisor, they take the delay away"""
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.host(0, 3000, "softirq_entry", vec=1)
    t.host(0, 4000, "softirq_exit", vec=1)
    t.host(0, 4800, "sched_waking", pid=HOG, target_cpu=1)
    t.hyp(0, 6000, "hyp_enter", reason=HVC)
    t.hyp(0, 6500, "hyp_exit", reason=ERET_HOST)
    t.host(0, 9000, "irq_handler_entry", lost=5, irq=11)
    t.host(0, 9500, "irq_handler_exit", irq=11)
    t.entry(0, 10000)
    blamed("lost events of the host", worst(analyze(directory, t)), "something unknown", {
        LEAVE: 100, KERNEL: 900 + 800, ("softirq", "TIMER"): 1000, ("unknown", ""): 4200,
        ("interrupt", "11 uart"): 500, ("host", ""): 400, ENTER: 100})
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.hyp(0, 5000, "hyp_enter", lost=3, reason=HVC)
    t.hyp(0, 5100, "hyp_exit", reason=ERET_HOST)
    t.entry(0, 6000)
    t.leave(0, 7000)
    whole = analyze(directory, t)
    equal("lost events of the hypervisor", (whole["vcpus"], whole["lost"], whole["cut"]), ([], 1, 1))


def test_corrupt(directory):
    """What follows a corrupt place is as after a loss"""
    path = os.path.join(directory, "corrupt.dat")
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.entry(0, 3000)
    t.leave(0, 4000)
    t.hyp(0, 5000, "hyp_enter", reason=HVC)
    t.hyp(0, 6000, "hyp_exit", reason=ERET_GUEST, vcpu=VCPU)
    events = [event[:4] for event in t.events["hyp", 0]]
    bad = bytearray(synth.page(events[:-2]))
    end = int.from_bytes(bad[8:16], "little") + 16
    bad[end - 20:end - 16] = b"\x1c\0\0\0"     # the last exit of EL2 ends behind the data
    synth.write(path, {0: []}, {0: [bytes(bad), synth.page(events[-2:])]}, comms=COMMS,
                texts=synth.enabled(*WHOLE))
    status, out, said = why("--json", path)
    whole = json.loads(out)
    equal("a corrupt place", (status, "corrupt" in said, [v["delays"] for v in whole["vcpus"]],
                              whole["lost"]), (1, True, [1], 1))


def many():
    """Delays of two vCPUs of one task, and of another task"""
    t = Trace()
    for i in range(20):
        ts = 10000 * i
        t.entry(0, ts + 1000, vcpu=i // 10)
        t.leave(0, ts + 2000)
        t.entry(1, ts + 1000, task=OTHER, vcpu=5)
        t.leave(1, ts + 3000 + 100 * i, task=OTHER)
    return t


def test_choice(directory):
    whole = analyze(directory, many(), "-n", "2")
    equal("each vCPU by itself: the one between two is nobody's",
          [(v["task"], v["vm"], v["vcpu"], v["delays"], [d["ns"] for d in v["worst"]])
           for v in whole["vcpus"]],
          [(VCPU, 0x1003, 0, 9, [9000] * 2), (VCPU, 0x1003, 1, 9, [9000] * 2),
           (OTHER, 0x1003, 5, 19, [8000, 7900])])
    for what, arguments, want in (
            ("--vcpu", ["--vcpu", "1"], [(VCPU, 9)]),
            ("--vcpu with its VM", ["--vcpu", "0x1003:5"], [(OTHER, 19)]),
            ("--vcpu of another VM", ["--vcpu", "4:5"], []),
            ("--task", ["--task", "71"], [(OTHER, 19)]),
            ("--task, by name", ["--task", "vmm", "--vcpu", "0"], [(VCPU, 9)]),
            ("--over", ["--over", "7900ns", "--task", "71"], [(OTHER, 2)]),
            ("--over, us", ["--over", "9us"], [(VCPU, 9), (VCPU, 9)]),
            ("--cpus", ["--cpus", "1"], [(OTHER, 19)]),
            ("--time", ["--time", "1.000002500,1.000012", "--vcpu", "0"], [(VCPU, 2)]),
            ("--time FROM", ["--time", "1.000191000,"], [(VCPU, 1), (OTHER, 1)]),
            ("--time TO", ["--time", ",1.000002"], [(VCPU, 1)])):
        got = analyze(directory, many(), *arguments)
        equal(what, [(v["task"], v["delays"]) for v in got["vcpus"]], want)


def test_teardown(directory):
    """From the end of a VM to the begin of another one with its handle there is no delay"""
    t = many()
    t.leave(0, 202000)
    t.hyp(0, 203000, "vm_teardown", vm=0x1003)
    t.entry(0, 300000, vcpu=1)
    t.entry(1, 300000, task=OTHER, vcpu=5)
    t.leave(0, 301000)
    t.hyp(0, 301500, "vm_teardown", vm=0x1003, ret=-16)
    t.entry(0, 302000, vcpu=1)
    equal("another VM with the same handle",
          [(v["vcpu"], v["delays"], v["worst"][0]["ns"]) for v in analyze(directory, t)["vcpus"]],
          [(0, 9, 9000), (1, 10, 9000), (5, 19, 8000)])


def test_functions(directory):
    """Calls of functions of EL2 change nothing: a TLB flush lasts as long as without them"""
    seen = []
    for traced in False, True:
        t = Trace()
        t.entry(0, 1000)
        t.leave(0, 2000)
        t.hyp(0, 3000, "hyp_enter", reason=HVC)
        t.hyp(0, 3100, "tlb_flush", kind=1)
        if traced:
            t.hyp(0, 3200, "funcgraph_entry", func=0x1000)
            t.hyp(0, 3300, "function", ip=0x2000)
            t.hyp(0, 3400, "funcgraph_exit", func=0x1000)
        t.hyp(0, 3600, "hyp_exit", reason=ERET_HOST)
        t.entry(0, 4000)
        seen.append(parts(worst(analyze(directory, t))))
    equal("functions: the parts", seen[1], seen[0])
    equal("functions: the TLB flush", seen[1].get(("tlb_flush", "vmid")), 500)


def test_text(directory):
    path = os.path.join(directory, "text.dat")
    t = Trace()
    t.entry(0, 1000)
    t.leave(0, 2000)
    t.switch(0, 3000, VCPU, HOG)
    t.switch(0, 1003000, HOG, VCPU)
    t.entry(0, 1004000)
    t.write(path)
    status, out, said = why(path, "--timeline")
    lines = out.splitlines()
    equal("text: status", (status, said), (0, ""))
    equal("text", lines[:9] + lines[-1:], [
        "vCPU 0 of VM 0x1003, task vmm-70: delays=1 total=1002.000 us; the worst:", "",
        "  1. 1002.000 us after exit IRQ",
        "     To blame: hog-80, which ran on CPU 0 instead of the vCPU's task, took 99.8 % of the "
        "time after exit IRQ.",
        "     from 1.000002000 to 1.001004000: %s" % path.replace(
            ".dat", ".html#from=1.000002000&to=1.001004000"),
        "               us       %",
        "         1000.000   99.80  could run, but did not; instead ran hog-80",
        "            1.800    0.18  host, kernel: KVM_RUN",
        "            0.100    0.01  EL2: exit IRQ",
        "no delays: idle=0 lost=0 cut=0"])
    equal("text: the timeline", [line.split(None, 2)[0] for line in lines[10:15]],
          ["1.000002000", "1.000002100", "1.000003000", "1.001003000", "1.001003900"])
    t.write(path, ["hyp_enter", "hyp_exit", "sched_switch"])
    out = why(path)[1]
    result("text: what is not known", [] if out.startswith(
        "Not known, since events were not recorded (see record --why):\n"
        "  which hypercall it was (host_hcall)\n") and out.count("interrupts: they count") == 1
        else [out])


def test_errors(directory):
    path = os.path.join(directory, "a.dat")
    many().write(path)
    some = os.path.join(directory, "some.dat")
    many().write(some, ["hyp_enter", "hyp_exit"])
    for want, text, arguments in (
            (2, "expected one file, got 0", []), (2, "bad time '5'", [path, "--over", "5"]),
            (2, "bad number of delays '0'", [path, "-n", "0"]),
            (2, "bad times '2,1'", [path, "--time", "2,1"]), (2, "bad times '1'", [path, "--time", "1"]),
            (2, "bad times ','", [path, "--time", ","]),
            (2, "bad times '1,2x'", [path, "--time", "1,2x"]),
            (2, "bad vCPU 'x'", [path, "--vcpu", "x"]), (2, "bad vCPU '1:'", [path, "--vcpu", "1:"]),
            (1, "a.dat: CPU 9 was not recorded", [path, "-P", "9"]),
            (1, "some.dat: sched/sched_switch was not recorded", [some])):
        status, out, said = why(*arguments)
        good = status == want and text in said and said.count("\n") == 1 and not out
        result("error: " + text, [] if good else ["status %d: %s" % (status, said)])


def main():
    print("TAP version 13")
    attempt_each((test_hog, test_hogs, test_interrupts, test_fault, test_hypercall, test_vmm,
                  test_stopped, test_lock, test_off, test_idle, test_unknown, test_corrupt, test_choice,
                  test_teardown, test_functions, test_text, test_errors))
    finish()


main()
