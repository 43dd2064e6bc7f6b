// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes that are consumed from the front. See cursor.h.
 */
#include <string.h>

#include "trace/cursor.h"

void cursor_set_bad(struct cursor *c, u64 wanted)
{
	if (!c->bad)
		c->wanted = wanted;
	c->bad = true;
}

const u8 *cursor_bytes(struct cursor *c, u64 size)
{
	const u8 *at = c->at;

	if (c->bad || size > c->left) {
		cursor_set_bad(c, size);
		return NULL;
	}
	c->at += size;
	c->left -= size;
	c->offset += size;
	return at;
}

u64 cursor_int(struct cursor *c, unsigned int size)
{
	const u8 *p = cursor_bytes(c, size);
	u64 v = 0;

	if (p)
		memcpy(&v, p, size);	/* both little-endian */
	return v;
}

const char *cursor_string(struct cursor *c)
{
	const u8 *end = c->bad ? NULL : memchr(c->at, 0, c->left);

	if (!end) {
		cursor_set_bad(c, c->left + 1);
		return "";
	}
	return (const char *)cursor_bytes(c, end - c->at + 1);
}

struct cursor cursor_part(struct cursor *c, u64 size)
{
	struct cursor part = *c;

	if (cursor_bytes(c, size))
		part.left = size;
	else
		part = *c;
	return part;
}
