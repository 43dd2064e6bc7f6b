/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spans of time, in order: added at the end, consumed from the front.
 */
#ifndef HYPTRACE_SPANS_H
#define HYPTRACE_SPANS_H

#include "lib/types.h"

/**
 * struct span - a span of time
 * @start:	its first ns, as a timestamp
 * @end:	its last ns
 */
struct span {
	u64 start;
	u64 end;
};

/**
 * struct spans - spans in order of time; all 0 at first
 * @span:	them, and before them those that were consumed
 * @first:	index of the first
 * @nr:		index behind the last
 * @room:	how many fit
 */
struct spans {
	struct span *span;
	size_t first;
	size_t nr;
	size_t room;
};

bool spans_empty(const struct spans *s);

/** spans_front - the first one. Context: there is one. */
struct span *spans_front(const struct spans *s);

/** spans_add - add one that is not before the last. Return: 0, -1 with a message. */
int spans_add(struct spans *s, u64 start, u64 end);

/** spans_take - consume the first one. Context: there is one. */
struct span spans_take(struct spans *s);

/** span_overlaps - whether both have some time in common */
bool span_overlaps(const struct span *a, const struct span *b);

/**
 * spans_touch - whether one of them overlaps @other
 *
 * Those that end before @other are consumed: the next call must be for a later one.
 */
bool spans_touch(struct spans *s, const struct span *other);

void spans_free(struct spans *s);

#endif
