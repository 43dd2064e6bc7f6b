// SPDX-License-Identifier: GPL-2.0
/*
 * Queries by SQL. See query.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "export/sqlcomputed.h"
#include "export/sqlcomputedtable.h"
#include "export/sqleventkinds.h"
#include "export/sqleventtable.h"
#include "export/sqlfunctions.h"
#include "export/sqlquery.h"
#include "export/sqlvtabs.h"
#include "lib/log.h"
#include "lib/util.h"
#include "lib/visible.h"

/* Of a list of names */
#define LIST_WIDTH	90

static const char loss_view[] = "CREATE VIEW loss AS SELECT * FROM event WHERE lost IS NOT 0";

/* Tables that are not computed */
static const struct {
	const char *name, *what;
} others[] = {
	{ "event", "an event, or a corrupt place" },
	{ "loss", "an event before which others were lost; lost is NULL if not known" },
};

struct query {
	struct recordings *recordings;
	struct eventkinds kinds;
	sqlite3 *db;
};

static int sqlite_failed(const struct query *q)
{
	return log_error("cannot make the tables: %s", sqlite3_errmsg(q->db));
}

/* Only reading: no table, file, setting or library is changed or opened */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *database,
		     const char *trigger)
{
	(void)ctx;
	(void)a;
	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && !sqlite3_stricmp(b, "load_extension") ? SQLITE_DENY : SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

static bool is_taken(const char *name)
{
	unsigned int i;

	if (computed_find(name))
		return true;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcasecmp(others[i].name, name))
			return true;
	}
	return !strncasecmp(name, "sqlite_", strlen("sqlite_"));
}

static int add_events(struct query *q)
{
	const struct eventkind *k;
	size_t i;
	int ret = eventtable_add(q->db, "event", NULL, q->recordings);

	for (i = 0; !ret && i < q->kinds.nr; i++) {
		k = q->kinds.kind[i];
		ret = eventtable_add(q->db, k->table, k, q->recordings);
	}
	return ret;
}

static int add_tables(struct query *q)
{
	const struct computed_table *t;
	unsigned int i;
	int ret = sqlfunctions_add(q->db);

	for (i = 0; !ret && (t = computed_table(i)); i++)
		ret = computedtable_add(q->db, t, q->recordings);
	if (!ret)
		ret = add_events(q);
	if (!ret)
		ret = sqlite3_exec(q->db, loss_view, NULL, NULL, NULL);
	return ret;
}

struct query *query_new(struct recordings *r)
{
	struct query *q = calloc(1, sizeof(*q));

	if (!q) {
		log_oom();
		return NULL;
	}
	q->recordings = r;
	if (eventkinds_read(&q->kinds, r) || eventkinds_name(&q->kinds, is_taken))
		goto failed;
	if (sqlite3_open(":memory:", &q->db) || add_tables(q)) {
		sqlite_failed(q);
		goto failed;
	}
	sqlite3_set_authorizer(q->db, authorize, q);
	return q;
failed:
	query_free(q);
	return NULL;
}

void query_free(struct query *q)
{
	if (!q)
		return;
	sqlite3_close(q->db);
	eventkinds_free(&q->kinds);
	free(q);
}

/* Errors */

/* The line and column of a byte of the text, from 1 on */
static void place_of(const char *sql, const char *at, unsigned int *line, unsigned int *column)
{
	*line = 1;
	*column = 1;
	for (; sql < at; sql++) {
		++*column;
		if (*sql != '\n')
			continue;
		++*line;
		*column = 1;
	}
}

/* @statement is the part of @sql that was being executed */
static int failed(const struct query *q, const char *sql, const char *statement)
{
	const char *message = sqlite3_errmsg(q->db);
	int offset = sqlite3_error_offset(q->db);
	unsigned int line, column;

	if (!strcmp(message, VTABS_TOLD))
		return -1;
	if (sqlite3_errcode(q->db) == SQLITE_AUTH)
		return log_error("%s: a query can only read", message);
	if (offset < 0)
		return log_error("%s", message);
	place_of(sql, statement + offset, &line, &column);
	return log_error("line %u, column %u: %s", line, column, message);
}

