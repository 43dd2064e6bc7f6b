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
 * which has none yet. So a backtrace from here has both. Between them are the function's
 * arguments, so that they are loaded in pairs with where it continues.
 */
#define FRAME_SIZE	96

	/* C_FUNCTION gets where the function continues, and the first record, to change it */
	.macro	function_traced, c_function
	stp	x29, x9, [sp, #-16]!
	mov	x29, sp
	stp	x29, x30, [sp, #-FRAME_SIZE]!
	stp	x0, x1, [sp, #16]
	mov	x1, x29
	mov	x29, sp
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	str	x8, [sp, #80]
	mov	x0, x30
	bl	\c_function
	ldp	x10, x0, [sp, #8]
	ldp	x1, x2, [sp, #24]
	ldp	x3, x4, [sp, #40]
	ldp	x5, x6, [sp, #56]
	ldp	x7, x8, [sp, #72]
	/* A panic would write over frame records below the stack pointer, so x29 comes first */
	ldp	x29, x30, [sp, #FRAME_SIZE]
	add	sp, sp, #FRAME_SIZE + 16
	/* Goes on with the function. A RET, as that needs no BTI instruction there */
	ret	x10
	.endm

SYM_CODE_START(hyp_function_call)
	function_traced	__hyp_function_call
SYM_CODE_END(hyp_function_call)

SYM_CODE_START(hyp_function_graph)
	function_traced	__hyp_function_graph
SYM_CODE_END(hyp_function_graph)

SYM_CODE_START(hyp_function_root)
	function_traced	__hyp_function_root
SYM_CODE_END(hyp_function_root)

/*
 * A hooked function returns to here: x0 and x1 may be its result. The frame record has this
 * address, for which a backtrace finds the true one, as the entry of the call is still there.
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
