// SPDX-License-Identifier: GPL-2.0
/*
 * Where time goes. For each CPU by itself, the diagram is that of checker.c:
 *
 *	IN_HOST	 --hyp_enter(any but guest_exit)-->	AT_EL2
 *	AT_EL2	 --hyp_exit(eret_host)-->		IN_HOST
 *	AT_EL2	 --hyp_exit(eret_guest)-->		IN_GUEST
 *	IN_GUEST --hyp_enter(guest_exit)-->		AT_EL2
 *	any	 --trace_off-->				UNKNOWN
 *	UNKNOWN	 --any other event of EL2-->		AT_EL2
 *
 * The time from one event of EL2 to the next belongs to the state between, if
 * the second one fits it. It is unknown if events were lost there, if the second
 * does not fit (a loss without a mark), or if it is trace_on: the CPU may have
 * been off. At the start of the recording, each CPU is UNKNOWN.
 *
 * An EL2 entry lasts from hyp_enter to hyp_exit. A hypercall lasts from the
 * host's hyp_enter(hvc) to hyp_exit(eret_host), without the time in a guest.
 * One of which a part is missing is counted, not measured.
 *
 * Tasks: events of EL2 have the task on whose behalf it runs. The host's time from one
 * sched_switch to the next belongs to the task that the first one switches to. It is unknown if
 * the second one switches from another task, or if events between were lost. The events between
 * tell nothing: some are written after sched_switch in the name of the task before. Only where no
 * sched_switch was seen since a loss, the pid of an event is the task, until there is another pid.
 *
 * In the host, a CPU is in a handler of interrupts or softirqs from its entry to its exit, if the
 * events of these were recorded; else in a task, or idle. A sched_switch ends all handlers.
 *
 * So the place and the task of a stretch of time may become known only with the next
 * event of a side: see stretches.h.
 *
 * vCPUs: a task's times are those of the vCPU that it ran last. When it ends, its pid has none.
 *
 * All events are taken, whatever the scope is. Of a span, what lies in it counts; entries
 * and durations count if they begin in it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/rows.h"
#include "analysis/stretches.h"
#include "analysis/times.h"
#include "lib/log.h"
#include "lib/util.h"

/* More do not interrupt each other */
#define MAX_HANDLERS	8

enum state {
	UNKNOWN,
	IN_HOST,
	AT_EL2,
	IN_GUEST,
};

/**
 * struct cpu_times - the state of one CPU
 * @row:	its times
 * @begun:	@at is set
 * @at:		accounted up to here
 * @last:	timestamp of the last event, per side
 * @lost:	there is a loss before the next event, per side
 * @state:	where the CPU is
 * @stay_known:	AT_EL2: the entry was seen
 * @stay_start:	timestamp of that entry
 * @stay:	takes its duration, or NULL
 * @stay_call:	takes the duration of its hypercall, or NULL
 * @call_known:	the entry from the host was seen, and all since
 * @call_start:	timestamp of that entry
 * @call_ns:	time at EL2 since
 * @call:	the hypercall, if it is one
 * @running:	the task that runs in the host, by the host's events
 * @switched:	@running is by a sched_switch
 * @handler:	places of the handlers that run in the host, the innermost last
 * @depth:	how many
 * @at_el2:	the task on whose behalf EL2 was entered
 * @entry_known: a kvm_entry was seen, and no guest since
 * @entry:	its timestamp
 * @exit_known:	a guest_exit was seen, and no kvm_exit since
 * @exit:	timestamp of the last one
 * @open:	time that is not settled
 * @open_at:	where @open begins
 */
struct cpu_times {
	struct times_row *row;
	bool begun;
	u64 at;
	u64 last[NR_SIDES];
	bool lost[NR_SIDES];
	enum state state;
	bool stay_known;
	u64 stay_start;
	struct dist *stay;
	struct dist *stay_call;
	bool call_known;
	u64 call_start;
	u64 call_ns;
	struct dist *call;
	s32 running;
	bool switched;
	enum place handler[MAX_HANDLERS];
	unsigned int depth;
	s32 at_el2;
	bool entry_known;
	u64 entry;
	bool exit_known;
	u64 exit;
	struct stretches open;
	u64 open_at;
};

