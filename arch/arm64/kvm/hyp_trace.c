// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the hypervisor, host side: hands buffers to EL2 and registers the
 * remote "hypervisor".
 *
 * EL2's side and the contract of the hypercalls are in hyp/nvhe/trace.c and
 * hyp/include/nvhe/trace.h. Calls that switch a CPU's writer run on that CPU; see
 * __hyp_trace_enable() there. The remote's mutex serialises all calls but the reader's.
 */
#include <linux/arm_ffa.h>
#include <linux/arm-smccc.h>
#include <linux/cpuhotplug.h>
#include <linux/fault-inject.h>
#include <linux/gfp.h>
#include <linux/kvm_host.h>
#include <linux/rcupdate.h>
#include <linux/ring_buffer_writer.h>
#include <linux/sched_clock.h>
#include <linux/slab.h>
#include <linux/timekeeper_internal.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>
#include <linux/trace_remote.h>

#include <asm/arch_timer.h>
#include <asm/kvm_asm.h>
#include <asm/kvm_hyptrace.h>
#include <asm/kvm_mmu.h>
#include <asm/sections.h>

#include <trace/events/sched.h>
#include <uapi/linux/psci.h>

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

/* enum pkvm_component_id */
TRACE_REMOTE_SYMTAB(hyp_mem_owners,
	{ 0,				"host" },
	{ 1,				"hyp" },
	{ 2,				"ffa" });

/* enum kvm_pgtable_prot, as far as the host's stage 2 uses it */
TRACE_REMOTE_SYMTAB(hyp_prots,
	{ KVM_PGTABLE_PROT_RW,		"rw" },
	{ KVM_PGTABLE_PROT_RWX,		"rwx" },
	{ KVM_PGTABLE_PROT_RW | KVM_PGTABLE_PROT_SW0,	"rw,shared_owned" },
	{ KVM_PGTABLE_PROT_RWX | KVM_PGTABLE_PROT_SW0,	"rwx,shared_owned" },
	{ KVM_PGTABLE_PROT_RWX | KVM_PGTABLE_PROT_SW1,	"rwx,shared_borrowed" });

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
	HCALL(__kvm_get_mdcr_el2),
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
	HCALL(__vgic_v3_save_vmcr_aprs),
	HCALL(__vgic_v3_restore_vmcr_aprs),
	HCALL(__pkvm_vcpu_init_traps),
	HCALL(__pkvm_init_vm),
	HCALL(__pkvm_init_vcpu),
	HCALL(__pkvm_teardown_vm),
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
};

static const struct trace_remote_symtab hyp_hcalls = {
	"hyp_hcalls", hyp_hcall_syms, ARRAY_SIZE(hyp_hcall_syms),
};

static const struct trace_remote_symtab *const hyp_symtabs[] = {
	&hyp_reasons, &hyp_outcomes, &hyp_mem_ops, &hyp_mem_owners, &hyp_prots, &hyp_tlb_kinds,
	&hyp_trace_modes,
	&hyp_exit_codes, &hyp_esr_classes, &hyp_psci_results, &hyp_smcs, &hyp_hcalls, NULL,
};

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
static struct trace_remote_event hyp_events[] = {
#define REMOTE_EVENT(event, fields, ...)	TRACE_REMOTE_EVENT_INIT(event, __VA_ARGS__)
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
TRACE_REMOTE_PRINTK_INIT
};

#undef REC

static bool el2_panicked;

void hyp_trace_el2_panicked(void)
{
	WRITE_ONCE(el2_panicked, true);
}

#ifdef CONFIG_FAULT_INJECTION
/* Debugfs's fail_hyp_trace, see Documentation/fault-injection; each call is of size 1 */
static DECLARE_FAULT_ATTR(fail_hyp_trace);

static bool hyp_call_is_to_fail(void)
{
	return should_fail(&fail_hyp_trace, 1);
}

static int __init fail_hyp_trace_init(void)
{
	return PTR_ERR_OR_ZERO(fault_create_debugfs_attr("fail_hyp_trace", NULL, &fail_hyp_trace));
}
late_initcall(fail_hyp_trace_init);
#else
static bool hyp_call_is_to_fail(void)
{
	return false;
}
#endif

