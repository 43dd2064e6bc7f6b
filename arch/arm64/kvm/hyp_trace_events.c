// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the hypervisor, host side: the events of asm/kvm_hypevents.h, with names for their
 * values.
 */
#include <linux/arm_ffa.h>
#include <linux/arm-smccc.h>
#include <linux/trace_remote_base.h>

#include <asm/kvm_hypboot.h>
#include <asm/kvm_pgtable.h>

#include <uapi/linux/psci.h>

#include "hyp_trace_core.h"

/*
 * Names for the values of fields
 */

TRACE_REMOTE_SYMTAB(hyp_reasons,
	{ HYP_REASON_SMC,		"smc" },
	{ HYP_REASON_HVC,		"hvc" },
	{ HYP_REASON_SYS,		"sys" },
	{ HYP_REASON_PSCI,		"psci" },
	{ HYP_REASON_HOST_ABORT,	"host_abort" },
	{ HYP_REASON_GUEST_EXIT,	"guest_exit" },
	{ HYP_REASON_ERET_HOST,		"eret_host" },
	{ HYP_REASON_ERET_GUEST,	"eret_guest" });

TRACE_REMOTE_SYMTAB(hyp_outcomes,
	{ HYP_OUTCOME_MAPPED,		"mapped" },
	{ HYP_OUTCOME_RACED,		"raced" },
	{ HYP_OUTCOME_REFUSED,		"refused" });

TRACE_REMOTE_SYMTAB(hyp_mem_ops,
	{ HYP_MEM_SHARE,		"share" },
	{ HYP_MEM_UNSHARE,		"unshare" },
	{ HYP_MEM_DONATE,		"donate" });

#ifdef TRACE_REMOTE_LINUX_7
TRACE_REMOTE_SYMTAB(hyp_guest_mem_ops,
	{ HYP_GUEST_DONATE,		"donate" },
	{ HYP_GUEST_RECLAIM,		"reclaim" },
	{ HYP_GUEST_FORCE_RECLAIM,	"force_reclaim" },
	{ HYP_GUEST_POISON,		"poison" },
	{ HYP_GUEST_SHARE,		"share" },
	{ HYP_GUEST_UNSHARE,		"unshare" },
	{ HYP_GUEST_SHARE_HOST,		"share_host" },
	{ HYP_GUEST_UNSHARE_HOST,	"unshare_host" },
	{ HYP_GUEST_RELAX_PERMS,	"relax_perms" },
	{ HYP_GUEST_WRPROTECT,		"wrprotect" },
	{ HYP_GUEST_TEST_YOUNG,		"test_young" },
	{ HYP_GUEST_CLEAR_YOUNG,	"clear_young" },
	{ HYP_GUEST_MKYOUNG,		"mkyoung" });

#define GUEST_HCALL(name)	{ ARM_SMCCC_VENDOR_HYP_KVM_##name##_FUNC_ID, #name }

TRACE_REMOTE_SYMTAB(hyp_guest_hcalls,
	GUEST_HCALL(FEATURES),
	GUEST_HCALL(HYP_MEMINFO),
	GUEST_HCALL(MEM_SHARE),
	GUEST_HCALL(MEM_UNSHARE));
#endif

TRACE_REMOTE_SYMTAB(hyp_mem_owners,
	{ HYP_OWNER_HOST,		"host" },
	{ HYP_OWNER_HYP,		"hyp" },
	{ HYP_OWNER_FFA,		"ffa" },
	{ HYP_OWNER_GUEST,		"guest" });

/* enum kvm_pgtable_prot, as far as the host's stage 2 uses it */
TRACE_REMOTE_SYMTAB(hyp_prots,
	{ KVM_PGTABLE_PROT_RW,		"rw" },
	{ KVM_PGTABLE_PROT_RWX,		"rwx" },
	{ KVM_PGTABLE_PROT_RW | KVM_PGTABLE_PROT_SW0,	"rw,shared_owned" },
	{ KVM_PGTABLE_PROT_RWX | KVM_PGTABLE_PROT_SW0,	"rwx,shared_owned" },
	{ KVM_PGTABLE_PROT_RWX | KVM_PGTABLE_PROT_SW1,	"rwx,shared_borrowed" });

