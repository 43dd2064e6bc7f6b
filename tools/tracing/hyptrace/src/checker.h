/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks that hypervisor events and host events fit each other. What is
 * checked, and how: checker.c.
 */
#ifndef HYPTRACE_CHECKER_H
#define HYPTRACE_CHECKER_H

#include <stdio.h>

#include "evdb.h"
#include "types.h"

struct checker;

/**
 * struct check_event - an event, as far as the checker cares
 * @cpu:	its CPU
 * @hyp:	an event of the hypervisor, else of the host
 * @kind:	what it is
 * @reason:	of an EL2 entry or exit
 * @ts:		time stamp, ns
 * @lost:	events of the same side and CPU were lost before it
 * @name:	for messages
 */
struct check_event {
	unsigned int cpu;
	bool hyp;
	enum ev_kind kind;
	enum ev_reason reason;
	u64 ts;
	bool lost;
	const char *name;
};

/**
 * struct check_result - what came out
 * @violations:	broken rules
 * @windows:	windows that were checked
 * @skipped:	windows that were not: events were lost there
 * @cut:	windows or guest runs not complete at the recording's ends
 * @max_skew:	ns, by which an EL2 stamp lies outside its window, at most
 */
struct check_result {
	u64 violations;
	u64 windows;
	u64 skipped;
	u64 cut;
	u64 max_skew;
};

/**
 * checker_new - begin
 * @have_host:	all of kvm_entry and kvm_exit was recorded
 * @have_hyp:	all of hyp_enter and hyp_exit was recorded
 * @out:	violations are told here
 *
 * Time is checked always; the EL2 entries need @have_hyp, the windows both.
 *
 * Return: NULL with a message.
 */
struct checker *checker_new(bool have_host, bool have_hyp, FILE *out);

/**
 * checker_feed - check the next event
 *
 * The events of one side and CPU must come in their own order, and otherwise
 * by time.
 *
 * Return: 0, or -1 with a message if memory ran out.
 */
int checker_feed(struct checker *c, const struct check_event *ev);

/** checker_violation - count and tell a violation that was found elsewhere */
void checker_violation(struct checker *c, unsigned int cpu, u64 ts,
		       const char *fmt, ...)
	__printf(4, 5);

/**
 * checker_finish - check what is left at the end of the file
 * @c:		the checker
 * @torn:	the file does not have all that was in the buffers at the end
 * @result:	what came out
 */
void checker_finish(struct checker *c, bool torn, struct check_result *result);

void checker_free(struct checker *c);

#endif
