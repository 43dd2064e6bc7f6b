// SPDX-License-Identifier: GPL-2.0
/*
 * The checker. Its rules, for each CPU by itself:
 *
 *  1. EL2 entries and exits follow this diagram; any other hypervisor event
 *     happens while EL2 runs. (Those of function tracers: callcheck.h.)
 *
 *	IN_HOST	 --hyp_enter(any but guest_exit)-->	AT_EL2
 *	AT_EL2	 --hyp_exit(eret_host)-->		IN_HOST
 *	AT_EL2	 --hyp_exit(eret_guest)-->		IN_GUEST   (entered by hvc)
 *	IN_GUEST --hyp_enter(guest_exit)-->		AT_EL2_G
 *	AT_EL2_G --hyp_exit(eret_guest)-->		IN_GUEST
 *	AT_EL2_G --hyp_exit(eret_host)-->		IN_HOST
 *
 *     From the hvc entry to eret_host this is a guest run, if it was in
 *     IN_GUEST.
 *  2. kvm_entry and kvm_exit of the host alternate; from the one to the other
 *     is a window.
 *  3. Each window has exactly one guest run, and each guest run a window; the
 *     run lies inside of its window.
 *
 * Rule 3 compares two lists, windows and runs, both in order of time: the two
 * oldest belong together if they overlap. A run that extends beyond its window
 * is a violation, and how far it does is the skew.
 *
 * When tracing starts on a CPU (trace_on), the state is UNKNOWN as well.
 *
 * A corrupt place is a violation, and a loss. That time never goes back is checked
 * before, see trace/stamps.h.
 *
 * Losses: a gap is the time between the events around a loss. After a gap the
 * state is UNKNOWN and the first event says what it is. A window or run that
 * has no partner because of a gap on the other side is skipped.
 *
 * The ends: a run before the first or after the last host event was not
 * observed by the host and is ignored ("cut"). So is a window that ends after
 * the last hypervisor event, if the file says that its end is missing: the
 * hypervisor's is switched off last, but its data may be written first.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/checker.h"
#include "analysis/spans.h"
#include "lib/log.h"
#include "lib/util.h"

enum el2_state {
	UNKNOWN,
	IN_HOST,
	AT_EL2,
	IN_GUEST,
	AT_EL2_G,
};

/**
 * struct cpu_check - the state of one CPU
 * @seen:	there was an event, per side
 * @first:	timestamp of the first event, per side
 * @last:	and of the last one
 * @lost:	there is a corrupt place before the next event, per side
 * @gaps:	where events were lost, per side
 * @state:	where the CPU is
 * @by_hvc:	in AT_EL2: it was entered by hvc
 * @run_start:	timestamp of the entry from the host, if @run_known
 * @run_known:	the entry from the host was seen
 * @in_window:	between kvm_entry and kvm_exit
 * @window_known: whether @in_window is known
 * @window_start: timestamp of the kvm_entry
 * @windows:	complete windows without a partner yet
 * @runs:	complete guest runs without a partner yet
 */
struct cpu_check {
	bool seen[NR_SIDES];
	u64 first[NR_SIDES];
	u64 last[NR_SIDES];
	bool lost[NR_SIDES];
	struct spans gaps[NR_SIDES];
	enum el2_state state;
	bool by_hvc;
	u64 run_start;
	bool run_known;
	bool in_window;
	bool window_known;
	u64 window_start;
	struct spans windows;
	struct spans runs;
};

struct checker {
	struct cpu_check *cpu[MAX_CPUS];
	struct check_result result;
	bool check_windows;
	bool check_el2;
	struct violations *violations;
};

/* Rule 3 */

static void lonely_window(struct checker *c, unsigned int cpu)
{
	struct cpu_check *k = c->cpu[cpu];
	struct span w = spans_take(&k->windows);

	if (spans_touch(&k->gaps[HYP], &w)) {
		c->result.skipped++;
		return;
	}
	c->result.windows++;
	violations_add(c->violations, cpu, w.start,
		       "no guest run at EL2 between kvm_entry and kvm_exit");
}

static void lonely_run(struct checker *c, unsigned int cpu)
{
	struct cpu_check *k = c->cpu[cpu];
	struct span r = spans_take(&k->runs);

	if (!k->seen[HOST] || r.start < k->first[HOST] || r.end > k->last[HOST]) {
		c->result.cut++;
		return;
	}
	if (!spans_touch(&k->gaps[HOST], &r))
		violations_add(c->violations, cpu, r.start,
			       "guest run at EL2 outside of kvm_entry and kvm_exit");
}

static u64 skew_of(const struct span *w, const struct span *r)
{
	u64 before = r->start < w->start ? w->start - r->start : 0;
	u64 after = r->end > w->end ? r->end - w->end : 0;

	return before > after ? before : after;
}

