/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYPTRACE_H_
#define __ARM64_KVM_HYPTRACE_H_
/*
 * The interface between host and EL2 for tracing the hypervisor, apart from the
 * hypercalls (__hyp_trace_* in asm/kvm_asm.h, documented with their handlers in
 * arch/arm64/kvm/hyp/include/nvhe/trace.h).
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/sched_clock.h>
#include <linux/threads.h>
#include <linux/timekeeper_internal.h>
#include <linux/trace_remote_base.h>
#include <linux/trace_remote_event.h>
#include <linux/trace_remote_trigger.h>
#include <linux/types.h>

#include <uapi/linux/trace_counters.h>

/* Why EL2 was entered or left */
enum hyp_reason {
	HYP_REASON_SMC,
	HYP_REASON_HVC,
	HYP_REASON_SYS,
	HYP_REASON_PSCI,
	HYP_REASON_HOST_ABORT,
	HYP_REASON_GUEST_EXIT,
	HYP_REASON_ERET_HOST,
	HYP_REASON_ERET_GUEST,
};

/* The outcome of a memory abort of the host */
enum hyp_outcome {
	HYP_OUTCOME_MAPPED,	/* the host continues */
	HYP_OUTCOME_RACED,	/* it was mapped already; the host tries again */
	HYP_OUTCOME_REFUSED,	/* not the host's: EL2 panics or makes the host fault */
};

/* How pages change hands */
enum hyp_mem_op {
	HYP_MEM_SHARE,
	HYP_MEM_UNSHARE,
	HYP_MEM_DONATE,
};

/* What happens to a guest's pages */
enum hyp_guest_mem_op {
	HYP_GUEST_DONATE,	/* from the host to a protected guest */
	HYP_GUEST_RECLAIM,	/* back, from one that is torn down */
	HYP_GUEST_FORCE_RECLAIM, /* back, from one that runs, as the host has touched it */
	HYP_GUEST_POISON,	/* overwritten with zeroes, on their way back */
	HYP_GUEST_SHARE,	/* by the host with another guest */
	HYP_GUEST_UNSHARE,
	HYP_GUEST_SHARE_HOST,	/* by a protected guest with the host */
	HYP_GUEST_UNSHARE_HOST,
	HYP_GUEST_RELAX_PERMS,	/* a guest that is not protected may do more with it */
	HYP_GUEST_WRPROTECT,
	HYP_GUEST_TEST_YOUNG,	/* was it accessed? 1 if so */
	HYP_GUEST_CLEAR_YOUNG,	/* the same, and forget it */
	HYP_GUEST_MKYOUNG,	/* it was accessed */
};

/* Who has a page: enum pkvm_component_id as Linux 6.12 has it, and guests */
enum hyp_owner {
	HYP_OWNER_HOST,
	HYP_OWNER_HYP,
	HYP_OWNER_FFA,		/* the secure world */
	HYP_OWNER_GUEST,
};

/* What a TLB invalidation covers */
enum hyp_tlb_kind {
	HYP_TLB_IPA,		/* a page of a VM */
	HYP_TLB_IPA_LOCAL,	/* the same, on this CPU only */
	HYP_TLB_RANGE,		/* pages of a VM */
	HYP_TLB_VMID,		/* all of a VM */
	HYP_TLB_CPU,		/* a VM's stage 1 and the instruction cache, on this CPU */
	HYP_TLB_ALL,		/* all of all VMs */
};

/* Index of an event, the same on both sides */
enum hyp_event {
#define REMOTE_EVENT(name, ...)	HYP_EVENT_##name,
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
	HYP_EVENT_FUNCTION,
	HYP_EVENT_FUNCGRAPH_ENTRY,
	HYP_EVENT_FUNCGRAPH_EXIT,
#endif
#ifdef CONFIG_NVHE_EL2_STACKS
	HYP_EVENT_STACK,	/* on: each event is followed by its call chain */
#endif
	HYP_EVENT_PRINTK,
	NR_HYP_EVENTS
};

#define REMOTE_EVENT(name, fields, ...)	REMOTE_RECORD(name, REMOTE_FIELDS(fields));
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT

