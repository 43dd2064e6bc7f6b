/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffers of all CPUs and of both sides, mapped.
 */
#ifndef HYPTRACE_STREAMS_H
#define HYPTRACE_STREAMS_H

#include "follow.h"
#include "recording.h"
#include "stats.h"
#include "types.h"

/** side_buffer_name - the name of its buffer in the file */
const char *side_buffer_name(enum side side);

/**
 * struct stream - one buffer of one CPU
 * @f:		its follower
 * @dir:	the directory that it is in
 * @side:	and whose that is
 * @cpu:	the CPU
 * @dropped:	its counter of dropped events at the start
 */
struct stream {
	struct follower *f;
	const struct tdir *dir;
	enum side side;
	unsigned int cpu;
	u64 dropped;
};

/**
 * struct streams - all of them
 * @nr_cpus:	number of CPUs
 * @cpu:	the streams of each CPU
 */
struct streams {
	unsigned int nr_cpus;
	struct stream (*cpu)[NR_SIDES];
};

/**
 * struct streams_totals - what was seen so far
 * @written:	events that entered the buffers
 * @kept:	of these, such that were not overwritten
 * @lost:	events that were, or found no room and never entered
 * @bytes:	bytes of sub-buffers taken
 */
struct streams_totals {
	u64 written[NR_SIDES];
	u64 kept[NR_SIDES];
	u64 lost;
	u64 bytes;
};

/**
 * streams_open - map all
 * @s:		gets them; to be closed even after an error
 * @r:		says which; must outlive the streams
 *
 * Return: 0, or -1 with a message.
 */
int streams_open(struct streams *s, const struct recording *r);

/** streams_totals - Context: any thread, see follower_live() */
void streams_totals(const struct streams *s, struct streams_totals *t);

/** streams_lost - events that the i-th CPU has lost; as above */
u64 streams_lost(const struct streams *s, unsigned int i);

/** streams_tell - say how many events there were, and how many were lost; for @what */
void streams_tell(const struct streams *s, const char *what);

/**
 * stream_drained - whether all that was written was read
 *
 * Context: the side is off, and the stream was drained. If not, an event was begun
 * before it went off, and will come.
 */
bool stream_drained(const struct stream *s);

/** stream_counts - the kernel's counters of one of them */
void stream_counts(const struct stream *s, struct cpu_stats *counts);

/** streams_close - unmap all */
void streams_close(struct streams *s);

#endif
