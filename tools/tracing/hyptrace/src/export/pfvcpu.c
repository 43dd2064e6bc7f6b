// SPDX-License-Identifier: GPL-2.0
/*
 * The slices of vCPUs. See pfvcpu.h.
 *
 * The rules are those of analysis/times.c, so that slices add up to the times of vCPUs
 * there, except where events were lost. For each CPU:
 *
 *	HOST	--hyp_enter(any but guest_exit)-->	EL2
 *	EL2	--hyp_exit(eret_host)-->		HOST
 *	EL2	--hyp_exit(eret_guest)-->		GUEST
 *	GUEST	--hyp_enter(guest_exit)-->		EL2
 *	any	--loss, trace_on, trace_off-->		UNKNOWN
 *	UNKNOWN	--any other event of EL2-->		EL2
 *
 * A vCPU has a slice as long as the CPU is in one place on behalf of the task that runs
 * it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/exitname.h"
#include "analysis/taskstate.h"
#include "export/intern.h"
#include "export/pfrunner.h"
#include "export/pfvcpu.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

/**
 * struct pfcpu - the state of a CPU
 * @now:	where it is
 * @running:	the task that runs in the host, or NULL
 * @switched:	@running is by a sched_switch
 * @at_el2:	the task on whose behalf EL2 or the guest runs, or NULL
 * @last:	time of the last event, per side
 */
struct pfcpu {
	struct pfplace now;
	struct pfrunner *running;
	bool switched;
	struct pfrunner *at_el2;
	u64 last[NR_SIDES];
};

/**
 * struct pfvcpu - all vCPUs
 * @db:		what events mean
 * @tracks:	get the slices
 * @switches:	all of sched_switch was recorded
 * @numbers:	of tasks, by pid
 * @runner:	tasks, by number
 * @nr:		how many
 * @room:	how many fit
 * @exits:	names of exits
 * @lane:	the CPUs
 */
struct pfvcpu {
	struct evdb *db;
	struct pftrack *tracks;
	bool switches;
	struct intern *numbers;
	struct pfrunner **runner;
	u32 nr;
	size_t room;
	struct exitnames *exits;
	struct pfcpu lane[MAX_CPUS];
};

/* Tasks */

static struct pfrunner *add_runner(struct pfvcpu *v, s32 pid)
{
	struct pfrunner *r;

	if (array_room(&v->runner, &v->room, v->nr + 1, sizeof(struct pfrunner *)))
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->pid = pid;
	r->place = PLACE_UNKNOWN;
	v->runner[v->nr++] = r;
	return r;
}

/* Set *@r to the task's. Return: 0, -1 with a message. */
static int set_runner(struct pfvcpu *v, struct pfrunner **r, s32 pid)
{
	struct bytes key = { .data = (u8 *)&pid, .size = sizeof(pid) };
	u32 nr;

	if (*r && (*r)->pid == pid)
		return 0;
	nr = intern_get(v->numbers, &key);
	if (intern_failed(v->numbers))
		return -1;
	*r = nr < v->nr ? v->runner[nr] : add_runner(v, pid);
	return *r ? 0 : log_oom();
}

/* Slices */

static struct pfrunner *runner_of(const struct pfcpu *l)
{
	switch (l->now.place) {
	case PLACE_TASK:
	case PLACE_IRQ:
	case PLACE_SOFTIRQ:
	case PLACE_IDLE:
		return l->running;
	case PLACE_EL2:
	case PLACE_GUEST:
		return l->at_el2;
	case PLACE_UNKNOWN:
	case NR_PLACES:
		break;
	}
	return NULL;
}

/* Show what is true now */
static void update(struct pfvcpu *v, struct pfcpu *l, u64 ts)
{
	struct pfrunner *r = runner_of(l);

	if (r && !r->track)
		r = NULL;
	if (r == l->now.shown && (!r || r->place == l->now.place))
		return;
	if (l->now.shown)
		pfrunner_hide(l->now.shown, v->tracks, ts);
	if (r)
		pfrunner_show(r, v->tracks, &l->now, ts);
}

/* Events of the hypervisor */

