// SPDX-License-Identifier: GPL-2.0
/*
 * Ring buffers with a remote writer: their memory.
 */

#include <linux/export.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/ring_buffer_writer.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/trace_clock.h>
#include <linux/vmalloc.h>

#include "ring_buffer_remote_core.h"

/* Pages are allocated up to this many at once: 64 */
#define RB_REMOTE_RUN_ORDER	6

/* Sub-buffer 0 is the reader's, those in the ring follow */
static void rb_remote_link_pages(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote_cpu;
	LIST_HEAD(ring);
	unsigned int slot;

	for (slot = 0; slot < cpu_buffer->nr_pages; slot++) {
		struct rb_remote_page *page = &remote->pages[slot + 1];

		page->slot = slot;
		remote->slots[slot] = page;
		list_add_tail(&page->bpage.list, &ring);
	}

	/* As in ring_buffer.c, the list has no head of its own */
	cpu_buffer->pages = ring.next;
	list_del(&ring);

	INIT_LIST_HEAD(&remote->pages[0].bpage.list);
	cpu_buffer->reader_page = &remote->pages[0].bpage;
	cpu_buffer->head_page = &remote->pages[1].bpage;
	cpu_buffer->tail_page = cpu_buffer->head_page;
	cpu_buffer->commit_page = cpu_buffer->head_page;
}

/* Memory that is not to be allocated, or NULL */
static const struct ring_buffer_remote_mem *rb_remote_mem(struct ring_buffer_per_cpu *cpu_buffer)
{
	return cpu_buffer->buffer->remote_buffer->writer->mem;
}

/* Each run that rb_remote_alloc_pages() has got */
static void rb_remote_free_pages(struct ring_buffer_per_cpu *cpu_buffer)
{
	const struct rb_remote_page *pages = cpu_buffer->remote_cpu->pages;
	unsigned int id = 0, order;

	if (rb_remote_mem(cpu_buffer))
		return;
	free_page((unsigned long)cpu_buffer->remote_cpu->meta);
	while (pages && id <= cpu_buffer->nr_pages && pages[id].bpage.page) {
		struct page *page = virt_to_page(pages[id].bpage.page);

		order = compound_order(page);
		__free_pages(page, order);
		id += 1U << order;
	}
}

static void rb_remote_free_cpu(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote_cpu;

	irq_work_sync(&cpu_buffer->irq_work.work);
	rb_remote_free_pages(cpu_buffer);
	kvfree(remote->slots);
	kvfree(remote->pages);
	rb_remote_close_pool(remote->pool);
	kfree(remote);
	kfree(cpu_buffer);
}

/*
 * Allocate up to @nr pages that follow each other, as one. That takes less time, also to
 * give them to the writer, but no memory is reclaimed or moved for it.
 */
static struct page *rb_remote_alloc_run(int node, unsigned int nr)
{
	const gfp_t gfp = RING_BUFFER_REMOTE_GFP | __GFP_COMP | __GFP_ZERO;
	int order;

	for (order = min(ilog2(nr), RB_REMOTE_RUN_ORDER); order > 0; order--) {
		struct page *page = alloc_pages_node(node, (gfp & ~__GFP_RECLAIM) | __GFP_NOWARN,
						     order);

		if (page)
			return page;
	}
	return alloc_pages_node(node, gfp, 0);
}

static void rb_remote_use_mem(struct ring_buffer_per_cpu *cpu_buffer)
{
	const struct ring_buffer_remote_writer *writer = cpu_buffer->buffer->remote_buffer->writer;
	struct rb_remote_page *to = cpu_buffer->remote_cpu->pages;
	unsigned int id;

	cpu_buffer->remote_cpu->meta = writer->mem->meta(cpu_buffer->cpu, writer->mem_priv);
	for (id = 0; id <= cpu_buffer->nr_pages; id++) {
		to[id].bpage.id = id;
		to[id].bpage.page = writer->mem->subbuf(cpu_buffer->cpu, id, writer->mem_priv);
	}
}

static bool rb_remote_alloc_pages(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_page *to = cpu_buffer->remote_cpu->pages;
	unsigned int i, id = 0, nr = cpu_buffer->nr_pages + 1;
	struct page *page;

	if (rb_remote_mem(cpu_buffer)) {
		rb_remote_use_mem(cpu_buffer);
		return true;
	}

	cpu_buffer->remote_cpu->meta = (void *)get_zeroed_page(RING_BUFFER_REMOTE_GFP);
	if (!cpu_buffer->remote_cpu->meta)
		return false;
	/* A rough estimate, which prevents what is obviously not going to succeed */
	if (si_mem_available() < nr)
		return false;

	for (; id < nr; id += compound_nr(page)) {
		page = fatal_signal_pending(current) ? NULL :
		       rb_remote_alloc_run(cpu_to_node(cpu_buffer->cpu), nr - id);
		if (!page)
			return false;
		for (i = 0; i < compound_nr(page); i++) {
			to[id + i].bpage.id = id + i;
			to[id + i].bpage.page = page_address(page + i);
		}
	}
	return true;
}

/* kmalloc() would round a large one up to a power of two pages */
static void *rb_remote_alloc_table(size_t nr, size_t size)
{
	size_t bytes = array_size(nr, size);

	return bytes <= PAGE_SIZE ? kzalloc(bytes, RING_BUFFER_REMOTE_GFP) :
				    __vmalloc(bytes, RING_BUFFER_REMOTE_GFP | __GFP_ZERO);
}

