// SPDX-License-Identifier: GPL-2.0
/*
 * Calls one after the other, of any kind, with any arguments and in any order. A model of
 * EL2's state says what each has to return. It follows the contract in nvhe/trace.h. Where
 * several errors would be right, it accepts any of them.
 */
#include <linux/arm_ffa.h>
#include <linux/sched_clock.h>
#include <linux/timekeeper_internal.h>
#include <linux/trace_remote_filter.h>
#include <linux/trace_remote_trigger.h>
#include <linux/ring_buffer_writer.h>

#include <asm/kvm_hyptext.h>
#include <asm/kvm_pgtable.h>

#include "hostile.h"

enum page_state {
	OWNED,		/* by the host alone */
	SHARED,		/* with EL2 */
	DONATED,	/* to EL2 */
};

/**
 * struct page_model - a page
 * @state:	its owner
 * @pins:	how often EL2 has pinned it
 * @zero:	EL2 has given it back, and it has not been written since
 */
struct page_model {
	u8	state;
	u8	pins;
	bool	zero;
};

enum buf_state {
	EMPTY,
	LOADING,
	LOADED,
	UNLOADING,
};

/**
 * struct buf_model - the buffer of a CPU; pages are given by their numbers
 * @state:	state of the life cycle
 * @on:		tracing is on
 * @announced:	number of sub-buffers announced
 * @nr_subbufs:	number of sub-buffers added
 * @nr_tables:	number of table pages added
 * @meta:	page
 * @root:	page
 * @subbufs:	pages
 * @tables:	pages
 */
struct buf_model {
	enum buf_state	state;
	bool		on;
	u32		announced;
	u32		nr_subbufs;
	u32		nr_tables;
	u16		meta;
	u16		root;
	u16		subbufs[NR_PAGES];
	u16		tables[NR_PAGES];
};

#define NR_PARTS	4

static struct {
	struct page_model		pages[NR_PAGES];
	struct buf_model		bufs[NR_CPUS];
	int				filters[NR_HYP_EVENTS];
	int				triggers[NR_HYP_EVENTS];
	u32				nr_triggers[NR_HYP_EVENTS];
	u64				clock_kind;
	u32				clock_pages[NR_PARTS];
	u32				clock_nr[NR_PARTS];
	int				ffa_pages[2];
	int				counters;
	int				cpu;
	bool				text_on;
} model;

/* The errors that a call may return; it may return 0 if the set is empty */
struct errors {
	unsigned int	nr;
	int		list[8];
};

static void may_be(struct errors *errors, bool is, int error)
{
	if (is)
		errors->list[errors->nr++] = error;
}

/* Is @ret one of the expected results? */
static bool as_expected(const struct errors *errors, s64 ret, const char *what)
{
	unsigned int i;

	if (!errors->nr)
		return !ret || wrong("%s: %lld instead of 0", what, ret);
	for (i = 0; i < errors->nr; i++) {
		if (errors->list[i] == ret)
			return true;
	}
	return wrong("%s: %lld instead of %d", what, ret, errors->list[0]);
}

/*
 * Choices
 */

/* One of the pages @first to @end - 1, preferably in @state; negative for a foreign one */
static int choose_page_of(struct rng *rng, u32 first, u32 end, enum page_state state)
{
	int i, page = -1;

	if (rng_percent(rng, 4))
		return -1;
	for (i = 0; i < 8; i++) {
		page = first + rng_below(rng, end - first);
		if (model.pages[page].state == state)
			break;
	}
	return page;
}

/* Seldom one of the row if EL2 would get it, so that ranges there are whole */
static int choose_page(struct rng *rng, enum page_state state)
{
	return choose_page_of(rng, 0, state == OWNED && rng_percent(rng, 90) ? NR_SINGLE : NR_PAGES,
			      state);
}

static u64 pfn_of(struct rng *rng, int page)
{
	return page < 0 ? foreign_pfn(rng) : pool_pfn(page);
}

/* A CPU, preferably one whose buffer is in @state */
static u32 choose_cpu(struct rng *rng, enum buf_state state)
{
	u32 cpu = 0;
	int i;

	for (i = 0; i < 4; i++) {
		cpu = any_cpu(rng);
		if (cpu >= nr_cpu_ids || model.bufs[cpu].state == state)
			break;
	}
	return cpu;
}

/* NULL if there is no such CPU */
static struct buf_model *buf_of(u32 cpu)
{
	return cpu < nr_cpu_ids ? &model.bufs[cpu] : NULL;
}

/* The last frame whose number EL2 takes */
static u64 last_pfn(void)
{
	u64 last = PHYS_MASK;
#ifdef TRACE_REMOTE_LINUX_7
	u64 mmfr0 = read_sanitised_ftr_reg(SYS_ID_AA64MMFR0_EL1);

	last &= BIT_ULL(id_aa64mmfr0_parange_to_phys_shift(kvm_get_parange(mmfr0))) - 1;
#endif
	return PHYS_PFN(last);
}

/* The errors for pages that the host has to own exclusively */
static void not_all_owned(struct errors *errors, int page, u64 pfn, u32 nr)
{
	bool valid = pfn <= last_pfn() && pfn + nr - 1 <= last_pfn();
	u32 i;

	for (i = 0; i < nr && page >= 0; i++) {
		if (model.pages[page + i].state != OWNED) {
			may_be(errors, true, -EPERM);
			return;
		}
	}
	may_be(errors, page < 0 && !valid, -EINVAL);
	may_be(errors, page < 0 && valid, -EPERM);
}

