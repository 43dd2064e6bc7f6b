// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers for keys: a hash table with open addressing, at most half full. See u64map.h.
 */
#include <limits.h>
#include <stdlib.h>

#include "lib/u64map.h"

#define FIRST_ROOM	64

struct u64map_slot {
	u64 key;
	u32 number;	/* plus 1; 0 for an empty slot */
};

static struct u64map_slot *slot_of(const struct u64map *m, u64 key)
{
	u64 hash = key * 0x9e3779b97f4a7c15ULL;
	size_t i = (hash ^ hash >> 32) & (m->room - 1);

	while (m->slot[i].number && m->slot[i].key != key)
		i = (i + 1) & (m->room - 1);
	return &m->slot[i];
}

static int grow(struct u64map *m)
{
	struct u64map bigger = { .room = m->room ? 2 * m->room : FIRST_ROOM, .nr = m->nr };
	size_t i;

	bigger.slot = calloc(bigger.room, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -1;
	for (i = 0; i < m->room; i++) {
		if (m->slot[i].number)
			*slot_of(&bigger, m->slot[i].key) = m->slot[i];
	}
	free(m->slot);
	*m = bigger;
	return 0;
}

s32 u64map_get(struct u64map *m, u64 key, bool *is_new)
{
	struct u64map_slot *s;

	if (2 * ((size_t)m->nr + 1) > m->room && (m->nr == INT_MAX || grow(m)))
		return -1;
	s = slot_of(m, key);
	*is_new = !s->number;
	if (*is_new)
		*s = (struct u64map_slot) { .key = key, .number = ++m->nr };
	return s->number - 1;
}

s32 u64map_find(const struct u64map *m, u64 key)
{
	return m->room ? (s32)slot_of(m, key)->number - 1 : -1;
}

void u64map_free(struct u64map *m)
{
	free(m->slot);
	*m = (struct u64map) { 0 };
}
