/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_NVHE_FUNCTIONS_H__
#define __ARM64_KVM_NVHE_FUNCTIONS_H__
/*
 * Tracing of functions at EL2.
 */
#include <linux/linkage.h>
#include <linux/percpu-defs.h>
#include <linux/types.h>

#include <asm/kvm_hypfunctions.h>

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER

/*
 * A function that is traced calls one of these first, as its enum trace_remote_function says:
 * _CALL, _GRAPH, or _ROOT. Their x9 is where the function returns to. See function_entry.S.
 */
asmlinkage void hyp_function_call(void);
asmlinkage void hyp_function_graph(void);
asmlinkage void hyp_function_root(void);

/* Also read by the host, to unwind a stack of EL2 */
DECLARE_PER_CPU(struct hyp_function_stack, hyp_function_stacks);

/* Where a function returns to that has been hooked */
asmlinkage void hyp_function_return(void);

/**
 * hyp_functions_prepare - before the first function is traced
 *
 * May be called again.
 */
void hyp_functions_prepare(void);

/**
 * hyp_functions_reset - forget the calls that have been hooked on this CPU
 *
 * The caller has been entered from the host, with an empty stack, and what was there before
 * will never be returned to.
 */
void hyp_functions_reset(void);

/**
 * hyp_functions_top - where to begin to look for true return addresses on this CPU
 *
 * Return: see hyp_function_top().
 */
u32 hyp_functions_top(void);

/**
 * hyp_functions_unwind - the true return address of a frame of this CPU's stack
 * @top:	at first hyp_functions_top()
 * @fp:		the frame pointer that is in the frame
 * @pc:		the return address that is in the frame
 *
 * Return: see hyp_function_true_return().
 */
unsigned long hyp_functions_unwind(u32 *top, unsigned long fp, unsigned long pc);

#else

static inline void hyp_functions_reset(void) { }

static inline u32 hyp_functions_top(void)
{
	return 0;
}

static inline unsigned long hyp_functions_unwind(u32 *top, unsigned long fp, unsigned long pc)
{
	return pc;
}

#endif

#endif /* __ARM64_KVM_NVHE_FUNCTIONS_H__ */
