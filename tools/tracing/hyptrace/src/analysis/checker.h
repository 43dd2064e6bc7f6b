/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks that hypervisor events and host events are consistent. The rules are in
 * checker.c.
 */
#ifndef HYPTRACE_CHECKER_H
#define HYPTRACE_CHECKER_H

#include "analysis/violations.h"
#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/side.h"

struct checker;

/**
 * struct check_event - an event, as far as the checker cares
 * @cpu:	its CPU
 * @side:	whose event it is
 * @kind:	what it is
 * @reason:	of an EL2 entry or exit
 * @ts:		timestamp, ns
 * @lost:	events of the same side and CPU were lost before it
 * @name:	for messages
 */
struct check_event {
	unsigned int cpu;
	enum side side;
	enum ev_kind kind;
	enum ev_reason reason;
	u64 ts;
	bool lost;
	const char *name;
};

/**
 * struct check_result - the result
 * @windows:	windows that were checked
 * @skipped:	windows that were not: events were lost there
 * @cut:	windows or guest runs not complete at the recording's ends
 * @max_skew:	largest distance of an EL2 timestamp from its window, in ns
 */
struct check_result {
	u64 windows;
	u64 skipped;
	u64 cut;
	u64 max_skew;
};

/**
 * checker_new - begin
 * @have_host:	all of kvm_entry and kvm_exit was recorded
 * @have_hyp:	all of hyp_enter and hyp_exit was recorded
 * @v:		gets the violations
 *
 * EL2 entries need @have_hyp, windows need both.
 *
 * Return: NULL with a message.
 */
struct checker *checker_new(bool have_host, bool have_hyp, struct violations *v);

/**
 * checker_feed - check the next event
 *
 * The events of one side and CPU must come in the order in which they were written,
 * all others in order of time.
 *
 * Return: 0, or -1 with a message if memory ran out.
 */
int checker_feed(struct checker *c, const struct check_event *ev);

/**
 * checker_corrupt - take a corrupt place, which is a violation
 * @c:		the checker
 * @at:		where: @cpu, @side and @ts count
 * @offset:	in the file
 *
 * Return: as above.
 */
int checker_corrupt(struct checker *c, const struct check_event *at, u64 offset);

/**
 * checker_finish - check what is left at the end of the file
 * @c:		the checker
 * @torn:	the file lacks some of what was in the buffers at the end
 * @result:	the result
 *
 * Return: as above.
 */
int checker_finish(struct checker *c, bool torn, struct check_result *result);

void checker_free(struct checker *c);

#endif
