// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the hypervisor, host side: the pages that EL2 gets for them, and when it counts.
 */
#include <linux/cpu.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/smp.h>

#include <asm/arch_timer.h>

#include "hyp_trace_core.h"

/* Under the hotplug lock, as @counting. A CPU has them from when it first counts, for good */
static DEFINE_PER_CPU(struct trace_counters *, hyp_counters);
/* EL2 has them: while it counts, and until the CPU has come back that was off when that ended */
static DEFINE_PER_CPU(bool, hyp_counters_given);
static bool counting;

static struct trace_counters *make_counters(void)
{
	struct trace_counters *counters;

	counters = alloc_pages_exact(HYP_COUNTERS_SIZE, GFP_KERNEL | __GFP_ZERO);
	if (counters)
		*counters = (struct trace_counters) {
			.version	= TRACE_COUNTERS_VERSION,
			.head_size	= sizeof(*counters),
			.row_size	= sizeof(struct trace_counters_row),
			.nr_rows	= HYP_COUNTERS_ROWS,
			.nr_buckets	= TRACE_COUNTERS_BUCKETS,
			.ticks_per_sec	= arch_timer_get_cntfrq(),
		};
	return counters;
}

/* EL2 gets those of this CPU, or gives them back */
static int give_counters(bool give)
{
	struct trace_counters *counters = this_cpu_read(hyp_counters);
	int ret;

	if (this_cpu_read(hyp_counters_given) == give)
		return 0;
	ret = hyp_call(__hyp_counters_give, give, give ? virt_to_pfn(counters) : 0);
	if (!ret)
		this_cpu_write(hyp_counters_given, give);
	return ret;
}

/**
 * struct hyp_give - for give_on_cpu()
 * @give:	see give_counters()
 * @ret:	what the last CPU with an error returned
 */
struct hyp_give {
	bool	give;
	int	ret;
};

static void give_on_cpu(void *data)
{
	struct hyp_give *give = data;
	int ret = give_counters(give->give);

	if (ret)
		WRITE_ONCE(give->ret, ret);
}

static int give_on_all_cpus(bool on)
{
	struct hyp_give give = { .give = on };

	on_each_cpu(give_on_cpu, &give, 1);
	return give.ret;
}

/* Whoever has seen the address may read them */
static int prepare_cpu(unsigned int cpu)
{
	struct trace_counters *counters;
	int ret;

	if (per_cpu(hyp_counters, cpu))
		return 0;
	counters = make_counters();
	if (!counters)
		return -ENOMEM;
	ret = hyp_map_pages(counters, HYP_COUNTERS_PAGES);
	if (ret)
		free_pages_exact(counters, HYP_COUNTERS_SIZE);
	else
		per_cpu(hyp_counters, cpu) = counters;
	return ret;
}

static int prepare_all_cpus(void)
{
	unsigned int cpu;
	int ret = 0;

	for_each_online_cpu(cpu)
		ret = ret ?: prepare_cpu(cpu);
	return ret;
}

static int stop_counting(void)
{
	return hyp_call(__hyp_counters_switch, 0) ?: hyp_arm_counters(false) ?:
	       give_on_all_cpus(false);
}

/* EL2 counts only while the places of its events are on */
static int start_counting(void)
{
	int ret = prepare_all_cpus() ?: give_on_all_cpus(true) ?: hyp_arm_counters(true) ?:
		  hyp_call(__hyp_counters_switch, 1);

	if (ret)
		stop_counting();
	return ret;
}

int hyp_counters_enable(bool on, void *priv)
{
	int ret;

	guard(cpus_read_lock)();
	ret = on ? start_counting() : stop_counting();
	counting = on && !ret;
	return ret;
}

int hyp_counters_cpu_online(unsigned int cpu)
{
	return (counting ? prepare_cpu(cpu) : 0) ?: give_counters(counting);
}

void *hyp_counters_of(int cpu, size_t *size, void *priv)
{
	guard(cpus_read_lock)();
	*size = HYP_COUNTERS_SIZE;
	return per_cpu(hyp_counters, cpu);
}
