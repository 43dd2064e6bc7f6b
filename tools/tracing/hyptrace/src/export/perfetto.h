/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exports a file as a Perfetto trace.
 */
#ifndef HYPTRACE_PERFETTO_H
#define HYPTRACE_PERFETTO_H

#include <stdio.h>

#include "lib/types.h"
#include "lib/util.h"
#include "trace/corrupt.h"
#include "trace/datr.h"

/**
 * struct perfetto_result - what was exported
 * @events:	events of the file that were exported
 * @generic:	of these, those that Perfetto has no message for
 * @added:	events that are not in the file: see perfetto.c
 * @left_out:	events that the file does not describe
 * @losses:	places where events are missing
 * @corrupt:	corrupt sub-buffers
 */
struct perfetto_result {
	u64 events;
	u64 generic;
	u64 added;
	u64 left_out;
	u64 losses;
	struct corrupt corrupt;
};

/**
 * perfetto_shift - what to add to the timestamps of a file to get boot time
 * @d:		the file
 * @name:	its name in messages
 * @shift:	in ns, modulo 2^64
 *
 * Return: 0, or -1 with a message if the file does not have it.
 */
int perfetto_shift(const struct datr *d, const char *name, u64 *shift);

/**
 * perfetto_export - write the trace
 * @d:		the file
 * @cpus:	these CPUs; NULL for all
 * @shift:	from perfetto_shift()
 * @out:	where it goes; its errors are left to ferror(), and end the export
 * @result:	what was done
 *
 * Return: 0, or -1 with a message.
 */
int perfetto_export(const struct datr *d, const struct cpulist *cpus, u64 shift,
		    FILE *out, struct perfetto_result *result);

#endif
