/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_NVHE_CLOCK_H__
#define __ARM64_KVM_NVHE_CLOCK_H__
/*
 * The host's trace clock at EL2.
 *
 * Each of the host's clocks is a piecewise linear function of the physical counter
 * (or a plain count, see HYP_CLOCK_COUNTER). The host publishes the parameters,
 * under a latch sequence count, for its own lockless readers. EL2 shares those
 * pages and takes the parameters from there, so that both sides always compute
 * the same function: there is no update to send, and none to be late.
 *
 * The host is not trusted with anything but the times. Each CPU keeps a copy of
 * the parameters that only it writes; it is taken anew when the sequence count
 * differs from the copy's. No parameter is used as a pointer or a bound, the shift
 * is masked, and the copy is attempted a bounded number of times.
 */
#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/kvm_hyptrace.h>
#include <asm/sysreg.h>

/**
 * struct hyp_clock - a CPU's copy of the clock parameters
 * @latch:	the host's sequence count, shared; of a counter, a word that never
 *		equals @seq
 * @seq:	value of @latch that the copy was taken at
 * @mult:	nanoseconds per cycle, scaled
 * @epoch_cyc:	counter value at the last update
 * @epoch_ns:	nanoseconds at @epoch_cyc
 * @frac:	fraction of a nanosecond at @epoch_cyc, scaled
 * @shift:	scale of @mult and @frac, 0 to 63
 * @src:	where the parameters come from
 */
struct hyp_clock {
	const u32			*latch;
	u32				seq;
	u32				mult;
	u64				epoch_cyc;
	u64				epoch_ns;
	u64				frac;
	u64				shift;
	struct hyp_clock_src		src;
};

/**
 * hyp_clock_init - start to use a source
 * @clk: this CPU's clock
 * @src: with addresses of EL2, shared with the host and pinned
 */
void hyp_clock_init(struct hyp_clock *clk, const struct hyp_clock_src *src);

/**
 * hyp_clock_is_current - may hyp_clock_read() be called
 * @clk: this CPU's clock, initialised
 *
 * Return: false when it takes hyp_clock_read_slow().
 */
static __always_inline bool hyp_clock_is_current(const struct hyp_clock *clk)
{
	return likely(READ_ONCE(*clk->latch) == clk->seq);
}

/**
 * hyp_clock_read - the host's clock now
 * @clk: this CPU's clock, current
 *
 * Entering EL2 synchronised the context, so the counter cannot have been read
 * before; reads within one visit may be reordered, which the writer evens out.
 *
 * Return: nanoseconds.
 */
static __always_inline u64 hyp_clock_read(const struct hyp_clock *clk)
{
	/* Neighbours, loaded in pairs before the counter is read */
	u64 epoch_cyc = clk->epoch_cyc, epoch_ns = clk->epoch_ns;
	u64 frac = clk->frac, shift = clk->shift;
	u64 cyc;

	/* No instruction: they are in registers here */
	asm("" : "+r" (epoch_cyc), "+r" (epoch_ns), "+r" (frac), "+r" (shift));
	cyc = read_sysreg(cntpct_el0) - epoch_cyc;

	return epoch_ns + ((cyc * clk->mult + frac) >> shift);
}

/**
 * hyp_clock_read_slow - the host's clock now, taking parameters over if need be
 * @clk: this CPU's clock, initialised
 *
 * Return: nanoseconds, or the count.
 */
u64 hyp_clock_read_slow(struct hyp_clock *clk);

#endif /* __ARM64_KVM_NVHE_CLOCK_H__ */
