// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing at EL2: the life cycle of the per-CPU buffers, and the record
 * functions of all events.
 *
 * Trust: the host gives the pages and may be hostile in protected mode. What the
 * writer relies on (struct rb_writer and its table) is in EL2's own memory:
 * per-CPU data, and pages that the host donates. Sub-buffers and the meta page
 * are shared and pinned; EL2 only ever stores to them. No hypercall takes a
 * pointer to a request, so there is nothing to read twice. The clock's
 * parameters and the pids of the host's tasks are all that is read from the
 * host's memory; see struct hyp_clock_src.
 *
 * Locks: host_clock_lock, then hyp_trace_cpu::lock or events_lock, then those of
 * mem_protect.c. Writers take no lock: hyp_trace_cpu::lock serialises
 * the host's calls, the ring buffer's own protocol lets a swap run beside the
 * writer, and everything else happens while the writer is off, or on its own CPU.
 */
#include <linux/ring_buffer_writer.h>
#include <linux/trace_remote_filter.h>

#include <asm/kvm_hyp.h>
#include <asm/kvm_mmu.h>
#include <asm/sections.h>

#include <nvhe/clock.h>
#include <nvhe/mem_protect.h>
#include <nvhe/memory.h>
#include <nvhe/printk.h>
#include <nvhe/spinlock.h>
#include <nvhe/trace.h>

enum trace_state {
	TRACE_EMPTY = 0,
	TRACE_LOADING,
	TRACE_LOADED,
	TRACE_UNLOADING,
};

/**
 * struct slow_event - an event for write_slow(), which adds the type and the pid
 * @rec:	its record; aligned for filters
 * @event:	enum hyp_event
 */
struct slow_event {
	union {
		struct remote_rec	hdr;
#define REMOTE_EVENT(name, ...)	struct remote_rec_##name name;
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
	} rec __aligned(8);
	u32	event;
};

/**
 * struct hyp_trace_cpu - the buffer of one CPU
 * @writer:	the ring buffer; its table is built while LOADING
 * @task:	where the host says which task this CPU runs
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
	const struct hyp_trace_task	*task;
	struct hyp_clock		clock;
	struct slow_event		slow;
	hyp_spinlock_t			lock;
	enum trace_state		state;
	struct trace_buffer_meta	*meta;
	u32				cpu;
	u32				nr_subbufs;
	u32				nr_added;
	u32				nr_tables;
};

static DEFINE_PER_CPU(struct hyp_trace_cpu, trace_cpus);

/* The host's clock, and its last flags for CPUs that come up; under host_clock_lock */
static DEFINE_HYP_SPINLOCK(host_clock_lock);
static struct hyp_clock_src host_clock;
static u32 host_flags;

u32 hyp_event_ids[NR_HYP_EVENTS];

/*
 * The filter of each event, in a page of its own. The page stays while a writer that is on
 * may use it, also when the event has no filter any more.
 */
static struct remote_filter *hyp_filters[NR_HYP_EVENTS];

/* Protects the filters and the event ids; writers read both without it */
static DEFINE_HYP_SPINLOCK(events_lock);

/* Size of the record of each event; 0 where it has no filter */
static const u8 rec_sizes[NR_HYP_EVENTS] = {
#define REMOTE_EVENT(name, ...)	[HYP_EVENT_##name] = sizeof(struct remote_rec_##name),
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
};

static void *reserve_slow(struct hyp_trace_cpu *tc, u32 size)
{
	if (!tc->writer.on)
		return NULL;

	return rb_writer_reserve_slow(&tc->writer, size, hyp_clock_read_slow(&tc->clock));
}

