/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queries of recordings by SQL: SQLite, with tables that read the recordings in place.
 */
#ifndef HYPTRACE_SQLQUERY_H
#define HYPTRACE_SQLQUERY_H

#include <sqlite3.h>
#include <stdio.h>

#include "export/sqlrecordings.h"

struct query;

/**
 * query_new - make the tables
 * @r:		the recordings; must outlive the query
 *
 * Return: NULL with a message.
 */
struct query *query_new(struct recordings *r);
void query_free(struct query *q);

/** typedef query_row_fn - takes a row of a result. Return: 0, or what ends the query */
typedef int (*query_row_fn)(void *ctx, sqlite3_stmt *row);

/**
 * struct query_sink - takes the result of each statement; any can be NULL
 * @begin:	before the rows; the columns have names. Return: 0, or -1 with a message
 * @row:	a row
 * @end:	after the rows. Return: as @begin
 * @ctx:	passed to all
 */
struct query_sink {
	query_row_fn begin;
	query_row_fn row;
	query_row_fn end;
	void *ctx;
};

/**
 * query_run - execute SQL that only reads
 * @q:		the query
 * @sql:	one or more statements, each of which is a SELECT
 * @sink:	takes the results
 *
 * Return: 0, or -1 with a message, which says where in @sql an error is.
 */
int query_run(struct query *q, const char *sql, const struct query_sink *sink);

/** query_print_schema - print all tables and functions */
void query_print_schema(const struct query *q, FILE *out);

/** query_print_table - print the columns of a table. Return: 0, or -1 with a message. */
int query_print_table(struct query *q, const char *table, FILE *out);

#endif