static void not_owned(struct errors *errors, int page, u64 pfn)
{
	not_all_owned(errors, page, pfn, 1);
}

/*
 * Transitions
 */

/* OWNED => SHARED and pinned */
static void lend(int page)
{
	model.pages[page] = (struct page_model){ .state = SHARED, .pins = 1 };
}

/* SHARED and pinned => OWNED, unless it is pinned for something else */
static void lend_back(int page)
{
	if (!--model.pages[page].pins)
		model.pages[page].state = OWNED;
}

/* OWNED => DONATED */
static void give(int page)
{
	model.pages[page] = (struct page_model){ .state = DONATED };
}

/* DONATED => OWNED, zeroed */
static void give_back(int page)
{
	model.pages[page] = (struct page_model){ .state = OWNED, .zero = true };
}

/*
 * Calls
 */

static bool call_begin(struct rng *rng)
{
	static const u32 sizes[] = {
		0, 1, 2, 3, 171, 341, RB_WRITER_MAX_SUBBUFS, RB_WRITER_MAX_SUBBUFS + 1, U32_MAX,
	};
	u32 cpu = choose_cpu(rng, EMPTY), nr = 3 + rng_below(rng, rng_percent(rng, 50) ? 12 : 120);
	int meta = choose_page(rng, OWNED), root = choose_page(rng, OWNED);
	u64 meta_pfn = pfn_of(rng, meta), root_pfn = pfn_of(rng, root);
	struct buf_model *buf = buf_of(cpu);
	struct errors errors = {};
	s64 ret;

	if (rng_percent(rng, 20))
		nr = sizes[rng_below(rng, ARRAY_SIZE(sizes))];
	if (rng_percent(rng, 3)) {
		root = meta;
		root_pfn = meta_pfn;
	}

	may_be(&errors, !buf || nr < 3 || nr > RB_WRITER_MAX_SUBBUFS, -EINVAL);
	may_be(&errors, buf && buf->state != EMPTY, -EBUSY);
	not_owned(&errors, meta, meta_pfn);
	not_owned(&errors, root, root_pfn);
	may_be(&errors, root >= 0 && root == meta, -EPERM);

	ret = hcall(__hyp_trace_begin, cpu, meta_pfn, root_pfn, nr);
	if (!as_expected(&errors, ret, "begin"))
		return false;
	if (errors.nr)
		return true;

	lend(meta);
	give(root);
	buf->state = LOADING;
	buf->announced = nr;
	buf->nr_subbufs = 0;
	buf->nr_tables = 0;
	buf->meta = meta;
	buf->root = root;
	return true;
}

static bool call_add_table(struct rng *rng)
{
	u32 cpu = choose_cpu(rng, LOADING);
	struct buf_model *buf = buf_of(cpu);
	int page = choose_page(rng, OWNED);
	u64 pfn = pfn_of(rng, page);
	struct errors errors = {};
	s64 ret;

	may_be(&errors, !buf, -EINVAL);
	may_be(&errors, buf && buf->state != LOADING, -EBUSY);
	may_be(&errors, buf && buf->nr_tables * RB_WRITER_SUBBUFS_PER_PAGE >= buf->announced,
	       -ENOSPC);
	not_owned(&errors, page, pfn);

	ret = hcall(__hyp_trace_add_table, cpu, pfn);
	if (!as_expected(&errors, ret, "add_table"))
		return false;
	if (errors.nr)
		return true;

	give(page);
	buf->tables[buf->nr_tables++] = page;
	return true;
}

static u32 nr_owned_from(int page, u32 max)
{
	u32 nr = 0;

	while (nr < max && (page < 0 || model.pages[page + nr].state == OWNED))
		nr++;
	return nr;
}

/* How many to add from @page on: mostly a valid number, of pages that are the host's */
static u32 choose_nr(struct rng *rng, const struct buf_model *buf, int page)
{
	u32 left = buf && buf->state == LOADING ? buf->announced - buf->nr_subbufs : 1;
	/* EL2 gets no guard */
	u32 max = page < 0 ? HYP_TRACE_PAGES_PER_ADD : pool_row(page);
	u32 owned = nr_owned_from(page, max);

	switch (rng_below(rng, 20)) {
	case 0:
		return 0;
	case 1:
		return HYP_TRACE_PAGES_PER_ADD + 1;
	case 2:	/* a sum with this overflows and is small */
		return -rng_below(rng, 16);
	case 3:	/* most often, some of them are not the host's */
		return max;
	case 4:	/* only the last one is not the host's */
	case 5:
		return min(owned + 1, max);
	case 6:	/* one too many */
		return min(left + 1, max);
	case 7:	/* as many as there are */
	case 8:
	case 9:
		return min(left, max(owned, 1));
	default:
		return min3(left, max(owned, 1), 1 + rng_below(rng, 16));
	}
}

