// SPDX-License-Identifier: GPL-2.0
/*
 * Changing EL2's text, host side: in the modes in which that is the host's own.
 */
#include <linux/cacheflush.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/trace_remote_base.h>

#include <asm/hyp_image.h>
#include <asm/kvm_hyptext.h>
#include <asm/kvm_mmu.h>
#ifdef TRACE_REMOTE_LINUX_7
#include <asm/text-patching.h>
#else
#include <asm/patching.h>
#endif
#include <asm/sections.h>
#include <asm/virt.h>

#define HYP_TEXT_LIST(class)						\
	extern const struct hyp_text_site kvm_nvhe_sym(__hyp_text_##class)[];\
	extern const struct hyp_text_site kvm_nvhe_sym(__hyp_text_##class##_end)[]

HYP_TEXT_LIST(events);

static int write_insn(u32 *place, u32 insn)
{
	int ret = aarch64_insn_patch_text_nosync(place, insn);

	/* That has invalidated the kernel's address; EL2 executes the place at another one */
	if (!ret && icache_is_aliasing())
		icache_inval_all_pou();
	return ret;
}

static int switch_event(u32 index, bool on)
{
	return hyp_text_switch(kvm_nvhe_sym(__hyp_text_events), kvm_nvhe_sym(__hyp_text_events_end),
			       index, on, write_insn);
}

int hyp_text_set_host(enum hyp_text_class class, u32 index, bool on)
{
	if (is_protected_kvm_enabled() || class != HYP_TEXT_EVENTS)
		return 0;

	return switch_event(index, on);
}

int __init hyp_text_set_early(u32 index)
{
	return switch_event(index, true);
}

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
/* The list holds addresses at EL2; see kvm_apply_hyp_relocations() */
extern const unsigned long kvm_nvhe_sym(__hyp_functions)[], kvm_nvhe_sym(__hyp_functions_end)[];

extern const char kvm_nvhe_sym(hyp_function_call)[], kvm_nvhe_sym(hyp_function_graph)[],
		  kvm_nvhe_sym(hyp_function_root)[];

/* A copy with addresses of the kernel's: in protected mode the host cannot read the list */
static unsigned long *functions;
static unsigned int nr_functions;

unsigned long hyp_text_function(unsigned int index)
{
	return index < nr_functions ? functions[index] : 0;
}

int hyp_text_set_function_host(unsigned int index, enum trace_remote_function how)
{
	static const void *const targets[NR_TRACE_REMOTE_FUNCTION] = {
		[TRACE_REMOTE_FUNCTION_CALL]	= kvm_nvhe_sym(hyp_function_call),
		[TRACE_REMOTE_FUNCTION_GRAPH]	= kvm_nvhe_sym(hyp_function_graph),
		[TRACE_REMOTE_FUNCTION_ROOT]	= kvm_nvhe_sym(hyp_function_root),
	};

	if (is_protected_kvm_enabled())
		return 0;

	return hyp_function_switch((u32 *)hyp_text_function(index), targets, how, write_insn);
}

static unsigned long from_hyp(unsigned long addr)
{
	unsigned long text = (unsigned long)lm_alias(__hyp_text_start);

	return addr - (unsigned long)kern_hyp_va(text) + (unsigned long)__hyp_text_start;
}

/*
 * Before KVM sets up EL2: no CPU executes this text then, and it is still the host's. If this
 * fails, the rest of the functions have two NOPs, and cannot be traced.
 */
static int __init hyp_text_init_functions(void)
{
	const unsigned long *list = kvm_nvhe_sym(__hyp_functions);
	size_t nr = kvm_nvhe_sym(__hyp_functions_end) - list;
	int ret;

	if (!is_hyp_mode_available() || is_kernel_in_hyp_mode())
		return 0;

	functions = kmalloc_array(nr, sizeof(*functions), GFP_KERNEL);
	if (!functions)
		return -ENOMEM;
	while (nr_functions < nr) {
		functions[nr_functions] = from_hyp(list[nr_functions]);
		ret = write_insn((u32 *)functions[nr_functions], HYP_FUNCTION_SAVE);
		if (ret)
			return ret;
		nr_functions++;
	}
	return 0;
}
subsys_initcall(hyp_text_init_functions);
#endif
