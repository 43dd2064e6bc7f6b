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

/* A frame record: that of the caller of a function, when the function is called */
struct caller {
	unsigned long fp;
	unsigned long ret;
};

/*
 * Called by function_entry.S. @pc is where the function continues. Each instruction counts: what
 * is needed is in struct hyp_function_stack, and is read as late as possible, so that no
 * registers have to be saved.
 */
asmlinkage void __hyp_function_call(unsigned long pc, const struct caller *caller);
asmlinkage void __hyp_function_graph(unsigned long pc, struct caller *caller);
asmlinkage void __hyp_function_root(unsigned long pc, struct caller *caller);
asmlinkage unsigned long __hyp_function_return(void);

void hyp_functions_prepare(void)
{
	const unsigned long hook = (unsigned long)hyp_function_return;
	const u64 offset = hyp_kimage_address(hook) - hook;
	struct hyp_function_stack *stack;
	struct hyp_trace_cpu *tc;
	u32 cpu;

	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		tc = hyp_trace_cpu(cpu);
		if (!tc)
			continue;
		stack = per_cpu_ptr(&hyp_function_stacks, cpu);
		WRITE_ONCE(stack->buffer, tc);
		WRITE_ONCE(stack->kimage_offset, offset - FUNCTION_ENTRY);
		WRITE_ONCE(stack->hook, hook);
	}
}

void hyp_functions_reset(void)
{
	this_cpu_ptr(&hyp_function_stacks)->depth = 0;
}

u32 hyp_functions_top(void)
{
	return hyp_function_top(this_cpu_ptr(&hyp_function_stacks));
}

unsigned long hyp_functions_unwind(u32 *top, unsigned long fp, unsigned long pc)
{
	return hyp_function_true_return(this_cpu_ptr(&hyp_function_stacks), top, fp, pc,
					(unsigned long)hyp_function_return);
}

/* In one register: else the compiler keeps what it is added up from */
static __always_inline struct hyp_function_stack *this_stack(void)
{
	struct hyp_function_stack *stack = this_cpu_ptr(&hyp_function_stacks);

	OPTIMIZER_HIDE_VAR(stack);
	return stack;
}

/*
 * The id without the flag, as these events have no filters; 0 while the event is off. As
 * hyp_event_id(), but of the lower half
 */
#define function_event_id(event)					\
({									\
	u64 __id;							\
									\
	asm volatile("adrp	%0, %1 + %2\n"				\
	"	ldrh	%w0, [%0, #:lo12:%1 + %2]"			\
	: "=r" (__id)							\
	: "S" (hyp_event_ids), "i" ((event) * sizeof(hyp_event_ids[0])));\
	(u32)__id;							\
})

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
static noinline unsigned long unhook(const struct caller *caller)
{
	u32 top = hyp_functions_top();

	return hyp_functions_unwind(&top, caller->fp, caller->ret);
}

void __hyp_function_call(unsigned long pc, const struct caller *caller)
{
	struct hyp_function_stack *stack = this_stack();
	u32 type = function_event_id(HYP_EVENT_FUNCTION);
	struct hyp_trace_cpu *tc = stack->buffer;
	unsigned long parent = caller->ret;
	struct rb_writer_spot spot;
	struct remote_function *rec;
	u64 ts;

	if (!type)
		return;
	if (unlikely(parent == stack->hook))
		parent = unhook(caller);
	pc += stack->kimage_offset;
	parent += stack->kimage_offset + FUNCTION_ENTRY;
	if (!put_record(tc, type, sizeof(*rec), &spot, &ts, &rec)) {
		call_slow(type, pc, parent);
		return;
	}
	rec->ip = pc;
	rec->parent_ip = parent;
	rb_writer_commit_at(&tc->writer, &spot, ts);
}

/* Hooks the function if its record has been written, so that each return has its call */
static __always_inline void hook(struct hyp_function_stack *stack, u64 depth, u64 func,
				 struct caller *caller, u64 ts)
{
	struct hyp_function_frame *frame = &stack->frames[depth];
	const struct caller c = *caller;

	OPTIMIZER_HIDE_VAR(frame);
	frame->fp = c.fp;
	frame->ret = c.ret;
	frame->func = func;
	frame->calltime = ts;
	barrier(); /* a panic sees the whole frame before the hook */
	WRITE_ONCE(stack->depth, depth + 1);
	WRITE_ONCE(caller->ret, stack->hook);
}