/* Write this CPU's @slow. Only a panic can interrupt this with another event */
static noinline void write_slow(u32 type)
{
	struct hyp_trace_cpu *tc = this_cpu_ptr(&trace_cpus);
	struct remote_rec *from = &tc->slow.rec.hdr, *rec;
	u32 event = tc->slow.event, size = rec_sizes[event];
	bool filtered = type & HYP_EVENT_FILTERED;

	if (!tc->writer.on)
		return;

	from->type = type & ~HYP_EVENT_FILTERED;
	from->pid = READ_ONCE(tc->task->pid);
	if (filtered && !remote_filter_match(READ_ONCE(hyp_filters[event]), from, size))
		return;

	rec = reserve_slow(tc, size);
	if (!rec)
		return;
	memcpy(rec, from, size);
	rb_writer_commit(&tc->writer, rec, size);
}

/* A small field that is alone in the last word of its record */
#define IS_LAST_WORD(rec, t, f)						\
	(!is_signed_type(t) && sizeof(t) < sizeof(u32) &&		\
	 offsetof(typeof(*(rec)), f) == sizeof(*(rec)) - sizeof(u32))

/* Such a field is stored as a whole word, which zeroes the padding behind it */
#define STORE_FIELD(t, f)						\
	if (IS_LAST_WORD(__rec, t, f))					\
		((u32 *)__rec)[sizeof(*__rec) / 4 - 1] = f;		\
	else								\
		__rec->f = f;

#define STORE_FIELD_NONE

#define FIELD_SIZE(t, f)	sizeof(t)
#define FIELD_SIZE_NONE		0
#define PLUS()			+

/* The fields of an event, and the padding behind them */
#define FILL_RECORD(name, fields)					\
	static __always_inline void					\
	fill_##name(struct remote_rec_##name *__rec			\
		    HYP_EVENT_PARAMS(REMOTE_FIELDS(fields)))		\
	{								\
		const u32 size = sizeof(*__rec);			\
									\
		if (size != sizeof(struct remote_rec) +			\
		    __REMOTE_MAP(FIELD_SIZE, PLUS, fields))		\
			((u32 *)__rec)[size / 4 - 1] = 0;		\
		__REMOTE_MAP(STORE_FIELD, __REMOTE_NOSEP, fields)	\
	}

/* Writes an event through write_slow() */
#define WRITE_SLOW(tc, name, type, fields)				\
	do {								\
		fill_##name(&(tc)->slow.rec.name			\
			    REMOTE_AFTER(REMOTE_FIELDS(fields)));	\
		(tc)->slow.event = HYP_EVENT_##name;			\
		write_slow(type);					\
	} while (0)

#define RARE_EVENT(name, fields, ...)					\
	FILL_RECORD(name, REMOTE_FIELDS(fields))			\
									\
	void __trace_##name(u32 type HYP_EVENT_PARAMS(REMOTE_FIELDS(fields)))\
	{								\
		struct hyp_trace_cpu *tc = this_cpu_ptr(&trace_cpus);	\
									\
		WRITE_SLOW(tc, name, type, REMOTE_FIELDS(fields));	\
	}