/* EL2 cannot be called after it has panicked, nor after KVM has left it (reboot, kexec) */
static bool hyp_is_there(void)
{
	return !READ_ONCE(el2_panicked) && !READ_ONCE(kvm_rebooting);
}

/* A hypercall: EL2's result, or -EIO if EL2 cannot be called or a failure is injected */
#define hyp_call(f, ...)						\
	(!hyp_is_there() || hyp_call_is_to_fail() ? -EIO :		\
	 (int)kvm_call_hyp_nvhe(f, ##__VA_ARGS__))

/* Flags for CPUs that come online; under the remote's mutex and the hotplug lock */
static u32 hyp_trace_flags = HYP_TRACE_OVERWRITE;

/* Map pages at EL2, unless in protected mode: there EL2 does that itself */
static int hyp_map_pages(void *va, unsigned int nr)
{
	if (is_protected_kvm_enabled())
		return 0;

	return kvm_share_hyp(va, va + nr * PAGE_SIZE);
}

/* The table is EL2's own: allocated for it, donated to it, returned zeroed */
static int hyp_give_table(int cpu, void **pages, unsigned int nr)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		ret = hyp_map_pages(pages[i], 1) ?:
		      hyp_call(__hyp_trace_add_table, cpu, virt_to_pfn(pages[i]));
		if (ret)
			return ret;
	}
	return 0;
}

/* How many sub-buffers from @id on follow each other in memory; up to @max */
static unsigned int hyp_count_run(struct trace_buffer *buffer, int cpu, unsigned int id,
				  unsigned int max)
{
	void *subbuf = ring_buffer_remote_subbuf(buffer, cpu, id);
	unsigned int nr = 1;

	while (nr < max && ring_buffer_remote_subbuf(buffer, cpu, id + nr) ==
	       subbuf + nr * PAGE_SIZE)
		nr++;
	return nr;
}