struct times {
	const struct times_watch *watch;
	const struct scope *scope;
	struct cpu_times *cpu[MAX_CPUS];
	bool have_switches;
	bool begun;
	u64 start;
	u64 end;
	struct rows cpus;
	struct rows tasks;
	struct rows vcpus;
	unsigned int max_tasks;
	unsigned int trim_at;
	struct dists *ways;
	struct times_result result;
};

/* The scope */

static bool counts_time(const struct times *t, u64 ts)
{
	return !t->scope || scope_has_time(t->scope, ts);
}

static bool counts_row(const struct times *t, const struct times_row *task,
		       const struct times_row *vcpu)
{
	return !t->scope || scope_has_row(t->scope, task, vcpu);
}

static bool limited(const struct times *t)
{
	return t->scope && scope_limits(t->scope);
}

/* What a task does; @ts is when it began */
static bool counts(const struct times *t, u64 ts, s32 pid)
{
	struct times_row wanted = { .id = pid }, *task;

	if (!counts_time(t, ts))
		return false;
	if (!limited(t))
		return true;
	task = rows_find(&t->tasks, &wanted);
	return counts_row(t, task, task ? task->running : NULL);
}

/* Stretches */

static struct times_row *task_row(struct times *t, s32 pid)
{
	struct times_row wanted = { .id = pid };
	struct times_row *r = rows_get(&t->tasks, &wanted);

	if (r)
		r->seen = t->end;
	return r;
}

static enum place place_in_host(const struct cpu_times *c)
{
	if (c->depth)
		return c->handler[c->depth - 1];
	return c->running ? PLACE_TASK : PLACE_IDLE;
}

static enum place place_of(const struct cpu_times *c)
{
	switch (c->state) {
	case IN_HOST:
		return place_in_host(c);
	case AT_EL2:
		return PLACE_EL2;
	case IN_GUEST:
		return PLACE_GUEST;
	case UNKNOWN:
		break;
	}
	return PLACE_UNKNOWN;
}

static s32 task_of(const struct cpu_times *c)
{
	switch (c->state) {
	case IN_HOST:
		return c->running;
	case AT_EL2:
	case IN_GUEST:
		return c->at_el2;
	case UNKNOWN:
		break;
	}
	return TIMES_UNKNOWN;
}

/* Account for the time up to @ts, by what is known now */
static int stretch_to(struct times *t, struct cpu_times *c, u64 ts)
{
	struct stretch s = { .place = place_of(c) };

	if (!c->begun) {
		c->at = t->start;
		c->open_at = t->start;
		c->begun = true;
	}
	if (ts <= c->at)
		return 0;
	s.ns = ts - c->at;
	s.task = task_row(t, task_of(c));
	if (!s.task)
		return -1;
	s.vcpu = s.task->running;
	if (stretches_add(&c->open, &s))
		return -1;
	c->at = ts;
	return 0;
}

static void account_stretch(const struct times *t, const struct cpu_times *c,
			    const struct stretch *s)
{
	struct times_span span = {
		.cpu = c->row->id, .start = c->open_at, .ns = s->ns,
		.place = s->place, .task = s->task, .vcpu = s->vcpu,
	};

	if (t->scope)
		span.ns = scope_overlap(t->scope, &span.start, s->ns);
	if (!span.ns || !counts_row(t, s->task, s->vcpu))
		return;
	c->row->ns[s->place] += span.ns;
	s->task->ns[s->place] += span.ns;
	if (s->vcpu)
		s->vcpu->ns[s->place] += span.ns;
	if (t->watch && t->watch->span)
		t->watch->span(t->watch->ctx, &span);
}

static void account_settled(const struct times *t, struct cpu_times *c)
{
	size_t i, nr = stretches_settled(&c->open);
	struct stretch *s;

	for (i = 0; i < nr; i++) {
		s = &c->open.list[i];
		account_stretch(t, c, s);
		c->open_at += s->ns;
	}
	stretches_drop(&c->open, nr);
}

/* The hypervisor's events */

