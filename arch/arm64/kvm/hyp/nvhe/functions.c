// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing of functions at EL2: writes their records, and hooks their returns.
 *
 * A function that is hooked returns to hyp_function_return(), which returns to where the function
 * would have. The stack of these addresses is in EL2's own memory, one for each CPU, and is used by
 * that CPU only. Each call that is hooked returns, whatever is switched meanwhile, and the last
 * one before EL2 leaves: the stack is empty then. The exceptions are a panic, and a CPU that
 * comes up, for which hyp_functions_reset() is.
 *
 * Nothing that is used here can be traced itself: files are built without entries (see
 * Makefile), and functions in others are marked notrace. Only a panic can interrupt it.
 */
#include <asm/kvm_hyp.h>
#include <asm/kvm_mmu.h>

#include <nvhe/functions.h>
#include <nvhe/memory.h>

#include "trace_core.h"

/* A function's first instruction is this far before that where it continues */
#define FUNCTION_ENTRY		(2 * AARCH64_INSN_SIZE)

DEFINE_PER_CPU(struct hyp_function_stack, hyp_function_stacks);

/* What is added to an address of EL2's text to get that in the kernel's image */
static u64 kimage_offset;

/* Called by function_entry.S: @pc is where the function continues, @parent where it returns to */
asmlinkage void __hyp_function_call(unsigned long pc, unsigned long parent);
asmlinkage unsigned long __hyp_function_graph(unsigned long pc, unsigned long parent);
asmlinkage unsigned long __hyp_function_root(unsigned long pc, unsigned long parent);
asmlinkage unsigned long __hyp_function_return(void);

void hyp_functions_prepare(void)
{
	const unsigned long addr = (unsigned long)hyp_function_return;

	WRITE_ONCE(kimage_offset, hyp_kimage_address(addr) - addr);
}

void hyp_functions_reset(void)
{
	this_cpu_ptr(&hyp_function_stacks)->depth = 0;
}

u32 hyp_functions_depth(void)
{
	return this_cpu_ptr(&hyp_function_stacks)->depth;
}

unsigned long hyp_functions_unwind(u32 *depth, unsigned long pc)
{
	return hyp_function_true_return(this_cpu_ptr(&hyp_function_stacks), depth, pc,
					(unsigned long)hyp_function_return);
}

/* The id without the flag, as these events have no filters; 0 while the event is off */
#define function_event_id(event)	((u16)hyp_event_id(event))

/*
 * The common case of a record: its header is written, and what is left is to fill it and to commit
 * it at @spot. False in any other case. As the function of an event does it, see trace.c
 */
static __always_inline bool put_record(struct hyp_trace_cpu *tc, u32 type, u32 size,
				       struct rb_writer_spot *spot, u64 *ts, void *rec)
{
	const struct hyp_trace_task *task = tc->task;
	union hyp_task_word word;
	struct remote_rec *hdr;
	u64 delta;

	if (!rb_writer_find(&tc->writer, size, spot) || !hyp_clock_read(tc->clock.now, ts))
		return false;
	delta = *ts - spot->ts;
	OPTIMIZER_HIDE_VAR(delta);
	if (unlikely(delta >> RB_PAGE_DELTA_BITS))
		return false;
	word.both = READ_ONCE(task->word.both);
	if (unlikely(word.notify & HYP_NOTIFY_EVENT))
		return false;
	hdr = rb_writer_put(spot, size, delta);
	hdr->type = type;
	hdr->pid = word.pid;
	*(struct remote_rec **)rec = hdr;
	return true;
}

/* Any case; NULL if there is no room or the writer is off */
static void *put_slow(struct hyp_trace_cpu *tc, u32 type, u32 size)
{
	struct remote_rec *hdr = hyp_reserve_slow(tc, size);

	if (hdr) {
		hdr->type = type;
		hdr->pid = READ_ONCE(tc->task->word.pid);
	}
	return hdr;
}

static noinline void call_slow(u32 type, u64 ip, u64 parent_ip)
{
	struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);
	struct remote_function *rec = put_slow(tc, type, sizeof(*rec));

	if (!rec)
		return;
	rec->ip = ip;
	rec->parent_ip = parent_ip;
	hyp_commit_slow(tc, rec, sizeof(*rec));
}

/* A function that was hooked may have called this one */
static noinline unsigned long unhook(unsigned long parent)
{
	u32 depth = hyp_functions_depth();

	return hyp_functions_unwind(&depth, parent);
}

void __hyp_function_call(unsigned long pc, unsigned long parent)
{
	struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);
	u32 type = function_event_id(HYP_EVENT_FUNCTION);
	struct rb_writer_spot spot;
	struct remote_function *rec;
	u64 ts;

	if (!type)
		return;
	OPTIMIZER_HIDE_VAR(tc);
	if (unlikely(parent == (unsigned long)hyp_function_return))
		parent = unhook(parent);
	pc += kimage_offset - FUNCTION_ENTRY;
	parent += kimage_offset;
	if (!put_record(tc, type, sizeof(*rec), &spot, &ts, &rec)) {
		call_slow(type, pc, parent);
		return;
	}
	rec->ip = pc;
	rec->parent_ip = parent;
	rb_writer_commit_at(&tc->writer, &spot, ts);
}