/* The place is unknown since the last event of EL2 */
static void forget(struct pfvcpu *v, struct pfcpu *l, u64 ts)
{
	struct pfrunner *r = l->at_el2;

	if (r)
		pfrunner_end(r, v->tracks, r->on == &l->now ? l->last[HYP] : ts);
	if (l->now.shown)
		pfrunner_hide(l->now.shown, v->tracks, l->last[HYP]);
	pfrun_lose(&l->now.run, v->tracks);
	l->now.place = PLACE_UNKNOWN;
}

static bool fits(enum place place, enum ev_kind kind, enum ev_reason reason)
{
	switch (place) {
	case PLACE_TASK:
	case PLACE_IRQ:
	case PLACE_SOFTIRQ:
	case PLACE_IDLE:
		return kind == EV_HYP_ENTER && reason != REASON_GUEST_EXIT;
	case PLACE_GUEST:
		return kind == EV_HYP_ENTER && reason == REASON_GUEST_EXIT;
	case PLACE_EL2:
		return kind != EV_HYP_ENTER;
	case PLACE_UNKNOWN:
	case NR_PLACES:
		break;
	}
	return true;
}

/* VMs that are not protected have no number */
static u64 named_track(struct pfvcpu *v, s32 task, u32 vm, u32 vcpu)
{
	char name[64];

	snprintf(name, sizeof(name), "vCPU %u of %s-%d", vcpu, evdb_comm(v->db, task), task);
	return pftrack_vcpu(v->tracks, vm ? pftrack_vm(v->tracks, vm) : 0, task, name);
}

static u64 unnamed_track(struct pfvcpu *v, s32 task)
{
	char name[64];

	snprintf(name, sizeof(name), "vCPU of %s-%d", evdb_comm(v->db, task), task);
	return pftrack_vcpu(v->tracks, 0, task, name);
}

static void take_vcpu(struct pfvcpu *v, struct pfrunner *r, const struct rbevent *ev, u64 ts)
{
	u32 vm = evdb_field(v->db, ev, "vm"), vcpu = evdb_field(v->db, ev, "vcpu");

	if (r->track && r->named && r->vm == vm && r->vcpu == vcpu)
		return;
	pfrunner_run(r, v->tracks, named_track(v, r->pid, vm, vcpu), ts);
	r->named = true;
	r->vm = vm;
	r->vcpu = vcpu;
}

static void take_exit(struct pfvcpu *v, struct pfrunner *r, const struct rbevent *ev)
{
	const struct pfexit e = { exitnames_get(v->exits, v->db, ev), v->db, ev };

	pfrunner_exit(r, v->tracks, &e);
}

static int take_leave(struct pfvcpu *v, struct pfcpu *l, const struct rbevent *ev,
		      enum ev_reason reason, u64 ts)
{
	s32 task = evdb_field(v->db, ev, "vcpu");

	l->now.place = reason == REASON_ERET_GUEST ? PLACE_GUEST : PLACE_TASK;
	if (l->now.place == PLACE_TASK)
		return 0;
	if (task && set_runner(v, &l->at_el2, task))
		return -1;
	if (!l->at_el2->track)
		pfrunner_run(l->at_el2, v->tracks, unnamed_track(v, l->at_el2->pid), ts);
	return 0;
}