/* Can @ev be the next one in this state? */
static bool fits_state(enum state s, const struct times_event *ev)
{
	switch (s) {
	case IN_HOST:
		return ev->kind == EV_HYP_ENTER &&
		       ev->reason != REASON_GUEST_EXIT;
	case IN_GUEST:
		return ev->kind == EV_HYP_ENTER &&
		       ev->reason == REASON_GUEST_EXIT;
	case AT_EL2:
		return ev->kind != EV_HYP_ENTER;
	case UNKNOWN:
		break;
	}
	return true;
}

/* At the end of an entry, when it is known which vCPU the task runs. Return: it counts */
static bool count_stay(const struct times *t, struct cpu_times *c)
{
	bool in_scope = counts(t, c->stay_start, c->at_el2);

	if (limited(t))
		c->row->entries += in_scope;
	c->stay_known = false;
	return in_scope;
}

static void drop_stay(struct times *t, struct cpu_times *c)
{
	if (c->stay_known)
		t->result.no_exit += count_stay(t, c);
}

static void forget_vcpu(const struct times *t, s32 pid)
{
	struct times_row wanted = { .id = pid }, *task = rows_find(&t->tasks, &wanted);

	if (task)
		task->running = NULL;
}

/* Nothing is known any more, until the next event tells the state */
static void forget(struct times *t, struct cpu_times *c)
{
	drop_stay(t, c);
	c->state = UNKNOWN;
	c->call_known = false;
	c->entry_known = false;
	c->exit_known = false;
	forget_vcpu(t, c->at_el2);	/* it may have run another vCPU since */
}

static void enter(const struct times *t, struct cpu_times *c,
		  const struct times_event *ev)
{
	if (!limited(t))
		c->row->entries += counts_time(t, c->at);
	c->state = AT_EL2;
	c->at_el2 = ev->pid;
	c->stay_known = true;
	c->stay_start = c->at;
	c->stay = ev->dist;
	c->stay_call = NULL;
	if (ev->reason == REASON_GUEST_EXIT) {
		c->exit_known = true;
		c->exit = c->at;
		return;
	}
	c->call_known = true;
	c->call_start = c->at;
	c->call_ns = 0;
	c->call = NULL;
}

/* The vCPU that a task ran last, or NULL */
static const struct times_row *vcpu_run_last(const struct times *t, s32 pid)
{
	struct times_row wanted = { .id = pid }, *task = rows_find(&t->tasks, &wanted);

	return task ? task->running : NULL;
}

static void tell_stay(const struct times *t, const struct cpu_times *c)
{
	struct times_stay stay = {
		.cpu = c->row->id, .start = c->stay_start, .end = c->at,
		.reason = c->stay, .call = c->stay_call, .task = c->at_el2,
	};

	if (!t->watch || !t->watch->stay)
		return;
	stay.vcpu = vcpu_run_last(t, stay.task);
	t->watch->stay(t->watch->ctx, &stay);
}

static int end_stay(struct times *t, struct cpu_times *c)
{
	u64 ns = c->at - c->stay_start;

	if (!c->stay_known) {
		t->result.no_entry += counts_time(t, c->at);
		c->call_known = false;
		return 0;
	}
	c->call_ns += ns;
	if (!count_stay(t, c))
		return 0;
	tell_stay(t, c);
	return c->stay ? dist_add(c->stay, ns) : 0;
}

static int end_way(const struct times *t, const struct cpu_times *c, enum way way, u64 start)
{
	struct times_switch s = {
		.cpu = c->row->id, .start = start, .end = c->at, .way = way, .task = c->at_el2,
	};

	if (!counts(t, start, c->at_el2))
		return 0;
	if (t->watch && t->watch->way) {
		s.vcpu = vcpu_run_last(t, s.task);
		t->watch->way(t->watch->ctx, &s);
	}
	return dist_add(times_way(t, way), s.end - s.start);
}

static int end_call(const struct times *t, const struct cpu_times *c)
{
	struct times_call call = {
		.cpu = c->row->id, .start = c->call_start, .end = c->at, .ns = c->call_ns,
		.call = c->call, .task = c->at_el2,
	};

	if (t->watch && t->watch->call)
		t->watch->call(t->watch->ctx, &call);
	return dist_add(c->call, call.ns);
}

static int eret_host(const struct times *t, struct cpu_times *c)
{
	bool measured = c->call_known && c->call && counts(t, c->call_start, c->at_el2);

	c->state = IN_HOST;
	c->call_known = false;
	return measured ? end_call(t, c) : 0;
}

