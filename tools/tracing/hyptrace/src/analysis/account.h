/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares what a file holds with what the kernel counted.
 */
#ifndef HYPTRACE_ACCOUNT_H
#define HYPTRACE_ACCOUNT_H

#include "analysis/checker.h"
#include "lib/types.h"
#include "lib/util.h"
#include "trace/datr.h"
#include "trace/merge.h"

struct account;

/**
 * struct account_result - sums over all buffers and CPUs
 * @seen:	events in the file, of each side
 * @lost:	events that were lost, as the kernel has counted them, or else as
 *		marked in the sub-buffers
 * @vague:	some of these marks are without a number: more were lost
 * @unmarked:	of these, those without a mark in a sub-buffer: dropped
 * @unaccounted: events that were written but neither seen nor lost, plus those
 *		seen but not written, plus losses without a mark in a sub-buffer
 * @no_counters: buffers and CPUs without counters in the file
 */
struct account_result {
	u64 seen[NR_SIDES];
	u64 lost;
	bool vague;
	u64 unmarked;
	u64 unaccounted;
	u64 no_counters;
};

/** account_new - begin. Return: NULL with a message. */
struct account *account_new(const struct datr *d);

/** account_feed - count an event, and the loss before it */
void account_feed(struct account *a, const struct merged *ev);

/**
 * account_finish - compare
 * @a:		the account
 * @cpus:	only these CPUs; NULL for all
 * @out:	mismatches are printed here; NULL for none
 * @result:	the sums
 */
void account_finish(struct account *a, const struct cpulist *cpus, FILE *out,
		    struct account_result *result);

/**
 * account_cut - whether events may be missing behind the last one in the file
 * @a:		the account; all events were fed
 * @buffer:	index of the buffer
 * @cpu:	CPU number
 */
bool account_cut(const struct account *a, unsigned int buffer, unsigned int cpu);

void account_free(struct account *a);

/** lost_more - what is printed after the number of lost events, if some marks have none */
static inline const char *lost_more(bool vague)
{
	return vague ? "+?" : "";
}

#endif
