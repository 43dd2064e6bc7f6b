/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where time goes: in the host, at EL2 or in a guest. The rules: times.c.
 */
#ifndef HYPTRACE_TIMES_H
#define HYPTRACE_TIMES_H

#include "analysis/dist.h"
#include "analysis/rows.h"
#include "analysis/scope.h"
#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/side.h"

struct times;

/* The directions of a world switch, between the host's kvm events and the guest */
enum way {
	WAY_IN,		/* kvm_entry to the run's first hyp_exit(eret_guest) */
	WAY_OUT,	/* its last hyp_enter(guest_exit) to kvm_exit */
	NR_WAYS
};

/** way_name - the name that is printed */
const char *way_name(enum way way);

/**
 * struct times_event - an event, as far as times go
 * @cpu:	its CPU
 * @side:	whose event it is
 * @kind:	what it is
 * @reason:	of an EL2 entry or exit
 * @ts:		timestamp, ns
 * @lost:	events of the same side and CPU were lost before it
 * @pid:	the task on whose behalf it was written
 * @other:	of sched_switch, the next task; of hyp_exit, the task of the next
 *		vCPU
 * @ended:	of sched_switch: @pid has ended
 * @vm:		of vcpu_enter
 * @vcpu:	of vcpu_enter
 * @dist:	takes the durations: of hyp_enter, those of that reason; of
 *		vcpu_exit, of that kind of exit; of host_hcall, of that call.
 *		Must outlive the times.
 */
struct times_event {
	unsigned int cpu;
	enum side side;
	enum ev_kind kind;
	enum ev_reason reason;
	u64 ts;
	bool lost;
	s32 pid;
	s32 other;
	bool ended;
	u32 vm;
	u32 vcpu;
	struct dist *dist;
};

/**
 * struct times_result - the result, apart from the rows
 * @start:	timestamp of the recording's first event
 * @wall:	ns from there to its last event. With a scope, both are of the time that
 *		is in it
 * @no_exit:	EL2 entries whose exit was not seen
 * @no_entry:	EL2 exits whose entry was not seen
 * @losses:	places where events were lost
 * @misplaced:	events that contradict the state before them
 */
struct times_result {
	u64 start;
	u64 wall;
	u64 no_exit;
	u64 no_entry;
	u64 losses;
	u64 misplaced;
};

/**
 * struct times_span - a stretch of time on a CPU
 * @cpu:	the CPU
 * @start:	its first ns, as a timestamp
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
 * @start:	timestamp of hyp_enter
 * @end:	of hyp_exit
 * @reason:	what takes the duration, or NULL
 * @call:	what takes that of the hypercall, or NULL
 * @task:	on whose behalf, or TIMES_UNKNOWN
 * @vcpu:	the row of the vCPU that the task ran last, or NULL
 */
struct times_stay {
	unsigned int cpu;
	u64 start;
	u64 end;
	const struct dist *reason;
	const struct dist *call;
	s32 task;
	const struct times_row *vcpu;
};

/**
 * struct times_switch - a world switch whose latency is measured
 * @cpu:	the CPU
 * @start:	timestamp of its first event
 * @end:	of its last one
 * @way:	the direction
 * @task:	on whose behalf
 * @vcpu:	the row of the vCPU that the task ran last, or NULL
 */
struct times_switch {
	unsigned int cpu;
	u64 start;
	u64 end;
	enum way way;
	s32 task;
	const struct times_row *vcpu;
};

/**
 * struct times_call - a hypercall, from hyp_enter to the return to the host
 * @cpu:	the CPU
 * @start:	timestamp of hyp_enter
 * @end:	of hyp_exit(eret_host)
 * @ns:		the time at EL2 in it
 * @call:	what takes that
 * @task:	on whose behalf
 */
struct times_call {
	unsigned int cpu;
	u64 start;
	u64 end;
	u64 ns;
	const struct dist *call;
	s32 task;
};

/**
 * struct times_entry - a guest is entered
 * @cpu:	the CPU
 * @ts:		when
 * @task:	the task that runs the vCPU
 * @vcpu:	the row of the vCPU
 */
