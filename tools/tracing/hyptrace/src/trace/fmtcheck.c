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
 *
 * A recursive descent over the text, bounded in depth. What it accepts is less
 * than what kernels print; an event it does not understand is shown field by
 * field instead.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "trace/fmtcheck.h"

#define MAX_TEXT	65536
#define MAX_FIELDS	256
#define MAX_FIELD_BYTES	65536
#define MAX_DEPTH	32
#define MAX_ARGS	64
#define MAX_WIDTH	3	/* digits */

struct word {
	const char *at;
	size_t len;
};

/**
 * struct text - what is being checked
 * @at:		the next character
 * @end:	behind the last
 * @field:	names of the fields so far
 * @nr_fields:	how many
 */
struct text {
	const char *at;
	const char *end;
	struct word field[MAX_FIELDS];
	unsigned int nr_fields;
};

static int peek(const struct text *t)
{
	return t->at < t->end ? (unsigned char)*t->at : 0;
}

static void skip_blanks(struct text *t)
{
	while (isspace(peek(t)))
		t->at++;
}

/* Exactly @s. Return: false, and no progress, if it is not there. */
static bool take(struct text *t, const char *s)
{
	size_t len = strlen(s);

	if ((size_t)(t->end - t->at) < len || memcmp(t->at, s, len))
		return false;
	t->at += len;
	return true;
}

/* @s behind blanks */
static bool take_token(struct text *t, const char *s)
{
	skip_blanks(t);
	return take(t, s);
}

static struct word take_word(struct text *t)
{
	struct word w = { t->at, 0 };

	while (isalnum(peek(t)) || peek(t) == '_')
		t->at++;
	w.len = t->at - w.at;
	return w;
}

static bool is_word(const struct word *w, const char *s)
{
	return w->len == strlen(s) && !memcmp(w->at, s, w->len);
}

/* Decimal, at most @max. Return: -1 if there is none. */
static long take_decimal(struct text *t, long max)
{
	long v = 0;

	if (!isdigit(peek(t)))
		return -1;
	while (isdigit(peek(t))) {
		v = v * 10 + *t->at++ - '0';
		if (v > max)
			return -1;
	}
	return v;
}

/* Fields */

/* "[16]", "[]" or "[SIZE]" behind a name. Return: elements, 0 unknown, -1 bad. */
static long take_array(struct text *t)
{
	struct word w;
	long n = 0;

	if (!take(t, "["))
		return 0;
	if (isdigit(peek(t)))
		n = take_decimal(t, MAX_FIELD_BYTES);
	else
		w = take_word(t);
	(void)w;
	return n >= 0 && take(t, "]") ? n : -1;
}

/* Blanks and stars. Return: false if there are none. */
static bool take_gap(struct text *t)
{
	const char *start = t->at;

	while (take(t, " ") || take(t, "*"))
		;
	return t->at > start;
}

/* Words with gaps between. Return: how many, 0 if one is not valid. */
static unsigned int take_words(struct text *t, struct word *first,
			       struct word *last)
{
	unsigned int words = 0;

	do {
		*last = take_word(t);
		if (!last->len || isdigit((unsigned char)*last->at))
			return 0;
		if (!words++)
			*first = *last;
	} while (take_gap(t));
	return words;
}

/*
 * "char name[16];" or "__data_loc char[] name;". With an array in another place
 * libtraceevent loses memory.
 */
static bool take_declaration(struct text *t, struct word *name, long *elements)
{
	struct word first;

	*elements = 0;
	if (take_words(t, &first, name) < 2)
		return false;
	if (is_word(&first, "__data_loc") || is_word(&first, "__rel_loc"))
		return take(t, "[] ") && take_words(t, &first, name) == 1 &&
		       take(t, ";");
	*elements = take_array(t);
	return *elements >= 0 && take(t, ";");
}

