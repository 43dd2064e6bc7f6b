/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYPTEXT_H_
#define __ARM64_KVM_HYPTEXT_H_
/*
 * Places in EL2's text that can be switched: there is a NOP, or a branch to a fixed target.
 * The linker makes the list of them, which is in EL2's read-only data, and both
 * instructions follow from it. So a caller names nothing but a class and an index.
 *
 * Both instructions are among those that the architecture lets one CPU replace by each other
 * while others execute them (Arm ARM DDI 0487, B2.2.5, "Concurrent modification and execution
 * of instructions"): a CPU executes the one or the other, and the new one at the latest
 * when it enters EL2 after the change is complete. Other instructions must not be added here
 * unless they are on the list there.
 *
 * In protected mode, EL2 owns its text and changes it; see nvhe/text.h. In the other modes the
 * text is the host's, which changes it like the kernel's own; see hyp_text_set_host().
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/stringify.h>
#include <linux/trace_remote_base.h>
#include <linux/types.h>

#include <asm/insn.h>

/**
 * struct hyp_text_site - a place in EL2's text
 * @place:	where the instruction is, relative to this member
 * @target:	where the branch goes to, relative to this member
 * @index:	by which it is switched. Several places may have the same one
 */
struct hyp_text_site {
	s32	place;
	s32	target;
	u32	index;
};

/* The classes, each with a list of its own, see hyp.lds.S */
enum hyp_text_class {
	HYP_TEXT_EVENTS,	/* the index is an enum hyp_event */
#ifdef CONFIG_NVHE_EL2_TEXT_TEST
	HYP_TEXT_TESTS,		/* see nvhe/text_test.c */
#endif
	NR_HYP_TEXT_CLASSES
};

/* Makes an entry: the place is the label 1, the target and the index are operands */
#define HYP_TEXT_SITE(class, target, index)				\
	"	.pushsection .text_sites." #class ", \"a\"\n"		\
	"	.balign	4\n"						\
	"	.long	1b - ., " target " - ., " index "\n"		\
	"	.popsection\n"

/* What __hyp_text_test() does */
enum hyp_text_test {
	HYP_TEXT_TEST_ALIASES,	/* look at all mappings of EL2's text at EL2 */
	HYP_TEXT_TEST_SET,	/* switch places of HYP_TEXT_TESTS, where EL2 does that */
	HYP_TEXT_TEST_RUN,	/* execute them */
	HYP_TEXT_TEST_TRACED,	/* count the functions that are traced */
	HYP_TEXT_TEST_MISFIT,	/* switch how a function is traced that is none */
	NR_HYP_TEXT_TESTS
};

/* The indices of HYP_TEXT_TESTS */
enum hyp_text_tests_index {
	HYP_TEXT_TESTS_GOOD,	/* a place */
	HYP_TEXT_TESTS_BAD,	/* a place, and one that has neither of its instructions */
};

/* What is at the beginning of functions that no list has, for HYP_TEXT_TEST_MISFIT */
enum hyp_text_misfit {
	HYP_TEXT_MISFIT_SAVE,	/* x30 is not saved */
	HYP_TEXT_MISFIT_NOP,	/* there is neither a NOP nor a call */
	HYP_TEXT_MISFIT_CALL,	/* there is a call of something that does not trace */
	NR_HYP_TEXT_MISFITS
};

static inline u32 *hyp_text_place(const struct hyp_text_site *site)
{
	return (u32 *)((unsigned long)&site->place + site->place);
}

/* What is there when the place is switched on or off */
static inline u32 hyp_text_insn(const struct hyp_text_site *site, bool on)
{
	unsigned long target = (unsigned long)&site->target + site->target;
	unsigned long offset = target - (unsigned long)hyp_text_place(site);

	if (!on)
		return aarch64_insn_get_hint_value() | AARCH64_INSN_HINT_NOP;
	return aarch64_insn_get_b_value() | (offset / AARCH64_INSN_SIZE & GENMASK(25, 0));
}

/*
 * QEMU before 8.1 translates the code of a page before it watches the page for writes: what is
 * written meanwhile is not executed until the next write there. A CPU does not do that. A kernel
 * for tests writes each instruction again, after all CPUs have done what invalidating the TLBs
 * for the first write asked of them; by then QEMU watches the page.
 */
#define HYP_TEXT_WRITES		(IS_ENABLED(CONFIG_NVHE_EL2_TEXT_TEST) ? 2 : 1)

static inline bool hyp_text_is_site(const struct hyp_text_site *site)
{
	u32 insn = READ_ONCE(*hyp_text_place(site));

	return insn == hyp_text_insn(site, false) || insn == hyp_text_insn(site, true);
}

