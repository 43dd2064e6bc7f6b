/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SOAK_DISTURB_H
#define _SELFTEST_HYPTRACE_SOAK_DISTURB_H
/*
 * Disturbances of a remote while it is written and read: resets, changes of the clock,
 * CPU hotplug, switches between overwriting and keeping the oldest, patching of EL2's text.
 */
#include "reading.h"

/**
 * struct disturb - what is disturbed, and how often
 * @src:	the remote
 * @nr_cpus:	number of its CPUs
 * @seed:	seed of the choices
 * @readings:	its readers; those that map their buffer pause for a reset, which
 *		drops events that they are still reading
 * @nr_readings: number of readers
 * @ticket:	ticket of the last pause
 * @off:	the CPU that is offline; 0 for none
 * @keep:	the oldest are kept
 * @resets:	number of resets, of one CPU and of all
 * @clocks:	number of changes of the clock
 * @busy:	number of changes refused because a buffer was mapped
 * @offs:	number of CPUs switched off
 * @modes:	number of switches of options/overwrite
 * @traces:	EL2 has function tracers: see disturb_begin()
 * @patches:	how often all functions of EL2 were patched, twice each time
 * @wrong:	the first error, or empty
 */
struct disturb {
	const struct source	*src;
	int			nr_cpus;
	unsigned int		seed;
	struct reading		*readings;
	unsigned int		nr_readings;
	unsigned int		ticket;
	int			off;
	bool			keep;
	unsigned long		resets;
	unsigned long		clocks;
	unsigned long		busy;
	unsigned long		offs;
	unsigned long		modes;
	bool			traces;
	unsigned long		patches;
	char			wrong[160];
};

/* True with a probability of 1 in @n */
bool chance(unsigned int *seed, unsigned int n);

/*
 * If EL2 has function tracers, switch the graph tracer on for all functions, but let it record
 * only what a function calls that is never called here. False if that failed
 */
bool disturb_begin(struct disturb *d);
/* Make a random disturbance, or none; false if it failed */
bool disturb(struct disturb *d);
/* Bring all CPUs online again */
bool disturb_pause(struct disturb *d);
/* The same, and undo disturb_begin() */
bool disturb_end(struct disturb *d);

#endif /* _SELFTEST_HYPTRACE_SOAK_DISTURB_H */
