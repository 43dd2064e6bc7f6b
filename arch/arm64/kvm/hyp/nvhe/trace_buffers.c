// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing at EL2: the buffers. How the host's pages come and go, and what a reader asks for.
 */
#include <asm/kvm_hyp.h>
#include <asm/kvm_mmu.h>

#include <nvhe/mem_protect.h>
#include <nvhe/memory.h>

#include "trace_core.h"

/* Not inline, like the ones below: a lock is much code */
noinline void hyp_trace_lock(hyp_spinlock_t *lock)
{
	hyp_spin_lock(lock);
}

noinline void hyp_trace_unlock(hyp_spinlock_t *lock)
{
	hyp_spin_unlock(lock);
}

/* The buffer of CPU @cpu, locked; NULL when there is no such CPU */
static noinline struct hyp_trace_cpu *lock_cpu(u32 cpu)
{
	struct hyp_trace_cpu *tc = hyp_trace_cpu(cpu);

	if (!tc)
		return NULL;
	if (hyp_boot_has_log())
		hyp_boot_own_call_begins();
	hyp_trace_lock(&tc->lock);
	return tc;
}

static noinline int unlock_cpu(struct hyp_trace_cpu *tc, int ret)
{
	hyp_trace_unlock(&tc->lock);
	if (hyp_boot_has_log())
		hyp_boot_own_call_ends();
	return ret;
}

/* @nr has been checked, so that nothing overflows */
static bool valid_pfns(u64 pfn, u32 nr)
{
	return pfn <= (PHYS_MASK >> PAGE_SHIFT) - (nr - 1);
}

/* OWNED by the host => SHARED with EL2 and pinned: all of the pages or none */
int hyp_share_pages(u64 pfn, u32 nr, void **va)
{
	int ret;

	if (!valid_pfns(pfn, nr))
		return -EINVAL;

	if (is_protected_kvm_enabled()) {
		ret = __pkvm_host_share_pin_hyp(pfn, nr);
		if (ret)
			return ret;
	}

	*va = __hyp_va(hyp_pfn_to_phys(pfn));
	return 0;
}

/* SHARED with EL2 and pinned => OWNED by the host, or SHARED if it is pinned for a clock or VM */
void hyp_unshare_pages(void *va, u32 nr)
{
	if (is_protected_kvm_enabled())
		__pkvm_host_unpin_unshare_hyp(hyp_virt_to_pfn(va), nr);
}

/*
 * OWNED by the host => OWNED by EL2. A host that has also mapped the page non-cacheable may have
 * left one content in the cache and another one in memory; from here on there is only one.
 */
int hyp_take_page(u64 pfn, void **va)
{
	void *page = __hyp_va(hyp_pfn_to_phys(pfn));
	int ret;

	if (!valid_pfns(pfn, 1))
		return -EINVAL;

	if (is_protected_kvm_enabled()) {
		ret = __pkvm_host_donate_hyp(pfn, 1);
		if (ret)
			return ret;
		kvm_flush_dcache_to_poc(page, PAGE_SIZE);
	}

	*va = page;
	return 0;
}

static int take_zeroed_page(u64 pfn, void **va)
{
	int ret = hyp_take_page(pfn, va);

	if (!ret)
		memset(*va, 0, PAGE_SIZE);
	return ret;
}

/*
 * OWNED by EL2 => OWNED by the host, zeroed. The zeroes go to memory, as a host that maps
 * the page non-cacheable would find there what was evicted from the cache before.
 */
void hyp_return_page(void *va)
{
	memset(va, 0, PAGE_SIZE);
	if (is_protected_kvm_enabled()) {
		kvm_flush_dcache_to_poc(va, PAGE_SIZE);
		WARN_ON(__pkvm_hyp_donate_host(hyp_virt_to_pfn(va), 1));
	}
}

static struct rb_writer_subbuf *table_entry(struct hyp_trace_cpu *tc, u32 id)
{
	return &tc->writer.table[id / RB_WRITER_SUBBUFS_PER_PAGE]
				[id % RB_WRITER_SUBBUFS_PER_PAGE];
}

static int begin_locked(struct hyp_trace_cpu *tc, u32 cpu, u64 meta_pfn, u64 root_pfn,
			u32 nr_subbufs)
{
	void *meta, *root;
	int ret;

	if (tc->state != TRACE_EMPTY)
		return -EBUSY;

	ret = hyp_share_pages(meta_pfn, 1, &meta);
	if (ret)
		return ret;

	ret = take_zeroed_page(root_pfn, &root);
	if (ret) {
		hyp_unshare_pages(meta, 1);
		return ret;
	}

	memset(&tc->writer, 0, sizeof(tc->writer));
	tc->writer.table = root;
	tc->meta = meta;
	tc->cpu = cpu;
	tc->nr_subbufs = nr_subbufs;
	tc->nr_added = 0;
	tc->nr_tables = 0;
	tc->state = TRACE_LOADING;
	return 0;
}

int __hyp_trace_begin(u32 cpu, u64 meta_pfn, u64 root_pfn, u32 nr_subbufs)
{
	struct hyp_trace_cpu *tc;

	if (nr_subbufs < RB_WRITER_MIN_SUBBUFS || nr_subbufs > RB_WRITER_MAX_SUBBUFS)
		return -EINVAL;

	tc = lock_cpu(cpu);
	return tc ? unlock_cpu(tc, begin_locked(tc, cpu, meta_pfn, root_pfn, nr_subbufs)) : -EINVAL;
}

