// SPDX-License-Identifier: GPL-2.0
/*
 * The delays of vCPUs.
 *
 * A delay begins when EL2 is entered from a guest (hyp_enter, guest_exit), or, if the guest
 * was idle since then, when the task of the vCPU is woken up (sched_waking) or when KVM
 * stops to poll (kvm_vcpu_wakeup). It ends when EL2 is left to the same vCPU (hyp_exit,
 * eret_guest). A guest is idle if its task sleeps in KVM_RUN after WFI, WFE, or a call, by
 * which a vCPU may have switched itself off.
 *
 * In between, each event of any CPU ends a piece of each delay. What the piece was spent
 * on is the state before that event: of the task (vcputask.h), and if it ran or waited for
 * a CPU, of that CPU (cpunow.h). So the pieces add up to the delay, whatever the events
 * are. Some events say that what was assumed so far was wrong, such as host_hcall, which
 * says why EL2 had been entered; they correct the pieces since then.
 *
 * Where events of the host were lost, the time is unknown, from the last event before to
 * the next one that tells what the task does. Where events of the hypervisor were lost, the
 * end of a delay may be among them: there is no delay.
 */
#include <stdlib.h>

#include "analysis/cpunow.h"
#include "analysis/delays.h"
#include "analysis/labels.h"
#include "analysis/taskstate.h"
#include "analysis/vcputask.h"
#include "lib/log.h"
#include "lib/util.h"

struct delays {
	struct delays_known known;
	delay_fn fn;
	void *ctx;
	struct cpunow *cpu[MAX_CPUS];
	struct vcputasks tasks;
	struct delays_result result;
};

/* CPUs and tasks */

static struct cpunow *get_cpu(struct delays *s, unsigned int cpu)
{
	if (cpu >= MAX_CPUS)
		cpu = MAX_CPUS - 1;
	if (s->cpu[cpu])
		return s->cpu[cpu];
	s->cpu[cpu] = malloc(sizeof(struct cpunow));
	if (s->cpu[cpu])
		cpunow_init(s->cpu[cpu]);
	else
		log_oom();
	return s->cpu[cpu];
}

static int account_all(struct delays *s, u64 ts)
{
	struct vcputask *t;
	size_t i;

	for (i = 0; i < s->tasks.nr; i++) {
		t = s->tasks.task[i];
		if (t->open && (!get_cpu(s, t->cpu) ||
				vcputask_account(t, get_cpu(s, t->cpu), ts)))
			return -1;
	}
	return 0;
}

/* Events of the hypervisor */

static int guest_exit(struct delays *s, const struct delay_event *ev)
{
	struct vcputask *t = vcputasks_get(&s->tasks, ev->task);

	if (!t)
		return -1;
	t->idle = false;
	t->locked = false;
	t->cpu = ev->cpu;
	t->mode = s->known.calls || s->known.user ? MODE_KERNEL : MODE_UNKNOWN;
	t->call = LABEL_KVM_RUN;
	t->d.exit = ev->label;
	t->d.exit_kind = EXIT_KIND_OTHER;
	t->d.ipa = 0;
	vcputask_set(t, T_RUNNING, ev->ts);
	vcputask_begin(t, ev->ts, false);
	return 0;
}

static int guest_entry(struct delays *s, const struct delay_event *ev)
{
	struct vcputask *t = vcputasks_get(&s->tasks, ev->task);
	bool ends;

	if (!t)
		return -1;
	ends = t->open;
	t->idle = false;
	t->open = false;
	t->cpu = ev->cpu;
	t->d.cpu = ev->cpu;
	t->d.end = ev->ts;
	vcputask_set(t, T_GUEST, ev->ts);
	return ends ? s->fn(s->ctx, &t->d) : 0;
}

/* The one whose guest was left by the present stay at EL2 */
static struct vcputask *task_that_left(const struct delays *s, unsigned int cpu)
{
	const struct cpunow *c = s->cpu[cpu];
	struct vcputask *t;
	size_t i;

	for (i = 0; i < s->tasks.nr; i++) {
		t = s->tasks.task[i];
		if (t->open && t->cpu == cpu && t->d.start == c->stay_start && !t->d.woken)
			return t;
	}
	return NULL;
}

static void vcpu_exit(struct delays *s, const struct delay_event *ev)
{
	struct vcputask *t = task_that_left(s, ev->cpu);

	if (!t)
		return;
	t->d.exit = ev->label;
	t->d.exit_kind = ev->exit;
	t->d.ipa = ev->exit == EXIT_KIND_ABORT ? ev->ipa : 0;
}

