// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing at EL2: triggers, and how long a visit to EL2 has taken.
 *
 * An event that has triggers always has HYP_EVENT_EXTRA and HYP_EVENT_TRIGGERED in its word in
 * hyp_event_ids, with its id if it is on. So all of it happens on the slow path.
 *
 * What stops all writers is that the words of all events change: an event is then off, or
 * takes the slow path, which does not write it. Each CPU's writer stays on, so nothing that
 * other CPUs know of a writer changes. A CPU that has loaded a word before still writes that
 * one event.
 *
 * An event may happen with any lock of EL2 held, so a trigger takes only words_lock, inside of
 * which nothing happens that may be an event. After a panic there are no triggers: that may have
 * happened inside of words_lock.
 */
#include <linux/math64.h>

#include <asm/kvm_hyp.h>
#include <asm/kvm_mmu.h>

#include "trace_core.h"

static DEFINE_HYP_SPINLOCK(words_lock);

/* Under words_lock: the id of each event that is on, whether or not writers are stopped */
u16 hyp_wanted_ids[NR_HYP_EVENTS];

/* Changed under words_lock: one more than the CPU whose event has stopped all writers, or 0 */
static u32 stopped;

/*
 * Changed under words_lock: 0, or a number while the duration of visits is used. It is another
 * number each time, so that the time of an entry is not used after others were not noted.
 */
static u32 timed;
static u32 last_timed;

/* Changed under words_lock. A writer reads it between triggers_begin() and triggers_end() */
static struct remote_triggers *hyp_triggers[NR_HYP_EVENTS];

/* Changed under words_lock: EL2 counts at some events */
static bool counting;

/* Under the lock of the events: places in EL2's text are on for a trigger, whatever the id is */
static bool armed[NR_HYP_EVENTS];

u32 hyp_filter_size(u32 event)
{
	BUILD_BUG_ON(offsetof(struct hyp_timed_exit, duration) !=
		     ALIGN(sizeof(struct remote_rec_hyp_exit), sizeof(u64)));
	return event == HYP_EVENT_hyp_exit ? sizeof(struct hyp_timed_exit) : hyp_rec_sizes[event];
}

/*
 * Words
 */

static bool is_counted(u32 event)
{
	return counting && (event == HYP_EVENT_hyp_enter || event == HYP_EVENT_hyp_exit ||
			    event == HYP_EVENT_host_hcall);
}

static u32 word_without_counters(u32 event)
{
	u16 id = hyp_wanted_ids[event];

	if (hyp_triggers[event] ||
	    (timed && (event == HYP_EVENT_hyp_enter || event == HYP_EVENT_hyp_exit)))
		return id | HYP_EVENT_EXTRA | HYP_EVENT_TRIGGERED;
	return stopped ? HYP_EVENT_OFF : hyp_event_word(event, id);
}

static u32 word_of(u32 event)
{
	u32 word = word_without_counters(event);

	return is_counted(event) ? word | HYP_EVENT_COUNTED | HYP_EVENT_EXTRA : word;
}

static void set_words(u32 from, u32 to)
{
	u32 event;

	hyp_assert_lock_held(&words_lock);
	for (event = from; event < to; event++)
		WRITE_ONCE(hyp_event_ids[event], word_of(event));
	smp_mb(); /* pairs with switch_events_off() */
	if (!READ_ONCE(hyp_trace_panicked))
		return;
	for (event = from; event < to; event++)
		WRITE_ONCE(hyp_event_ids[event], HYP_EVENT_OFF);
}

static void set_word(u32 event)
{
	set_words(event, event + 1);
}

static void set_stopped(u32 by)
{
	WRITE_ONCE(stopped, by);
	set_words(0, NR_HYP_EVENTS);
}

void hyp_trace_set_counting_locked(bool on)
{
	hyp_trace_lock(&words_lock);
	counting = on;
	set_word(HYP_EVENT_hyp_enter);
	set_word(HYP_EVENT_host_hcall);
	set_word(HYP_EVENT_hyp_exit);
	hyp_trace_unlock(&words_lock);
}

/* The event's filter, its triggers or its id have changed */
static void event_changed(u32 event)
{
	bool use;

	if (event == HYP_EVENT_hyp_exit) {
		use = hyp_filter_is_timed(hyp_filters[event]) ||
		      hyp_triggers_are_timed(hyp_triggers[event]);
		if (use && !timed)
			WRITE_ONCE(timed, ++last_timed ?: ++last_timed);
		else if (!use)
			WRITE_ONCE(timed, 0);
		set_word(HYP_EVENT_hyp_enter);
	}
	set_word(event);
}

u16 hyp_trace_event_id(u32 event)
{
	return READ_ONCE(hyp_wanted_ids[event]);
}

void hyp_trace_set_event_id(u32 event, u16 id)
{
	hyp_trace_lock(&words_lock);
	hyp_wanted_ids[event] = id;
	event_changed(event);
	hyp_trace_unlock(&words_lock);
}

