/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's counters of a recording, as they are stored in the file: one
 * CPUSTAT option, a line of text, for each buffer and CPU.
 */
#ifndef HYPTRACE_COUNTERS_H
#define HYPTRACE_COUNTERS_H

#include "lib/types.h"

/**
 * struct counters - the counters of one CPU of a buffer
 * @written:	events that entered the buffer
 * @overrun:	of these, overwritten before they were read
 * @read:	of these, read
 * @dropped:	events that found no room and never entered
 */
struct counters {
	u64 written;
	u64 overrun;
	u64 read;
	u64 dropped;
};

/** counters_format - the text for the file, to be freed; NULL after a message */
char *counters_format(const char *buffer, unsigned int cpu,
		      const struct counters *s);

/**
 * counters_parse - read such a text
 * @text:	any text
 * @buffer:	of which buffer
 * @cpu:	and of which CPU it is
 * @s:		the counters
 *
 * Return: 0, or -1 if @text is not about that buffer.
 */
int counters_parse(const char *text, const char *buffer, unsigned int *cpu,
		   struct counters *s);

#endif
