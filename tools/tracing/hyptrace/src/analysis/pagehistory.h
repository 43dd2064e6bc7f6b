/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The history of some pages: all of their transitions.
 */
#ifndef HYPTRACE_PAGEHISTORY_H
#define HYPTRACE_PAGEHISTORY_H

#include "analysis/pagelog.h"
#include "analysis/pagereplay.h"
#include "lib/types.h"
#include "lib/util.h"

/**
 * struct page_range - page frame numbers
 * @first:	the first one
 * @last:	the last one
 */
struct page_range {
	u64 first;
	u64 last;
};

/**
 * struct page_ranges - a list of ranges that grows; all 0 at first
 */
struct page_ranges {
	struct page_range *range;
	size_t nr;
	size_t room;
};

/** page_ranges_add - add one at the end. Return: 0, or -1 with a message. */
int page_ranges_add(struct page_ranges *r, u64 first, u64 last);
void page_ranges_free(struct page_ranges *r);

/**
 * struct pagehistory - by page, then by time
 * @step:	the transitions
 * @nr:		how many
 * @room:	how many fit
 */
struct pagehistory {
	struct page_step *step;
	size_t nr;
	size_t room;
};

/**
 * pagehistory_read - collect the transitions of pages
 * @h:		the history, all 0
 * @l:		all transitions; must outlive the history
 * @pages:	which pages
 * @cpus:	only transitions on these CPUs; NULL for all
 *
 * Return: 0, or -1 with a message.
 */
int pagehistory_read(struct pagehistory *h, const struct pagelog *l,
		     const struct page_ranges *pages, const struct cpulist *cpus);
void pagehistory_free(struct pagehistory *h);

#endif
