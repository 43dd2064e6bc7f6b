// SPDX-License-Identifier: GPL-2.0
/*
 * Every byte that EL2 writes to a sub-buffer has to be a field of an event, or part of a
 * header. The pages are filled beforehand, and all events are on. The host does whatever
 * makes EL2 write events, with all clocks. Then each page is parsed.
 */
#include <linux/arm-smccc.h>
#include <linux/arm_ffa.h>
#include <linux/bitfield.h>
#include <linux/ring_buffer_writer.h>
#include <linux/sched.h>
#include <linux/sched_clock.h>
#include <linux/smp.h>
#include <linux/threads.h>
#include <linux/trace_remote_filter.h>

#include "hostile.h"

/* Types of the events, in the order of the events */
#define FIRST_ID	1000
#define TASK		1234

/* In the row: EL2 takes the sub-buffers as a range, of which the last ones are not used */
#define FIRST_PAGE	NR_SINGLE
#define NR_SUBBUFS	40
#define CLOCK_PAGE	(NR_SCRIBBLED - 1)
#define SPARE_PAGE	(NR_PAGES - 1)
#define PROGRAM_PAGE	(NR_PAGES - 3)

/* Few enough for the ring to hold all of their events, and the stacks of those */
#define CALLS_A_LOAD	250
#define CALLS_WITH_STACKS 125

static u32 this_cpu;

/* The event that has a filter, if EL2 has been given a program */
static u32 filtered;
static bool program_is_given;

/* Each event has a stack; nothing else may be a stack */
static bool has_stacks;

/* Sizes of an event: of its record, and of all of its fields without padding */
struct event_size {
	u32	rec;
	u32	used;
};

#define FIELD_SIZE(t, f)	+ sizeof(t)
#define FIELD_SIZE_NONE