static void couple(struct checker *c, unsigned int cpu)
{
	struct cpu_check *k = c->cpu[cpu];
	struct span w = spans_take(&k->windows), r = spans_take(&k->runs);
	u64 skew = skew_of(&w, &r);

	c->result.windows++;
	if (skew > c->result.max_skew)
		c->result.max_skew = skew;
	if (skew)
		violations_add(c->violations, cpu, r.start,
			       "guest run extends beyond its window by %llu ns", skew);
}

static void match(struct checker *c, unsigned int cpu)
{
	struct cpu_check *k = c->cpu[cpu];

	while (!spans_empty(&k->windows) && !spans_empty(&k->runs)) {
		if (span_overlaps(spans_front(&k->windows), spans_front(&k->runs)))
			couple(c, cpu);
		else if (spans_front(&k->windows)->end < spans_front(&k->runs)->start)
			lonely_window(c, cpu);
		else
			lonely_run(c, cpu);
	}
}

/* Rule 2 */

static void check_kvm_entry(struct checker *c, const struct check_event *ev)
{
	struct cpu_check *k = c->cpu[ev->cpu];

	if (k->window_known && k->in_window)
		violations_add(c->violations, ev->cpu, ev->ts, "kvm_entry after kvm_entry");
	k->window_known = true;
	k->in_window = true;
	k->window_start = ev->ts;
}

static int check_kvm_exit(struct checker *c, const struct check_event *ev)
{
	struct cpu_check *k = c->cpu[ev->cpu];
	int ret = 0;

	if (!k->window_known)
		c->result.cut++;
	else if (!k->in_window)
		violations_add(c->violations, ev->cpu, ev->ts, "kvm_exit without kvm_entry");
	else
		ret = spans_add(&k->windows, k->window_start, ev->ts);
	k->window_known = true;
	k->in_window = false;
	match(c, ev->cpu);
	return ret;
}

static int check_host(struct checker *c, const struct check_event *ev)
{
	struct cpu_check *k = c->cpu[ev->cpu];

	if (ev->lost) {
		if (k->window_known && k->in_window)
			c->result.skipped++;
		k->window_known = false;
	}
	if (ev->kind == EV_KVM_ENTRY)
		check_kvm_entry(c, ev);
	if (ev->kind == EV_KVM_EXIT)
		return check_kvm_exit(c, ev);
	return 0;
}

/* Rule 1 */

static const char *state_name(enum el2_state s)
{
	switch (s) {
	case IN_HOST:
		return "in the host";
	case IN_GUEST:
		return "in a guest";
	case AT_EL2:
	case AT_EL2_G:
		return "at EL2";
	case UNKNOWN:
		break;
	}
	return "in an unknown state";
}

static void misplaced(struct checker *c, const struct check_event *ev)
{
	violations_add(c->violations, ev->cpu, ev->ts, "%s while the CPU is %s", ev->name,
		       state_name(c->cpu[ev->cpu]->state));
}

static void check_enter(struct checker *c, const struct check_event *ev)
{
	struct cpu_check *k = c->cpu[ev->cpu];
	bool from_guest = ev->reason == REASON_GUEST_EXIT;

	if (k->state != UNKNOWN &&
	    k->state != (from_guest ? IN_GUEST : IN_HOST)) {
		misplaced(c, ev);
		k->run_known = false;
	}
	k->state = from_guest ? AT_EL2_G : AT_EL2;
	if (from_guest)
		return;
	k->by_hvc = ev->reason == REASON_HVC;
	k->run_start = ev->ts;
	k->run_known = true;
}

static void check_eret_guest(struct checker *c, const struct check_event *ev)
{
	struct cpu_check *k = c->cpu[ev->cpu];

	if (k->state == IN_HOST || k->state == IN_GUEST) {
		misplaced(c, ev);
		k->run_known = false;
	}
	if (k->state == AT_EL2 && !k->by_hvc)
		violations_add(c->violations, ev->cpu, ev->ts,
			       "guest entered, but EL2 was not entered by hvc");
	k->state = IN_GUEST;
}

static int check_eret_host(struct checker *c, const struct check_event *ev)
{
	struct cpu_check *k = c->cpu[ev->cpu];
	bool run = k->state == AT_EL2_G && k->run_known;

	if (k->state == IN_HOST || k->state == IN_GUEST)
		misplaced(c, ev);
	k->state = IN_HOST;
	k->run_known = false;
	if (!run || !c->check_windows)
		return 0;
	if (spans_add(&k->runs, k->run_start, ev->ts))
		return -1;
	match(c, ev->cpu);
	return 0;
}

