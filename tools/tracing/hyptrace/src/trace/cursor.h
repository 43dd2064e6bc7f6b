/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes of a file that are consumed from the front. Errors stick: after an access beyond
 * the end there are no more bytes, so it is enough to check for errors at the end.
 */
#ifndef HYPTRACE_CURSOR_H
#define HYPTRACE_CURSOR_H

#include "lib/types.h"

/**
 * struct cursor - a part of the file that is consumed from the front
 * @at:		the next byte
 * @left:	how many there are
 * @offset:	of @at in the file, or in the section if that is compressed
 * @section:	offset in the file of the compressed section that this is a part of, or 0
 * @bad:	something did not fit; sticks
 * @wanted:	the bytes that it had, if @bad
 */
struct cursor {
	const u8 *at;
	u64 left;
	u64 offset;
	u64 section;
	bool bad;
	u64 wanted;
};

/** cursor_set_bad - note that @wanted bytes did not fit */
void cursor_set_bad(struct cursor *c, u64 wanted);

/** cursor_bytes - the next @size bytes, NULL if they are not there */
const u8 *cursor_bytes(struct cursor *c, u64 size);

/** cursor_int - a number of @size bytes, 8 at most; 0 if it is not there */
u64 cursor_int(struct cursor *c, unsigned int size);

/** cursor_string - a terminated string, "" if there is none */
const char *cursor_string(struct cursor *c);

/** cursor_part - the next @size bytes, to be consumed by themselves; bad if not there */
struct cursor cursor_part(struct cursor *c, u64 size);

#endif
