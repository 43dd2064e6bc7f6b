// SPDX-License-Identifier: GPL-2.0
/*
 * Taking over the host's clock parameters; see nvhe/clock.h.
 */
#include <linux/atomic.h>
#include <linux/sched_clock.h>
#include <linux/timekeeper_internal.h>

#include <asm/barrier.h>

#include <nvhe/clock.h>

/* The host updates them at most once a tick; a torn copy only gives bad times */
#define CLOCK_COPY_ATTEMPTS	4

/* What @latch of a counter points to; @seq is 0 */
static const u32 never_current = 1;

/* The host has stopped a clock that reads by something else than usual */
static bool is_frozen(const struct hyp_clock_src *src, const void *reads_by)
{
	return (unsigned long)reads_by != src->live;
}

static void copy_sched(struct hyp_clock *clk, const struct clock_read_data *bank)
{
	clk->epoch_cyc = READ_ONCE(bank->epoch_cyc);
	clk->epoch_ns = READ_ONCE(bank->epoch_ns);
	clk->mult = READ_ONCE(bank->mult);
	clk->shift = READ_ONCE(bank->shift) & 63;
	clk->frac = 0;
	if (is_frozen(&clk->src, READ_ONCE(bank->read_sched_clock)))
		clk->mult = 0;
}

static void copy_fast(struct hyp_clock *clk, const struct tk_read_base *bank)
{
	clk->epoch_cyc = READ_ONCE(bank->cycle_last);
	clk->epoch_ns = READ_ONCE(bank->base);
	clk->mult = READ_ONCE(bank->mult);
	clk->shift = READ_ONCE(bank->shift) & 63;
	clk->frac = READ_ONCE(bank->xtime_nsec);
	if (is_frozen(&clk->src, READ_ONCE(bank->clock)))
		clk->mult = 0;
	if (clk->src.extra)
		clk->epoch_ns += READ_ONCE(*(const s64 *)clk->src.extra);
}

static void copy_bank(struct hyp_clock *clk)
{
	u32 bank = clk->seq & 1;

	switch (clk->src.kind) {
	case HYP_CLOCK_SCHED:
		copy_sched(clk, (const struct clock_read_data *)clk->src.banks + bank);
		break;
	case HYP_CLOCK_FAST:
		copy_fast(clk, (const struct tk_read_base *)clk->src.banks + bank);
		break;
	case HYP_CLOCK_NONE:
	case HYP_CLOCK_COUNTER:
		break;
	}
}

static void refresh(struct hyp_clock *clk)
{
	int i;

	for (i = 0; i < CLOCK_COPY_ATTEMPTS; i++) {
		/* Pairs with the barriers of the latch's writer, as below */
		clk->seq = smp_load_acquire(clk->latch);
		copy_bank(clk);
		smp_rmb(); /* pairs with the barriers of the latch's writer */
		if (READ_ONCE(*clk->latch) == clk->seq)
			return;
	}
}

void hyp_clock_init(struct hyp_clock *clk, const struct hyp_clock_src *src)
{
	clk->src = *src;
	if (src->kind == HYP_CLOCK_COUNTER) {
		clk->latch = &never_current;
		clk->seq = 0;
		return;
	}
	clk->latch = (const u32 *)src->latch;
	refresh(clk);
}

u64 hyp_clock_read_slow(struct hyp_clock *clk)
{
	if (clk->src.kind == HYP_CLOCK_COUNTER)
		return atomic64_inc_return((atomic64_t *)clk->src.extra);

	if (!hyp_clock_is_current(clk))
		refresh(clk);
	return hyp_clock_read(clk);
}
