// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers as text. See digits.h.
 */
#include <string.h>

#include "lib/digits.h"

/* The digits that end at @end, in front of which is @fill */
static char *put(char *to, const char *digits, const char *end, unsigned int width, char fill)
{
	size_t nr = end - digits;

	if (nr < width) {
		memset(to, fill, width - nr);
		to += width - nr;
	}
	memcpy(to, digits, nr);
	return to + nr;
}

char *digits_decimal(char *to, u64 v, unsigned int width, char fill)
{
	char digits[DIGITS_SIZE], *end = digits + sizeof(digits), *at = end;

	do {
		*--at = '0' + v % 10;
		v /= 10;
	} while (v);
	return put(to, at, end, width, fill);
}

char *digits_hex(char *to, u64 v, unsigned int width, char fill)
{
	char digits[DIGITS_SIZE], *end = digits + sizeof(digits), *at = end;

	do {
		*--at = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	return put(to, at, end, width, fill);
}
