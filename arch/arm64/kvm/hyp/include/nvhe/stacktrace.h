/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_NVHE_STACKTRACE_H__
#define __ARM64_KVM_NVHE_STACKTRACE_H__
/*
 * EL2 unwinds its own stack.
 */
#include <linux/stacktrace.h>

/**
 * hyp_unwind - look at this CPU's call chain
 * @fp:		the frame record that the unwinding begins with
 * @pc:		the first address of the chain
 * @consume:	called for @pc, and for the return address of each frame
 * @cookie:	passed to @consume
 *
 * Reads only the stacks of this CPU, and each frame record at most once. It ends at the first
 * one that is not there, or when @consume returns false. A return address may have a
 * signature in its upper bits; it is the true one if the function graph tracer has replaced it.
 *
 * Context: any, at EL2.
 */
void hyp_unwind(unsigned long fp, unsigned long pc, stack_trace_consume_fn consume, void *cookie);

#endif /* __ARM64_KVM_NVHE_STACKTRACE_H__ */
