// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the times of guests' events. See guestcheck.h.
 *
 * An event outside may be a little late, after vcpu_exit, or early, before the next
 * vcpu_enter. So it waits for that.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/guestcheck.h"
#include "analysis/vcpuclock.h"
#include "lib/array.h"
#include "lib/log.h"

enum run_state {
	RUN_CUT,		/* not known: nothing was recorded yet, or any more */
	RUN_LOST,		/* not known: events were lost */
	RUN_IN,
	RUN_OUT,
};

/**
 * struct vcpu_run - a vCPU
 * @state:	whether it runs
 * @since:	since when, in RUN_OUT
 * @waiting:	events since then
 * @nr:		entries of @waiting
 * @room:	and how many fit
 */
struct vcpu_run {
	enum run_state state;
	u64 since;
	u64 *waiting;
	size_t nr;
	size_t room;
};

/**
 * struct guest_run - a guest
 * @vcpu:	its vCPUs, NULL for those that were not seen
 * @result:	so far
 */
struct guest_run {
	struct vcpu_run *vcpu[MAX_CPUS];
	struct guestcheck_result result;
};

struct guestcheck {
	const struct datr *d;
	struct violations *violations;
	struct vcpuclocks *clocks;
	struct guest_run *guest;
	unsigned int nr_guests;
};

struct guestcheck *guestcheck_new(const struct datr *d, struct violations *v)
{
	struct guestcheck *k = calloc(1, sizeof(*k));

	if (!k) {
		log_oom();
		return NULL;
	}
	k->d = d;
	k->violations = v;
	k->nr_guests = datr_nr_guests(d);
	k->clocks = vcpuclocks_new();
	k->guest = calloc(k->nr_guests + 1, sizeof(*k->guest));
	if (k->clocks && k->guest)
		return k;
	log_oom();
	guestcheck_free(k);
	return NULL;
}

static struct vcpu_run *get_vcpu(struct guest_run *g, unsigned int vcpu)
{
	if (!g->vcpu[vcpu])
		g->vcpu[vcpu] = calloc(1, sizeof(*g->vcpu[vcpu]));
	if (!g->vcpu[vcpu])
		log_oom();
	return g->vcpu[vcpu];
}

/* Events of guests */

/* @i is the guest's index, @skew how far the event at @ts is outside */
static void judge(struct guestcheck *k, unsigned int i, unsigned int vcpu, u64 ts, u64 skew)
{
	const struct datr_guest *g = datr_guest(k->d, i);
	struct guestcheck_result *r = &k->guest[i].result;

	r->events++;
	r->max_skew = MAX(r->max_skew, skew);
	if (skew <= g->error)
		return;
	r->violations++;
	if (k->violations)
		violations_add(k->violations, vcpu, ts,
			       "event of guest %s %llu ns outside of vcpu_enter and vcpu_exit",
			       g->name, skew);
}

/* What is late by no more than the error need not wait */
static int take_outside(struct guestcheck *k, unsigned int i, unsigned int vcpu, u64 ts)
{
	struct vcpu_run *v = k->guest[i].vcpu[vcpu];

	if (ts - v->since <= datr_guest(k->d, i)->error) {
		judge(k, i, vcpu, ts, ts - v->since);
		return 0;
	}
	if (array_room(&v->waiting, &v->room, v->nr + 1, sizeof(*v->waiting)))
		return log_oom();
	v->waiting[v->nr++] = ts;
	return 0;
}

static int feed_guest(struct guestcheck *k, const struct merged *ev)
{
	unsigned int i = ev->guest - 1;
	struct guest_run *g = &k->guest[i];
	struct vcpu_run *v = get_vcpu(g, ev->cpu);

	if (!v)
		return -1;
	if (!ev->ev.data)
		return 0;
	switch (v->state) {
	case RUN_CUT:
		g->result.cut++;
		break;
	case RUN_LOST:
		g->result.skipped++;
		break;
	case RUN_IN:
		judge(k, i, ev->cpu, ev->ev.ts, 0);
		break;
	case RUN_OUT:
		return take_outside(k, i, ev->cpu, ev->ev.ts);
	}
	return 0;
}

/* Events of the hypervisor */

static void entered(struct guestcheck *k, unsigned int i, unsigned int vcpu, u64 ts)
{
	struct vcpu_run *v = k->guest[i].vcpu[vcpu];
	size_t n;
	u64 at;

	for (n = 0; n < v->nr; n++) {
		at = v->waiting[n];
		judge(k, i, vcpu, at, MIN(at - v->since, ts - at));
	}
	v->nr = 0;
	v->state = RUN_IN;
}

static int run_vcpu(struct guestcheck *k, unsigned int i, const struct vcpuclock_run *run, u64 ts)
{
	struct vcpu_run *v = get_vcpu(&k->guest[i], run->vcpu);

	if (!v)
		return -1;
	if (run->begins) {
		entered(k, i, run->vcpu, ts);
	} else {
		v->state = RUN_OUT;
		v->since = ts;
	}
	return 0;
}

/* Several, if a guest has made several recordings */
static int run_vcpus(struct guestcheck *k, const struct vcpuclock_run *run, u64 ts)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < k->nr_guests; i++) {
		if (datr_guest(k->d, i)->cntvoff == run->offset)
			ret = run_vcpu(k, i, run, ts);
	}
	return ret;
}

/* Of each vCPU that was seen */
static void forget(struct guestcheck *k, enum run_state state)
{
	struct guest_run *g;
	struct vcpu_run *v;
	unsigned int i;

	for (g = k->guest; g < k->guest + k->nr_guests; g++) {
		for (i = 0; i < MAX_CPUS; i++) {
			v = g->vcpu[i];
			if (!v || v->state == RUN_CUT)
				continue;
			*(state == RUN_CUT ? &g->result.cut : &g->result.skipped) += v->nr;
			v->nr = 0;
			v->state = state;
		}
	}
}

static int feed_hyp(struct guestcheck *k, struct evdb *db, const struct merged *ev)
{
	struct vcpuclock_run run;
	enum ev_reason reason;

	if (ev->lost || !ev->ev.data)
		forget(k, RUN_LOST);
	if (!ev->ev.data)
		return 0;
	if (vcpuclocks_run(k->clocks, db, &ev->ev, &run))
		return run_vcpus(k, &run, ev->ev.ts);
	if (evdb_kind(db, &ev->ev, &reason) == EV_TRACE_OFF)
		forget(k, RUN_CUT);
	return vcpuclocks_feed(k->clocks, db, &ev->ev);
}

int guestcheck_feed(struct guestcheck *k, struct evdb *db, const struct merged *ev)
{
	switch (merged_side(k->d, ev)) {
	case HYP:
		return feed_hyp(k, db, ev);
	case GUEST:
		return feed_guest(k, ev);
	default:
		return 0;
	}
}

void guestcheck_finish(struct guestcheck *k, unsigned int i, struct guestcheck_result *result)
{
	forget(k, RUN_CUT);
	*result = k->guest[i].result;
}

void guestcheck_free(struct guestcheck *k)
{
	unsigned int i, j;

	if (!k)
		return;
	for (i = 0; k->guest && i < k->nr_guests; i++) {
		for (j = 0; j < MAX_CPUS; j++) {
			if (k->guest[i].vcpu[j])
				free(k->guest[i].vcpu[j]->waiting);
			free(k->guest[i].vcpu[j]);
		}
	}
	free(k->guest);
	vcpuclocks_free(k->clocks);
	free(k);
}
