/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All events of a file, or of buffers that are still written to, by time.
 */
#ifndef HYPTRACE_MERGE_H
#define HYPTRACE_MERGE_H

#include "lib/types.h"
#include "lib/util.h"
#include "trace/datr.h"
#include "trace/rbpage.h"
#include "trace/stamps.h"

/**
 * struct merged - one event, or a corrupt place: the rest of a sub-buffer
 * @buffer:	index of the buffer in the file
 * @cpu:	CPU number
 * @ev:		the event; @ev.data is NULL for a corrupt sub-buffer
 * @lost:	events of the same buffer and CPU lost right before: 0, a number
 *		or RBPAGE_LOST_UNKNOWN
 * @offset:	in the file, of the sub-buffer
 * @guest:	0, or whose recording @buffer and @cpu are of: the number of the guest, from 1
 */
struct merged {
	unsigned int guest;
	unsigned int buffer;
	unsigned int cpu;
	struct rbevent ev;
	u64 lost;
	u64 offset;
};

struct merge;

/**
 * merge_new - begin
 * @d:		the file; must outlive the merge
 * @cpus:	only these CPUs; NULL for all
 *
 * Return: NULL with a message.
 */
struct merge *merge_new(const struct datr *d, const struct cpulist *cpus);

/**
 * struct merge_part - a part of what is in a file; all 0 for all of it
 * @by_cpu:	only the CPUs with this number, @cpu
 * @cpu:	see @by_cpu
 * @by_side:	only the events of @side
 * @side:	see @by_side
 * @from:	leave out sub-buffers that end before this timestamp. Events before it may
 *		remain
 */
struct merge_part {
	bool by_cpu;
	unsigned int cpu;
	bool by_side;
	enum side side;
	u64 from;
};

/** merge_new_part - a part of the events, and of the guests'. Return: as above. */
struct merge *merge_new_part(const struct datr *d, const struct merge_part *part);

/**
 * struct merge_source - where the sub-buffers of a buffer and CPU come from
 * @buffer:	index of the buffer
 * @cpu:	CPU number
 * @page_size:	sub-buffer size
 * @stamps:	of a source that has all sub-buffers already: leave out what has a corrupt
 *		timestamp; NULL for none
 * @guest:	as in struct merged
 * @shift:	what is added to timestamps, ns
 * @next:	the next sub-buffer, which stays valid, with its offset for messages in
 *		@offset; NULL if there is none now. Without @stamps, the last one may still
 *		grow
 * @ctx:	passed to @next
 */
struct merge_source {
	unsigned int buffer;
	unsigned int cpu;
	u32 page_size;
	struct stamps *stamps;
	unsigned int guest;
	long long shift;
	const void *(*next)(void *ctx, u64 *offset);
	void *ctx;
};

/** merge_new_world - the same of all CPUs, and of the guests' */
struct merge *merge_new_world(const struct datr *d);

/** merge_new_of - the same with @nr sources. Return: as above. */
struct merge *merge_new_of(const struct merge_source *source, unsigned int nr);

/** merge_again - look for more in sources that had none */
void merge_again(struct merge *m);

/** merge_next_until - as merge_next(), but only up to the time @until */
bool merge_next_until(struct merge *m, u64 until, struct merged *out);

/**
 * merge_next - take the next one
 *
 * The events of one buffer and CPU come in the order in which they were written. Those of
 * a file also come in order of time, as corrupt timestamps are left out; see stamps.h. With
 * equal timestamps, the lower buffer index comes first, and guests last.
 */
bool merge_next(struct merge *m, struct merged *out);

void merge_free(struct merge *m);

/** typedef merged_fn - takes one. Return: 0, or what ends the walk */
typedef int (*merged_fn)(void *ctx, const struct merged *ev);

/**
 * merge_each - call @fn for each event and corrupt sub-buffer of a file
 *
 * Return: 0, the result of @fn that ended the walk, or -1 with a message.
 */
int merge_each(const struct datr *d, const struct cpulist *cpus, merged_fn fn, void *ctx);

/**
 * merge_some - take some of the next events
 *
 * Return: 1 if there may be more, 0 if there are none; or the result of @fn, if that is not 0.
 */
int merge_some(struct merge *m, merged_fn fn, void *ctx);

/** merge_each_world - the same of all CPUs, and of the guests' */
int merge_each_world(const struct datr *d, merged_fn fn, void *ctx);

/** merged_side - whose event of the file @d it is */
enum side merged_side(const struct datr *d, const struct merged *ev);

/**
 * merge_first - when a recording begins
 * @d:		the file
 * @ts:		timestamp of the first event of all CPUs; 0 if there is none
 *
 * Return: 0, or -1 with a message.
 */
int merge_first(const struct datr *d, u64 *ts);

#endif
