/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All events of a file, by time.
 */
#ifndef HYPTRACE_MERGE_H
#define HYPTRACE_MERGE_H

#include "datr.h"
#include "rbpage.h"
#include "types.h"
#include "util.h"

/**
 * struct merged - one event, or the place of a corrupt sub-buffer
 * @buffer:	index of the buffer in the file
 * @cpu:	CPU number
 * @ev:		the event; @ev.data is NULL for a corrupt place
 * @lost:	events of the same buffer and CPU lost right before: 0, a number
 *		or RBPAGE_LOST_UNKNOWN
 * @offset:	in the file, of the sub-buffer
 */
struct merged {
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
 * merge_next - take the next one
 *
 * The events of one buffer and CPU come in their own order, whatever their
 * time stamps say. With equal stamps a lower buffer index comes first.
 */
bool merge_next(struct merge *m, struct merged *out);

void merge_free(struct merge *m);

#endif