static int hyp_give_subbufs(struct trace_buffer *buffer, int cpu)
{
	unsigned int id, nr, nr_subbufs = ring_buffer_remote_nr_subbufs(buffer, cpu);
	int ret;

	for (id = 0; id < nr_subbufs; id += nr) {
		void *subbuf = ring_buffer_remote_subbuf(buffer, cpu, id);

		if (fatal_signal_pending(current))
			return -EINTR;
		nr = hyp_count_run(buffer, cpu, id, min(nr_subbufs - id, HYP_TRACE_PAGES_PER_ADD));
		ret = hyp_map_pages(subbuf, nr) ?:
		      hyp_call(__hyp_trace_add_subbufs, cpu, virt_to_pfn(subbuf), nr);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

/**
 * struct hyp_table - the private table of one CPU's buffer
 * @nr: pages
 * @pages: the pages; the last one is the root
 */
struct hyp_table {
	unsigned int	nr;
	void		*pages[];
};

static DEFINE_PER_CPU(struct hyp_table *, hyp_tables);

static void hyp_free_table(int cpu)
{
	struct hyp_table *table = per_cpu(hyp_tables, cpu);
	unsigned int i;

	if (!table)
		return;

	per_cpu(hyp_tables, cpu) = NULL;
	for (i = 0; i < table->nr; i++)
		free_page((unsigned long)table->pages[i]);
	kvfree(table);
}

static struct hyp_table *hyp_alloc_table(int cpu, unsigned int nr_subbufs)
{
	unsigned int i, nr = DIV_ROUND_UP(nr_subbufs, RB_WRITER_SUBBUFS_PER_PAGE) + 1;
	struct hyp_table *table;

	table = kvzalloc(struct_size(table, pages, nr), RING_BUFFER_REMOTE_GFP);
	if (!table)
		return NULL;

	per_cpu(hyp_tables, cpu) = table;
	table->nr = nr;
	for (i = 0; i < nr; i++) {
		table->pages[i] = (void *)__get_free_page(RING_BUFFER_REMOTE_GFP | __GFP_ACCOUNT);
		if (!table->pages[i])
			return NULL;	/* the unload that follows frees the others */
	}
	return table;
}

static int hyp_unload_cpu(int cpu)
{
	int left;

	do {
		left = hyp_call(__hyp_trace_unload, cpu);
		cond_resched();
	} while (left > 0);

	if (!left)
		hyp_free_table(cpu);
	return left;
}

static int hyp_load_cpu(struct trace_buffer *buffer, int cpu)
{
	unsigned int nr_subbufs = ring_buffer_remote_nr_subbufs(buffer, cpu);
	void *meta = ring_buffer_remote_meta(buffer, cpu), *root;
	struct hyp_table *table = hyp_alloc_table(cpu, nr_subbufs);

	if (!table)
		return -ENOMEM;

	root = table->pages[table->nr - 1];
	return hyp_map_pages(meta, 1) ?: hyp_map_pages(root, 1) ?:
	       hyp_call(__hyp_trace_begin, cpu, virt_to_pfn(meta), virt_to_pfn(root),
			nr_subbufs) ?:
	       hyp_give_table(cpu, table->pages, table->nr - 1) ?:
	       hyp_give_subbufs(buffer, cpu);
}

static const struct trace_remote_clock hyp_trace_clocks[] = {
	{ "local",	trace_clock_local,	true },
	{ "boot",	ktime_get_boot_fast_ns,	true },
	{ "mono",	ktime_get_mono_fast_ns,	true },
	{ "mono_raw",	ktime_get_raw_fast_ns,	true },
	{ "tai",	ktime_get_tai_fast_ns,	true },
	{ "counter",	trace_clock_counter,	false },
	{}
};

/* In the order of hyp_trace_clocks, without @live and @tasks; addresses of the linear map */
static struct hyp_clock_src hyp_clock_srcs[ARRAY_SIZE(hyp_trace_clocks) - 1] __ro_after_init;

/* Index of the clock that was chosen last; under the remote's mutex */
static unsigned int hyp_trace_clock;

/* What EL2 uses of the host's memory now; under the remote's mutex */
static struct hyp_clock_src hyp_clock_in_use;

/* The tasks of all CPUs, HYP_TRACE_TASKS_SIZE bytes, while buffers are loaded */
static struct hyp_trace_task *hyp_tasks;

/* Does @read return the physical counter, which is the only one that EL2 can read? */
static bool reads_counter(u64 (*read)(void))
{
	u64 before = __arch_counter_get_cntpct();
	u64 now = read();

	return before <= now && now <= __arch_counter_get_cntpct();
}

/* What stands for a running clock in the parameters; 0 if EL2 cannot read its counter */
static u64 live_sched_clock(void)
{
	unsigned int seq;
	u64 (*read)(void) = sched_clock_read_begin(&seq)->read_sched_clock;

	return reads_counter(read) ? (u64)read : 0;
}

static u64 live_fast_clock(const struct tk_read_base *bank)
{
	const struct clocksource *cs = READ_ONCE(bank->clock);

	return cs->id == CSID_ARM_ARCH_COUNTER ? (u64)cs : 0;
}

/* Outside protected mode, KVM has mapped the BSS at EL2 read-only already */
static bool hyp_has_mapped(const void *addr)
{
	return !is_protected_kvm_enabled() && addr >= lm_alias((void *)__bss_start) &&
	       addr < lm_alias((void *)__bss_stop);
}

static int hyp_share_part(const struct hyp_clock_part *part)
{
	void *start = (void *)part->start;

	return !start || hyp_has_mapped(start) ? 0 : kvm_share_hyp(start, start + part->size);
}

static void hyp_unshare_parts(const struct hyp_clock_part *parts, int nr)
{
	while (nr--) {
		void *start = (void *)parts[nr].start;

		if (start)
			kvm_unshare_hyp(start, start + parts[nr].size);
	}
}

static int hyp_share_parts(const struct hyp_clock_part *parts)
{
	int i, ret;

	for (i = 0; i < HYP_CLOCK_PARTS; i++) {
		ret = hyp_share_part(&parts[i]);
		if (ret) {
			hyp_unshare_parts(parts, i);
			return ret;
		}
	}
	return 0;
}

/* Let EL2 use another source; what it does not use any more is not shared any more */
static int hyp_use_clock(const struct hyp_clock_src *src)
{
	struct hyp_clock_part parts[HYP_CLOCK_PARTS], old_parts[HYP_CLOCK_PARTS];
	int ret;

	hyp_clock_parts(src, parts);
	ret = hyp_share_parts(parts);
	if (ret)
		return ret;
	ret = hyp_call(__hyp_trace_set_clock, src->kind, src->latch, src->banks, src->extra,
		       src->live, src->tasks);
	if (ret) {
		hyp_unshare_parts(parts, HYP_CLOCK_PARTS);
		return ret;
	}

	hyp_clock_parts(&hyp_clock_in_use, old_parts);
	hyp_unshare_parts(old_parts, HYP_CLOCK_PARTS);
	hyp_clock_in_use = *src;
	return 0;
}

static int hyp_trace_set_clock(unsigned int index, void *priv)
{
	struct hyp_clock_src src = hyp_clock_srcs[index];
	int ret = 0;

	if (src.kind == HYP_CLOCK_SCHED)
		src.live = live_sched_clock();
	else if (src.kind == HYP_CLOCK_FAST)
		src.live = live_fast_clock((const struct tk_read_base *)src.banks);
	if (!src.live && src.kind != HYP_CLOCK_COUNTER)
		return -EOPNOTSUPP;

	if (hyp_tasks) {
		src.tasks = (u64)hyp_tasks;
		ret = hyp_use_clock(&src);
	}
	if (!ret)
		hyp_trace_clock = index;
	return ret;
}

/* A task may just be told to the freed memory by the tracepoint */
static int hyp_drop_clock(void)
{
	static const struct hyp_clock_src none = { .kind = HYP_CLOCK_NONE };
	int ret = hyp_use_clock(&none);

	if (ret)
		return ret;
	kvfree_rcu_mightsleep(hyp_tasks);
	hyp_tasks = NULL;
	return 0;
}

/**
 * struct hyp_filter - the filter of an event
 * @program: what the filter is; NULL if there is none
 * @page: the page that EL2 has for it; NULL if there is none
 */
struct hyp_filter {
	struct remote_filter	*program;
	void			*page;
};

/* Under the remote's mutex */
static struct hyp_filter hyp_filters[NR_HYP_EVENTS];

static int hyp_drop_filter(unsigned int index)
{
	int ret = hyp_call(__hyp_trace_set_filter, index, 0, 0);

	/* EL2 has no page of this event any more */
	if (!ret) {
		free_page((unsigned long)hyp_filters[index].page);
		hyp_filters[index].page = NULL;
	}
	return min(ret, 0);
}

static int hyp_give_filter(unsigned int index, const struct remote_filter *program)
{
	void *page;
	int ret;

	if (!program)
		return hyp_drop_filter(index);

	page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!page)
		return -ENOMEM;
	memcpy(page, program, sizeof(*program));
	ret = hyp_map_pages(page, 1) ?:
	      hyp_call(__hyp_trace_set_filter, index, program->nr, virt_to_pfn(page));
	if (ret == 1)
		hyp_filters[index].page = page;
	else
		free_page((unsigned long)page);
	return min(ret, 0);
}

static int hyp_load_filters(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < NR_HYP_EVENTS && !ret; i++) {
		if (hyp_filters[i].program)
			ret = hyp_give_filter(i, hyp_filters[i].program);
	}
	return ret;
}

