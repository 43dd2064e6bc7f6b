/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares what a file holds with what the kernel counted.
 */
#ifndef HYPTRACE_ACCOUNT_H
#define HYPTRACE_ACCOUNT_H

#include "checker.h"
#include "datr.h"
#include "merge.h"
#include "types.h"
#include "util.h"

struct account;

/**
 * struct account_result - sums over all buffers and CPUs
 * @seen:	events in the file, [0] host, [1] hypervisor
 * @lost:	events that were lost, as the kernel has counted them, or else as
 *		marked in the sub-buffers
 * @vague:	some of these marks are without a number: more were lost
 * @unmarked:	of these, such that no sub-buffer tells where: dropped
 * @unaccounted: events that were written but neither seen nor lost, plus those
 *		seen but not written, plus losses that no sub-buffer tells
 * @no_counters: buffers and CPUs without counters in the file
 */
struct account_result {
	u64 seen[2];
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
 * @out:	each mismatch is told here; NULL to be silent
 * @result:	the sums
 */
void account_finish(struct account *a, const struct cpulist *cpus, FILE *out,
		    struct account_result *result);

void account_free(struct account *a);

/** lost_more - what follows the number of lost events, if some marks have none */
static inline const char *lost_more(bool vague)
{
	return vague ? "+?" : "";
}

/** buffer_is_hyp - whether it is the hypervisor's buffer */
bool buffer_is_hyp(const struct datr_buffer *b);

#endif