static bool take_field(struct text *t)
{
	long elements, offset, size;
	struct word name;

	if (!take(t, "\tfield:") || !take_declaration(t, &name, &elements) ||
	    !take(t, "\toffset:"))
		return false;
	offset = take_decimal(t, MAX_FIELD_BYTES);
	if (offset < 0 || !take(t, ";\tsize:"))
		return false;
	size = take_decimal(t, MAX_FIELD_BYTES);
	if (size < 0 || (elements && (!size || size % elements)))
		return false;
	if (take(t, ";\tsigned:") && take_decimal(t, 1) < 0)
		return false;
	if (!take(t, ";\n") || t->nr_fields == MAX_FIELDS)
		return false;
	t->field[t->nr_fields++] = name;
	return true;
}

static bool take_fields(struct text *t)
{
	if (!take(t, "name: ") || !take_word(t).len || !take(t, "\nID: ") ||
	    take_decimal(t, UINT16_MAX) <= 0 || !take(t, "\nformat:\n"))
		return false;
	while (peek(t) == '\t' || peek(t) == '\n') {
		if (!take(t, "\n") && !take_field(t))
			return false;
	}
	return t->nr_fields;
}

static bool is_field(const struct text *t, const struct word *w)
{
	unsigned int i;

	for (i = 0; i < t->nr_fields; i++) {
		if (t->field[i].len == w->len &&
		    !memcmp(t->field[i].at, w->at, w->len))
			return true;
	}
	return false;
}

/* The format string */

/* What follows a '%'. Return: false if it may read beyond the record. */
static bool take_conversion(struct text *t)
{
	const char *digits;
	int i;

	if (take(t, "%"))
		return true;
	while (peek(t) && strchr("-+ #0", peek(t)))
		t->at++;
	for (i = 0; i < 2; i++) {
		digits = t->at;
		while (isdigit(peek(t)))
			t->at++;
		if (t->at - digits > MAX_WIDTH)
			return false;
		if (!take(t, "."))
			break;
	}
	while (peek(t) && strchr("hlzL", peek(t)))
		t->at++;
	/* %p has many forms; only the plain one and symbols take just a number */
	if (take(t, "p"))
		return take(t, "S") || take(t, "s") || !isalnum(peek(t));
	return peek(t) && strchr("diuxXcs", *t->at++);
}

bool fmt_check_string(const char *string)
{
	struct text t = { .at = string, .end = string + strlen(string) };

	while (peek(&t)) {
		if (*t.at++ == '%' && !take_conversion(&t))
			return false;
	}
	return true;
}

/* A string literal, whose conversions are checked if @format */
static bool take_string(struct text *t, bool format)
{
	if (!take_token(t, "\""))
		return false;
	while (!take(t, "\"")) {
		if (!isprint(peek(t)))
			return false;
		if (take(t, "\\")) {
			if (!isprint(peek(t)))
				return false;
			t->at++;
		} else if (*t->at++ == '%' && format && !take_conversion(t)) {
			return false;
		}
	}
	return true;
}

/* Its arguments */

static bool take_expression(struct text *t, unsigned int depth);

/* Return: false if there is none; *zero tells whether it is 0 */
static bool take_number(struct text *t, bool *zero)
{
	char buf[32], *end;
	struct word w;

	skip_blanks(t);
	w = take_word(t);
	if (!w.len || w.len >= sizeof(buf) || !isdigit((unsigned char)*w.at))
		return false;
	memcpy(buf, w.at, w.len);
	buf[w.len] = '\0';
	*zero = !strtoull(buf, &end, 0);
	return end != buf && strspn(end, "uUlL") == strlen(end);
}

/* "{ 1, "hvc" }, { 2, "smc" }" up to the closing parenthesis */
static bool take_symbols(struct text *t, unsigned int depth)
{
	while (take_token(t, ",")) {
		if (!take_token(t, "{") || !take_expression(t, depth) ||
		    !take_token(t, ",") || !take_string(t, false) ||
		    !take_token(t, "}"))
			return false;
	}
	return take_token(t, ")");
}

