/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's counters of a recording, as they are stored in the file: one
 * CPUSTAT option, a line of text, for each buffer and CPU.
 */
#ifndef HYPTRACE_STATS_H
#define HYPTRACE_STATS_H

#include "types.h"

/**
 * struct cpu_stats - the counters of one CPU of a buffer
 * @written:	events that entered the buffer
 * @overrun:	of these, overwritten before they were read
 * @read:	of these, read
 * @dropped:	events that found no room and never entered
 */
struct cpu_stats {
	u64 written;
	u64 overrun;
	u64 read;
	u64 dropped;
};

/** stats_format - the text for the file, to be freed; NULL after a message */
char *stats_format(const char *buffer, unsigned int cpu,
		   const struct cpu_stats *s);

/**
 * stats_parse - read such a text
 * @text:	any text
 * @buffer:	of which buffer
 * @cpu:	and of which CPU it is
 * @s:		the counters
 *
 * Return: 0, or -1 if @text is not about that buffer.
 */
int stats_parse(const char *text, const char *buffer, unsigned int *cpu,
		struct cpu_stats *s);

#endif