/* The filter has changed; a trigger may have changed the id */
void hyp_trace_refresh_event(u32 event)
{
	hyp_trace_lock(&words_lock);
	event_changed(event);
	hyp_trace_unlock(&words_lock);
}

bool hyp_trace_event_is_armed(u32 event)
{
	return armed[event];
}

/*
 * Triggers that act
 */

static void switch_trace(struct remote_trigger *trigger, u32 stop_by)
{
	if (!READ_ONCE(stopped) == !stop_by)
		return;
	hyp_trace_lock(&words_lock);
	if (!stopped != !stop_by && remote_trigger_use(trigger))
		set_stopped(stop_by);
	hyp_trace_unlock(&words_lock);
}

/* An event that is switched by a trigger does not trigger others */
static void switch_event(struct remote_trigger *trigger, u16 id)
{
	u32 event = trigger->event;

	if (READ_ONCE(hyp_wanted_ids[event]) == id)
		return;
	hyp_trace_lock(&words_lock);
	if (hyp_wanted_ids[event] != id && remote_trigger_use(trigger)) {
		hyp_wanted_ids[event] = id;
		set_word(event);
	}
	hyp_trace_unlock(&words_lock);
}

static bool is_stack(const struct remote_trigger *trigger)
{
#ifdef CONFIG_TRACE_REMOTE_STACKS
	return trigger->op == REMOTE_TRIGGER_STACK;
#else
	return false;
#endif
}

static bool acts_after(const struct remote_trigger *trigger)
{
	return trigger->op == REMOTE_TRIGGER_TRACEOFF || is_stack(trigger);
}

static void act(struct remote_trigger *trigger)
{
	switch ((enum remote_trigger_op)trigger->op) {
	case REMOTE_TRIGGER_TRACEOFF:
		switch_trace(trigger, this_cpu_ptr(&hyp_trace_cpus)->cpu + 1);
		break;
	case REMOTE_TRIGGER_TRACEON:
		switch_trace(trigger, 0);
		break;
	case REMOTE_TRIGGER_ENABLE:
		switch_event(trigger, trigger->id);
		break;
	case REMOTE_TRIGGER_DISABLE:
		switch_event(trigger, 0);
		break;
	default:	/* a stack; see wants_stack() */
		break;
	}
}

/* Executes those that act before the event is written; returns a mask of the others */
static u32 before_event(struct remote_triggers *triggers, const struct remote_rec *rec, u32 size)
{
	u32 i, after = 0;

	for (i = 0; i < triggers->nr; i++) {
		struct remote_trigger *trigger = &triggers->list[i];

		if (!remote_trigger_match(trigger, rec, size))
			continue;
		if (acts_after(trigger))
			after |= BIT(i);
		else
			act(trigger);
	}
	return after;
}

static void after_event(struct remote_triggers *triggers, u32 after)
{
	u32 i;

	for (i = 0; after; i++, after >>= 1) {
		if (after & 1)
			act(&triggers->list[i]);
	}
}

/* Does one of these triggers ask for the event's call chain? There is one at most */
static bool wants_stack(struct remote_triggers *triggers, u32 after)
{
	bool wants = false;
	u32 i;

	for (i = 0; after; i++, after >>= 1) {
		if (!(after & 1) || !is_stack(&triggers->list[i]))
			continue;
		hyp_trace_lock(&words_lock);
		wants |= !stopped && remote_trigger_use(&triggers->list[i]);
		hyp_trace_unlock(&words_lock);
	}
	return wants;
}

/*
 * A CPU's count is odd while it uses triggers. Another CPU that has replaced them waits until
 * each count has been even once. Both are bounded: nothing waits between these two for more
 * than words_lock.
 */
static struct remote_triggers *triggers_begin(struct hyp_trace_cpu *tc, u32 event)
{
	WRITE_ONCE(tc->triggers_used, tc->triggers_used + 1);
	smp_mb(); /* pairs with wait_for_cpus(): that sees the count, or this the new triggers */
	if (READ_ONCE(hyp_trace_panicked))
		return NULL;
	return READ_ONCE(hyp_triggers[event]);
}

static void triggers_end(struct hyp_trace_cpu *tc)
{
	/* The triggers are not used any more; pairs with wait_for_cpu() */
	smp_store_release(&tc->triggers_used, tc->triggers_used + 1);
}

static void wait_for_cpu(const struct hyp_trace_cpu *tc)
{
	/* Both pair with triggers_end() */
	u32 used = smp_load_acquire(&tc->triggers_used);

	/* Also another odd number: those that it uses now are new ones */
	while ((used & 1) && smp_load_acquire(&tc->triggers_used) == used &&
	       !READ_ONCE(hyp_trace_panicked))
		cpu_relax();
}

static void wait_for_cpus(void)
{
	u32 cpu;

	smp_mb(); /* pairs with triggers_begin() */
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		const struct hyp_trace_cpu *tc = hyp_trace_cpu(cpu);

		if (tc)
			wait_for_cpu(tc);
	}
}

