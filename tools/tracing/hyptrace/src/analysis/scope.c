// SPDX-License-Identifier: GPL-2.0
/*
 * What statistics are of. See scope.h.
 */
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/scope.h"

static bool has_task(const struct scope *s, const struct times_row *task)
{
	char pid[16];

	if (!task || task->id < 0)
		return false;
	snprintf(pid, sizeof(pid), "%d", task->id);
	return !strcmp(s->task, pid) || !strcmp(s->task, evdb_comm(s->db, task->id));
}

static bool has_vcpu(const struct scope *s, const struct times_row *vcpu)
{
	return vcpu && vcpu->named && vcpu->vm == s->vm &&
	       (!s->by_vcpu || vcpu->vcpu == s->vcpu);
}

bool scope_has_row(const struct scope *s, const struct times_row *task,
		   const struct times_row *vcpu)
{
	return (!s->task || has_task(s, task)) && (!s->by_vm || has_vcpu(s, vcpu));
}

u64 scope_overlap(const struct scope *s, u64 *start, u64 ns)
{
	u64 end = *start + ns;

	*start = MAX(*start, s->from);
	if (s->to)
		end = MIN(end, s->to);
	return end > *start ? end - *start : 0;
}
