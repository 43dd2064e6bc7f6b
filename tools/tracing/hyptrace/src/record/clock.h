/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time on the trace clock of a directory.
 */
#ifndef HYPTRACE_CLOCK_H
#define HYPTRACE_CLOCK_H

#include "lib/types.h"
#include "record/tdir.h"

/**
 * clock_snap - read the trace clock and boot time, to some microseconds
 * @d:		a directory that uses the clock
 * @cpu:	one of its CPUs
 * @clock:	name of the clock
 * @of_boot:	not now, but at the boot, by the rate that both have
 *
 * Return: the text for the file, see clocksnap_format(); NULL if the clock does not
 * count nanoseconds, or after a message.
 */
char *clock_snap(const struct tdir *d, unsigned int cpu, const char *clock, bool of_boot);

/**
 * clock_now - the time on a trace clock, in its unit
 * @d:		a directory that uses the clock
 * @cpu:	one of its CPUs
 * @now:	gets it
 *
 * Return: 0, or -1 with a message.
 */
int clock_now(const struct tdir *d, unsigned int cpu, u64 *now);

#endif
