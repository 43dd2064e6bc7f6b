// SPDX-License-Identifier: GPL-2.0
/*
 * hostile - a host that attacks EL2; see hostile.h.
 *
 * Write "KIND SEED CALLS" to debugfs's hostile/round to run a round: KIND is a number,
 * in the order of kinds[]. If EL2 does something wrong, the write fails with EIO, and
 * the file then reads as a description of it. Otherwise it reads as the number of calls.
 */
#include <linux/arm-smccc.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/kvm_hyptext.h>
#include <asm/virt.h>

#include "hostile.h"

/* Addresses of symbols that are not exported to modules, from /proc/kallsyms */
static unsigned long sym_mem, sym_mem_size, sym_text, sym_text_end, sym_tag, sym_tag_lsb;
module_param(sym_mem, ulong, 0);
MODULE_PARM_DESC(sym_mem, "&hyp_mem_base");
module_param(sym_mem_size, ulong, 0);
MODULE_PARM_DESC(sym_mem_size, "&hyp_mem_size");
module_param(sym_text, ulong, 0);
MODULE_PARM_DESC(sym_text, "__hyp_text_start");
module_param(sym_text_end, ulong, 0);
MODULE_PARM_DESC(sym_text_end, "__hyp_text_end");
module_param(sym_tag, ulong, 0);
MODULE_PARM_DESC(sym_tag, "&tag_val");
module_param(sym_tag_lsb, ulong, 0);
MODULE_PARM_DESC(sym_tag_lsb, "&tag_lsb");

static unsigned long mem_end;
module_param(mem_end, ulong, 0);
MODULE_PARM_DESC(mem_end, "Where the first memory ends");

struct hyp_layout hyp_layout;

/* With the guards */
#define NR_BLOCK	(NR_SINGLE + NR_PAGES + 1)
#define POOL_ORDER	(order_base_2(NR_BLOCK))

/* Each call unloads a few pages, and no buffer here needs more calls */
#define MAX_UNLOADS	(NR_PAGES * 8)

struct hostile hostile;

static DEFINE_MUTEX(round_mutex);

bool wrong(const char *fmt, ...)
{
	static DEFINE_SPINLOCK(lock);
	va_list args;

	guard(spinlock_irqsave)(&lock);
	if (!all_right())
		return false;
	va_start(args, fmt);
	vscnprintf(hostile.text, sizeof(hostile.text), fmt, args);
	va_end(args);
	return false;
}

/*
 * Pages
 */

static u64 fill_word(u32 nth, u32 word)
{
	return hostile.fill ^ ((u64)nth << 32 | word) * 0xff51afd7ed558ccdULL;
}

static void fill_nth(u32 nth)
{
	u64 *words = page_address(hostile.block + nth);
	u32 i;

	for (i = 0; i < PAGE_SIZE / sizeof(*words); i++)
		WRITE_ONCE(words[i], fill_word(nth, i));
}

static bool nth_is_filled(u32 nth, u32 from)
{
	u64 *words = page_address(hostile.block + nth), wrong_bits;
	u32 i = from / sizeof(*words);

	/* Of the first word, only the bytes from @from on */
	wrong_bits = (READ_ONCE(words[i]) ^ fill_word(nth, i)) >> 8 * (from % sizeof(*words));
	while (!wrong_bits && ++i < PAGE_SIZE / sizeof(*words))
		wrong_bits = READ_ONCE(words[i]) ^ fill_word(nth, i);
	return !wrong_bits;
}

void pool_fill(u32 i)
{
	fill_nth(pool_nth(i));
}

bool pool_is_filled(u32 i, u32 from)
{
	return nth_is_filled(pool_nth(i), from);
}

void pool_fill_all(void)
{
	u32 nth;

	for (nth = 0; nth < NR_BLOCK; nth++)
		fill_nth(nth);
}

bool pool_guards_ok(void)
{
	u32 i;

	for (i = 0; i < NR_PAGES; i++) {
		if (i >= NR_SINGLE && i != NR_PAGES - 1)
			continue;
		if (!nth_is_filled(pool_nth(i) + 1, 0))
			return wrong("the page behind page %u has changed", i);
	}
	return true;
}