static const struct event_size sizes[NR_HYP_EVENTS] = {
#define REMOTE_EVENT(name, fields, ...)						\
	[HYP_EVENT_##name] = {							\
		.rec	= sizeof(struct remote_rec_##name),			\
		.used	= sizeof(struct remote_rec)				\
			  __REMOTE_MAP(FIELD_SIZE, __REMOTE_NOSEP, fields), \
	},
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
};

/*
 * Checking the pages
 */

static bool is_pointer(u64 val)
{
	return val >> hyp_layout.tag_lsb == hyp_layout.tag;
}

/* There is no address of EL2, at any offset */
static bool no_pointers(const u8 *rec, u32 from, u32 size, u32 event)
{
	u64 val;

	for (; from + sizeof(val) <= size; from += sizeof(u32)) {
		memcpy(&val, rec + from, sizeof(val));
		if (is_pointer(val))
			return wrong("event %u has an address of EL2: 0x%llx", event, val);
	}
	return true;
}

/* EL2 knows no VM with the MMU that the host has passed */
static bool tlb_flush_ok(const void *rec)
{
	const struct remote_rec_tlb_flush *flush = rec;
	u32 vm = flush->vm ?: flush->vmid;

	return !vm || wrong("a VM from where the host said it were: 0x%x", vm);
}

/* Each address is of EL2's text */
static bool stack_ok(const struct remote_stack *stack, u32 size)
{
	s32 i;

	if (!has_stacks)
		return wrong("a stack");
	if (size < offsetof(struct remote_stack, caller) || stack->size < 1 ||
	    stack->size > REMOTE_STACK_MAX ||
	    size != offsetof(struct remote_stack, caller[stack->size]))
		return wrong("a stack of %u bytes", size);
	if (stack->hdr.pid != TASK || stack->reserved)
		return wrong("a stack of task %d, %u", stack->hdr.pid, stack->reserved);
	for (i = 0; i < stack->size; i++) {
		if (stack->caller[i] < hyp_layout.text_start ||
		    stack->caller[i] >= hyp_layout.text_end)
			return wrong("address %d of a stack: 0x%llx", i, stack->caller[i]);
	}
	return true;
}

static bool rec_ok(const void *data, u32 size)
{
	const struct remote_rec *rec = data;
	u32 event = rec->type - FIRST_ID, end = sizeof(struct remote_printk);

	if (rec->type == REMOTE_STACK_ID)
		return stack_ok(data, size);
	if (event >= NR_HYP_EVENTS)
		return wrong("an event of type 0x%x", rec->type);
	if (rec->pid != TASK)
		return wrong("event %u of task %d", event, rec->pid);
	/* The arguments of a message are the responsibility of its author */
	if (event == HYP_EVENT_PRINTK)
		return no_pointers(data, sizeof(*rec), end, event);

	if (size != sizes[event].rec)
		return wrong("event %u has %u bytes", event, size);
	if (memchr_inv(data + sizes[event].used, 0, size - sizes[event].used))
		return wrong("something behind the fields of event %u", event);
	if (event == HYP_EVENT_tlb_flush && !tlb_flush_ok(data))
		return false;
	return no_pointers(data, sizeof(*rec), size, event);
}

static bool events_ok(const struct rb_page *page, u32 commit, u64 *nr)
{
	u32 pos = 0, word, len;

	while (pos < commit) {
		memcpy(&word, page->data + pos, sizeof(word));
		len = 4 * FIELD_GET(GENMASK(4, 0), word);
		pos += RB_PAGE_EVENT_HDR;
		if (len == 4 * RB_PAGE_TYPE_TIME_EXTEND) {
			pos += RB_PAGE_TIME_EXTEND_LEN - RB_PAGE_EVENT_HDR;
			continue;
		}
		if (len == RB_PAGE_TYPE_LONG) {
			memcpy(&word, page->data + pos, sizeof(word));
			len = word - sizeof(word);
			pos += sizeof(word);
			if (len > RB_WRITER_MAX_LONG || len <= 4 * RB_PAGE_MAX_TYPE_LEN || len % 4)
				return wrong("a long event of %u bytes at %u", len, pos);
		}
		if (len < sizeof(struct remote_rec) || pos + len > commit)
			return wrong("an event of %u bytes at %u of %u", len, pos, commit);
		if (!rec_ok(page->data + pos, len))
			return false;
		pos += len;
		++*nr;
	}
	return pos == commit || wrong("events up to %u of %u", pos, commit);
}

/* After the events, the page still has what it was filled with */
static bool rest_ok(u32 id, u32 commit)
{
	return commit == RB_PAGE_DATA_SIZE ||
	       pool_is_filled(FIRST_PAGE + 1 + id, sizeof(struct rb_page) + commit) ||
	       wrong("something behind the events of sub-buffer %u", id);
}

static bool page_ok(u32 id, u64 *nr)
{
	const struct rb_page *page = pool_va(FIRST_PAGE + 1 + id);
	u64 commit = page->commit;

	if (commit > RB_PAGE_DATA_SIZE)
		return wrong("commit of sub-buffer %u: 0x%llx", id, commit);
	return events_ok(page, commit, nr) && rest_ok(id, commit);
}

/* All events are still there, since the ring is large enough. Tracing is off */
static bool pages_ok(void)
{
	const struct trace_buffer_meta *meta = pool_va(FIRST_PAGE);
	const struct rb_page *page;
	u64 nr = 0, seen = 0;
	s64 ret;

	while ((ret = hcall(__hyp_trace_swap_reader, this_cpu, seen)) == RB_SWAP_DONE) {
		if (meta->reader.id >= NR_SUBBUFS)
			return wrong("reader's sub-buffer %u", meta->reader.id);
		if (!page_ok(meta->reader.id, &nr))
			return false;
		page = pool_va(FIRST_PAGE + 1 + meta->reader.id);
		seen = page->commit;
	}
	if (ret || meta->overrun || meta->dropped || nr != meta->entries)
		return wrong("%llu of %llu events, last swap %lld", nr, meta->entries, ret);
	return true;
}

/*
 * Operations for which EL2 writes events
 */

static void share_and_unshare(struct rng *rng)
{
	hcall(__pkvm_host_share_hyp, pool_pfn(SPARE_PAGE));
	hcall(__pkvm_host_share_hyp, pool_pfn(SPARE_PAGE));
	hcall(__pkvm_host_unshare_hyp, pool_pfn(SPARE_PAGE));
}

static void donate(struct rng *rng)
{
	u32 other = (this_cpu + 1) % num_possible_cpus();

	if (other == this_cpu)
		return;
	hcall(__hyp_trace_begin, other, pool_pfn(SPARE_PAGE), pool_pfn(SPARE_PAGE - 1), 3);
	hcall(__hyp_trace_unload, other);
}

/* EL2 reads through the host's pointer, as without tracing; the trace must not show it */
static void flush(struct rng *rng)
{
	u64 secret = hyp_layout.mem + rng_below(rng, hyp_layout.mem_size / 8) * 8;
	u64 mmu = (u64)__va(secret) - offsetof(struct kvm_s2_mmu, vmid.id);

	if (mmu < (u64)__va(hyp_layout.mem) ||
	    mmu + sizeof(struct kvm_s2_mmu) > (u64)__va(hyp_layout.mem + hyp_layout.mem_size))
		return;
	hcall(__kvm_flush_cpu_context, mmu);
}

static void unknown_call(struct rng *rng)
{
	__hcall(0x1000 + rng_below(rng, 64), (const u64[7]){ rng_u64(rng), rng_u64(rng) });
}

static void smc(struct rng *rng)
{
	struct arm_smccc_res res;

	/* An unknown call, and one to a partition, which there is not */
	arm_smccc_1_1_smc(rng_below(rng, 2) ? 0xc200ff00 : FFA_RUN, rng_u64(rng), 0, 0, &res);
}

static void selftest(struct rng *rng)
{
	hcall(__hyp_trace_selftest, rng_u64(rng));
}

/* Each event passes. The page is EL2's from the first filter on, until tracing ends */
static void set_filter(struct rng *rng)
{
	struct remote_filter *program = pool_va(PROGRAM_PAGE);
	s64 ret;

	if (program_is_given) {
		hcall(__hyp_trace_set_filter, filtered, rng_below(rng, 2),
		      pool_pfn(PROGRAM_PAGE));
		return;
	}

	filtered = rng_below(rng, NR_HYP_EVENTS);
	program->insns[0] = (struct remote_filter_insn){
		.offset = sizeof(struct remote_rec) - sizeof(u32), .size = 4,
		.op = REMOTE_FILTER_GE, .yes = REMOTE_FILTER_PASS, .no = REMOTE_FILTER_FAIL,
	};
	ret = hcall(__hyp_trace_set_filter, filtered, 1, pool_pfn(PROGRAM_PAGE));
	program_is_given = ret == 1;
}

/* Change the time and the rate of the clock; EL2 uses them at once */
static void turn_clock(struct rng *rng)
{
	struct clock_read_data *banks = pool_va(CLOCK_PAGE);
	u32 *latch = pool_va(CLOCK_PAGE) + PAGE_SIZE / 2;
	struct clock_read_data *bank = &banks[rng_below(rng, 2)];

	WRITE_ONCE(bank->epoch_ns, rng_u64(rng) >> rng_below(rng, 64));
	WRITE_ONCE(bank->epoch_cyc, rng_u64(rng) >> rng_below(rng, 64));
	WRITE_ONCE(bank->mult, rng_u64(rng) >> rng_below(rng, 64));
	WRITE_ONCE(bank->shift, rng_percent(rng, 50) ? rng_below(rng, 64) : rng_u64(rng));
	WRITE_ONCE(*latch, rng_u64(rng));
}

/* Ask for an interrupt, in any words. EL2 sends it, and that changes nothing of the events */
static void ask(struct rng *rng)
{
	struct hyp_trace_task *tasks = clock_tasks(pool_va(CLOCK_PAGE));

	WRITE_ONCE(tasks[this_cpu].sgi, rng_u64(rng));
	WRITE_ONCE(tasks[this_cpu].word.notify,
		   rng_percent(rng, 50) ? HYP_NOTIFY_EVENT : rng_u64(rng));
}

/* EL2 has no pages for what it counts, but the events that it counts are written in another way */
static void count(struct rng *rng)
{
#ifdef CONFIG_NVHE_EL2_COUNTERS
	hcall(__hyp_counters_switch, rng_below(rng, 2));
#endif
}

static void off_and_on(struct rng *rng)
{
	hcall(__hyp_trace_enable, 0);
	hcall(__hyp_trace_enable, HYP_TRACE_ON);
}

static void (*const steps[])(struct rng *rng) = {
	share_and_unshare, donate, flush, unknown_call, smc, selftest, set_filter, turn_clock,
	off_and_on, ask, count,
};

static void switch_stacks(bool on)
{
#ifdef CONFIG_NVHE_EL2_STACKS
	hcall(__hyp_trace_enable_event, HYP_EVENT_STACK, on ? REMOTE_STACK_ID : 0);
#endif
}

static bool load(void)
{
	struct hyp_trace_task *tasks = clock_tasks(pool_va(CLOCK_PAGE));
	u64 banks = (u64)pool_va(CLOCK_PAGE);
	u32 i;
	s64 ret;

	for (i = 0; i < NR_HYP_EVENTS; i++)
		hcall(__hyp_trace_enable_event, i, FIRST_ID + i);
	switch_stacks(has_stacks);
	tasks[this_cpu].word.pid = TASK;
	ret = hcall(__pkvm_host_share_hyp, pool_pfn(CLOCK_PAGE)) ?:
	      hcall(__hyp_trace_set_clock, HYP_CLOCK_SCHED, banks + PAGE_SIZE / 2, banks, 0, 0,
		    (u64)tasks);
	if (ret)
		return wrong("setting the clock: %lld", ret);
	if (!load_cpu(this_cpu, FIRST_PAGE, NR_SUBBUFS))
		return false;
	ret = hcall(__hyp_trace_enable, HYP_TRACE_ON);
	return !ret || wrong("enable: %lld", ret);
}

static bool unload(void)
{
	s64 ret;

	if (!unload_all())
		return false;
	program_is_given = false;
	ret = hcall(__hyp_trace_set_clock, HYP_CLOCK_NONE) ?:
	      hcall(__pkvm_host_unshare_hyp, pool_pfn(CLOCK_PAGE));
	return !ret || wrong("dropping the clock: %lld", ret);
}

/* Load a buffer of newly filled pages, write events, check */
static bool load_and_look(struct rng *rng)
{
	int end;
	u32 i;
	s64 ret;

	has_stacks = IS_ENABLED(CONFIG_NVHE_EL2_STACKS) && rng_percent(rng, 50);
	end = atomic_read(&hostile.nr_calls) + (has_stacks ? CALLS_WITH_STACKS : CALLS_A_LOAD);
	for (i = 0; i <= NR_SUBBUFS; i++)
		pool_fill(FIRST_PAGE + i);
	if (!load())
		return false;
	while (atomic_read(&hostile.nr_calls) < end)
		steps[rng_below(rng, ARRAY_SIZE(steps))](rng);
	ret = hcall(__hyp_trace_enable, 0);
	if (ret)
		return wrong("disable: %lld", ret);
	return pages_ok() && unload();
}

bool fields_round(void)
{
	struct rng *rng = &hostile.rng;

	guard(migrate)();
	this_cpu = smp_processor_id();
	while (atomic_read(&hostile.nr_calls) < hostile.want) {
		if (!load_and_look(rng))
			return false;
	}
	return true;
}
