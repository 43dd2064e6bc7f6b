// SPDX-License-Identifier: GPL-2.0
/*
 * Spans of time, in order. See spans.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/spans.h"
#include "lib/array.h"
#include "lib/log.h"

bool spans_empty(const struct spans *s)
{
	return s->first == s->nr;
}

struct span *spans_front(const struct spans *s)
{
	return &s->span[s->first];
}

/* The front is used again when at least half of the room is free there */
static void move_to_front(struct spans *s)
{
	if (s->nr < s->room || !s->room || s->first < s->room / 2)
		return;
	memmove(s->span, spans_front(s), (s->nr - s->first) * sizeof(*s->span));
	s->nr -= s->first;
	s->first = 0;
}

int spans_add(struct spans *s, u64 start, u64 end)
{
	move_to_front(s);
	if (array_room(&s->span, &s->room, s->nr + 1, sizeof(*s->span)))
		return log_oom();
	s->span[s->nr++] = (struct span) { start, end };
	return 0;
}

struct span spans_take(struct spans *s)
{
	return s->span[s->first++];
}

bool span_overlaps(const struct span *a, const struct span *b)
{
	return a->start <= b->end && b->start <= a->end;
}

bool spans_touch(struct spans *s, const struct span *other)
{
	while (!spans_empty(s) && spans_front(s)->end < other->start)
		spans_take(s);
	return !spans_empty(s) && span_overlaps(spans_front(s), other);
}

void spans_free(struct spans *s)
{
	free(s->span);
}
