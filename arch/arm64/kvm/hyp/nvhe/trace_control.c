// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing at EL2: what the host switches and sets. Writers, events, filters and the clock.
 */
#include <asm/kvm_hyp.h>
#include <asm/kvm_mmu.h>

#include <nvhe/mem_protect.h>
#include <nvhe/memory.h>

#include "trace_core.h"

/* The host's clock, and its last flags for CPUs that come up; under host_clock_lock */
static DEFINE_HYP_SPINLOCK(host_clock_lock);
static struct hyp_clock_src host_clock;
static u32 host_flags;

/* Protects the filters and the event ids; writers read both without it */
static DEFINE_HYP_SPINLOCK(events_lock);

static int enable_locked(struct hyp_trace_cpu *tc, u32 flags, bool from_host)
{
	hyp_assert_lock_held(&host_clock_lock);
	hyp_assert_lock_held(&tc->lock);
	if (tc->state != TRACE_LOADED)
		return -ENODEV;
	if (!(flags & HYP_TRACE_ON)) {
		trace_trace_off(flags);
		rb_writer_set_on(&tc->writer, false);
		*host_data_ptr(trace_task) = NULL;
		return 0;
	}
	if (host_clock.kind == HYP_CLOCK_NONE)
		return -ENXIO;

	tc->task = (struct hyp_trace_task *)host_clock.tasks + tc->cpu;
	*host_data_ptr(trace_task) = tc->task;
	tc->writer.overwrite = flags & HYP_TRACE_OVERWRITE;
	hyp_clock_init(&tc->clock, &host_clock);
	if (!hyp_writer_is_on(tc)) {
		hyp_trace_forget_entry(tc);
		rb_writer_set_on(&tc->writer, true);
		hyp_boot_writer_is_on(tc, !from_host);
		trace_trace_on(flags);
	}
	return 0;
}

/* Switch this CPU's writer; the host's flags are kept for CPUs that come up later */
static int enable_this_cpu(u32 flags, bool from_host)
{
	struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);
	int ret;

	hyp_trace_lock(&host_clock_lock);
	if (!from_host)
		flags = flags & host_flags;
	hyp_trace_lock(&tc->lock);
	ret = enable_locked(tc, flags, from_host);
	hyp_trace_unlock(&tc->lock);
	if (from_host && !ret)
		host_flags = flags;
	if (from_host && !(flags & HYP_TRACE_ON))
		hyp_boot_end();
	hyp_trace_unlock(&host_clock_lock);

	return ret;
}

int __hyp_trace_enable(u32 flags)
{
	if (flags & ~(HYP_TRACE_ON | HYP_TRACE_OVERWRITE))
		return -EINVAL;

	return enable_this_cpu(flags, true);
}

void hyp_trace_cpu_off(void)
{
	hyp_boot_cpu_off();
	enable_this_cpu(0, false);
}

void hyp_trace_cpu_entry(void)
{
	enable_this_cpu(HYP_TRACE_ON | HYP_TRACE_OVERWRITE, false);
}

#ifdef CONFIG_NVHE_EL2_TRIGGERS
static void set_event_id(u32 event, u16 id)
{
	hyp_assert_lock_held(&events_lock);
	hyp_trace_set_event_id(event, id);
}

static void refresh_event(u32 event)
{
	hyp_assert_lock_held(&events_lock);
	hyp_trace_refresh_event(event);
}
#else
static void set_event_id(u32 event, u16 id)
{
	hyp_assert_lock_held(&events_lock);
	WRITE_ONCE(hyp_event_ids[event], hyp_event_word(event, id));
	smp_mb(); /* pairs with switch_events_off() */
	if (READ_ONCE(hyp_trace_panicked))
		WRITE_ONCE(hyp_event_ids[event], HYP_EVENT_OFF);
}

static void refresh_event(u32 event)
{
	set_event_id(event, hyp_event_ids[event]);
}
#endif

static void refresh_events(void)
{
	u32 event;

	for (event = 0; event < NR_HYP_EVENTS; event++)
		refresh_event(event);
}

/* The event has its id before a place is on. One that cannot be switched on is off */
static int enable_event_locked(u32 event, u16 id)
{
	int ret;

	set_event_id(event, id);
	ret = hyp_text_set(HYP_TEXT_EVENTS, event, id || hyp_trace_event_is_armed(event));
	if (ret)
		set_event_id(event, 0);
	if (hyp_stacks_switched(event, id && !ret))
		refresh_events();
	return ret;
}

int __hyp_trace_enable_event(u32 event, u32 id)
{
	int ret;

	if (event >= NR_HYP_EVENTS || id > U16_MAX)
		return -EINVAL;

	hyp_trace_lock_call(&events_lock);
	ret = enable_event_locked(event, id);
	hyp_trace_unlock_call(&events_lock);

	return ret;
}

static bool any_writer_is_on(void)
{
	u32 cpu;

	hyp_assert_lock_held(&host_clock_lock);
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		struct hyp_trace_cpu *tc = hyp_trace_cpu(cpu);

		if (tc && hyp_writer_is_on(tc))
			return true;
	}
	return false;
}

/* The page of an event that has no filter goes back, once no writer can run that */
static int drop_filter_locked(u32 event)
{
	struct remote_filter *old = hyp_filters[event];

	if (!old)
		return 0;
	old->nr = 0;
	refresh_event(event);
	if (any_writer_is_on())
		return 1;
	hyp_filters[event] = NULL;
	hyp_return_page(old);
	return 0;
}

