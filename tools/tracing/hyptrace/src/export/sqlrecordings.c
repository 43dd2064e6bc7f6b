// SPDX-License-Identifier: GPL-2.0
/*
 * The recordings that a query reads. See recordings.h.
 */
#include <stdlib.h>

#include "export/sqlrecordings.h"
#include "lib/array.h"
#include "lib/log.h"

int recordings_add(struct recordings *r, const char *path, struct datr *d)
{
	struct query_recording *one;

	if (array_room(&r->recording, &r->room, r->nr + 1, sizeof(*r->recording))) {
		datr_free(d);
		return log_oom();
	}
	one = &r->recording[r->nr++];
	*one = (struct query_recording) { .id = r->nr, .path = path, .d = d };
	one->db = evdb_load(d);
	return one->db ? 0 : -1;
}

void recording_corrupt(struct query_recording *r, const struct corrupt *c)
{
	if (c->nr > r->corrupt.nr)
		r->corrupt = *c;
}

int recordings_check(const struct recordings *r)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < r->nr; i++)
		ret |= corrupt_tell(&r->recording[i].corrupt, r->recording[i].d);
	return ret;
}

void recordings_free(struct recordings *r)
{
	while (r->nr--) {
		evdb_free(r->recording[r->nr].db);
		datr_free(r->recording[r->nr].d);
	}
	free(r->recording);
	*r = (struct recordings) { 0 };
}
