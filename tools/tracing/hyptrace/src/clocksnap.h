/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What boot time it is on a trace clock: one moment on both clocks, stored as
 * a CPUSTAT option, a line of text, like the counters of stats.h.
 */
#ifndef HYPTRACE_CLOCKSNAP_H
#define HYPTRACE_CLOCKSNAP_H

#include "tdir.h"
#include "types.h"

/**
 * clocksnap_take - read both clocks, to some microseconds
 * @d:		a directory that uses the clock
 * @cpu:	one of its CPUs
 * @clock:	name of the clock
 *
 * Return: the text for the file, to be freed; NULL if the clock does not count
 * nanoseconds, or after a message.
 */
char *clocksnap_take(const struct tdir *d, unsigned int cpu, const char *clock);

/**
 * clock_now - the time on a trace clock, in its unit
 * @d:		a directory that uses the clock
 * @cpu:	one of its CPUs
 * @now:	gets it
 *
 * Return: 0, or -1 with a message.
 */
int clock_now(const struct tdir *d, unsigned int cpu, u64 *now);

/**
 * clocksnap_parse - read such a text
 * @text:	any text
 * @clock:	of which clock
 * @offset:	what to add to a stamp to get boot time, modulo 2^64, in ns
 *
 * Return: 0, or -1 if @text is not about it.
 */
int clocksnap_parse(const char *text, const char *clock, u64 *offset);

#endif
