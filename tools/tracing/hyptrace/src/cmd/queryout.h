/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The results of hyptrace query, as tables or for programs.
 */
#ifndef HYPTRACE_QUERYOUT_H
#define HYPTRACE_QUERYOUT_H

#include <stdio.h>

#include "export/sqlquery.h"

enum queryout_format {
	QUERYOUT_TABLE,
	QUERYOUT_TSV,
	QUERYOUT_JSON,
};

/**
 * struct queryout - where results go
 * @format:	how
 * @out:	the stream
 * @width:	of each column of a table
 * @cell:	of a table: the cells of the first rows, from which widths follow
 * @nr:		how many
 * @room:	how many fit
 * @results:	how many results there were
 * @printing:	the widths are known
 */
struct queryout {
	enum queryout_format format;
	FILE *out;
	unsigned int *width;
	char **cell;
	size_t nr;
	size_t room;
	unsigned int results;
	bool printing;
};

/** queryout_sink - for query_run(); @q has @format and @out, and is 0 else */
struct query_sink queryout_sink(struct queryout *q);

void queryout_free(struct queryout *q);

#endif
