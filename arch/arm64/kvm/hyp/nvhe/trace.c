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
 * parameters are the one thing read from the host's memory; see nvhe/clock.h.
 *
 * Locks: host_clock_lock, then hyp_trace_cpu::lock, then those of mem_protect.c;
 * events_lock is taken alone. Writers take no lock: hyp_trace_cpu::lock serialises
 * the host's calls, the ring buffer's own protocol lets a swap run beside the
 * writer, and everything else happens while the writer is off, or on its own CPU.
 */
#include <linux/ring_buffer_writer.h>
#include <linux/sched_clock.h>
#include <linux/timekeeper_internal.h>
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
 * struct hyp_trace_cpu - the buffer of one CPU
 * @writer:	the ring buffer; its table is built while LOADING
 * @host_ctxt:	this CPU's host context, which holds the host's pid while a guest's
 *		state is loaded
 * @clock:	this CPU's clock
 * @lock:	serialises the host's calls
 * @state:	see the hypercalls in nvhe/trace.h
 * @meta:	the shared meta page
 * @nr_subbufs:	sub-buffers that __hyp_trace_begin() announced
 * @nr_added:	sub-buffers that EL2 holds
 * @nr_tables:	table pages that EL2 holds, without the root
 */
struct hyp_trace_cpu {
	/* The end of @writer and the next two members are used for every event */
	struct rb_writer		writer;
	struct kvm_cpu_context		*host_ctxt;
	struct hyp_clock		clock;
	hyp_spinlock_t			lock;
	enum trace_state		state;
	struct trace_buffer_meta	*meta;
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

/* The filter of each event, and the one that the host is building */
static struct remote_filter hyp_filters[NR_HYP_EVENTS];
static struct remote_filter next_filter;

/* Protects the filters and the event ids; writers read both without it */
static DEFINE_HYP_SPINLOCK(events_lock);

static __always_inline s32 trace_pid(const struct kvm_cpu_context *host_ctxt)
{
	if (unlikely(host_ctxt->__hyp_running_vcpu))
		return ctxt_sys_reg(host_ctxt, CONTEXTIDR_EL1);

	return read_sysreg_el1(SYS_CONTEXTIDR);
}

static void *reserve_slow(struct hyp_trace_cpu *tc, u32 size)
{
	if (!tc->writer.on)
		return NULL;

	return rb_writer_reserve_slow(&tc->writer, size, hyp_clock_read_slow(&tc->clock));
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

/*
 * __trace_<event>() handles only the common case, so that it needs no stack frame;
 * slow_<event>() handles the rest.
 */
#define REMOTE_EVENT(name, fields, ...)					\
	static __always_inline void					\
	fill_##name(struct remote_rec_##name *__rec, s32 pid, u32 type	\
		    HYP_EVENT_PARAMS(REMOTE_FIELDS(fields)))		\
	{								\
		const u32 size = sizeof(*__rec);			\
									\
		if (size != sizeof(struct remote_rec) +			\
		    __REMOTE_MAP(FIELD_SIZE, PLUS, fields))		\
			((u32 *)__rec)[size / 4 - 1] = 0;		\
		__rec->hdr.type = type;					\
		__rec->hdr.pid = pid;					\
		__REMOTE_MAP(STORE_FIELD, __REMOTE_NOSEP, fields)	\
	}								\
									\
	static noinline void						\
	slow_##name(u32 type HYP_EVENT_PARAMS(REMOTE_FIELDS(fields)))	\
	{								\
		struct hyp_trace_cpu *tc = this_cpu_ptr(&trace_cpus);	\
		const u32 size = sizeof(struct remote_rec_##name);	\
		void *rec;						\
									\
		if (!tc->writer.on)					\
			return;						\
		if (type & HYP_EVENT_FILTERED) {			\
			struct remote_rec_##name filled __aligned(8);	\
									\
			type = (u16)type;				\
			fill_##name(&filled, trace_pid(tc->host_ctxt), type\
				    REMOTE_AFTER(REMOTE_FIELDS(fields)));\
			if (!remote_filter_match(&hyp_filters[HYP_EVENT_##name],\
						 &filled, size))	\
				return;					\
		}							\
		rec = reserve_slow(tc, size);				\
		if (!rec)						\
			return;						\
		fill_##name(rec, trace_pid(tc->host_ctxt), type		\
			    REMOTE_AFTER(REMOTE_FIELDS(fields)));	\
		rb_writer_commit(&tc->writer, rec, size);		\
	}								\
									\
	void __trace_##name(u32 type HYP_EVENT_PARAMS(REMOTE_FIELDS(fields)))\
	{								\
		const u32 size = sizeof(struct remote_rec_##name);	\
		struct hyp_trace_cpu *tc = this_cpu_ptr(&trace_cpus);	\
		const struct kvm_cpu_context *host_ctxt;		\
		struct rb_writer_spot spot;				\
		u64 ts, delta;						\
		s32 pid;						\
									\
		OPTIMIZER_HIDE_VAR(tc);	/* one base for all loads */	\
		host_ctxt = tc->host_ctxt;				\
		if (!rb_writer_find(&tc->writer, size, &spot) ||	\
		    !hyp_clock_read(tc->clock.now, &ts))		\
			goto slow;					\
		delta = ts - spot.ts;					\
		OPTIMIZER_HIDE_VAR(delta); /* not computed again as a u32 */\
		/* Last, so that the loads above stay pairs */		\
		if (unlikely(delta >> RB_PAGE_DELTA_BITS) ||		\
		    unlikely(type & HYP_EVENT_FILTERED))		\
			goto slow;					\
		pid = trace_pid(host_ctxt);				\
		fill_##name(rb_writer_put(&spot, size, delta), pid, type\
			    REMOTE_AFTER(REMOTE_FIELDS(fields)));	\
		rb_writer_commit_at(&tc->writer, &spot, ts);		\
		return;							\
	slow:								\
		slow_##name(type REMOTE_AFTER(REMOTE_FIELDS(fields)));	\
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
	rec->hdr.pid = trace_pid(tc->host_ctxt);
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

/*
 * A CPU switches its own writer on and off, and holds host_clock_lock and its buffer's lock
 * then. So with either lock, another CPU knows: a writer that is off stays off, and all
 * that it wrote can be seen.
 */
static bool writer_is_on(struct hyp_trace_cpu *tc)
{
	return tc->writer.on;
}

static bool valid_pfn(u64 pfn)
{
	return pfn <= PHYS_MASK >> PAGE_SHIFT;
}

/* OWNED by the host => SHARED with EL2 and pinned */
static int share_page(u64 pfn, void **va)
{
	int ret;

	if (!valid_pfn(pfn))
		return -EINVAL;

	if (is_protected_kvm_enabled()) {
		ret = __pkvm_host_share_pin_hyp(pfn);
		if (ret)
			return ret;
	}

	*va = __hyp_va(hyp_pfn_to_phys(pfn));
	return 0;
}

/* SHARED with EL2 and pinned => OWNED by the host, or SHARED if it is pinned for a clock or VM */
static void unshare_page(void *va)
{
	if (is_protected_kvm_enabled())
		__pkvm_host_unpin_unshare_hyp(hyp_virt_to_pfn(va));
}

/* OWNED by the host => OWNED by EL2, zeroed */
static int take_page(u64 pfn, void **va)
{
	int ret;

	if (!valid_pfn(pfn))
		return -EINVAL;

	if (is_protected_kvm_enabled()) {
		ret = __pkvm_host_donate_hyp(pfn, 1);
		if (ret)
			return ret;
	}

	*va = __hyp_va(hyp_pfn_to_phys(pfn));
	memset(*va, 0, PAGE_SIZE);
	return 0;
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

static int begin_locked(struct hyp_trace_cpu *tc, u64 meta_pfn, u64 root_pfn, u32 nr_subbufs)
{
	void *meta, *root;
	int ret;

	if (tc->state != TRACE_EMPTY)
		return -EBUSY;

	ret = share_page(meta_pfn, &meta);
	if (ret)
		return ret;

	ret = take_page(root_pfn, &root);
	if (ret) {
		unshare_page(meta);
		return ret;
	}

	memset(&tc->writer, 0, sizeof(tc->writer));
	tc->writer.table = root;
	tc->meta = meta;
	tc->nr_subbufs = nr_subbufs;
	tc->nr_added = 0;
	tc->nr_tables = 0;
	tc->state = TRACE_LOADING;
	return 0;
}

int __hyp_trace_begin(u32 cpu, u64 meta_pfn, u64 root_pfn, u32 nr_subbufs)
{
	struct hyp_trace_cpu *tc = trace_cpu(cpu);
	int ret;

	if (!tc || nr_subbufs < RB_WRITER_MIN_SUBBUFS || nr_subbufs > RB_WRITER_MAX_SUBBUFS)
		return -EINVAL;

	hyp_spin_lock(&tc->lock);
	ret = begin_locked(tc, meta_pfn, root_pfn, nr_subbufs);
	hyp_spin_unlock(&tc->lock);

	return ret;
}

static int add_table_locked(struct hyp_trace_cpu *tc, u64 pfn)
{
	void *table;
	int ret;

	if (tc->state != TRACE_LOADING)
		return -EBUSY;
	if (tc->nr_tables * RB_WRITER_SUBBUFS_PER_PAGE >= tc->nr_subbufs)
		return -ENOSPC;

	ret = take_page(pfn, &table);
	if (ret)
		return ret;

	tc->writer.table[tc->nr_tables++] = table;
	return 0;
}

int __hyp_trace_add_table(u32 cpu, u64 pfn)
{
	struct hyp_trace_cpu *tc = trace_cpu(cpu);
	int ret;

	if (!tc)
		return -EINVAL;

	hyp_spin_lock(&tc->lock);
	ret = add_table_locked(tc, pfn);
	hyp_spin_unlock(&tc->lock);

	return ret;
}

static void drop_last_subbuf(struct hyp_trace_cpu *tc)
{
	unshare_page(table_entry(tc, --tc->nr_added)->page);
}

static int add_subbufs_locked(struct hyp_trace_cpu *tc, u32 nr, const u64 *pfns)
{
	void *page;
	int i, ret;

	if (tc->state != TRACE_LOADING)
		return -EBUSY;
	if (tc->nr_added + nr > tc->nr_subbufs)
		return -ENOSPC;
	if (tc->nr_added + nr > tc->nr_tables * RB_WRITER_SUBBUFS_PER_PAGE)
		return -ENOMEM;

	for (i = 0; i < nr; i++) {
		ret = share_page(pfns[i], &page);
		if (ret)
			goto drop_added;
		rb_writer_add_subbuf(&tc->writer, tc->nr_added++, page);
	}
	return 0;

drop_added:
	while (i--)
		drop_last_subbuf(tc);
	return ret;
}

int __hyp_trace_add_subbufs(u32 cpu, u32 nr, const u64 *pfns)
{
	struct hyp_trace_cpu *tc = trace_cpu(cpu);
	int ret;

	if (!tc || !nr || nr > HYP_TRACE_PFNS_PER_CALL)
		return -EINVAL;

	hyp_spin_lock(&tc->lock);
	ret = add_subbufs_locked(tc, nr, pfns);
	hyp_spin_unlock(&tc->lock);

	return ret;
}

static int ready_locked(struct hyp_trace_cpu *tc)
{
	if (tc->state != TRACE_LOADING)
		return -EBUSY;
	if (tc->nr_added != tc->nr_subbufs)
		return -ENODATA;

	memset(tc->meta, 0, PAGE_SIZE);
	rb_writer_init(&tc->writer, tc->meta, tc->nr_subbufs);
	tc->state = TRACE_LOADED;
	return 0;
}

int __hyp_trace_ready(u32 cpu)
{
	struct hyp_trace_cpu *tc = trace_cpu(cpu);
	int ret;

	if (!tc)
		return -EINVAL;

	hyp_spin_lock(&tc->lock);
	ret = ready_locked(tc);
	hyp_spin_unlock(&tc->lock);

	return ret;
}

/* Give back one page; false when it was the last */
static bool unload_one_locked(struct hyp_trace_cpu *tc)
{
	if (tc->nr_added) {
		drop_last_subbuf(tc);
		return true;
	}
	if (tc->nr_tables) {
		return_page(tc->writer.table[--tc->nr_tables]);
		return true;
	}

	return_page(tc->writer.table);
	unshare_page(tc->meta);
	memset(&tc->writer, 0, sizeof(tc->writer));
	tc->meta = NULL;
	tc->state = TRACE_EMPTY;
	return false;
}

static int unload_locked(struct hyp_trace_cpu *tc)
{
	int i;

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
	for (i = 0; i < HYP_TRACE_PAGES_PER_UNLOAD; i++) {
		if (!unload_one_locked(tc))
			return 0;
	}

	return tc->nr_added + tc->nr_tables + 2;
}

int __hyp_trace_unload(u32 cpu)
{
	struct hyp_trace_cpu *tc = trace_cpu(cpu);
	int ret;

	if (!tc)
		return -EINVAL;

	hyp_spin_lock(&tc->lock);
	ret = unload_locked(tc);
	hyp_spin_unlock(&tc->lock);

	return ret;
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
		return 0;
	}
	if (host_clock.kind == HYP_CLOCK_NONE)
		return -ENXIO;

	tc->host_ctxt = host_data_ptr(host_ctxt);
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

	hyp_spin_lock(&host_clock_lock);
	if (!from_host)
		flags = flags & host_flags;
	hyp_spin_lock(&tc->lock);
	ret = enable_locked(tc, flags);
	hyp_spin_unlock(&tc->lock);
	if (from_host && !ret)
		host_flags = flags;
	hyp_spin_unlock(&host_clock_lock);

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

/* Size of the record of each event; 0 where it has no filter */
static const u32 rec_sizes[NR_HYP_EVENTS] = {
#define REMOTE_EVENT(name, ...)	[HYP_EVENT_##name] = sizeof(struct remote_rec_##name),
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
};

static void set_event_id(u32 event, u16 id)
{
	hyp_assert_lock_held(&events_lock);
	WRITE_ONCE(hyp_event_ids[event],
		   id && hyp_filters[event].nr ? id | HYP_EVENT_FILTERED : id);
	smp_mb(); /* pairs with switch_events_off() */
	if (READ_ONCE(panicked))
		WRITE_ONCE(hyp_event_ids[event], 0);
}

int __hyp_trace_enable_event(u32 event, u32 id)
{
	if (event >= NR_HYP_EVENTS || id > U16_MAX)
		return -EINVAL;

	hyp_spin_lock(&events_lock);
	set_event_id(event, id);
	hyp_spin_unlock(&events_lock);

	return 0;
}

int __hyp_trace_filter_insn(u32 index, u64 word0, u64 word1)
{
	u64 words[] = { word0, word1 };

	if (index >= REMOTE_FILTER_MAX)
		return -EINVAL;

	hyp_spin_lock(&events_lock);
	memcpy(&next_filter.insns[index], words, sizeof(words));
	hyp_spin_unlock(&events_lock);

	return 0;
}

/* A writer may run the filter while it is replaced; see remote_filter_match() */
static int set_filter_locked(u32 event, u32 nr)
{
	hyp_assert_lock_held(&events_lock);
	next_filter.nr = nr;
	if (remote_filter_check(&next_filter, rec_sizes[event]))
		return -EINVAL;

	hyp_filters[event] = next_filter;
	set_event_id(event, hyp_event_ids[event]);
	return 0;
}

int __hyp_trace_set_filter(u32 event, u32 nr)
{
	int ret;

	if (event >= NR_HYP_EVENTS || (nr && !rec_sizes[event]))
		return -EINVAL;

	hyp_spin_lock(&events_lock);
	ret = set_filter_locked(event, nr);
	hyp_spin_unlock(&events_lock);

	return ret;
}

int __hyp_trace_swap_reader(u32 cpu, u32 seen)
{
	struct hyp_trace_cpu *tc = trace_cpu(cpu);
	int ret = -ENODEV;

	if (!tc)
		return -EINVAL;

	hyp_spin_lock(&tc->lock);
	if (tc->state == TRACE_LOADED)
		ret = rb_writer_swap(&tc->writer, seen);
	hyp_spin_unlock(&tc->lock);

	return ret;
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
	struct hyp_trace_cpu *tc = trace_cpu(cpu);
	int ret;

	if (!tc)
		return -EINVAL;

	hyp_spin_lock(&tc->lock);
	ret = reset_locked(tc);
	hyp_spin_unlock(&tc->lock);

	return ret;
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

/* The memory of a clock: address and size of each part; the address is 0 if there is none */
struct clock_part {
	u64	start;
	u64	size;
};

#define NR_CLOCK_PARTS	3

static int clock_parts(const struct hyp_clock_src *src, struct clock_part *parts)
{
	u64 bank;

	switch (src->kind) {
	case HYP_CLOCK_NONE:
		memset(parts, 0, NR_CLOCK_PARTS * sizeof(*parts));
		return 0;
	case HYP_CLOCK_SCHED:
		bank = sizeof(struct clock_read_data);
		break;
	case HYP_CLOCK_FAST:
		bank = sizeof(struct tk_read_base);
		break;
	case HYP_CLOCK_COUNTER:
		bank = 0;
		break;
	default:
		return -EINVAL;
	}

	/* The parts of this kind must be given, and aligned: they are loaded with acquire */
	if ((bank && (!src->latch || !src->banks)) || (!bank && !src->extra) ||
	    !IS_ALIGNED(src->latch | src->banks | src->extra, sizeof(u64)))
		return -EINVAL;

	parts[0] = (struct clock_part){ bank ? src->latch : 0, sizeof(u32) };
	parts[1] = (struct clock_part){ bank ? src->banks : 0, 2 * bank };
	parts[2] = (struct clock_part){ src->extra, sizeof(u64) };
	return 0;
}

static void unpin_parts(const struct clock_part *parts, int nr)
{
	while (nr--) {
		void *start = (void *)parts[nr].start;

		if (start && is_protected_kvm_enabled())
			hyp_unpin_shared_mem(start, start + parts[nr].size);
	}
}

static int pin_parts(const struct clock_part *parts)
{
	int i, ret;

	for (i = 0; i < NR_CLOCK_PARTS; i++) {
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
	struct clock_part parts[NR_CLOCK_PARTS], old_parts[NR_CLOCK_PARTS];
	int ret;

	if (any_writer_is_on())
		return -EBUSY;

	ret = clock_parts(src, parts) ?: pin_parts(parts);
	if (ret)
		return ret;

	WARN_ON(clock_parts(&host_clock, old_parts));
	unpin_parts(old_parts, NR_CLOCK_PARTS);
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
		.live	= src->live,
	};
	int ret;

	hyp_spin_lock(&host_clock_lock);
	ret = set_clock_locked(&hyp_src);
	hyp_spin_unlock(&host_clock_lock);

	return ret;
}
