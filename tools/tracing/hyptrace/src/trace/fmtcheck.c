// SPDX-License-Identifier: GPL-2.0
/*
 * Checks format texts. See fmtcheck.h.
 *
 *	name: hyp_enter
 *	ID: 700
 *	format:
 *		field:u8 reason;	offset:8;	size:1;	signed:0;
 *
 *	print fmt: "reason=%s", __print_symbolic(REC->reason, { 1, "hvc" })
 */
#include <ctype.h>
#include <stdint.h>

#include "trace/fmtargs.h"
#include "trace/fmtcheck.h"
#include "trace/fmttext.h"

#define MAX_FIELD_BYTES	65536

/* Decimal, at most @max. Return: -1 if there is none. */
static long take_decimal(struct fmt_text *t, long max)
{
	long v = 0;

	if (!isdigit(fmt_peek(t)))
		return -1;
	while (isdigit(fmt_peek(t))) {
		v = v * 10 + *t->at++ - '0';
		if (v > max)
			return -1;
	}
	return v;
}

/* "[16]", "[]" or "[SIZE]" behind a name. Return: elements, 0 unknown, -1 bad. */
static long take_array(struct fmt_text *t)
{
	long n = 0;

	if (!fmt_take(t, "["))
		return 0;
	if (isdigit(fmt_peek(t)))
		n = take_decimal(t, MAX_FIELD_BYTES);
	else
		fmt_take_word(t);
	return n >= 0 && fmt_take(t, "]") ? n : -1;
}

/* Blanks and stars. Return: false if there are none. */
static bool take_gap(struct fmt_text *t)
{
	const char *start = t->at;

	while (fmt_take(t, " ") || fmt_take(t, "*"))
		;
	return t->at > start;
}

/* Words with gaps between. Return: how many, 0 if one is not valid. */
static unsigned int take_words(struct fmt_text *t, struct fmt_word *first,
			       struct fmt_word *last)
{
	unsigned int words = 0;

	do {
		*last = fmt_take_word(t);
		if (!last->len || isdigit((unsigned char)*last->at))
			return 0;
		if (!words++)
			*first = *last;
	} while (take_gap(t));
	return words;
}

/*
 * "char name[16];", "__data_loc char[] name;" or "__data_loc cpumask_t name;". With an
 * array in another place libtraceevent loses memory.
 */
static bool take_declaration(struct fmt_text *t, struct fmt_word *name, long *elements)
{
	struct fmt_word first;
	unsigned int words;

	*elements = 0;
	words = take_words(t, &first, name);
	if (words < 2)
		return false;
	if (fmt_is_word(&first, "__data_loc") || fmt_is_word(&first, "__rel_loc")) {
		if (fmt_take(t, "[] "))
			words += take_words(t, &first, name) == 1;
		return words > 2 && fmt_take(t, ";");
	}
	*elements = take_array(t);
	return *elements >= 0 && fmt_take(t, ";");
}

/* libtraceevent finds the id of every record where its first event has common_type */
static bool is_misplaced(const struct fmt_word *name, long offset, long size)
{
	return fmt_is_word(name, "common_type") && (offset || size != sizeof(u16));
}

static bool take_field(struct fmt_text *t)
{
	long elements, offset, size;
	struct fmt_word name;

	if (!fmt_take(t, "\tfield:") || !take_declaration(t, &name, &elements) ||
	    !fmt_take(t, "\toffset:"))
		return false;
	offset = take_decimal(t, MAX_FIELD_BYTES);
	if (offset < 0 || !fmt_take(t, ";\tsize:"))
		return false;
	size = take_decimal(t, MAX_FIELD_BYTES);
	if (size < 0 || (elements && (!size || size % elements)))
		return false;
	if (fmt_take(t, ";\tsigned:") && take_decimal(t, 1) < 0)
		return false;
	if (!fmt_take(t, ";") || t->nr_fields == FMT_MAX_FIELDS ||
	    is_misplaced(&name, offset, size))
		return false;
	t->field[t->nr_fields++] = (struct fmt_field) { name, size };
	return true;
}

bool fmt_check_field(const char *line, size_t size)
{
	struct fmt_text t = { .at = line, .end = line + size };

	return take_field(&t) && t.at == t.end;
}

static bool take_fields(struct fmt_text *t)
{
	if (!fmt_take(t, "name: ") || !fmt_take_word(t).len || !fmt_take(t, "\nID: ") ||
	    take_decimal(t, UINT16_MAX) <= 0 || !fmt_take(t, "\nformat:\n"))
		return false;
	while (fmt_peek(t) == '\t' || fmt_peek(t) == '\n') {
		if (!fmt_take(t, "\n") && !(take_field(t) && fmt_take(t, "\n")))
			return false;
	}
	return t->nr_fields;
}

enum fmt_verdict fmt_check(const char *text, size_t size, size_t *fields_end)
{
	struct fmt_text t = { .at = text, .end = text + size };

	if (size > FMT_MAX_TEXT || !take_fields(&t))
		return FMT_BAD;
	*fields_end = t.at - text;
	if (fmt_take(&t, "print fmt: ") && fmt_take_string(&t) && fmt_take_args(&t))
		return FMT_FULL;
	return FMT_FIELDS;
}
