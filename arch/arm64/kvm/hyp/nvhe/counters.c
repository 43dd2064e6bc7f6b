// SPDX-License-Identifier: GPL-2.0
/*
 * Counters at EL2: how long each visit took, by the reason or the hypercall.
 *
 * EL2 counts at the events that begin and end a visit, whether or not they are written; see
 * HYP_EVENT_COUNTED. Each CPU changes its own counters, with no lock. They are EL2's; the host's
 * pages get what has changed. What the host does to those only changes what it sees.
 */
#include <asm/kvm_hyp.h>

#include "trace_core.h"

DEFINE_PER_CPU(struct hyp_counters, hyp_counters);

static void *rows_of(struct trace_counters *shared)
{
	return shared + 1;
}

/* The visit of this CPU that ends now. The order is that of struct trace_counters */
static __always_inline void count(struct hyp_counters *c, struct trace_counters_row *row,
				  struct trace_counters *shared, u64 ticks)
{
	struct trace_counters_row *out = rows_of(shared) + ((void *)row - (void *)c->rows);
	u64 bucket = min(__builtin_clzl(ticks | 1) ^ 63, TRACE_COUNTERS_BUCKETS - 1);
	u64 done = c->done + 1, sum = row->ticks + ticks, max = max(row->max, ticks);
	u64 nr = row->bucket[bucket] + 1;

	WRITE_ONCE(shared->begun, done);
	smp_wmb();	/* pairs with who reads @begun behind the rows */
	row->ticks = sum;
	row->max = max;
	row->bucket[bucket] = nr;
	out->ticks = sum;
	out->max = max;
	out->bucket[bucket] = nr;
	/* pairs with who reads @done before the rows */
	smp_store_release(&shared->done, done);
	c->done = done;
}

/* Is the event to be written as well? Its timestamp is then that of what was counted */
#define WRITE_COUNTED(event, type, when, ...)				\
	do {								\
		struct hyp_trace_cpu *tc;				\
									\
		if (!HYP_EVENT_IS_WRITTEN(type))			\
			break;						\
		tc = this_cpu_ptr(&hyp_trace_cpus);			\
		tc->counted = when;					\
		__trace_##event((type) & ~HYP_EVENT_COUNTED, __VA_ARGS__);	\
		tc->counted = 0;					\
	} while (0)

void hyp_count_hyp_enter(u32 type, int vcpu, int reason)
{
	struct hyp_counters *c = this_cpu_ptr(&hyp_counters);
	u64 now = read_sysreg(cntpct_el0);

	c->row = &c->rows[(u32)reason];
	c->entered = now;
	WRITE_COUNTED(hyp_enter, type, now, vcpu, reason);
}

void hyp_count_hyp_exit(u32 type, int vcpu, int reason)
{
	struct hyp_counters *c = this_cpu_ptr(&hyp_counters);
	struct trace_counters *shared = c->shared;
	struct trace_counters_row *row = c->row;
	u64 now = read_sysreg(cntpct_el0);

	/* Reads of the counter may be reordered */
	if (likely(row) && likely(shared))
		count(c, row, shared, now > c->entered ? now - c->entered : 0);
	c->row = NULL;
	WRITE_COUNTED(hyp_exit, type, now, vcpu, reason);
}

static int give(struct hyp_counters *c, u64 pfn)
{
	struct trace_counters *shared;
	int ret;

	if (c->shared)
		return -EBUSY;
	ret = hyp_share_pages(pfn, HYP_COUNTERS_PAGES, (void **)&shared);
	if (ret)
		return ret;

	memcpy(rows_of(shared), c->rows, sizeof(c->rows));
	shared->begun = c->done;
	shared->done = c->done;
	c->shared = shared;
	return 0;
}

static int take_back(struct hyp_counters *c)
{
	struct trace_counters *shared = c->shared;

	if (!shared)
		return -ENODEV;
	c->shared = NULL;
	/* EL2 counts no more: the end of a later visit is not that of this one */
	c->row = NULL;
	hyp_unshare_pages(shared, HYP_COUNTERS_PAGES);
	return 0;
}

/* Only its own CPU counts, so that is not doing so now */
int __hyp_counters_give(u32 is_given, u64 pfn)
{
	struct hyp_counters *c = this_cpu_ptr(&hyp_counters);

	if (is_given > 1)
		return -EINVAL;

	return is_given ? give(c, pfn) : take_back(c);
}