static int check_hyp(struct checker *c, const struct check_event *ev)
{
	struct cpu_check *k = c->cpu[ev->cpu];

	/* The state before is unknown: the CPU may have been off */
	if (ev->lost || ev->kind == EV_TRACE_ON) {
		k->state = UNKNOWN;
		k->run_known = false;
	}
	switch (ev->kind) {
	case EV_HYP_ENTER:
		check_enter(c, ev);
		return 0;
	case EV_HYP_EXIT:
		if (ev->reason != REASON_ERET_GUEST)
			return check_eret_host(c, ev);
		check_eret_guest(c, ev);
		return 0;
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
	case EV_TRACE_ON:
	case EV_TRACE_OFF:
	case EV_HOST_HCALL:
	case EV_VCPU_ENTER:
	case EV_VCPU_EXIT:
	case EV_SCHED_SWITCH:
	case EV_IRQ_ENTRY:
	case EV_IRQ_EXIT:
	case EV_SOFTIRQ_ENTRY:
	case EV_SOFTIRQ_EXIT:
	case EV_HOST_MEM_ABORT:
	case EV_MEM_TRANSITION:
	case EV_GUEST_MEM:
	case EV_OTHER:
		break;
	case EV_HYP_BOOT:
	case EV_FUNC_ENTRY:
	case EV_FUNC_EXIT:
	case EV_FUNCTION:
	case EV_STACK:
		return 0;	/* also outside of hyp_enter and hyp_exit */
	}
	if (k->state == IN_HOST || k->state == IN_GUEST)
		misplaced(c, ev);
	return 0;
}

/* All */

static int note_time(struct cpu_check *k, const struct check_event *ev)
{
	u64 last = k->last[ev->side];

	if (!k->seen[ev->side])
		k->first[ev->side] = ev->ts;
	k->seen[ev->side] = true;
	k->last[ev->side] = ev->ts;
	k->lost[ev->side] = false;
	return ev->lost ? spans_add(&k->gaps[ev->side], last, ev->ts) : 0;
}

struct checker *checker_new(bool have_host, bool have_hyp, struct violations *v)
{
	struct checker *c = calloc(1, sizeof(*c));

	if (!c) {
		log_oom();
		return NULL;
	}
	c->check_windows = have_host && have_hyp;
	c->check_el2 = have_hyp;
	c->violations = v;
	return c;
}

static struct cpu_check *cpu_of(struct checker *c, unsigned int cpu)
{
	if (!c->cpu[cpu])
		c->cpu[cpu] = calloc(1, sizeof(**c->cpu));
	if (!c->cpu[cpu])
		log_oom();
	return c->cpu[cpu];
}

int checker_feed(struct checker *c, const struct check_event *event)
{
	struct cpu_check *k = cpu_of(c, event->cpu);
	struct check_event ev = *event;

	if (!k)
		return -1;
	ev.lost |= k->lost[ev.side];
	if (note_time(k, &ev))
		return -1;
	if (ev.side == HYP)
		return c->check_el2 ? check_hyp(c, &ev) : 0;
	return c->check_windows ? check_host(c, &ev) : 0;
}

int checker_corrupt(struct checker *c, const struct check_event *at, u64 offset)
{
	struct cpu_check *k = cpu_of(c, at->cpu);

	if (!k)
		return -1;
	k->lost[at->side] = true;
	violations_add(c->violations, at->cpu, at->ts,
		       "corrupt sub-buffer at file offset %llu", offset);
	return 0;
}

static void last_window(struct checker *c, unsigned int cpu, bool torn)
{
	struct cpu_check *k = c->cpu[cpu];

	if (torn && spans_front(&k->windows)->end > k->last[HYP]) {
		spans_take(&k->windows);
		c->result.cut++;
		return;
	}
	lonely_window(c, cpu);
}

/* What is corrupt at the end is a gap without end */
static int last_gaps(struct cpu_check *k)
{
	enum side side;

	for (side = HOST; side < NR_SIDES; side++) {
		if (k->lost[side] && spans_add(&k->gaps[side], k->last[side], UINT64_MAX))
			return -1;
	}
	return 0;
}

int checker_finish(struct checker *c, bool torn, struct check_result *result)
{
	struct cpu_check *k;
	unsigned int i;

	for (i = 0; i < MAX_CPUS; i++) {
		k = c->cpu[i];
		if (!k)
			continue;
		if (last_gaps(k))
			return -1;
		if (k->window_known && k->in_window)
			c->result.cut++;
		while (!spans_empty(&k->windows))
			last_window(c, i, torn);
		while (!spans_empty(&k->runs))
			lonely_run(c, i);
	}
	*result = c->result;
	return 0;
}

void checker_free(struct checker *c)
{
	struct cpu_check *k;
	unsigned int i;

	for (i = 0; c && i < MAX_CPUS; i++) {
		k = c->cpu[i];
		if (!k)
			continue;
		spans_free(&k->gaps[HOST]);
		spans_free(&k->gaps[HYP]);
		spans_free(&k->windows);
		spans_free(&k->runs);
		free(k);
	}
	free(c);
}