struct times_entry {
	unsigned int cpu;
	u64 ts;
	s32 task;
	const struct times_row *vcpu;
};

/**
 * struct times_watch - an observer of the parts that the times are made of; any can be NULL
 * @ctx:	passed to all
 * @span:	gets each span; on a CPU, each begins where the last one ended, and all
 *		together are its times
 * @stay:	gets the complete EL2 entries of a CPU in their order
 * @way:	gets the world switches
 * @call:	gets the complete hypercalls of a CPU in their order
 * @entry:	gets the entries of guests
 */
struct times_watch {
	void *ctx;
	void (*span)(void *ctx, const struct times_span *s);
	void (*stay)(void *ctx, const struct times_stay *s);
	void (*way)(void *ctx, const struct times_switch *s);
	void (*call)(void *ctx, const struct times_call *s);
	void (*entry)(void *ctx, const struct times_entry *e);
};

/**
 * times_new - begin
 * @have_switches: all of sched_switch was recorded; without it, the task of the
 *		host's time is unknown
 * @bounded:	of the distributions, see dists_new()
 *
 * Return: NULL with a message.
 */
struct times *times_new(bool have_switches, bool bounded);
void times_free(struct times *t);

/** times_set_watch - report each span and stay to @w, which must outlive the times */
void times_set_watch(struct times *t, const struct times_watch *w);

/**
 * times_set_scope - count only what is in @s, which must outlive the times; NULL: all
 *
 * Then the times of a CPU do not add up to the wall time if there are others' as well.
 */
void times_set_scope(struct times *t, const struct scope *s);

/**
 * times_limit_tasks - keep the rows of at most @max tasks, and of the vCPUs that they run
 *
 * Beyond that, half of them are removed: those that did not run for longest. The row
 * TIMES_OTHERS has their sums.
 */
void times_limit_tasks(struct times *t, unsigned int max);

/** times_add_cpu - a CPU to report, events or not. Return: 0, -1 with a message. */
int times_add_cpu(struct times *t, unsigned int cpu);

/** times_see - extend the wall time to an event of any CPU */
void times_see(struct times *t, u64 ts);

/**
 * times_feed - take the next event, of a CPU that was added
 *
 * The events of one side and CPU must come in the order in which they were written,
 * all others in order of time. Each has been given to times_see().
 *
 * Return: 0, or -1 with a message if memory ran out.
 */
int times_feed(struct times *t, const struct times_event *ev);

/**
 * times_lose - the next event of this side and CPU has a loss before it
 * @t:		the times
 * @cpu:	a CPU that was added
 * @side:	whose events
 */
void times_lose(struct times *t, unsigned int cpu, enum side side);

/** times_finish - account for the rest. Return: 0, or -1 with a message. */
int times_finish(struct times *t, struct times_result *result);

/**
 * times_tick - account for all up to a moment
 * @t:		the times
 * @ts:		all events before it were fed; also extends the wall time
 * @result:	the result so far
 *
 * Time that is not settled yet counts as assumed. More events can follow.
 *
 * Return: 0, or -1 with a message.
 */
int times_tick(struct times *t, u64 ts, struct times_result *result);

/** times_restart - begin again at the last tick, with the state of each CPU */
void times_restart(struct times *t);

/*
 * After times_finish() or times_tick(): the i-th row, or NULL behind the last. CPUs are
 * ordered by number; tasks by their time, TIMES_OTHERS and the unknown one last; vCPUs by
 * their time in the guest, TIMES_OTHERS last.
 *
 * The times of all CPUs, and those of all tasks, add up to the wall time of all CPUs.
 */
const struct times_row *times_cpu(const struct times *t, unsigned int i);
const struct times_row *times_task(const struct times *t, unsigned int i);
const struct times_row *times_vcpu(const struct times *t, unsigned int i);

/** times_nr_cpus - how many CPUs were added */
unsigned int times_nr_cpus(const struct times *t);

/** times_sort - set another order of all rows */
void times_sort(struct times *t, rows_order order);

/** times_ways - the durations of all directions, with their names */
struct dists *times_ways(const struct times *t);

/** times_way - the durations of one direction */
struct dist *times_way(const struct times *t, enum way way);

#endif
