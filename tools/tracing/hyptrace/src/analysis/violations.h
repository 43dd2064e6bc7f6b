/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Violations of rules: counted, and the first ones printed.
 */
#ifndef HYPTRACE_VIOLATIONS_H
#define HYPTRACE_VIOLATIONS_H

#include <stdio.h>

#include "lib/types.h"

/**
 * struct violations - those of all rules
 * @out:	where they are printed
 * @nr:		how many there are; 0 at first
 */
struct violations {
	FILE *out;
	u64 nr;
};

/**
 * violations_add - count one, and print it in a line unless there are too many
 * @v:		those before
 * @cpu:	on which CPU
 * @ts:		timestamp, ns
 * @fmt:	what it is
 */
void violations_add(struct violations *v, unsigned int cpu, u64 ts, const char *fmt, ...)
	__printf(4, 5);

#endif
