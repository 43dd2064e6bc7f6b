// SPDX-License-Identifier: GPL-2.0
/*
 * The steps of EL2's start. See bootsteps.h.
 */
#include <stdlib.h>

#include "analysis/bootsteps.h"
#include "lib/log.h"
#include "lib/util.h"

/**
 * struct bootsteps - the step that each CPU is in
 * @dist:	takes its duration; NULL if the CPU is in none
 * @start:	when it began
 */
struct bootsteps {
	struct dist *dist[MAX_CPUS];
	u64 start[MAX_CPUS];
};

struct bootsteps *bootsteps_new(void)
{
	struct bootsteps *b = calloc(1, sizeof(*b));

	if (!b)
		log_oom();
	return b;
}

int bootsteps_feed(struct bootsteps *b, unsigned int cpu, u64 ts, enum ev_kind kind,
		   struct dist *dist)
{
	struct dist *ended = b->dist[cpu];

	if (kind != EV_HYP_BOOT && kind != EV_HYP_EXIT && kind != EV_HYP_ENTER)
		return 0;
	b->dist[cpu] = kind == EV_HYP_BOOT ? dist : NULL;
	if (ended && kind != EV_HYP_ENTER && dist_add(ended, ts - b->start[cpu]))
		return -1;
	b->start[cpu] = ts;
	return 0;
}

void bootsteps_lose(struct bootsteps *b, unsigned int cpu)
{
	b->dist[cpu] = NULL;
}

void bootsteps_free(struct bootsteps *b)
{
	free(b);
}