/* __trace_<event>() handles only the common case, so that it needs no stack frame */
#define REMOTE_EVENT(name, fields, ...)					\
	FILL_RECORD(name, REMOTE_FIELDS(fields))			\
									\
	void __trace_##name(u32 type HYP_EVENT_PARAMS(REMOTE_FIELDS(fields)))\
	{								\
		const u32 size = sizeof(struct remote_rec_##name);	\
		struct hyp_trace_cpu *tc = this_cpu_ptr(&trace_cpus);	\
		const struct hyp_trace_task *task;			\
		struct remote_rec_##name *rec;				\
		struct rb_writer_spot spot;				\
		u64 ts, delta;						\
									\
		OPTIMIZER_HIDE_VAR(tc);	/* one base for all loads */	\
		task = tc->task;					\
		if (!rb_writer_find(&tc->writer, size, &spot) ||	\
		    !hyp_clock_read(tc->clock.now, &ts))		\
			goto slow;					\
		delta = ts - spot.ts;					\
		OPTIMIZER_HIDE_VAR(delta); /* not computed again as a u32 */\
		/* Last, so that the loads above stay pairs */		\
		if (unlikely(delta >> RB_PAGE_DELTA_BITS) ||		\
		    unlikely(type & HYP_EVENT_FILTERED))		\
			goto slow;					\
		rec = rb_writer_put(&spot, size, delta);		\
		rec->hdr.type = type;					\
		fill_##name(rec REMOTE_AFTER(REMOTE_FIELDS(fields)));	\
		rec->hdr.pid = READ_ONCE(task->pid);			\
		rb_writer_commit_at(&tc->writer, &spot, ts);		\
		return;							\
	slow:								\
		WRITE_SLOW(tc, name, type, REMOTE_FIELDS(fields));	\
	}
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT

static u64 kimage_address(unsigned long hyp_addr)
{
	u64 voffset;

	asm(ALTERNATIVE_CB("movz	%0, #0\n"
			   "movk	%0, #0, lsl #16\n"
			   "movk	%0, #0, lsl #32\n"
			   "movk	%0, #0, lsl #48\n",
			   ARM64_ALWAYS_SYSTEM, kvm_get_kimage_voffset)
	    : "=r" (voffset));
	return __hyp_pa(hyp_addr) + voffset;
}

u64 hyp_printk_pointer(unsigned long ptr)
{
	if (ptr >= (unsigned long)__hyp_text_start && ptr < (unsigned long)__hyp_text_end)
		return kimage_address(ptr);
	return IS_ENABLED(CONFIG_NVHE_EL2_DEBUG) ? ptr : 0;
}

void __trace_hyp_printk(u32 type, unsigned long ip, const char *fmt, const u32 *words, u32 nr)
{
	struct hyp_trace_cpu *tc = this_cpu_ptr(&trace_cpus);
	const u32 size = sizeof(struct remote_printk) + nr * sizeof(*words);
	struct remote_printk *rec = reserve_slow(tc, size);

	if (!rec)
		return;

	rec->hdr.type = type;
	rec->hdr.pid = READ_ONCE(tc->task->pid);
	rec->ip = hyp_printk_pointer(ip);
	rec->fmt = kimage_address((unsigned long)fmt);
	memcpy(rec->words, words, nr * sizeof(*words));
	rb_writer_commit(&tc->writer, rec, size);
}

bool hyp_trace_written(u64 *written)
{
	const struct rb_writer *w = &this_cpu_ptr(&trace_cpus)->writer;

	*written = w->entries + w->dropped;
	return w->on;
}

/* Since a panic, no event can be switched on */
static bool panicked;

/**
 * struct panic_regs - what a panic is reported with
 * @writing:	the event of that panic is being written
 * @spsr:	SPSR_EL2
 * @elr:	ELR_EL2
 * @esr:	ESR_EL2
 * @far:	FAR_EL2
 * @hpfar:	HPFAR_EL2
 */
struct panic_regs {
	bool	writing;
	u64	spsr;
	u64	elr;
	u64	esr;
	u64	far;
	u64	hpfar;
};

static DEFINE_PER_CPU(struct panic_regs, panic_regs);

static void save_panic(struct panic_regs *regs, u64 spsr, u64 elr)
{
	regs->spsr = spsr;
	regs->elr = elr;
	regs->esr = read_sysreg_el2(SYS_ESR);
	regs->far = read_sysreg_el2(SYS_FAR);
	regs->hpfar = read_sysreg(hpfar_el2);
}

static void restore_panic(const struct panic_regs *regs, u64 *spsr, u64 *elr)
{
	*spsr = regs->spsr;
	*elr = regs->elr;
	write_sysreg_el2(regs->esr, SYS_ESR);
	write_sysreg_el2(regs->far, SYS_FAR);
	write_sysreg(regs->hpfar, hpfar_el2);
}

/* Keeps the events that led here, and stops a panic in the last event from recursing */
static void switch_events_off(void)
{
	u32 event;

	WRITE_ONCE(panicked, true);
	smp_mb(); /* pairs with set_event_id(): it sees the panic, or its id is zeroed here */
	for (event = 0; event < NR_HYP_EVENTS; event++)
		WRITE_ONCE(hyp_event_ids[event], 0);
}

void hyp_trace_panic(u64 *spsr, u64 *elr)
{
	struct panic_regs *regs = this_cpu_ptr(&panic_regs);
	u32 type = READ_ONCE(hyp_event_ids[HYP_EVENT_hyp_panic]);

	if (READ_ONCE(regs->writing)) {
		restore_panic(regs, spsr, elr);
		WRITE_ONCE(regs->writing, false);
		return;
	}

	switch_events_off();
	if (!type)
		return;
	save_panic(regs, *spsr, *elr);
	WRITE_ONCE(regs->writing, true);
	barrier(); /* all of this is in memory before a fault */
	__trace_hyp_panic(type, regs->esr, regs->far, hyp_printk_pointer(regs->elr));
	WRITE_ONCE(regs->writing, false);
}

/* The buffer of CPU @cpu, or NULL when there is no such CPU */
static struct hyp_trace_cpu *trace_cpu(u32 cpu)
{
	if (cpu >= NR_CPUS || !kvm_arm_hyp_percpu_base[cpu])
		return NULL;

	return per_cpu_ptr(&trace_cpus, cpu);
}

/* Not inline, like the ones below: a lock is much code */
static noinline void lock(hyp_spinlock_t *lock)
{
	hyp_spin_lock(lock);
}

static noinline void unlock(hyp_spinlock_t *lock)
{
	hyp_spin_unlock(lock);
}

/* The buffer of CPU @cpu, locked; NULL when there is no such CPU */
static noinline struct hyp_trace_cpu *lock_cpu(u32 cpu)
{
	struct hyp_trace_cpu *tc = trace_cpu(cpu);

	if (tc)
		lock(&tc->lock);
	return tc;
}

static noinline int unlock_cpu(struct hyp_trace_cpu *tc, int ret)
{
	unlock(&tc->lock);
	return ret;
}

/*
 * A CPU switches its own writer on and off, and holds host_clock_lock and its buffer's lock
 * then. So with either lock, another CPU knows: a writer that is off stays off, and all
 * that it wrote can be seen.
 */
static bool writer_is_on(struct hyp_trace_cpu *tc)
{
	return tc->writer.on;
}

/* @nr has been checked, so that nothing overflows */
static bool valid_pfns(u64 pfn, u32 nr)
{
	return pfn <= (PHYS_MASK >> PAGE_SHIFT) - (nr - 1);
}

/* OWNED by the host => SHARED with EL2 and pinned: all of the pages or none */
static int share_pages(u64 pfn, u32 nr, void **va)
{
	int ret;

	if (!valid_pfns(pfn, nr))
		return -EINVAL;

	if (is_protected_kvm_enabled()) {
		ret = __pkvm_host_share_pin_hyp(pfn, nr);
		if (ret)
			return ret;
	}

	*va = __hyp_va(hyp_pfn_to_phys(pfn));
	return 0;
}

/* SHARED with EL2 and pinned => OWNED by the host, or SHARED if it is pinned for a clock or VM */
static void unshare_pages(void *va, u32 nr)
{
	if (is_protected_kvm_enabled())
		__pkvm_host_unpin_unshare_hyp(hyp_virt_to_pfn(va), nr);
}

/* OWNED by the host => OWNED by EL2 */
static int take_page(u64 pfn, void **va)
{
	int ret;

	if (!valid_pfns(pfn, 1))
		return -EINVAL;

	if (is_protected_kvm_enabled()) {
		ret = __pkvm_host_donate_hyp(pfn, 1);
		if (ret)
			return ret;
	}

	*va = __hyp_va(hyp_pfn_to_phys(pfn));
	return 0;
}

static int take_zeroed_page(u64 pfn, void **va)
{
	int ret = take_page(pfn, va);

	if (!ret)
		memset(*va, 0, PAGE_SIZE);
	return ret;
}

/*
 * OWNED by EL2 => OWNED by the host, zeroed. The zeroes go to memory, as a host that maps
 * the page non-cacheable would find there what was evicted from the cache before.
 */
static void return_page(void *va)
{
	memset(va, 0, PAGE_SIZE);
	if (is_protected_kvm_enabled()) {
		kvm_flush_dcache_to_poc(va, PAGE_SIZE);
		WARN_ON(__pkvm_hyp_donate_host(hyp_virt_to_pfn(va), 1));
	}
}

static struct rb_writer_subbuf *table_entry(struct hyp_trace_cpu *tc, u32 id)
{
	return &tc->writer.table[id / RB_WRITER_SUBBUFS_PER_PAGE]
				[id % RB_WRITER_SUBBUFS_PER_PAGE];
}

static int begin_locked(struct hyp_trace_cpu *tc, u32 cpu, u64 meta_pfn, u64 root_pfn,
			u32 nr_subbufs)
{
	void *meta, *root;
	int ret;

	if (tc->state != TRACE_EMPTY)
		return -EBUSY;

	ret = share_pages(meta_pfn, 1, &meta);
	if (ret)
		return ret;

	ret = take_zeroed_page(root_pfn, &root);
	if (ret) {
		unshare_pages(meta, 1);
		return ret;
	}

	memset(&tc->writer, 0, sizeof(tc->writer));
	tc->writer.table = root;
	tc->meta = meta;
	tc->cpu = cpu;
	tc->nr_subbufs = nr_subbufs;
	tc->nr_added = 0;
	tc->nr_tables = 0;
	tc->state = TRACE_LOADING;
	return 0;
}

int __hyp_trace_begin(u32 cpu, u64 meta_pfn, u64 root_pfn, u32 nr_subbufs)
{
	struct hyp_trace_cpu *tc;

	if (nr_subbufs < RB_WRITER_MIN_SUBBUFS || nr_subbufs > RB_WRITER_MAX_SUBBUFS)
		return -EINVAL;

	tc = lock_cpu(cpu);
	return tc ? unlock_cpu(tc, begin_locked(tc, cpu, meta_pfn, root_pfn, nr_subbufs)) : -EINVAL;
}

static int add_table_locked(struct hyp_trace_cpu *tc, u64 pfn)
{
	void *table;
	int ret;

	if (tc->state != TRACE_LOADING)
		return -EBUSY;
	if (tc->nr_tables * RB_WRITER_SUBBUFS_PER_PAGE >= tc->nr_subbufs)
		return -ENOSPC;

	ret = take_zeroed_page(pfn, &table);
	if (ret)
		return ret;

	tc->writer.table[tc->nr_tables++] = table;
	return 0;
}

int __hyp_trace_add_table(u32 cpu, u64 pfn)
{
	struct hyp_trace_cpu *tc = lock_cpu(cpu);

	return tc ? unlock_cpu(tc, add_table_locked(tc, pfn)) : -EINVAL;
}

static void loaded(struct hyp_trace_cpu *tc)
{
	memset(tc->meta, 0, PAGE_SIZE);
	rb_writer_init(&tc->writer, tc->meta, tc->nr_subbufs);
	tc->state = TRACE_LOADED;
}

static int add_subbufs_locked(struct hyp_trace_cpu *tc, u64 pfn, u32 nr)
{
	void *page;
	int ret;

	if (tc->state != TRACE_LOADING)
		return -EBUSY;
	if (tc->nr_added + nr > tc->nr_subbufs)
		return -ENOSPC;
	if (tc->nr_added + nr > tc->nr_tables * RB_WRITER_SUBBUFS_PER_PAGE)
		return -ENOMEM;

	ret = share_pages(pfn, nr, &page);
	if (ret)
		return ret;

	for (; nr; nr--, page += PAGE_SIZE)
		rb_writer_add_subbuf(&tc->writer, tc->nr_added++, page);
	if (tc->nr_added == tc->nr_subbufs)
		loaded(tc);
	return 0;
}

int __hyp_trace_add_subbufs(u32 cpu, u64 pfn, u32 nr)
{
	struct hyp_trace_cpu *tc;

	/* They are mapped as pages: each can be unmapped alone */
	static_assert(HYP_TRACE_PAGES_PER_ADD < PTRS_PER_PTE);

	if (!nr || nr > HYP_TRACE_PAGES_PER_ADD)
		return -EINVAL;

	tc = lock_cpu(cpu);
	return tc ? unlock_cpu(tc, add_subbufs_locked(tc, pfn, nr)) : -EINVAL;
}

/* Give back up to @max of the last sub-buffers, whose pages follow each other. How many? */
static u32 drop_subbufs(struct hyp_trace_cpu *tc, u32 max)
{
	void *page = NULL, *last;
	u32 nr;

	for (nr = 0; nr < max && tc->nr_added; nr++) {
		last = table_entry(tc, tc->nr_added - 1)->page;
		if (nr && last + PAGE_SIZE != page)
			break;
		page = last;
		tc->nr_added--;
	}
	unshare_pages(page, nr);
	return nr;
}

/* Give back up to @max pages. How many? 0 when these were the last */
static u32 unload_some_locked(struct hyp_trace_cpu *tc, u32 max)
{
	if (tc->nr_added)
		return drop_subbufs(tc, max);
	if (tc->nr_tables) {
		return_page(tc->writer.table[--tc->nr_tables]);
		return 1;
	}

	return_page(tc->writer.table);
	unshare_pages(tc->meta, 1);
	memset(&tc->writer, 0, sizeof(tc->writer));
	tc->meta = NULL;
	tc->state = TRACE_EMPTY;
	return 0;
}

static int unload_locked(struct hyp_trace_cpu *tc)
{
	u32 left, nr;

	hyp_assert_lock_held(&tc->lock);
	switch (tc->state) {
	case TRACE_EMPTY:
		return 0;
	case TRACE_LOADED:
		if (writer_is_on(tc))
			return -EBUSY;
		break;
	case TRACE_LOADING:
	case TRACE_UNLOADING:
		break;
	}

	/* No way back to LOADED: from here on, the writer's table is incomplete */
	tc->state = TRACE_UNLOADING;
	for (left = HYP_TRACE_PAGES_PER_UNLOAD; left; left -= nr) {
		nr = unload_some_locked(tc, left);
		if (!nr)
			return 0;
	}

	return tc->nr_added + tc->nr_tables + 2;
}

int __hyp_trace_unload(u32 cpu)
{
	struct hyp_trace_cpu *tc = lock_cpu(cpu);

	return tc ? unlock_cpu(tc, unload_locked(tc)) : -EINVAL;
}

static int enable_locked(struct hyp_trace_cpu *tc, u32 flags)
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

	tc->task = (const struct hyp_trace_task *)host_clock.tasks + tc->cpu;
	*host_data_ptr(trace_task) = tc->task;
	tc->writer.overwrite = flags & HYP_TRACE_OVERWRITE;
	hyp_clock_init(&tc->clock, &host_clock);
	if (!writer_is_on(tc)) {
		rb_writer_set_on(&tc->writer, true);
		trace_trace_on(flags);
	}
	return 0;
}