/* How a clock of the host is computed */
enum hyp_clock_kind {
	HYP_CLOCK_NONE,		/* no clock */
	HYP_CLOCK_SCHED,	/* as sched_clock(); banks are struct clock_read_data */
	HYP_CLOCK_FAST,		/* as ktime_get_mono_fast_ns(); banks are struct tk_read_base */
	HYP_CLOCK_COUNTER,	/* as trace_clock_counter() */
};

/* Of which events of a CPU the host wants to be notified */
#define HYP_NOTIFY_EVENT	BIT(0)	/* the next event */
#define HYP_NOTIFY_SUBBUF	BIT(1)	/* the next one that is the first of its sub-buffer */

/**
 * union hyp_task_word - what EL2 loads for each event
 * @pid: pid of the task; the host sets it when it switches tasks, only while it traces
 * @notify: HYP_NOTIFY_* set by the host; zeroed by EL2 before it sends the interrupt
 * @both: to load both at once
 */
union hyp_task_word {
	struct {
		s32	pid;
		u32	notify;
	};
	u64	both;
};

/**
 * struct hyp_trace_task - what a CPU of the host runs, and what its readers wait for
 * @word: see there
 * @sgi: to which CPU EL2 sends the interrupt, as a value of ICC_SGI1R_EL1. EL2 need not check
 *	 it, as the host can write that register itself, but sends no other number than
 *	 that of IPI_IRQ_WORK, which does no harm wherever it comes
 */
struct hyp_trace_task {
	union hyp_task_word	word;
	u64			sgi;
} ____cacheline_aligned;

/* The GIC is a GICv3, and the kernel uses its system registers */
#ifdef TRACE_REMOTE_LINUX_7
#define HYP_TRACE_HAS_SGI	ARM64_HAS_GICV3_CPUIF
#else
#define HYP_TRACE_HAS_SGI	ARM64_HAS_GIC_CPUIF_SYSREGS
#endif

/** HYP_TRACE_TASKS_SIZE - bytes of a struct hyp_trace_task for each CPU */
#define HYP_TRACE_TASKS_SIZE	(NR_CPUS * sizeof(struct hyp_trace_task))

/**
 * struct hyp_clock_src - where the host's clock and tasks are
 * @kind:	enum hyp_clock_kind
 * @latch:	address of the sequence count; 0 for a counter
 * @banks:	address of two sets of parameters, selected by bit 0 of @latch;
 *		0 for a counter
 * @extra:	HYP_CLOCK_FAST: address of an s64 of nanoseconds to be added, or 0;
 *		HYP_CLOCK_COUNTER: address of the atomic64_t
 * @live:	the value in a set of parameters that means that the clock is running
 *		(its read function or its clocksource); only compared
 * @tasks:	address of NR_CPUS of struct hyp_trace_task, by number of CPU; EL2 writes it
 *
 * In the hypercall, the addresses are those of the host's linear map.
 */
struct hyp_clock_src {
	u64	kind;
	u64	latch;
	u64	banks;
	u64	extra;
	u64	live;
	u64	tasks;
};

/**
 * struct hyp_clock_part - memory that a source consists of
 * @start: address; 0 if the source has no such part
 * @size: bytes
 */
struct hyp_clock_part {
	u64	start;
	u64	size;
};

#define HYP_CLOCK_PARTS	4

/**
 * hyp_clock_bank_size - size of one set of parameters
 * @kind: enum hyp_clock_kind
 *
 * Return: bytes, 0 for a kind that has no parameters.
 */
static inline u64 hyp_clock_bank_size(u64 kind)
{
	switch (kind) {
	case HYP_CLOCK_SCHED:
		return sizeof(struct clock_read_data);
	case HYP_CLOCK_FAST:
		return sizeof(struct tk_read_base);
	default:
		return 0;
	}
}

/**
 * hyp_clock_parts - what has to be shared with EL2 for a source, and is pinned there
 * @src: the source
 * @parts: set to its HYP_CLOCK_PARTS parts
 */