static int take_hyp(struct pfvcpu *v, struct pfcpu *l, const struct rbevent *ev, u64 ts)
{
	enum ev_reason reason;
	enum ev_kind kind = evdb_kind(v->db, ev, &reason);

	if (kind == EV_TRACE_ON || !fits(l->now.place, kind, reason))
		forget(v, l, ts);
	l->last[HYP] = ts;
	l->now.place = PLACE_EL2;
	if (set_runner(v, &l->at_el2, evdb_pid(ev)))
		return -1;
	switch (kind) {
	case EV_HYP_ENTER:
		l->now.reason = reason;
		break;
	case EV_HYP_EXIT:
		return take_leave(v, l, ev, reason, ts);
	case EV_TRACE_OFF:
		forget(v, l, ts);
		break;
	case EV_VCPU_ENTER:
		take_vcpu(v, l->at_el2, ev, ts);
		break;
	case EV_VCPU_EXIT:
		take_exit(v, l->at_el2, ev);
		break;
	case EV_TRACE_ON:
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
	case EV_HOST_HCALL:
	case EV_SCHED_SWITCH:
	case EV_IRQ_ENTRY:
	case EV_IRQ_EXIT:
	case EV_SOFTIRQ_ENTRY:
	case EV_SOFTIRQ_EXIT:
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

/* Events of the host */

/* The pid of an event tells which task runs only if no sched_switch has */
static int take_task(struct pfvcpu *v, struct pfcpu *l, const struct rbevent *ev, bool is_switch,
		     u64 ts)
{
	if (!is_switch && l->switched)
		return 0;
	if (set_runner(v, &l->running, evdb_pid(ev)))
		return -1;
	if (!is_switch)
		return 0;
	if (evdb_field(v->db, ev, "prev_state") & TASK_ENDED)
		pfrunner_end(l->running, v->tracks, ts);
	l->switched = true;
	return set_runner(v, &l->running, evdb_field(v->db, ev, "next_pid"));
}

static int take_host(struct pfvcpu *v, struct pfcpu *l, const struct rbevent *ev, u64 ts)
{
	enum ev_reason reason;
	enum ev_kind kind = evdb_kind(v->db, ev, &reason);
	s32 task = evdb_pid(ev);

	l->last[HOST] = ts;
	if (kind == EV_KVM_ENTRY && task > 0)
		pfrun_enter(&l->now.run, v->tracks, task, ts);
	else if (kind == EV_KVM_EXIT && task > 0)
		pfrun_exit(&l->now.run, v->tracks, task, ts);
	return v->switches ? take_task(v, l, ev, kind == EV_SCHED_SWITCH, ts) : 0;
}

int pfvcpu_event(struct pfvcpu *v, const struct merged *ev, u64 ts, enum side side)
{
	struct pfcpu *l = &v->lane[ev->cpu];
	int ret = side == HYP ? take_hyp(v, l, &ev->ev, ts) : take_host(v, l, &ev->ev, ts);

	if (!ret)
		update(v, l, ts);
	return ret;
}

void pfvcpu_lose(struct pfvcpu *v, unsigned int cpu, u64 ts, enum side side)
{
	struct pfcpu *l = &v->lane[cpu];

	if (side == HYP) {
		forget(v, l, ts);
		return;
	}
	l->running = NULL;
	l->switched = false;
	pfrun_lose(&l->now.run, v->tracks);
	if (l->now.shown && l->now.place == PLACE_TASK)
		pfrunner_hide(l->now.shown, v->tracks, l->last[HOST]);
}

/* All */

struct pfvcpu *pfvcpu_new(struct evdb *db, struct pftrack *tracks, bool switches)
{
	struct pfvcpu *v = calloc(1, sizeof(*v));
	unsigned int i;

	if (!v) {
		log_oom();
		return NULL;
	}
	v->db = db;
	v->tracks = tracks;
	v->switches = switches;
	v->numbers = intern_new();
	v->exits = exitnames_new();
	if (!v->numbers || !v->exits) {
		pfvcpu_free(v);
		return NULL;
	}
	for (i = 0; i < MAX_CPUS; i++) {
		v->lane[i].now.cpu = i;
		v->lane[i].now.place = PLACE_UNKNOWN;
	}
	return v;
}

void pfvcpu_finish(struct pfvcpu *v, u64 ts)
{
	u32 i;

	for (i = 0; i < MAX_CPUS; i++)
		pfrun_lose(&v->lane[i].now.run, v->tracks);
	for (i = 0; i < v->nr; i++)
		pfrunner_end(v->runner[i], v->tracks, ts);
}

void pfvcpu_free(struct pfvcpu *v)
{
	u32 i;

	if (!v)
		return;
	for (i = 0; i < v->nr; i++)
		free(v->runner[i]);
	intern_free(v->numbers);
	free(v->runner);
	exitnames_free(v->exits);
	free(v);
}
