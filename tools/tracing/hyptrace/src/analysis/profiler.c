// SPDX-License-Identifier: GPL-2.0
/*
 * Computes a profile. See profiler.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bootsteps.h"
#include "analysis/exitname.h"
#include "analysis/profiler.h"
#include "analysis/taskstate.h"
#include "lib/log.h"

/* Keys of exits, among those of reasons */
#define EXIT_KEY	BIT(16)

/**
 * struct profiler - a profile being made
 * @exits:	names of codes and classes that occurred so far
 * @scope:	what counts, if it was set
 * @boot:	the steps of EL2's start
 * @out:	the result
 */
struct profiler {
	struct dist *exits[NR_EXITS];
	struct scope scope;
	struct bootsteps *boot;
	struct profile out;
};

/* The distributions that take durations */

/* By the number in a field, with the name that the event prints */
static struct dist *dist_by_field(struct profiler *r, struct dists *dists,
				  const struct rbevent *ev, const char *field)
{
	u64 value = evdb_field(r->out.db, ev, field);
	struct dist *d = dists_get(dists, value);
	const char *name;
	char text[32];

	if (!d || dist_name(d))
		return d;
	name = evdb_word(r->out.db, ev, field);
	if (!name)
		snprintf(text, sizeof(text), "%llu", value);
	return dists_set_name(dists, d, name ? name : text) ? NULL : d;
}

static struct dist *dist_by_name(struct dists *dists, const char *name, u64 key)
{
	struct dist *d = dists_find(dists, name);

	if (d)
		return d;
	d = dists_get(dists, key);
	if (!d || dist_name(d))
		return d;
	return dists_set_name(dists, d, name) ? NULL : d;
}

static struct dist *dist_by_exit(struct profiler *r, const struct rbevent *ev)
{
	u32 index = exit_index(r->out.db, ev);
	char name[64];

	if (!r->exits[index]) {
		snprintf(name, sizeof(name), "guest_exit %s", exit_name(r->out.db, ev));
		r->exits[index] = dist_by_name(r->out.reasons, name,
					       EXIT_KEY + index);
	}
	return r->exits[index];
}

/* Events */

/* Fill in what depends on the kind. Return: 0, or -1 with a message. */
static int describe(struct profiler *r, const struct rbevent *ev,
		    struct times_event *t)
{
	switch (t->kind) {
	case EV_HYP_ENTER:
		t->dist = dist_by_field(r, r->out.reasons, ev, "reason");
		return t->dist ? 0 : -1;
	case EV_HOST_HCALL:
		t->dist = dist_by_field(r, r->out.hcalls, ev, "id");
		return t->dist ? 0 : -1;
	case EV_VCPU_EXIT:
		t->dist = dist_by_exit(r, ev);
		return t->dist ? 0 : -1;
	case EV_HYP_EXIT:
		t->other = evdb_field(r->out.db, ev, "vcpu");
		if (!t->other)
			t->other = t->pid;
		break;
	case EV_VCPU_ENTER:
		t->vm = evdb_field(r->out.db, ev, "vm");
		t->vcpu = evdb_field(r->out.db, ev, "vcpu");
		break;
	case EV_SCHED_SWITCH:
		t->other = evdb_field(r->out.db, ev, "next_pid");
		t->ended = evdb_field(r->out.db, ev, "prev_state") & TASK_ENDED;
		break;
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
	case EV_IRQ_ENTRY:
	case EV_IRQ_EXIT:
	case EV_SOFTIRQ_ENTRY:
	case EV_SOFTIRQ_EXIT:
	case EV_TRACE_ON:
	case EV_TRACE_OFF:
	case EV_HOST_MEM_ABORT:
	case EV_MEM_TRANSITION:
	case EV_GUEST_MEM:
	case EV_HYP_BOOT:
	case EV_FUNC_ENTRY:
	case EV_FUNC_EXIT:
	case EV_FUNCTION:
	case EV_STACK:
	case EV_OTHER:
		break;
	}
	return 0;
}

