/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event, as far as delays go.
 */
#ifndef HYPTRACE_DELAYEVENT_H
#define HYPTRACE_DELAYEVENT_H

#include "analysis/pieces.h"
#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/side.h"
#include "trace/whyevents.h"

/* What a guest's exit says about the delay that follows */
enum exit_kind {
	EXIT_KIND_OTHER,
	EXIT_KIND_IRQ,		/* an interrupt of the host */
	EXIT_KIND_WAIT,		/* the guest is idle: WFI or WFE */
	EXIT_KIND_CALL,		/* a call, by which a vCPU may go off */
	EXIT_KIND_ABORT,	/* a stage-2 fault, or an MMIO access */
};

/**
 * struct delay_event - an event
 * @kind:	what it is
 * @side:	whose event
 * @cpu:	its CPU
 * @ts:		timestamp, ns
 * @lost:	events of the same side and CPU were lost before it
 * @pid:	of the host's: the task that runs
 * @reason:	of hyp_enter and hyp_exit
 * @task:	of hyp_enter and hyp_exit, the vCPU's; of sched_switch, the next one; the
 *		one that is woken up or migrated
 * @prev:	of sched_switch, the task before
 * @state:	of sched_switch, the state of @prev
 * @target:	the CPU of a task that is woken up or migrated
 * @forwarded:	of host_smc: firmware runs
 * @vm:		of vcpu_enter and vm_teardown
 * @vcpu:	of vcpu_enter
 * @exit:	of vcpu_exit
 * @ipa:	of vcpu_exit: the faulting address's page, or 0
 * @label:	what the time is spent on that begins with it, if it has a name
 */
struct delay_event {
	enum why_event kind;
	enum side side;
	unsigned int cpu;
	u64 ts;
	bool lost;
	s32 pid;
	enum ev_reason reason;
	s32 task;
	s32 prev;
	u64 state;
	unsigned int target;
	bool forwarded;
	u32 vm;
	u32 vcpu;
	enum exit_kind exit;
	u64 ipa;
	struct label label;
};

#endif
