// SPDX-License-Identifier: GPL-2.0
/*
 * Ring buffers with a remote writer: the pages to which readers copy sub-buffers. They may
 * live longer than the buffer.
 */

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "ring_buffer_remote_core.h"

/**
 * struct rb_remote_read_page - a page to which a reader copies a sub-buffer
 * @rpage:	what the reader knows of it
 * @next:	in the pool
 */
struct rb_remote_read_page {
	struct buffer_data_read_page	rpage;
	struct rb_remote_read_page	*next;
};

/**
 * struct rb_remote_pool - the pages of the readers of a CPU
 * @lock:	protects what follows
 * @free:	pages that are not used
 * @room:	how many more of these it takes
 * @users:	pages that are used, and one for the buffer
 *
 * splice() puts pages into a pipe, which may outlive the buffer. The last user frees the
 * pool.
 */
struct rb_remote_pool {
	spinlock_t			lock;	/* of what follows */
	struct rb_remote_read_page	*free;
	unsigned int			room;
	unsigned int			users;
};

struct rb_remote_pool *rb_remote_alloc_pool(void)
{
	struct rb_remote_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);

	if (!pool)
		return NULL;

	spin_lock_init(&pool->lock);
	pool->room = PIPE_DEF_BUFFERS;
	pool->users = 1;
	return pool;
}

static void rb_remote_put_pool(struct rb_remote_pool *pool)
{
	bool last;

	scoped_guard(spinlock, &pool->lock)
		last = !--pool->users;
	if (last)
		kfree(pool);
}

static void rb_remote_drop_page(struct rb_remote_read_page *page)
{
	free_page((unsigned long)page->rpage.data);
	kfree(page);
}

/* The buffer goes: pages that are still in use are freed after it */
void rb_remote_close_pool(struct rb_remote_pool *pool)
{
	struct rb_remote_read_page *page, *next;

	if (!pool)
		return;

	scoped_guard(spinlock, &pool->lock) {
		page = pool->free;
		pool->free = NULL;
		pool->room = 0;
	}
	for (; page; page = next) {
		next = page->next;
		rb_remote_drop_page(page);
	}
	rb_remote_put_pool(pool);
}

/* NULL if there is none; the caller is a user of the pool either way */
static struct rb_remote_read_page *rb_remote_take_page(struct rb_remote_pool *pool)
{
	struct rb_remote_read_page *page;

	guard(spinlock)(&pool->lock);
	pool->users++;
	page = pool->free;
	if (page) {
		pool->free = page->next;
		pool->room++;
	}
	return page;
}

static struct rb_remote_read_page *rb_remote_new_page(struct rb_remote_pool *pool, int cpu)
{
	struct rb_remote_read_page *page = kzalloc(sizeof(*page), GFP_KERNEL);
	struct page *data;

	if (!page)
		return NULL;

	data = alloc_pages_node(cpu_to_node(cpu), RING_BUFFER_REMOTE_GFP | __GFP_ZERO, 0);
	if (!data) {
		kfree(page);
		return NULL;
	}
	page->rpage.data = page_address(data);
	page->rpage.pool = pool;
	return page;
}

int rb_remote_alloc_read_page(struct ring_buffer_per_cpu *cpu_buffer,
			      struct buffer_data_read_page **rpage)
{
	struct rb_remote_pool *pool = cpu_buffer->remote_cpu->pool;
	struct rb_remote_read_page *page;

	if (*rpage)
		return 0;

	page = rb_remote_take_page(pool) ?: rb_remote_new_page(pool, cpu_buffer->cpu);
	if (!page) {
		rb_remote_put_pool(pool);
		return -ENOMEM;
	}
	*rpage = &page->rpage;
	return 0;
}

static bool rb_remote_keep_page(struct rb_remote_pool *pool, struct rb_remote_read_page *page)
{
	guard(spinlock)(&pool->lock);
	if (!pool->room)
		return false;

	pool->users--;	/* not the last: there is room while there is the buffer */
	pool->room--;
	page->next = pool->free;
	pool->free = page;
	return true;
}

void rb_remote_free_read_page(struct buffer_data_read_page *rpage)
{
	struct rb_remote_read_page *page = container_of(rpage, struct rb_remote_read_page, rpage);
	struct rb_remote_pool *pool = rpage->pool;

	/* What came out of a pipe may still be in use somewhere else, for example in a socket */
	if (page_ref_count(virt_to_page(rpage->data)) == 1 && rb_remote_keep_page(pool, page))
		return;

	rb_remote_drop_page(page);
	rb_remote_put_pool(pool);
}
