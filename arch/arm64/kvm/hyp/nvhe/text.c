// SPDX-License-Identifier: GPL-2.0
/*
 * EL2 changes its own text. It is the only code that does, and only in protected mode.
 *
 * Trust: what is written where follows from lists in EL2's read-only data. The host, which may
 * be hostile, chooses an index and on or off. The number of places, and so the work of a
 * call, is bounded by the list.
 *
 * Text is never writable where it is executed. While an instruction is written, its page is
 * mapped at a second address, the alias, writable and not executable. Each page of the text
 * has an alias of its own: whatever an old TLB entry may do, it does not make a write go to
 * another page. (QEMU 7.2 does not invalidate such an entry in hVHE, which rules out
 * the per-CPU fixmap.)
 *
 * Locks: text_lock, then pkvm_pgd_lock.
 */
#include <linux/cacheflush.h>

#include <asm/kvm_hyp.h>
#include <asm/kvm_mmu.h>
#include <asm/kvm_pgtable.h>
#include <asm/sections.h>

#include <nvhe/functions.h>
#include <nvhe/memory.h>
#include <nvhe/mm.h>
#include <nvhe/spinlock.h>
#include <nvhe/text.h>

/* Protects the text and its aliases */
static DEFINE_HYP_SPINLOCK(text_lock);

static const struct {
	const struct hyp_text_site	*start;
	const struct hyp_text_site	*end;
} lists[NR_HYP_TEXT_CLASSES] = {
	[HYP_TEXT_EVENTS] = { __hyp_text_events, __hyp_text_events_end },
#ifdef CONFIG_NVHE_EL2_TEXT_TEST
	[HYP_TEXT_TESTS] = { __hyp_text_tests, __hyp_text_tests_end },
#endif
};

/* Where the alias of the first page is; 0 until the first change */
static unsigned long aliases;

static int reserve_aliases(void)
{
	unsigned long addr;
	int ret;

	hyp_assert_lock_held(&text_lock);
	if (aliases)
		return 0;

	ret = pkvm_alloc_private_va_range(__hyp_text_end - __hyp_text_start + PAGE_SIZE, &addr);
	if (!ret)
		aliases = addr;
	return ret;
}

static int map_alias(unsigned long alias, phys_addr_t phys)
{
	int ret;

	hyp_spin_lock(&pkvm_pgd_lock);
	ret = kvm_pgtable_hyp_map(&pkvm_pgtable, alias, PAGE_SIZE, phys, PAGE_HYP);
	hyp_spin_unlock(&pkvm_pgd_lock);

	return ret;
}

/* This also invalidates the TLBs of all CPUs */
static void unmap_alias(unsigned long alias)
{
	hyp_spin_lock(&pkvm_pgd_lock);
	WARN_ON(kvm_pgtable_hyp_unmap(&pkvm_pgtable, alias, PAGE_SIZE) != PAGE_SIZE);
	hyp_spin_unlock(&pkvm_pgd_lock);
}

/*
 * NOP => branch, or branch => NOP. The page of @place goes from executable, to executable here
 * and writable at the alias, to executable.
 */
static int write_insn(u32 *place, u32 insn)
{
	unsigned long addr = (unsigned long)place, page = addr & PAGE_MASK;
	unsigned long alias, there;
	int ret;

	ret = reserve_aliases();
	if (ret)
		return ret;
	alias = aliases + page - ((unsigned long)__hyp_text_start & PAGE_MASK);
	ret = map_alias(alias, __hyp_pa(page));
	if (ret)
		return ret;

	there = alias + offset_in_page(addr);
	WRITE_ONCE(*(u32 *)there, insn);
	/* So that the instruction fetches of all CPUs see the store; ends with DSB SY */
	dcache_clean_inval_poc(there, there + AARCH64_INSN_SIZE);
	unmap_alias(alias);
	/* At the address where it is executed, on all CPUs; ends with DSB ISH and ISB, or ISB */
	icache_inval_pou(addr, addr + AARCH64_INSN_SIZE);
	return 0;
}

int hyp_text_set(enum hyp_text_class class, u32 index, bool on)
{
	int ret;

	if (!is_protected_kvm_enabled())
		return 0;

	hyp_spin_lock(&text_lock);
	ret = hyp_text_switch(lists[class].start, lists[class].end, index, on, write_insn);
	hyp_spin_unlock(&text_lock);

	return ret;
}

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
/* The list of functions, by the linker script */
extern u32 *const __hyp_functions[], *const __hyp_functions_end[];

int hyp_text_set_function(u32 *function, enum trace_remote_function how)
{
	static const void *const targets[NR_TRACE_REMOTE_FUNCTION] = {
		[TRACE_REMOTE_FUNCTION_CALL]	= hyp_function_call,
		[TRACE_REMOTE_FUNCTION_GRAPH]	= hyp_function_graph,
		[TRACE_REMOTE_FUNCTION_ROOT]	= hyp_function_root,
	};
	int ret;

	hyp_spin_lock(&text_lock);
	ret = hyp_function_switch(function, targets, how, write_insn);
	hyp_spin_unlock(&text_lock);

	return ret;
}

int __hyp_trace_set_function(u32 index, u32 how)
{
	if (index >= __hyp_functions_end - __hyp_functions || how >= NR_TRACE_REMOTE_FUNCTION)
		return -EINVAL;
	hyp_functions_prepare();
	if (!is_protected_kvm_enabled())
		return 0;

	return hyp_text_set_function(__hyp_functions[index], how);
}

#ifdef CONFIG_NVHE_EL2_TEXT_TEST
int hyp_text_nr_traced(void)
{
	u32 *const *function;
	int nr = 0;

	for (function = __hyp_functions; function < __hyp_functions_end; function++) {
		if (READ_ONCE((*function)[0]) != HYP_FUNCTION_SAVE)
			return -ENOEXEC;
		nr += READ_ONCE((*function)[1]) != hyp_function_insn(*function + 1, NULL);
	}
	return nr;
}
#endif
#endif

#ifdef CONFIG_NVHE_EL2_TEXT_TEST
void hyp_text_lock(void)
{
	hyp_spin_lock(&text_lock);
}

void hyp_text_unlock(void)
{
	hyp_spin_unlock(&text_lock);
}
#endif
