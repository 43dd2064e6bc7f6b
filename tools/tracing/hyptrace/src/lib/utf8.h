/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Characters of UTF-8.
 */
#ifndef HYPTRACE_UTF8_H
#define HYPTRACE_UTF8_H

#include "lib/types.h"

/**
 * utf8_char - read a character
 * @text:	any bytes
 * @left:	how many, at least one
 * @c:		gets the character
 *
 * Return: its bytes, or 0 if @text does not begin with one.
 */
size_t utf8_char(const char *text, size_t left, u32 *c);

/** utf8_control - whether it controls a terminal: the sets C0 and C1, and DEL */
static inline bool utf8_control(u32 c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

#endif