static inline void hyp_clock_parts(const struct hyp_clock_src *src, struct hyp_clock_part *parts)
{
	u64 bank = hyp_clock_bank_size(src->kind);
	bool any = src->kind != HYP_CLOCK_NONE;

	parts[0] = (struct hyp_clock_part){ bank ? src->latch : 0, sizeof(u32) };
	parts[1] = (struct hyp_clock_part){ bank ? src->banks : 0, 2 * bank };
	parts[2] = (struct hyp_clock_part){ any ? src->extra : 0, sizeof(u64) };
	parts[3] = (struct hyp_clock_part){ any ? src->tasks : 0, HYP_TRACE_TASKS_SIZE };
}

/**
 * enum hyp_trigger_call - what __hyp_trace_trigger() does
 * @HYP_TRIGGER_IS_STOPPED: returns 0, or if a trigger has stopped all writers, one more than the
 *	host's number of the CPU on which it did
 * @HYP_TRIGGER_GO_ON: lets them go on; returns 0
 * @HYP_TRIGGER_EVENT_IS_ON: returns 1 if the event is on, else 0
 * @HYP_TRIGGER_COUNT: returns how often the event's trigger of number value may still act
 * @HYP_TRIGGER_ARM: keeps the event's places in EL2's text on if value is not 0, whether or not
 *	the event is on; returns 0, or what hyp_text_set() returns
 */
enum hyp_trigger_call {
	HYP_TRIGGER_IS_STOPPED,
	HYP_TRIGGER_GO_ON,
	HYP_TRIGGER_EVENT_IS_ON,
	HYP_TRIGGER_COUNT,
	HYP_TRIGGER_ARM,
};

/**
 * hyp_filter_is_timed - whether a filter of hyp_exit uses its duration, which is behind the record
 * @filter: the filter; NULL for none
 */
static inline bool hyp_filter_is_timed(const struct remote_filter *filter)
{
	unsigned int i;

	for (i = 0; filter && i < filter->nr; i++) {
		if (filter->insns[i].offset >= sizeof(struct remote_rec_hyp_exit))
			return true;
	}
	return false;
}

/** hyp_triggers_are_timed - the same for a list of triggers */
static inline bool hyp_triggers_are_timed(const struct remote_triggers *triggers)
{
	unsigned int i;

	for (i = 0; triggers && i < triggers->nr; i++) {
		if (hyp_filter_is_timed(&triggers->list[i].filter))
			return true;
	}
	return false;
}

/* A CPU's counters: a row for each reason to enter EL2, then one for each hypercall */
#define HYP_COUNTERS_REASONS	HYP_REASON_ERET_HOST
#define HYP_COUNTERS_HCALLS	89
#define HYP_COUNTERS_ROWS	(HYP_COUNTERS_REASONS + HYP_COUNTERS_HCALLS)

/** HYP_COUNTERS_SIZE - bytes of them, header and rows of uapi/linux/trace_counters.h */
#define HYP_COUNTERS_SIZE						\
	(sizeof(struct trace_counters) + HYP_COUNTERS_ROWS * sizeof(struct trace_counters_row))
#define HYP_COUNTERS_PAGES	(PAGE_ALIGN(HYP_COUNTERS_SIZE) >> PAGE_SHIFT)

/* Flags of __hyp_trace_enable */
#define HYP_TRACE_ON		BIT(0)
#define HYP_TRACE_OVERWRITE	BIT(1)

/** HYP_TRACE_PAGES_PER_ADD - pages that one __hyp_trace_add_subbufs call takes at most */
#define HYP_TRACE_PAGES_PER_ADD	64

/** HYP_TRACE_PAGES_PER_UNLOAD - pages that one __hyp_trace_unload call gives back */
#define HYP_TRACE_PAGES_PER_UNLOAD	32

/**
 * hyp_trace_el2_panicked - tell the host side never to call EL2 again
 *
 * Context: any.
 */
#ifdef CONFIG_NVHE_EL2_TRACING
void hyp_trace_el2_panicked(void);
#else
static inline void hyp_trace_el2_panicked(void) { }
#endif

/**
 * hyp_trace_notified - this CPU got an interrupt that EL2 may have sent
 *
 * Context: hard interrupt.
 */
#ifdef CONFIG_NVHE_EL2_TRACING
void hyp_trace_notified(void);
#else
static inline void hyp_trace_notified(void) { }
#endif

#endif /* __ARM64_KVM_HYPTRACE_H_ */
