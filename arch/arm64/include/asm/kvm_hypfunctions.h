/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYPFUNCTIONS_H_
#define __ARM64_KVM_HYPFUNCTIONS_H_
/*
 * The function graph tracer at EL2 replaces the return address of a function. Here is where it
 * keeps the true one, for those who unwind a stack of EL2.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Calls within each other that can be hooked at the same time on a CPU */
#define HYP_FUNCTION_DEPTH	32

/**
 * struct hyp_function_frame - a call that has been hooked
 * @fp:		the caller's frame pointer
 * @ret:	where the function returns to, an address at EL2
 * @func:	the function, as an address in the kernel's image
 * @calltime:	when it was called, by the trace clock
 *
 * The members are written and read in pairs; an index is a shift.
 */
struct hyp_function_frame {
	unsigned long	fp;
	unsigned long	ret;
	u64		func;
	u64		calltime;
};

/**
 * struct hyp_function_stack - the calls on a CPU that have been hooked
 * @frames:	the calls, the outermost first
 * @depth:	how many
 * @buffer:	the buffer of this CPU, which EL2 uses
 * @kimage_offset: what is added to where a function continues to get the function as an address in
 *		the kernel's image
 * @hook:	where a hooked function returns to
 * @overrun:	calls that have not been hooked, as there was no room
 */
struct hyp_function_stack {
	struct hyp_function_frame	frames[HYP_FUNCTION_DEPTH];
	u64				depth;
	void				*buffer;
	u64				kimage_offset;
	unsigned long			hook;
	u32				overrun;
};

/**
 * hyp_function_top - where to begin to look for true return addresses
 * @stack:	the calls that have been hooked; may be damaged
 *
 * Return: the number of entries that may be of a call. The last one may be of a call that is just
 * being hooked, or has just returned.
 */
static inline u32 hyp_function_top(const struct hyp_function_stack *stack)
{
	return min_t(u64, READ_ONCE(stack->depth), HYP_FUNCTION_DEPTH - 1) + 1;
}

/**
 * hyp_function_true_return - the true return address of a frame of EL2's stack
 * @stack:	the calls that have been hooked; may be damaged
 * @top:	how many entries have not been looked at; hyp_function_top() before the first frame
 * @fp:		the frame pointer that is in the frame
 * @pc:		the return address that is in the frame
 * @hook:	where a hooked function returns to
 *
 * To be called for each frame, beginning with the innermost one. Of two calls with the same
 * caller's frame, the first has ended with the second, so the second returns to where the first
 * does. In the code of the hook itself, @pc may be the hook in a frame that is of no call.
 *
 * Return: @pc, or if that is @hook and the frame is of a call, what it stands for.
 */
static inline unsigned long hyp_function_true_return(const struct hyp_function_stack *stack,
						     u32 *top, unsigned long fp,
						     unsigned long pc, unsigned long hook)
{
	/* Without a signature in the upper bits */
	const unsigned long mask = GENMASK(VA_BITS_MIN - 1, 0);
	u32 i = *top;

	while (!((pc ^ hook) & mask) && i) {
		if (READ_ONCE(stack->frames[--i].fp) != fp)
			continue;
		pc = READ_ONCE(stack->frames[i].ret);
		*top = i;
	}
	return pc;
}

#endif /* __ARM64_KVM_HYPFUNCTIONS_H_ */
