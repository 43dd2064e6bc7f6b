// SPDX-License-Identifier: GPL-2.0
/*
 * Stretches of time. See stretches.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/stretches.h"
#include "lib/array.h"
#include "lib/log.h"

int stretches_add(struct stretches *s, const struct stretch *one)
{
	if (array_room(&s->list, &s->room, s->nr + 1, sizeof(*s->list)))
		return log_oom();
	s->list[s->nr++] = *one;
	return 0;
}

static int give_to_unknown(struct stretch *s, struct rows *tasks)
{
	const struct times_row unknown = { .id = TIMES_UNKNOWN };

	s->task = rows_get(tasks, &unknown);
	s->vcpu = NULL;
	return s->task ? 0 : -1;
}

/* HYP sets whether it is in the host; HOST sets what of the host it is, and the task there */
static int set_unknown(struct stretch *s, struct rows *tasks, enum side side)
{
	if (side == HOST && !place_is_host(s->place))
		return 0;
	s->place = side == HYP ? PLACE_UNKNOWN : PLACE_TASK;
	return give_to_unknown(s, tasks);
}

int stretches_settle(struct stretches *s, struct rows *tasks, bool known, enum side side)
{
	size_t i;

	for (i = s->settled[side]; i < s->nr && !known; i++) {
		if (set_unknown(&s->list[i], tasks, side))
			return -1;
	}
	s->settled[side] = s->nr;
	return 0;
}

size_t stretches_settled(const struct stretches *s)
{
	return s->settled[HOST] < s->settled[HYP] ? s->settled[HOST] : s->settled[HYP];
}

void stretches_drop(struct stretches *s, size_t nr)
{
	if (!nr)
		return;
	memmove(s->list, &s->list[nr], (s->nr - nr) * sizeof(*s->list));
	s->nr -= nr;
	s->settled[HOST] -= nr;
	s->settled[HYP] -= nr;
}

void stretches_pin(const struct stretches *s)
{
	const struct stretch *one;

	for (one = s->list; one < s->list + s->nr; one++) {
		one->task->pinned = true;
		if (one->vcpu)
			one->vcpu->pinned = true;
	}
}

void stretches_free(struct stretches *s)
{
	free(s->list);
}
