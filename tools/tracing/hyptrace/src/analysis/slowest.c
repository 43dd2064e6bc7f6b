// SPDX-License-Identifier: GPL-2.0
/*
 * The longest durations. See slowest.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/slowest.h"
#include "lib/log.h"

/* Where a new one goes: behind all that are as long or longer, and began before it */
static unsigned int find_place(const struct slow_list *l, const struct slow *s)
{
	unsigned int low = 0, high = l->nr, mid;
	const struct slow *m;

	while (low < high) {
		mid = low + (high - low) / 2;
		m = &l->list[mid];
		if (m->ns > s->ns || (m->ns == s->ns && m->start <= s->start))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void add(struct slow_list *l, unsigned int max, const struct slow *s)
{
	unsigned int at = find_place(l, s);

	if (at == max)
		return;
	if (l->nr < max)
		l->nr++;
	memmove(&l->list[at + 1], &l->list[at], (l->nr - at - 1) * sizeof(*s));
	l->list[at] = *s;
}

void slowest_stay(void *slowest, const struct times_stay *stay)
{
	struct slowest *s = slowest;
	const struct slow slow = {
		.ns = stay->end - stay->start, .start = stay->start, .cpu = stay->cpu,
		.task = stay->task, .what = stay->reason, .call = stay->call,
	};

	add(&s->entries, s->max, &slow);
}

void slowest_way(void *slowest, const struct times_switch *way)
{
	struct slowest *s = slowest;
	const struct slow slow = {
		.ns = way->end - way->start, .start = way->start, .cpu = way->cpu,
		.task = way->task, .way = way->way,
	};

	add(&s->switches, s->max, &slow);
}

int slowest_init(struct slowest *s, unsigned int max)
{
	s->max = max;
	s->entries.list = calloc(max, sizeof(*s->entries.list));
	s->switches.list = calloc(max, sizeof(*s->switches.list));
	return s->entries.list && s->switches.list ? 0 : log_oom();
}

void slowest_free(struct slowest *s)
{
	free(s->entries.list);
	free(s->switches.list);
}