static bool call_add_subbufs(struct rng *rng)
{
	u32 first = rng_percent(rng, 30) ? 0 : NR_SINGLE;
	u32 end = rng_percent(rng, 70) ? NR_PAGES : first + 8;
	int page = rng_percent(rng, 15) ? -1 : choose_page_of(rng, first, end, OWNED);
	u32 cpu = choose_cpu(rng, LOADING), nr, i;
	struct buf_model *buf = buf_of(cpu);
	struct errors errors = {};
	u64 pfn;
	s64 ret;

	nr = choose_nr(rng, buf, page);
	pfn = page < 0 && nr > 1 && nr <= HYP_TRACE_PAGES_PER_ADD && rng_percent(rng, 80) ?
	      foreign_range(rng, nr) : pfn_of(rng, page);

	may_be(&errors, !buf || !nr || nr > HYP_TRACE_PAGES_PER_ADD, -EINVAL);
	may_be(&errors, buf && buf->state != LOADING, -EBUSY);
	may_be(&errors, buf && (u64)buf->nr_subbufs + nr > buf->announced, -ENOSPC);
	may_be(&errors, buf && (u64)buf->nr_subbufs + nr >
	       buf->nr_tables * RB_WRITER_SUBBUFS_PER_PAGE, -ENOMEM);
	if (!errors.nr)
		not_all_owned(&errors, page, pfn, nr);

	ret = hcall(__hyp_trace_add_subbufs, cpu, pfn, nr);
	if (!as_expected(&errors, ret, "add_subbufs"))
		return false;
	for (i = 0; i < nr && !errors.nr; i++) {
		lend(page + i);
		buf->subbufs[buf->nr_subbufs++] = page + i;
		if (buf->nr_subbufs == buf->announced)
			buf->state = LOADED;
	}
	return true;
}

/* The model of an unload: how many pages are left */
static s64 unload(struct buf_model *buf)
{
	u32 i;

	for (i = 0; i < HYP_TRACE_PAGES_PER_UNLOAD; i++) {
		if (buf->nr_subbufs) {
			lend_back(buf->subbufs[--buf->nr_subbufs]);
		} else if (buf->nr_tables) {
			give_back(buf->tables[--buf->nr_tables]);
		} else {
			give_back(buf->root);
			lend_back(buf->meta);
			buf->state = EMPTY;
			return 0;
		}
	}
	buf->state = UNLOADING;
	return buf->nr_subbufs + buf->nr_tables + 2;
}

static bool call_unload(struct rng *rng)
{
	u32 cpu = choose_cpu(rng, rng_percent(rng, 50) ? LOADED : UNLOADING);
	struct buf_model *buf = buf_of(cpu);
	struct errors errors = {};
	s64 ret, left = 0;

	may_be(&errors, !buf, -EINVAL);
	may_be(&errors, buf && buf->on, -EBUSY);

	ret = hcall(__hyp_trace_unload, cpu);
	if (!errors.nr && buf->state != EMPTY)
		left = unload(buf);
	return as_expected(&errors, ret - left, "unload");
}

static bool call_enable(struct rng *rng)
{
	u32 flags = rng_percent(rng, 90) ? rng_below(rng, 4) : rng_u64(rng);
	int cpu = rng_below(rng, num_online_cpus());
	struct buf_model *buf = &model.bufs[cpu];
	struct errors errors = {};
	s64 ret;

	may_be(&errors, flags & ~(HYP_TRACE_ON | HYP_TRACE_OVERWRITE), -EINVAL);
	may_be(&errors, buf->state != LOADED, -ENODEV);
	may_be(&errors, flags & HYP_TRACE_ON && model.clock_kind == HYP_CLOCK_NONE, -ENXIO);

	ret = hcall_on(cpu, __KVM_HOST_SMCCC_FUNC___hyp_trace_enable, flags);
	if (!as_expected(&errors, ret, "enable"))
		return false;
	if (!errors.nr)
		buf->on = flags & HYP_TRACE_ON;
	return true;
}

static u32 choose_event(struct rng *rng)
{
	return rng_percent(rng, 95) ? rng_below(rng, NR_HYP_EVENTS) :
	       rng_percent(rng, 50) ? NR_HYP_EVENTS + rng_below(rng, 2) : rng_u64(rng);
}

static bool call_enable_event(struct rng *rng)
{
	u32 event = choose_event(rng), id = rng_u64(rng) >> (32 + rng_below(rng, 32));
	struct errors errors = {};

	may_be(&errors, event >= NR_HYP_EVENTS || id > U16_MAX, -EINVAL);
	return as_expected(&errors, hcall(__hyp_trace_enable_event, event, id), "enable_event");
}

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
static bool call_set_function(struct rng *rng)
{
	u32 index = rng_percent(rng, 95) ? rng_below(rng, hostile.nr_functions) :
		    rng_percent(rng, 50) ? hostile.nr_functions + rng_below(rng, 2) : rng_u64(rng);
	u32 how = rng_percent(rng, 95) ? rng_below(rng, NR_TRACE_REMOTE_FUNCTION + 1) :
					 rng_u64(rng);
	struct errors errors = {};

	may_be(&errors, index >= hostile.nr_functions || how >= NR_TRACE_REMOTE_FUNCTION, -EINVAL);
	return as_expected(&errors, hcall(__hyp_trace_set_function, index, how), "set_function");
}
#endif

static const u32 rec_sizes[NR_HYP_EVENTS] = {
#define REMOTE_EVENT(name, ...)	[HYP_EVENT_##name] = sizeof(struct remote_rec_##name),
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
};

/* A comparison that is valid in most respects, or in any program for any record if @valid */
static struct remote_filter_insn choose_insn(struct rng *rng, u32 index, bool valid)
{
	static const u8 ends[] = { REMOTE_FILTER_PASS, REMOTE_FILTER_FAIL };
	struct remote_filter_insn insn = {
		.value		= rng_u64(rng),
		.offset		= valid ? 0 : rng_below(rng, 3) * 8,
		.size		= valid ? 1 : 1 << rng_below(rng, 4),
		.is_signed	= rng_below(rng, 2),
		.op		= rng_below(rng, REMOTE_FILTER_NR_OPS),
		.yes		= !valid && rng_percent(rng, 50) ? index + 1 :
							   ends[rng_below(rng, 2)],
		.no		= ends[rng_below(rng, 2)],
	};

