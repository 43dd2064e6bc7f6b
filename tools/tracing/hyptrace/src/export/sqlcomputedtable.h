/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Computed tables as virtual tables of SQLite.
 */
#ifndef HYPTRACE_SQLCOMPUTEDTABLE_H
#define HYPTRACE_SQLCOMPUTEDTABLE_H

#include <sqlite3.h>

#include "export/sqltabletype.h"

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