u64 foreign_pfn(struct rng *rng)
{
	u64 pfn = pool_pfn(rng_below(rng, NR_PAGES));

	if (vm_exists() && rng_percent(rng, 20))
		return vm_pfn(rng);
	switch (rng_below(rng, 9)) {
	case 0:
		return 0x08000000 >> PAGE_SHIFT;	/* QEMU's interrupt controller */
	case 1:
		return 0x09000000 >> PAGE_SHIFT;	/* its console */
	case 2:
		return 0;
	case 3:
		return PHYS_PFN(PHYS_MASK) - rng_below(rng, 2);
	case 4:
		return PHYS_PFN(PHYS_MASK) + 1 + rng_below(rng, 2);
	case 5:	/* the same address, if a shift may overflow */
		return pfn | BIT_ULL(64 - PAGE_SHIFT + rng_below(rng, PAGE_SHIFT));
	case 6:
		return PHYS_PFN(hyp_layout.mem) + rng_below(rng, PHYS_PFN(hyp_layout.mem_size));
	case 7:
		return PHYS_PFN(hyp_layout.text);
	default:
		return rng_u64(rng) | BIT_ULL(40);
	}
}

u64 foreign_range(struct rng *rng, u32 nr)
{
	const u64 firsts[] = {
		PHYS_PFN(hyp_layout.mem), PHYS_PFN(hyp_layout.text), PHYS_PFN(mem_end),
		PHYS_PFN(PHYS_MASK) + 1, 0, vm_exists() ? vm_pfn(rng) : PHYS_PFN(hyp_layout.mem),
	};

	return firsts[rng_below(rng, ARRAY_SIZE(firsts))] - 1 - rng_below(rng, nr - 1);
}

u32 any_cpu(struct rng *rng)
{
	static const u32 wrong_cpus[] = { NR_CPUS, NR_CPUS + 1, 0x80000000, U32_MAX };

	if (rng_percent(rng, 95))
		return rng_below(rng, num_possible_cpus());
	return wrong_cpus[rng_below(rng, ARRAY_SIZE(wrong_cpus))];
}

/*
 * Calls
 */

s64 __hcall(u32 func, const u64 args[7])
{
	struct arm_smccc_res res;

	atomic_inc(&hostile.nr_calls);
	arm_smccc_1_1_hvc(KVM_HOST_SMCCC_ID(func), args[0], args[1], args[2], args[3], args[4],
			  args[5], args[6], &res);
	if (res.a0 != SMCCC_RET_SUCCESS)
		return NOT_SUPPORTED;
	return res.a1;
}

struct remote_call {
	u32	func;
	u64	arg;
	s64	ret;
};

static void do_remote_call(void *data)
{
	struct remote_call *call = data;

	call->ret = __hcall(call->func, (const u64[7]){ call->arg });
}

s64 hcall_on(int cpu, u32 func, u64 arg)
{
	struct remote_call call = { .func = func, .arg = arg };

	if (smp_call_function_single(cpu, do_remote_call, &call, true))
		return -ENXIO;
	return call.ret;
}

bool load_cpu(u32 cpu, u32 first, u32 nr)
{
	u32 root = NR_SCRIBBLED + 2 * cpu, i, row;
	s64 ret;

	ret = hcall(__hyp_trace_begin, cpu, pool_pfn(first), pool_pfn(root), nr) ?:
	      hcall(__hyp_trace_add_table, cpu, pool_pfn(root + 1));
	for (i = 0; i < nr && !ret; i += row) {
		row = min(nr - i, pool_row(first + 1 + i));
		ret = hcall(__hyp_trace_add_subbufs, cpu, pool_pfn(first + 1 + i), row);
	}
	return !ret || wrong("loading CPU %u: %lld", cpu, ret);
}

static bool unload_cpu(u32 cpu)
{
	s64 left = 1;
	u32 i;

	for (i = 0; i < MAX_UNLOADS && left > 0; i++)
		left = hcall(__hyp_trace_unload, cpu);
	return !left || wrong("unloading CPU %u: %lld", cpu, left);
}

