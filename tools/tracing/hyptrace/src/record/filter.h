/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of events.
 */
#ifndef HYPTRACE_FILTER_H
#define HYPTRACE_FILTER_H

#include "lib/util.h"
#include "record/tdir.h"
#include "record/undo.h"

/** filter_refused - say why the kernel has just refused @filter for "system/event". Return: -1 */
int filter_refused(const struct tdir *d, const char *event, const char *filter);

/**
 * filters_set - give each event its filter
 * @d:		directory of the events
 * @undo:	journal of the changes; may be NULL
 * @events:	"system/event" strings
 * @filters:	the filter of each, "" for none
 *
 * Return: 0, or -1 with a message. If the kernel rejects a filter, the message has the
 * reason and the position.
 */
int filters_set(const struct tdir *d, struct undo *undo,
		const struct strlist *events, const struct strlist *filters);

#endif
