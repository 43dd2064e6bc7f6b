// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of how EL2 changes its text: places for them, and a look at EL2's tables.
 */
#include <linux/bits.h>

#include <asm/kvm_hyp.h>
#include <asm/kvm_mmu.h>
#include <asm/kvm_pgtable.h>
#include <asm/sections.h>

#include <nvhe/memory.h>
#include <nvhe/mm.h>
#include <nvhe/text.h>

/* Not inline: each index has the places that are meant here */
static noinline bool good_is_on(void)
{
	asm goto("1:	nop\n"
		 HYP_TEXT_SITE(tests, "%l[on]", "%c0")
		 : : "i" (HYP_TEXT_TESTS_GOOD) : : on);
	return false;
on:
	return true;
}

static noinline bool bad_is_on(void)
{
	asm goto("1:	nop\n"
		 HYP_TEXT_SITE(tests, "%l[on]", "%c0")
		 : : "i" (HYP_TEXT_TESTS_BAD) : : on);
	return false;
on:
	return true;
}

/* The list claims that here is a NOP, or a branch to the next instruction */
static noinline void misfit(void)
{
	asm volatile("1:	yield\n"
		     "2:\n"
		     HYP_TEXT_SITE(tests, "2b", "%c0")
		     : : "i" (HYP_TEXT_TESTS_BAD));
}

static int run_places(void)
{
	misfit();
	return good_is_on() << HYP_TEXT_TESTS_GOOD | bad_is_on() << HYP_TEXT_TESTS_BAD;
}

/* Counts the pages of text, in *@ctx->arg */
static int look_at_leaf(const struct kvm_pgtable_visit_ctx *ctx, enum kvm_pgtable_walk_flags visit)
{
	/* The text for the identity map is in front of the other */
	phys_addr_t start = __hyp_pa(__hyp_idmap_text_start), end = __hyp_pa(__hyp_text_end);
	phys_addr_t phys = kvm_pte_to_phys(ctx->old);

	if (!kvm_pte_valid(ctx->old) || phys >= end ||
	    phys + kvm_granule_size(ctx->level) <= start)
		return 0;
	if (kvm_pgtable_hyp_pte_prot(ctx->old) & KVM_PGTABLE_PROT_W)
		return -EPERM;
	*(int *)ctx->arg += 1;
	return 0;
}

static int look_at_aliases(void)
{
	int nr = 0, ret;
	struct kvm_pgtable_walker walker = {
		.cb	= look_at_leaf,
		.flags	= KVM_PGTABLE_WALK_LEAF,
		.arg	= &nr,
	};

	if (!is_protected_kvm_enabled())
		return 0;

	hyp_text_lock();
	hyp_spin_lock(&pkvm_pgd_lock);
	ret = kvm_pgtable_walk(&pkvm_pgtable, 0, BIT(pkvm_pgtable.ia_bits), &walker);
	hyp_spin_unlock(&pkvm_pgd_lock);
	hyp_text_unlock();

	return ret ?: nr;
}

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
/* Beginnings of functions, by enum hyp_text_misfit. None is ever executed */
extern u32 hyp_text_misfits[];

asm(".pushsection .text, \"ax\"\n"
	".globl	hyp_text_misfits\n"
	"hyp_text_misfits:\n"
	"	nop\n"
	"	nop\n"
	"	mov	x9, x30\n"
	"	yield\n"
	"	mov	x9, x30\n"
	"	bl	hyp_text_misfits\n"
	".popsection\n");

static int switch_misfit(u32 index, bool on)
{
	if (index >= NR_HYP_TEXT_MISFITS)
		return -EINVAL;
	if (!is_protected_kvm_enabled())
		return -ENOEXEC;
	return hyp_text_set_function(&hyp_text_misfits[2 * index],
				     on ? TRACE_REMOTE_FUNCTION_CALL : TRACE_REMOTE_FUNCTION_OFF);
}
#else
static int hyp_text_nr_traced(void)
{
	return 0;
}

static int switch_misfit(u32 index, bool on)
{
	return index < NR_HYP_TEXT_MISFITS ? -ENOEXEC : -EINVAL;
}
#endif

int __hyp_text_test(u32 what, u32 index, u32 on)
{
	switch (what) {
	case HYP_TEXT_TEST_ALIASES:
		return look_at_aliases();
	case HYP_TEXT_TEST_SET:
		return hyp_text_set(HYP_TEXT_TESTS, index, on);
	case HYP_TEXT_TEST_RUN:
		return run_places();
	case HYP_TEXT_TEST_TRACED:
		return hyp_text_nr_traced();
	case HYP_TEXT_TEST_MISFIT:
		return switch_misfit(index, on);
	default:
		return -EINVAL;
	}
}
