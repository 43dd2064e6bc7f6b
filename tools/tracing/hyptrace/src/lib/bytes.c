// SPDX-License-Identifier: GPL-2.0
/*
 * A growing piece of memory. See bytes.h.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/bytes.h"
#include "lib/log.h"

#define MAX_VARINT	10

void bytes_free(struct bytes *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

/* Return: false if there is no room for @more bytes */
static bool has_room(struct bytes *b, size_t more)
{
	if (b->failed)
		return false;
	if (!array_room(&b->data, &b->room, b->size + more, 1))
		return true;
	b->failed = true;
	log_oom();
	return false;
}

void bytes_add(struct bytes *b, const void *data, size_t size)
{
	if (!size || !has_room(b, size))
		return;
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

void bytes_long_varint(struct bytes *b, u64 v)
{
	u8 *at;

	if (!has_room(b, MAX_VARINT))
		return;
	for (at = b->data + b->size; v > 0x7f; v >>= 7)
		*at++ = v | 0x80;
	*at++ = v;
	b->size = at - b->data;
}

void bytes_signed(struct bytes *b, long long v)
{
	bytes_varint(b, (u64)v << 1 ^ (u64)(v >> 63));
}

void bytes_text(struct bytes *b, const char *text, size_t size)
{
	bytes_varint(b, size);
	bytes_add(b, text, size);
}
