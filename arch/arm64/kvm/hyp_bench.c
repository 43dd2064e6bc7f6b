// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmarks of trace points at EL2, host side: debugfs's hyp_bench. What is written
 * is the number of an enum hyp_bench; a write is one hypercall.
 */
#include <linux/debugfs.h>
#include <linux/kvm_host.h>

#include <asm/kvm_asm.h>
#include <asm/kvm_hypbench.h>

static int hyp_bench_set(void *data, u64 kind)
{
	if (!kind || kind >= NR_HYP_BENCHES)
		return -EINVAL;

	return kvm_call_hyp_nvhe(__hyp_bench, kind);
}
DEFINE_DEBUGFS_ATTRIBUTE(hyp_bench_fops, NULL, hyp_bench_set, "%llu\n");

static int __init hyp_bench_init(void)
{
	if (is_kvm_arm_initialised() && !is_kernel_in_hyp_mode())
		debugfs_create_file_unsafe("hyp_bench", 0200, NULL, NULL, &hyp_bench_fops);
	return 0;
}
late_initcall(hyp_bench_init);
