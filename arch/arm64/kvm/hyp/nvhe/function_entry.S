/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between a function of EL2 that is traced, and the C code that traces it (functions.c).
 *
 * A function begins with
 *
 *	mov	x9, x30
 *	nop, or bl of one of the first three here
 *
 * At a function's first instruction, x9 to x17 are dead, and so is x18, as EL2's code is built
 * without -fipa-ra. The arguments are in x0 to x8; EL2 uses no FP registers.
 */
#include <linux/linkage.h>

#include <asm/assembler.h>

	.text

/*
 * Two frame records: of the function's caller, which x29 belongs to, and of the function,
 * which has none yet. So a backtrace from here has both.
 */
#define FRAME_SIZE	96

	.macro	function_enter
	stp	x29, x9, [sp, #-16]!
	mov	x29, sp
	stp	x29, x30, [sp, #-FRAME_SIZE]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	str	x8, [sp, #80]
	mov	x0, x30
	mov	x1, x9
	.endm

	/* Goes on with the function. A RET, as that needs no BTI instruction there */
	.macro	function_continue
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldr	x8, [sp, #80]
	ldr	x10, [sp, #8]
	add	sp, sp, #FRAME_SIZE
	ldp	x29, x30, [sp], #16
	ret	x10
	.endm

/* C functions return what the function is to return to: the hook, or where it does anyway */
	.macro	function_graph, c_function
	function_enter
	bl	\c_function
	str	x0, [sp, #FRAME_SIZE + 8]
	function_continue
	.endm

SYM_CODE_START(hyp_function_call)
	function_enter
	bl	__hyp_function_call
	function_continue
SYM_CODE_END(hyp_function_call)

SYM_CODE_START(hyp_function_graph)
	function_graph	__hyp_function_graph
SYM_CODE_END(hyp_function_graph)

SYM_CODE_START(hyp_function_root)
	function_graph	__hyp_function_root
SYM_CODE_END(hyp_function_root)

/*
 * A hooked function returns to here: x0 and x1 may be its result. The frame record has this
 * address, for which a backtrace finds the true one, as the call is still known.
 */
SYM_CODE_START(hyp_function_return)
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	bl	__hyp_function_return
	mov	x30, x0
	ldp	x0, x1, [sp, #16]
	ldr	x29, [sp], #32
	ret
SYM_CODE_END(hyp_function_return)
