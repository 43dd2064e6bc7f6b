/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that a query can use, beside those of SQLite.
 */
#ifndef HYPTRACE_SQLFUNCTIONS_H
#define HYPTRACE_SQLFUNCTIONS_H

#include <sqlite3.h>

/**
 * struct sqlfunction - a function
 * @name:	its name
 * @args:	its arguments, in words
 * @what:	what it gives
 */
struct sqlfunction {
	const char *name;
	const char *args;
	const char *what;
};

/** sqlfunction - the i-th; its name is NULL behind the last */
struct sqlfunction sqlfunction(unsigned int i);

/** sqlfunctions_add - add all. Return: a code of SQLite. */
int sqlfunctions_add(sqlite3 *db);

#endif
