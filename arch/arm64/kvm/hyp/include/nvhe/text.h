/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_NVHE_TEXT_H__
#define __ARM64_KVM_NVHE_TEXT_H__
/*
 * EL2 changes its own text, where that is EL2's own: in protected mode.
 */
#include <asm/kvm_hyptext.h>

#ifdef CONFIG_NVHE_EL2_TEXT

/* The list of a class, by the linker script */
#define HYP_TEXT_LIST(class)						\
	extern const struct hyp_text_site __hyp_text_##class[], __hyp_text_##class##_end[]

HYP_TEXT_LIST(events);
HYP_TEXT_LIST(tests);

/**
 * hyp_text_event - has the event been switched on?
 * @event:	enum hyp_event; a constant
 *
 * A NOP, or a branch to where it is true.
 */
static __always_inline bool hyp_text_event(const u32 event)
{
	asm goto("1:	nop\n"
		 HYP_TEXT_SITE(events, "%l[on]", "%c0")
		 : : "i" (event) : : on);
	return false;
on:
	return true;
}

/**
 * hyp_text_set - switch places in EL2's text on all CPUs
 * @class:	their class
 * @index:	their index
 * @on:		a branch, or a NOP
 *
 * A CPU that is at EL2 may still execute the old instruction. One that enters EL2 later
 * executes the new one. The number of places is that of the list at most. In the modes that
 * are not protected it does nothing.
 *
 * Return: 0; -ENOEXEC if there is another instruction at one of them, nothing has been
 * changed then; or -ENOMEM, some of them may have been switched then.
 */
int hyp_text_set(enum hyp_text_class class, u32 index, bool on);

#else /* !CONFIG_NVHE_EL2_TEXT */

static inline int hyp_text_set(enum hyp_text_class class, u32 index, bool on)
{
	return 0;
}

#endif

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
/**
 * __hyp_trace_set_function - hypercall: switch how a function is traced on all CPUs
 * @index:	which one, in the order of the list
 * @how:	enum trace_remote_function
 *
 * A CPU that is at EL2 may still execute the old instruction. In the modes that are not
 * protected it only checks its arguments.
 *
 * Return: 0; -EINVAL for a number that is out of range; -ENOEXEC if there is an instruction that
 * does not belong there; or -ENOMEM.
 */
int __hyp_trace_set_function(u32 index, u32 how);

/**
 * hyp_text_set_function - switch how a function is traced, in protected mode
 * @function:	its first instruction that is in the list
 * @how:	how
 *
 * Return: 0, -ENOEXEC if there is an instruction that does not belong there, or -ENOMEM.
 */
int hyp_text_set_function(u32 *function, enum trace_remote_function how);
#endif

#if defined(CONFIG_NVHE_EL2_FUNCTION_TRACER) && defined(CONFIG_NVHE_EL2_TEXT_TEST)
/* For a test; see HYP_TEXT_TEST_TRACED */
int hyp_text_nr_traced(void);
#endif

#ifdef CONFIG_NVHE_EL2_TEXT_TEST
/* For a test, no place is being written while these are held */
void hyp_text_lock(void);
void hyp_text_unlock(void);

/**
 * __hyp_text_test - hypercall: test how EL2 changes its text
 * @what:	enum hyp_text_test
 * @index:	HYP_TEXT_TEST_SET: enum hyp_text_tests_index, or another one;
 *		HYP_TEXT_TEST_MISFIT: enum hyp_text_misfit
 * @on:		HYP_TEXT_TEST_SET: a branch, or a NOP; HYP_TEXT_TEST_MISFIT: traced, or not
 *
 * HYP_TEXT_TEST_ALIASES returns how many pages of EL2's text EL2 has mapped, each alias
 * counted; or -EPERM if one of them is writable. It takes some milliseconds. In the modes
 * that are not protected, EL2's tables are the host's, and it returns 0.
 *
 * HYP_TEXT_TEST_SET returns what hyp_text_set() does.
 *
 * HYP_TEXT_TEST_RUN returns which places are switched on: BIT(index) for the good ones.
 *
 * HYP_TEXT_TEST_TRACED returns how many functions are traced; or -ENOEXEC if one does not begin as
 * functions do.
 *
 * HYP_TEXT_TEST_MISFIT returns what hyp_text_set_function() does. In the modes that are not
 * protected it returns -ENOEXEC.
 *
 * Return: as above, or -EINVAL for another number.
 */
int __hyp_text_test(u32 what, u32 index, u32 on);
#endif

#endif /* __ARM64_KVM_NVHE_TEXT_H__ */
