// SPDX-License-Identifier: GPL-2.0
/*
 * The corrupt places of a file. See corrupt.h.
 */
#include "lib/log.h"
#include "trace/corrupt.h"

void corrupt_take(struct corrupt *c, const struct merged *ev)
{
	if (!ev->ev.data && !c->nr++)
		c->first = ev->offset;
}

int corrupt_tell(const struct corrupt *c, const struct datr *d)
{
	if (c->nr)
		log_error("%s: %llu corrupt sub-buffers, " CORRUPT_PLACE, datr_name(d), c->nr,
			  c->first);
	return c->nr > 0;
}
