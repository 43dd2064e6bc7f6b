/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HYP_BENCH_MEASURE_H
#define _HYP_BENCH_MEASURE_H
/*
 * Counting instructions. Under -icount with shift=0 an instruction takes a
 * nanosecond, and the counter ticks every 16 ns. A batch of calls starts at a
 * tick, and a loop of known length finds the next one after its end, so that a
 * batch is right to 5 instructions and a call to a fraction of one. A timer
 * interrupt that hits a batch is an outlier, which the median drops.
 *
 * A failure ends the program with a message: a benchmark has nothing to save.
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
 * @prepare:	before each batch, not counted; may be NULL
 * @call:	what is counted
 * @arg:	for both
 * @calls:	in a batch
 * @repeats:	batches, after one that is dropped
 */
struct batch {
	void		(*prepare)(void *arg);
	void		(*call)(void *arg);
	void		*arg;
	unsigned int	calls;
	unsigned int	repeats;
};

struct cost measure(const struct batch *batch);

/* @a less @b; each value's spread counts in full */
struct cost cost_less(struct cost a, struct cost b);
struct cost cost_scale(struct cost a, double factor);

/* The quantile @q of @nr values, which are sorted by this */
double quantile(double *values, unsigned int nr, double q);

/* Counter, in order with what is around it; the same as nanoseconds */
uint64_t ticks(void);
double ticks_to_ns(uint64_t ticks);

/* "name <tab> value <tab> unit <tab> spread" */
void report(const char *name, struct cost cost, const char *unit);
void report_value(const char *name, double value, const char *unit);

void __printf(1, 2) fail(const char *fmt, ...);
/* Fail unless @ret, what a function of remote.h returned, is no error */
void need(int ret, const char *what);

#endif /* _HYP_BENCH_MEASURE_H */
