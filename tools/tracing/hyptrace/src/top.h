/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What hyptrace top shows.
 */
#ifndef HYPTRACE_TOP_H
#define HYPTRACE_TOP_H

#include <stdio.h>

#include "stat.h"
#include "types.h"

/* No line is longer */
#define TOP_WIDTH	80

/**
 * top_print - tables for people
 * @s:		what happened
 * @elapsed_ms:	how long tracing has been on
 * @rows:	rows of a table, but of that of CPUs; 0 for all
 * @out:	where the text goes
 */
void top_print(const struct stat_data *s, u64 elapsed_ms, unsigned int rows,
	       FILE *out);

#endif