#ifdef CONFIG_NVHE_EL2_TRIGGERS
/* What they have stopped goes on */
static bool drop_triggers(void)
{
	u32 event;
	s64 ret;

	for (event = 0; event < NR_HYP_EVENTS; event++) {
		ret = hcall(__hyp_trace_set_triggers, event, 0) ?:
		      hcall(__hyp_trace_trigger, HYP_TRIGGER_ARM, event, 0);
		if (ret)
			return wrong("event %u without triggers: %lld", event, ret);
	}
	ret = hcall(__hyp_trace_trigger, HYP_TRIGGER_GO_ON) ?:
	      hcall(__hyp_trace_trigger, HYP_TRIGGER_IS_STOPPED);
	return !ret || wrong("tracing is still stopped: %lld", ret);
}
#else
static bool drop_triggers(void)
{
	return true;
}
#endif

#ifdef CONFIG_NVHE_EL2_COUNTERS
/* Nothing is counted, and EL2 has no pages for counters */
static bool drop_counters(void)
{
	s64 ret = hcall(__hyp_counters_switch, 0);
	int cpu;

	if (ret)
		return wrong("to count no more: %lld", ret);
	for_each_online_cpu(cpu) {
		ret = hcall_on(cpu, __KVM_HOST_SMCCC_FUNC___hyp_counters_give, 0);
		if (ret && ret != -ENODEV)
			return wrong("the counters of CPU %d: %lld", cpu, ret);
	}
	return true;
}
#else
static bool drop_counters(void)
{
	return true;
}
#endif

bool unload_all(void)
{
	u32 event;
	int cpu;
	s64 ret;

	for_each_online_cpu(cpu) {
		ret = hcall_on(cpu, __KVM_HOST_SMCCC_FUNC___hyp_trace_enable, 0);
		if (ret && ret != -ENODEV)
			return wrong("switching CPU %d off: %lld", cpu, ret);
	}
	for_each_possible_cpu(cpu) {
		if (!unload_cpu(cpu))
			return false;
	}
	for (event = 0; event < NR_HYP_EVENTS; event++) {
		ret = hcall(__hyp_trace_set_filter, event, 0);
		if (ret)
			return wrong("event %u without filter: %lld", event, ret);
	}
	return drop_triggers() && drop_counters();
}

/* Unshare the page if the host itself has shared it; then the host must own it alone */
static bool take_back(u32 i)
{
	s64 ret = hcall(__pkvm_host_unshare_hyp, pool_pfn(i));

	if (ret && ret != -EPERM)
		return wrong("page %u is still in use: %lld", i, ret);
	ret = hcall(__pkvm_host_share_hyp, pool_pfn(i)) ?:
	      hcall(__pkvm_host_unshare_hyp, pool_pfn(i));
	return !ret || wrong("page %u has not come back: %lld", i, ret);
}

/* EL2 has its text mapped, and cannot write to it by any mapping. This takes long */
static bool text_is_read_only(void)
{
#ifdef CONFIG_NVHE_EL2_TEXT_TEST
	s64 ret = hcall(__hyp_text_test, HYP_TEXT_TEST_ALIASES);

	return ret > 0 || wrong("EL2 can write to its text: %lld", ret);
#else
	return true;
#endif
}

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
/* The first call also counts the functions */
static bool functions_off(void)
{
	u32 i;
	s64 ret;

	for (i = 0; !(ret = hcall(__hyp_trace_set_function, i, TRACE_REMOTE_FUNCTION_OFF)); i++)
		;
	if (ret != -EINVAL || !i || (hostile.nr_functions && i != hostile.nr_functions))
		return wrong("function %u off: %lld", i, ret);
	hostile.nr_functions = i;
#ifdef CONFIG_NVHE_EL2_TEXT_TEST
	ret = hcall(__hyp_text_test, HYP_TEXT_TEST_TRACED);
	if (ret)
		return wrong("functions that are traced while all are off: %lld", ret);
#endif
	return true;
}
#else
static bool functions_off(void)
{
	return true;
}
#endif

