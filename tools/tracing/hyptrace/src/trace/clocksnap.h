/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Relates a trace clock to boot time: the same moment on both clocks. It is stored as
 * a CPUSTAT option, a line of text, like the counters of counters.h.
 */
#ifndef HYPTRACE_CLOCKSNAP_H
#define HYPTRACE_CLOCKSNAP_H

#include "lib/types.h"

/**
 * clocksnap_format - the text for the file
 * @clock:	name of the trace clock
 * @now:	the time on it, ns
 * @boot:	boot time at that moment, ns
 *
 * Return: the text, to be freed; NULL after a message.
 */
char *clocksnap_format(const char *clock, u64 now, u64 boot);

/**
 * clocksnap_parse - read such a text
 * @text:	any text
 * @clock:	of which clock
 * @offset:	to be added to a timestamp to get boot time, modulo 2^64, in ns
 *
 * Return: 0, or -1 if @text is something else.
 */
int clocksnap_parse(const char *text, const char *clock, u64 *offset);

#endif