/* If this takes the last memory, it is the current task that has to go */
static bool rb_remote_alloc_memory(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote_cpu;
	bool done;

	set_current_oom_origin();
	remote->pool = rb_remote_alloc_pool();
	remote->pages = rb_remote_alloc_table(cpu_buffer->nr_pages + 1, sizeof(*remote->pages));
	remote->slots = rb_remote_alloc_table(cpu_buffer->nr_pages, sizeof(*remote->slots));
	done = remote->pool && remote->pages && remote->slots &&
	       rb_remote_alloc_pages(cpu_buffer);
	clear_current_oom_origin();
	return done;
}

static struct ring_buffer_per_cpu *rb_remote_new_cpu(struct trace_buffer *buffer, int cpu)
{
	struct ring_buffer_per_cpu *cpu_buffer;

	cpu_buffer = kzalloc_node(sizeof(*cpu_buffer), GFP_KERNEL, cpu_to_node(cpu));
	if (!cpu_buffer)
		return NULL;

	cpu_buffer->remote_cpu = kzalloc(sizeof(*cpu_buffer->remote_cpu), GFP_KERNEL);
	if (!cpu_buffer->remote_cpu) {
		kfree(cpu_buffer);
		return NULL;
	}

	cpu_buffer->cpu = cpu;
	cpu_buffer->buffer = buffer;
	raw_spin_lock_init(&cpu_buffer->reader_lock);
	cpu_buffer->lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
	init_irq_work(&cpu_buffer->irq_work.work, rb_wake_up_waiters);
	init_waitqueue_head(&cpu_buffer->irq_work.waiters);
	init_waitqueue_head(&cpu_buffer->irq_work.full_waiters);
	mutex_init(&cpu_buffer->mapping_lock);
	/* Never exchange or resize the sub-buffers */
	rb_remote_keep_subbufs(cpu_buffer);
	atomic_set(&cpu_buffer->resize_disabled, 1);
	return cpu_buffer;
}

static struct ring_buffer_per_cpu *
rb_remote_alloc_cpu(struct trace_buffer *buffer, long nr_pages, int cpu)
{
	struct ring_buffer_per_cpu *cpu_buffer = rb_remote_new_cpu(buffer, cpu);

	if (!cpu_buffer)
		return NULL;

	cpu_buffer->nr_pages = nr_pages;
	if (!rb_remote_alloc_memory(cpu_buffer)) {
		rb_remote_free_cpu(cpu_buffer);
		return NULL;
	}

	cpu_buffer->meta_page = cpu_buffer->remote_cpu->meta;
	rb_remote_link_pages(cpu_buffer);
	return cpu_buffer;
}

static struct trace_buffer *rb_remote_alloc_buffer(const struct ring_buffer_remote_writer *writer)
{
	struct rb_remote_buffer *remote = kzalloc(sizeof(*remote), GFP_KERNEL);
	struct trace_buffer *buffer;

	if (!remote)
		return NULL;

	buffer = &remote->buffer;
	buffer->buffers = kcalloc(nr_cpu_ids, sizeof(*buffer->buffers), GFP_KERNEL);
	if (!buffer->buffers || !zalloc_cpumask_var(&buffer->cpumask, GFP_KERNEL)) {
		kfree(buffer->buffers);
		kfree(remote);
		return NULL;
	}

	remote->writer = writer;
	rb_remote_init_watch(&remote->watch);
	buffer->remote_buffer = remote;
	buffer->flags = RB_FL_OVERWRITE;
	buffer->clock = trace_clock_local;
	init_irq_work(&buffer->irq_work.work, rb_wake_up_waiters);
	init_waitqueue_head(&buffer->irq_work.waiters);
	mutex_init(&buffer->mutex);
	return buffer;
}

struct trace_buffer *ring_buffer_remote_alloc(unsigned long size,
					      const struct ring_buffer_remote_writer *writer)
{
	struct trace_buffer *buffer = rb_remote_alloc_buffer(writer);
	const struct ring_buffer_remote_mem *mem = writer->mem;
	long nr_pages;
	int cpu;

	if (!buffer)
		return NULL;

	nr_pages = max(DIV_ROUND_UP(size, RB_PAGE_DATA_SIZE), 2);
	/* The same is checked for each CPU, when the others have taken their pages already */
	if (!mem && si_mem_available() / num_present_cpus() < nr_pages)
		goto free_buffer;
	for_each_cpu(cpu, mem ? mem->cpus(writer->mem_priv) : cpu_present_mask) {
		if (mem)
			nr_pages = mem->nr_subbufs(cpu, writer->mem_priv) - 1;
		buffer->buffers[cpu] = rb_remote_alloc_cpu(buffer, nr_pages, cpu);
		if (!buffer->buffers[cpu])
			goto free_buffer;
		cpumask_set_cpu(cpu, buffer->cpumask);
	}
	return buffer;

free_buffer:
	ring_buffer_free(buffer);
	return NULL;
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_alloc);

void rb_remote_free(struct trace_buffer *buffer)
{
	struct rb_remote_buffer *remote = buffer->remote_buffer;
	int cpu;

	rb_remote_end_watch(&remote->watch);
	irq_work_sync(&buffer->irq_work.work);

	for_each_cpu(cpu, buffer->cpumask)
		rb_remote_free_cpu(buffer->buffers[cpu]);
	kfree(buffer->buffers);
	free_cpumask_var(buffer->cpumask);
	kfree(remote);
}