/* The delay is that of the vCPU that was left, and no delay if another one is entered */
static int vcpu_enter(struct delays *s, const struct delay_event *ev)
{
	struct vcputask *t = vcputasks_get(&s->tasks, ev->pid);
	const struct delay_vcpu now = { ev->pid, true, ev->vm, ev->vcpu };

	if (!t)
		return -1;
	if (t->d.whose.named && (t->d.whose.vm != ev->vm || t->d.whose.vcpu != ev->vcpu))
		t->open = false;
	t->d.whose = now;
	return 0;
}

/* Its vCPUs will not run again, and another VM may get its handle */
static void vm_teardown(struct delays *s, const struct delay_event *ev)
{
	struct vcputask *t;
	size_t i;

	for (i = 0; i < s->tasks.nr; i++) {
		t = s->tasks.task[i];
		if (!t->d.whose.named || t->d.whose.vm != ev->vm)
			continue;
		t->open = false;
		t->idle = false;
	}
}

/* What the stay at EL2 is about is known now, and was so from its start */
static int name_stay(struct delays *s, unsigned int cpu, const struct label *was)
{
	const struct cpunow *c = s->cpu[cpu];
	const struct relabel r = {
		.since = c->stay_start, .cpu = cpu, .old = was, .label = c->stay,
	};
	size_t i;

	for (i = 0; i < s->tasks.nr; i++) {
		if (s->tasks.task[i]->open && pieces_relabel(&s->tasks.task[i]->d.pieces, &r))
			return -1;
	}
	return 0;
}

static int feed_hyp(struct delays *s, const struct delay_event *ev)
{
	switch (ev->kind) {
	case WHY_HYP_ENTER:
		return ev->reason == REASON_GUEST_EXIT ? guest_exit(s, ev) : 0;
	case WHY_HYP_EXIT:
		return ev->reason == REASON_ERET_GUEST ? guest_entry(s, ev) : 0;
	case WHY_VCPU_ENTER:
		return vcpu_enter(s, ev);
	case WHY_VCPU_EXIT:
		vcpu_exit(s, ev);
		return 0;
	case WHY_VM_TEARDOWN:
		vm_teardown(s, ev);
		return 0;
	case WHY_TRACE_OFF:
		return delays_lose(s, ev->cpu, HYP, ev->ts);
	default:	/* says nothing about a vCPU */
		return 0;
	}
}

/* Events of the host */

static int runs_on(struct vcputask *t, unsigned int cpu, u64 ts)
{
	const struct relabel r = {
		.since = t->since, .any_cpu = true,
		.label = { PART_RUNNABLE, LABEL_UNKNOWN_TASK },
	};
	int ret = 0;

	/* it waited elsewhere than was known, or its wake-up was not seen */
	if (t->state == T_RUNNABLE && t->cpu != cpu)
		ret = pieces_relabel(&t->d.pieces, &r);
	else if (t->state == T_ASLEEP)
		ret = vcputask_unknown(t, t->since);
	t->cpu = cpu;
	vcputask_set(t, T_RUNNING, ts);
	return ret;
}

static void stops(struct delays *s, struct vcputask *t, const struct delay_event *ev)
{
	bool sleeps = ev->state & TASK_SLEEPS;

	if (ev->state & TASK_ENDED) {
		vcputasks_remove(&s->tasks, t);
		return;
	}
	t->cpu = ev->cpu;
	vcputask_set(t, sleeps ? T_ASLEEP : T_RUNNABLE, ev->ts);
	if (sleeps && t->open && vcputask_is_idle(t, ev->state)) {
		s->result.idle++;
		t->open = false;
		t->idle = true;
	}
}

static int switches(struct delays *s, const struct delay_event *ev)
{
	struct vcputask *prev = vcputasks_find(&s->tasks, ev->prev), *next;

	if (prev)
		stops(s, prev, ev);
	next = vcputasks_find(&s->tasks, ev->task);
	return next ? runs_on(next, ev->cpu, ev->ts) : 0;
}

static void wakes(struct delays *s, const struct delay_event *ev)
{
	struct vcputask *t = vcputasks_find(&s->tasks, ev->task);

	if (!t || t->state == T_RUNNING || t->state == T_GUEST)
		return;
	t->cpu = ev->target;
	if (t->state == T_RUNNABLE)
		return;
	vcputask_set(t, T_RUNNABLE, ev->ts);
	if (t->idle)
		vcputask_begin(t, ev->ts, true);
	t->idle = false;
}

static void migrates(struct delays *s, const struct delay_event *ev)
{
	struct vcputask *t = vcputasks_find(&s->tasks, ev->task);

	if (t && t->state == T_RUNNABLE)
		t->cpu = ev->target;
}