bool leave_nothing(void)
{
	u32 i;
	s64 ret;

	if (!functions_off() || !unload_all())
		return false;
	if (ffa_available())
		ffa_unmap();
	for (i = 0; i < NR_HYP_EVENTS; i++) {
		ret = hcall(__hyp_trace_enable_event, i, 0);
		if (ret)
			return wrong("event %u off: %lld", i, ret);
	}
	ret = hcall(__hyp_trace_set_clock, HYP_CLOCK_NONE);
	if (ret)
		return wrong("no clock: %lld", ret);
	for (i = 0; i < NR_PAGES; i++) {
		if (!take_back(i))
			return false;
	}
	return text_is_read_only();
}

/*
 * Rounds
 */

static bool (*const kinds[])(void) = { model_round, storm_round, ring_round, fields_round };

/* The calls of the attack itself, without those for cleaning up and checking */
static int nr_attacks;

static int run_round(u32 kind, u64 seed, u32 calls)
{
	bool ok;

	if (kind >= ARRAY_SIZE(kinds))
		return -EINVAL;

	hostile.rng.state = seed;
	hostile.fill = rng_u64(&hostile.rng);
	hostile.want = calls;
	hostile.text[0] = '\0';
	if (!hostile.nr_functions && !functions_off())
		return -EIO;
	atomic_set(&hostile.nr_calls, 0);
	pool_fill_all();

	ok = (rng_percent(&hostile.rng, 50) || vm_create()) && kinds[kind]();
	nr_attacks = atomic_read(&hostile.nr_calls);
	return ok && leave_nothing() && vm_destroy() && pool_guards_ok() ? 0 : -EIO;
}

static ssize_t round_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	char buf[64] = "";
	u32 kind, calls;
	u64 seed;
	int ret;

	if (cnt >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, cnt))
		return -EFAULT;
	if (sscanf(buf, "%u %llu %u", &kind, &seed, &calls) != 3)
		return -EINVAL;

	guard(mutex)(&round_mutex);
	ret = run_round(kind, seed, calls);
	return ret ?: cnt;
}

static int round_show(struct seq_file *m, void *v)
{
	guard(mutex)(&round_mutex);
	if (all_right())
		seq_printf(m, "%d\n", nr_attacks);
	else
		seq_printf(m, "%s\n", hostile.text);
	return 0;
}

static int round_open(struct inode *inode, struct file *filp)
{
	return single_open(filp, round_show, NULL);
}

static const struct file_operations round_fops = {
	.owner		= THIS_MODULE,
	.open		= round_open,
	.read		= seq_read,
	.write		= round_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static struct dentry *hostile_dir;

static int __init hostile_init(void)
{
	if (!is_protected_kvm_enabled())
		return -EOPNOTSUPP;
	if (!mem_end || !sym_mem || !sym_mem_size || !sym_text || !sym_text_end || !sym_tag ||
	    !sym_tag_lsb)
		return -EINVAL;
	hyp_layout = (struct hyp_layout){
		.mem		= *(phys_addr_t *)sym_mem,
		.mem_size	= *(phys_addr_t *)sym_mem_size,
		.text		= __pa_symbol(sym_text),
		.text_start	= sym_text,
		.text_end	= sym_text_end,
		.tag		= *(u64 *)sym_tag,
		.tag_lsb	= *(u8 *)sym_tag_lsb,
	};

	hostile.block = alloc_pages(GFP_KERNEL, POOL_ORDER);
	if (!hostile.block)
		return -ENOMEM;
	if (!vm_alloc()) {
		__free_pages(hostile.block, POOL_ORDER);
		return -ENOMEM;
	}

	ffa_init();
	hostile_dir = debugfs_create_dir("hostile", NULL);
	debugfs_create_file("round", 0600, hostile_dir, NULL, &round_fops);
	return 0;
}
module_init(hostile_init);

/* Pages that EL2 has kept are not freed, as they cannot be used */
static void __exit hostile_exit(void)
{
	debugfs_remove(hostile_dir);
	if (!all_right())
		return;
	vm_free();
	__free_pages(hostile.block, POOL_ORDER);
}
module_exit(hostile_exit);

MODULE_DESCRIPTION("A hostile host, for the tests of tracing at EL2");
MODULE_LICENSE("GPL");
