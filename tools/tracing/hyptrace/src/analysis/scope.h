/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of a recording that statistics are of: a time, and tasks, VMs or vCPUs.
 */
#ifndef HYPTRACE_SCOPE_H
#define HYPTRACE_SCOPE_H

#include "analysis/rows.h"
#include "lib/types.h"
#include "trace/evdb.h"

/**
 * struct scope - what counts; all 0 for everything
 * @from:	timestamp of the first ns
 * @to:		timestamp of the first ns that does not count any more; 0 for no end
 * @task:	only the tasks of this name, or of this pid; NULL for all
 * @by_vm:	only what tasks did that ran a vCPU of @vm last
 * @vm:		the handle
 * @by_vcpu:	with @by_vm: only this vCPU of it
 * @vcpu:	its index
 * @db:		the names of tasks
 */
struct scope {
	u64 from;
	u64 to;
	const char *task;
	bool by_vm;
	u32 vm;
	bool by_vcpu;
	u32 vcpu;
	struct evdb *db;
};

/** scope_has_time - whether what happens at a time counts */
static inline bool scope_has_time(const struct scope *s, u64 ts)
{
	return ts >= s->from && (!s->to || ts < s->to);
}

/** scope_limits - whether it leaves out a task, or a vCPU */
static inline bool scope_limits(const struct scope *s)
{
	return s->task || s->by_vm;
}

/**
 * scope_has_row - whether what a task does counts
 * @s:		the scope
 * @task:	the task's row, or NULL if it has none
 * @vcpu:	the row of the vCPU that it ran last, or NULL
 */
bool scope_has_row(const struct scope *s, const struct times_row *task,
		   const struct times_row *vcpu);

/**
 * scope_overlap - the part of a span whose time counts
 * @s:		the scope
 * @start:	when the span begins; set to when that part does
 * @ns:		how long the span is
 *
 * Return: how long that part is.
 */
u64 scope_overlap(const struct scope *s, u64 *start, u64 ns);

#endif