#ifdef CONFIG_NVHE_EL2_TRACING_BOOT
TRACE_REMOTE_SYMTAB(hyp_boot_steps,
	{ HYP_BOOT_ENTERED,		"entered" },
	{ HYP_BOOT_UP,			"up" },
	{ HYP_BOOT_POOL,		"pool" },
	{ HYP_BOOT_TABLES,		"tables" },
	{ HYP_BOOT_SWITCH,		"switch" },
	{ HYP_BOOT_ALLOCATOR,		"allocator" },
	{ HYP_BOOT_HOST_STAGE2,		"host_stage2" },
	{ HYP_BOOT_REFCOUNTS,		"refcounts" },
	{ HYP_BOOT_FIXMAP,		"fixmap" },
	{ HYP_BOOT_OWNERS,		"owners" },
	{ HYP_BOOT_FFA,			"ffa" },
	{ HYP_BOOT_VMS,			"vms" },
	{ HYP_BOOT_DEPRIVILEGE,		"deprivilege" });
#endif

TRACE_REMOTE_SYMTAB(hyp_trace_modes,
	{ 0,						"off" },
	{ HYP_TRACE_OVERWRITE,				"off,overwrite" },
	{ HYP_TRACE_ON,					"on" },
	{ HYP_TRACE_ON | HYP_TRACE_OVERWRITE,		"on,overwrite" });

TRACE_REMOTE_SYMTAB(hyp_tlb_kinds,
	{ HYP_TLB_IPA,			"ipa" },
	{ HYP_TLB_IPA_LOCAL,		"ipa_local" },
	{ HYP_TLB_RANGE,		"range" },
	{ HYP_TLB_VMID,			"vmid" },
	{ HYP_TLB_CPU,			"cpu" },
	{ HYP_TLB_ALL,			"all" });

TRACE_REMOTE_SYMTAB(hyp_exit_codes, kvm_arm_exception_type);
TRACE_REMOTE_SYMTAB(hyp_esr_classes, kvm_arm_exception_class);

#define PSCI_RESULT(name)	{ (u32)PSCI_RET_##name, #name }

TRACE_REMOTE_SYMTAB(hyp_psci_results,
	PSCI_RESULT(SUCCESS),
	PSCI_RESULT(NOT_SUPPORTED),
	PSCI_RESULT(INVALID_PARAMS),
	PSCI_RESULT(DENIED),
	PSCI_RESULT(ALREADY_ON),
	PSCI_RESULT(ON_PENDING),
	PSCI_RESULT(INTERNAL_FAILURE),
	PSCI_RESULT(NOT_PRESENT),
	PSCI_RESULT(DISABLED),
	PSCI_RESULT(INVALID_ADDRESS));

