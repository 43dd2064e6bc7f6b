/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The longest delays of each vCPU.
 */
#ifndef HYPTRACE_WORST_H
#define HYPTRACE_WORST_H

#include "analysis/delay.h"
#include "lib/types.h"
#include "lib/util.h"

/**
 * struct worst_rule - which delays count
 * @nr:		how many are kept of each vCPU
 * @over:	those of at least this many ns
 * @from:	those that end at this timestamp or later
 * @to:		those that begin at this timestamp or earlier
 * @cpus:	those that end on one of these CPUs; NULL for all
 */
struct worst_rule {
	u64 nr;
	u64 over;
	u64 from;
	u64 to;
	const struct cpulist *cpus;
};

/**
 * struct worst_vcpu - the delays of one vCPU
 * @whose:	the vCPU
 * @count:	how many delays it had
 * @ns:		how long they were together
 * @worst:	the longest ones, the longest first
 * @nr:		how many there are of these
 * @room:	how many fit
 */
struct worst_vcpu {
	struct delay_vcpu whose;
	u64 count;
	u64 ns;
	struct delay *worst;
	size_t nr;
	size_t room;
};

struct worst;

/** worst_new - begin. Return: NULL with a message. */
struct worst *worst_new(const struct worst_rule *rule);
void worst_free(struct worst *w);

/** worst_feed - take a delay, and its pieces if it is kept. Return: 0, -1 with a message. */
int worst_feed(struct worst *w, struct delay *d);

/** worst_sort - the vCPU with the longest delay first */
void worst_sort(struct worst *w);

/** worst_vcpu - the i-th, NULL behind the last */
const struct worst_vcpu *worst_vcpu(const struct worst *w, size_t i);

#endif
