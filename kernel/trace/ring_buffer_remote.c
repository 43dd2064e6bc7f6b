// SPDX-License-Identifier: GPL-2.0
/*
 * Ring buffers with a remote writer (linux/ring_buffer_remote.h), which ring_buffer.c
 * reads as it reads others.
 *
 * The meta page has the position of the writer. Sub-buffers are numbered in the
 * order in which they are started, number n is in slot n % nr_pages, and
 *
 *	pages_touched			is the number being written
 *	pages_lost + pages_read		is the oldest number still in the ring, but see
 *					rb_meta_range()
 *
 * The list of buffer pages is kept in the order of the slots. Only a swap changes
 * which sub-buffer is in which slot, and only readers here ask for one, under
 * reader_lock; so the list mirrors the writer's ring without its help.
 */

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/pipe_fs_i.h>
#include <linux/ring_buffer_remote.h>
#include <linux/ring_buffer_writer.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/trace_clock.h>
#include <linux/vmalloc.h>

#include "ring_buffer_private.h"

/* Programs find these two where every kernel has them that has them at all */
static_assert(offsetof(struct trace_buffer_meta, pages_lost) == 64);
static_assert(offsetof(struct trace_buffer_meta, pages_touched) == 72);

/*
 * How often the kernel looks for new events while somebody waits: at first, and when
 * nothing has happened for a while. In between, the pause is a part of the time in which
 * nothing has happened.
 */
#define RB_REMOTE_WATCH_NS	(1 * NSEC_PER_MSEC)
#define RB_REMOTE_WATCH_IDLE_NS	(10 * NSEC_PER_MSEC)
#define RB_REMOTE_WATCH_PART	16

/* Pages are allocated up to this many at once: 64 */
#define RB_REMOTE_RUN_ORDER	6

/* An attempt fails if the writer is faster, or writes more to the reader's page */
#define RB_REMOTE_SWAP_TRIES	4

/**
 * struct rb_remote_page - a sub-buffer
 * @bpage:	what the readers know of it
 * @slot:	its position in the ring
 */
struct rb_remote_page {
	struct buffer_page	bpage;
	unsigned int		slot;
};

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
 * @free:	pages that nobody uses
 * @room:	how many more of these it takes
 * @users:	pages that somebody uses, and one for the buffer
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

/**
 * struct rb_remote_cpu - what a buffer with a remote writer has in addition
 * @meta:	the writer's meta page
 * @pages:	the sub-buffers by id
 * @slots:	those in the ring by slot
 * @pool:	pages of its readers
 * @error:	why the last reader got nothing, 0 if there is nothing; under reader_lock
 */
struct rb_remote_cpu {
	struct trace_buffer_meta	*meta;
	struct rb_remote_page		*pages;
	struct rb_remote_page		**slots;
	struct rb_remote_pool		*pool;
	int				error;
};

/**
 * struct rb_remote_watch - looks for new events, of which a remote cannot notify the kernel
 * @timer:	queues @work
 * @work:	looks, and starts @timer again if somebody waits. It may run on any CPU,
 *		so the timer does not stay on the CPU that first started it
 * @lock:	protects what follows; without it, @work reads @all and @cpus
 * @armed:	@timer or @work will look again
 * @all:	somebody may wait for events of any CPU
 * @cpus:	for which of them somebody may wait
 * @busy:	when something has last happened
 */
struct rb_remote_watch {
	struct hrtimer		timer;
	struct work_struct	work;
	spinlock_t		lock;	/* of what follows */
	bool			armed;
	bool			all;
	struct cpumask		cpus;
	ktime_t			busy;
};

/**
 * struct rb_remote_buffer - a buffer for a remote writer
 * @buffer:	what its readers use
 * @writer:	the writer
 * @watch:	wakes those who wait for events
 */
struct rb_remote_buffer {
	struct trace_buffer		buffer;
	const struct ring_buffer_remote	*writer;
	struct rb_remote_watch		watch;
};

static struct rb_remote_page *rb_remote_page(struct buffer_page *bpage)
{
	return container_of(bpage, struct rb_remote_page, bpage);
}

