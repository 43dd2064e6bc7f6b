/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_STAT_H
#define HYPTRACE_STAT_H

#include <stdio.h>

#include "cmd/scopeargs.h"
#include "lib/unit.h"
#include "lib/util.h"
#include "trace/datr.h"

/**
 * struct stat_how - what the user wants; all 0 for all of the statistics, as tables
 * @json:	as JSON, else as tables
 * @histogram:	with histograms
 * @unit:	of the durations in tables
 * @width:	how long a line may be; 0 for any length
 * @top:	at most so many rows of each table; 0 for all
 * @slowest:	so many of the longest durations; 0 for none
 * @sorted:	the rows are sorted by @sort
 * @sort:	a column, of statsort_key()
 * @part:	what of the recording
 */
struct stat_how {
	bool json;
	bool histogram;
	enum unit unit;
	unsigned int width;
	u64 top;
	u64 slowest;
	bool sorted;
	unsigned int sort;
	struct scopeargs part;
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
