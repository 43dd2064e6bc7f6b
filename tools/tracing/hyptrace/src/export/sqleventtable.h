/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of events, as virtual tables of SQLite.
 */
#ifndef HYPTRACE_SQLEVENTTABLE_H
#define HYPTRACE_SQLEVENTTABLE_H

#include <sqlite3.h>

#include "export/sqleventkinds.h"
#include "export/sqlrecordings.h"

/**
 * eventtable_add - make a table
 * @db:		where
 * @name:	its name
 * @kind:	the event that it is of; NULL for all
 * @r:		the recordings; like @kind, they must outlive @db
 *
 * Return: a code of SQLite.
 */
int eventtable_add(sqlite3 *db, const char *name, const struct eventkind *kind,
		   struct recordings *r);

/** eventtable_what - describe a column of a table of events; NULL for a field of the event */
const char *eventtable_what(const char *column);

#endif
