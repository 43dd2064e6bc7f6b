/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYPFUNCTIONS_H_
#define __ARM64_KVM_HYPFUNCTIONS_H_
/*
 * The function graph tracer at EL2 replaces the return address of a function. Here is where it
 * keeps the true one, for those who unwind a stack of EL2.
 */
#include <linux/compiler.h>
#include <linux/types.h>

/* Calls within each other that can be hooked at the same time on a CPU */
#define HYP_FUNCTION_DEPTH	32

/**
 * struct hyp_function_frame - a call that has been hooked
 * @ret:	where the function returns to, an address at EL2
 * @func:	the function, as an address in the kernel's image
 * @calltime:	when it was called, by the trace clock
 */
struct hyp_function_frame {
	unsigned long	ret;
	u64		func;
	u64		calltime;
};

/**
 * struct hyp_function_stack - the calls on a CPU that have been hooked
 * @depth:	how many
 * @overrun:	calls that have not been hooked, as there was no room
 * @frames:	the calls, the outermost first
 */
struct hyp_function_stack {
	u32				depth;
	u32				overrun;
	struct hyp_function_frame	frames[HYP_FUNCTION_DEPTH];
};

/**
 * hyp_function_true_return - the true return address of a frame of EL2's stack
 * @stack:	the calls that have been hooked; may be damaged
 * @depth:	how many of them have not been met yet; @stack's depth before the first one
 * @pc:		the return address that is in the frame
 * @hook:	where a hooked function returns to
 *
 * To be called for each frame, beginning with the innermost one. A function that ends with a
 * call of another one has no frame any more, but may be hooked.
 *
 * Return: @pc, or if that is @hook, what it stands for.
 */
static inline unsigned long hyp_function_true_return(const struct hyp_function_stack *stack,
						     u32 *depth, unsigned long pc,
						     unsigned long hook)
{
	/* Without a signature in the upper bits */
	const unsigned long mask = GENMASK(VA_BITS_MIN - 1, 0);

	while (!((pc ^ hook) & mask) && *depth && *depth <= HYP_FUNCTION_DEPTH)
		pc = READ_ONCE(stack->frames[--*depth].ret);
	return pc;
}

#endif /* __ARM64_KVM_HYPFUNCTIONS_H_ */