/* Switch this CPU's writer; the host's flags are kept for CPUs that come up later */
static int enable_this_cpu(u32 flags, bool from_host)
{
	struct hyp_trace_cpu *tc = this_cpu_ptr(&trace_cpus);
	int ret;

	lock(&host_clock_lock);
	if (!from_host)
		flags = flags & host_flags;
	lock(&tc->lock);
	ret = enable_locked(tc, flags);
	unlock(&tc->lock);
	if (from_host && !ret)
		host_flags = flags;
	unlock(&host_clock_lock);

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
	enable_this_cpu(0, false);
}

void hyp_trace_cpu_entry(void)
{
	enable_this_cpu(HYP_TRACE_ON | HYP_TRACE_OVERWRITE, false);
}

static bool has_filter(u32 event)
{
	return hyp_filters[event] && hyp_filters[event]->nr;
}

static void set_event_id(u32 event, u16 id)
{
	hyp_assert_lock_held(&events_lock);
	WRITE_ONCE(hyp_event_ids[event], id && has_filter(event) ? id | HYP_EVENT_FILTERED : id);
	smp_mb(); /* pairs with switch_events_off() */
	if (READ_ONCE(panicked))
		WRITE_ONCE(hyp_event_ids[event], 0);
}

int __hyp_trace_enable_event(u32 event, u32 id)
{
	if (event >= NR_HYP_EVENTS || id > U16_MAX)
		return -EINVAL;

	lock(&events_lock);
	set_event_id(event, id);
	unlock(&events_lock);

	return 0;
}

