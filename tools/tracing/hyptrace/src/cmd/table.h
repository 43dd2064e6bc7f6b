/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of text that fit a terminal.
 */
#ifndef HYPTRACE_TABLE_H
#define HYPTRACE_TABLE_H

#include <stdio.h>

#include "lib/types.h"
#include "lib/unit.h"
#include "lib/util.h"

/**
 * struct column - a column behind the first one
 * @head:	its heading
 * @drop:	if lines are too long, the columns with the largest number are left out
 *		first, all of them; 0 for one that stays
 */
struct column {
	const char *head;
	unsigned int drop;
};

/**
 * struct table - a table; its first column has names
 * @title:	heading of the first column
 * @column:	the other columns
 * @nr:		how many
 * @cell:	names and cells so far, row by row
 * @failed:	memory ran out
 */
struct table {
	const char *title;
	const struct column *column;
	unsigned int nr;
	struct strlist cell;
	bool failed;
};

/** table_add - add a name, to begin a row, or its next cell, with any text */
void table_add(struct table *t, const char *text);

/** table_add_number - add a cell with a number */
void table_add_number(struct table *t, u64 number);

/** table_add_time - add a cell with a time in ns, in a unit */
void table_add_time(struct table *t, u64 ns, enum unit unit);

/** table_add_percent - add a cell with a percentage, of two decimals */
void table_add_percent(struct table *t, double percent);

/**
 * table_end - print the table, and free its cells; nothing if it has none
 * @t:		the table, with complete rows
 * @width:	how long a line may be; 0 for any length
 * @out:	where the text goes
 *
 * Return: 0, or -1 after a message if memory ran out at any time.
 */
int table_end(struct table *t, unsigned int width, FILE *out);

/** table_width - the columns of the terminal that is stdout; 0 if it is none */
unsigned int table_width(void);

#endif
