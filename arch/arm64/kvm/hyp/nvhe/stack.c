// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks of EL2: the call chain of an event, as a record that follows that of the event.
 *
 * The unwinder is the one that reports a panic. What it finds on a stack may be anything: an
 * address leaves EL2 only if it is in EL2's text, as that in the kernel's image. So neither
 * an address of EL2 nor one of a guest does. The record is made in EL2's own memory, and
 * copied when it is complete.
 */
#include <asm/kvm_hyp.h>
#include <asm/sections.h>

#include <nvhe/stacktrace.h>

#include "trace_core.h"

bool hyp_stacks;

static DEFINE_PER_CPU(struct remote_stack, stacks);

static bool add_caller(void *cookie, unsigned long pc)
{
	/* Without a signature in the upper bits */
	const unsigned long mask = GENMASK(VA_BITS_MIN - 1, 0);
	unsigned long text = (unsigned long)__hyp_text_start, offset = (pc - text) & mask;
	struct remote_stack *stack = cookie;

	if (offset < (unsigned long)__hyp_text_end - text)
		stack->caller[stack->size++] = hyp_kimage_address(text + offset);
	return stack->size < REMOTE_STACK_MAX;
}

void hyp_write_stack(struct hyp_trace_cpu *tc, unsigned long pc, unsigned long fp)
{
	struct remote_stack *stack = this_cpu_ptr(&stacks);
	u32 size;

	stack->hdr.type = REMOTE_STACK_ID;
	stack->hdr.pid = READ_ONCE(tc->task->word.pid);
	stack->size = 0;
	hyp_unwind(fp, pc, add_caller, stack);

	size = offsetof(struct remote_stack, caller[stack->size]);
	hyp_write_record(tc, stack, size);
}
