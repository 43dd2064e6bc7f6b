/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYPBOOT_H_
#define __ARM64_KVM_HYPBOOT_H_
/*
 * Tracing EL2 while it comes up: what C, hyp-init.S and the host agree on. See
 * hyp/nvhe/trace_boot.c.
 */

/* How often EL2 may come up on a CPU before that is logged; more are not noted */
#define HYP_BOOT_UPS		4

#ifndef __ASSEMBLY__
#include <linux/types.h>

/* Bytes of the log of a CPU */
#define HYP_BOOT_LOG_SIZE	6144

/**
 * struct hyp_boot_ups - when EL2 has come up on a CPU, as hyp-init.S notes it
 * @nr:		how many of @at are in use
 * @unused:	0
 * @at:		each time: the counter at EL2's first instruction, and when the MMU was on
 */
struct hyp_boot_ups {
	u64	nr;
	u64	unused;
	struct {
		u64	entered;
		u64	up;
	} at[HYP_BOOT_UPS];
};

/* What begins at the event hyp_boot. It ends with the next one, or as EL2 is left */
enum hyp_boot_step {
	HYP_BOOT_ENTERED,	/* EL2's first instruction on this CPU */
	HYP_BOOT_UP,		/* the MMU is on, EL2 can be called */
	HYP_BOOT_POOL,		/* the memory is divided */
	HYP_BOOT_TABLES,	/* EL2 makes its own page tables */
	HYP_BOOT_SWITCH,	/* they replace those that the host made */
	HYP_BOOT_ALLOCATOR,	/* the allocator of pages */
	HYP_BOOT_HOST_STAGE2,	/* the host's stage 2 */
	HYP_BOOT_REFCOUNTS,	/* the users of page table pages are counted */
	HYP_BOOT_FIXMAP,	/* a page for each CPU's short mappings */
	HYP_BOOT_OWNERS,	/* EL2 becomes the owner of its memory */
	HYP_BOOT_FFA,		/* the secure world */
	HYP_BOOT_VMS,		/* the table of VMs */
	HYP_BOOT_DEPRIVILEGE,	/* the host's stage 2 is switched on for this CPU */
};
#endif /* __ASSEMBLY__ */

#endif /* __ARM64_KVM_HYPBOOT_H_ */
