/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_REPORT_H
#define HYPTRACE_REPORT_H

#include <stdio.h>

#include "analysis/selection.h"
#include "lib/types.h"
#include "lib/util.h"
#include "trace/datr.h"
#include "trace/eventline.h"

/**
 * struct report_how - what is printed, and how
 * @cpus:	these CPUs; NULL for all
 * @time:	the timestamps
 * @rule:	which events
 * @per_cpu:	one CPU after the other
 * @json:	a JSON document a line, else text
 */
struct report_how {
	const struct cpulist *cpus;
	enum line_time time;
	struct selection_rule rule;
	bool per_cpu;
	bool json;
};

/**
 * report_file - print the events of a file
 * @d:		the file
 * @how:	which of them, and how
 * @out:	where the text goes
 *
 * Return: 0, or -1 with a message.
 */
int report_file(struct datr *d, const struct report_how *how, FILE *out);

#endif
