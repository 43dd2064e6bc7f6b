// SPDX-License-Identifier: GPL-2.0
/*
 * crash - make EL2 or the kernel fail, to see what is left of the trace. Write one of the
 * numbers below to the file "crash" in debugfs.
 *
 * While the file "stick" has 1, the CPU that prints the events of a remote sticks at their
 * first line, for a minute at most. Then "stuck" has 1.
 */
#include <linux/arm-smccc.h>
#include <linux/cacheflush.h>
#include <linux/console.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/ring_buffer_writer.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include <asm/kvm_asm.h>
#include <asm/kvm_hyptrace.h>

enum {
	CRASH_EL2 = 1,	/* EL2 panics, in every mode */
	CRASH_OOPS,	/* the kernel oopses, and survives if panic_on_oops is 0 */
	CRASH_EL2_TWICE, /* EL2 panics, and again when it writes an event; not protected */
	CRASH_ENABLE,	/* nothing: this CPU switches host_hcall on over and over, for ever */
	CRASH_TEXT,	/* the host makes an instruction of EL2 undefined, which EL2 may refuse */
	CRASH_HANG,	/* all CPUs of the host hang, with interrupts off */
};

/* An address without memory, where EL2 looks for a VM's page tables */
#define NOWHERE		0xdead0000
/* Another one, where EL2 writes the event */
#define NOWHERE_ELSE	0xbad0000

/* Addresses of EL2's symbols, for CRASH_EL2_TWICE */
static unsigned long percpu_bases, percpu_start, trace_cpus;
module_param(percpu_bases, ulong, 0);
MODULE_PARM_DESC(percpu_bases, "kvm_arm_hyp_percpu_base");
module_param(percpu_start, ulong, 0);
MODULE_PARM_DESC(percpu_start, "__per_cpu_start");
module_param(trace_cpus, ulong, 0);
MODULE_PARM_DESC(trace_cpus, "hyp_trace_cpus");

static unsigned long host_hcall_id;
module_param(host_hcall_id, ulong, 0);
MODULE_PARM_DESC(host_hcall_id, "id of the event host_hcall, for CRASH_ENABLE");

/* Let EL2's writer on this CPU write to where there is nothing */
static void break_writer(void)
{
	unsigned long base = ((unsigned long *)percpu_bases)[smp_processor_id()];
	struct rb_writer *writer = (void *)(base + trace_cpus - percpu_start);

	WRITE_ONCE(writer->commit, (unsigned long *)NOWHERE_ELSE);
}

static void crash_el2(bool twice)
{
	struct arm_smccc_res res;

	guard(preempt)();
	if (twice)
		break_writer();
	arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(__kvm_tlb_flush_vmid), NOWHERE, &res);
}

static void enable_for_ever(void)
{
	struct arm_smccc_res res;

	while (1) {
		arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(__hyp_trace_enable_event),
				  HYP_EVENT_host_hcall, host_hcall_id, &res);
		cond_resched();
	}
}

static unsigned long text;
module_param(text, ulong, 0);
MODULE_PARM_DESC(text, "an instruction of EL2, for CRASH_TEXT");

/* By a mapping that the host may write to, as far as its own tables go */
static void write_text(void)
{
	struct page *page = phys_to_page(__pa_symbol(text));
	void *alias = vmap(&page, 1, VM_MAP, PAGE_KERNEL);

	if (!alias)
		return;
	WRITE_ONCE(*(u32 *)(alias + offset_in_page(text)), 0);
	flush_icache_range((unsigned long)alias, (unsigned long)alias + PAGE_SIZE);
	vunmap(alias);
	pr_err("crash: the host has written to EL2's text\n");
}

static void hang_for_ever(void *unused)
{
	local_irq_disable();
	while (1)
		cpu_relax();
}

static int crash_set(void *data, u64 what)
{
	if (what == CRASH_EL2)
		crash_el2(false);
	else if (what == CRASH_EL2_TWICE && trace_cpus)
		crash_el2(true);
	else if (what == CRASH_ENABLE && host_hcall_id)
		enable_for_ever();
	else if (what == CRASH_TEXT && text)
		write_text();
	else if (what == CRASH_HANG)
		on_each_cpu(hang_for_ever, NULL, 0);
	else if (what == CRASH_OOPS)
		WRITE_ONCE(*(int *)NULL, 0);
	return -EINVAL;
}
DEFINE_DEBUGFS_ATTRIBUTE(crash_fops, NULL, crash_set, "%llu\n");

static bool stick, stuck;

static void crash_write(struct console *con, const char *text, unsigned int len)
{
	unsigned int ms;

	if (!strnstr(text, "Dumping ftrace instance", len))
		return;
	for (ms = 0; READ_ONCE(stick) && ms < 60 * MSEC_PER_SEC; ms++) {
		WRITE_ONCE(stuck, true);
		mdelay(1);
	}
	WRITE_ONCE(stuck, false);
}

static struct console crash_console = {
	.name	= "crash",
	.write	= crash_write,
	.flags	= CON_ENABLED,
	.index	= -1,
};

static struct dentry *crash_file;

static int __init crash_init(void)
{
	crash_file = debugfs_create_file_unsafe("crash", 0200, NULL, NULL, &crash_fops);
	debugfs_create_bool("stick", 0600, NULL, &stick);
	debugfs_create_bool("stuck", 0400, NULL, &stuck);
	register_console(&crash_console);
	return 0;
}
module_init(crash_init);

static void __exit crash_exit(void)
{
	unregister_console(&crash_console);
	debugfs_lookup_and_remove("stuck", NULL);
	debugfs_lookup_and_remove("stick", NULL);
	debugfs_remove(crash_file);
}
module_exit(crash_exit);

MODULE_DESCRIPTION("Crashes for the tests of hypervisor tracing");
MODULE_LICENSE("GPL");
