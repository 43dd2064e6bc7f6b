/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_REPORT_H
#define HYPTRACE_REPORT_H

#include <stdio.h>

#include "datr.h"
#include "types.h"
#include "util.h"

/**
 * report_file - print the events of a file, or check them
 * @d:		the file
 * @cpus:	these CPUs; NULL for all
 * @check:	check instead of print
 * @out:	where the text goes
 *
 * Return: 0, or -1 with a message or the findings told in @out.
 */
int report_file(struct datr *d, const struct cpulist *cpus, bool check,
		FILE *out);

#endif
