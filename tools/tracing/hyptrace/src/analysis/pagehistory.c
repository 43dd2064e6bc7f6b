// SPDX-License-Identifier: GPL-2.0
/*
 * The history of pages. See pagehistory.h.
 */
#include <stdlib.h>

#include "analysis/pagehistory.h"
#include "lib/array.h"
#include "lib/log.h"

struct history_reading {
	struct pagehistory *h;
	const struct page_ranges *pages;
	const struct cpulist *cpus;
};

int page_ranges_add(struct page_ranges *r, u64 first, u64 last)
{
	if (array_room(&r->range, &r->room, r->nr + 1, sizeof(*r->range)))
		return log_oom();
	r->range[r->nr++] = (struct page_range) { first, last };
	return 0;
}

void page_ranges_free(struct page_ranges *r)
{
	free(r->range);
	*r = (struct page_ranges) { 0 };
}

static bool has(const struct page_ranges *r, u64 pfn)
{
	size_t i;

	for (i = 0; i < r->nr; i++) {
		if (pfn >= r->range[i].first && pfn <= r->range[i].last)
			return true;
	}
	return false;
}

static int take_step(void *ctx, const struct page_step *s)
{
	const struct history_reading *r = ctx;
	struct pagehistory *h = r->h;

	if (!has(r->pages, s->pfn) || (r->cpus && !cpulist_has(r->cpus, s->event->cpu)))
		return 0;
	if (array_room(&h->step, &h->room, h->nr + 1, sizeof(*h->step)))
		return log_oom();
	h->step[h->nr++] = *s;
	return 0;
}

/* The events of a log are an array, in order of time */
static int compare(const void *a, const void *b)
{
	const struct page_step *s = a, *t = b;

	if (s->pfn != t->pfn)
		return compare_u64(s->pfn, t->pfn);
	return s->event < t->event ? -1 : s->event > t->event;
}

int pagehistory_read(struct pagehistory *h, const struct pagelog *l,
		     const struct page_ranges *pages, const struct cpulist *cpus)
{
	struct history_reading r = { .h = h, .pages = pages, .cpus = cpus };

	if (pagereplay_run(l, take_step, &r))
		return -1;
	if (h->nr)
		qsort(h->step, h->nr, sizeof(*h->step), compare);
	return 0;
}

void pagehistory_free(struct pagehistory *h)
{
	free(h->step);
}