/* Events of the task itself */
static void feed_own(struct delays *s, struct vcputask *t, const struct delay_event *ev)
{
	switch (ev->kind) {
	case WHY_SYS_ENTER:
		t->mode = MODE_KERNEL;
		t->call = ev->label.id;
		break;
	case WHY_SYS_EXIT:
		t->mode = MODE_USER;
		break;
	case WHY_USERSPACE_EXIT:
		if (!s->known.calls)
			t->mode = MODE_UNKNOWN;
		break;
	case WHY_LOCK_BEGIN:
		t->locked = true;
		t->lock = ev->label;
		break;
	case WHY_LOCK_END:
		t->locked = false;
		break;
	case WHY_MMIO:
		t->d.mmio = true;
		break;
	case WHY_VCPU_WAKEUP:
		if (t->open && !t->d.woken && t->d.exit_kind == EXIT_KIND_WAIT) {
			s->result.idle++;
			vcputask_begin(t, ev->ts, true);
		}
		break;
	default:	/* of the CPU */
		break;
	}
}

static int feed_host(struct delays *s, const struct cpunow *c, const struct delay_event *ev)
{
	struct vcputask *t = vcputasks_find(&s->tasks, ev->pid);

	/* written after sched_switch, in the name of the task before */
	if (t && ev->kind != WHY_SWITCH && c->task != (u64)ev->pid)
		t = NULL;
	/* it runs, in whatever way it came here */
	if (t && t->state != T_GUEST && t->state != T_RUNNING &&
	    runs_on(t, ev->cpu, ev->ts))
		return -1;
	if (t)
		feed_own(s, t, ev);
	switch (ev->kind) {
	case WHY_SWITCH:
		return switches(s, ev);
	case WHY_WAKING:
	case WHY_WAKEUP:
		wakes(s, ev);
		return 0;
	case WHY_MIGRATE:
		migrates(s, ev);
		return 0;
	default:	/* of the CPU, or the task itself */
		return 0;
	}
}

/* Losses */

static void lose_hyp(struct delays *s, struct vcputask *t, unsigned int cpu, u64 since)
{
	if (t->cpu != cpu && !(t->open && pieces_since(&t->d.pieces, cpu, since)))
		return;
	s->result.lost += t->open;
	t->open = false;
	t->idle = false;
	if (t->state == T_GUEST)
		t->state = T_UNKNOWN;
}

static int lose_host(struct vcputask *t, unsigned int cpu, u64 since, u64 ts)
{
	const struct relabel there = {
		.since = since, .cpu = cpu, .label = { .part = PART_UNKNOWN },
	};

	if (t->state == T_GUEST || (t->state == T_RUNNING && t->cpu != cpu))
		return pieces_relabel(&t->d.pieces, &there);
	t->mode = MODE_UNKNOWN;
	t->locked = false;
	vcputask_set(t, T_UNKNOWN, ts);
	return vcputask_unknown(t, since);
}

int delays_lose(struct delays *s, unsigned int cpu, enum side side, u64 ts)
{
	struct cpunow *c = get_cpu(s, cpu);
	size_t i;

	if (!c || account_all(s, ts))
		return -1;
	for (i = 0; i < s->tasks.nr; i++) {
		if (side == HYP)
			lose_hyp(s, s->tasks.task[i], cpu, c->last[HYP]);
		else if (lose_host(s->tasks.task[i], cpu, c->last[HOST], ts))
			return -1;
	}
	cpunow_lose(c, side);
	return 0;
}

/* All */

int delays_feed(struct delays *s, const struct delay_event *ev)
{
	struct cpunow *c = get_cpu(s, ev->cpu);
	struct label was;

	if (!c || (ev->lost && delays_lose(s, ev->cpu, ev->side, ev->ts)) ||
	    account_all(s, ev->ts))
		return -1;
	was = c->stay;
	if (cpunow_feed(c, ev) && name_stay(s, ev->cpu, &was))
		return -1;
	return ev->side == HYP ? feed_hyp(s, ev) : feed_host(s, c, ev);
}

struct delays *delays_new(const struct delays_known *known, delay_fn fn, void *ctx)
{
	struct delays *s = calloc(1, sizeof(*s));

	if (!s) {
		log_oom();
		return NULL;
	}
	s->known = *known;
	s->fn = fn;
	s->ctx = ctx;
	return s;
}

void delays_finish(struct delays *s, struct delays_result *result)
{
	size_t i;

	for (i = 0; i < s->tasks.nr; i++)
		s->result.cut += s->tasks.task[i]->open;
	*result = s->result;
}

void delays_free(struct delays *s)
{
	size_t i;

	if (!s)
		return;
	vcputasks_free(&s->tasks);
	for (i = 0; i < MAX_CPUS; i++)
		free(s->cpu[i]);
	free(s);
}
