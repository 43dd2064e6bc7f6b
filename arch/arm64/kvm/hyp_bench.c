// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmarks of trace points at EL2, host side. Writing the number of an enum hyp_bench
 * to debugfs's hyp_bench makes one hypercall. The ioctl of hyp_bench_write writes many
 * numbered events in one hypercall, for tests under load.
 */
#include <linux/debugfs.h>
#include <linux/kvm_host.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include <asm/kvm_asm.h>
#include <asm/kvm_hypbench.h>

static int hyp_bench_set(void *data, u64 kind)
{
	if (!kind || kind >= NR_HYP_BENCHES)
		return -EINVAL;

	return kvm_call_hyp_nvhe(__hyp_bench, kind);
}
DEFINE_DEBUGFS_ATTRIBUTE(hyp_bench_fops, NULL, hyp_bench_set, "%llu\n");

/* -EAGAIN if the task runs on another CPU, as after its CPU went offline: choose again */
static long hyp_bench_write_on(u32 cpu, u64 first, u32 nr)
{
	long ret = -EAGAIN;

	if (get_cpu() == cpu)
		ret = kvm_call_hyp_nvhe(__hyp_bench_write, first, nr);
	put_cpu();
	return ret;
}

static long hyp_bench_write_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	void __user *uptr = (void __user *)arg;
	struct hyp_bench_write w;
	long ret;

	if (cmd != HYP_BENCH_IOCTL_WRITE)
		return -ENOTTY;
	if (copy_from_user(&w, uptr, sizeof(w)))
		return -EFAULT;

	ret = hyp_bench_write_on(w.cpu, w.first, w.nr);
	if (ret < 0)
		return ret;

	w.written = ret;
	return copy_to_user(uptr, &w, sizeof(w)) ? -EFAULT : 0;
}

static const struct file_operations hyp_bench_write_fops = {
	.open		= simple_open,
	.unlocked_ioctl	= hyp_bench_write_ioctl,
};

static int __init hyp_bench_init(void)
{
	int ret;

	if (!is_kvm_arm_initialised() || is_kernel_in_hyp_mode())
		return 0;

	/* For good: without a VM, KVM may not be at EL2, and cannot be called there */
	ret = kvm_enable_virtualization();
	if (ret)
		return ret;

	debugfs_create_file_unsafe("hyp_bench", 0200, NULL, NULL, &hyp_bench_fops);
	debugfs_create_file("hyp_bench_write", 0600, NULL, NULL, &hyp_bench_write_fops);
	return 0;
}
late_initcall(hyp_bench_init);

/*
 * The scheduler calls KVM if a static key says that there is a VM. QEMU before 8.1 may go on with
 * the code that it had before the kernel patched it, if another CPU translates it meanwhile (see
 * HYP_TEXT_WRITES). KVM would not see then that the task of a vCPU runs again. So the key is on
 * from when there is one CPU only.
 */
static int __init hyp_bench_keep_notifiers(void)
{
	preempt_notifier_inc();
	return 0;
}
early_initcall(hyp_bench_keep_notifiers);
