// SPDX-License-Identifier: GPL-2.0
/*
 * The architected counter beside the trace clock. See counter.h.
 *
 * User space can read both, the clock as CLOCK_MONOTONIC_RAW. The counter is read before and
 * after the clock, many times. Each time gives a range for the clock at one value of the
 * counter; what all ranges have in common is narrower than any of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <time.h>

#include "lib/types.h"
#include "lib/util.h"
#include "record/counter.h"
#include "trace/counterpair.h"

#ifdef __aarch64__

#define SAMPLES		2000

/**
 * struct sample - one of them
 * @before:	the counter
 * @clock:	the clock, ns
 * @after:	the counter again
 */
struct sample {
	u64 before;
	u64 clock;
	u64 after;
};

static u64 read_counter(void)
{
	u64 v;

	asm volatile("isb; mrs %0, cntvct_el0; isb" : "=r" (v) : : "memory");
	return v;
}

static u64 read_frequency(void)
{
	u64 v;

	asm volatile("mrs %0, cntfrq_el0" : "=r" (v));
	return v;
}

static struct sample take_sample(void)
{
	struct sample s;
	struct timespec t;

	s.before = read_counter();
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	s.after = read_counter();
	s.clock = t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
	return s;
}

/* Return: 0, or -1 if the clock does not follow the counter */
static int take_pair(struct counterpair *p)
{
	struct sample first = take_sample(), s = first;
	double ns_per_tick = 1e9 / p->frequency;
	double clock, from = -INFINITY, to = INFINITY;
	int i;

	/* the clock when the counter was first.before, less first.clock */
	for (i = 0; i < SAMPLES; i++) {
		clock = s.clock - first.clock;
		from = MAX(from, clock - (s.after - first.before) * ns_per_tick);
		to = MIN(to, clock + 1 - (s.before - first.before) * ns_per_tick);
		s = take_sample();
	}
	if (from > to)
		return -1;
	p->counter = first.before;
	p->from = first.clock + (long long)floor(from);
	p->to = first.clock + (long long)ceil(to);
	return 0;
}

char *counter_snap(const char *clock)
{
	struct counterpair p = { .frequency = read_frequency() };

	if (strcmp(clock, COUNTERPAIR_CLOCK) || !p.frequency || take_pair(&p))
		return NULL;
	return counterpair_format(&p);
}

#else

char *counter_snap(const char *clock)
{
	(void)clock;
	return NULL;
}

#endif