static const struct rb_page *rb_remote_data(const struct buffer_page *bpage)
{
	return (const struct rb_page *)bpage->page;
}

/* Bytes of data on a sub-buffer */
static u32 rb_remote_size(const struct buffer_page *bpage)
{
	return READ_ONCE(rb_remote_data(bpage)->commit) &
	       ~(RB_PAGE_MISSED | RB_PAGE_MISSED_STORED);
}

/* Update the kernel's view of the writer from the meta page; under reader_lock */
void rb_remote_sync(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;
	struct trace_buffer_meta *meta = remote->meta;
	unsigned long read;
	u64 head, tail;

	lockdep_assert_held(&cpu_buffer->reader_lock);
	local_set(&cpu_buffer->overrun, READ_ONCE(meta->overrun));
	rb_meta_range(meta, cpu_buffer->nr_pages, &head, &tail);
	/* Its barrier: older than neither the overrun (C) nor an event that was seen (A) */
	local_set(&cpu_buffer->entries, READ_ONCE(meta->entries));
	local_set(&cpu_buffer->dropped_events, READ_ONCE(meta->dropped));
	/* Only readers change it, under the lock */
	read = READ_ONCE(meta->pages_read);
	local_set(&cpu_buffer->pages_read, read);
	local_set(&cpu_buffer->pages_lost, head - read);
	local_set(&cpu_buffer->pages_touched, tail);

	cpu_buffer->head_page = &remote->slots[head % cpu_buffer->nr_pages]->bpage;
	cpu_buffer->commit_page = head > tail ? cpu_buffer->reader_page :
				  &remote->slots[tail % cpu_buffer->nr_pages]->bpage;
	cpu_buffer->tail_page = cpu_buffer->commit_page;
}

/* The same, for callers that need only the counters */
void rb_remote_sync_counters(struct ring_buffer_per_cpu *cpu_buffer)
{
	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	rb_remote_sync(cpu_buffer);
}

/* Events that are left to read. ->read is of the same moment, so it is never negative */
unsigned long rb_remote_entries(struct ring_buffer_per_cpu *cpu_buffer)
{
	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	rb_remote_sync(cpu_buffer);
	return local_read(&cpu_buffer->entries) -
	       (local_read(&cpu_buffer->overrun) + cpu_buffer->read);
}

/*
 * Bytes of data that are left to read. If the writer moves on meanwhile, a sub-buffer may
 * count twice, as in a buffer of a moment later; none is ever missing.
 */
unsigned long rb_remote_bytes(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct trace_buffer_meta *meta = cpu_buffer->remote->meta;

	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	rb_remote_sync(cpu_buffer);
	return READ_ONCE(meta->closed_bytes) + rb_remote_size(cpu_buffer->commit_page) -
	       cpu_buffer->read_bytes;
}

/*
 * The writer gave the reader another sub-buffer; the old one takes its place in the ring.
 * 0, or -EIO if it named none that is in the ring.
 */
static int rb_remote_swapped(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;
	struct rb_remote_page *old = rb_remote_page(cpu_buffer->reader_page), *new;
	u32 id = READ_ONCE(remote->meta->reader.id);

	if (id > cpu_buffer->nr_pages || &remote->pages[id] == old)
		return -EIO;

	new = &remote->pages[id];
	list_replace_init(&new->bpage.list, &old->bpage.list);
	if (cpu_buffer->pages == &new->bpage.list)
		cpu_buffer->pages = &old->bpage.list;
	old->slot = new->slot;
	old->bpage.read = 0;
	remote->slots[old->slot] = old;

	new->bpage.read = 0;
	local_set(&new->bpage.entries, READ_ONCE(remote->meta->reader_entries));
	cpu_buffer->reader_page = &new->bpage;
	cpu_buffer->lost_events = READ_ONCE(remote->meta->reader.lost_events);
	cpu_buffer->cnt++;
	rb_remote_update_meta(cpu_buffer);
	return 0;
}