	if (valid)
		return insn;
	switch (rng_below(rng, 40)) {
	case 0:
		insn.offset = rng_u64(rng);
		break;
	case 1:
		insn.size = rng_u64(rng);
		break;
	case 2:
		insn.op = rng_u64(rng);
		break;
	case 3:	/* jumps to itself, or back */
		insn.yes = rng_below(rng, index + 1);
		break;
	case 4:
		insn.no = rng_u64(rng);
		break;
	case 5:
		insn.reserved = rng_u64(rng);
		break;
	}
	return insn;
}

/* It has to read within the record, and continue later in the program or end */
static bool insn_ok(const struct remote_filter_insn *insn, u32 index, u32 nr, u32 rec_size)
{
	const u8 nexts[] = { insn->yes, insn->no };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nexts); i++) {
		if (nexts[i] != REMOTE_FILTER_PASS && nexts[i] != REMOTE_FILTER_FAIL &&
		    (nexts[i] <= index || nexts[i] >= nr))
			return false;
	}
	return hweight8(insn->size) == 1 && insn->size <= 8 && !insn->reserved &&
	       insn->op < REMOTE_FILTER_NR_OPS && insn->offset + insn->size <= rec_size &&
	       !(insn->offset % insn->size);
}

/* What a filter may look at: behind a record of hyp_exit, there is how long the visit took */
static u32 filter_size(u32 event)
{
	u32 size = rec_sizes[event];

	return IS_ENABLED(CONFIG_NVHE_EL2_TRIGGERS) && event == HYP_EVENT_hyp_exit ?
	       ALIGN(size, sizeof(u64)) + sizeof(u64) : size;
}

static bool filter_ok(const struct remote_filter *program, u32 event, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!insn_ok(&program->insns[i], i, nr, filter_size(event)))
			return false;
	}
	return true;
}

static bool any_is_on(void)
{
	u32 cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (model.bufs[cpu].on)
			return true;
	}
	return false;
}

/* What a page is given with: a program, and a comparison for which it has no room */
struct written_program {
	struct remote_filter		program;
	struct remote_filter_insn	behind;
};

/* EL2 ignores the number that is in the page */
static void write_program(struct rng *rng, struct written_program *written, bool valid)
{
	u32 i;

	written->program.nr = rng_u64(rng);
	for (i = 0; i < REMOTE_FILTER_MAX; i++)
		written->program.insns[i] = choose_insn(rng, i, valid);
	written->behind = choose_insn(rng, i, valid);
}

/* An event without a filter, at the latest now: its page comes back unless a CPU traces */
static s64 drop_filter(u32 event)
{
	if (event >= NR_HYP_EVENTS || model.filters[event] < 0)
		return 0;
	if (any_is_on())
		return 1;
	give_back(model.filters[event]);
	model.filters[event] = -1;
	return 0;
}

static bool call_set_filter(struct rng *rng)
{
	u32 event = choose_event(rng), nr = rng_below(rng, 4);
	int page = choose_page(rng, OWNED);
	/* Not hidden by other faults, which a long program nearly always has */
	bool only_nr = rng_percent(rng, 10);
	u64 pfn = pfn_of(rng, page);
	struct written_program written;
	struct errors errors = {};
	s64 ret, kept = 0;

	if (only_nr)
		nr = rng_percent(rng, 50) ? REMOTE_FILTER_MAX + rng_below(rng, 2) : rng_u64(rng);
	write_program(rng, &written, only_nr);
	if (page >= 0 && model.pages[page].state != DONATED) {
		memcpy(pool_va(page), &written, sizeof(written));
		model.pages[page].zero = false;
	}

	may_be(&errors, event >= NR_HYP_EVENTS || (nr && !rec_sizes[event]), -EINVAL);
	if (nr && !errors.nr) {
		not_owned(&errors, page, pfn);
		if (!errors.nr && (nr > REMOTE_FILTER_MAX ||
				   !filter_ok(&written.program, event, nr))) {
			give_back(page);
			may_be(&errors, true, -EINVAL);
		}
	}

	ret = hcall(__hyp_trace_set_filter, event, nr, pfn);
	if (!nr && !errors.nr) {
		kept = drop_filter(event);
	} else if (!errors.nr && model.filters[event] >= 0) {
		give_back(page);
	} else if (!errors.nr) {
		give(page);
		model.filters[event] = page;
		kept = 1;
	}
	return as_expected(&errors, errors.nr ? ret : ret - kept, "set_filter");
}

#ifdef CONFIG_NVHE_EL2_TRIGGERS
/* A trigger that is valid in most respects, or for any event if @valid */
static struct remote_trigger choose_trigger(struct rng *rng, bool valid)
{
	struct remote_trigger trigger = {
		.count	= rng_percent(rng, 50) ? rng_below(rng, 3) : rng_u64(rng),
		.event	= rng_below(rng, NR_HYP_EVENTS),
		.id	= rng_percent(rng, 50) ? 0 : rng_u64(rng),
		.op	= rng_below(rng, REMOTE_TRIGGER_NR_OPS),
	};
	u32 i;

