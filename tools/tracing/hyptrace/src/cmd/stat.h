/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_STAT_H
#define HYPTRACE_STAT_H

#include <stdio.h>

#include "lib/util.h"
#include "trace/datr.h"

/**
 * stat_file - print where time goes
 * @d:		the file
 * @cpus:	these CPUs; NULL for all
 * @json:	as JSON, else as tables
 * @histogram:	with histograms
 * @out:	where the text goes
 *
 * Return: 0; -1 with a message; 1 with a message if everything was printed, but
 * there were corrupt sub-buffers.
 */
int stat_file(struct datr *d, const struct cpulist *cpus, bool json,
	      bool histogram, FILE *out);

#endif
