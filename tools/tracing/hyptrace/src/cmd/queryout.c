// SPDX-License-Identifier: GPL-2.0
/*
 * The results of hyptrace query. See queryout.h.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/queryout.h"
#include "lib/array.h"
#include "lib/json.h"
#include "lib/log.h"
#include "lib/visible.h"

/* So many rows decide how wide the columns of a table are */
#define FIRST_ROWS	1000

/* Output has failed, or is not read any more: what would follow does not matter */
static int status(const struct queryout *q)
{
	return ferror(q->out) ? -1 : 0;
}

/* Tables */

static bool is_number(sqlite3_stmt *row, int i)
{
	int type = sqlite3_column_type(row, i);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Numbers are on the right side: a cell begins with what it is */
static int add_cell(struct queryout *q, bool number, const char *text)
{
	char *cell;

	if (array_room(&q->cell, &q->room, q->nr + 1, sizeof(*q->cell)))
		return log_oom();
	cell = xasprintf("%c%s", number ? 'n' : 't', text);
	if (!cell)
		return -1;
	q->cell[q->nr++] = cell;
	return 0;
}

static void put_cell(const struct queryout *q, const char *cell, int i, int nr)
{
	int width = q->width[i];

	/* no blanks at the end of a line */
	if (*cell == 't')
		width = i == nr - 1 ? 0 : -width;
	visible_cell(q->out, cell + 1, width, INT_MAX);
	fputs(i == nr - 1 ? "\n" : "  ", q->out);
}

static int measure(struct queryout *q, int nr)
{
	unsigned int width;
	size_t i;

	free(q->width);
	q->width = calloc(nr, sizeof(*q->width));
	if (!q->width)
		return log_oom();
	for (i = 0; i < q->nr; i++) {
		width = visible_width(q->cell[i] + 1);
		if (width > q->width[i % nr])
			q->width[i % nr] = width;
	}
	return 0;
}

/* Print the rows that were kept */
static int flush(struct queryout *q, int nr)
{
	size_t i;

	if (!q->printing && measure(q, nr))
		return -1;
	q->printing = true;
	for (i = 0; i < q->nr; i++) {
		put_cell(q, q->cell[i], i % nr, nr);
		free(q->cell[i]);
	}
	q->nr = 0;
	return status(q);
}

static int table_begin(void *ctx, sqlite3_stmt *row)
{
	struct queryout *q = ctx;
	int i;

	if (q->results++)
		fputc('\n', q->out);
	q->printing = false;
	for (i = 0; i < sqlite3_column_count(row); i++) {
		if (add_cell(q, false, sqlite3_column_name(row, i)))
			return -1;
	}
	return 0;
}

static int table_row(void *ctx, sqlite3_stmt *row)
{
	struct queryout *q = ctx;
	int i, nr = sqlite3_column_count(row);

	for (i = 0; i < nr; i++) {
		if (add_cell(q, is_number(row, i),
			     (const char *)sqlite3_column_text(row, i) ?: "-"))
			return -1;
	}
	return q->printing || q->nr > (size_t)FIRST_ROWS * nr ? flush(q, nr) : 0;
}

static int table_end(void *ctx, sqlite3_stmt *row)
{
	return flush(ctx, sqlite3_column_count(row));
}

/* TSV: a tab, a newline or a backslash in a text is escaped; NULL is \N */

static int tsv_begin(void *ctx, sqlite3_stmt *row)
{
	struct queryout *q = ctx;
	int i, nr = sqlite3_column_count(row);

	if (q->results++)
		fputc('\n', q->out);
	for (i = 0; i < nr; i++) {
		visible_put(q->out, sqlite3_column_name(row, i));
		fputc(i == nr - 1 ? '\n' : '\t', q->out);
	}
	return status(q);
}

static int tsv_row(void *ctx, sqlite3_stmt *row)
{
	struct queryout *q = ctx;
	int i, nr = sqlite3_column_count(row);
	const char *text;

	for (i = 0; i < nr; i++) {
		text = (const char *)sqlite3_column_text(row, i);
		if (text)
			visible_put(q->out, text);
		else
			fputs("\\N", q->out);
		fputc(i == nr - 1 ? '\n' : '\t', q->out);
	}
	return status(q);
}

/* JSON: an object a line */

static void put_json(FILE *out, sqlite3_stmt *row, int i)
{
	double real;

	switch (sqlite3_column_type(row, i)) {
	case SQLITE_INTEGER:
		fprintf(out, "%lld", sqlite3_column_int64(row, i));
		break;
	case SQLITE_FLOAT:
		real = sqlite3_column_double(row, i);
		if (isfinite(real))
			fprintf(out, "%.17g", real);
		else
			fputs("null", out);
		break;
	case SQLITE_NULL:
		fputs("null", out);
		break;
	default:
		json_bytes(out, (const char *)sqlite3_column_text(row, i),
			   sqlite3_column_bytes(row, i));
		break;
	}
}

static int json_row(void *ctx, sqlite3_stmt *row)
{
	struct queryout *q = ctx;
	int i;

	for (i = 0; i < sqlite3_column_count(row); i++) {
		fputs(i ? ", " : "{", q->out);
		json_string(q->out, sqlite3_column_name(row, i));
		fputs(": ", q->out);
		put_json(q->out, row, i);
	}
	fputs("}\n", q->out);
	return status(q);
}

struct query_sink queryout_sink(struct queryout *q)
{
	switch (q->format) {
	case QUERYOUT_TSV:
		return (struct query_sink) { .begin = tsv_begin, .row = tsv_row, .ctx = q };
	case QUERYOUT_JSON:
		return (struct query_sink) { .row = json_row, .ctx = q };
	case QUERYOUT_TABLE:
		break;
	}
	return (struct query_sink) {
		.begin = table_begin, .row = table_row, .end = table_end, .ctx = q,
	};
}

void queryout_free(struct queryout *q)
{
	while (q->nr)
		free(q->cell[--q->nr]);
	free(q->cell);
	free(q->width);
}
