/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffers of all CPUs and of the sides that are recorded, mapped.
 */
#ifndef HYPTRACE_STREAMS_H
#define HYPTRACE_STREAMS_H

#include "lib/types.h"
#include "record/follow.h"
#include "record/recording.h"
#include "trace/counters.h"

/**
 * struct stream - one buffer of one CPU
 * @f:		its follower; NULL if the side is not recorded
 * @dir:	its directory
 * @side:	the side of that directory
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
 * struct streams_totals - totals so far
 * @written:	events that entered the buffers
 * @kept:	of these, those that were not overwritten
 * @lost:	events that were overwritten, or dropped because the buffer was full
 * @bytes:	bytes of sub-buffers that were read
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
 * @r:		the recording; must outlive the streams
 *
 * Return: 0, or -1 with a message.
 */
int streams_open(struct streams *s, const struct recording *r);

/** streams_totals - Context: any thread, see follower_live() */
void streams_totals(const struct streams *s, struct streams_totals *t);

/** streams_lost - events that the i-th CPU has lost; as above */
u64 streams_lost(const struct streams *s, unsigned int i);

/** streams_keep_from - before anything is read: leave out what is older, see follow.h */
void streams_keep_from(const struct streams *s, u64 ts);

/** streams_since - from when on all buffers have all events */
u64 streams_since(const struct streams *s);

/** streams_tell - print the number of events and of lost events, for @what */
void streams_tell(const struct streams *s, const char *what);

/**
 * stream_drained - whether all that was written was read
 *
 * Context: the side is off, and the stream was drained. If the result is false, an
 * event was begun before the side went off, and will still be written. It is true of a side
 * that is not recorded.
 */
bool stream_drained(const struct stream *s);

/** stream_counts - the kernel's counters of one of them */
void stream_counts(const struct stream *s, struct counters *counts);

/** streams_close - unmap all */
void streams_close(struct streams *s);

#endif
