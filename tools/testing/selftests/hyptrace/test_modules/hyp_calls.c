// SPDX-License-Identifier: GPL-2.0
/*
 * hyp_calls - make calls to the hypervisor and the firmware that the kernel itself does
 * not make, or not when a test needs them. All are made once, when the module is
 * loaded. events.c and guests.c check how they look in the trace.
 */
#include <linux/arm-smccc.h>
#include <linux/arm_ffa.h>
#include <linux/gfp.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/trace_remote_base.h>

#include <asm/kvm_asm.h>
#include <asm/kvm_hyptext.h>
#include <asm/virt.h>

#include <uapi/linux/psci.h>

/* No hypercall has this number */
#define NO_HCALL	0x3fff
/* SMC calling convention: a fast 64-bit call of the silicon's vendor */
#define UNKNOWN_SMC	0xc200ff00

static unsigned long call(unsigned long id, unsigned long a1, unsigned long a2,
			  unsigned long a3, unsigned long a4)
{
	struct arm_smccc_res res;

	arm_smccc_1_1_hvc(KVM_HOST_SMCCC_ID(id), a1, a2, a3, a4, &res);
	return res.a0;
}

static unsigned long smc(unsigned long id, unsigned long a1, unsigned long a2)
{
	struct arm_smccc_res res;

	arm_smccc_1_1_smc(id, a1, a2, 0, &res);
	return res.a0;
}

static bool protected;
module_param(protected, bool, 0);
MODULE_PARM_DESC(protected, "the host is not trusted: make the calls that differ then");

/* In protected mode, in which EL2 sees SMCs and pages have owners */
static int protected_calls(void)
{
	struct page *page = alloc_page(GFP_KERNEL);
	u64 pfn;

	if (!page)
		return -ENOMEM;

	pfn = page_to_pfn(page);
	call(__KVM_HOST_SMCCC_FUNC___pkvm_host_share_hyp, pfn, 0, 0, 0);
	/* The host does not own it alone any more */
	call(__KVM_HOST_SMCCC_FUNC___pkvm_host_share_hyp, pfn, 0, 0, 0);
	call(__KVM_HOST_SMCCC_FUNC___pkvm_host_unshare_hyp, pfn, 0, 0, 0);
	__free_page(page);

	smc(UNKNOWN_SMC, 0, 0);
	smc(PSCI_1_0_FN_PSCI_FEATURES, PSCI_0_2_FN_CPU_OFF, 0);
	/* Before a version was agreed on */
	smc(FFA_RUN, 0, 0);
	/* QEMU has none */
	smc(PSCI_1_0_FN64_SYSTEM_SUSPEND, 0x1000, 0);
	/* A shallow state, until the next interrupt: it does not resume at 0x1000 */
	smc(PSCI_0_2_FN64_CPU_SUSPEND, 0, 0x1000);
	return 0;
}

static int unload_cpu = -1;
module_param(unload_cpu, int, 0);
MODULE_PARM_DESC(unload_cpu, "only take the buffer of this CPU from EL2, behind the kernel's back");

static int take_buffer(void)
{
	struct arm_smccc_res res;

	do {
		arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(__hyp_trace_unload), unload_cpu, &res);
	} while ((s64)res.a1 > 0);
	return res.a1;
}

static unsigned long share;
module_param(share, ulong, 0);
MODULE_PARM_DESC(share, "only share the page of this address of the kernel's image with EL2, and unshare it");

/* Fails if the page is shared already */
static int share_page(void)
{
	u64 pfn = PHYS_PFN(__pa_symbol(share));
	struct arm_smccc_res res;
	int ret;

	arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(__pkvm_host_share_hyp), pfn, &res);
	ret = res.a1;
	if (!ret)
		arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(__pkvm_host_unshare_hyp), pfn, &res);
	return ret;
}

static bool untraced;
module_param(untraced, bool, 0);
MODULE_PARM_DESC(untraced, "only look at EL2's text, and fail with EBUSY if a function is traced");

static bool text;
module_param(text, bool, 0);
MODULE_PARM_DESC(text, "only look whether EL2's text is writable at EL2, and switch places of which some are wrong");

#ifdef CONFIG_NVHE_EL2_TEXT_TEST
static int text_test(enum hyp_text_test what, u32 index, bool on)
{
	struct arm_smccc_res res;

	arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(__hyp_text_test), what, index, on, &res);
	return res.a1;
}

/* What is returned tells nothing but which step has failed */
static int check_text(void)
{
	int pages = text_test(HYP_TEXT_TEST_ALIASES, 0, false);

	if (!is_protected_kvm_enabled())
		return pages ? -EIO : 0;
	if (pages < 2)
		return pages < 0 ? pages : -ENODATA;
	if (text_test(HYP_TEXT_TEST_SET, HYP_TEXT_TESTS_GOOD, true) ||
	    text_test(HYP_TEXT_TEST_RUN, 0, false) != BIT(HYP_TEXT_TESTS_GOOD))
		return -EIO;
	/* All or nothing */
	if (text_test(HYP_TEXT_TEST_SET, HYP_TEXT_TESTS_BAD, true) != -ENOEXEC ||
	    text_test(HYP_TEXT_TEST_RUN, 0, false) != BIT(HYP_TEXT_TESTS_GOOD))
		return -ENOEXEC;
	if (text_test(HYP_TEXT_TEST_SET, HYP_TEXT_TESTS_GOOD, false) ||
	    text_test(HYP_TEXT_TEST_RUN, 0, false))
		return -EIO;
	return text_test(HYP_TEXT_TEST_ALIASES, 0, false) == pages ? 0 : -EACCES;
}

static int check_untraced(void)
{
	int nr = text_test(HYP_TEXT_TEST_TRACED, 0, false);

	return nr > 0 ? -EBUSY : nr;
}
#else
static int check_text(void)
{
	return -EOPNOTSUPP;
}

static int check_untraced(void)
{
	return -EOPNOTSUPP;
}
#endif

#ifdef TRACE_REMOTE_LINUX_7
static ushort young_vm;
module_param(young_vm, ushort, 0);
MODULE_PARM_DESC(young_vm, "only ask whether this VM, by its handle, accessed the page young_gfn, and forget it");
static ulong young_gfn;
module_param(young_gfn, ulong, 0);
MODULE_PARM_DESC(young_gfn, "frame number in the VM's memory");

static int ask_and_forget(void)
{
	call(__KVM_HOST_SMCCC_FUNC___pkvm_host_test_clear_young_guest, young_vm, young_gfn, 1, 0);
	call(__KVM_HOST_SMCCC_FUNC___pkvm_host_test_clear_young_guest, young_vm, young_gfn, 1, 1);
	return 0;
}
#endif

static int __init hyp_calls_init(void)
{
#ifdef TRACE_REMOTE_LINUX_7
	if (young_vm)
		return ask_and_forget();
#endif
	if (untraced)
		return check_untraced();
	if (text)
		return check_text();
	if (share)
		return share_page();
	if (unload_cpu >= 0)
		return take_buffer();
	call(NO_HCALL, 1, 2, 3, 4);
	return protected ? protected_calls() : 0;
}
module_init(hyp_calls_init);

static void __exit hyp_calls_exit(void)
{
}
module_exit(hyp_calls_exit);

MODULE_DESCRIPTION("Calls of the hypervisor for the tests of its events");
MODULE_LICENSE("GPL");
