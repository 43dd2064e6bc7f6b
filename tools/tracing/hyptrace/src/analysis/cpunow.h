/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a CPU does now: the task, the interrupts on top of it, and EL2 on top of these.
 */
#ifndef HYPTRACE_CPUNOW_H
#define HYPTRACE_CPUNOW_H

#include "analysis/delayevent.h"
#include "analysis/pieces.h"
#include "lib/types.h"
#include "trace/side.h"

/* More handlers than this do not interrupt each other */
#define CPUNOW_DEPTH	8

/**
 * struct cpunow - the state of a CPU; cpunow_init() at first
 * @task:	the task by the host's events, LABEL_UNKNOWN_TASK if it is not known
 * @switched:	@task is by a sched_switch: other events can still have the pid of the task before
 * @top:	the interrupt handlers that run, the innermost last
 * @depth:	how many
 * @at_el2:	EL2 was entered
 * @stay_start:	when
 * @stay:	why
 * @el2:	what EL2 does right now
 * @off:	the CPU was switched off
 * @last:	timestamp of the last event of each side
 */
struct cpunow {
	u64 task;
	bool switched;
	struct label top[CPUNOW_DEPTH];
	unsigned int depth;
	bool at_el2;
	u64 stay_start;
	struct label stay;
	struct label el2;
	bool off;
	u64 last[NR_SIDES];
};

/** cpunow_init - nothing is known */
void cpunow_init(struct cpunow *c);

/**
 * cpunow_feed - take the next event of the CPU
 *
 * Return: whether the event says what the stay at EL2 is about from its start, which is
 * not what was assumed.
 */
bool cpunow_feed(struct cpunow *c, const struct delay_event *ev);

/** cpunow_lose - events of this side were lost */
void cpunow_lose(struct cpunow *c, enum side side);

/** cpunow_above - what runs on top of the CPU's task. Return: false if nothing does. */
bool cpunow_above(const struct cpunow *c, struct label *label);

/** cpunow_instead - why a task that could run there does not */
struct label cpunow_instead(const struct cpunow *c);

#endif
