/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SOAK_LEDGER_H
#define _SELFTEST_HYPTRACE_SOAK_LEDGER_H
/*
 * What became of each event of one CPU, from the load of its buffer to a time at
 * which nobody writes and nothing is left to read.
 *
 * Events are numbered in the order in which they were written. Resets divide the
 * numbers into lives of the buffer. A number is
 *
 *	seen		by exactly one reader,
 *	lost		between two that were seen, and the reader of the later one was
 *			told of exactly so many, or that there are some if the page had no
 *			room for the number,
 *	discarded	after the last one that was seen before a reset,
 *	or dropped last	after the last one that was seen of all: the buffer was full.
 *
 * Anything else is an error. In the last life of the buffer the kernel's counters are
 * compared as well: read is what was seen, overrun and dropped are the rest.
 */
#include "reader.h"

/**
 * struct run - events that one reader saw in one go, numbered without a gap
 * @first:	number of the first
 * @nr:		how many
 * @lost:	losses reported before the first
 * @cpu:	their CPU
 * @uncounted:	a loss was reported before it that does not say how many
 */
struct run {
	__u64		first;
	__u64		nr;
	__u64		lost;
	int		cpu;
	bool		uncounted;
};

/**
 * struct tally - sums over what ledgers have
 * @written:	events
 * @seen:	by a reader
 * @lost:	and reported with their number
 * @uncounted:	lost, and reported without
 * @discarded:	by a reset
 * @last:	dropped after the last that was seen
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

/* Empty, for events numbered from @start on */
void ledger_init(struct ledger *l, __u64 start);
void ledger_add_run(struct ledger *l, const struct run *run);
void ledger_add_reset(struct ledger *l, __u64 first);

/**
 * runs_of - what a list of events comes to
 * @ev: of one CPU
 * @cpu: that one
 * @from: index of the first event to look at; then of the first after @run
 * @run: the result
 *
 * Return: false if there is none.
 */
bool runs_of(const struct events *ev, int cpu, size_t *from, struct run *run);

/**
 * ledger_close - balance the accounts
 * @l: complete
 * @stats: what the kernel counted since the last reset
 * @sum: added to
 *
 * Return: false with the reason in @l->wrong.
 */
bool ledger_close(struct ledger *l, const struct stats *stats, struct tally *sum);

#endif /* _SELFTEST_HYPTRACE_SOAK_LEDGER_H */
