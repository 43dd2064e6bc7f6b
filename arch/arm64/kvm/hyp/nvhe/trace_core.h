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
 * writer, and everything else happens while the writer is off, or on its own CPU. Triggers
 * are the exception, with a lock inside of all others; see trace_triggers.c.
 */
#include <linux/ring_buffer_writer.h>
#include <linux/trace_remote_filter.h>
#include <linux/trace_remote_trigger.h>

#include <nvhe/clock.h>
#include <nvhe/spinlock.h>
#include <nvhe/trace.h>

enum trace_state {
	TRACE_EMPTY = 0,
	TRACE_LOADING,
	TRACE_LOADED,
	TRACE_UNLOADING,
};

/* How the filters and triggers of hyp_exit see it; @duration is not recorded */
struct hyp_timed_exit {
	struct remote_rec_hyp_exit	rec;
	u64				duration;
};

/* A record for write_slow(), which adds the type and the pid; aligned for filters */
union slow_record {
	struct remote_rec	hdr;
#define REMOTE_EVENT(name, ...)	struct remote_rec_##name name;
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
#ifdef CONFIG_NVHE_EL2_TRIGGERS
	struct hyp_timed_exit	timed_exit;
#endif
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
 * @counted:	the counter when a visit to EL2 was counted that is about to be written, or 0
 * @triggers_used: how often triggers were begun or ended; odd while this CPU uses some
 * @entered_timed: for what time of use @entered was noted; 0 if it was not
 * @entered:	the counter when EL2 was entered
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
#ifdef CONFIG_NVHE_EL2_COUNTERS
	u64				counted;
#endif
#ifdef CONFIG_NVHE_EL2_TRIGGERS
	u32				triggers_used;
	u32				entered_timed;
	u64				entered;
#endif
};

DECLARE_PER_CPU(struct hyp_trace_cpu, hyp_trace_cpus);

/*
 * The filter of each event, in a page of its own. The page stays while a writer that is on
 * may use it, also when the event has no filter any more.
 */
extern struct remote_filter *hyp_filters[NR_HYP_EVENTS];

/* Size of the record of each event; 0 where it has no filter and no triggers */
extern const u8 hyp_rec_sizes[NR_HYP_EVENTS];

/* Since a panic, no event can be switched on */
extern bool hyp_trace_panicked;

/*
 * stack.c: write the call chain that begins with @pc, for which @fp is the frame record, after
 * the event that it is of. Whether each event has one. Whether @event is what switches that; if
 * so, it is switched, and the words of all events are to be refreshed.
 */
#ifdef CONFIG_NVHE_EL2_STACKS
extern bool hyp_stacks;

void hyp_write_stack(struct hyp_trace_cpu *tc, unsigned long pc, unsigned long fp);

static inline bool hyp_stacks_are_on(void)
{
	return READ_ONCE(hyp_stacks) && !READ_ONCE(hyp_trace_panicked);
}

static inline bool hyp_stacks_switched(u32 event, bool on)
{
	if (event != HYP_EVENT_STACK)
		return false;
	WRITE_ONCE(hyp_stacks, on);
	return true;
}
#else
static inline void hyp_write_stack(struct hyp_trace_cpu *tc, unsigned long pc, unsigned long fp) { }

static inline bool hyp_stacks_are_on(void)
{
	return false;
}

static inline bool hyp_stacks_switched(u32 event, bool on)
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

/* What places load for an event without triggers that has this id, 0 if it is off */
static inline u32 hyp_event_word(u32 event, u16 id)
{
	const struct remote_filter *filter = hyp_filters[event];

	if (!id)
		return HYP_EVENT_OFF;
	if ((filter && filter->nr) || (hyp_rec_sizes[event] && hyp_stacks_are_on()))
		return id | HYP_EVENT_EXTRA;
	return id;
}

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

/* Write a record that is complete; false if there is no room for it */
static inline bool hyp_write_record(struct hyp_trace_cpu *tc, const void *from, u32 size)
{
	void *rec = hyp_reserve_slow(tc, size);

	if (!rec)
		return false;
	memcpy(rec, from, size);
	hyp_commit_slow(tc, rec, size);
	return true;
}

/* On the slow path. Where HYP_EVENT_EXTRA may mean something else, there may be no filter */
static inline bool hyp_passes_filter(u32 event, const struct remote_rec *rec, u32 size)
{
	const bool may_lack = IS_ENABLED(CONFIG_NVHE_EL2_STACKS) ||
			      IS_ENABLED(CONFIG_NVHE_EL2_TRIGGERS);
	const struct remote_filter *filter = READ_ONCE(hyp_filters[event]);

	if (may_lack && (!filter || !READ_ONCE(filter->nr)))
		return true;
	return remote_filter_match(filter, rec, size);
}

