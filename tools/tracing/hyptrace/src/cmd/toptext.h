/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What hyptrace top shows.
 */
#ifndef HYPTRACE_TOPTEXT_H
#define HYPTRACE_TOPTEXT_H

#include <stdio.h>

#include "analysis/profiler.h"
#include "lib/types.h"

/* No line is longer */
#define TOP_WIDTH	80

/**
 * top_print - print the tables
 * @s:		what happened
 * @elapsed_ms:	how long tracing has been on
 * @rows:	most rows of a table, except for that of CPUs; 0 for all
 * @out:	where the text goes
 */
void top_print(const struct profile *s, u64 elapsed_ms, unsigned int rows,
	       FILE *out);

#endif
