// SPDX-License-Identifier: GPL-2.0
/*
 * The events from which the causes of a delay are told. See whyevents.h.
 */
#include <string.h>

#include "trace/whyevents.h"

#define ABSENT_WAKE	"when a task was woken up, and so the delay of a vCPU that was idle"
#define ABSENT_SYSCALL	"the VMM: its user space, and its system calls"
#define ABSENT_IRQ	"interrupts: they count as what they interrupt"
#define ABSENT_LOCK	"the wait for a lock: it counts as kernel, or as sleep"

static const struct why_source sources[NR_WHY_EVENTS] = {
	[WHY_HYP_ENTER]		= { HYP, "hypervisor", "hyp_enter", NULL },
	[WHY_HYP_EXIT]		= { HYP, "hypervisor", "hyp_exit", NULL },
	[WHY_TRACE_ON]		= { HYP, "hypervisor", "trace_on", NULL },
	[WHY_TRACE_OFF]		= { HYP, "hypervisor", "trace_off", NULL },
	[WHY_HOST_HCALL]	= { HYP, "hypervisor", "host_hcall", "which hypercall it was" },
	[WHY_HOST_SMC]		= { HYP, "hypervisor", "host_smc",
				    "firmware: it counts as EL2" },
	[WHY_TLB_FLUSH]		= { HYP, "hypervisor", "tlb_flush",
				    "TLB flushes: they count as EL2" },
	[WHY_PSCI_CPU_OFF]	= { HYP, "hypervisor", "psci_cpu_off", "whether a CPU was off" },
	[WHY_PSCI_CPU_ENTRY]	= { HYP, "hypervisor", "psci_cpu_entry", "whether a CPU was off" },
	[WHY_PSCI_CPU_SUSPEND]	= { HYP, "hypervisor", "psci_cpu_suspend",
				    "whether a CPU was suspended" },
	[WHY_VCPU_ENTER]	= { HYP, "hypervisor", "vcpu_enter", "the number of a vCPU" },
	[WHY_VCPU_EXIT]		= { HYP, "hypervisor", "vcpu_exit",
				    "why a guest was left, and so whether its vCPU was idle" },
	[WHY_VM_TEARDOWN]	= { HYP, "hypervisor", "vm_teardown",
				    "whether a vCPU is another one, since its VM was destroyed" },
	[WHY_SWITCH]		= { HOST, "sched", "sched_switch", NULL },
	[WHY_WAKING]		= { HOST, "sched", "sched_waking", ABSENT_WAKE },
	[WHY_WAKEUP]		= { HOST, "sched", "sched_wakeup",
				    "the CPU on which a task that was woken up waits" },
	[WHY_MIGRATE]		= { HOST, "sched", "sched_migrate_task",
				    "who ran instead, if a task has to wait on another CPU" },
	[WHY_IRQ_ENTRY]		= { HOST, "irq", "irq_handler_entry", ABSENT_IRQ },
	[WHY_IRQ_EXIT]		= { HOST, "irq", "irq_handler_exit", ABSENT_IRQ },
	[WHY_SOFTIRQ_ENTRY]	= { HOST, "irq", "softirq_entry", ABSENT_IRQ },
	[WHY_SOFTIRQ_EXIT]	= { HOST, "irq", "softirq_exit", ABSENT_IRQ },
	[WHY_IPI_ENTRY]		= { HOST, "ipi", "ipi_entry", ABSENT_IRQ },
	[WHY_IPI_EXIT]		= { HOST, "ipi", "ipi_exit", ABSENT_IRQ },
	[WHY_SYS_ENTER]		= { HOST, "raw_syscalls", "sys_enter", ABSENT_SYSCALL },
	[WHY_SYS_EXIT]		= { HOST, "raw_syscalls", "sys_exit", ABSENT_SYSCALL },
	[WHY_LOCK_BEGIN]	= { HOST, "lock", "contention_begin", ABSENT_LOCK },
	[WHY_LOCK_END]		= { HOST, "lock", "contention_end", ABSENT_LOCK },
	[WHY_USERSPACE_EXIT]	= { HOST, "kvm", "kvm_userspace_exit", NULL },
	[WHY_VCPU_WAKEUP]	= { HOST, "kvm", "kvm_vcpu_wakeup",
				    "when the host stopped to poll for an idle vCPU" },
	[WHY_MMIO]		= { HOST, "kvm", "kvm_mmio",
				    "whether an abort of the guest was a fault or an MMIO access" },
};

const struct why_source *whyevents_source(enum why_event ev)
{
	return &sources[ev];
}

enum why_event whyevents_find(const char *system, const char *name)
{
	enum why_event ev;

	for (ev = WHY_OTHER + 1; ev < NR_WHY_EVENTS; ev++) {
		if (!strcmp(name, sources[ev].name) && !strcmp(system, sources[ev].system))
			return ev;
	}
	return WHY_OTHER;
}