/*
 * trace_triggers.c. hyp_write_triggered() is for events that have HYP_EVENT_TRIGGERED, while the
 * writer is on: it writes this CPU's @slow, which has its pid, and does what the triggers say. The
 * call chain of the event begins with @pc and @fp.
 * hyp_trace_forget_entry() is called when the writer is switched on. hyp_filter_size() is the size
 * of what a filter sees of an event. The functions below that have the lock of the events.
 */
#ifdef CONFIG_NVHE_EL2_TRIGGERS
#define HYP_HAS_TRIGGERS	true
/* The id of each event that is on, whether or not writers are stopped */
extern u16 hyp_wanted_ids[NR_HYP_EVENTS];

void hyp_write_triggered(struct hyp_trace_cpu *tc, u32 event, u16 id, unsigned long pc,
			 unsigned long fp);
void hyp_trace_forget_entry(struct hyp_trace_cpu *tc);
u32 hyp_filter_size(u32 event);
u64 hyp_counter_to_ns(u64 cycles);
u16 hyp_trace_event_id(u32 event);
void hyp_trace_set_event_id(u32 event, u16 id);
void hyp_trace_refresh_event(u32 event);
bool hyp_trace_event_is_armed(u32 event);
int hyp_trace_set_triggers_locked(u32 event, u32 nr, u64 pfn);
s64 hyp_trace_trigger_locked(u32 what, u32 event, u32 value);
#else
#define HYP_HAS_TRIGGERS	false
static inline void hyp_write_triggered(struct hyp_trace_cpu *tc, u32 event, u16 id,
				       unsigned long pc, unsigned long fp) { }
static inline void hyp_trace_forget_entry(struct hyp_trace_cpu *tc) { }
static inline u32 hyp_filter_size(u32 event) { return hyp_rec_sizes[event]; }
static inline bool hyp_trace_event_is_armed(u32 event) { return false; }
#endif

/*
 * trace_boot.c. hyp_boot_reserve() is for an event while the writer is off: it returns room for
 * the record, of which the type and the pid are added later, or NULL. hyp_boot_log_event() copies
 * a record there. hyp_boot_writer_is_on() is called after the writer has been switched on, before
 * the first event; @came_up: because the CPU has come up. hyp_boot_own_call_begins() and _ends()
 * are called before and after a call is handled that prepares tracing, of which the log has
 * nothing; hyp_boot_cpu_off() before the CPU goes off; and hyp_boot_end() when there is to be no
 * log any more.
 */
#ifdef CONFIG_NVHE_EL2_TRACING_BOOT
extern bool hyp_boot_logging;
DECLARE_PER_CPU(struct hyp_boot_ups, hyp_boot_ups);

/* Was there ever a log? If not, this is all that it costs */
static inline bool hyp_boot_has_log(void)
{
	return unlikely(READ_ONCE(hyp_boot_logging));
}

void *hyp_boot_reserve(u32 event, u32 size);
void hyp_boot_log_event(u32 event, const struct remote_rec *from, u32 size);
void hyp_boot_writer_is_on(struct hyp_trace_cpu *tc, bool came_up);
void hyp_boot_own_call_begins(void);
void hyp_boot_own_call_ends(void);
void hyp_boot_cpu_off(void);
void hyp_boot_end(void);
#else
static inline bool hyp_boot_has_log(void)
{
	return false;
}

static inline void *hyp_boot_reserve(u32 event, u32 size)
{
	return NULL;
}

static inline void hyp_boot_log_event(u32 event, const struct remote_rec *from, u32 size) { }
static inline void hyp_boot_writer_is_on(struct hyp_trace_cpu *tc, bool came_up) { }
static inline void hyp_boot_own_call_begins(void) { }
static inline void hyp_boot_own_call_ends(void) { }
static inline void hyp_boot_cpu_off(void) { }
static inline void hyp_boot_end(void) { }
#endif

/* trace_triggers.c: count at events, or not. The caller has the lock of the events */
void hyp_trace_set_counting_locked(bool on);

/* trace_buffers.c */
void hyp_trace_lock(hyp_spinlock_t *lock);
void hyp_trace_unlock(hyp_spinlock_t *lock);
int hyp_share_pages(u64 pfn, u32 nr, void **va);
void hyp_unshare_pages(void *va, u32 nr);
int hyp_take_page(u64 pfn, void **va);
void hyp_return_page(void *va);

/* The outermost lock of a call that prepares tracing */
static inline void hyp_trace_lock_call(hyp_spinlock_t *lock)
{
	hyp_boot_own_call_begins();
	hyp_trace_lock(lock);
}

static inline void hyp_trace_unlock_call(hyp_spinlock_t *lock)
{
	hyp_trace_unlock(lock);
	hyp_boot_own_call_ends();
}

#endif /* __ARM64_KVM_HYP_NVHE_TRACE_CORE_H__ */
