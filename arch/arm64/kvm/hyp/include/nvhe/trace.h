/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_NVHE_TRACE_H__
#define __ARM64_KVM_NVHE_TRACE_H__
/*
 * Tracing at EL2: trace_<event>() for each event of asm/kvm_hypevents.h, and the
 * handlers of the hypercalls.
 */
#include <linux/kvm_host.h>
#include <linux/types.h>
#include <asm/kvm_hypboot.h>
#include <asm/kvm_hyptrace.h>

#include <nvhe/text.h>

#ifdef CONFIG_NVHE_EL2_TRACING

/* Id of each event in the host's id space, and flags; HYP_EVENT_OFF while it is off */
extern u32 hyp_event_ids[NR_HYP_EVENTS];

/* There is more to do than to write a record, such as to look at a filter; see write_slow() */
#define HYP_EVENT_EXTRA		BIT(31)
/* The event has triggers, or the duration of a visit to EL2 is used. It may have no id */
#define HYP_EVENT_TRIGGERED	BIT(29)
/* EL2 counts at the event, whether or not it has an id */
#define HYP_EVENT_COUNTED	BIT(30)

/* Is the event to be written, or does it trigger something? If not, all that it does is to count */
#define HYP_EVENT_IS_WRITTEN(type)	((type) & ~(HYP_EVENT_COUNTED | HYP_EVENT_EXTRA))

/*
 * Where a branch says that an event is on, nothing looks whether it has an id but what the flag
 * leads to. A place that is off never loads the id, which is 0 until the event is switched
 * on for the first time.
 */
#ifdef CONFIG_NVHE_EL2_TRACING_NOP
#define HYP_EVENT_OFF		HYP_EVENT_EXTRA
#else
#define HYP_EVENT_OFF		0
#endif

/*
 * The id of an event, 0 while it is off. This takes two instructions; to load an
 * element of an array, the compiler takes three. The offset is an operand of its own,
 * as clang takes no symbol with an offset for "S".
 */
#define hyp_event_id(event)						\
({									\
	u64 __id;							\
									\
	asm volatile("adrp	%0, %1 + %2\n"				\
	"	ldr	%w0, [%0, #:lo12:%1 + %2]"			\
	: "=r" (__id)							\
	: "S" (hyp_event_ids), "i" ((event) * sizeof(hyp_event_ids[0])));\
	(u32)__id;							\
})

/*
 * Is the event on, and what is its id? With NVHE_EL2_TRACING_NOP, this is one instruction while
 * it is off. When it has been on, and since EL2 has panicked, the id may be HYP_EVENT_OFF.
 */
static __always_inline bool hyp_event_enabled(const u32 event)
{
#ifdef CONFIG_NVHE_EL2_TRACING_NOP
	return hyp_text_event(event);
#else
	return hyp_event_id(event);
#endif
}

static __always_inline bool hyp_event_is_on(const u32 event, u32 *id)
{
#ifdef CONFIG_NVHE_EL2_TRACING_NOP
	if (!hyp_text_event(event))
		return false;
	*id = hyp_event_id(event);
	return true;
#else
	*id = hyp_event_id(event);
	return *id;
#endif
}

/* The pid of the host's task on this CPU; 0 while tracing is off here */
static __always_inline s32 hyp_trace_pid(void)
{
	const struct hyp_trace_task *task = *host_data_ptr(trace_task);

	return task ? READ_ONCE(task->word.pid) : 0;
}

/* Passed as promoted integers, so that small fields are not narrowed again */
#define HYP_EVENT_PARAM(t, f)		, typeof((t)0 + 0) f
#define HYP_EVENT_PARAM_NONE
#define HYP_EVENT_PARAMS(fields)	__REMOTE_MAP(HYP_EVENT_PARAM, __REMOTE_NOSEP, fields)

