/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYP_NVHE_TRACE_CORE_H__
#define __ARM64_KVM_HYP_NVHE_TRACE_CORE_H__
/*
 * Tracing at EL2: what the files trace*.c share.
 *
 * Trust: the host gives the pages and may be hostile in protected mode. What the
 * writer relies on (struct rb_writer and its table) is in EL2's own memory:
 * per-CPU data, and pages that the host donates. Sub-buffers and the meta page
 * are shared and pinned; EL2 only ever stores to them. No hypercall takes a
 * pointer to a request, so there is nothing to read twice. The clock's
 * parameters, the pids of the host's tasks and what its readers wait for are all
 * that is read from the host's memory, see struct hyp_clock_src; the latter is zeroed.
 *
 * Locks: the lock of the host's clock, then hyp_trace_cpu::lock or that of the events, then
 * those of mem_protect.c. Writers take no lock: hyp_trace_cpu::lock serialises
 * the host's calls, the ring buffer's own protocol lets a swap run beside the
 * writer, and everything else happens while the writer is off, or on its own CPU.
 */
#include <linux/ring_buffer_writer.h>
#include <linux/trace_remote_filter.h>

#include <nvhe/clock.h>
#include <nvhe/spinlock.h>
#include <nvhe/trace.h>

enum trace_state {
	TRACE_EMPTY = 0,
	TRACE_LOADING,
	TRACE_LOADED,
	TRACE_UNLOADING,
};

/* A record for write_slow(), which adds the type and the pid; aligned for filters */
union slow_record {
	struct remote_rec	hdr;
#define REMOTE_EVENT(name, ...)	struct remote_rec_##name name;
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
} __aligned(8);

/**
 * struct hyp_trace_cpu - the buffer of one CPU
 * @writer:	the ring buffer; its table is built while LOADING
 * @task:	where the host says which task this CPU runs, and what its readers wait for
 * @clock:	this CPU's clock
 * @slow:	the event that is not a simple case
 * @lock:	serialises the host's calls
 * @state:	see the hypercalls in nvhe/trace.h
 * @meta:	the shared meta page
 * @cpu:	the host's number of this CPU
 * @nr_subbufs:	sub-buffers that __hyp_trace_begin() announced
 * @nr_added:	sub-buffers that EL2 holds
 * @nr_tables:	table pages that EL2 holds, without the root
 */
struct hyp_trace_cpu {
	/* The end of @writer and the next two members are used for every event */
	struct rb_writer		writer;
	struct hyp_trace_task		*task;
	struct hyp_clock		clock;
	union slow_record		slow;
	hyp_spinlock_t			lock;
	enum trace_state		state;
	struct trace_buffer_meta	*meta;
	u32				cpu;
	u32				nr_subbufs;
	u32				nr_added;
	u32				nr_tables;
};

DECLARE_PER_CPU(struct hyp_trace_cpu, hyp_trace_cpus);

/*
 * The filter of each event, in a page of its own. The page stays while a writer that is on
 * may use it, also when the event has no filter any more.
 */
extern struct remote_filter *hyp_filters[NR_HYP_EVENTS];

/* Size of the record of each event; 0 where it has no filter */
extern const u8 hyp_rec_sizes[NR_HYP_EVENTS];

/* Since a panic, no event can be switched on */
extern bool hyp_trace_panicked;

/* The buffer of CPU @cpu, or NULL when there is no such CPU */
static inline struct hyp_trace_cpu *hyp_trace_cpu(u32 cpu)
{
	if (cpu >= NR_CPUS || !kvm_arm_hyp_percpu_base[cpu])
		return NULL;

	return per_cpu_ptr(&hyp_trace_cpus, cpu);
}

/*
 * A CPU switches its own writer on and off, and holds the lock of the host's clock and its
 * buffer's lock then. So with either lock, another CPU knows: a writer that is off stays off,
 * and all that it wrote can be seen.
 */
static inline bool hyp_writer_is_on(const struct hyp_trace_cpu *tc)
{
	return tc->writer.on;
}

/*
 * trace.c. To write a record that is not a simple case: room for it, NULL if there is none; and
 * to publish it. The address in the kernel's image of something in EL2's.
 */
void *hyp_reserve_slow(struct hyp_trace_cpu *tc, u32 size);
void hyp_commit_slow(struct hyp_trace_cpu *tc, void *rec, u32 size);
u64 hyp_kimage_address(unsigned long hyp_addr);

/*
 * stack.c: write the call chain that begins with @pc, for which @fp is the frame record, after
 * the event that it is of. Whether each event has one; what switches that.
 */
#ifdef CONFIG_NVHE_EL2_STACKS
void hyp_write_stack(struct hyp_trace_cpu *tc, unsigned long pc, unsigned long fp);

static inline bool hyp_stacks_are_on(void)
{
	return READ_ONCE(hyp_event_ids[HYP_EVENT_STACK]) & ~HYP_EVENT_EXTRA;
}

static inline bool hyp_event_is_stack(u32 event)
{
	return event == HYP_EVENT_STACK;
}
#else
static inline void hyp_write_stack(struct hyp_trace_cpu *tc, unsigned long pc, unsigned long fp) { }

static inline bool hyp_stacks_are_on(void)
{
	return false;
}

static inline bool hyp_event_is_stack(u32 event)
{
	return false;
}
#endif

/* The chain that begins where the function that this is in returns to */
static __always_inline void hyp_write_stack_of_caller(struct hyp_trace_cpu *tc)
{
	const unsigned long *frame = __builtin_frame_address(0);

	hyp_write_stack(tc, frame[1], frame[0]);
}

/* trace_buffers.c */
void hyp_trace_lock(hyp_spinlock_t *lock);
void hyp_trace_unlock(hyp_spinlock_t *lock);
int hyp_take_page(u64 pfn, void **va);
void hyp_return_page(void *va);

#endif /* __ARM64_KVM_HYP_NVHE_TRACE_CORE_H__ */