/* Ask the writer for another sub-buffer. 0 or an errno; 0 may also be a failed attempt */
static int rb_remote_swap(struct ring_buffer_per_cpu *cpu_buffer)
{
	const struct ring_buffer_remote *writer = cpu_buffer->buffer->remote->writer;
	int ret = writer->ops->swap_reader(cpu_buffer->cpu, cpu_buffer->reader_page->read,
					   writer->priv);

	switch (ret) {
	case RB_SWAP_DONE:
		return rb_remote_swapped(cpu_buffer);
	case RB_SWAP_NOTHING:	/* not what its meta page says */
	case RB_SWAP_MORE:
	case -EBUSY:
		return 0;
	default:
		return ret < 0 ? ret : -EIO;
	}
}

/* There is something to read on the reader's sub-buffer */
static struct buffer_page *rb_remote_use_reader_page(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct buffer_page *reader = cpu_buffer->reader_page;

	/* If the writer has left it meanwhile, it is complete and can be spliced */
	if (cpu_buffer->commit_page == reader)
		rb_remote_sync(cpu_buffer);
	/* Pairs with the writer's store-release of the commit */
	smp_rmb();
	if (!reader->read)
		cpu_buffer->read_stamp = rb_remote_data(reader)->time_stamp;
	return reader;
}

/* NULL if there is nothing to read, or if the writer fails; see rb_remote_error() */
struct buffer_page *rb_remote_get_reader_page(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;
	int tries = 0;

	remote->error = 0;
	while (cpu_buffer->reader_page->read >= rb_remote_size(cpu_buffer->reader_page)) {
		rb_remote_sync(cpu_buffer);
		if (cpu_buffer->commit_page == cpu_buffer->reader_page ||
		    !local_read(&cpu_buffer->entries))
			return NULL;

		remote->error = tries++ == RB_REMOTE_SWAP_TRIES ? -EBUSY :
				rb_remote_swap(cpu_buffer);
		if (remote->error)
			return NULL;
	}
	return rb_remote_use_reader_page(cpu_buffer);
}

/* Why a reader has just got nothing: 0 if there is nothing, or an errno. Told only once */
int rb_remote_error(struct ring_buffer_per_cpu *cpu_buffer)
{
	int error = cpu_buffer->remote->error;

	lockdep_assert_held(&cpu_buffer->reader_lock);
	cpu_buffer->remote->error = 0;
	return error;
}

bool ring_buffer_is_remote(const struct trace_buffer *buffer)
{
	return rb_buffer_is_remote(buffer);
}

int ring_buffer_remote_error(struct trace_buffer *buffer, int cpu)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];

	if (!rb_is_remote(cpu_buffer))
		return 0;

	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	return rb_remote_error(cpu_buffer);
}

/* Consume all of a sub-buffer that rb_remote_is_whole() */
void rb_remote_consume_whole(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct buffer_page *reader = cpu_buffer->reader_page;

	cpu_buffer->read += local_read(&reader->entries);
	cpu_buffer->read_bytes += rb_remote_size(reader);
	reader->read = rb_remote_size(reader);
	rb_remote_update_meta(cpu_buffer);
}

/* Copy all of a sub-buffer that rb_remote_is_whole(), and consume it */
void rb_remote_read_whole(struct ring_buffer_per_cpu *cpu_buffer,
			  struct buffer_data_read_page *rpage)
{
	const struct rb_page *from = rb_remote_data(cpu_buffer->reader_page);
	u32 size = rb_remote_size(cpu_buffer->reader_page);
	struct rb_page *to = (struct rb_page *)rpage->data;
	unsigned long lost = cpu_buffer->lost_events;

	memcpy(to, from, sizeof(*to) + size);
	to->commit = size;
	if (lost)
		to->commit |= RB_PAGE_MISSED;
	if (lost && RB_PAGE_DATA_SIZE - size >= sizeof(lost)) {
		to->commit |= RB_PAGE_MISSED_STORED;
		memcpy(to->data + size, &lost, sizeof(lost));
		size += sizeof(lost);
	}
	/* User space will see the whole page, which may have been used before */
	memset(to->data + size, 0, RB_PAGE_DATA_SIZE - size);