	if (valid)
		return trigger;
	switch (rng_below(rng, 20)) {
	case 0:
		trigger.op = rng_percent(rng, 50) ? REMOTE_TRIGGER_NR_OPS : rng_u64(rng);
		break;
	case 1:
		trigger.event = rng_percent(rng, 50) ? NR_HYP_EVENTS : rng_u64(rng);
		break;
	case 2:
		trigger.reserved[rng_below(rng, 3)] = rng_u64(rng);
		break;
	}
	trigger.filter.nr = rng_percent(rng, 98) ? rng_below(rng, 3) :
			    rng_percent(rng, 50) ? REMOTE_FILTER_MAX + 1 : rng_u64(rng);
	for (i = 0; i < REMOTE_FILTER_MAX; i++)
		trigger.filter.insns[i] = choose_insn(rng, i, false);
	return trigger;
}

static bool triggers_ok(const struct remote_triggers *triggers, u32 event, u32 nr)
{
	u32 i;

	for (i = 0; i < nr && nr <= REMOTE_TRIGGERS_MAX; i++) {
		const struct remote_trigger *trigger = &triggers->list[i];

		if (trigger->op >= REMOTE_TRIGGER_NR_OPS || trigger->event >= NR_HYP_EVENTS ||
		    memchr_inv(trigger->reserved, 0, sizeof(trigger->reserved)) ||
		    trigger->filter.nr > REMOTE_FILTER_MAX ||
		    !filter_ok(&trigger->filter, event, trigger->filter.nr))
			return false;
	}
	return nr <= REMOTE_TRIGGERS_MAX;
}

/* Without triggers, at the latest now */
static void drop_triggers(u32 event)
{
	if (model.triggers[event] >= 0)
		give_back(model.triggers[event]);
	model.triggers[event] = -1;
	model.nr_triggers[event] = 0;
}

static bool call_set_triggers(struct rng *rng)
{
	static struct remote_triggers triggers;
	u32 event = choose_event(rng), nr = rng_below(rng, 3), i;
	int page = choose_page(rng, OWNED);
	/* Not hidden by other faults, which a long list nearly always has */
	bool only_nr = rng_percent(rng, 10);
	u64 pfn = pfn_of(rng, page);
	struct errors errors = {};
	s64 ret;

	if (only_nr)
		nr = rng_percent(rng, 50) ? REMOTE_TRIGGERS_MAX + rng_below(rng, 2) : rng_u64(rng);
	triggers.nr = rng_u64(rng);
	for (i = 0; i < REMOTE_TRIGGERS_MAX; i++)
		triggers.list[i] = choose_trigger(rng, only_nr);
	if (page >= 0 && model.pages[page].state != DONATED) {
		/* Behind the list, 0 would be one more valid trigger */
		clear_page(pool_va(page));
		memcpy(pool_va(page), &triggers, sizeof(triggers));
		model.pages[page].zero = false;
	}

	may_be(&errors, event >= NR_HYP_EVENTS || (nr && !rec_sizes[event]), -EINVAL);
	if (nr && !errors.nr) {
		not_owned(&errors, page, pfn);
		if (!errors.nr && !triggers_ok(&triggers, event, nr)) {
			give_back(page);
			may_be(&errors, true, -EINVAL);
		}
	}

	ret = hcall(__hyp_trace_set_triggers, event, nr, pfn);
	if (!as_expected(&errors, ret, "set_triggers"))
		return false;
	if (errors.nr)
		return true;
	drop_triggers(event);
	if (nr) {
		give(page);
		model.triggers[event] = page;
		model.nr_triggers[event] = nr;
	}
	return true;
}

/* What triggers have done is not predicted, but within bounds */
static bool call_trigger(struct rng *rng)
{
	u32 what = rng_percent(rng, 95) ? rng_below(rng, HYP_TRIGGER_ARM + 1) : rng_u64(rng);
	u32 event = choose_event(rng), value = rng_below(rng, 4);
	s64 ret, max = 0;
	bool is_wrong;

	is_wrong = event >= NR_HYP_EVENTS || what > HYP_TRIGGER_ARM ||
		   (what == HYP_TRIGGER_COUNT && value >= model.nr_triggers[event]);
	if (what == HYP_TRIGGER_IS_STOPPED)
		max = nr_cpu_ids;
	else if (what == HYP_TRIGGER_EVENT_IS_ON)
		max = 1;
	else if (what == HYP_TRIGGER_COUNT)
		max = S64_MAX;
	ret = hcall(__hyp_trace_trigger, what, event, value);
	if (is_wrong ? ret == -EINVAL : ret >= 0 && ret <= max)
		return true;
	return wrong("trigger %u of event %u, %u: %lld", what, event, value, ret);
}
#else
static void drop_triggers(u32 event)
{
}
#endif

static bool call_swap_reader(struct rng *rng)
{
	u32 cpu = choose_cpu(rng, LOADED), seen = rng_percent(rng, 50) ? 0 : rng_u64(rng);
	struct buf_model *buf = buf_of(cpu);
	struct errors errors = {};
	s64 ret;

	may_be(&errors, !buf, -EINVAL);
	may_be(&errors, buf && buf->state != LOADED, -ENODEV);
	ret = hcall(__hyp_trace_swap_reader, cpu, seen);
	/* ring_round() checks what is swapped */
	if (!errors.nr && ret >= 0 && ret <= RB_SWAP_MORE)
		return true;
	return as_expected(&errors, ret, "swap_reader");
}

static bool call_reset(struct rng *rng)
{
	u32 cpu = choose_cpu(rng, LOADED);
	struct buf_model *buf = buf_of(cpu);
	struct errors errors = {};

	may_be(&errors, !buf, -EINVAL);
	may_be(&errors, buf && buf->state != LOADED, -ENODEV);
	may_be(&errors, buf && buf->on && cpu != model.cpu, -EBUSY);
	return as_expected(&errors, hcall(__hyp_trace_reset, cpu), "reset");
}

