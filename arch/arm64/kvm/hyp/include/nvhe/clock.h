/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_NVHE_CLOCK_H__
#define __ARM64_KVM_NVHE_CLOCK_H__
/*
 * The host's trace clock at EL2.
 *
 * The host's sched_clock() is a linear function of the physical counter, whose
 * parameters the host publishes under a latch sequence count for its own
 * lockless readers. EL2 shares that page and takes the parameters from there, so
 * that both sides always compute the same function: there is no update to send,
 * and none to be late.
 *
 * The host is not trusted with anything but the times. Each CPU keeps a copy of
 * the parameters that only it writes; it is taken anew when the sequence count
 * differs from the copy's. No parameter is a pointer or a bound, the shift is
 * masked, and the copy is attempted a bounded number of times.
 */
#include <linux/compiler.h>
#include <linux/sched_clock.h>
#include <linux/types.h>
#include <asm/sysreg.h>

/**
 * struct hyp_clock - a CPU's copy of the clock parameters
 * @latch:	the host's sequence count, shared
 * @banks:	the host's two sets of parameters, shared
 * @seq:	value of @latch that the copy was taken at
 * @mult:	nanoseconds per cycle, scaled
 * @shift:	scale of @mult, 0 to 63
 * @epoch_ns:	nanoseconds at @epoch_cyc
 * @epoch_cyc:	counter value
 */
struct hyp_clock {
	const u32			*latch;
	const struct clock_read_data	*banks;
	u32				seq;
	u32				mult;
	u32				shift;
	u64				epoch_ns;
	u64				epoch_cyc;
};

/**
 * hyp_clock_refresh - copy the parameters
 * @clk: this CPU's clock, with @latch and @banks set
 */
void hyp_clock_refresh(struct hyp_clock *clk);

/**
 * hyp_clock_now - the host's sched_clock() now
 * @clk: this CPU's clock, refreshed once
 *
 * Entering EL2 synchronised the context, so the counter cannot have been read
 * before; reads within one visit may be reordered, which the writer evens out.
 *
 * Return: nanoseconds.
 */
static __always_inline u64 hyp_clock_now(struct hyp_clock *clk)
{
	u64 cyc = read_sysreg(cntpct_el0);

	if (unlikely(READ_ONCE(*clk->latch) != clk->seq))
		hyp_clock_refresh(clk);

	return clk->epoch_ns + (((cyc - clk->epoch_cyc) * clk->mult) >> clk->shift);
}

#endif /* __ARM64_KVM_NVHE_CLOCK_H__ */