/* Hooks the function if its record has been written, so that each return has its call */
static __always_inline unsigned long hook(struct hyp_function_stack *stack, u32 depth, u64 func,
					  unsigned long parent, u64 ts)
{
	struct hyp_function_frame *frame = &stack->frames[depth];

	frame->ret = parent;
	frame->func = func;
	frame->calltime = ts;
	barrier(); /* a panic sees the whole frame, or none */
	WRITE_ONCE(stack->depth, depth + 1);
	return (unsigned long)hyp_function_return;
}

static noinline unsigned long graph_slow(u32 type, u64 func, unsigned long parent)
{
	struct hyp_function_stack *stack = this_cpu_ptr(&hyp_function_stacks);
	struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);
	struct remote_funcgraph_entry *rec = put_slow(tc, type, sizeof(*rec));

	if (!rec)
		return parent;
	rec->func = func;
	rec->depth = stack->depth;
	hyp_commit_slow(tc, rec, sizeof(*rec));
	return hook(stack, stack->depth, func, parent, tc->writer.ts);
}

static __always_inline unsigned long graph(unsigned long pc, unsigned long parent, bool root)
{
	struct hyp_function_stack *stack = this_cpu_ptr(&hyp_function_stacks);
	struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);
	u32 type = function_event_id(HYP_EVENT_FUNCGRAPH_ENTRY), depth = stack->depth;
	struct remote_funcgraph_entry *rec;
	struct rb_writer_spot spot;
	u64 ts, func;

	if (!type || (!root && !depth))
		return parent;
	if (unlikely(depth >= HYP_FUNCTION_DEPTH)) {
		stack->overrun++;
		return parent;
	}
	OPTIMIZER_HIDE_VAR(tc);
	func = pc - FUNCTION_ENTRY + kimage_offset;
	if (!put_record(tc, type, sizeof(*rec), &spot, &ts, &rec))
		return graph_slow(type, func, parent);
	rec->func = func;
	rec->depth = depth;
	rb_writer_commit_at(&tc->writer, &spot, ts);
	return hook(stack, depth, func, parent, ts);
}

unsigned long __hyp_function_graph(unsigned long pc, unsigned long parent)
{
	return graph(pc, parent, false);
}

unsigned long __hyp_function_root(unsigned long pc, unsigned long parent)
{
	return graph(pc, parent, true);
}

static __always_inline void fill_exit(struct remote_funcgraph_exit *rec,
				      const struct hyp_function_frame *frame,
				      u32 depth, u32 overrun, u64 ts)
{
	rec->func = frame->func;
	rec->depth = depth;
	rec->overrun = overrun;
	rec->calltime = frame->calltime;
	rec->rettime = ts;
}

/* Last: in a panic before, the frame record of the hook needs the entry */
static __always_inline unsigned long pop(struct hyp_function_stack *stack, u32 depth)
{
	barrier();
	WRITE_ONCE(stack->depth, depth);
	return stack->frames[depth].ret;
}

static noinline unsigned long return_slow(u32 type, u32 depth)
{
	struct hyp_function_stack *stack = this_cpu_ptr(&hyp_function_stacks);
	struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);
	struct remote_funcgraph_exit *rec = put_slow(tc, type, sizeof(*rec));

	if (rec) {
		fill_exit(rec, &stack->frames[depth], depth, stack->overrun, tc->writer.ts);
		hyp_commit_slow(tc, rec, sizeof(*rec));
	}
	return pop(stack, depth);
}

unsigned long __hyp_function_return(void)
{
	struct hyp_function_stack *stack = this_cpu_ptr(&hyp_function_stacks);
	struct hyp_trace_cpu *tc = this_cpu_ptr(&hyp_trace_cpus);
	u32 type = function_event_id(HYP_EVENT_FUNCGRAPH_EXIT), depth = stack->depth - 1;
	struct hyp_function_frame *frame = &stack->frames[depth];
	struct remote_funcgraph_exit *rec;
	struct rb_writer_spot spot;
	u64 ts;

	if (unlikely(depth >= HYP_FUNCTION_DEPTH))
		hyp_panic();
	if (type) {
		OPTIMIZER_HIDE_VAR(tc);
		if (!put_record(tc, type, sizeof(*rec), &spot, &ts, &rec))
			return return_slow(type, depth);
		fill_exit(rec, frame, depth, stack->overrun, ts);
		rb_writer_commit_at(&tc->writer, &spot, ts);
	}
	return pop(stack, depth);
}
