// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the hypervisor, host side: EL2 interrupts the CPU of a reader that waits.
 *
 * The interrupt is the one that makes a CPU run its irq_works, an SGI. Only a GICv3 (or
 * later) has a system register for it, so that EL2 needs no access to the GIC's memory.
 */
#include <linux/cpufeature.h>
#include <linux/irqchip/arm-gic-v3.h>
#include <linux/smp.h>

#include <asm/cputype.h>
#include <asm/smp_plat.h>

#include "hyp_trace_core.h"

/* Whose readers are notified; NULL while nothing is loaded. An interrupt may come late */
static struct trace_buffer *notified_buffer;
/* The CPUs of which EL2 was asked for an interrupt */
static struct cpumask asked_cpus;
/* Protects both */
static DEFINE_RAW_SPINLOCK(notified_lock);

void hyp_trace_set_notified(struct trace_buffer *buffer)
{
	guard(raw_spinlock_irqsave)(&notified_lock);
	notified_buffer = buffer;
	cpumask_clear(&asked_cpus);
}

/* This CPU, as in a value of ICC_SGI1R_EL1 */
static u64 this_cpu_as_target(void)
{
	u64 mpidr = cpu_logical_map(smp_processor_id());
	u64 aff0 = MPIDR_AFFINITY_LEVEL(mpidr, 0);

	return (u64)MPIDR_AFFINITY_LEVEL(mpidr, 3) << ICC_SGI1R_AFFINITY_3_SHIFT |
	       (aff0 >> 4) << ICC_SGI1R_RS_SHIFT |
	       (u64)MPIDR_AFFINITY_LEVEL(mpidr, 2) << ICC_SGI1R_AFFINITY_2_SHIFT |
	       (u64)MPIDR_AFFINITY_LEVEL(mpidr, 1) << ICC_SGI1R_AFFINITY_1_SHIFT |
	       BIT(aff0 & 0xf) << ICC_SGI1R_TARGET_LIST_SHIFT;
}

bool hyp_trace_notify(int cpu, bool any, bool subbuf, void *priv)
{
	struct hyp_trace_task *task;

	if (!cpus_have_final_cap(HYP_TRACE_HAS_SGI))
		return false;

	guard(raw_spinlock_irqsave)(&notified_lock);
	if (!notified_buffer)
		return false;
	cpumask_set_cpu(cpu, &asked_cpus);
	task = &hyp_tasks[cpu];
	WRITE_ONCE(task->sgi, this_cpu_as_target());
	/* The target is known before the interrupt is asked for */
	smp_store_release(&task->word.notify, (any ? HYP_NOTIFY_EVENT : 0) |
					      (subbuf ? HYP_NOTIFY_SUBBUF : 0));
	return true;
}

/* Has EL2 answered? It zeroes the word before it sends the interrupt */
static bool is_answered(int cpu)
{
	return !READ_ONCE(hyp_tasks[cpu].word.notify);
}

static void take_answers(void)
{
	bool answered = false;
	int cpu;

	raw_spin_lock(&notified_lock);
	for_each_cpu(cpu, &asked_cpus) {
		if (is_answered(cpu)) {
			cpumask_clear_cpu(cpu, &asked_cpus);
			answered = true;
		}
	}
	if (answered)
		ring_buffer_remote_notified(notified_buffer);
	raw_spin_unlock(&notified_lock);
}

void hyp_trace_notified(void)
{
	/* Mostly, the interrupt is from the host itself. EL2 sends none before it is asked */
	if (!data_race(cpumask_empty(&asked_cpus)))
		take_answers();
}
