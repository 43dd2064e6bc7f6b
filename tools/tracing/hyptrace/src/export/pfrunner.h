/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks that may run a vCPU, each with the slices of its vCPU in a Perfetto trace.
 *
 * From one slice of the guest to the next, there is a slice for the exit below them:
 *
 *	| guest | IRQ                                | guest |
 *	        | EL2 | host |        | host | EL2   |
 *	                       (another task runs)
 *
 * The exit's name comes with vcpu_exit, so it waits for that with the slice on top of it.
 */
#ifndef HYPTRACE_PFRUNNER_H
#define HYPTRACE_PFRUNNER_H

#include "analysis/rows.h"
#include "export/pfrun.h"
#include "export/pftrack.h"
#include "lib/types.h"
#include "trace/evdb.h"

/**
 * struct pfplace - where a CPU is
 * @cpu:	the CPU
 * @place:	the place
 * @reason:	why it is at EL2
 * @shown:	the task that has a slice for it now, or NULL
 * @run:	what it runs
 */
struct pfplace {
	unsigned int cpu;
	enum place place;
	enum ev_reason reason;
	struct pfrunner *shown;
	struct pfrun run;
};

/**
 * struct pfrunner - a task
 * @pid:	the task
 * @track:	of its vCPU, or 0
 * @named:	@vm and @vcpu are known
 * @vm:		the handle of the VM
 * @vcpu:	the vCPU's index in it
 * @place:	of its last slice
 * @begun:	when that began
 * @on:		the CPU where it goes on, or NULL
 * @exit:	there is a slice for the exit
 * @waiting:	it and the last slice are not written yet
 */
struct pfrunner {
	s32 pid;
	u64 track;
	bool named;
	u32 vm;
	u32 vcpu;
	enum place place;
	u64 begun;
	struct pfplace *on;
	bool exit;
	bool waiting;
};

/**
 * pfrunner_show - a slice begins
 * @r:		the task, which has a track
 * @t:		gets the slice
 * @on:		the CPU and place; nothing is shown for it
 * @ts:		when
 */
void pfrunner_show(struct pfrunner *r, struct pftrack *t, struct pfplace *on, u64 ts);

/**
 * pfrunner_hide - the slice ends
 * @r:		the task, which has one
 * @t:		gets it
 * @ts:		when; if the slice began later, it has no length
 *
 * Return: when it ended.
 */
u64 pfrunner_hide(struct pfrunner *r, struct pftrack *t, u64 ts);

/** pfrunner_run - at @ts, it runs the vCPU with this track, which has no name yet */
void pfrunner_run(struct pfrunner *r, struct pftrack *t, u64 track, u64 ts);

/**
 * struct pfexit - why the guest was left
 * @name:	the reason
 * @db:		knows @ev
 * @ev:		the event vcpu_exit
 */
struct pfexit {
	const char *name;
	struct evdb *db;
	const struct rbevent *ev;
};

/** pfrunner_exit - the exit that waits, if there is one, is @e */
void pfrunner_exit(struct pfrunner *r, struct pftrack *t, const struct pfexit *e);

/** pfrunner_end - all its slices end; it may run another vCPU from now on */
void pfrunner_end(struct pfrunner *r, struct pftrack *t, u64 ts);

#endif
