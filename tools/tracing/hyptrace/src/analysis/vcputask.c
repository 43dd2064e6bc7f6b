// SPDX-License-Identifier: GPL-2.0
/*
 * A task that runs a vCPU. See vcputask.h.
 */
#include <stdlib.h>

#include "analysis/labels.h"
#include "analysis/vcputask.h"
#include "lib/array.h"
#include "lib/log.h"

/* Of prev_state: the kernel's TASK_INTERRUPTIBLE */
#define INTERRUPTIBLE	1

/* All */

struct vcputask *vcputasks_find(const struct vcputasks *v, s32 pid)
{
	size_t i;

	for (i = 0; i < v->nr; i++) {
		if (v->task[i]->d.whose.task == pid)
			return v->task[i];
	}
	return NULL;
}

struct vcputask *vcputasks_get(struct vcputasks *v, s32 pid)
{
	struct vcputask *t = vcputasks_find(v, pid);

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t || array_room(&v->task, &v->room, v->nr + 1, sizeof(*v->task))) {
		free(t);
		log_oom();
		return NULL;
	}
	t->d.whose.task = pid;
	v->task[v->nr++] = t;
	return t;
}

static void free_task(struct vcputask *t)
{
	pieces_free(&t->d.pieces);
	free(t);
}

void vcputasks_remove(struct vcputasks *v, struct vcputask *t)
{
	size_t i = 0;

	while (v->task[i] != t)
		i++;
	v->task[i] = v->task[--v->nr];
	free_task(t);
}

void vcputasks_free(struct vcputasks *v)
{
	size_t i;

	for (i = 0; i < v->nr; i++)
		free_task(v->task[i]);
	free(v->task);
}

/* One of them */

void vcputask_set(struct vcputask *t, enum task_state state, u64 ts)
{
	t->state = state;
	t->since = ts;
}

void vcputask_begin(struct vcputask *t, u64 ts, bool woken)
{
	t->open = true;
	t->at = ts;
	t->d.woken = woken;
	t->d.mmio = false;
	t->d.start = ts;
	t->d.pieces.nr = 0;
}

static struct label running_label(const struct vcputask *t, const struct cpunow *c)
{
	struct label l;

	if (cpunow_above(c, &l))
		return l;
	if (t->locked)
		return t->lock;
	switch (t->mode) {
	case MODE_KERNEL:
		return (struct label) { PART_KERNEL, t->call };
	case MODE_USER:
		return (struct label) { .part = PART_USER };
	case MODE_UNKNOWN:
		break;
	}
	return (struct label) { .part = PART_HOST };
}

static struct label asleep_label(const struct vcputask *t)
{
	struct label l = { PART_ASLEEP, LABEL_UNKNOWN_CALL };

	if (t->locked)
		return t->lock;
	if (t->mode == MODE_KERNEL)
		l.id = t->call;
	else if (t->mode == MODE_USER)
		l.id = LABEL_NO_CALL;
	return l;
}

static struct label label_now(const struct vcputask *t, const struct cpunow *c)
{
	switch (t->state) {
	case T_RUNNING:
		return running_label(t, c);
	case T_RUNNABLE:
		return cpunow_instead(c);
	case T_ASLEEP:
		return asleep_label(t);
	case T_GUEST:
	case T_UNKNOWN:
		break;
	}
	return (struct label) { .part = PART_UNKNOWN };
}

int vcputask_account(struct vcputask *t, const struct cpunow *c, u64 ts)
{
	struct piece one = { .start = t->at, .end = ts, .cpu = t->cpu };

	if (!t->open || ts <= t->at)
		return 0;
	one.label = label_now(t, c);
	t->at = ts;
	return pieces_add(&t->d.pieces, &one);
}

int vcputask_unknown(struct vcputask *t, u64 since)
{
	const struct relabel r = {
		.since = since, .any_cpu = true, .label = { .part = PART_UNKNOWN },
	};

	return pieces_relabel(&t->d.pieces, &r);
}

bool vcputask_is_idle(const struct vcputask *t, u64 prev_state)
{
	if (!(prev_state & INTERRUPTIBLE) || t->mode == MODE_USER ||
	    (t->mode == MODE_KERNEL && t->call != LABEL_KVM_RUN))
		return false;
	return t->d.exit_kind == EXIT_KIND_WAIT || t->d.exit_kind == EXIT_KIND_CALL;
}