/* What each event has, whatever it does where it happens */
#define DECLARE_HYP_EVENT(name, fields)					\
	void __trace_##name(u32 type HYP_EVENT_PARAMS(REMOTE_FIELDS(fields)));\
	static __always_inline bool trace_##name##_enabled(void)	\
	{								\
		return unlikely(hyp_event_enabled(HYP_EVENT_##name));	\
	}

#define REMOTE_EVENT(name, fields, ...)					\
	DECLARE_HYP_EVENT(name, REMOTE_FIELDS(fields))			\
	static __always_inline void					\
	trace_##name(REMOTE_PARAMS(REMOTE_FIELDS(fields)))		\
	{								\
		u32 type;						\
									\
		if (unlikely(hyp_event_is_on(HYP_EVENT_##name, &type)))	\
			__trace_##name(type REMOTE_AFTER(REMOTE_FIELDS(fields)));\
	}

#ifdef CONFIG_NVHE_EL2_COUNTERS
#define COUNTED_EVENT(name, fields, ...)				\
	DECLARE_HYP_EVENT(name, REMOTE_FIELDS(fields))			\
	void hyp_count_##name(u32 type HYP_EVENT_PARAMS(REMOTE_FIELDS(fields)));\
	static __always_inline void					\
	trace_##name(REMOTE_PARAMS(REMOTE_FIELDS(fields)))		\
	{								\
		u32 type;						\
									\
		if (likely(!hyp_event_is_on(HYP_EVENT_##name, &type)))	\
			return;						\
		if (unlikely(type & HYP_EVENT_COUNTED))			\
			hyp_count_##name(type REMOTE_AFTER(REMOTE_FIELDS(fields)));\
		else							\
			__trace_##name(type REMOTE_AFTER(REMOTE_FIELDS(fields)));\
	}
#endif
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT

#ifdef CONFIG_NVHE_EL2_COUNTERS
/**
 * struct hyp_counters - what a CPU has counted
 * @row:	what the visit is counted as; NULL if its begin was not counted
 * @entered:	the counter at its begin
 * @done:	visits counted
 * @shared:	the host's pages; NULL while there are none
 * @rows:	the rows
 *
 * The members before @rows are loaded in pairs.
 */
struct hyp_counters {
	struct trace_counters_row	*row;
	u64				entered;
	u64				done;
	struct trace_counters		*shared;
	struct trace_counters_row	rows[HYP_COUNTERS_ROWS];
};

DECLARE_PER_CPU(struct hyp_counters, hyp_counters);

/**
 * hyp_count_hcall - count what EL2 does now as this hypercall, at the event host_hcall
 * @id:		the hypercall
 * @invalid:	it is refused, and stays what it is counted as
 *
 * Return: whether the event is to be written as well.
 */
static __always_inline bool hyp_count_hcall(u32 id, bool invalid)
{
	u32 type = hyp_event_id(HYP_EVENT_host_hcall);
	struct hyp_counters *c;

	if ((type & HYP_EVENT_COUNTED) && !invalid) {
		c = this_cpu_ptr(&hyp_counters);
		/* Not if its begin was not counted */
		if (likely(c->row))
			c->row = &c->rows[HYP_COUNTERS_REASONS + id];
	}
	return HYP_EVENT_IS_WRITTEN(type);
}
#else
static inline bool hyp_count_hcall(u32 id, bool invalid)
{
	return true;
}
#endif

/**
 * hyp_trace_cpu_off - switch the calling CPU's writer off, before the CPU goes off
 */
void hyp_trace_cpu_off(void);

/**
 * hyp_trace_cpu_entry - the calling CPU has come up: trace if the host wants that
 */
void hyp_trace_cpu_entry(void);

/**
 * hyp_trace_written - count the events of this CPU's writer since it was reset
 * @written: set to the number of events written or dropped
 *
 * Return: false while the writer is off.
 */
bool hyp_trace_written(u64 *written);

/**
 * hyp_trace_panic - EL2 panics: write one last event, switch all events off for good
 * @spsr: SPSR_EL2 of the panic
 * @elr: ELR_EL2 of the panic
 *
 * Another CPU that has loaded the id of an event still writes that event. If writing the
 * last event panics, the call that follows restores what the first panic is reported
 * with: it sets @spsr, @elr and the registers ESR_EL2, FAR_EL2 and HPFAR_EL2.
 *
 * Takes no lock. It is safe wherever EL2 may panic, even inside this function.
 */
void hyp_trace_panic(u64 *spsr, u64 *elr);

/*
 * Hypercalls. A buffer goes EMPTY => LOADING => LOADED => UNLOADING => EMPTY. A call that
 * returns an errno has changed nothing; an unload that returns a positive number has
 * given back some of the pages. Pages are passed as frame numbers. In protected mode
 * a sub-buffer or meta page goes from owned by the host to shared with EL2 and
 * pinned, and a table page from owned by the host to owned by EL2. An unload returns
 * each to owned by the host, table pages zeroed. In the other modes the host has
 * mapped the pages for EL2.
 *
 * Common errors: -EINVAL for a number that is out of range, -EBUSY for a buffer
 * in another state, -EPERM for a page that the host does not own exclusively.
 */

/**
 * __hyp_trace_begin - EMPTY => LOADING
 * @cpu: CPU that the buffer is for
 * @meta_pfn: the meta page
 * @root_pfn: the root of the private table
 * @nr_subbufs: sub-buffers that will be added, the reader's included
 */
int __hyp_trace_begin(u32 cpu, u64 meta_pfn, u64 root_pfn, u32 nr_subbufs);

/**
 * __hyp_trace_add_table - give a LOADING buffer one more page of private table
 * @cpu: CPU
 * @pfn: the page; holds RB_WRITER_SUBBUFS_PER_PAGE sub-buffers
 *
 * Return: 0, or -ENOSPC when there are enough for the sub-buffers announced.
 */
int __hyp_trace_add_table(u32 cpu, u64 pfn);

/**
 * __hyp_trace_add_subbufs - give a LOADING buffer its next sub-buffers
 * @cpu: CPU
 * @pfn: the first page; the first of all becomes the reader's
 * @nr: pages from there on, 1 to HYP_TRACE_PAGES_PER_ADD
 *
 * EL2 takes all of the pages or none. With the last one that was announced, the buffer is
 * LOADED: off and empty.
 *
 * Return: 0, -ENOSPC when there would be more than announced, -ENOMEM when the
 * table has no room for them.
 */
int __hyp_trace_add_subbufs(u32 cpu, u64 pfn, u32 nr);

/**
 * __hyp_trace_unload - any state => UNLOADING => EMPTY, a few pages a call
 * @cpu: CPU
 *
 * Return: the number of pages that EL2 still holds, 0 when it is done (or there
 * was nothing), -EBUSY while tracing is on for @cpu.
 */
int __hyp_trace_unload(u32 cpu);

/**
 * __hyp_trace_enable - switch tracing on or off on the calling CPU
 * @flags: HYP_TRACE_ON or not; HYP_TRACE_OVERWRITE for a flight recorder, else the
 *	oldest events are kept
 *
 * Only a CPU itself switches its writer on or off. So an unload that finds a writer
 * off knows that no event is being written there, and the writer needs no barrier.
 *
 * Return: 0, -ENODEV without a LOADED buffer, -ENXIO without a clock.
 */
int __hyp_trace_enable(u32 flags);

/**
 * __hyp_trace_enable_event - switch an event on or off on all CPUs
 * @event: enum hyp_event
 * @id: its id in the host's id space, 0 for off
 *
 * With NVHE_EL2_TRACING_NOP, in protected mode, this also switches the event's places in EL2's
 * text. In the other modes, the host does that afterwards.
 */
int __hyp_trace_enable_event(u32 event, u32 id);

/**
 * __hyp_trace_set_filter - filter an event on all CPUs
 * @event: enum hyp_event
 * @nr: number of comparisons in the filter, 0 for no filter
 * @pfn: a page that begins with struct remote_filter, whose number is ignored; unused
 *	without a filter
 *
 * The page goes from owned by the host to owned by EL2. EL2 keeps one page for an event,
 * and returns any other before the call returns. The one goes back, zeroed, with the first
 * call without a filter while tracing is off on all CPUs.
 *
 * Return: 1 if EL2 has kept @pfn, or without a filter, still has the event's page; else 0.
 */
int __hyp_trace_set_filter(u32 event, u32 nr, u64 pfn);

/**
 * __hyp_trace_set_triggers - what an event triggers, on all CPUs
 * @event: enum hyp_event
 * @nr: number of triggers, 0 for none
 * @pfn: a page that begins with struct remote_triggers, whose number is ignored; unused
 *	without triggers
 *
 * The page goes from owned by the host to owned by EL2. The page that the event had goes back,
 * zeroed, before the call returns, as does this one if the call fails.
 */
int __hyp_trace_set_triggers(u32 event, u32 nr, u64 pfn);

/**
 * __hyp_trace_trigger - what triggers have done, and what they need
 * @what: enum hyp_trigger_call
 * @event: enum hyp_event, 0 where there is none
 * @value: see there
 *
 * Return: see there; or -EINVAL, also for a trigger that the event does not have.
 */
s64 __hyp_trace_trigger(u32 what, u32 event, u32 value);

/**
 * __hyp_counters_give - give EL2 pages for the counters of the calling CPU, or take them back
 * @give: 1, or 0 to take them back
 * @pfn: the first of HYP_COUNTERS_PAGES pages; unused when they are taken back. They begin with
 *	struct trace_counters, of which EL2 writes @begun and @done; the host fills in the rest
 *
 * The pages go from owned by the host to shared with EL2 and pinned. EL2 writes all rows to them,
 * then what changes, and never reads them: it has the counters a second time.
 *
 * Return: 0, -EBUSY if it has been given some, or -ENODEV if there is nothing to be taken back.
 */
int __hyp_counters_give(u32 give, u64 pfn);

/**
 * __hyp_counters_switch - count on all CPUs, or no more
 * @on: 0 or 1
 *
 * The places of the events hyp_enter, hyp_exit and host_hcall are to be on before; see
 * HYP_TRIGGER_ARM.
 */
int __hyp_counters_switch(u32 on);

/**
 * __hyp_trace_swap_reader - rb_writer_swap()
 * @cpu: CPU
 * @seen: bytes that the host has seen on the reader's sub-buffer
 */
int __hyp_trace_swap_reader(u32 cpu, u32 seen);

/**
 * __hyp_trace_reset - rb_writer_reset()
 * @cpu: the calling CPU, or one on which tracing is off (else -EBUSY)
 */
int __hyp_trace_reset(u32 cpu);

/**
 * __hyp_trace_set_clock - choose the clock of the timestamps
 * @src: the clock; HYP_CLOCK_NONE for none
 *
 * The host has shared the clock's pages with EL2 before; they stay pinned until the
 * next call. -EBUSY while tracing is on for any CPU.
 */
int __hyp_trace_set_clock(const struct hyp_clock_src *src);

#else /* !CONFIG_NVHE_EL2_TRACING */

#define REMOTE_EVENT(name, fields, ...)					\
	static __always_inline bool trace_##name##_enabled(void) { return false; }\
	static __always_inline void					\
	trace_##name(REMOTE_PARAMS(REMOTE_FIELDS(fields))) { }
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT

static inline s32 hyp_trace_pid(void)
{
	return 0;
}

static inline bool hyp_count_hcall(u32 id, bool invalid)
{
	return true;
}

static inline void hyp_trace_cpu_off(void) { }
static inline void hyp_trace_cpu_entry(void) { }
static inline void hyp_trace_panic(u64 *spsr, u64 *elr) { }

static inline bool hyp_trace_written(u64 *written)
{
	*written = 0;
	return false;
}

#endif /* CONFIG_NVHE_EL2_TRACING */

#ifndef CONFIG_NVHE_EL2_TRACING_BOOT
static __always_inline void trace_hyp_boot(enum hyp_boot_step step) { }
#endif

/**
 * trace_guest_value - what the host may see of a guest's @value
 * @vcpu: the guest's, at EL2
 * @value: a register that says what the guest did, such as a syndrome
 *
 * The one place that decides this: the host sees nothing of a protected VM, unless
 * the hypervisor is built for debugging.
 *
 * Return: @value or 0.
 */
static inline u64 trace_guest_value(const struct kvm_vcpu *vcpu, u64 value)
{
	if (!IS_ENABLED(CONFIG_NVHE_EL2_DEBUG) && vcpu_is_protected(vcpu))
		return 0;
	return value;
}

/* The handle of a vCPU's VM; 0 outside protected mode, where EL2 does not know VMs */
static inline u32 trace_vm_handle(const struct kvm_vcpu *vcpu)
{
	return is_protected_kvm_enabled() ? vcpu->kvm->arch.pkvm.handle : 0;
}

#endif /* __ARM64_KVM_NVHE_TRACE_H__ */
