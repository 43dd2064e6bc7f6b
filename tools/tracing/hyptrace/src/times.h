/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where time goes: in the host, at EL2 or in a guest. The rules: times.c.
 */
#ifndef HYPTRACE_TIMES_H
#define HYPTRACE_TIMES_H

#include "dist.h"
#include "evdb.h"
#include "types.h"

struct times;

enum place {
	PLACE_HOST,
	PLACE_EL2,
	PLACE_GUEST,
	PLACE_UNKNOWN,
	NR_PLACES
};

/* The ways between the host's kvm events and the guest */
enum way {
	WAY_IN,		/* kvm_entry to the run's first hyp_exit(eret_guest) */
	WAY_OUT,	/* its last hyp_enter(guest_exit) to kvm_exit */
	NR_WAYS
};

/* As a task: nobody knows which */
#define TIMES_NOBODY	(-1)

/**
 * struct times_event - an event, as far as times go
 * @cpu:	its CPU
 * @hyp:	an event of the hypervisor, else of the host
 * @kind:	what it is
 * @reason:	of an EL2 entry or exit
 * @ts:		time stamp, ns
 * @lost:	events of the same side and CPU were lost before it
 * @pid:	the task on whose behalf it was written
 * @other:	of sched_switch, the task that comes; of hyp_exit, the task of
 *		the vCPU that comes
 * @vm:		of vcpu_enter
 * @vcpu:	of vcpu_enter
 * @dist:	takes the durations: of hyp_enter, those of that reason; of
 *		vcpu_exit, of that kind of exit; of host_hcall, of that call.
 *		Must outlive the times.
 */
struct times_event {
	unsigned int cpu;
	bool hyp;
	enum ev_kind kind;
	enum ev_reason reason;
	u64 ts;
	bool lost;
	s32 pid;
	s32 other;
	u32 vm;
	u32 vcpu;
	struct dist *dist;
};

/**
 * struct times_row - times of a CPU, a task or a vCPU
 * @id:		the CPU's number, or the task; TIMES_NOBODY sorts last
 * @named:	of a vCPU: @vm and @vcpu are known
 * @vm:		of a vCPU: the handle of its VM
 * @vcpu:	of a vCPU: its index in the VM
 * @entries:	of a CPU: EL2 was entered; of a vCPU: the guest was
 * @running:	of a task: the row of the vCPU that it ran last, or NULL
 * @ns:		the times
 */
struct times_row {
	s32 id;
	bool named;
	u32 vm;
	u32 vcpu;
	u64 entries;
	struct times_row *running;
	u64 ns[NR_PLACES];
};

/**
 * struct times_result - the rest of what came out
 * @wall:	ns from the recording's first event to its last
 * @no_exit:	EL2 entries whose exit was not seen
 * @no_entry:	EL2 exits whose entry was not seen
 * @losses:	places where events were lost
 * @misplaced:	events that contradict what was before
 */
struct times_result {
	u64 wall;
	u64 no_exit;
	u64 no_entry;
	u64 losses;
	u64 misplaced;
};

/**
 * struct times_span - a stretch of time on a CPU
 * @cpu:	the CPU
 * @start:	its first ns, as a time stamp
 * @ns:		how long
 * @place:	where the CPU was
 * @task:	the row of the task
 * @vcpu:	the row of the vCPU that the task ran last, or NULL
 */
struct times_span {
	unsigned int cpu;
	u64 start;
	u64 ns;
	enum place place;
	const struct times_row *task;
	const struct times_row *vcpu;
};

/**
 * struct times_stay - an EL2 entry, from hyp_enter to hyp_exit
 * @cpu:	the CPU
 * @start:	time stamp of hyp_enter
 * @end:	of hyp_exit
 * @reason:	what takes the duration, or NULL
 * @call:	what takes that of the hypercall, or NULL
 */
struct times_stay {
	unsigned int cpu;
	u64 start;
	u64 end;
	const struct dist *reason;
	const struct dist *call;
};

/**
 * struct times_watch - somebody who wants to know how the times come about
 * @ctx:	what both are given
 * @span:	of a CPU, each begins where the last one ended; all together are its
 *		times
 * @stay:	complete ones, of a CPU in their order
 */
struct times_watch {
	void *ctx;
	void (*span)(void *ctx, const struct times_span *s);
	void (*stay)(void *ctx, const struct times_stay *s);
};

/**
 * times_new - begin
 * @have_switches: all of sched_switch was recorded; without, nobody knows which task
 *		the host's time belongs to
 * @bounded:	of the distributions, see dists_new()
 *
 * Return: NULL with a message.
 */
struct times *times_new(bool have_switches, bool bounded);
void times_free(struct times *t);

/** times_set_watch - tell @w, which must outlive the times, of each span and stay */
void times_set_watch(struct times *t, const struct times_watch *w);

/** times_add_cpu - a CPU to report, events or not. Return: 0, -1 with a message. */
int times_add_cpu(struct times *t, unsigned int cpu);

/** times_see - there was an event, of whatever CPU: for the wall time */
void times_see(struct times *t, u64 ts);

/**
 * times_feed - take the next event, of a CPU that was added
 *
 * The events of one side and CPU must come in their own order, and otherwise
 * by time. Each has been given to times_see().
 *
 * Return: 0, or -1 with a message if memory ran out.
 */
int times_feed(struct times *t, const struct times_event *ev);

/**
 * times_lose - the next event of this side and CPU has a loss before it
 * @t:		the times
 * @cpu:	a CPU that was added
 * @hyp:	the hypervisor's events, else the host's
 */
void times_lose(struct times *t, unsigned int cpu, bool hyp);

/** times_finish - account for the rest. Return: 0, or -1 with a message. */
int times_finish(struct times *t, struct times_result *result);

/**
 * times_tick - account for all up to a moment
 * @t:		the times
 * @ts:		all events before it were fed; it counts as seen, too
 * @result:	what is known so far
 *
 * What is not settled yet counts as what it looks like. More events can follow.
 *
 * Return: 0, or -1 with a message.
 */
int times_tick(struct times *t, u64 ts, struct times_result *result);

/** times_restart - begin again at the last tick, knowing where each CPU is */
void times_restart(struct times *t);

/*
 * After times_finish() or times_tick(): the i-th row, or NULL behind the last. CPUs by number;
 * tasks by their time, nobody last; vCPUs by their time in the guest.
 *
 * Over the CPUs, and over the tasks, all times add up to the wall time of all
 * CPUs.
 */
const struct times_row *times_cpu(const struct times *t, unsigned int i);
const struct times_row *times_task(const struct times *t, unsigned int i);
const struct times_row *times_vcpu(const struct times *t, unsigned int i);

/** times_row_empty - a row that has nothing to say */
bool times_row_empty(const struct times_row *r);

/** times_way - the durations of a way */
struct dist *times_way(const struct times *t, enum way way);

#endif