	rb_remote_consume_whole(cpu_buffer);
	cpu_buffer->lost_events = 0;
}

static struct rb_remote_pool *rb_remote_alloc_pool(void)
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
static void rb_remote_close_pool(struct rb_remote_pool *pool)
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
	struct rb_remote_pool *pool = cpu_buffer->remote->pool;
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

void rb_remote_setup_ids(struct ring_buffer_per_cpu *cpu_buffer, unsigned long *subbuf_ids)
{
	unsigned int id;

	for (id = 0; id <= cpu_buffer->nr_pages; id++)
		subbuf_ids[id] = (unsigned long)cpu_buffer->remote->pages[id].bpage.page;

	cpu_buffer->subbuf_ids = subbuf_ids;
	rb_remote_update_meta(cpu_buffer);
}

/*
 * Is there something to read? Without the reader_lock as long as nothing is written. The
 * counters may be of different moments: then the next look is right.
 */
static bool rb_remote_has_events(struct trace_buffer *buffer, int cpu)
{
	struct trace_buffer_meta *meta = buffer->buffers[cpu]->remote->meta;

	if (READ_ONCE(meta->entries) == READ_ONCE(meta->overrun) + READ_ONCE(meta->read))
		return false;
	return !ring_buffer_empty_cpu(buffer, cpu);
}

static bool rb_remote_any_has_events(struct trace_buffer *buffer)
{
	int cpu;

	for_each_cpu(cpu, buffer->cpumask) {
		if (rb_remote_has_events(buffer, cpu))
			return true;
	}
	return false;
}

/* Has the writer moved to another sub-buffer since the last call? */
static bool rb_remote_has_moved(struct ring_buffer_per_cpu *cpu_buffer)
{
	unsigned long touched = READ_ONCE(cpu_buffer->remote->meta->pages_touched);

	if (READ_ONCE(cpu_buffer->last_pages_touch) == touched)
		return false;
	WRITE_ONCE(cpu_buffer->last_pages_touch, touched);
	return true;
}

/*
 * Is the buffer as full as some waiter wants it to be? As in rb_watermark_hit(), which the
 * waiter asks again, but unlocked
 */
static bool rb_remote_is_full(struct ring_buffer_per_cpu *cpu_buffer)
{
	u64 head, tail;

	ring_buffer_remote_range(cpu_buffer->buffer, cpu_buffer->cpu, &head, &tail);
	return (tail + 1 - head) * 100 >=
	       READ_ONCE(cpu_buffer->shortest_full) * cpu_buffer->nr_pages &&
	       rb_remote_has_events(cpu_buffer->buffer, cpu_buffer->cpu);
}

static bool rb_remote_has_waiters(struct rb_irq_work *work)
{
	return (work->waiters_pending && wq_has_sleeper(&work->waiters)) ||
	       (work->full_waiters_pending && wq_has_sleeper(&work->full_waiters));
}

static void rb_remote_wake(struct rb_irq_work *work)
{
	work->waiters_pending = false;
	rb_wake_up_waiters(&work->work);
}

/* Wake those who wait for an event of any CPU; true if there was one */
static bool rb_remote_look_at_all(struct trace_buffer *buffer)
{
	struct rb_irq_work *work = &buffer->irq_work;

	if (!work->waiters_pending || !rb_remote_any_has_events(buffer))
		return false;

	rb_remote_wake(work);
	return true;
}

/*
 * Wake the waiters whose condition is met; true if anything has happened. As in
 * rb_wakeups(), whether the buffer is full enough is checked only when the writer has
 * moved to another page.
 */
static bool rb_remote_look_at(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_irq_work *work = &cpu_buffer->irq_work;
	bool hit, moved;

	hit = work->waiters_pending && rb_remote_has_events(cpu_buffer->buffer, cpu_buffer->cpu);
	moved = work->full_waiters_pending && rb_remote_has_moved(cpu_buffer);
	if (moved && rb_remote_is_full(cpu_buffer)) {
		work->wakeup_full = true;
		hit = true;
	}
	if (hit)
		rb_remote_wake(work);
	return hit || moved;
}

