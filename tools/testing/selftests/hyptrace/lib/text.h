/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_TEXT_H
#define _SELFTEST_HYPTRACE_TEXT_H
/*
 * The trace of a CPU as text, line by line.
 */
#include <stddef.h>

#include "remote.h"

/**
 * struct text - the trace of a CPU as text; begins as zeroes
 * @buf:	all of it
 * @lines:	each line, from the event's name on
 * @nr:		how many
 */
struct text {
	char	*buf;
	char	**lines;
	size_t	nr;
};

/* Read the file trace of @cpu: 0 or a negative errno */
int text_read(const struct source *src, int cpu, struct text *text);

/* The first line from @from on of event @name with @what in it; -1 if there is none */
long text_find_from(const struct text *text, long from, const char *name, const char *what);

/* The same, in all lines */
long text_find(const struct text *text, const char *name, const char *what);

/* How many lines are of event @name */
size_t text_count(const struct text *text, const char *name);

/* The number that follows @field, as in "pfn=", in @line; all ones if there is none */
unsigned long long text_value(const char *line, const char *field);

void text_free(struct text *text);

#endif /* _SELFTEST_HYPTRACE_TEXT_H */
