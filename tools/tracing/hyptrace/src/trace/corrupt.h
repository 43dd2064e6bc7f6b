/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The corrupt places of a file.
 */
#ifndef HYPTRACE_CORRUPT_H
#define HYPTRACE_CORRUPT_H

#include "lib/types.h"
#include "trace/merge.h"

/**
 * struct corrupt - corrupt places; all 0 at first
 * @nr:		how many there are
 * @first:	offset in the file of the first sub-buffer that is corrupt
 */
struct corrupt {
	u64 nr;
	u64 first;
};

/* Format of what follows a number of corrupt sub-buffers: @first */
#define CORRUPT_PLACE	"the first one at byte %llu: the rest of each was left out"

/** corrupt_take - count @ev if it is a corrupt place */
void corrupt_take(struct corrupt *c, const struct merged *ev);

/** corrupt_tell - print a message if there are any. Return: 1, or 0 if there is none. */
int corrupt_tell(const struct corrupt *c, const struct datr *d);

#endif