/* Running */

static int call(query_row_fn fn, const struct query_sink *sink, sqlite3_stmt *stmt)
{
	return fn ? fn(sink->ctx, stmt) : 0;
}

static int run_statement(struct query *q, const char *sql, const char *statement,
			 sqlite3_stmt *stmt, const struct query_sink *sink)
{
	int ret = call(sink->begin, sink, stmt);

	while (!ret) {
		switch (sqlite3_step(stmt)) {
		case SQLITE_ROW:
			ret = call(sink->row, sink, stmt);
			break;
		case SQLITE_DONE:
			return call(sink->end, sink, stmt);
		default:
			call(sink->end, sink, stmt);
			return failed(q, sql, statement);
		}
	}
	return ret;
}

int query_run(struct query *q, const char *sql, const struct query_sink *sink)
{
	const char *statement = sql, *rest;
	sqlite3_stmt *stmt;
	int ret = 0;

	for (; !ret && *statement; statement = rest) {
		if (sqlite3_prepare_v2(q->db, statement, -1, &stmt, &rest))
			return failed(q, sql, statement);
		/* a comment, or blanks */
		if (!stmt)
			continue;
		ret = run_statement(q, sql, statement, stmt, sink);
		sqlite3_finalize(stmt);
	}
	return ret;
}

/* The schema */

static void put_line(FILE *out, const char *name, const char *type, const char *what)
{
	visible_cell(out, name, -24, 1000);
	fprintf(out, " %-8s ", type);
	visible_put(out, what);
	fputc('\n', out);
}

static void put_functions(FILE *out)
{
	struct sqlfunction f;
	char text[64];
	unsigned int i;

	for (i = 0; (f = sqlfunction(i)).name; i++) {
		snprintf(text, sizeof(text), "%s(%s)", f.name, f.args);
		put_line(out, text, "", f.what);
	}
}

/* The events of each system, in lines of at most LIST_WIDTH characters */
static void put_events(const struct query *q, FILE *out)
{
	const char *system = NULL, *name;
	unsigned int at = 0, width;
	size_t i;

	for (i = 0; i < q->kinds.nr; i++) {
		name = q->kinds.kind[i]->table;
		width = 1 + visible_width(name);
		if (!system || strcmp(system, q->kinds.kind[i]->system)) {
			fputs(system ? "\n" : "", out);
			system = q->kinds.kind[i]->system;
			visible_put(out, system);
			fputc(':', out);
			at = visible_width(system) + 1;
		} else if (at + width > LIST_WIDTH) {
			fputs("\n   ", out);
			at = 3;
		}
		fputc(' ', out);
		visible_put(out, name);
		at += width;
	}
	fputs(system ? "\n" : "", out);
}

void query_print_schema(const struct query *q, FILE *out)
{
	const struct computed_table *t;
	unsigned int i;

	fputs("Tables; a row is\n", out);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		put_line(out, others[i].name, "", others[i].what);
	for (i = 0; (t = computed_table(i)); i++)
		put_line(out, t->name, "", t->what);
	fputs("\nTables of one event each, by its system\n", out);
	put_events(q, out);
	fputs("\nFunctions of the rows of a group, beside those of SQLite\n", out);
	put_functions(out);
}

static const char *what_of(const char *table, const char *column)
{
	const struct computed_table *t = computed_find(table);
	unsigned int i;

	for (i = 0; t && t->column[i].name; i++) {
		if (!strcmp(t->column[i].name, column))
			return t->column[i].what;
	}
	return eventtable_what(column) ?: "field of the event";
}

int query_print_table(struct query *q, const char *table, FILE *out)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	sqlite3_stmt *stmt = NULL;
	int i;

	if (!sql || sqlite3_prepare_v2(q->db, sql, -1, &stmt, NULL)) {
		sqlite3_free(sql);
		return log_error("no table '%s': see --list", table);
	}
	for (i = 0; i < sqlite3_column_count(stmt); i++)
		put_line(out, sqlite3_column_name(stmt, i), sqlite3_column_decltype(stmt, i) ?: "",
			 what_of(table, sqlite3_column_name(stmt, i)));
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return 0;
}
