// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing at EL2: the record functions of all events, and what is written in a panic.
 */
#include <linux/irqchip/arm-gic-v3.h>
#include <linux/smp.h>

#include <asm/kvm_hyp.h>
#include <asm/kvm_mmu.h>
#include <asm/sections.h>

#include <nvhe/memory.h>
#include <nvhe/printk.h>

#include "trace_core.h"

DEFINE_PER_CPU(struct hyp_trace_cpu, hyp_trace_cpus);

u32 hyp_event_ids[NR_HYP_EVENTS];

struct remote_filter *hyp_filters[NR_HYP_EVENTS];

const u8 hyp_rec_sizes[NR_HYP_EVENTS] = {
#define REMOTE_EVENT(name, ...)	[HYP_EVENT_##name] = sizeof(struct remote_rec_##name),
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
};

#ifdef CONFIG_NVHE_EL2_COUNTERS
/* Has EL2 counted at the event that is being written? */
static bool is_counted(const struct hyp_trace_cpu *tc)
{
	return tc->counted;
}

/* Such an event has the time that was counted; what follows it, such as its stack, has not */
static u64 read_clock(struct hyp_trace_cpu *tc)
{
	u64 counted = tc->counted;

	if (!counted)
		return hyp_clock_read_slow(&tc->clock);

	tc->counted = 0;
	return hyp_clock_read_at(&tc->clock, counted);
}
#else
static bool is_counted(const struct hyp_trace_cpu *tc)
{
	return false;
}

static u64 read_clock(struct hyp_trace_cpu *tc)
{
	return hyp_clock_read_slow(&tc->clock);
}
#endif

void *hyp_reserve_slow(struct hyp_trace_cpu *tc, u32 size)
{
	if (!tc->writer.on)
		return NULL;

	return rb_writer_reserve_slow(&tc->writer, size, read_clock(tc));
}

/*
 * Interrupt the host if it waits for such an event. What it asks for now, before it sees
 * that its last word is zeroed, is answered by this interrupt: it sees the event then.
 */
static void notify_host(struct hyp_trace_task *task, u32 what)
{
	union hyp_task_word word;
	u64 sgi;

	if (!alternative_has_cap_likely(HYP_TRACE_HAS_SGI))
		return;
	/* Before the target; pairs with hyp_trace_notify() */
	word.both = smp_load_acquire(&task->word.both);
	if (!(word.notify & what))
		return;

	WRITE_ONCE(task->word.notify, 0);
	dsb(ish);
	sgi = READ_ONCE(task->sgi) & ~ICC_SGI1R_SGI_ID_MASK;
	write_sysreg_s(sgi | (u64)IPI_IRQ_WORK << ICC_SGI1R_SGI_ID_SHIFT, SYS_ICC_SGI1R_EL1);
}

void hyp_commit_slow(struct hyp_trace_cpu *tc, void *rec, u32 size)
{
	bool first = !tc->writer.used;

	rb_writer_commit(&tc->writer, rec, size);
	notify_host(tc->task, first ? HYP_NOTIFY_EVENT | HYP_NOTIFY_SUBBUF : HYP_NOTIFY_EVENT);
}

/* Write this CPU's @slow. Only a panic can interrupt this with another event */
static noinline void write_slow(u32 type, u32 event)
{
	struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);
	const unsigned long *frame = __builtin_frame_address(0);
	struct remote_rec *from = &tc->slow.hdr;
	u32 size = hyp_rec_sizes[event];
	u32 id = type & ~(HYP_EVENT_EXTRA | HYP_EVENT_COUNTED);

	if (!id)
		return;
	if (!tc->writer.on) {
		if (hyp_boot_has_log())
			hyp_boot_log_event(event, from, size);
		return;
	}

	/*
	 * __trace_<event>() ended with the call of this, so it returns to where the event is, or
	 * to hyp_count_<event>(), which does
	 */
	if (is_counted(tc))
		frame = (const unsigned long *)frame[0];

	from->type = id;
	from->pid = READ_ONCE(tc->task->word.pid);
	if (type != id) {
		if (HYP_HAS_TRIGGERS && (type & HYP_EVENT_TRIGGERED)) {
			hyp_write_triggered(tc, event, type, frame[1], frame[0]);
			return;
		}
		if (!hyp_passes_filter(event, from, size))
			return;
	}

	if (!hyp_write_record(tc, from, size))
		return;
	if (type != id && hyp_stacks_are_on())
		hyp_write_stack(tc, frame[1], frame[0]);
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
		fill_##name(&(tc)->slow.name				\
			    REMOTE_AFTER(REMOTE_FIELDS(fields)));	\
		write_slow(type, HYP_EVENT_##name);			\
	} while (0)