static bool any_writer_is_on(void)
{
	u32 cpu;

	hyp_assert_lock_held(&host_clock_lock);
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		struct hyp_trace_cpu *tc = trace_cpu(cpu);

		if (tc && writer_is_on(tc))
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
	set_event_id(event, hyp_event_ids[event]);
	if (any_writer_is_on())
		return 1;
	hyp_filters[event] = NULL;
	return_page(old);
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

	ret = take_page(pfn, (void **)&new);
	if (ret)
		return ret;

	/* From here on, the host cannot change it */
	new->nr = nr;
	ret = remote_filter_check(new, rec_sizes[event]);
	if (!ret && !old)
		smp_store_release(&hyp_filters[event], new); /* the program is complete */
	else if (!ret)
		*old = *new;
	if (!ret)
		set_event_id(event, hyp_event_ids[event]);
	if (!ret && !old)
		return 1;
	return_page(new);
	return ret;
}

int __hyp_trace_set_filter(u32 event, u32 nr, u64 pfn)
{
	int ret;

	if (event >= NR_HYP_EVENTS || (nr && !rec_sizes[event]))
		return -EINVAL;

	lock(&host_clock_lock);
	lock(&events_lock);
	ret = set_filter_locked(event, nr, pfn);
	unlock(&events_lock);
	unlock(&host_clock_lock);

	return ret;
}

