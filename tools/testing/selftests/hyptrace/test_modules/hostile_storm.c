// SPDX-License-Identifier: GPL-2.0
/*
 * All CPUs call EL2 at once, with arguments that would often be right for one CPU alone.
 * One thread overwrites the pages that EL2 never gets to own, including sequence counts
 * of clocks. One gives pages to EL2 and takes them back with the base's own calls. In some
 * rounds one switches a CPU off and on. No result can be predicted, but each has to be one
 * that the call may return, and afterwards each page has to come back.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/trace_remote_filter.h>
#include <linux/trace_remote_trigger.h>

#include <asm/kvm_hyptext.h>

#include "hostile.h"

/* Calls between two checks for the end of the round */
#define BATCH		32

/* So few that the CPUs often use the same ones */
#define NR_HOT		24

static u32 hot_shared(struct rng *rng)
{
	return rng_percent(rng, 90) ? rng_below(rng, NR_HOT) : rng_below(rng, NR_PAGES);
}

/* Pages with programs and with triggers, one for each thread that calls */
#define FIRST_PROGRAM	(NR_PAGES - NR_CPUS)
#define FIRST_TRIGGERS	(FIRST_PROGRAM - NR_CPUS)

/**
 * struct caller - a thread that calls
 * @event:	event that only it filters, and to which only it gives triggers
 * @page:	page that only it uses
 * @has_given:	EL2 has that page
 * @triggers:	another one, for triggers
 * @has_triggers: EL2 has that one
 */
struct caller {
	u32	event;
	u32	page;
	bool	has_given;
	u32	triggers;
	bool	has_triggers;
};

static u64 lent_pfn(struct rng *rng)
{
	return rng_percent(rng, 2) ? foreign_pfn(rng) : pool_pfn(hot_shared(rng));
}

/* A page that the host does not touch: EL2 may get to own it */
static u64 given_pfn(struct rng *rng)
{
	u32 page = NR_SCRIBBLED + rng_below(rng, rng_percent(rng, 90) ? NR_HOT :
					    FIRST_TRIGGERS - NR_SCRIBBLED);

	return rng_percent(rng, 2) ? foreign_pfn(rng) : pool_pfn(page);
}

/* Ranges that often overlap. Some pages of the row may be EL2's own */
static s64 add_row(struct rng *rng, u32 cpu)
{
	u32 nr = 2 + rng_below(rng, rng_percent(rng, 90) ? 6 : HYP_TRACE_PAGES_PER_ADD);
	u64 pfn = rng_percent(rng, 97) ? pool_pfn(NR_SINGLE + rng_below(rng, NR_HOT)) :
					 foreign_range(rng, nr);

	return hcall(__hyp_trace_add_subbufs, cpu, pfn, nr);
}

static u64 clock_addr(struct rng *rng)
{
	return (u64)pool_va(rng_below(rng, NR_HOT)) + rng_below(rng, 64) * 8;
}

static s64 load_step(struct rng *rng, u32 cpu)
{
	switch (rng_below(rng, 7)) {
	case 0:
	case 1:
		return hcall(__hyp_trace_begin, cpu,
			     rng_percent(rng, 80) ? lent_pfn(rng) : given_pfn(rng), given_pfn(rng),
			     rng_percent(rng, 95) ? 3 + rng_below(rng, 8) : rng_u64(rng));
	case 2:
		return hcall(__hyp_trace_add_table, cpu, given_pfn(rng));
	case 3:
		return hcall(__hyp_trace_unload, cpu);
	case 4:
		return add_row(rng, cpu);
	default:
		return hcall(__hyp_trace_add_subbufs, cpu,
			     rng_percent(rng, 90) ? lent_pfn(rng) : given_pfn(rng), 1);
	}
}

static s64 write_step(struct rng *rng, u32 cpu)
{
	switch (rng_below(rng, 10)) {
	case 0:
		return hcall(__hyp_trace_enable, rng_below(rng, 5));
	case 1:
		return hcall(__hyp_trace_swap_reader, cpu,
			     rng_percent(rng, 50) ? rng_below(rng, 4096) : 0);
	case 2:
		return hcall(__hyp_trace_reset, cpu);
	case 3:
		return hcall(__hyp_trace_set_clock, rng_below(rng, 5), clock_addr(rng),
			     clock_addr(rng), rng_percent(rng, 50) ? clock_addr(rng) : 0,
			     rng_u64(rng) & 1, clock_addr(rng));
	case 4:
		return hcall(__hyp_trace_enable_event, rng_below(rng, NR_HYP_EVENTS + 1),
			     rng_below(rng, U16_MAX + 2));
	case 5:
		return hcall(__hyp_trace_set_filter, NR_CPUS + rng_below(rng, NR_HYP_EVENTS),
			     rng_below(rng, 4), given_pfn(rng));
#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
	case 6:
		return hcall(__hyp_trace_set_function, rng_below(rng, hostile.nr_functions + 1),
			     rng_below(rng, NR_TRACE_REMOTE_FUNCTION + 1));
#endif
	default:
		return hcall(__hyp_trace_selftest, rng_u64(rng));
	}
}

