/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The transitions of pages in a recording, in order of time.
 *
 * A state is known from the transitions before. Where some are missing it is not: between
 * the event before and the event after a loss, where tracing was not on for each CPU, and
 * behind the last event of a CPU whose end is missing. What is lost on one CPU may be
 * about any page, so such transitions of all CPUs are marked as doubtful.
 */
#ifndef HYPTRACE_PAGELOG_H
#define HYPTRACE_PAGELOG_H

#include "analysis/account.h"
#include "analysis/pagestate.h"
#include "lib/types.h"
#include "trace/datr.h"
#include "trace/evdb.h"
#include "trace/merge.h"

/**
 * struct page_event - a transition
 * @change:	which
 * @pfn:	the first page
 * @nr:		how many
 * @ret:	0, or the error for which it was refused
 * @ts:		timestamp, ns
 * @cpu:	on which CPU
 * @pid:	on behalf of which task
 * @caller:	the host's hypercall, or why EL2 was entered
 * @doubtful:	others before it, but after the previous one in the log, may be missing
 */
struct page_event {
	struct page_change change;
	u64 pfn;
	u64 nr;
	s32 ret;
	u64 ts;
	u32 cpu;
	s32 pid;
	const char *caller;
	bool doubtful;
};

struct pagelog;

/** pagelog_new - begin. Return: NULL with a message. */
struct pagelog *pagelog_new(const struct datr *d, struct evdb *db);

/**
 * pagelog_complete - whether all transitions were recorded
 *
 * mem_transition was, without a filter, and guest_mem if that kernel has it.
 */
bool pagelog_complete(const struct datr *d, struct evdb *db);

/**
 * pagelog_feed - take the next event, or corrupt place
 *
 * Events of all CPUs must come in order of time.
 *
 * Return: 0, or -1 with a message if memory ran out.
 */
int pagelog_feed(struct pagelog *l, const struct merged *ev);

/** pagelog_finish - all events were taken; @a counted the same ones */
void pagelog_finish(struct pagelog *l, const struct account *a);

/** pagelog_event - the i-th transition, or NULL behind the last; not before the end */
const struct page_event *pagelog_event(const struct pagelog *l, size_t i);

/** pagelog_free - @l may be NULL */
void pagelog_free(struct pagelog *l);

#endif
