/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exports where time goes inside of EL2 as folded stacks, which programs that draw flame
 * graphs read: a line for each stack, its functions with ";" between, and its time in ns.
 */
#ifndef HYPTRACE_FOLDED_H
#define HYPTRACE_FOLDED_H

#include <stdio.h>

#include "analysis/callgraph.h"
#include "lib/types.h"
#include "lib/util.h"
#include "trace/datr.h"

/**
 * struct folded_result - what was written
 * @stacks:	lines
 * @calls:	what was measured: the sum of all lines is @calls.ns
 */
struct folded_result {
	u64 stacks;
	struct callgraph_result calls;
};

/**
 * folded_export - write the stacks of all EL2 entries; the first part is what the entry is
 * @d:		the file
 * @cpus:	of these CPUs; NULL for all
 * @out:	where to
 * @result:	what was written
 *
 * Return: 0; -1 with a message; 1 with a message if there were corrupt sub-buffers.
 */
int folded_export(struct datr *d, const struct cpulist *cpus, FILE *out,
		  struct folded_result *result);

#endif
