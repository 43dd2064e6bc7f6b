// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of text. See table.h.
 */
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/param.h>
#include <unistd.h>

#include "cmd/table.h"
#include "lib/visible.h"

/* Characters of the first column; the smaller one before a column is left out */
#define NAME_WIDTH	30
#define LEAST_NAME	20

#define MAX_COLUMNS	16

/**
 * struct layout - how a table is printed
 * @name:	width of the first column
 * @cut:	longer names are cut
 * @width:	widths of the other ones; 0 for one that is left out
 */
struct layout {
	unsigned int name;
	bool cut;
	unsigned int width[MAX_COLUMNS];
};

void table_add(struct table *t, const char *text)
{
	if (strlist_add(&t->cell, text))
		t->failed = true;
}

void table_add_number(struct table *t, u64 number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", number);
	table_add(t, text);
}

void table_add_time(struct table *t, u64 ns, enum unit unit)
{
	char text[UNIT_TEXT];

	table_add(t, unit_text(text, ns, unit));
}

void table_add_percent(struct table *t, double percent)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f", percent);
	table_add(t, text);
}

/* The text of a row, from 0 on, and a column, where the name is column 0 */
static const char *cell(const struct table *t, unsigned int row, unsigned int column)
{
	return t->cell.str[row * (t->nr + 1) + column];
}

static unsigned int nr_rows(const struct table *t)
{
	return t->cell.nr / (t->nr + 1);
}

static unsigned int width_of(const struct table *t, unsigned int column)
{
	unsigned int width = strlen(t->column[column].head), i;

	for (i = 0; i < nr_rows(t); i++)
		width = MAX(width, visible_width(cell(t, i, column + 1)));
	return width;
}

static unsigned int length(const struct table *t, const struct layout *l)
{
	unsigned int sum = l->name, i;

	for (i = 0; i < t->nr; i++)
		sum += l->width[i] ? 1 + l->width[i] : 0;
	return sum;
}

/* Return: false if all columns that are left stay */
static bool drop_group(const struct table *t, struct layout *l)
{
	unsigned int i, drop = 0;

	for (i = 0; i < t->nr; i++) {
		if (l->width[i])
			drop = MAX(drop, t->column[i].drop);
	}
	for (i = 0; drop && i < t->nr; i++) {
		if (t->column[i].drop == drop)
			l->width[i] = 0;
	}
	return drop;
}

static void fit(const struct table *t, unsigned int width, struct layout *l)
{
	unsigned int rest, i, longest = NAME_WIDTH;

	for (i = 0; i < nr_rows(t); i++)
		longest = MAX(longest, visible_width(cell(t, i, 0)));
	l->cut = width;
	l->name = LEAST_NAME;
	while (width && length(t, l) > width && drop_group(t, l))
		;
	rest = length(t, l) - l->name;
	if (!width)
		l->name = NAME_WIDTH;
	else if (rest < width)
		l->name = MIN(longest, width - rest);
}

static void print_line(const struct table *t, const struct layout *l, const char *name,
		       int row, FILE *out)
{
	unsigned int i;

	visible_cell(out, name, -(int)l->name, l->cut ? (int)l->name : INT_MAX);
	for (i = 0; i < t->nr; i++) {
		if (!l->width[i])
			continue;
		fputc(' ', out);
		visible_cell(out, row < 0 ? t->column[i].head : cell(t, row, i + 1),
			     l->width[i], INT_MAX);
	}
	fputc('\n', out);
}

static void print(const struct table *t, unsigned int width, FILE *out)
{
	struct layout l = { 0 };
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		l.width[i] = width_of(t, i);
	fit(t, width, &l);
	fputc('\n', out);
	print_line(t, &l, t->title, -1, out);
	for (i = 0; i < nr_rows(t); i++)
		print_line(t, &l, cell(t, i, 0), i, out);
}

int table_end(struct table *t, unsigned int width, FILE *out)
{
	if (!t->failed && t->cell.nr)
		print(t, width, out);
	strlist_free(&t->cell);
	return t->failed ? -1 : 0;
}

unsigned int table_width(void)
{
	struct winsize size = { 0 };

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}