static bool call_selftest(struct rng *rng)
{
	return !hcall(__hyp_trace_selftest, rng_u64(rng)) || wrong("selftest");
}

/*
 * EL2's text
 */

#ifdef CONFIG_NVHE_EL2_TEXT_TEST
/* Of an index with a wrong place, no place is switched; of any other there is none */
static bool switch_places(struct rng *rng)
{
	u32 index = rng_percent(rng, 80) ? rng_below(rng, 2) : rng_u64(rng);
	bool on = rng_below(rng, 2);
	struct errors errors = {};
	s64 ret;

	may_be(&errors, index == HYP_TEXT_TESTS_BAD, -ENOEXEC);
	ret = hcall(__hyp_text_test, HYP_TEXT_TEST_SET, index, on);
	if (index == HYP_TEXT_TESTS_GOOD)
		model.text_on = on;
	return as_expected(&errors, ret, "switching places");
}

/* What begins in another way than a function is not switched */
static bool switch_misfit(struct rng *rng)
{
	u32 index = rng_percent(rng, 80) ? rng_below(rng, NR_HYP_TEXT_MISFITS + 1) : rng_u64(rng);
	struct errors errors = {};

	may_be(&errors, index < NR_HYP_TEXT_MISFITS, -ENOEXEC);
	may_be(&errors, index >= NR_HYP_TEXT_MISFITS, -EINVAL);
	return as_expected(&errors, hcall(__hyp_text_test, HYP_TEXT_TEST_MISFIT, index,
					  rng_below(rng, 2)), "switching a misfit");
}

static bool call_text(struct rng *rng)
{
	u32 what = NR_HYP_TEXT_TESTS + rng_below(rng, 2);
	s64 ret;

	switch (rng_below(rng, 20)) {
	case 4:
		return switch_misfit(rng);
	case 0:
		ret = hcall(__hyp_text_test, what);
		return ret == -EINVAL || wrong("text test %u: %lld", what, ret);
	case 1:
	case 2:
	case 3:
		ret = hcall(__hyp_text_test, HYP_TEXT_TEST_RUN);
		return ret == model.text_on << HYP_TEXT_TESTS_GOOD ||
		       wrong("places in EL2's text: 0x%llx are on", ret);
	default:
		return switch_places(rng);
	}
}

static bool reset_text(void)
{
	return !hcall(__hyp_text_test, HYP_TEXT_TEST_SET, HYP_TEXT_TESTS_GOOD, false) ||
	       wrong("the place for tests");
}
#else
static bool call_text(struct rng *rng)
{
	return true;
}

static bool reset_text(void)
{
	return true;
}
#endif

/*
 * Clocks
 */

/* Where a part of a clock is: @page of the pool, or negative for an invalid address */
struct part {
	u64	addr;
	int	page;
};

static u64 foreign_addr(struct rng *rng)
{
	switch (rng_below(rng, 6)) {
	case 0:
		return (u64)__va(hyp_layout.mem + rng_below(rng, 4096) * 8);
	case 1:
		return (u64)__va(0x09000000);
	case 2:
		return ~7ULL;
	case 3:
		return PAGE_OFFSET;
	case 4:
		return 8;
	default:	/* a guard */
		return (u64)pool_va(rng_below(rng, NR_SINGLE)) + PAGE_SIZE;
	}
}

static struct part choose_part(struct rng *rng, u32 percent)
{
	struct part part = { .page = -1 };
	u32 offset = rng_below(rng, PAGE_SIZE / 8) * 8;

	if (!rng_percent(rng, percent))
		return part;
	if (rng_percent(rng, 5)) {
		part.addr = foreign_addr(rng);
		return part;
	}
	part.page = choose_page(rng, SHARED);
	if (rng_percent(rng, 90))
		offset = rng_below(rng, 64) * 8;
	if (rng_percent(rng, 5))
		offset |= 1 << rng_below(rng, 3);
	part.addr = part.page < 0 ? foreign_addr(rng) : (u64)pool_va(part.page) + offset;
	return part;
}

static u64 bank_size(u64 kind)
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

static u64 part_size(u64 kind, int i)
{
	const u64 sizes[NR_PARTS] = {
		bank_size(kind) ? sizeof(u32) : 0, 2 * bank_size(kind), sizeof(u64),
		HYP_TRACE_TASKS_SIZE,
	};

	return kind == HYP_CLOCK_NONE || kind > HYP_CLOCK_COUNTER ? 0 : sizes[i];
}

/* How many pages a part is on; it is not larger than a page */
static u32 nr_part_pages(const struct part *part, u64 size)
{
	return part->addr + size > (u64)pool_va(part->page) + PAGE_SIZE ? 2 : 1;
}

/* The second page of a part may be a guard, which is never shared */
static bool part_ok(const struct part *part, u64 size)
{
	u32 next = part->page + 1;

	if (part->page < 0 || model.pages[part->page].state != SHARED)
		return false;
	return nr_part_pages(part, size) == 1 ||
	       (next > NR_SINGLE && next < NR_PAGES && model.pages[next].state == SHARED);
}

static void check_part(struct errors *errors, const struct part *part, u64 size)
{
	bool bad = !errors->nr && size && part->addr && !part_ok(part, size);

	may_be(errors, bad, -EPERM);
#ifdef TRACE_REMOTE_LINUX_7
	/* A range that is not all memory, or not all something else */
	may_be(errors, bad && part->page < 0, -EINVAL);
#endif
}