/*
 * A thread gives its own page with a comparison for the filter of its own event, and gets it
 * back. So it knows when it may write to the page.
 */
static s64 filter_step(struct rng *rng, struct caller *caller)
{
	struct remote_filter *program = pool_va(caller->page);
	s64 ret;

	if (caller->has_given) {
		ret = hcall(__hyp_trace_set_filter, caller->event, 0);
		caller->has_given = ret;
		return ret;
	}

	program->insns[0] = (struct remote_filter_insn){
		.value = rng_u64(rng), .offset = rng_below(rng, 24),
		.size = 1 << rng_below(rng, 5), .op = rng_below(rng, 8),
		.yes = REMOTE_FILTER_PASS, .no = REMOTE_FILTER_FAIL,
	};
	ret = hcall(__hyp_trace_set_filter, caller->event, 1, pool_pfn(caller->page));
	caller->has_given = ret == 1;
	return ret;
}

#ifdef CONFIG_NVHE_EL2_TRIGGERS
/* All kinds of triggers, which often act, on all CPUs. Others ask what they have done */
static s64 trigger_step(struct rng *rng, struct caller *caller)
{
	struct remote_triggers *triggers = pool_va(caller->triggers);
	u32 i, nr = 1 + rng_below(rng, 4);
	s64 ret;

	if (rng_percent(rng, 50))
		return hcall(__hyp_trace_trigger, rng_below(rng, HYP_TRIGGER_ARM + 1),
			     rng_below(rng, NR_HYP_EVENTS), rng_below(rng, 2)) < 0 ? -EINVAL : 0;
	if (caller->has_triggers) {
		ret = hcall(__hyp_trace_set_triggers, caller->event, 0);
		caller->has_triggers = ret;
		return ret;
	}

	for (i = 0; i < nr; i++)
		triggers->list[i] = (struct remote_trigger){
			.count = REMOTE_TRIGGER_UNLIMITED,
			.op = rng_below(rng, REMOTE_TRIGGER_NR_OPS + 1),
			.event = rng_below(rng, NR_HYP_EVENTS), .id = rng_below(rng, 1000),
		};
	ret = hcall(__hyp_trace_set_triggers, caller->event, nr, pool_pfn(caller->triggers));
	caller->has_triggers = !ret;
	return ret;
}
#else
static s64 trigger_step(struct rng *rng, struct caller *caller)
{
	return 0;
}
#endif

/* Rows of pages, which other calls use as well; each CPU has its own */
static s64 counters_step(struct rng *rng)
{
#ifdef CONFIG_NVHE_EL2_COUNTERS
	u32 first = NR_SINGLE + rng_below(rng, FIRST_TRIGGERS - NR_SINGLE - HYP_COUNTERS_PAGES);

	return rng_percent(rng, 50) ? hcall(__hyp_counters_switch, rng_below(rng, 2)) :
	       hcall(__hyp_counters_give, rng_below(rng, 2), pool_pfn(first));
#else
	return 0;
#endif
}

/* Places that all CPUs switch. Looking at all mappings takes long, so that is rare */
static s64 text_step(struct rng *rng)
{
#ifdef CONFIG_NVHE_EL2_TEXT_TEST
	u32 what = rng_percent(rng, 50) ? HYP_TEXT_TEST_SET :
		   rng_percent(rng, 99) ? HYP_TEXT_TEST_RUN : HYP_TEXT_TEST_ALIASES;

	return hcall(__hyp_text_test, what, rng_below(rng, 3), rng_below(rng, 2));
#else
	return 0;
#endif
}

/* Take pages that are in use, or about to be */
static s64 steal_step(struct rng *rng)
{
	u64 pfn = pool_pfn(rng_percent(rng, 80) ? hot_shared(rng) :
						  NR_SCRIBBLED + rng_below(rng, NR_HOT));

	return rng_percent(rng, 50) ? hcall(__pkvm_host_share_hyp, pfn) :
				      hcall(__pkvm_host_unshare_hyp, pfn);
}

/* Pages that are also the clock's, or about to be a buffer's. It may fail for many reasons */
static void ffa_step(struct rng *rng)
{
	if (!ffa_available())
		return;
	if (rng_percent(rng, 50))
		ffa_map(pool_pfn(hot_shared(rng)), pool_pfn(hot_shared(rng)));
	else
		ffa_unmap();
}

