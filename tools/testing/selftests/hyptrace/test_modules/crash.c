// SPDX-License-Identifier: GPL-2.0
/*
 * crash - make EL2 or the kernel fail, to see what is left of the trace. Write one of the
 * numbers below to the file "crash" in debugfs.
 */
#include <linux/arm-smccc.h>
#include <linux/debugfs.h>
#include <linux/kvm_host.h>
#include <linux/module.h>

#include <asm/kvm_asm.h>

enum {
	CRASH_EL2 = 1,	/* EL2 panics, in every mode */
	CRASH_OOPS,	/* the kernel oopses, and survives if panic_on_oops is 0 */
};

/* An address without memory, where EL2 looks for a VM's page tables */
#define NOWHERE		0xdead0000

static int crash_set(void *data, u64 what)
{
	struct arm_smccc_res res;

	if (what == CRASH_EL2)
		arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(__kvm_tlb_flush_vmid), NOWHERE, &res);
	else if (what == CRASH_OOPS)
		WRITE_ONCE(*(int *)NULL, 0);
	return -EINVAL;
}
DEFINE_DEBUGFS_ATTRIBUTE(crash_fops, NULL, crash_set, "%llu\n");

static struct dentry *crash_file;

static int __init crash_init(void)
{
	crash_file = debugfs_create_file_unsafe("crash", 0200, NULL, NULL, &crash_fops);
	return 0;
}
module_init(crash_init);

static void __exit crash_exit(void)
{
	debugfs_remove(crash_file);
}
module_exit(crash_exit);

MODULE_DESCRIPTION("Crashes for the tests of hypervisor tracing");
MODULE_LICENSE("GPL");
