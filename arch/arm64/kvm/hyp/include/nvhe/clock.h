/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_NVHE_CLOCK_H__
#define __ARM64_KVM_NVHE_CLOCK_H__
/*
 * The host's trace clock at EL2.
 *
 * Each of the host's clocks is a piecewise linear function of the physical counter
 * (or a plain count, see HYP_CLOCK_COUNTER). The host publishes the parameters,
 * under a latch sequence count, for its own lockless readers. These pages are shared
 * with EL2, which takes the parameters from there. So both sides always compute the
 * same function, and there are no updates to send that could arrive late.
 *
 * The host is not trusted with anything but the times. Each CPU keeps a private
 * copy of the parameters, and refreshes it when the sequence count differs from the
 * copy's. No parameter is used as a pointer or a bound, the shift is masked, and a
 * refresh gives up after a bounded number of attempts.
 */
#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/kvm_hyptrace.h>
#include <asm/sysreg.h>

/**
 * struct hyp_clock_params - a CPU's copy of the clock parameters
 * @latch:	address of the host's sequence count, which is shared; for a plain
 *		count, of a word that never equals @seq
 * @offset:	frac - epoch_cyc * mult of the formula below, modulo 2^64
 * @seq:	value of @latch that the copy was taken at
 * @mult:	nanoseconds per cycle, scaled
 * @epoch_ns:	nanoseconds at the last update
 * @shift:	scale of @mult and @offset, 0 to 63
 *
 * The host computes epoch_ns + (((cycles - epoch_cyc) * mult + frac) >> shift) in 64
 * bits. Up to the shift this is modulo 2^64, so frac - epoch_cyc * mult can be
 * computed beforehand, and the result is the same to the last bit.
 *
 * In this order, the compiler loads the members in pairs.
 */
struct hyp_clock_params {
	const u32			*latch;
	u64				offset;
	u64				seq;
	u64				mult;
	u64				epoch_ns;
	u64				shift;
};

/**
 * struct hyp_clock - a CPU's clock
 * @now:	the parameters that it is computed from
 * @src:	where the host publishes them
 */
struct hyp_clock {
	struct hyp_clock_params		now;
	struct hyp_clock_src		src;
};

/**
 * hyp_clock_init - start to use a source
 * @clk: this CPU's clock
 * @src: the source; its addresses are EL2's, in memory that is shared and pinned
 */
void hyp_clock_init(struct hyp_clock *clk, const struct hyp_clock_src *src);

/** hyp_clock_ns - the time when the counter is @cycles */
static __always_inline u64 hyp_clock_ns(struct hyp_clock_params p, u64 cycles)
{
	return p.epoch_ns + ((cycles * p.mult + p.offset) >> p.shift);
}

/**
 * hyp_clock_read - the host's clock now
 * @p: the parameters of this CPU's clock, initialised; passed by value, so that they
 *     are loaded in place and no address has to be computed
 * @ns: set to the time in nanoseconds, by the copy even if that is not current
 *
 * This needs no ISB. Entering EL2 is a context synchronization event, so the counter
 * cannot be read before it; nor before the parameters, as taking a copy ends with an
 * ISB. Reads within one visit to EL2 may be reordered, but the writer raises timestamps
 * that go back.
 *
 * Return: false if the copy is not current; use hyp_clock_read_slow() then.
 */
static __always_inline bool hyp_clock_read(struct hyp_clock_params p, u64 *ns)
{
	/* Emits nothing; forces them into registers before the counter is read */
	asm volatile("" : : "r" (p.latch), "r" (p.offset), "r" (p.seq), "r" (p.mult),
		     "r" (p.epoch_ns), "r" (p.shift));
	*ns = hyp_clock_ns(p, read_sysreg(cntpct_el0));
	return likely(READ_ONCE(*p.latch) == p.seq);
}

/**
 * hyp_clock_read_slow - the host's clock now, refreshing the copy if needed
 * @clk: this CPU's clock, initialised
 *
 * Return: nanoseconds, or the count of a plain count.
 */
u64 hyp_clock_read_slow(struct hyp_clock *clk);

/**
 * hyp_clock_read_at - the same for a moment that has just passed
 * @clk: this CPU's clock, initialised
 * @cycles: what the counter was then
 *
 * If the clock's parameters have changed since, it is the time now. A plain count is the next one.
 */
u64 hyp_clock_read_at(struct hyp_clock *clk, u64 cycles);

/**
 * hyp_clock_read_past - the same for a moment long before, also before the host's last update
 * @clk: this CPU's clock, initialised
 * @cycles: what the counter was then
 *
 * The rate is assumed to have been what it is now.
 */
u64 hyp_clock_read_past(struct hyp_clock *clk, u64 cycles);

#endif /* __ARM64_KVM_NVHE_CLOCK_H__ */
