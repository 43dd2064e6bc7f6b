/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_STAT_H
#define HYPTRACE_STAT_H

#include <stdio.h>

#include "cmd/tableargs.h"
#include "lib/util.h"
#include "trace/datr.h"

/**
 * struct stat_how - what the user wants; all 0 for all of the statistics, as tables
 * @table:	of what, and how it looks
 * @histogram:	with histograms
 * @slowest:	so many of the longest durations; 0 for none
 * @sorted:	the rows are sorted by @sort
 * @sort:	a column, of statsort_key()
 */
struct stat_how {
	struct tableargs table;
	bool histogram;
	u64 slowest;
	bool sorted;
	unsigned int sort;
};

/**
 * stat_file - print where time goes
 * @d:		the file
 * @cpus:	these CPUs; NULL for all
 * @how:	what is printed
 * @out:	where the text goes
 *
 * Return: 0; -1 with a message; 1 with a message if everything was printed, but
 * there were corrupt sub-buffers.
 */
int stat_file(struct datr *d, const struct cpulist *cpus, const struct stat_how *how,
	      FILE *out);

#endif
