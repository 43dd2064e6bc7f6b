/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SOAK_DISTURB_H
#define _SELFTEST_HYPTRACE_SOAK_DISTURB_H
/*
 * What happens to a remote beside writing and reading: resets, other clocks, CPUs that
 * go and come, switches between overwriting and keeping the oldest.
 */
#include "reading.h"

/**
 * struct disturb - what is disturbed, and how often it was
 * @src:	the remote
 * @nr_cpus:	its CPUs
 * @seed:	of the choices
 * @readings:	its readers, of which those that map their buffer pause for a reset:
 *		what lies in a buffer is the reader's only until then
 * @nr_readings: how many
 * @ticket:	of the last pause
 * @off:	a CPU is away; 0 for none
 * @keep:	the oldest are kept
 * @resets:	of one CPU and of all
 * @clocks:	changes of the clock
 * @busy:	refused, as a buffer was mapped
 * @offs:	CPUs switched off
 * @modes:	switches of options/overwrite
 * @wrong:	what has failed, or empty
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
	char			wrong[160];
};

/* One of @n by chance */
bool chance(unsigned int *seed, unsigned int n);

/* Something, or nothing: false if it failed */
bool disturb(struct disturb *d);
/* Have all CPUs again */
bool disturb_end(struct disturb *d);

#endif /* _SELFTEST_HYPTRACE_SOAK_DISTURB_H */