static int hyp_unload_filters(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < NR_HYP_EVENTS && !ret; i++) {
		if (hyp_filters[i].page)
			ret = hyp_drop_filter(i);
	}
	return ret;
}

static int hyp_trace_unload(struct trace_buffer *buffer, void *priv)
{
	int cpu, ret = 0;

	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer))
		ret = hyp_unload_cpu(cpu) ?: ret;
	return ret ?: hyp_unload_filters() ?: hyp_drop_clock();
}

static int hyp_trace_load(struct trace_buffer *buffer, void *priv)
{
	int cpu, ret;

	hyp_tasks = kvzalloc(HYP_TRACE_TASKS_SIZE, GFP_KERNEL);
	if (!hyp_tasks)
		return -ENOMEM;

	/* The host may read its clocks from another counter by now */
	ret = hyp_trace_set_clock(hyp_trace_clock, priv) ?: hyp_load_filters();
	if (ret)
		return ret;

	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer)) {
		ret = hyp_load_cpu(buffer, cpu);
		if (ret)
			return ret;
	}
	return 0;
}

/* A tracepoint's function: this CPU switches tasks */
static void hyp_trace_switch(void *tasks, bool preempt, struct task_struct *prev,
			     struct task_struct *next, unsigned int prev_state)
{
	struct hyp_trace_task *task = (struct hyp_trace_task *)tasks + smp_processor_id();