/*
 * Events
 */

u64 hyp_counter_to_ns(u64 cycles)
{
	return cycles > U64_MAX / NSEC_PER_SEC ? U64_MAX :
	       cycles * NSEC_PER_SEC / read_sysreg(cntfrq_el0);
}

static void note_time(struct hyp_trace_cpu *tc, u32 event)
{
	u32 now_timed = READ_ONCE(timed);

	if (event == HYP_EVENT_hyp_enter) {
		tc->entered = read_sysreg(cntpct_el0);
		tc->entered_timed = now_timed;
	} else if (event == HYP_EVENT_hyp_exit) {
		tc->slow.timed_exit.duration = now_timed && tc->entered_timed == now_timed ?
			hyp_counter_to_ns(read_sysreg(cntpct_el0) - tc->entered) : 0;
		tc->entered_timed = 0;
	}
}

/* While the writer was off, entries were not noted */
void hyp_trace_forget_entry(struct hyp_trace_cpu *tc)
{
	tc->entered_timed = 0;
}

static bool write_event(struct hyp_trace_cpu *tc, u32 event, u16 id)
{
	struct remote_rec *from = &tc->slow.hdr;

	if (!id || READ_ONCE(stopped) || !hyp_passes_filter(event, from, hyp_filter_size(event)))
		return false;
	from->type = id;
	return hyp_write_record(tc, from, hyp_rec_sizes[event]);
}

void hyp_write_triggered(struct hyp_trace_cpu *tc, u32 event, u16 id, unsigned long pc,
			 unsigned long fp)
{
	struct remote_rec *from = &tc->slow.hdr;
	struct remote_triggers *triggers;
	bool stack;
	u32 after = 0;

	note_time(tc, event);
	from->type = id;
	triggers = triggers_begin(tc, event);
	if (triggers) {
		after = before_event(triggers, from, hyp_filter_size(event));
		id = READ_ONCE(hyp_event_ids[event]);	/* they may have switched it */
	}
	stack = write_event(tc, event, id) && hyp_stacks_are_on();
	if (wants_stack(triggers, after) || stack)
		hyp_write_stack(tc, pc, fp);
	if (after)
		after_event(triggers, after);
	triggers_end(tc);
}

/*
 * Hypercalls
 */

static int take_triggers(u32 event, u32 nr, u64 pfn, struct remote_triggers **new)
{
	int ret;

	BUILD_BUG_ON(sizeof(**new) > PAGE_SIZE);
	*new = NULL;
	if (!nr)
		return 0;
	ret = hyp_take_page(pfn, (void **)new);
	if (ret)
		return ret;

	/* From here on, the host cannot change it */
	(*new)->nr = nr;
	ret = remote_triggers_check(*new, NR_HYP_EVENTS, hyp_filter_size(event));
	if (ret)
		hyp_return_page(*new);
	return ret;
}

int hyp_trace_set_triggers_locked(u32 event, u32 nr, u64 pfn)
{
	struct remote_triggers *old = hyp_triggers[event], *new;
	int ret = take_triggers(event, nr, pfn, &new);

	if (ret)
		return ret;
	hyp_trace_lock(&words_lock);
	smp_store_release(&hyp_triggers[event], new); /* the list is complete */
	event_changed(event);
	hyp_trace_unlock(&words_lock);
	if (!old)
		return 0;
	wait_for_cpus();
	/* After a panic, CPUs that use it were not waited for: it stays with EL2 */
	if (!READ_ONCE(hyp_trace_panicked))
		hyp_return_page(old);
	return 0;
}

static s64 count_of(u32 event, u32 index)
{
	const struct remote_triggers *triggers = hyp_triggers[event];

	if (!triggers || index >= triggers->nr)
		return -EINVAL;
	return min_t(u64, READ_ONCE(triggers->list[index].count), S64_MAX);
}

static int arm_event(u32 event, bool arm)
{
	int ret = hyp_text_set(HYP_TEXT_EVENTS, event, arm || hyp_wanted_ids[event]);

	if (!ret)
		armed[event] = arm;
	return ret;
}

static s64 let_go_on(void)
{
	hyp_trace_lock(&words_lock);
	set_stopped(0);
	hyp_trace_unlock(&words_lock);
	return 0;
}

s64 hyp_trace_trigger_locked(u32 what, u32 event, u32 value)
{
	switch ((enum hyp_trigger_call)what) {
	case HYP_TRIGGER_IS_STOPPED:
		return READ_ONCE(stopped);
	case HYP_TRIGGER_GO_ON:
		return let_go_on();
	case HYP_TRIGGER_EVENT_IS_ON:
		return hyp_trace_event_id(event) != 0;
	case HYP_TRIGGER_COUNT:
		return count_of(event, value);
	case HYP_TRIGGER_ARM:
		return arm_event(event, value);
	}
	return -EINVAL;
}
