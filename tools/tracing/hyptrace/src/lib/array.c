// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays that grow at their end. See array.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define FIRST_ROOM	16

int array_grow(void *array, size_t *room, size_t nr, size_t size)
{
	size_t more = *room ? *room : FIRST_ROOM;
	void *elements;

	/* the loop ends below 2 * nr, or at FIRST_ROOM */
	if (nr > SIZE_MAX / 2 / size) {
		errno = ENOMEM;
		return -1;
	}
	while (more < nr)
		more *= 2;
	/* the type of the pointer is not known here, but its size is */
	memcpy(&elements, array, sizeof(elements));
	elements = realloc(elements, more * size);
	if (!elements)
		return -1;
	memcpy(array, &elements, sizeof(elements));
	*room = more;
	return 0;
}
