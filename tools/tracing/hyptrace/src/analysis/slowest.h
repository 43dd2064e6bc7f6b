/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The longest durations of a profile, with their timestamps.
 */
#ifndef HYPTRACE_SLOWEST_H
#define HYPTRACE_SLOWEST_H

#include "analysis/times.h"
#include "lib/types.h"

/**
 * struct slow - a duration
 * @ns:		how long
 * @start:	timestamp of its first event
 * @cpu:	the CPU
 * @task:	on whose behalf, or TIMES_UNKNOWN
 * @what:	of an EL2 entry: names the reason, or NULL
 * @call:	of an EL2 entry: names the hypercall, or NULL
 * @way:	of a world switch: its direction
 */
struct slow {
	u64 ns;
	u64 start;
	unsigned int cpu;
	s32 task;
	const struct dist *what;
	const struct dist *call;
	enum way way;
};

/**
 * struct slow_list - the longest ones, the longest first, and of equal ones the first one
 * @list:	the durations
 * @nr:		how many there are
 */
struct slow_list {
	struct slow *list;
	unsigned int nr;
};

/**
 * struct slowest - the longest durations
 * @max:	how many of each
 * @entries:	EL2 entries
 * @switches:	world switches
 */
struct slowest {
	unsigned int max;
	struct slow_list entries;
	struct slow_list switches;
};

/** slowest_init - begin, for at least one of each. Return: 0, or -1 with a message. */
int slowest_init(struct slowest *s, unsigned int max);
void slowest_free(struct slowest *s);

/* For struct times_watch, with a struct slowest as its @ctx */
void slowest_stay(void *slowest, const struct times_stay *stay);
void slowest_way(void *slowest, const struct times_switch *s);

#endif
