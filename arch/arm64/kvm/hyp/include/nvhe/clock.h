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
 * struct hyp_clock_params - a CPU's copy of the clock parameters
 * @latch:	the host's sequence count, shared; of a counter, a word that never
 *		equals @seq
 * @offset:	scaled nanoseconds at the last update, less those of its counter
 *		value, modulo 2^64
 * @seq:	value of @latch that the copy was taken at
 * @mult:	nanoseconds per cycle, scaled
 * @epoch_ns:	nanoseconds at the last update
 * @shift:	scale of @mult and @offset, 0 to 63
 *
 * The host computes epoch_ns + (((cycles - epoch_cyc) * mult + frac) >> shift) in 64
 * bits. As that is modulo 2^64 up to the shift, frac - epoch_cyc * mult can be
 * computed beforehand, and the result is the same to the last bit.
 *
 * In the order in which they are loaded in pairs.
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
 * @now:	what it is computed from
 * @src:	where that comes from
 */
struct hyp_clock {
	struct hyp_clock_params		now;
	struct hyp_clock_src		src;
};

/**
 * hyp_clock_init - start to use a source
 * @clk: this CPU's clock
 * @src: with addresses of EL2, shared with the host and pinned
 */
void hyp_clock_init(struct hyp_clock *clk, const struct hyp_clock_src *src);

/**
 * hyp_clock_read - the host's clock now
 * @p: the parameters of this CPU's clock, initialised; by value, as then they are
 *     loaded from where they are with no address to compute
 * @ns: the time, in nanoseconds; when it is not current, as of the last update
 *
 * Entering EL2 synchronised the context, so the counter cannot have been read
 * before; reads within one visit may be reordered, which the writer evens out.
 *
 * Return: false when the copy is not current and it takes hyp_clock_read_slow().
 */
static __always_inline bool hyp_clock_read(struct hyp_clock_params p, u64 *ns)
{
	/* No instruction: they are in registers, before the counter is read */
	asm volatile("" : : "r" (p.latch), "r" (p.offset), "r" (p.seq), "r" (p.mult),
		     "r" (p.epoch_ns), "r" (p.shift));
	*ns = p.epoch_ns + ((read_sysreg(cntpct_el0) * p.mult + p.offset) >> p.shift);
	return likely(READ_ONCE(*p.latch) == p.seq);
}

/**
 * hyp_clock_read_slow - the host's clock now, taking parameters over if need be
 * @clk: this CPU's clock, initialised
 *
 * Return: nanoseconds, or the count.
 */
u64 hyp_clock_read_slow(struct hyp_clock *clk);

#endif /* __ARM64_KVM_NVHE_CLOCK_H__ */