static bool take_call(struct text *t, const struct word *name,
		      unsigned int depth)
{
	struct word field;

	if (!take_token(t, "("))
		return false;
	if (is_word(name, "__print_symbolic"))
		return take_expression(t, depth) && take_symbols(t, depth);
	if (is_word(name, "__print_flags"))
		return take_expression(t, depth) && take_token(t, ",") &&
		       take_string(t, false) && take_symbols(t, depth);
	if (!is_word(name, "__get_str"))
		return false;
	skip_blanks(t);
	field = take_word(t);
	return is_field(t, &field) && take_token(t, ")");
}

static bool is_type(const struct word *w)
{
	static const char * const types[] = {
		"unsigned", "signed", "long", "int", "short", "char", "u8",
		"u16", "u32", "u64", "s8", "s16", "s32", "s64", "size_t",
		"bool", "pid_t", "gfp_t", "void",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (is_word(w, types[i]))
			return true;
	}
	return false;
}

/* "unsigned long)" behind a parenthesis; no progress if it is no type */
static bool take_cast(struct text *t)
{
	const char *start = t->at;
	unsigned int words = 0;
	struct word w;

	for (;;) {
		skip_blanks(t);
		w = take_word(t);
		if (!is_type(&w))
			break;
		words++;
	}
	take_token(t, "*");
	if (words && !w.len && take_token(t, ")"))
		return true;
	t->at = start;
	return false;
}

static bool take_primary(struct text *t, unsigned int depth)
{
	struct word w, field;
	bool zero;

	if (!depth)
		return false;
	skip_blanks(t);
	if (peek(t) == '"')
		return take_string(t, false);
	if (isdigit(peek(t)))
		return take_number(t, &zero);
	if (take(t, "~") || take(t, "!") || take(t, "-"))
		return take_primary(t, depth - 1);
	if (take(t, "(")) {
		if (take_cast(t))
			return take_primary(t, depth - 1);
		return take_expression(t, depth - 1) && take_token(t, ")");
	}
	w = take_word(t);
	if (!is_word(&w, "REC"))
		return w.len && take_call(t, &w, depth - 1);
	if (!take(t, "->"))
		return false;
	field = take_word(t);
	return is_field(t, &field);
}

static bool take_operator(struct text *t)
{
	static const char * const operators[] = {
		"<<", ">>", "&&", "||", "==", "!=", "<=", ">=", "<", ">", "&",
		"|", "^", "+", "-", "*",
	};
	unsigned int i;

	skip_blanks(t);
	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		if (take(t, operators[i]))
			return true;
	}
	return false;
}

/*
 * A divisor has to be a number other than 0. libtraceevent parses "a / 2 * 0" as
 * a / (2 * 0), and divides without a check.
 */
static bool take_divisor(struct text *t)
{
	bool zero;

	if (!take_number(t, &zero) || zero)
		return false;
	skip_blanks(t);
	return peek(t) != '*' && peek(t) != '/';
}

static bool take_expression(struct text *t, unsigned int depth)
{
	if (!depth || !take_primary(t, depth - 1))
		return false;
	for (;;) {
		if (take_token(t, "/")) {
			if (!take_divisor(t))
				return false;
		} else if (take_operator(t)) {
			if (!take_primary(t, depth - 1))
				return false;
		} else {
			break;
		}
	}
	if (!take(t, "?"))
		return true;
	return take_expression(t, depth - 1) && take_token(t, ":") &&
	       take_expression(t, depth - 1);
}

static bool take_print_fmt(struct text *t)
{
	unsigned int args;

	if (!take(t, "print fmt: ") || !take_string(t, true))
		return false;
	for (args = 0; take_token(t, ","); args++) {
		if (args == MAX_ARGS || !take_expression(t, MAX_DEPTH))
			return false;
	}
	skip_blanks(t);
	return t->at == t->end;
}

enum fmt_verdict fmt_check(const char *text, size_t size, size_t *fields_end)
{
	struct text t = { .at = text, .end = text + size };

	if (size > MAX_TEXT || !take_fields(&t))
		return FMT_BAD;
	*fields_end = t.at - text;
	return take_print_fmt(&t) ? FMT_FULL : FMT_FIELDS;
}