static int add_table_locked(struct hyp_trace_cpu *tc, u64 pfn)
{
	void *table;
	int ret;

	if (tc->state != TRACE_LOADING)
		return -EBUSY;
	if (tc->nr_tables * RB_WRITER_SUBBUFS_PER_PAGE >= tc->nr_subbufs)
		return -ENOSPC;

	ret = take_zeroed_page(pfn, &table);
	if (ret)
		return ret;

	tc->writer.table[tc->nr_tables++] = table;
	return 0;
}

int __hyp_trace_add_table(u32 cpu, u64 pfn)
{
	struct hyp_trace_cpu *tc = lock_cpu(cpu);

	return tc ? unlock_cpu(tc, add_table_locked(tc, pfn)) : -EINVAL;
}

static void loaded(struct hyp_trace_cpu *tc)
{
	memset(tc->meta, 0, PAGE_SIZE);
	rb_writer_init(&tc->writer, tc->meta, tc->nr_subbufs);
	tc->state = TRACE_LOADED;
}

static int add_subbufs_locked(struct hyp_trace_cpu *tc, u64 pfn, u32 nr)
{
	void *page;
	int ret;

	if (tc->state != TRACE_LOADING)
		return -EBUSY;
	if (tc->nr_added + nr > tc->nr_subbufs)
		return -ENOSPC;
	if (tc->nr_added + nr > tc->nr_tables * RB_WRITER_SUBBUFS_PER_PAGE)
		return -ENOMEM;

	ret = hyp_share_pages(pfn, nr, &page);
	if (ret)
		return ret;

	for (; nr; nr--, page += PAGE_SIZE)
		rb_writer_add_subbuf(&tc->writer, tc->nr_added++, page);
	if (tc->nr_added == tc->nr_subbufs)
		loaded(tc);
	return 0;
}

int __hyp_trace_add_subbufs(u32 cpu, u64 pfn, u32 nr)
{
	struct hyp_trace_cpu *tc;

	/* They are mapped as pages: each can be unmapped alone */
	static_assert(HYP_TRACE_PAGES_PER_ADD < PTRS_PER_PTE);

	if (!nr || nr > HYP_TRACE_PAGES_PER_ADD)
		return -EINVAL;

	tc = lock_cpu(cpu);
	return tc ? unlock_cpu(tc, add_subbufs_locked(tc, pfn, nr)) : -EINVAL;
}

/* Give back up to @max of the last sub-buffers, whose pages follow each other. How many? */
static u32 drop_subbufs(struct hyp_trace_cpu *tc, u32 max)
{
	void *page = NULL, *last;
	u32 nr;

	for (nr = 0; nr < max && tc->nr_added; nr++) {
		last = table_entry(tc, tc->nr_added - 1)->page;
		if (nr && last + PAGE_SIZE != page)
			break;
		page = last;
		tc->nr_added--;
	}
	hyp_unshare_pages(page, nr);
	return nr;
}

/* Give back up to @max pages. How many? 0 when these were the last */
static u32 unload_some_locked(struct hyp_trace_cpu *tc, u32 max)
{
	if (tc->nr_added)
		return drop_subbufs(tc, max);
	if (tc->nr_tables) {
		hyp_return_page(tc->writer.table[--tc->nr_tables]);
		return 1;
	}

	hyp_return_page(tc->writer.table);
	hyp_unshare_pages(tc->meta, 1);
	memset(&tc->writer, 0, sizeof(tc->writer));
	tc->meta = NULL;
	tc->state = TRACE_EMPTY;
	return 0;
}

static int unload_locked(struct hyp_trace_cpu *tc)
{
	u32 left, nr;

	hyp_assert_lock_held(&tc->lock);
	switch (tc->state) {
	case TRACE_EMPTY:
		return 0;
	case TRACE_LOADED:
		if (hyp_writer_is_on(tc))
			return -EBUSY;
		break;
	case TRACE_LOADING:
	case TRACE_UNLOADING:
		break;
	}

	/* No way back to LOADED: from here on, the writer's table is incomplete */
	tc->state = TRACE_UNLOADING;
	for (left = HYP_TRACE_PAGES_PER_UNLOAD; left; left -= nr) {
		nr = unload_some_locked(tc, left);
		if (!nr)
			return 0;
	}

	return tc->nr_added + tc->nr_tables + 2;
}

int __hyp_trace_unload(u32 cpu)
{
	struct hyp_trace_cpu *tc = lock_cpu(cpu);

	hyp_boot_end();
	return tc ? unlock_cpu(tc, unload_locked(tc)) : -EINVAL;
}

static int swap_locked(struct hyp_trace_cpu *tc, u32 seen)
{
	hyp_assert_lock_held(&tc->lock);
	return tc->state == TRACE_LOADED ? rb_writer_swap(&tc->writer, seen) : -ENODEV;
}

int __hyp_trace_swap_reader(u32 cpu, u32 seen)
{
	struct hyp_trace_cpu *tc = lock_cpu(cpu);

	return tc ? unlock_cpu(tc, swap_locked(tc, seen)) : -EINVAL;
}

static int reset_locked(struct hyp_trace_cpu *tc)
{
	hyp_assert_lock_held(&tc->lock);
	if (tc->state != TRACE_LOADED)
		return -ENODEV;
	if (tc != this_cpu_ptr(&hyp_trace_cpus) && hyp_writer_is_on(tc))
		return -EBUSY;

	rb_writer_reset(&tc->writer);
	return 0;
}

int __hyp_trace_reset(u32 cpu)
{
	struct hyp_trace_cpu *tc = lock_cpu(cpu);

	return tc ? unlock_cpu(tc, reset_locked(tc)) : -EINVAL;
}