static bool rb_remote_look(struct trace_buffer *buffer)
{
	struct rb_remote_watch *watch = &buffer->remote->watch;
	bool happened = false;
	int cpu;

	if (READ_ONCE(watch->all))
		happened = rb_remote_look_at_all(buffer);
	for_each_cpu(cpu, &watch->cpus)
		happened |= rb_remote_look_at(buffer->buffers[cpu]);
	return happened;
}

/* Forget for whom nobody waits any more; a waiter is queued before it takes the lock */
static bool rb_remote_anybody_waits(struct trace_buffer *buffer)
{
	struct rb_remote_watch *watch = &buffer->remote->watch;
	int cpu;

	lockdep_assert_held(&watch->lock);
	if (!rb_remote_has_waiters(&buffer->irq_work))
		WRITE_ONCE(watch->all, false);
	for_each_cpu(cpu, &watch->cpus) {
		if (!rb_remote_has_waiters(&buffer->buffers[cpu]->irq_work))
			cpumask_clear_cpu(cpu, &watch->cpus);
	}
	return watch->all || !cpumask_empty(&watch->cpus);
}

/* Without waiters there is nothing to look for, and without tracing nothing to find */
static void rb_remote_watch_work(struct work_struct *work)
{
	struct rb_remote_buffer *remote = container_of(work, struct rb_remote_buffer, watch.work);
	struct rb_remote_watch *watch = &remote->watch;
	bool happened = rb_remote_look(&remote->buffer);
	ktime_t now = ktime_get();
	s64 pause;

	guard(spinlock)(&watch->lock);
	if (happened)
		watch->busy = now;
	pause = clamp(ktime_to_ns(now - watch->busy) / RB_REMOTE_WATCH_PART,
		      RB_REMOTE_WATCH_NS, RB_REMOTE_WATCH_IDLE_NS);
	watch->armed = rb_remote_anybody_waits(&remote->buffer) &&
		       ring_buffer_record_is_set_on(&remote->buffer);
	if (watch->armed)
		hrtimer_start(&watch->timer, ns_to_ktime(pause), HRTIMER_MODE_REL);
}

static enum hrtimer_restart rb_remote_watch_timer(struct hrtimer *timer)
{
	struct rb_remote_watch *watch = container_of(timer, struct rb_remote_watch, timer);

	queue_work(system_unbound_wq, &watch->work);
	return HRTIMER_NORESTART;
}

static void rb_remote_watch_arm(struct trace_buffer *buffer)
{
	struct rb_remote_watch *watch = &buffer->remote->watch;

	lockdep_assert_held(&watch->lock);
	if (watch->armed || !ring_buffer_record_is_set_on(buffer))
		return;

	watch->armed = true;
	watch->busy = ktime_get();
	hrtimer_start(&watch->timer, ns_to_ktime(RB_REMOTE_WATCH_NS), HRTIMER_MODE_REL);
}

/* A waiter for events of @cpu, or of all CPUs, has queued itself */
void rb_remote_watch(struct trace_buffer *buffer, int cpu)
{
	struct rb_remote_watch *watch = &buffer->remote->watch;

	guard(spinlock)(&watch->lock);
	if (cpu == RING_BUFFER_ALL_CPUS)
		WRITE_ONCE(watch->all, true);
	else
		cpumask_set_cpu(cpu, &watch->cpus);
	rb_remote_watch_arm(buffer);
}