	WRITE_ONCE(task->pid, next->pid);
}

/*
 * Several CPUs may store their error at once; a CPU without one leaves theirs alone. A CPU
 * that was not there when the buffer was loaded has none.
 */
static void hyp_enable_this_cpu(void *data)
{
	int err, *ret = data;

	if (!this_cpu_read(hyp_tables))
		return;

	hyp_tasks[smp_processor_id()].pid = current->pid;
	err = hyp_call(__hyp_trace_enable, hyp_trace_flags);
	if (err)
		WRITE_ONCE(*ret, err);
}

/* Set the flags of every CPU; offline CPUs get them when they come online */
static int hyp_trace_set_flags(u32 flags)
{
	u32 old = hyp_trace_flags;
	int ret = 0, ignored = 0;

	guard(cpus_read_lock)();
	hyp_trace_flags = flags;
	if (!((flags | old) & HYP_TRACE_ON))
		return 0;

	on_each_cpu(hyp_enable_this_cpu, &ret, 1);
	if (ret) {
		hyp_trace_flags = old;
		on_each_cpu(hyp_enable_this_cpu, &ignored, 1);
	}
	return ret;
}

/* While it traces, EL2 is told about each switch of tasks */
static int hyp_trace_enable(bool on, void *priv)
{
	bool was_on = hyp_trace_flags & HYP_TRACE_ON;
	int ret = 0;

	if (on && !was_on)
		ret = register_trace_sched_switch(hyp_trace_switch, hyp_tasks);
	if (ret)
		return ret;

	ret = hyp_trace_set_flags((hyp_trace_flags & ~HYP_TRACE_ON) | (on ? HYP_TRACE_ON : 0));
	if ((on || was_on) && !(hyp_trace_flags & HYP_TRACE_ON))
		unregister_trace_sched_switch(hyp_trace_switch, hyp_tasks);
	return ret;
}

static int hyp_trace_overwrite(bool overwrite, void *priv)
{
	return hyp_trace_set_flags((hyp_trace_flags & HYP_TRACE_ON) |
				   (overwrite ? HYP_TRACE_OVERWRITE : 0));
}

/* These do not fail: a CPU that cannot be traced can go off and on all the same */
static void hyp_report_cpu(unsigned int cpu, int err)
{
	if (err)
		kvm_err("hypervisor tracing: CPU %u cannot be switched: %d\n", cpu, err);
}

static int hyp_trace_cpu_online(unsigned int cpu)
{
	int err = 0;

	if (hyp_trace_flags & HYP_TRACE_ON)
		hyp_enable_this_cpu(&err);
	hyp_report_cpu(cpu, err);
	return 0;
}

/*
 * An offline CPU could not switch its writer off, so that is done now. In protected mode
 * EL2 notices by itself. During kexec, CPUs go offline after KVM has left EL2.
 */
static int hyp_trace_cpu_offline(unsigned int cpu)
{
	if ((hyp_trace_flags & HYP_TRACE_ON) && this_cpu_read(hyp_tables) &&
	    !is_protected_kvm_enabled() && hyp_is_there())
		hyp_report_cpu(cpu, hyp_call(__hyp_trace_enable, 0));
	return 0;
}

static int hyp_trace_enable_event(unsigned int index, u16 id, void *priv)
{
	return hyp_call(__hyp_trace_enable_event, index, id);
}

/* EL2 has filters only while buffers are loaded */
static int hyp_trace_set_filter(unsigned int index, const struct remote_filter *filter, void *priv)
{
	struct remote_filter *copy = NULL;
	int ret = 0;

	if (filter) {
		copy = kmemdup(filter, sizeof(*filter), GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
	}
	if (hyp_tasks)
		ret = hyp_give_filter(index, copy);
	if (ret) {
		kfree(copy);
		return ret;
	}
	kfree(hyp_filters[index].program);
	hyp_filters[index].program = copy;
	return 0;
}

static int hyp_trace_write_selftest(u64 id, void *priv)
{
	return hyp_call(__hyp_trace_selftest, id);
}

static int hyp_trace_swap_reader(int cpu, u32 seen, void *priv)
{
	return hyp_call(__hyp_trace_swap_reader, cpu, seen);
}

static int hyp_trace_reset(int cpu, void *priv)
{
	return hyp_call(__hyp_trace_reset, cpu);
}

/* Any CPU can switch events off for all CPUs; a writer is switched only by its own CPU */
static void hyp_trace_stop(void *priv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hyp_events); i++)
		hyp_call(__hyp_trace_enable_event, i, 0);
}

