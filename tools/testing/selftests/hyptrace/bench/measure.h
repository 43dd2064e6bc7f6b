/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HYP_BENCH_MEASURE_H
#define _HYP_BENCH_MEASURE_H
/*
 * Counting instructions. Under -icount with shift=0 an instruction takes a
 * nanosecond, and the counter ticks every 16 ns. A batch of calls starts at a tick,
 * and a loop of known length then finds the first tick after its end. So a batch is
 * exact to 5 instructions, and a call to a fraction of one. A timer interrupt during
 * a batch makes it an outlier, which the median drops.
 *
 * A failure ends the program with a message, as a benchmark has nothing to clean up.
 */
#include <stdint.h>

#include "kselftest.h"

/**
 * struct cost - what a call costs
 * @median:	instructions, net of an empty call
 * @spread:	from the first to the ninth decile of the repeats
 */
struct cost {
	double	median;
	double	spread;
};

/**
 * struct batch - what to measure
 * @prepare:	called before each batch, not counted; may be NULL
 * @call:	called and counted
 * @arg:	argument of both
 * @calls:	number of calls in a batch
 * @repeats:	number of batches, after one that is dropped
 */
struct batch {
	void		(*prepare)(void *arg);
	void		(*call)(void *arg);
	void		*arg;
	unsigned int	calls;
	unsigned int	repeats;
};

struct cost measure(const struct batch *batch);

/* @a less @b; the spreads add up */
struct cost cost_less(struct cost a, struct cost b);
struct cost cost_scale(struct cost a, double factor);

/* The quantile @q of @nr values; this sorts them */
double quantile(double *values, unsigned int nr, double q);

/* The counter, read in program order; the same in nanoseconds */
uint64_t ticks(void);
double ticks_to_ns(uint64_t ticks);

/* Free memory; with the pages in per-CPU lists, which other counters take for used */
double free_bytes(void);

/* "name <tab> value <tab> unit <tab> spread" */
void report(const char *name, struct cost cost, const char *unit);
void report_value(const char *name, double value, const char *unit);

void __printf(1, 2) fail(const char *fmt, ...);
/* Fail if @ret, the result of a function of remote.h, is an error */
void need(int ret, const char *what);

#endif /* _HYP_BENCH_MEASURE_H */