/**
 * hyp_text_switch - switch all places that have an index
 * @start:	the first entry of a list
 * @end:	the end of the list
 * @index:	the index
 * @on:		a branch, or a NOP
 * @write:	replaces one instruction
 *
 * Context: calls with the same list are serialised.
 * Return: 0; -ENOEXEC if there is another instruction at one of the places, of which none has
 * been written then; or what @write returned.
 */
static __always_inline int hyp_text_switch(const struct hyp_text_site *start,
					   const struct hyp_text_site *end, u32 index, bool on,
					   int (*write)(u32 *place, u32 insn))
{
	const struct hyp_text_site *site;
	int i, ret = 0;

	for (site = start; site < end; site++) {
		if (site->index == index && !hyp_text_is_site(site))
			return -ENOEXEC;
	}
	for (site = start; site < end; site++) {
		if (site->index != index ||
		    READ_ONCE(*hyp_text_place(site)) == hyp_text_insn(site, on))
			continue;
		for (i = 0; i < HYP_TEXT_WRITES && !ret; i++)
			ret = write(hyp_text_place(site), hyp_text_insn(site, on));
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Functions of EL2 begin with two NOPs, whose places are in a list, too. Before any CPU is at
 * EL2, the host replaces the first one by one that saves x30, for good. The second one is
 * switched, to a call of what traces the function: it differs from a place above in that there
 * are several targets, the same for all functions.
 */
#define HYP_FUNCTION_SAVE	0xaa1e03e9	/* mov x9, x30 */

/**
 * hyp_function_insn - what is in a function when it is traced in some way
 * @place:	the place of its second instruction
 * @target:	what traces functions in this way; NULL if it is not traced
 */
static inline u32 hyp_function_insn(const u32 *place, const void *target)
{
	unsigned long offset = (unsigned long)target - (unsigned long)place;

	if (!target)
		return aarch64_insn_get_hint_value() | AARCH64_INSN_HINT_NOP;
	return aarch64_insn_get_bl_value() | (offset / AARCH64_INSN_SIZE & GENMASK(25, 0));
}

/**
 * hyp_function_switch - switch how a function is traced
 * @function:	its first instruction that is in the list
 * @targets:	what traces functions, by enum trace_remote_function
 * @how:	how
 * @write:	replaces one instruction
 *
 * Return: 0; -ENOEXEC if there is an instruction that does not belong there; or what @write
 * returned.
 */
static __always_inline int hyp_function_switch(u32 *function, const void *const *targets,
					       enum trace_remote_function how,
					       int (*write)(u32 *place, u32 insn))
{
	u32 *place = function + 1, insn = READ_ONCE(*place);
	unsigned int i, n;
	int ret = 0;

	if (READ_ONCE(*function) != HYP_FUNCTION_SAVE)
		return -ENOEXEC;
	for (i = 0; i < NR_TRACE_REMOTE_FUNCTION; i++) {
		if (insn == hyp_function_insn(place, targets[i]))
			break;
	}
	if (i == NR_TRACE_REMOTE_FUNCTION)
		return -ENOEXEC;
	for (n = 0; i != how && n < HYP_TEXT_WRITES && !ret; n++)
		ret = write(place, hyp_function_insn(place, targets[how]));
	return ret;
}

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
/**
 * hyp_text_function - a function of EL2 that can be traced
 * @index:	which one
 *
 * Return: its address in the kernel's image; 0 if there is none.
 */
unsigned long hyp_text_function(unsigned int index);

/**
 * hyp_text_set_function_host - switch how a function is traced, if EL2's text is the host's
 * @index:	which one; it is there
 * @how:	how
 *
 * In protected mode it does nothing, as EL2 does it.
 *
 * Context: process, calls are serialised.
 * Return: 0, -ENOEXEC if there is another instruction, or an errno of the kernel's function that
 * changes text.
 */
int hyp_text_set_function_host(unsigned int index, enum trace_remote_function how);
#endif

#ifdef CONFIG_NVHE_EL2_TEXT
/**
 * hyp_text_set_host - switch places in EL2's text, if that is the host's
 * @class:	their class
 * @index:	their index
 * @on:		a branch, or a NOP
 *
 * In protected mode it does nothing, as EL2 switches them.
 *
 * Context: process, calls are serialised.
 * Return: 0, -ENOEXEC if there is another instruction at one of them, or an errno of the
 * kernel's function that changes text.
 */
int hyp_text_set_host(enum hyp_text_class class, u32 index, bool on);

/**
 * hyp_text_set_early - switch an event's places on before KVM sets up EL2, in any mode
 * @index:	enum hyp_event
 *
 * Return: as hyp_text_set_host().
 */
int hyp_text_set_early(u32 index);
#else
static inline int hyp_text_set_host(enum hyp_text_class class, u32 index, bool on)
{
	return 0;
}

static inline int hyp_text_set_early(u32 index)
{
	return 0;
}
#endif

#endif /* __ARM64_KVM_HYPTEXT_H_ */
