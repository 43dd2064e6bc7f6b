// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the hypervisor, host side: the clocks. EL2 reads their parameters from where the
 * host's own readers do.
 */
#include <linux/rcupdate.h>
#include <linux/sched_clock.h>
#include <linux/slab.h>
#include <linux/timekeeper_internal.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>

#include <asm/arch_timer.h>
#include <asm/kvm_mmu.h>
#include <asm/sections.h>

#include "hyp_trace_core.h"

const struct trace_remote_clock hyp_trace_clocks[] = {
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

struct hyp_trace_task *hyp_tasks;

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

/* @banks is in the linear map. Since 7.3 the host reads its own data in the image's mapping only */
static u64 live_fast_clock(u64 banks)
{
	const struct tk_read_base *bank = (void *)__phys_to_kimg(__pa(banks));
	const struct clocksource *cs = READ_ONCE(bank->clock);

	return cs->id == CSID_ARM_ARCH_COUNTER ? (u64)cs : 0;
}

/* Outside protected mode, KVM has mapped the BSS at EL2 read-only already */
static bool hyp_has_mapped(const void *addr)
{
	return !is_protected_kvm_enabled() && addr >= lm_alias((void *)__bss_start) &&
	       addr < lm_alias((void *)__bss_stop);
}

/* All pages of the part, or none */
static int hyp_share_part(const struct hyp_clock_part *part)
{
	void *start = (void *)part->start, *end = start + part->size, *at;
	int ret;

	if (!start || hyp_has_mapped(start))
		return 0;
	for (at = start; at < end; at = PTR_ALIGN_DOWN(at, PAGE_SIZE) + PAGE_SIZE) {
		ret = kvm_share_hyp(at, at + 1);
		if (!ret)
			continue;
		if (at > start)
			kvm_unshare_hyp(start, at);
		return ret;
	}
	return 0;
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

int hyp_trace_set_clock(unsigned int index, void *priv)
{
	struct hyp_clock_src src = hyp_clock_srcs[index];
	int ret = 0;

	if (src.kind == HYP_CLOCK_SCHED)
		src.live = live_sched_clock();
	else if (src.kind == HYP_CLOCK_FAST)
		src.live = live_fast_clock(src.banks);
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

/* The host may read its clocks from another counter than when this one was chosen */
int hyp_trace_use_last_clock(void)
{
	return hyp_trace_set_clock(hyp_trace_clock, NULL);
}

/* A task may just be told to the freed memory by the tracepoint */
int hyp_drop_clock(void)
{
	static const struct hyp_clock_src none = { .kind = HYP_CLOCK_NONE };
	int ret = hyp_use_clock(&none);

	if (ret)
		return ret;
	kvfree_rcu_mightsleep(hyp_tasks);
	hyp_tasks = NULL;
	return 0;
}

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

void __init hyp_trace_find_clocks(void)
{
	struct hyp_clock_src *src = hyp_clock_srcs;

	hyp_check_counter();
	hyp_find_sched_clock(&src[0]);
	hyp_find_fast_clock(CLOCK_BOOTTIME, &src[1]);
	hyp_find_fast_clock(CLOCK_MONOTONIC, &src[2]);
	hyp_find_fast_clock(CLOCK_MONOTONIC_RAW, &src[3]);
	hyp_find_fast_clock(CLOCK_TAI, &src[4]);
	src[5].kind = HYP_CLOCK_COUNTER;
	src[5].extra = hyp_image_addr(&trace_counter);
}
