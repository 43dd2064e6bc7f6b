/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the virtual tables have in common.
 */
#ifndef HYPTRACE_SQLVTABS_H
#define HYPTRACE_SQLVTABS_H

#include <sqlite3.h>

#include "export/sqlrecordings.h"

/* The text of an error of which a message was printed */
#define VTABS_TOLD	"told"

/** vtabs_told - let a call of @v fail after a message. Return: SQLITE_ERROR. */
int vtabs_told(sqlite3_vtab *v);

/**
 * struct vtabs_source - what a table is made of
 * @r:		the recordings
 * @of:		what of them, for the functions of the table
 * @declare:	declares the columns. Return: a code of SQLite
 * @scan_size:	size of a scan, which begins with a struct vtabs_scan
 */
struct vtabs_source {
	struct recordings *r;
	const void *of;
	int (*declare)(sqlite3 *db, const void *of);
	size_t scan_size;
};

/** vtabs_source - what a table of vtabs_add() is made of */
const struct vtabs_source *vtabs_source(const sqlite3_vtab *v);

/**
 * struct vtabs_scan - what scans have in common; the rest of a new one is 0
 * @base:	for SQLite
 * @next:	index of the recording that is read next
 * @end:	index behind the last one
 * @recording:	the current one
 * @rowid:	number of the row
 */
struct vtabs_scan {
	sqlite3_vtab_cursor base;
	size_t next;
	size_t end;
	struct query_recording *recording;
	sqlite3_int64 rowid;
};

/** vtabs_restart - begin at the first recording */
void vtabs_restart(struct vtabs_scan *s);

/* Members of sqlite3_module that are the same for all tables */
int vtabs_connect(sqlite3 *db, void *source, int argc, const char *const *argv,
		  sqlite3_vtab **out, char **error);
int vtabs_disconnect(sqlite3_vtab *v);
int vtabs_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out);
int vtabs_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out);

/** vtabs_declare - declare the columns; frees @sql. Return: a code of SQLite. */
int vtabs_declare(sqlite3 *db, sqlite3_str *sql);

/**
 * vtabs_add - make a table
 * @db:		where
 * @name:	its name
 * @module:	its functions
 * @source:	what it is made of; what it points to must outlive @db
 *
 * Return: a code of SQLite.
 */
int vtabs_add(sqlite3 *db, const char *name, const sqlite3_module *module,
	      const struct vtabs_source *source);

/**
 * struct vtabs_plan - the conditions that are pushed down, in the order of their values
 * @info:	of SQLite
 * @text:	a letter for each, which the table chooses
 * @nr:		how many
 */
struct vtabs_plan {
	sqlite3_index_info *info;
	char text[16];
	unsigned int nr;
};

/**
 * vtabs_push - push the condition @i down, which SQLite checks as well
 *
 * There is room for 15.
 */
void vtabs_push(struct vtabs_plan *p, int i, char letter);

/** vtabs_plan_end - hand the plan to SQLite. Return: a code of SQLite. */
int vtabs_plan_end(struct vtabs_plan *p);

/** vtabs_limit - read only what the condition recording = @value is about */
void vtabs_limit(struct vtabs_scan *s, sqlite3_value *value);

#endif
