/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_REPORT_H
#define HYPTRACE_REPORT_H

#include <stdio.h>

#include "datr.h"
#include "eventline.h"
#include "types.h"
#include "util.h"

/**
 * struct report_how - what is printed, and how
 * @cpus:	these CPUs; NULL for all
 * @time:	the time stamps
 * @no_host:	leave the host's events out
 * @no_hyp:	leave the hypervisor's events out
 * @events:	patterns of "EVENT" or "SYSTEM:EVENT"; empty for all events
 * @context:	also so many events before and after each of @events
 * @per_cpu:	one CPU after the other
 * @json:	a JSON document a line, else text
 */
struct report_how {
	const struct cpulist *cpus;
	enum line_time time;
	bool no_host;
	bool no_hyp;
	struct strlist events;
	u64 context;
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
