/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a computed table is: rows that follow from the events of a recording.
 */
#ifndef HYPTRACE_SQLTABLETYPE_H
#define HYPTRACE_SQLTABLETYPE_H

#include "export/sqlcells.h"
#include "export/sqlrecordings.h"

/**
 * struct query_column - a column
 * @name:	its name
 * @type:	its type in SQL
 * @what:	what it has, with its unit
 */
struct query_column {
	const char *name;
	const char *type;
	const char *what;
};

/* The first column of all tables */
#define RECORDING_COLUMN	{ "recording", "INTEGER", "the recording: recording.id" }

/* Columns that several tables have */
#define CPU_COLUMN	{ "cpu", "INTEGER", "number of the CPU" }
#define PID_COLUMN	{ "pid", "INTEGER", "the task; NULL if it is not known" }
#define COMM_COLUMN	{ "comm", "TEXT", "name of the task" }
#define VM_COLUMN	{ "vm", "INTEGER", "handle of the VM whose vCPU it ran last, or NULL" }
#define VCPU_COLUMN	{ "vcpu", "INTEGER", "index of that vCPU in its VM, or NULL" }
#define TS_COLUMN	{ "ts", "INTEGER", "timestamp of its begin, in ns" }
#define END_COLUMN	{ "end_ts", "INTEGER", "timestamp of its end, in ns" }

/**
 * enum rollup - what a database keeps of many rows, for each kind of row
 * @ROLLUP_NONE:	nothing
 * @ROLLUP_TIMES:	how often each time (ns) was taken: a distribution
 * @ROLLUP_SUMS:	the sum of all times of a machine
 */
enum rollup { ROLLUP_NONE, ROLLUP_TIMES, ROLLUP_SUMS };

/**
 * struct computed_table - a table
 * @name:	its name
 * @what:	what a row is
 * @column:	all columns, RECORDING_COLUMN first; the last one has no name
 * @by:	the column that tells kinds of rows apart, such as the name of a hypercall; NULL for
 *		none
 * @rollup:	what remains of old rows in the database of a fleet
 * @how:	for @begin, of tables that differ in little
 * @begin:	begin to read a recording for @t; rows go to @out, without the first column.
 *		Return: what @step and @end take; NULL with a message
 * @step:	read on. Return: 1 if there may be more, 0 at the end, or -1 with a message
 * @end:	end, at any time
 */
struct computed_table {
	const char *name;
	const char *what;
	const struct query_column *column;
	const char *by;
	enum rollup rollup;
	const void *how;
	void *(*begin)(const struct computed_table *t, struct query_recording *r,
		       struct cells *out);
	int (*step)(void *rows);
	void (*end)(void *rows);
};

#endif