/* Runs without a vcpu_enter have a row without a name */
static struct times_row *vcpu_of(struct times *t, struct cpu_times *c)
{
	struct times_row *task = task_row(t, c->at_el2);
	struct times_row wanted = { .id = c->at_el2 };

	if (task && !task->running)
		task->running = rows_get(&t->vcpus, &wanted);
	return task ? task->running : NULL;
}

static void tell_entry(const struct times *t, const struct cpu_times *c,
		       const struct times_row *vcpu)
{
	struct times_entry entry = {
		.cpu = c->row->id, .ts = c->at, .task = c->at_el2, .vcpu = vcpu,
	};

	if (t->watch && t->watch->entry)
		t->watch->entry(t->watch->ctx, &entry);
}

static int eret_guest(struct times *t, struct cpu_times *c,
		      const struct times_event *ev)
{
	struct times_row *vcpu;
	bool measured = c->entry_known;

	c->state = IN_GUEST;
	c->at_el2 = ev->other;
	c->entry_known = false;
	vcpu = vcpu_of(t, c);
	if (!vcpu)
		return -1;
	if (counts(t, c->at, c->at_el2)) {
		vcpu->entries++;
		tell_entry(t, c, vcpu);
	}
	return measured ? end_way(t, c, WAY_IN, c->entry) : 0;
}

static int leave(struct times *t, struct cpu_times *c,
		 const struct times_event *ev)
{
	if (end_stay(t, c))
		return -1;
	if (ev->reason == REASON_ERET_GUEST)
		return eret_guest(t, c, ev);
	return eret_host(t, c);
}

static int name_vcpu(struct times *t, const struct times_event *ev)
{
	struct times_row wanted = {
		.id = ev->pid, .named = true, .vm = ev->vm, .vcpu = ev->vcpu,
	};
	struct times_row *task = task_row(t, ev->pid);

	if (!task)
		return -1;
	task->running = rows_get(&t->vcpus, &wanted);
	return task->running ? 0 : -1;
}

