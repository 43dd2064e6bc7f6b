/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Computed tables as virtual tables of SQLite.
 */
#ifndef HYPTRACE_COMPUTEDTABLE_H
#define HYPTRACE_COMPUTEDTABLE_H

#include <sqlite3.h>

#include "query/tabletype.h"

/**
 * computedtable_add - make the table
 * @db:		where
 * @t:		the table
 * @r:		the recordings; must outlive @db
 *
 * Return: a code of SQLite.
 */
int computedtable_add(sqlite3 *db, const struct computed_table *t, struct recordings *r);

#endif