static void rb_remote_init_watch(struct rb_remote_watch *watch)
{
	spin_lock_init(&watch->lock);
	INIT_WORK(&watch->work, rb_remote_watch_work);
	hrtimer_init(&watch->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	watch->timer.function = rb_remote_watch_timer;
}

void ring_buffer_remote_record_on(struct trace_buffer *buffer)
{
	ring_buffer_record_on(buffer);
	guard(spinlock)(&buffer->remote->watch.lock);
	if (rb_remote_anybody_waits(buffer))
		rb_remote_watch_arm(buffer);
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_record_on);

/* Sub-buffer 0 is the reader's, those in the ring follow */
static void rb_remote_link_pages(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;
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

/* Each run that rb_remote_alloc_pages() has got */
static void rb_remote_free_pages(struct ring_buffer_per_cpu *cpu_buffer)
{
	const struct rb_remote_page *pages = cpu_buffer->remote->pages;
	unsigned int id = 0, order;

	while (pages && id <= cpu_buffer->nr_pages && pages[id].bpage.page) {
		struct page *page = virt_to_page(pages[id].bpage.page);

		order = compound_order(page);
		__free_pages(page, order);
		id += 1U << order;
	}
}

static void rb_remote_free_cpu(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;

	irq_work_sync(&cpu_buffer->irq_work.work);
	rb_remote_free_pages(cpu_buffer);
	kvfree(remote->slots);
	kvfree(remote->pages);
	free_page((unsigned long)remote->meta);
	rb_remote_close_pool(remote->pool);
	kfree(remote);
	kfree(cpu_buffer);
}

/*
 * Allocate up to @nr pages that follow each other, as one. That takes less time, also to
 * give them to the writer, but nobody has to free or to move memory for it.
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

static bool rb_remote_alloc_pages(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_page *to = cpu_buffer->remote->pages;
	unsigned int i, id = 0, nr = cpu_buffer->nr_pages + 1;
	struct page *page;

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
	struct rb_remote_cpu *remote = cpu_buffer->remote;
	bool done;

	set_current_oom_origin();
	remote->meta = (void *)get_zeroed_page(RING_BUFFER_REMOTE_GFP);
	remote->pool = rb_remote_alloc_pool();
	remote->pages = rb_remote_alloc_table(cpu_buffer->nr_pages + 1, sizeof(*remote->pages));
	remote->slots = rb_remote_alloc_table(cpu_buffer->nr_pages, sizeof(*remote->slots));
	done = remote->meta && remote->pool && remote->pages && remote->slots &&
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

	cpu_buffer->remote = kzalloc(sizeof(*cpu_buffer->remote), GFP_KERNEL);
	if (!cpu_buffer->remote) {
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
	/* The sub-buffers belong to the writer: never exchange or resize them */
	cpu_buffer->mapped = 1;
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

	cpu_buffer->meta_page = cpu_buffer->remote->meta;
	rb_remote_link_pages(cpu_buffer);
	return cpu_buffer;
}

static struct trace_buffer *rb_remote_alloc_buffer(const struct ring_buffer_remote *writer)
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
	buffer->remote = remote;
	buffer->flags = RB_FL_OVERWRITE;
	buffer->clock = trace_clock_local;
	buffer->max_data_size = RB_PAGE_DATA_SIZE - sizeof(u32) * 2;
	init_irq_work(&buffer->irq_work.work, rb_wake_up_waiters);
	init_waitqueue_head(&buffer->irq_work.waiters);
	mutex_init(&buffer->mutex);
	return buffer;
}

struct trace_buffer *ring_buffer_alloc_remote(unsigned long size,
					      const struct ring_buffer_remote *writer)
{
	struct trace_buffer *buffer = rb_remote_alloc_buffer(writer);
	long nr_pages;
	int cpu;

	if (!buffer)
		return NULL;

	nr_pages = max(DIV_ROUND_UP(size, RB_PAGE_DATA_SIZE), 2);
	/* The same is checked for each CPU, when the others have taken their pages already */
	if (si_mem_available() / num_present_cpus() < nr_pages)
		goto free_buffer;
	for_each_present_cpu(cpu) {
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
EXPORT_SYMBOL_GPL(ring_buffer_alloc_remote);

void rb_remote_free(struct trace_buffer *buffer)
{
	struct rb_remote_buffer *remote = buffer->remote;
	int cpu;

	/* Nobody waits, and this work does not start the timer again */
	disable_work_sync(&remote->watch.work);
	hrtimer_cancel(&remote->watch.timer);
	irq_work_sync(&buffer->irq_work.work);

	for_each_cpu(cpu, buffer->cpumask)
		rb_remote_free_cpu(buffer->buffers[cpu]);
	kfree(buffer->buffers);
	free_cpumask_var(buffer->cpumask);
	kfree(remote);
}

const struct cpumask *ring_buffer_remote_cpus(struct trace_buffer *buffer)
{
	return buffer->cpumask;
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_cpus);

unsigned int ring_buffer_remote_nr_subbufs(struct trace_buffer *buffer, int cpu)
{
	return buffer->buffers[cpu]->nr_pages + 1;
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_nr_subbufs);

void *ring_buffer_remote_subbuf(struct trace_buffer *buffer, int cpu, unsigned int id)
{
	return buffer->buffers[cpu]->remote->pages[id].bpage.page;
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_subbuf);

struct trace_buffer_meta *ring_buffer_remote_meta(struct trace_buffer *buffer, int cpu)
{
	return buffer->buffers[cpu]->remote->meta;
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_meta);

/*
 * For callers that can neither take reader_lock nor wait: the writer's position, from
 * the meta page alone
 */
void ring_buffer_remote_range(struct trace_buffer *buffer, int cpu, u64 *head, u64 *tail)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];

	rb_meta_range(cpu_buffer->remote->meta, cpu_buffer->nr_pages, head, tail);
}

