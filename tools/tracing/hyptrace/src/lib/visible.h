/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text of others, such as names in a recording, for a terminal or a line of a file. All of
 * it is written by these functions.
 *
 * Control characters (see utf8_control()) and bytes that are not UTF-8 are written as by
 * "ls --escape": a backslash and a letter, or the byte's three octal digits, as in \033. A
 * backslash is doubled. All else is written as it is.
 */
#ifndef HYPTRACE_VISIBLE_H
#define HYPTRACE_VISIBLE_H

#include <stdio.h>

#include "lib/types.h"

/** visible_put - write all of @text */
void visible_put(FILE *out, const char *text);

/**
 * visible_cell - write a cell of a table
 * @out:	where to
 * @text:	the text
 * @width:	at least this many characters, with blanks before the text; or behind it if
 *		this is negative
 * @max:	at most this many characters
 */
void visible_cell(FILE *out, const char *text, int width, int max);

/** visible_width - the characters that it has when it is written */
unsigned int visible_width(const char *text);

/**
 * visible_copy - write to memory
 * @to:		gets as much as fits, terminated
 * @size:	room there, at least 1; VISIBLE_SIZE(strlen(@text)) is enough
 * @text:	the text
 */
void visible_copy(char *to, size_t size, const char *text);

#define VISIBLE_SIZE(length)	(4 * (length) + 1)

#endif
