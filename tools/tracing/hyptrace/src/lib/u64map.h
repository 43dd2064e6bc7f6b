/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers from 0 on, for keys of 64 bits.
 */
#ifndef HYPTRACE_U64MAP_H
#define HYPTRACE_U64MAP_H

#include <stddef.h>

#include "lib/types.h"

struct u64map_slot;

/**
 * struct u64map - the map; all 0 at first
 * @slot:	the slots
 * @room:	how many, a power of two
 * @nr:		how many keys there are
 */
struct u64map {
	struct u64map_slot *slot;
	size_t room;
	u32 nr;
};

/**
 * u64map_get - the number of a key; a new key gets the next one
 * @m:		the map
 * @key:	the key
 * @is_new:	gets whether it is new
 *
 * Return: the number, or -1 without a message if memory ran out or there are 2^31 keys.
 */
s32 u64map_get(struct u64map *m, u64 key, bool *is_new);

/** u64map_find - the number of a key, -1 if it has none */
s32 u64map_find(const struct u64map *m, u64 key);

void u64map_free(struct u64map *m);

#endif