#define RARE_EVENT(name, fields, ...)					\
	FILL_RECORD(name, REMOTE_FIELDS(fields))			\
									\
	void __trace_##name(u32 type HYP_EVENT_PARAMS(REMOTE_FIELDS(fields)))\
	{								\
		struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);	\
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
		struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);	\
		const struct hyp_trace_task *task;			\
		struct remote_rec_##name *rec;				\
		struct rb_writer_spot spot;				\
		union hyp_task_word word;				\
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
		    unlikely(type & HYP_EVENT_EXTRA))			\
			goto slow;					\
		word.both = READ_ONCE(task->word.both);			\
		if (unlikely(word.notify & HYP_NOTIFY_EVENT))		\
			goto slow;					\
		rec = rb_writer_put(&spot, size, delta);		\
		rec->hdr.type = type;					\
		fill_##name(rec REMOTE_AFTER(REMOTE_FIELDS(fields)));	\
		rec->hdr.pid = word.pid;				\
		rb_writer_commit_at(&tc->writer, &spot, ts);		\
		return;							\
	slow:								\
		WRITE_SLOW(tc, name, type, REMOTE_FIELDS(fields));	\
	}
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT

u64 hyp_kimage_address(unsigned long hyp_addr)
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
		return hyp_kimage_address(ptr);
	return IS_ENABLED(CONFIG_NVHE_EL2_DEBUG) ? ptr : 0;
}

void __trace_hyp_printk(u32 type, unsigned long ip, const char *fmt, const u32 *words, u32 nr)
{
	struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);
	const u32 size = sizeof(struct remote_printk) + nr * sizeof(*words);
	struct remote_printk *rec = NULL;
	bool on = tc->writer.on;

	if (type != HYP_EVENT_OFF)
		rec = on ? hyp_reserve_slow(tc, size) : hyp_boot_reserve(HYP_EVENT_PRINTK, size);
	if (!rec)
		return;

	rec->ip = hyp_printk_pointer(ip);
	rec->fmt = hyp_kimage_address((unsigned long)fmt);
	memcpy(rec->words, words, nr * sizeof(*words));
	if (!on)
		return;
	rec->hdr.type = type;
	rec->hdr.pid = READ_ONCE(tc->task->word.pid);
	hyp_commit_slow(tc, rec, size);
	if (hyp_stacks_are_on())
		hyp_write_stack_of_caller(tc);
}

bool hyp_trace_written(u64 *written)
{
	const struct rb_writer *w = &this_cpu_ptr(&hyp_trace_cpus)->writer;

	*written = w->entries + w->dropped;
	return w->on;
}

bool hyp_trace_panicked;

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

	WRITE_ONCE(hyp_trace_panicked, true);
	smp_mb(); /* pairs with set_event_id(): it sees the panic, or its id is overwritten here */
	for (event = 0; event < NR_HYP_EVENTS; event++)
		WRITE_ONCE(hyp_event_ids[event], HYP_EVENT_OFF);
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
	if (!(u16)type)
		return;
	save_panic(regs, *spsr, *elr);
	WRITE_ONCE(regs->writing, true);
	barrier(); /* all of this is in memory before a fault */
	__trace_hyp_panic(type, regs->esr, regs->far, hyp_printk_pointer(regs->elr));
	WRITE_ONCE(regs->writing, false);
}