/* Function ids that have a 32-bit and a 64-bit form, and those that have one */
#define PSCI2(name)							\
	{ PSCI_0_2_FN_##name, "PSCI_" #name }, { PSCI_0_2_FN64_##name, "PSCI_" #name "_64" }
#define PSCI_0_2(name)		{ PSCI_0_2_FN_##name, "PSCI_" #name }
#define PSCI_1_0(name)		{ PSCI_1_0_FN_##name, "PSCI_" #name }
#define FFA2(name)							\
	{ FFA_##name, "FFA_" #name }, { FFA_FN64_##name, "FFA_" #name "_64" }
#define FFA1(name)		{ FFA_##name, "FFA_" #name }

TRACE_REMOTE_SYMTAB(hyp_smcs,
	{ 0, "0" },
	PSCI_0_2(PSCI_VERSION), PSCI2(CPU_SUSPEND), PSCI_0_2(CPU_OFF), PSCI2(CPU_ON),
	PSCI2(AFFINITY_INFO), PSCI2(MIGRATE), PSCI_0_2(MIGRATE_INFO_TYPE),
	PSCI2(MIGRATE_INFO_UP_CPU), PSCI_0_2(SYSTEM_OFF), PSCI_0_2(SYSTEM_RESET),
	PSCI_1_0(PSCI_FEATURES), PSCI_1_0(SET_SUSPEND_MODE), PSCI_1_0(SYSTEM_SUSPEND),
	{ PSCI_1_0_FN64_SYSTEM_SUSPEND, "PSCI_SYSTEM_SUSPEND_64" },
	{ PSCI_1_1_FN_SYSTEM_RESET2, "PSCI_SYSTEM_RESET2" },
	{ PSCI_1_1_FN64_SYSTEM_RESET2, "PSCI_SYSTEM_RESET2_64" },
#ifdef TRACE_REMOTE_LINUX_7
	{ PSCI_1_3_FN_SYSTEM_OFF2, "PSCI_SYSTEM_OFF2" },
	{ PSCI_1_3_FN64_SYSTEM_OFF2, "PSCI_SYSTEM_OFF2_64" },
#endif
	FFA1(ERROR), FFA2(SUCCESS), FFA1(INTERRUPT), FFA1(VERSION), FFA1(FEATURES),
	FFA1(RX_RELEASE), FFA2(RXTX_MAP), FFA1(RXTX_UNMAP), FFA1(PARTITION_INFO_GET),
	FFA1(ID_GET), FFA1(RUN), FFA2(MSG_SEND_DIRECT_REQ), FFA2(MSG_SEND_DIRECT_RESP),
	FFA2(MEM_DONATE), FFA2(MEM_LEND), FFA2(MEM_SHARE), FFA1(MEM_RECLAIM),
	FFA1(MEM_RELINQUISH), FFA1(MEM_FRAG_RX), FFA1(MEM_FRAG_TX),
	{ ARM_SMCCC_VERSION_FUNC_ID, "SMCCC_VERSION" },
	{ ARM_SMCCC_ARCH_FEATURES_FUNC_ID, "SMCCC_ARCH_FEATURES" },
	{ ARM_SMCCC_ARCH_WORKAROUND_1, "SMCCC_ARCH_WORKAROUND_1" },
	{ ARM_SMCCC_ARCH_WORKAROUND_2, "SMCCC_ARCH_WORKAROUND_2" },
	{ ARM_SMCCC_ARCH_WORKAROUND_3, "SMCCC_ARCH_WORKAROUND_3" },
	{ ARM_SMCCC_TRNG_RND64, "SMCCC_TRNG_RND64" });

/* Hypercalls are shown by the names of the functions that they call */
#define HCALL(name)	{ __KVM_HOST_SMCCC_FUNC_##name, #name }

static const struct trace_print_flags hyp_hcall_syms[] = {
	HCALL(__kvm_hyp_init),
	HCALL(__pkvm_init),
	HCALL(__pkvm_create_private_mapping),
	HCALL(__pkvm_cpu_set_vector),
	HCALL(__kvm_enable_ssbs),
	HCALL(__vgic_v3_init_lrs),
	HCALL(__vgic_v3_get_gic_config),
	HCALL(__pkvm_prot_finalize),
	HCALL(__pkvm_host_share_hyp),
	HCALL(__pkvm_host_unshare_hyp),
	HCALL(__kvm_adjust_pc),
	HCALL(__kvm_vcpu_run),
	HCALL(__kvm_flush_vm_context),
	HCALL(__kvm_tlb_flush_vmid_ipa),
	HCALL(__kvm_tlb_flush_vmid_ipa_nsh),
	HCALL(__kvm_tlb_flush_vmid),
	HCALL(__kvm_tlb_flush_vmid_range),
	HCALL(__kvm_flush_cpu_context),
	HCALL(__kvm_timer_set_cntvoff),
	HCALL(__vgic_v3_restore_vmcr_aprs),
	HCALL(__pkvm_init_vm),
	HCALL(__pkvm_init_vcpu),
#ifdef TRACE_REMOTE_LINUX_7
	HCALL(__vgic_v3_save_aprs),
	HCALL(__vgic_v5_save_apr),
	HCALL(__vgic_v5_restore_vmcr_apr),
	HCALL(__pkvm_host_donate_guest),
	HCALL(__pkvm_host_share_guest),
	HCALL(__pkvm_host_unshare_guest),
	HCALL(__pkvm_host_relax_perms_guest),
	HCALL(__pkvm_host_wrprotect_guest),
	HCALL(__pkvm_host_test_clear_young_guest),
	HCALL(__pkvm_host_mkyoung_guest),
	HCALL(__pkvm_reserve_vm),
	HCALL(__pkvm_unreserve_vm),
	HCALL(__pkvm_vcpu_in_poison_fault),
	HCALL(__pkvm_force_reclaim_guest_page),
	HCALL(__pkvm_reclaim_dying_guest_page),
	HCALL(__pkvm_start_teardown_vm),
	HCALL(__pkvm_finalize_teardown_vm),
	HCALL(__pkvm_vcpu_load),
	HCALL(__pkvm_vcpu_put),
	HCALL(__pkvm_vcpu_sync_state),
	HCALL(__pkvm_tlb_flush_vmid),
#else
	HCALL(__kvm_get_mdcr_el2),
	HCALL(__vgic_v3_save_vmcr_aprs),
	HCALL(__pkvm_vcpu_init_traps),
	HCALL(__pkvm_teardown_vm),
#endif
	HCALL(__hyp_trace_begin),
	HCALL(__hyp_trace_add_table),
	HCALL(__hyp_trace_add_subbufs),
	HCALL(__hyp_trace_unload),
	HCALL(__hyp_trace_enable),
	HCALL(__hyp_trace_enable_event),
	HCALL(__hyp_trace_set_filter),
	HCALL(__hyp_trace_swap_reader),
	HCALL(__hyp_trace_reset),
	HCALL(__hyp_trace_set_clock),
	HCALL(__hyp_trace_selftest),
#ifdef CONFIG_NVHE_EL2_TRACING_BENCH
	HCALL(__hyp_bench),
	HCALL(__hyp_bench_write),
#endif
#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
	HCALL(__hyp_trace_set_function),
#endif
#ifdef CONFIG_NVHE_EL2_TRIGGERS
	HCALL(__hyp_trace_set_triggers),
	HCALL(__hyp_trace_trigger),
#endif
#ifdef CONFIG_NVHE_EL2_COUNTERS
	HCALL(__hyp_counters_give),
	HCALL(__hyp_counters_switch),
#endif
#ifdef CONFIG_NVHE_EL2_TEXT_TEST
	HCALL(__hyp_text_test),
#endif
};

static const struct trace_remote_symtab hyp_hcalls = {
	"hyp_hcalls", hyp_hcall_syms, ARRAY_SIZE(hyp_hcall_syms),
};

const struct trace_remote_symtab *const hyp_symtabs[] = {
	&hyp_reasons, &hyp_outcomes, &hyp_mem_ops, &hyp_mem_owners, &hyp_prots, &hyp_tlb_kinds,
	&hyp_trace_modes,
#ifdef TRACE_REMOTE_LINUX_7
	&hyp_guest_mem_ops, &hyp_guest_hcalls,
#endif
#ifdef CONFIG_NVHE_EL2_TRACING_BOOT
	&hyp_boot_steps,
#endif
	&hyp_exit_codes, &hyp_esr_classes, &hyp_psci_results, &hyp_smcs, &hyp_hcalls, NULL,
};

#ifdef CONFIG_NVHE_EL2_COUNTERS
/* Hypercalls that EL2 refuses are in the row of their reason, "hvc" */
const char *hyp_counter(unsigned int row, const char **kind, char *buf, void *priv)
{
	const struct trace_print_flags *sym = hyp_hcall_syms;

	*kind = "reason";
	if (row < HYP_COUNTERS_REASONS)
		return trace_remote_sym(&hyp_reasons, row, buf);
	if (row >= HYP_COUNTERS_ROWS)
		return NULL;

	*kind = "hypercall";
	for (; sym < hyp_hcall_syms + ARRAY_SIZE(hyp_hcall_syms); sym++) {
		if (sym->mask == row - HYP_COUNTERS_REASONS)
			return sym->name;
	}
	return "";
}
#endif

#define REMOTE_EVENT(event, fields, ...)				\
	TRACE_REMOTE_EVENT_FIELDS(event, REMOTE_FIELDS(fields))
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT

#define REC(f)		(rec->f)
#define SYM		TRACE_REMOTE_SYM
#define REMOTE_EVENT(event, fields, ...)	TRACE_REMOTE_EVENT_PRINT(event, __VA_ARGS__)
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
#undef REC
#undef SYM

#define REC(f)		REC->f
struct trace_remote_event hyp_events[NR_HYP_EVENTS] = {
#define REMOTE_EVENT(event, fields, ...)	TRACE_REMOTE_EVENT_INIT(event, __VA_ARGS__)
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
TRACE_REMOTE_FUNCTIONS_INIT
#endif
#ifdef CONFIG_NVHE_EL2_STACKS
TRACE_REMOTE_STACK_INIT
#endif
TRACE_REMOTE_PRINTK_INIT
};

#undef REC
