// SPDX-License-Identifier: GPL-2.0
/*
 * Changing EL2's text, host side: in the modes in which that is the host's own.
 */
#include <linux/cacheflush.h>
#include <linux/trace_remote_base.h>

#include <asm/hyp_image.h>
#include <asm/kvm_hyptext.h>
#ifdef TRACE_REMOTE_LINUX_7
#include <asm/text-patching.h>
#else
#include <asm/patching.h>
#endif
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

int hyp_text_set_host(enum hyp_text_class class, u32 index, bool on)
{
	if (is_protected_kvm_enabled() || class != HYP_TEXT_EVENTS)
		return 0;

	return hyp_text_switch(kvm_nvhe_sym(__hyp_text_events), kvm_nvhe_sym(__hyp_text_events_end),
			       index, on, write_insn);
}