static void set_clock(u64 kind, const struct part *parts)
{
	u32 i, nr;

	for (i = 0; i < NR_PARTS; i++) {
		for (nr = 0; nr < model.clock_nr[i]; nr++)
			model.pages[model.clock_pages[i] + nr].pins--;
		model.clock_nr[i] = 0;
		if (!part_size(kind, i) || !parts[i].addr)
			continue;
		model.clock_pages[i] = parts[i].page;
		model.clock_nr[i] = nr_part_pages(&parts[i], part_size(kind, i));
		for (nr = 0; nr < model.clock_nr[i]; nr++)
			model.pages[model.clock_pages[i] + nr].pins++;
	}
	model.clock_kind = kind;
}

static bool call_set_clock(struct rng *rng)
{
	u64 kind = rng_percent(rng, 95) ? rng_below(rng, 4) : rng_u64(rng);
	bool banks = bank_size(kind);
	struct part parts[NR_PARTS] = {
		choose_part(rng, 95), choose_part(rng, 95), choose_part(rng, 50),
		choose_part(rng, 95),
	};
	struct errors errors = {};
	s64 ret;
	int i;

	may_be(&errors, any_is_on(), -EBUSY);
	may_be(&errors, kind > HYP_CLOCK_COUNTER, -EINVAL);
	if (kind != HYP_CLOCK_NONE)
		may_be(&errors, (banks && (!parts[0].addr || !parts[1].addr)) ||
		       (kind == HYP_CLOCK_COUNTER && !parts[2].addr) || !parts[3].addr ||
		       (parts[0].addr | parts[1].addr | parts[2].addr | parts[3].addr) & 7,
		       -EINVAL);
	for (i = 0; i < NR_PARTS; i++)
		check_part(&errors, &parts[i], part_size(kind, i));

	ret = hcall(__hyp_trace_set_clock, kind, parts[0].addr, parts[1].addr, parts[2].addr,
		    rng_u64(rng), parts[3].addr);
	if (!as_expected(&errors, ret, "set_clock"))
		return false;
	if (!errors.nr)
		set_clock(kind, parts);
	return true;
}

/*
 * Calls of the base, by which the host shares and unshares pages
 */

static bool call_ffa_map(struct rng *rng)
{
	int *pages = model.ffa_pages, tx = choose_page(rng, OWNED), rx = choose_page(rng, OWNED);
	struct errors errors = {};

	/* The base does not check frame numbers */
	if (!ffa_available() || tx < 0 || rx < 0)
		return true;
	may_be(&errors, pages[0] >= 0, FFA_RET_DENIED);
	may_be(&errors, tx == rx || model.pages[tx].state != OWNED ||
	       model.pages[rx].state != OWNED, FFA_RET_INVALID_PARAMETERS);
	if (!as_expected(&errors, ffa_map(pool_pfn(tx), pool_pfn(rx)), "ffa_map"))
		return false;
	if (errors.nr)
		return true;

	lend(tx);
	lend(rx);
	pages[0] = tx;
	pages[1] = rx;
	return true;
}

static bool call_ffa_unmap(struct rng *rng)
{
	int *pages = model.ffa_pages;
	struct errors errors = {};

	if (!ffa_available())
		return true;
	may_be(&errors, pages[0] < 0, FFA_RET_INVALID_PARAMETERS);
	if (!as_expected(&errors, ffa_unmap(), "ffa_unmap"))
		return false;
	if (errors.nr)
		return true;

	lend_back(pages[0]);
	lend_back(pages[1]);
	pages[0] = -1;
	pages[1] = -1;
	return true;
}

static bool call_share(struct rng *rng)
{
	int page = choose_page(rng, rng_percent(rng, 70) ? OWNED : DONATED);
	u64 pfn = pfn_of(rng, page);
	struct errors errors = {};
	s64 ret;

	/* The base does not check frame numbers */
	if (page < 0)
		return true;
	not_owned(&errors, page, pfn);
	ret = hcall(__pkvm_host_share_hyp, pfn);
	if (!as_expected(&errors, ret, "share"))
		return false;
	if (!errors.nr)
		model.pages[page] = (struct page_model){ .state = SHARED };
	return true;
}

static bool call_unshare(struct rng *rng)
{
	int page = choose_page(rng, SHARED);
	struct errors errors = {};
	s64 ret;

	if (page < 0)
		return true;
	may_be(&errors, model.pages[page].state != SHARED, -EPERM);
	may_be(&errors, model.pages[page].pins, -EBUSY);
	ret = hcall(__pkvm_host_unshare_hyp, pool_pfn(page));
	if (!as_expected(&errors, ret, "unshare"))
		return false;
	if (!errors.nr)
		model.pages[page].state = OWNED;
	return true;
}

#ifdef CONFIG_NVHE_EL2_COUNTERS
/* All figures are of the same visits; @sum is how many there were. False if one ends meanwhile */
static bool sum_up(const struct trace_counters *counters, u64 *sum)
{
	const struct trace_counters_row *row = (const void *)(counters + 1);
	u64 done = READ_ONCE(counters->done);
	u32 i, j;

	for (i = 0, *sum = 0; i < HYP_COUNTERS_ROWS; i++) {
		for (j = 0; j < TRACE_COUNTERS_BUCKETS; j++)
			*sum += READ_ONCE(row[i].bucket[j]);
	}
	return READ_ONCE(counters->done) == done;
}

