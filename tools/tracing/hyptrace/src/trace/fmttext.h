/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A format text that is consumed from the front, and the fields that it has declared so
 * far.
 */
#ifndef HYPTRACE_FMTTEXT_H
#define HYPTRACE_FMTTEXT_H

#include "lib/types.h"

#define FMT_MAX_FIELDS	256

/**
 * struct fmt_word - letters, digits and underscores
 * @at:		the first
 * @len:	how many; 0 if there are none
 */
struct fmt_word {
	const char *at;
	size_t len;
};

/**
 * struct fmt_field - a field
 * @name:	its name
 * @size:	its size in bytes
 */
struct fmt_field {
	struct fmt_word name;
	long size;
};

/**
 * struct fmt_text - what is being checked
 * @at:		the next character
 * @end:	behind the last
 * @field:	the fields so far
 * @nr_fields:	how many
 */
struct fmt_text {
	const char *at;
	const char *end;
	struct fmt_field field[FMT_MAX_FIELDS];
	unsigned int nr_fields;
};

/** fmt_peek - the next character, 0 at the end */
static inline int fmt_peek(const struct fmt_text *t)
{
	return t->at < t->end ? (unsigned char)*t->at : 0;
}

void fmt_skip_blanks(struct fmt_text *t);

/** fmt_take - take exactly @s. Return: false, and no progress, if it is not there. */
bool fmt_take(struct fmt_text *t, const char *s);

/** fmt_take_token - take @s behind blanks */
bool fmt_take_token(struct fmt_text *t, const char *s);

struct fmt_word fmt_take_word(struct fmt_text *t);
bool fmt_is_word(const struct fmt_word *w, const char *s);

/** fmt_find_field - the field with this name, or NULL */
const struct fmt_field *fmt_find_field(const struct fmt_text *t, const struct fmt_word *name);

#endif
