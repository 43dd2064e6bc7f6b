/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Relates a trace clock to boot time: the same moment on both clocks. It is stored as
 * a CPUSTAT option, a line of text, like the counters of counters.h. A file has one of the
 * moment before the first event and, if the recording has ended, one of that after the last.
 */
#ifndef HYPTRACE_CLOCKSNAP_H
#define HYPTRACE_CLOCKSNAP_H

#include "lib/types.h"

/**
 * struct clocksnap - a moment
 * @now:	the time on a trace clock, ns
 * @boot:	boot time, ns
 */
struct clocksnap {
	u64 now;
	u64 boot;
};

/**
 * clocksnap_format - the text for the file
 * @clock:	name of the trace clock
 * @s:		the moment
 *
 * Return: the text, to be freed; NULL after a message.
 */
char *clocksnap_format(const char *clock, const struct clocksnap *s);

/**
 * clocksnap_parse - read such a text
 * @text:	any text
 * @clock:	of which clock
 * @s:		the moment
 *
 * Return: 0, or -1 if @text is something else.
 */
int clocksnap_parse(const char *text, const char *clock, struct clocksnap *s);

#endif