static struct buffer_page *rb_remote_reader(struct ring_buffer_per_cpu *cpu_buffer)
{
	u32 id = READ_ONCE(cpu_buffer->remote->meta->reader.id);

	return id <= cpu_buffer->nr_pages ? &cpu_buffer->remote->pages[id].bpage :
					    READ_ONCE(cpu_buffer->reader_page);
}

const struct rb_page *ring_buffer_remote_look_reader(struct trace_buffer *buffer, int cpu,
						     u32 *from)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];
	struct buffer_page *reader = rb_remote_reader(cpu_buffer);

	/* If they differ, a CPU has stopped in the middle of rb_remote_swapped() */
	*from = reader == READ_ONCE(cpu_buffer->reader_page) ? READ_ONCE(reader->read) : 0;
	return rb_remote_data(reader);
}

const struct rb_page *ring_buffer_remote_look(struct trace_buffer *buffer, int cpu, u64 number,
					      u32 *from)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];
	struct buffer_page *bpage;

	bpage = &READ_ONCE(cpu_buffer->remote->slots[number % cpu_buffer->nr_pages])->bpage;
	/* If so, a CPU has stopped there, too: the slot now has the reader's old sub-buffer */
	if (bpage == rb_remote_reader(cpu_buffer))
		bpage = READ_ONCE(cpu_buffer->reader_page);
	*from = 0;
	return rb_remote_data(bpage);
}

static void rb_remote_forget(struct ring_buffer_per_cpu *cpu_buffer)
{
	cpu_buffer->reader_page->read = 0;
	local_set(&cpu_buffer->reader_page->entries, 0);
	cpu_buffer->read = 0;
	cpu_buffer->read_bytes = 0;
	cpu_buffer->lost_events = 0;
	cpu_buffer->shortest_full = 0;
	cpu_buffer->last_pages_touch = 0;
	cpu_buffer->pages_removed++;	/* iterators start over */
	rb_remote_update_meta(cpu_buffer);
}

struct rb_remote_reset {
	struct ring_buffer_per_cpu	*cpu_buffer;
	int				ret;
};

static void rb_remote_reset_local(void *data)
{
	struct rb_remote_reset *reset = data;
	struct ring_buffer_per_cpu *cpu_buffer = reset->cpu_buffer;
	const struct ring_buffer_remote *writer = cpu_buffer->buffer->remote->writer;

	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	reset->ret = writer->ops->reset(cpu_buffer->cpu, writer->priv);
	if (!reset->ret)
		rb_remote_forget(cpu_buffer);
}

int ring_buffer_remote_reset_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_remote_reset reset = { .cpu_buffer = buffer->buffers[cpu] };

	guard(cpus_read_lock)();
	/* While its own CPU is here, or offline, the writer does not write */
	if (smp_call_function_single(cpu, rb_remote_reset_local, &reset, 1))
		rb_remote_reset_local(&reset);
	return reset.ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_reset_cpu);
