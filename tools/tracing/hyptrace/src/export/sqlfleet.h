/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The computed tables of many recordings, in a database of another program.
 *
 * They have the columns day, release, host and recording instead of the number of the
 * recording, which each query has its own of.
 */
#ifndef HYPTRACE_SQLFLEET_H
#define HYPTRACE_SQLFLEET_H

#include <stdio.h>

#include "export/sqltabletype.h"
#include "lib/types.h"

/**
 * fleet_column - the columns of a table that follow those that all have
 * @t:		the table
 * @i:		0 for the first
 *
 * Return: the i-th, or NULL behind the last.
 */
const struct query_column *fleet_column(const struct computed_table *t, unsigned int i);

/** fleet_common - the i-th of the columns that all tables have, or NULL behind the last */
const struct query_column *fleet_common(unsigned int i);

/** fleet_print_schema - print the statements of ClickHouse's SQL that make all tables */
void fleet_print_schema(FILE *out);

/**
 * fleet_id - the number of a recording, which no other recording has
 * @path:	its file
 * @out:	gets the number, less than 2^63: the hash FNV-1a of the content (RFC 9923), without
 *		its highest bit
 *
 * Return: 0, or -1 with a message.
 */
int fleet_id(const char *path, u64 *out);

#endif