static noinline void graph_slow(u32 type, unsigned long pc, struct caller *caller)
{
	struct hyp_function_stack *stack = this_stack();
	struct remote_funcgraph_entry *rec = put_slow(stack->buffer, type, sizeof(*rec));
	struct hyp_trace_cpu *tc = stack->buffer;
	u64 func = pc + stack->kimage_offset;

	if (!rec)
		return;
	rec->func = func;
	rec->depth = stack->depth;
	hyp_commit_slow(tc, rec, sizeof(*rec));
	hook(stack, stack->depth, func, caller, tc->writer.ts);
}

static __always_inline void graph(unsigned long pc, struct caller *caller, bool root)
{
	struct hyp_function_stack *stack = this_stack();
	u32 type = function_event_id(HYP_EVENT_FUNCGRAPH_ENTRY);
	u64 depth = READ_ONCE(stack->depth);
	struct hyp_trace_cpu *tc = stack->buffer;
	struct remote_funcgraph_entry *rec;
	struct rb_writer_spot spot;
	u64 ts, func;

	if (!type || (!root && !depth))
		return;
	if (unlikely(depth >= HYP_FUNCTION_DEPTH)) {
		stack->overrun++;
		return;
	}
	if (!put_record(tc, type, sizeof(*rec), &spot, &ts, &rec)) {
		graph_slow(type, pc, caller);
		return;
	}
	func = pc + stack->kimage_offset;
	depth = READ_ONCE(stack->depth);
	rec->func = func;
	rec->depth = depth;
	rb_writer_commit_at(&tc->writer, &spot, ts);
	hook(stack, depth, func, caller, ts);
}

void __hyp_function_graph(unsigned long pc, struct caller *caller)
{
	graph(pc, caller, false);
}

void __hyp_function_root(unsigned long pc, struct caller *caller)
{
	graph(pc, caller, true);
}

static __always_inline void fill_exit(struct remote_funcgraph_exit *rec,
				      const struct hyp_function_frame *frame, u32 depth,
				      u32 overrun, u64 ts)
{
	const u64 func = frame->func, calltime = frame->calltime;

	rec->func = func;
	rec->depth = depth;
	rec->overrun = overrun;
	rec->calltime = calltime;
	rec->rettime = ts;
}

/* What unwinds a stack also looks at the entry that was popped last */
static __always_inline unsigned long pop(struct hyp_function_stack *stack,
					 const struct hyp_function_frame *frame, u64 depth)
{
	WRITE_ONCE(stack->depth, depth);
	return frame->ret;
}

static noinline unsigned long return_slow(u32 type, u64 depth)
{
	struct hyp_function_stack *stack = this_stack();
	struct hyp_trace_cpu *tc = stack->buffer;
	const struct hyp_function_frame *frame;
	struct remote_funcgraph_exit *rec;

	if (depth >= HYP_FUNCTION_DEPTH)
		hyp_panic();
	frame = &stack->frames[depth];
	rec = type ? put_slow(tc, type, sizeof(*rec)) : NULL;
	if (rec) {
		fill_exit(rec, frame, depth, stack->overrun, tc->writer.ts);
		hyp_commit_slow(tc, rec, sizeof(*rec));
	}
	return pop(stack, frame, depth);
}

unsigned long __hyp_function_return(void)
{
	struct hyp_function_stack *stack = this_stack();
	u32 type = function_event_id(HYP_EVENT_FUNCGRAPH_EXIT);
	u64 depth = stack->depth - 1;
	struct hyp_trace_cpu *tc = stack->buffer;
	const struct hyp_function_frame *frame;
	struct remote_funcgraph_exit *rec;
	struct rb_writer_spot spot;
	u64 ts;

	if (unlikely(!type || depth >= HYP_FUNCTION_DEPTH) ||
	    !put_record(tc, type, sizeof(*rec), &spot, &ts, &rec))
		return return_slow(type, depth);
	frame = &stack->frames[depth];
	OPTIMIZER_HIDE_VAR(frame);
	fill_exit(rec, frame, depth, stack->overrun, ts);
	rb_writer_commit_at(&tc->writer, &spot, ts);
	return pop(stack, frame, depth);
}