/* Steps are told apart by the numbers in the field */
static int feed_steps(struct profiler *r, const struct rbevent *ev, const struct times_event *t)
{
	struct dist *step = NULL;

	if (t->lost)
		bootsteps_lose(r->boot, t->cpu);
	if (t->kind == EV_HYP_BOOT) {
		step = dist_by_field(r, r->out.steps, ev, "step");
		if (!step)
			return -1;
	}
	return bootsteps_feed(r->boot, t->cpu, t->ts, t->kind, step);
}

static void note_recorded(struct profile *p, enum ev_kind kind)
{
	p->calls |= kind == EV_FUNC_ENTRY || kind == EV_FUNC_EXIT || kind == EV_FUNCTION;
	p->stacks |= kind == EV_STACK;
}

int profiler_feed(struct profiler *r, const struct merged *ev, bool chosen, enum side side)
{
	struct times_event t = {
		.cpu = ev->cpu, .ts = ev->ev.ts, .lost = ev->lost, .side = side,
	};

	corrupt_take(&r->out.corrupt, ev);
	if (!ev->ev.data) {
		if (chosen)
			times_lose(r->out.times, ev->cpu, side);
		return 0;
	}
	times_see(r->out.times, t.ts);
	if (!chosen)
		return 0;
	t.kind = evdb_kind(r->out.db, &ev->ev, &t.reason);
	if (side == HYP && feed_steps(r, &ev->ev, &t))
		return -1;
	/* also those around hyp_enter and hyp_exit */
	if (side == HYP && ev_kind_is_stateless(t.kind)) {
		note_recorded(&r->out, t.kind);
		if (t.lost)
			times_lose(r->out.times, ev->cpu, side);
		return 0;
	}
	t.pid = evdb_pid(&ev->ev);
	if (describe(r, &ev->ev, &t))
		return -1;
	return times_feed(r->out.times, &t);
}

struct profiler *profiler_new(struct evdb *db, bool switches, bool bounded)
{
	struct profiler *r = calloc(1, sizeof(*r));

	if (!r) {
		log_oom();
		return NULL;
	}
	r->out.db = db;
	r->out.times = times_new(switches, bounded);
	r->out.reasons = dists_new(bounded);
	r->out.hcalls = dists_new(bounded);
	r->out.steps = dists_new(bounded);
	r->boot = bootsteps_new();
	if (r->out.times && r->out.reasons && r->out.hcalls && r->out.steps && r->boot)
		return r;
	profiler_free(r);
	return NULL;
}

void profiler_set_scope(struct profiler *r, const struct scope *scope)
{
	r->scope = *scope;
	r->scope.db = r->out.db;
	times_set_scope(r->out.times, &r->scope);
}

struct profile *profiler_profile(struct profiler *r)
{
	return &r->out;
}

static void sort(struct profiler *r)
{
	dists_sort(r->out.reasons);
	dists_sort(r->out.hcalls);
	dists_sort(r->out.steps);
}

int profiler_finish(struct profiler *r)
{
	if (times_finish(r->out.times, &r->out.result))
		return -1;
	sort(r);
	return 0;
}

int profiler_tick(struct profiler *r, u64 ts)
{
	if (times_tick(r->out.times, ts, &r->out.result))
		return -1;
	sort(r);
	return 0;
}

void profiler_restart(struct profiler *r)
{
	times_restart(r->out.times);
	dists_clear(r->out.reasons);
	dists_clear(r->out.hcalls);
	dists_clear(r->out.steps);
	memset(&r->out.events, 0, sizeof(r->out.events));
	memset(&r->out.corrupt, 0, sizeof(r->out.corrupt));
}

void profiler_free(struct profiler *r)
{
	if (!r)
		return;
	times_free(r->out.times);
	dists_free(r->out.reasons);
	dists_free(r->out.hcalls);
	dists_free(r->out.steps);
	bootsteps_free(r->boot);
	free(r);
}
