/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often EL2 was visited and how long that took, as EL2 counts it itself, without events.
 *
 * A visit is from EL2's entry to its exit. Each one is of one kind: a hypercall, or another
 * reason. Times are in ticks of the CPUs' counter, as EL2 has them: nothing is rounded.
 */
#ifndef HYPTRACE_VISITCOUNT_H
#define HYPTRACE_VISITCOUNT_H

#include "lib/types.h"
#include "record/tdir.h"

/*
 * Bucket 0 has times of 0 and 1 ticks, bucket n those from 2^n to 2^(n+1) - 1, the last one all
 * that are longer
 */
#define VISITCOUNT_BUCKETS	30

/**
 * struct visitcount - the visits of one kind, of all CPUs, since the system was booted
 * @hypercall:	it is a hypercall, else another reason
 * @name:	its name
 * @row:	its place in the files
 * @number:	how many visits
 * @ticks:	how long all of them took
 * @max:	how long the longest one took
 * @bucket:	how many took how long
 */
struct visitcount {
	bool hypercall;
	char *name;
	unsigned int row;
	u64 number;
	u64 ticks;
	u64 max;
	u64 bucket[VISITCOUNT_BUCKETS];
};

/**
 * struct visitcpu - a CPU that has counted
 * @cpu:	its number
 * @ticks:	how long all of its visits took
 */
struct visitcpu {
	unsigned int cpu;
	u64 ticks;
};

/**
 * struct visitcounts - all of it
 * @dir:	the remote
 * @on:		visits are counted at this time
 * @ticks_per_sec: 0 if no CPU has counted
 * @nr:		how many kinds there are
 * @room:	how many fit
 * @kind:	the kinds, of which some never happened
 * @nr_cpus:	how many CPUs have counted
 * @cpus_room:	how many fit
 * @cpu:	these, in order
 */
struct visitcounts {
	struct tdir *dir;
	bool on;
	u64 ticks_per_sec;
	unsigned int nr;
	size_t room;
	struct visitcount *kind;
	unsigned int nr_cpus;
	size_t cpus_room;
	struct visitcpu *cpu;
};

/** visitcount_bound - the longest time of a bucket other than the last one, in ticks */
static inline u64 visitcount_bound(unsigned int bucket)
{
	return (2ULL << bucket) - 1;
}

/**
 * visitcounts_open - find out what is counted
 * @v:		all 0; to be closed in any case
 * @remote:	name of the remote, or a path; NULL for "hypervisor"
 *
 * Return: 0, or -1 with a message.
 */
int visitcounts_open(struct visitcounts *v, const char *remote);

/** visitcounts_switch - begin to count, or stop. Return: as above. */
int visitcounts_switch(const struct visitcounts *v, bool on);

/** visitcounts_read - read all that was counted so far. Return: as above. */
int visitcounts_read(struct visitcounts *v);

void visitcounts_close(struct visitcounts *v);

#endif
