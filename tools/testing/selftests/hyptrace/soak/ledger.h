/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SOAK_LEDGER_H
#define _SELFTEST_HYPTRACE_SOAK_LEDGER_H
/*
 * Accounts for each event of one CPU, from the load of its buffer to a time at which
 * nothing is written and nothing is left to read.
 *
 * Events are numbered in the order in which they were written. Resets divide the
 * numbers into lives of the buffer. A number is
 *
 *	seen		by exactly one reader,
 *	lost		between two that were seen; the reader of the later one was told
 *			the exact number of lost events, or only that there are some if
 *			the page had no room for the number,
 *	discarded	after the last one that was seen before a reset,
 *	or dropped last	after the last one of all that was seen: the buffer was full.
 *
 * Anything else is an error. In the last life of the buffer the kernel's counters are
 * compared as well: read is the number seen, overrun and dropped are the rest.
 */
#include "lib/reader.h"

/**
 * struct run - consecutive events that one reader saw, numbered without a gap
 * @first:	number of the first
 * @nr:		how many
 * @lost:	losses reported before the first
 * @cpu:	their CPU
 * @uncounted:	a loss without a number was reported before it
 */
struct run {
	__u64		first;
	__u64		nr;
	__u64		lost;
	int		cpu;
	bool		uncounted;
};

/**
 * struct tally - sums of events over several ledgers
 * @written:	events written
 * @seen:	seen by a reader
 * @lost:	lost, and reported with their number
 * @uncounted:	lost, and reported without their number
 * @discarded:	discarded by a reset
 * @last:	dropped after the last one that was seen
 */
struct tally {
	__u64		written;
	__u64		seen;
	__u64		lost;
	__u64		uncounted;
	__u64		discarded;
	__u64		last;
};

/**
 * struct ledger - what readers saw of a CPU
 * @start:	number of the first event written
 * @end:	of the next one to be written
 * @runs:	what was seen, in any order
 * @nr_runs:	how many
 * @room:	allocated
 * @resets:	number of the first event after each reset, ascending
 * @nr_resets:	how many
 * @resets_room: allocated
 * @wrong:	the first error, or empty
 */
struct ledger {
	__u64		start;
	__u64		end;
	struct run	*runs;
	size_t		nr_runs;
	size_t		room;
	__u64		*resets;
	size_t		nr_resets;
	size_t		resets_room;
	char		wrong[200];
};

/* Initialise an empty ledger, for events numbered from @start on */
void ledger_init(struct ledger *l, __u64 start);
void ledger_add_run(struct ledger *l, const struct run *run);
void ledger_add_reset(struct ledger *l, __u64 first);

/**
 * runs_of - find the next run in a list of events
 * @ev: events of one CPU
 * @cpu: that CPU
 * @from: index of the first event to look at; set to the first one after @run
 * @run: the result
 *
 * Return: false if there is none.
 */
bool runs_of(const struct events *ev, int cpu, size_t *from, struct run *run);

/**
 * ledger_close - balance the accounts
 * @l: the complete ledger
 * @stats: the kernel's counters since the last reset
 * @sum: the result is added to this
 *
 * Return: false if they do not balance, with the reason in @l->wrong.
 */
bool ledger_close(struct ledger *l, const struct stats *stats, struct tally *sum);

#endif /* _SELFTEST_HYPTRACE_SOAK_LEDGER_H */