static int swap_locked(struct hyp_trace_cpu *tc, u32 seen)
{
	hyp_assert_lock_held(&tc->lock);
	return tc->state == TRACE_LOADED ? rb_writer_swap(&tc->writer, seen) : -ENODEV;
}

int __hyp_trace_swap_reader(u32 cpu, u32 seen)
{
	struct hyp_trace_cpu *tc = lock_cpu(cpu);

	return tc ? unlock_cpu(tc, swap_locked(tc, seen)) : -EINVAL;
}

static int reset_locked(struct hyp_trace_cpu *tc)
{
	hyp_assert_lock_held(&tc->lock);
	if (tc->state != TRACE_LOADED)
		return -ENODEV;
	if (tc != this_cpu_ptr(&trace_cpus) && writer_is_on(tc))
		return -EBUSY;

	rb_writer_reset(&tc->writer);
	return 0;
}

int __hyp_trace_reset(u32 cpu)
{
	struct hyp_trace_cpu *tc = lock_cpu(cpu);

	return tc ? unlock_cpu(tc, reset_locked(tc)) : -EINVAL;
}

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

static u64 hyp_address(u64 addr)
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

	hyp_clock_parts(src, parts);
	ret = pin_parts(parts);
	if (ret)
		return ret;

	hyp_clock_parts(&host_clock, old_parts);
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

	lock(&host_clock_lock);
	ret = set_clock_locked(&hyp_src);
	unlock(&host_clock_lock);

	return ret;
}