/* What EL2 has counted does not come from pages that the host has written to */
static bool counters_are_whole(void)
{
	const struct trace_counters *counters = pool_va(model.counters);
	u64 sum;

	while (!sum_up(counters, &sum))
		;
	return sum == counters->done ||
	       wrong("%llu visits in the rows of counters, %llu in all", sum, counters->done);
}

static bool scribble_counters(struct rng *rng)
{
	u64 *word;
	u32 i;

	if (model.counters < 0)
		return true;
	word = pool_va(model.counters);
	for (i = 0; i < HYP_COUNTERS_SIZE / sizeof(*word); i++)
		WRITE_ONCE(word[i], rng_u64(rng));
	return true;
}

/* The pages of a row, as more than one is needed; most often those of this CPU, which has none */
static bool call_counters_give(struct rng *rng)
{
	int page = choose_page_of(rng, NR_SINGLE, NR_PAGES - HYP_COUNTERS_PAGES + 1, OWNED);
	u64 pfn = page >= 0 ? pool_pfn(page) : HYP_COUNTERS_PAGES > 1 && rng_percent(rng, 50) ?
		  foreign_range(rng, HYP_COUNTERS_PAGES) : foreign_pfn(rng);
	u32 give = rng_percent(rng, 95) ? rng_below(rng, 2) : rng_u64(rng), i;
	struct errors errors = {};
	s64 ret;

	may_be(&errors, give > 1, -EINVAL);
	if (give == 1) {
		may_be(&errors, model.counters >= 0, -EBUSY);
		not_all_owned(&errors, page, pfn, HYP_COUNTERS_PAGES);
	}
	may_be(&errors, !give && model.counters < 0, -ENODEV);

	ret = hcall(__hyp_counters_give, give, pfn);
	if (!as_expected(&errors, ret, "counters_give"))
		return false;
	if (errors.nr)
		return true;
	for (i = 0; i < HYP_COUNTERS_PAGES; i++) {
		if (give)
			lend(page + i);
		else
			lend_back(model.counters + i);
	}
	model.counters = give ? page : -1;
	return !give || counters_are_whole();
}

static bool call_counters_switch(struct rng *rng)
{
	u32 on = rng_percent(rng, 90) ? rng_below(rng, 2) : rng_u64(rng);
	struct errors errors = {};

	may_be(&errors, on > 1, -EINVAL);
	return as_expected(&errors, hcall(__hyp_counters_switch, on), "counters_switch");
}
#endif

static bool call_nothing(struct rng *rng)
{
	u32 func = 0x1000 + rng_below(rng, 0x1000);
	s64 ret = __hcall(func, (const u64[7]){ rng_u64(rng), rng_u64(rng) });

	return ret == NOT_SUPPORTED || wrong("call %u: %lld", func, ret);
}

/* The calls that are needed to make progress are the most frequent ones */
static bool (*const calls[])(struct rng *rng) = {
	call_begin, call_begin, call_begin, call_add_table, call_add_table,
	call_add_subbufs, call_add_subbufs, call_add_subbufs, call_add_subbufs,
	call_unload, call_enable, call_enable, call_enable_event,
	call_set_filter, call_set_filter, call_swap_reader, call_swap_reader,
	call_reset, call_selftest, call_selftest, call_set_clock, call_set_clock, call_share,
	call_share, call_unshare, call_nothing, call_ffa_map, call_ffa_unmap, call_text,
#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
	call_set_function, call_set_function,
#endif
#ifdef CONFIG_NVHE_EL2_TRIGGERS
	call_set_triggers, call_set_triggers, call_trigger, call_trigger,
#endif
#ifdef CONFIG_NVHE_EL2_COUNTERS
	call_counters_give, call_counters_give, call_counters_switch, scribble_counters,
#endif
};

static bool is_zero(u32 page)
{
	return !memchr_inv(pool_va(page), 0, PAGE_SIZE);
}

/* After the round, pages that EL2 gave back are still zero */
static bool pages_ok(void)
{
	u32 cpu, i;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (model.bufs[cpu].state == EMPTY)
			continue;
		while (unload(&model.bufs[cpu]))
			;
		model.bufs[cpu].on = false;
	}
	for (i = 0; i < NR_HYP_EVENTS; i++) {
		drop_filter(i);
		drop_triggers(i);
	}
	for (i = 0; i < NR_PAGES; i++) {
		if (model.pages[i].state == OWNED && model.pages[i].zero && !is_zero(i))
			return wrong("page %u has come back from EL2 with something on it", i);
	}
	return true;
}

/* EL2 has nothing except for the kernel's clock */
static bool init_model(void)
{
	int i;

	memset(&model, 0, sizeof(model));
	model.counters = -1;
	for (i = 0; i < ARRAY_SIZE(model.ffa_pages); i++)
		model.ffa_pages[i] = -1;
	for (i = 0; i < NR_HYP_EVENTS; i++) {
		model.filters[i] = -1;
		model.triggers[i] = -1;
	}
	return reset_text() &&
	       (!hcall(__hyp_trace_set_clock, HYP_CLOCK_NONE) || wrong("no clock"));
}

bool model_round(void)
{
	struct rng *rng = &hostile.rng;

	if (!init_model())
		return false;

	/* Stay on one CPU from here on */
	guard(migrate)();
	model.cpu = smp_processor_id();
	while (atomic_read(&hostile.nr_calls) < hostile.want) {
		if (!calls[rng_below(rng, ARRAY_SIZE(calls))](rng))
			return false;
	}
	return unload_all() && pages_ok();
}
