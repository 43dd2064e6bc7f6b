// SPDX-License-Identifier: GPL-2.0
/*
 * Copying the host's clock parameters; see nvhe/clock.h.
 */
#include <linux/sched_clock.h>
#include <linux/timekeeper_internal.h>

#include <asm/barrier.h>

#include <nvhe/clock.h>

/* The host updates them at most once a tick; a torn copy only gives wrong times */
#define CLOCK_COPY_ATTEMPTS	4

/* CPUs that count at the same time make each other fail a few times at most */
#define COUNT_ATTEMPTS		100

/* @latch of a plain count points to this; its @seq is 0 */
static const u32 never_current = 1;

/* The host stops a clock by replacing its read function or clocksource */
static bool is_frozen(const struct hyp_clock_src *src, const void *reads_by)
{
	return (unsigned long)reads_by != src->live;
}

static void copy_sched(struct hyp_clock *clk, const struct clock_read_data *bank)
{
	clk->now.epoch_ns = READ_ONCE(bank->epoch_ns);
	clk->now.mult = READ_ONCE(bank->mult);
	clk->now.shift = READ_ONCE(bank->shift) & 63;
	if (is_frozen(&clk->src, READ_ONCE(bank->read_sched_clock)))
		clk->now.mult = 0;
	clk->now.offset = -READ_ONCE(bank->epoch_cyc) * clk->now.mult;
}

static void copy_fast(struct hyp_clock *clk, const struct tk_read_base *bank)
{
	clk->now.epoch_ns = READ_ONCE(bank->base);
	clk->now.mult = READ_ONCE(bank->mult);
	clk->now.shift = READ_ONCE(bank->shift) & 63;
	if (is_frozen(&clk->src, READ_ONCE(bank->clock)))
		clk->now.mult = 0;
	clk->now.offset = READ_ONCE(bank->xtime_nsec) - READ_ONCE(bank->cycle_last) * clk->now.mult;
	if (clk->src.extra)
		clk->now.epoch_ns += READ_ONCE(*(const s64 *)clk->src.extra);
}

static void copy_bank(struct hyp_clock *clk)
{
	u32 bank = clk->now.seq & 1;

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

/*
 * The counter is read after the parameters. A value older than epoch_cyc would give a
 * timestamp far ahead, and as timestamps never go back, all that follow would be that one.
 */
static void refresh(struct hyp_clock *clk)
{
	int i;

	for (i = 0; i < CLOCK_COPY_ATTEMPTS; i++) {
		/* Pairs with the barriers of the latch's writer, as below */
		clk->now.seq = smp_load_acquire(clk->now.latch);
		copy_bank(clk);
		smp_rmb(); /* pairs with the barriers of the latch's writer */
		if (READ_ONCE(*clk->now.latch) == clk->now.seq)
			break;
	}
	isb(); /* before the counter is read in hyp_clock_read() */
}

void hyp_clock_init(struct hyp_clock *clk, const struct hyp_clock_src *src)
{
	clk->src = *src;
	if (src->kind == HYP_CLOCK_COUNTER) {
		clk->now.latch = &never_current;
		clk->now.seq = 0;
		return;
	}
	clk->now.latch = (const u32 *)src->latch;
	refresh(clk);
}

/*
 * The next count. atomic64_inc_return() may be a loop, and a host that keeps writing to
 * the counter could make it run forever. This loop is bounded; if it gives up, the count
 * is not unique.
 */
static u64 next_count(u64 *counter)
{
	u32 failed;
	u64 count;
	int i;

	for (i = 0; i < COUNT_ATTEMPTS; i++) {
		asm volatile("ldaxr	%0, %2\n"
			     "	add	%0, %0, #1\n"
			     "	stlxr	%w1, %0, %2"
			     : "=&r" (count), "=&r" (failed), "+Q" (*counter));
		if (!failed)
			break;
	}
	return count;
}

u64 hyp_clock_read_slow(struct hyp_clock *clk)
{
	u64 ns;

	if (clk->src.kind == HYP_CLOCK_COUNTER)
		return next_count((u64 *)clk->src.extra);

	if (READ_ONCE(*clk->now.latch) != clk->now.seq)
		refresh(clk);
	/* If the parameters have changed again, those just copied are good enough */
	hyp_clock_read(clk->now, &ns);
	return ns;
}

u64 hyp_clock_read_past(struct hyp_clock *clk, u64 cycles)
{
	if (clk->src.kind == HYP_CLOCK_COUNTER)
		return hyp_clock_read_slow(clk);

	if (READ_ONCE(*clk->now.latch) != clk->now.seq)
		refresh(clk);
	return clk->now.epoch_ns +
	       ((s64)(cycles * clk->now.mult + clk->now.offset) >> clk->now.shift);
}

u64 hyp_clock_read_at(struct hyp_clock *clk, u64 cycles)
{
	if (clk->src.kind == HYP_CLOCK_COUNTER || READ_ONCE(*clk->now.latch) != clk->now.seq)
		return hyp_clock_read_slow(clk);

	return hyp_clock_ns(clk->now, cycles);
}