static bool is_possible(s64 ret)
{
	switch (ret) {
	case 0:
	case -EINVAL:
	case -EBUSY:
	case -EPERM:
	case -ENOSPC:
	case -ENOMEM:
	case -ENODATA:
	case -ENODEV:
	case -ENXIO:
	case -ENOEXEC:
		return true;
	default:	/* pages that are left */
		return ret > 0 && ret <= 2 * NR_PAGES;
	}
}

static void storm_calls(struct rng *rng, struct caller *caller)
{
	u32 i, kind;
	s64 ret;

	for (i = 0; i < BATCH; i++) {
		u32 cpu = any_cpu(rng);

		kind = rng_below(rng, 10);
		ret = kind < 5 ? load_step(rng, cpu) : kind < 9 ? write_step(rng, cpu) :
		      steal_step(rng);
		if (!is_possible(ret))
			wrong("a call has returned %lld", ret);
		if (rng_percent(rng, 10) && !is_possible(filter_step(rng, caller)))
			wrong("set_filter has returned something else");
		if (rng_percent(rng, 10) && !is_possible(trigger_step(rng, caller)))
			wrong("a call for triggers has returned something else");
		if (rng_percent(rng, 10) && !is_possible(counters_step(rng)))
			wrong("a call for counters has returned something else");
		if (rng_percent(rng, 10))
			ffa_step(rng);
		if (rng_percent(rng, 5) && !is_possible(text_step(rng)))
			wrong("a call for EL2's text has returned something else");
	}
}

/*
 * Threads
 */

/**
 * struct storm - a round
 * @seed:	seed of the first thread
 * @nr_threads:	threads that were started
 * @ended:	completed by each thread that ends
 * @end:	stop before enough calls were made
 */
struct storm {
	u64			seed;
	unsigned long		nr_threads;
	struct completion	ended;
	bool			end;
};

static struct storm storm;

static bool goes_on(void)
{
	return all_right() && !READ_ONCE(storm.end) &&
	       atomic_read(&hostile.nr_calls) < hostile.want;
}

static int caller_main(void *data)
{
	struct rng rng = { .state = storm.seed + (unsigned long)data };
	struct caller caller = {
		.event = (unsigned long)data, .page = FIRST_PROGRAM + (unsigned long)data,
		.triggers = FIRST_TRIGGERS + (unsigned long)data,
	};

	while (goes_on()) {
		storm_calls(&rng, &caller);
		cond_resched();
	}
	kthread_complete_and_exit(&storm.ended, 0);
}

static int scribbler_main(void *data)
{
	struct rng rng = { .state = storm.seed + (unsigned long)data };
	u32 i;

	while (goes_on()) {
		for (i = 0; i < 512; i++) {
			u64 *words = pool_va(rng_below(&rng, NR_HOT));

			/* Mostly where headers, counters and parameters of clocks are */
			words[rng_below(&rng, rng_percent(&rng, 80) ? 64 : 512)] = rng_u64(&rng);
		}
		cond_resched();
	}
	kthread_complete_and_exit(&storm.ended, 0);
}

static int hotplug_main(void *data)
{
	unsigned int cpu = num_possible_cpus() - 1;

	while (goes_on()) {
		if (remove_cpu(cpu) || add_cpu(cpu))
			wrong("CPU %u does not go off and on", cpu);
		msleep(20);
	}
	kthread_complete_and_exit(&storm.ended, 0);
}

static bool start_one(int (*main)(void *data), int cpu, const char *name)
{
	struct task_struct *task;

	task = kthread_create(main, (void *)storm.nr_threads, "%s", name);
	if (IS_ERR(task))
		return wrong("no thread");
	if (cpu >= 0)
		set_cpus_allowed_ptr(task, cpumask_of(cpu));
	storm.nr_threads++;
	wake_up_process(task);
	return true;
}

static bool start_all(struct rng *rng)
{
	int cpu;

	for_each_online_cpu(cpu) {
		if (!start_one(caller_main, cpu, "hostile"))
			return false;
	}
	if (rng_percent(rng, 75) && !start_one(scribbler_main, -1, "hostile_scribble"))
		return false;
	return num_possible_cpus() == 1 || rng_percent(rng, 75) ||
	       start_one(hotplug_main, 0, "hostile_hotplug");
}

bool storm_round(void)
{
	storm = (struct storm){ .seed = rng_u64(&hostile.rng) };
	init_completion(&storm.ended);
	if (!start_all(&hostile.rng))
		WRITE_ONCE(storm.end, true);
	while (storm.nr_threads--)
		wait_for_completion(&storm.ended);
	return all_right();
}