static const struct trace_remote_ops hyp_trace_ops = {
	.load		= hyp_trace_load,
	.unload		= hyp_trace_unload,
	.enable		= hyp_trace_enable,
	.overwrite	= hyp_trace_overwrite,
	.set_clock	= hyp_trace_set_clock,
	.enable_event	= hyp_trace_enable_event,
	.set_filter	= hyp_trace_set_filter,
	.write_selftest	= hyp_trace_write_selftest,
	.stop		= hyp_trace_stop,
	.rb = {
		.swap_reader	= hyp_trace_swap_reader,
		.reset		= hyp_trace_reset,
	},
};

static const struct trace_remote_desc hyp_trace_desc = {
	.name		= "hypervisor",
	.ops		= &hyp_trace_ops,
	.events		= hyp_events,
	.nr_events	= ARRAY_SIZE(hyp_events),
	.symtabs	= hyp_symtabs,
	.clocks		= hyp_trace_clocks,
};

static u64 __init hyp_image_addr(const void *start)
{
	return start ? (u64)lm_alias((void *)start) : 0;
}

static void __init hyp_find_sched_clock(struct hyp_clock_src *src)
{
	const struct clock_read_data *banks;

	src->kind = HYP_CLOCK_SCHED;
	src->latch = hyp_image_addr(sched_clock_latch(&banks));
	src->banks = hyp_image_addr(banks);
}

static void __init hyp_find_fast_clock(clockid_t id, struct hyp_clock_src *src)
{
	const struct tk_read_base *banks;
	const ktime_t *offset;

	src->kind = HYP_CLOCK_FAST;
	src->latch = hyp_image_addr(timekeeping_fast_latch(id, &banks, &offset));
	src->banks = hyp_image_addr(banks);
	src->extra = hyp_image_addr(offset);
}

/* EL2 reads only the architected counter, and without workarounds */
static void __init hyp_check_counter(void)
{
	if (!live_sched_clock())
		kvm_err("hypervisor tracing: no clock 'local': sched_clock() does not read the architected counter; choose another trace_clock\n");
#ifdef CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND
	int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu(timer_unstable_counter_workaround, cpu)) {
			kvm_err("hypervisor tracing: timestamps may be wrong: the counter needs a workaround that EL2 lacks\n");
			return;
		}
	}
#endif
}

/* EL2 reads the clocks' parameters from where the host's own readers do */
static void __init hyp_trace_find_clocks(void)
{
	struct hyp_clock_src *src = hyp_clock_srcs;

	hyp_find_sched_clock(&src[0]);
	hyp_find_fast_clock(CLOCK_BOOTTIME, &src[1]);
	hyp_find_fast_clock(CLOCK_MONOTONIC, &src[2]);
	hyp_find_fast_clock(CLOCK_MONOTONIC_RAW, &src[3]);
	hyp_find_fast_clock(CLOCK_TAI, &src[4]);
	src[5].kind = HYP_CLOCK_COUNTER;
	src[5].extra = hyp_image_addr(&trace_counter);
}

static int __init hyp_trace_init(void)
{
	struct trace_remote *remote;
	int state, ret;

	if (!is_kvm_arm_initialised() || is_kernel_in_hyp_mode())
		return 0;

	/* For good: EL2 must not lose what it is told from here on */
	ret = kvm_enable_virtualization();
	if (ret)
		return ret;

	hyp_check_counter();
	hyp_trace_find_clocks();
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "kvm/arm64/hyp_trace:online",
				  hyp_trace_cpu_online, hyp_trace_cpu_offline);
	if (state < 0) {
		ret = state;
		goto disable;
	}

	remote = trace_remote_register(&hyp_trace_desc);
	if (IS_ERR(remote)) {
		ret = PTR_ERR(remote);
		kvm_err("hypervisor tracing: cannot register the remote: %d\n", ret);
		goto remove_state;
	}
	return 0;

remove_state:
	cpuhp_remove_state(state);
disable:
	kvm_disable_virtualization();
	return ret;
}
late_initcall(hyp_trace_init);
