// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers for strings of bytes. See intern.h.
 *
 * A hash table with linear probing, at most half full.
 */
#include <stdlib.h>
#include <string.h>

#include "export/intern.h"
#include "lib/array.h"
#include "lib/log.h"

#define FIRST_SLOTS	1024u

/**
 * struct string - a string
 * @hash:	of its bytes
 * @offset:	where it begins
 */
struct string {
	u32 hash;
	size_t offset;
};

/**
 * struct intern - the strings
 * @all:	one after the other
 * @string:	where they are
 * @nr:		how many
 * @room:	how many fit in @string
 * @slots:	numbers plus 1 by hash, 0 for none
 * @mask:	number of slots, less 1
 */
struct intern {
	struct bytes all;
	struct string *string;
	u32 nr;
	size_t room;
	u32 *slots;
	u32 mask;
};

static u64 mix(u64 hash, u64 part)
{
	hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/* Eight bytes at a time; the last eight of a key may overlap those before */
static u32 hash_of(const struct bytes *key)
{
	u64 hash = key->size, part = 0;
	size_t i;

	if (key->size < sizeof(part)) {
		for (i = 0; i < key->size; i++)
			part = part << 8 | key->data[i];
		return mix(hash, part);
	}
	for (i = 0; i + sizeof(part) < key->size; i += sizeof(part)) {
		memcpy(&part, key->data + i, sizeof(part));
		hash = mix(hash, part);
	}
	memcpy(&part, key->data + key->size - sizeof(part), sizeof(part));
	return mix(hash, part);
}

/* The slot of @key, or the one where it belongs */
static u32 *slot_of(const struct intern *n, const struct bytes *key, u32 hash)
{
	const struct string *s;
	size_t end;
	u32 i, at;

	for (i = hash & n->mask; (at = n->slots[i]); i = (i + 1) & n->mask) {
		s = &n->string[at - 1];
		end = at < n->nr ? s[1].offset : n->all.size;
		if (s->hash == hash && end - s->offset == key->size &&
		    !memcmp(n->all.data + s->offset, key->data, key->size))
			break;
	}
	return &n->slots[i];
}

/* Return: 0, or -1 with a message */
static int resize(struct intern *n, u32 nr_slots)
{
	u32 *slots = calloc(nr_slots, sizeof(*slots));
	u32 i, at;

	if (!slots)
		return log_oom();
	free(n->slots);
	n->slots = slots;
	n->mask = nr_slots - 1;
	for (i = 0; i < n->nr; i++) {
		for (at = n->string[i].hash & n->mask; slots[at];)
			at = (at + 1) & n->mask;
		slots[at] = i + 1;
	}
	return 0;
}

struct intern *intern_new(void)
{
	struct intern *n = calloc(1, sizeof(*n));

	if (!n) {
		log_oom();
		return NULL;
	}
	if (resize(n, FIRST_SLOTS)) {
		intern_free(n);
		return NULL;
	}
	return n;
}

void intern_free(struct intern *n)
{
	if (!n)
		return;
	bytes_free(&n->all);
	free(n->string);
	free(n->slots);
	free(n);
}

/* Return: 0 if there is room for one more string, -1 with a message */
static int make_room(struct intern *n)
{
	if (array_room(&n->string, &n->room, n->nr + 1, sizeof(*n->string)))
		return log_oom();
	return n->nr < (n->mask + 1) / 2 ? 0 : resize(n, 2 * (n->mask + 1));
}

u32 intern_get(struct intern *n, const struct bytes *key)
{
	u32 hash = hash_of(key), *slot = slot_of(n, key, hash);

	n->all.failed |= key->failed;
	if (*slot)
		return *slot - 1;
	n->all.failed |= n->all.failed || make_room(n);
	if (n->all.failed)
		return 0;
	slot = slot_of(n, key, hash);	/* the table may have been replaced */
	n->string[n->nr] = (struct string) { hash, n->all.size };
	bytes_add(&n->all, key->data, key->size);
	*slot = ++n->nr;
	return n->nr - 1;
}

bool intern_failed(const struct intern *n)
{
	return n->all.failed;
}

u32 intern_nr(const struct intern *n)
{
	return n->nr;
}

void intern_write(const struct intern *n, struct bytes *out)
{
	out->failed |= n->all.failed;
	bytes_varint(out, n->nr);
	bytes_add(out, n->all.data, n->all.size);
}