/* A writer may run the filter while it is replaced; see remote_filter_match() */
static int set_filter_locked(u32 event, u32 nr, u64 pfn)
{
	struct remote_filter *old = hyp_filters[event], *new;
	int ret;

	hyp_assert_lock_held(&events_lock);
	if (!nr)
		return drop_filter_locked(event);

	ret = hyp_take_page(pfn, (void **)&new);
	if (ret)
		return ret;

	/* From here on, the host cannot change it */
	new->nr = nr;
	ret = remote_filter_check(new, hyp_filter_size(event));
	if (!ret && !old)
		smp_store_release(&hyp_filters[event], new); /* the program is complete */
	else if (!ret)
		*old = *new;
	if (!ret)
		refresh_event(event);
	if (!ret && !old)
		return 1;
	hyp_return_page(new);
	return ret;
}

int __hyp_trace_set_filter(u32 event, u32 nr, u64 pfn)
{
	int ret;

	if (event >= NR_HYP_EVENTS || (nr && !hyp_rec_sizes[event]))
		return -EINVAL;

	hyp_trace_lock_call(&host_clock_lock);
	hyp_trace_lock(&events_lock);
	ret = set_filter_locked(event, nr, pfn);
	hyp_trace_unlock(&events_lock);
	hyp_trace_unlock_call(&host_clock_lock);

	return ret;
}

#ifdef CONFIG_NVHE_EL2_TRIGGERS
int __hyp_trace_set_triggers(u32 event, u32 nr, u64 pfn)
{
	int ret;

	if (event >= NR_HYP_EVENTS || (nr && !hyp_rec_sizes[event]))
		return -EINVAL;

	hyp_trace_lock_call(&events_lock);
	ret = hyp_trace_set_triggers_locked(event, nr, pfn);
	hyp_trace_unlock_call(&events_lock);

	return ret;
}

s64 __hyp_trace_trigger(u32 what, u32 event, u32 value)
{
	s64 ret;

	if (event >= NR_HYP_EVENTS)
		return -EINVAL;

	hyp_trace_lock_call(&events_lock);
	ret = hyp_trace_trigger_locked(what, event, value);
	hyp_trace_unlock_call(&events_lock);

	return ret;
}
#endif

#ifdef CONFIG_NVHE_EL2_COUNTERS
int __hyp_counters_switch(u32 on)
{
	if (on > 1)
		return -EINVAL;

	hyp_trace_lock_call(&events_lock);
	hyp_trace_set_counting_locked(on);
	hyp_trace_unlock_call(&events_lock);

	return 0;
}
#endif

/* The parts of each kind must be given, and aligned: they are loaded with acquire */
static bool valid_clock(const struct hyp_clock_src *src)
{
	u64 all = src->latch | src->banks | src->extra | src->tasks;

	if (src->kind == HYP_CLOCK_NONE)
		return true;
	if (src->kind > HYP_CLOCK_COUNTER || !src->tasks || !IS_ALIGNED(all, sizeof(u64)))
		return false;
	return hyp_clock_bank_size(src->kind) ? src->latch && src->banks : src->extra;
}

/* Not inline: it is called twice */
static noinline void clock_parts(const struct hyp_clock_src *src, struct hyp_clock_part *parts)
{
	hyp_clock_parts(src, parts);
}

static void unpin_parts(const struct hyp_clock_part *parts, int nr)
{
	while (nr--) {
		void *start = (void *)parts[nr].start;

		if (start && is_protected_kvm_enabled())
			hyp_unpin_shared_mem(start, start + parts[nr].size);
	}
}

static int pin_parts(const struct hyp_clock_part *parts)
{
	int i, ret;

	for (i = 0; i < HYP_CLOCK_PARTS; i++) {
		void *start = (void *)parts[i].start;

		if (!start || !is_protected_kvm_enabled())
			continue;
		ret = hyp_pin_shared_mem(start, start + parts[i].size);
		if (ret) {
			unpin_parts(parts, i);
			return ret;
		}
	}
	return 0;
}

/* Not inline: it is much code, four times */
static noinline u64 hyp_address(u64 addr)
{
	return addr ? kern_hyp_va(addr) : 0;
}

static int set_clock_locked(const struct hyp_clock_src *src)
{
	struct hyp_clock_part parts[HYP_CLOCK_PARTS], old_parts[HYP_CLOCK_PARTS];
	int ret;

	if (any_writer_is_on())
		return -EBUSY;
	if (!valid_clock(src))
		return -EINVAL;

	clock_parts(src, parts);
	ret = pin_parts(parts);
	if (ret)
		return ret;

	clock_parts(&host_clock, old_parts);
	unpin_parts(old_parts, HYP_CLOCK_PARTS);
	host_clock = *src;
	return 0;
}

int __hyp_trace_set_clock(const struct hyp_clock_src *src)
{
	struct hyp_clock_src hyp_src = {
		.kind	= src->kind,
		.latch	= hyp_address(src->latch),
		.banks	= hyp_address(src->banks),
		.extra	= hyp_address(src->extra),
		.tasks	= hyp_address(src->tasks),
		.live	= src->live,
	};
	int ret;

	hyp_trace_lock_call(&host_clock_lock);
	ret = set_clock_locked(&hyp_src);
	hyp_trace_unlock_call(&host_clock_lock);

	return ret;
}