static int take_hyp(struct times *t, struct cpu_times *c,
		    const struct times_event *ev)
{
	/* any of these but hyp_enter and hyp_exit is written at EL2 */
	c->state = AT_EL2;
	c->at_el2 = ev->pid;
	switch (ev->kind) {
	case EV_HYP_ENTER:
		enter(t, c, ev);
		break;
	case EV_HYP_EXIT:
		return leave(t, c, ev);
	case EV_TRACE_OFF:
		forget(t, c);
		break;
	case EV_HOST_HCALL:
		c->call = ev->dist;
		c->stay_call = ev->dist;
		break;
	case EV_VCPU_ENTER:
		return name_vcpu(t, ev);
	case EV_VCPU_EXIT:
		c->stay = ev->dist;
		break;
	case EV_TRACE_ON:
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
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

static int feed_hyp(struct times *t, struct cpu_times *c,
		    const struct times_event *ev, bool lost)
{
	bool on = ev->kind == EV_TRACE_ON;
	bool known = !lost && !on && fits_state(c->state, ev) &&
		     ev->ts >= c->last[HYP];

	if (stretches_settle(&c->open, &t->tasks, known, HYP))
		return -1;
	if (!known) {
		t->result.misplaced += !lost && !on && counts_time(t, ev->ts);
		forget(t, c);
	}
	return take_hyp(t, c, ev);
}

/* The host's events */

static int take_kvm_exit(struct times *t, struct cpu_times *c)
{
	bool measured = c->exit_known && c->state == IN_HOST;

	c->exit_known = false;
	c->entry_known = false;
	return measured ? end_way(t, c, WAY_OUT, c->exit) : 0;
}

/* An exit without its entry is of a handler that ran before the recording, or a loss */
static void take_handler(struct cpu_times *c, const struct times_event *ev)
{
	bool is_irq = ev->kind == EV_IRQ_ENTRY;

	if ((is_irq || ev->kind == EV_SOFTIRQ_ENTRY) && c->depth < ARRAY_SIZE(c->handler))
		c->handler[c->depth++] = is_irq ? PLACE_IRQ : PLACE_SOFTIRQ;
	else if ((ev->kind == EV_IRQ_EXIT || ev->kind == EV_SOFTIRQ_EXIT) && c->depth)
		c->depth--;
}

/* Which task runs; the pid of an event tells it only if no sched_switch has */
static int take_task(struct times *t, struct cpu_times *c, const struct times_event *ev, bool lost)
{
	bool is_switch = ev->kind == EV_SCHED_SWITCH, same = c->running == ev->pid;
	bool known = !lost && ev->ts >= c->last[HOST];

	if (known && !is_switch && c->switched && !same)
		return 0;
	if (stretches_settle(&c->open, &t->tasks, known && same, HOST))
		return -1;
	c->running = is_switch ? ev->other : ev->pid;
	c->switched = is_switch || (known && c->switched);
	if (ev->ended)
		forget_vcpu(t, ev->pid);
	return 0;
}

static int feed_host(struct times *t, struct cpu_times *c,
		     const struct times_event *ev, bool lost)
{
	if (t->have_switches && take_task(t, c, ev, lost))
		return -1;
	if (lost || ev->kind == EV_SCHED_SWITCH)
		c->depth = 0;
	take_handler(c, ev);
	if (lost) {
		c->entry_known = false;
		c->exit_known = false;
	}
	if (ev->kind == EV_KVM_EXIT)
		return take_kvm_exit(t, c);
	if (ev->kind == EV_KVM_ENTRY) {
		c->entry_known = true;
		c->entry = c->at;
		c->exit_known = false;
	}
	return 0;
}

/* The number of rows */

/* A vCPU stays as long as a task that runs it, and as its time is not settled */
static int trim(struct times *t)
{
	unsigned int i;

	for (i = 0; i < MAX_CPUS; i++) {
		if (t->cpu[i])
			stretches_pin(&t->cpu[i]->open);
	}
	if (rows_trim(&t->tasks, t->max_tasks / 2))
		return -1;
	for (i = 0; i < t->tasks.nr; i++) {
		if (t->tasks.row[i]->running)
			t->tasks.row[i]->running->pinned = true;
	}
	/* pinned rows can be more, until they are settled */
	t->trim_at = MAX(t->max_tasks, 2 * t->tasks.nr);
	return rows_trim(&t->vcpus, 0);
}

void times_limit_tasks(struct times *t, unsigned int max)
{
	t->max_tasks = max;
	t->trim_at = max;
}

/* All */

static struct dists *new_ways(bool bounded)
{
	struct dists *ways = dists_new(bounded);
	struct dist *d;
	enum way way;

	for (way = 0; ways && way < NR_WAYS; way++) {
		d = dists_get(ways, way);
		if (d && !dists_set_name(ways, d, way_name(way)))
			continue;
		dists_free(ways);
		return NULL;
	}
	return ways;
}

struct times *times_new(bool have_switches, bool bounded)
{
	struct times *t = calloc(1, sizeof(*t));

	if (t)
		t->ways = new_ways(bounded);
	if (!t || !t->ways) {
		log_oom();
		times_free(t);
		return NULL;
	}
	t->have_switches = have_switches;
	return t;
}

void times_set_watch(struct times *t, const struct times_watch *w)
{
	t->watch = w;
}

void times_set_scope(struct times *t, const struct scope *s)
{
	t->scope = s;
}

int times_add_cpu(struct times *t, unsigned int cpu)
{
	struct times_row wanted = { .id = cpu };
	struct cpu_times *c = t->cpu[cpu];

	if (c)
		return 0;
	c = calloc(1, sizeof(*c));
	if (!c)
		return log_oom();
	t->cpu[cpu] = c;
	c->running = TIMES_UNKNOWN;
	c->at_el2 = TIMES_UNKNOWN;
	c->row = rows_get(&t->cpus, &wanted);
	return c->row ? 0 : -1;
}

void times_see(struct times *t, u64 ts)
{
	if (!t->begun)
		t->start = ts;
	if (!t->begun || ts > t->end)
		t->end = ts;
	t->begun = true;
}

void times_lose(struct times *t, unsigned int cpu, enum side side)
{
	t->cpu[cpu]->lost[side] = true;
}

int times_feed(struct times *t, const struct times_event *ev)
{
	struct cpu_times *c = t->cpu[ev->cpu];
	bool lost = ev->lost || c->lost[ev->side];
	int ret;

	t->result.losses += lost && counts_time(t, ev->ts);
	c->lost[ev->side] = false;
	ret = stretch_to(t, c, ev->ts);
	if (!ret && ev->side == HYP)
		ret = feed_hyp(t, c, ev, lost);
	else if (!ret)
		ret = feed_host(t, c, ev, lost);
	if (!ret && !t->have_switches)
		ret = stretches_settle(&c->open, &t->tasks, true, HOST);
	c->last[ev->side] = ev->ts;
	account_settled(t, c);
	if (!ret && t->max_tasks && t->tasks.nr > t->trim_at)
		ret = trim(t);
	return ret;
}

static int account_to_end(struct times *t, struct cpu_times *c)
{
	if (stretch_to(t, c, t->end) ||
	    stretches_settle(&c->open, &t->tasks, !c->lost[HYP], HYP) ||
	    stretches_settle(&c->open, &t->tasks, !c->lost[HOST], HOST))
		return -1;
	account_settled(t, c);
	return 0;
}

static u64 wall_time(const struct times *t, u64 *start)
{
	u64 ns = t->end - t->start;

	*start = t->start;
	return t->scope ? scope_overlap(t->scope, start, ns) : ns;
}

int times_tick(struct times *t, u64 ts, struct times_result *result)
{
	unsigned int i;

	times_see(t, ts);
	for (i = 0; i < MAX_CPUS; i++) {
		if (t->cpu[i] && account_to_end(t, t->cpu[i]))
			return -1;
	}
	rows_sort(&t->cpus, rows_by_id);
	rows_sort(&t->tasks, rows_by_time);
	rows_sort(&t->vcpus, rows_by_guest);
	t->result.wall = wall_time(t, &t->result.start);
	*result = t->result;
	return 0;
}

int times_finish(struct times *t, struct times_result *result)
{
	struct cpu_times *c;
	unsigned int i;

	if (times_tick(t, t->end, result))
		return -1;
	for (i = 0; i < MAX_CPUS; i++) {
		c = t->cpu[i];
		if (!c)
			continue;
		if (counts_time(t, t->end))
			t->result.losses += c->lost[HOST] + c->lost[HYP];
		drop_stay(t, c);
	}
	*result = t->result;
	return 0;
}

void times_restart(struct times *t)
{
	rows_clear(&t->cpus);
	rows_clear(&t->tasks);
	rows_clear(&t->vcpus);
	dists_clear(t->ways);
	memset(&t->result, 0, sizeof(t->result));
	t->start = t->end;
}

unsigned int times_nr_cpus(const struct times *t)
{
	return t->cpus.nr;
}

const struct times_row *times_cpu(const struct times *t, unsigned int i)
{
	return i < t->cpus.nr ? t->cpus.row[i] : NULL;
}

const struct times_row *times_task(const struct times *t, unsigned int i)
{
	return i < t->tasks.nr ? t->tasks.row[i] : NULL;
}

const struct times_row *times_vcpu(const struct times *t, unsigned int i)
{
	return i < t->vcpus.nr ? t->vcpus.row[i] : NULL;
}

void times_sort(struct times *t, rows_order order)
{
	rows_sort(&t->cpus, order);
	rows_sort(&t->tasks, order);
	rows_sort(&t->vcpus, order);
}

struct dists *times_ways(const struct times *t)
{
	return t->ways;
}

struct dist *times_way(const struct times *t, enum way way)
{
	return dists_get(t->ways, way);
}

static void free_cpu(struct cpu_times *c)
{
	if (!c)
		return;
	stretches_free(&c->open);
	free(c);
}

void times_free(struct times *t)
{
	unsigned int i;

	if (!t)
		return;
	for (i = 0; i < MAX_CPUS; i++)
		free_cpu(t->cpu[i]);
	rows_free(&t->cpus);
	rows_free(&t->tasks);
	rows_free(&t->vcpus);
	dists_free(t->ways);
	free(t);
}

const char *way_name(enum way way)
{
	static const char * const names[NR_WAYS] = {
		[WAY_IN]	= "kvm_entry to guest",
		[WAY_OUT]	= "guest to kvm_exit",
	};

	return names[way];
}
