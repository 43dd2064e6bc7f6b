// SPDX-License-Identifier: GPL-2.0
/*
 * Repairs format texts. See fmtrepair.h.
 *
 *	field:__u8 addr[sizeof(struct sockaddr_in6)];	offset:8;	size:28;	signed:0;
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "trace/fmtcheck.h"
#include "trace/fmtrepair.h"
#include "trace/fmttext.h"

#define COMMON								\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/**
 * struct line - a line of a field
 * @type:	the first word of its declaration
 * @name:	its name
 * @array:	whether there is a '[' behind the name
 * @numbers:	"offset:" and what follows
 * @size:	its size
 * @sign:	whether it is signed
 */
struct line {
	struct fmt_word type;
	struct fmt_word name;
	bool array;
	struct fmt_word numbers;
	unsigned long size;
	bool sign;
};

static bool is_name(int c)
{
	return isalnum(c) || c == '_';
}

/* The last word in front of @end, and of a '[' */
static bool find_name(const char *at, const char *end, struct line *l)
{
	const char *bracket = end > at && end[-1] == ']' ? memchr(at, '[', end - at) : NULL;

	/* "__data_loc u8[] name" has it inside */
	l->array = bracket;
	end = bracket ?: end;
	l->name.at = end;
	while (l->name.at > at && is_name(l->name.at[-1]))
		l->name.at--;
	l->name.len = end - l->name.at;
	return l->name.len && l->name.at > at && !isdigit(*l->name.at);
}

/* "offset:8;\tsize:4;\tsigned:0;", of which fmt_check() takes care */
static bool take_numbers(struct fmt_text t, struct line *l)
{
	l->numbers = (struct fmt_word) { t.at, t.end - t.at };
	if (!fmt_take(&t, "offset:"))
		return false;
	fmt_take_word(&t);
	if (!fmt_take(&t, ";\tsize:") || !isdigit(fmt_peek(&t)))
		return false;
	l->size = strtoul(t.at, NULL, 10);
	fmt_take_word(&t);
	l->sign = fmt_take(&t, ";\tsigned:1");
	return true;
}

static bool take_line(struct fmt_text t, struct line *l)
{
	const char *end = memmem(t.at, t.end - t.at, ";\toffset:", strlen(";\toffset:"));
	const char *at;

	if (!end || !fmt_take(&t, "\tfield:"))
		return false;
	at = t.at;
	l->type = fmt_take_word(&t);
	t.at = end + strlen(";\t");
	return find_name(at, end, l) && take_numbers(t, l);
}

/* Bytes of an element of an array; 1 if that is not known */
static unsigned int element_size(const struct fmt_word *type)
{
	static const char * const types[] = {
		"u16", "__u16", "s16", "__s16", "u32", "__u32", "s32", "__s32", "int",
		"u64", "__u64", "s64", "__s64", "long",
	};
	static const unsigned char sizes[] = { 2, 2, 2, 2, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (fmt_is_word(type, types[i]))
			return sizes[i];
	}
	return 1;
}

static void put_array(FILE *out, const struct line *l)
{
	unsigned int one = element_size(&l->type);
	bool known = one > 1 || fmt_is_word(&l->type, "char") || fmt_is_word(&l->type, "s8");
	int len = l->name.len;

	if (l->size % one)
		one = 1;
	if (known && l->size / one)
		fprintf(out, "%.*s %.*s[%lu]", (int)l->type.len, l->type.at, len, l->name.at,
			l->size / one);
	else
		fprintf(out, "u8 %.*s[%lu]", len, l->name.at, l->size);
}

static void put_declaration(FILE *out, const struct line *l)
{
	int len = l->name.len;

	if (fmt_is_word(&l->type, "__data_loc") || fmt_is_word(&l->type, "__rel_loc"))
		fprintf(out, "%.*s u8[] %.*s", (int)l->type.len, l->type.at, len, l->name.at);
	else if (!l->array && (l->size == 1 || l->size == 2 || l->size == 4 || l->size == 8))
		fprintf(out, "%c%lu %.*s", l->sign ? 's' : 'u', 8 * l->size, len, l->name.at);
	else
		put_array(out, l);
}

/* Return: false if it cannot be understood */
static bool put_line(FILE *out, const struct fmt_text *t)
{
	struct line l;

	if (t->at == t->end || fmt_check_field(t->at, t->end - t->at)) {
		fprintf(out, "%.*s\n", (int)(t->end - t->at), t->at);
		return true;
	}
	if (!take_line(*t, &l))
		return false;
	fputs("\tfield:", out);
	put_declaration(out, &l);
	fprintf(out, ";\t%.*s\n", (int)l.numbers.len, l.numbers.at);
	return true;
}

/* All lines up to "print fmt", and what follows as it is */
static bool put_lines(FILE *out, struct fmt_text t)
{
	struct fmt_text line;
	const char *eol;

	while (fmt_peek(&t) == '\t' || fmt_peek(&t) == '\n') {
		eol = memchr(t.at, '\n', t.end - t.at);
		line = (struct fmt_text) { .at = t.at, .end = eol ?: t.end };
		if (!put_line(out, &line))
			return false;
		t.at = eol ? eol + 1 : t.end;
	}
	fprintf(out, "%.*s", (int)(t.end - t.at), t.at);
	return true;
}

static bool take_head(struct fmt_text *t)
{
	return fmt_take(t, "name: ") && fmt_take_word(t).len && fmt_take(t, "\nID: ") &&
	       fmt_take_word(t).len && fmt_take(t, "\nformat:\n");
}

/* @fields: with those of the event */
static char *repaired(const char *text, const struct fmt_text *t, bool fields)
{
	char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);
	bool good = out;

	if (good) {
		fprintf(out, "%.*s", (int)(t->at - text), text);
		good = fields ? put_lines(out, *t) : fputs(COMMON, out) >= 0;
	}
	if ((out && fclose(out)) || !good) {
		free(copy);
		return NULL;
	}
	return copy;
}

static bool is_accepted(const char *text)
{
	size_t end;

	return text && fmt_check(text, strlen(text), &end) != FMT_BAD;
}

char *fmt_repair(const char *text, size_t size)
{
	struct fmt_text t = { .at = text, .end = text + size };
	char *copy = NULL;

	if (!take_head(&t))
		return NULL;
	if (size <= FMT_MAX_TEXT)
		copy = repaired(text, &t, true);
	if (is_accepted(copy))
		return copy;
	free(copy);
	copy = repaired(text, &t, false);
	if (is_accepted(copy))
		return copy;
	free(copy);
	return NULL;
}
