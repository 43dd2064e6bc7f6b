/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of events.
 */
#ifndef HYPTRACE_FILTER_H
#define HYPTRACE_FILTER_H

#include "tdir.h"
#include "undo.h"
#include "util.h"

/**
 * filters_set - give each event its filter
 * @d:		where the events live
 * @undo:	notes what is changed; may be NULL
 * @events:	"system/event" strings
 * @filters:	the filter of each, "" for none
 *
 * Return: 0, or -1 with a message, which for a filter that the kernel refuses says
 * why, and at which place.
 */
int filters_set(const struct tdir *d, struct undo *undo,
		const struct strlist *events, const struct strlist *filters);

#endif
