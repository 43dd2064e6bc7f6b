// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the hypervisor, host side: the pages that EL2 gets for buffers and filters.
 */
#include <linux/gfp.h>
#include <linux/ring_buffer_writer.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <asm/kvm_mmu.h>

#include "hyp_trace_core.h"

/* Map pages at EL2, unless in protected mode: there EL2 does that itself */
int hyp_map_pages(void *va, unsigned int nr)
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

DEFINE_PER_CPU(struct hyp_table *, hyp_tables);

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

int hyp_trace_unload(struct trace_buffer *buffer, void *priv)
{
	int cpu, ret = 0;

	hyp_trace_set_notified(NULL);
	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer))
		ret = hyp_unload_cpu(cpu) ?: ret;
	return ret ?: hyp_unload_triggers() ?: hyp_unload_filters() ?: hyp_drop_clock();
}

int hyp_trace_load(struct trace_buffer *buffer, void *priv)
{
	int cpu, ret;

	/* EL2 is given memory of the linear map only */
	hyp_tasks = kzalloc(HYP_TRACE_TASKS_SIZE, RING_BUFFER_REMOTE_GFP);
	if (!hyp_tasks)
		return -ENOMEM;

	ret = hyp_trace_use_last_clock() ?: hyp_load_filters() ?: hyp_load_triggers();
	if (ret)
		return ret;

	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer)) {
		ret = hyp_load_cpu(buffer, cpu);
		if (ret)
			return ret;
	}
	hyp_trace_set_notified(buffer);
	return 0;
}

/* EL2 has filters only while buffers are loaded */
int hyp_trace_set_filter(unsigned int index, const struct remote_filter *filter, void *priv)
{
	struct remote_filter *copy = NULL;
	int ret = 0;

	if (filter) {
		copy = kmemdup(filter, sizeof(*filter), GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
	}
	ret = hyp_time_filter(index, copy, true);
	if (!ret && hyp_tasks)
		ret = hyp_give_filter(index, copy);
	if (ret) {
		kfree(copy);
		return ret;
	}
	hyp_time_filter(index, copy, false);
	kfree(hyp_filters[index].program);
	hyp_filters[index].program = copy;
	return 0;
}
