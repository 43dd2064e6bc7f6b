/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the virtual tables have in common.
 */
#ifndef HYPTRACE_VTABS_H
#define HYPTRACE_VTABS_H

#include <sqlite3.h>

#include "query/recordings.h"

/* The text of an error of which a message was printed */
#define VTABS_TOLD	"told"

/** vtabs_told - let a call of @v fail after a message. Return: SQLITE_ERROR. */
int vtabs_told(sqlite3_vtab *v);

/** vtabs_declare - declare the columns; frees @sql. Return: a code of SQLite. */
int vtabs_declare(sqlite3 *db, sqlite3_str *sql);

/**
 * vtabs_add - make a table
 * @db:		where
 * @name:	its name
 * @module:	its functions
 * @source:	for the module; it is freed by free(), also after an error
 *
 * Return: a code of SQLite.
 */
int vtabs_add(sqlite3 *db, const char *name, const sqlite3_module *module, void *source);

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

/**
 * vtabs_recordings - which recordings a condition recording = @value is about
 * @r:		all of them
 * @value:	the value
 * @from:	gets the index of the first one
 * @to:		gets the index behind the last one; SQLite checks the condition as well
 */
void vtabs_recordings(const struct recordings *r, sqlite3_value *value, size_t *from, size_t *to);

#endif
