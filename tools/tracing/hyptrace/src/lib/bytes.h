/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A growing piece of memory, and the numbers and texts that formats of files are
 * made of.
 *
 * Errors stick: after memory ran out, all calls do nothing.
 */
#ifndef HYPTRACE_BYTES_H
#define HYPTRACE_BYTES_H

#include "lib/types.h"

/**
 * struct bytes - the memory; all 0 at first
 * @data:	what was added
 * @size:	how much; may be set to 0
 * @room:	how much fits
 * @failed:	memory ran out, with a message
 */
struct bytes {
	u8 *data;
	size_t size;
	size_t room;
	bool failed;
};

void bytes_free(struct bytes *b);

void bytes_add(struct bytes *b, const void *data, size_t size);

/* The same as bytes_varint(), of any length */
void bytes_long_varint(struct bytes *b, u64 v);

/** bytes_varint - seven bits a byte, lowest first; bit 7 says that more follow */
static inline void bytes_varint(struct bytes *b, u64 v)
{
	if (v <= 0x7f && b->size < b->room && !b->failed)
		b->data[b->size++] = v;
	else
		bytes_long_varint(b, v);
}

/** bytes_signed - as a varint: 0, -1, 1, -2, ... are 0, 1, 2, 3, ... */
void bytes_signed(struct bytes *b, long long v);

/** bytes_text - the size of a text as a varint, and the text */
void bytes_text(struct bytes *b, const char *text, size_t size);

#endif
