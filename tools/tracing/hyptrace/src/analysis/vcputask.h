/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task that runs a vCPU: what it does now, and its delay so far.
 *
 *	T_GUEST	   --hyp_enter(guest_exit)-->	T_RUNNING
 *	T_RUNNING  --hyp_exit(eret_guest)-->	T_GUEST
 *	T_RUNNING  --sched_switch-->		T_RUNNABLE or T_ASLEEP
 *	T_ASLEEP   --sched_waking-->		T_RUNNABLE
 *	T_RUNNABLE --sched_switch-->		T_RUNNING
 *	any	   --lost events-->		T_UNKNOWN
 *	T_UNKNOWN  --an event of the task-->	T_RUNNING
 */
#ifndef HYPTRACE_VCPUTASK_H
#define HYPTRACE_VCPUTASK_H

#include "analysis/cpunow.h"
#include "analysis/delay.h"

enum task_state {
	T_UNKNOWN,
	T_GUEST,
	T_RUNNING,
	T_RUNNABLE,
	T_ASLEEP,
};

/* Where the task is when nothing interrupts it, out of the guest */
enum task_mode {
	MODE_UNKNOWN,
	MODE_KERNEL,	/* in @call */
	MODE_USER,
};

/**
 * struct vcputask - the task; all 0 but @d.whose at first
 * @state:	what it does
 * @since:	since when
 * @cpu:	where it runs or waits, or ran last
 * @mode:	where in the host
 * @call:	the system call, as labels.h says
 * @locked:	it waits for a lock
 * @lock:	which one
 * @idle:	its vCPU is idle: the next wake-up begins a delay
 * @open:	@d has begun
 * @at:		it is accounted for up to here
 * @d:		its delay, or the last one
 */
struct vcputask {
	enum task_state state;
	u64 since;
	unsigned int cpu;
	enum task_mode mode;
	u64 call;
	bool locked;
	struct label lock;
	bool idle;
	bool open;
	u64 at;
	struct delay d;
};

/**
 * struct vcputasks - all that have run a vCPU and have not ended; all 0 at first
 * @task:	them
 * @nr:		how many
 * @room:	how many fit
 */
struct vcputasks {
	struct vcputask **task;
	size_t nr;
	size_t room;
};

/** vcputasks_find - NULL if it is none of them */
struct vcputask *vcputasks_find(const struct vcputasks *v, s32 pid);

/** vcputasks_get - the same, added if it is none of them. Return: NULL with a message. */
struct vcputask *vcputasks_get(struct vcputasks *v, s32 pid);

/** vcputasks_remove - remove and free one of them */
void vcputasks_remove(struct vcputasks *v, struct vcputask *t);

void vcputasks_free(struct vcputasks *v);

/** vcputask_set - change the state at @ts */
void vcputask_set(struct vcputask *t, enum task_state state, u64 ts);

/** vcputask_begin - a delay begins at @ts, when the guest is left or its task woken up */
void vcputask_begin(struct vcputask *t, u64 ts, bool woken);

/** vcputask_account - account for the time up to @ts; @c is its CPU. Return: 0, -1 */
int vcputask_account(struct vcputask *t, const struct cpunow *c, u64 ts);

/** vcputask_unknown - what is said of the time since @since is wrong. Return: 0, -1 */
int vcputask_unknown(struct vcputask *t, u64 since);

/** vcputask_is_idle - whether the guest has nothing to do if its task sleeps now */
bool vcputask_is_idle(const struct vcputask *t, u64 prev_state);

#endif
