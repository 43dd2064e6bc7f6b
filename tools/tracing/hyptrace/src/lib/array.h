/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays that grow at their end.
 *
 *	struct list {
 *		struct thing *thing;	NULL at first
 *		size_t nr;		how many there are, 0 at first
 *		size_t room;		how many fit, 0 at first
 *	};
 *
 *	if (array_room(&l->thing, &l->room, l->nr + 1, sizeof(*l->thing)))
 *		return log_oom();
 *	l->thing[l->nr++] = new;
 */
#ifndef HYPTRACE_ARRAY_H
#define HYPTRACE_ARRAY_H

#include "lib/types.h"

/* What array_room() does if there is no room */
int array_grow(void *array, size_t *room, size_t nr, size_t size);

/**
 * array_room - make room in an array
 * @array:	where the pointer to the first element is; it changes if the array moves
 * @room:	how many elements fit
 * @nr:		how many have to fit
 * @size:	of an element
 *
 * The room at least doubles each time, so that the time to add many elements one by one
 * is proportional to their number. New room is not initialized.
 *
 * Return: 0, or -1 without a message and with errno set if memory ran out; then the
 * array is as it was.
 */
static inline int array_room(void *array, size_t *room, size_t nr, size_t size)
{
	return nr <= *room ? 0 : array_grow(array, room, nr, size);
}

#endif
