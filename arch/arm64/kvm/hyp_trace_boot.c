// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the hypervisor, host side: events from EL2's first instruction on.
 */
#include <linux/init.h>
#include <linux/trace_remote_base.h>

#include <asm/hyp_image.h>
#include <asm/virt.h>

#include "hyp_trace_core.h"

extern bool kvm_nvhe_sym(hyp_boot_logging);
extern u32 kvm_nvhe_sym(hyp_event_ids)[NR_HYP_EVENTS];
extern u16 kvm_nvhe_sym(hyp_wanted_ids)[NR_HYP_EVENTS];

static bool hyp_trace_early[NR_HYP_EVENTS] __initdata;

/* Some id, as the event's own is not known before the remote is registered */
static void __init hyp_trace_set_early(unsigned int index)
{
	kvm_nvhe_sym(hyp_event_ids)[index] = 1;
#ifdef CONFIG_NVHE_EL2_TRIGGERS
	kvm_nvhe_sym(hyp_wanted_ids)[index] = 1;
#endif
	kvm_nvhe_sym(hyp_boot_logging) = true;
	hyp_trace_early[index] = true;
}

/*
 * Before KVM sets up EL2: what is written here is still the host's. The functions and stacks of
 * EL2 begin with the remote.
 */
static int __init hyp_trace_boot_init(void)
{
	const char *remote = HYP_TRACE_REMOTE;
	unsigned int i;

	if (!is_hyp_mode_available() || is_kernel_in_hyp_mode())
		return 0;

	for (i = 0; i < NR_HYP_EVENTS; i++) {
		if (hyp_trace_event_is_switched(i) &&
		    trace_remote_boot_has(remote, hyp_events[i].name) &&
		    !hyp_text_set_early(i))
			hyp_trace_set_early(i);
	}
	return 0;
}
subsys_initcall(hyp_trace_boot_init);

void __init hyp_trace_boot_done(bool traces)
{
	unsigned int i;

	/* It fails, as no buffer is loaded, but ends EL2's logs of the boot */
	if (!traces && kvm_nvhe_sym(hyp_boot_logging))
		hyp_call(__hyp_trace_enable, 0);
	for (i = 0; i < NR_HYP_EVENTS; i++) {
		if (hyp_trace_early[i] && !hyp_events[i].enabled)
			hyp_trace_enable_event(i, 0, NULL);
	}
}
