// SPDX-License-Identifier: GPL-2.0
/*
 * Ring buffers with a remote writer (linux/ring_buffer_remote.h). ring_buffer.c
 * includes this file, which works on its private structures.
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

#include <linux/ring_buffer_remote.h>
#include <linux/ring_buffer_writer.h>

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

/* An attempt fails if the writer is faster, or writes more to the reader's page */
#define RB_REMOTE_SWAP_TRIES	4

/**
 * struct rb_remote_cpu - what a buffer with a remote writer has in addition
 * @meta:	the writer's meta page
 * @pages:	the buffer pages by id
 * @slots:	the buffer pages in the ring by slot
 * @error:	why the last reader got nothing, 0 if there is nothing; under reader_lock
 */
struct rb_remote_cpu {
	struct trace_buffer_meta	*meta;
	struct buffer_page		**pages;
	struct buffer_page		**slots;
	int				error;
};

/* Update the kernel's view of the writer from the meta page; under reader_lock */
static void rb_remote_sync(struct ring_buffer_per_cpu *cpu_buffer)
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

	cpu_buffer->head_page = remote->slots[head % cpu_buffer->nr_pages];
	cpu_buffer->commit_page = head > tail ? cpu_buffer->reader_page :
				  remote->slots[tail % cpu_buffer->nr_pages];
	cpu_buffer->tail_page = cpu_buffer->commit_page;
}

/* The same, for callers that need only the counters */
static void rb_remote_sync_counters(struct ring_buffer_per_cpu *cpu_buffer)
{
	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	rb_remote_sync(cpu_buffer);
}

/* Events that are left to read. ->read is of the same moment, so it is never negative */
static unsigned long rb_remote_entries(struct ring_buffer_per_cpu *cpu_buffer)
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
static unsigned long rb_remote_bytes(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct trace_buffer_meta *meta = cpu_buffer->remote->meta;

	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	rb_remote_sync(cpu_buffer);
	return READ_ONCE(meta->closed_bytes) + rb_page_size(cpu_buffer->commit_page) -
	       cpu_buffer->read_bytes;
}

/*
 * The writer gave the reader another sub-buffer; the old one takes its place in the ring.
 * 0, or -EIO if it named none that is in the ring.
 */
static int rb_remote_swapped(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;
	struct buffer_page *old = cpu_buffer->reader_page, *new;
	u32 id = READ_ONCE(remote->meta->reader.id);

	if (id > cpu_buffer->nr_pages || remote->pages[id] == old)
		return -EIO;

	new = remote->pages[id];
	list_replace_init(&new->list, &old->list);
	if (cpu_buffer->pages == &new->list)
		cpu_buffer->pages = &old->list;
	old->slot = new->slot;
	old->read = 0;
	remote->slots[old->slot] = old;

	new->read = 0;
	local_set(&new->entries, READ_ONCE(remote->meta->reader_entries));
	cpu_buffer->reader_page = new;
	cpu_buffer->lost_events = READ_ONCE(remote->meta->reader.lost_events);
	cpu_buffer->cnt++;
	rb_update_meta_page(cpu_buffer);
	return 0;
}

/* Ask the writer for another sub-buffer. 0 or an errno; 0 may also be a failed attempt */
static int rb_remote_swap(struct ring_buffer_per_cpu *cpu_buffer)
{
	const struct ring_buffer_remote *remote = cpu_buffer->buffer->remote;
	int ret = remote->ops->swap_reader(cpu_buffer->cpu, cpu_buffer->reader_page->read,
					   remote->priv);

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
		cpu_buffer->read_stamp = reader->page->time_stamp;
	return reader;
}

/* NULL if there is nothing to read, or if the writer fails; see rb_remote_error() */
static struct buffer_page *rb_remote_get_reader_page(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;
	int tries = 0;

	remote->error = 0;
	while (cpu_buffer->reader_page->read >= rb_page_size(cpu_buffer->reader_page)) {
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
static int rb_remote_error(struct ring_buffer_per_cpu *cpu_buffer)
{
	int error;

	lockdep_assert_held(&cpu_buffer->reader_lock);
	if (!rb_is_remote(cpu_buffer))
		return 0;
	error = cpu_buffer->remote->error;
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

	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	return rb_remote_error(cpu_buffer);
}

/*
 * Nothing of the reader's sub-buffer has been read, and the writer has left it and
 * published the number of its events. So it can be consumed without a walk over them.
 */
static bool rb_remote_is_whole(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct buffer_page *reader = cpu_buffer->reader_page;

	return rb_is_remote(cpu_buffer) && !reader->read && local_read(&reader->entries);
}

/* Consume all of a sub-buffer that rb_remote_is_whole() */
static void rb_remote_consume_whole(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct buffer_page *reader = cpu_buffer->reader_page;

	cpu_buffer->read += local_read(&reader->entries);
	cpu_buffer->read_bytes += rb_page_size(reader);
	reader->read = rb_page_size(reader);
	rb_update_meta_page(cpu_buffer);
}

static void rb_remote_setup_ids(struct ring_buffer_per_cpu *cpu_buffer,
				unsigned long *subbuf_ids)
{
	unsigned int id;

	for (id = 0; id <= cpu_buffer->nr_pages; id++)
		subbuf_ids[id] = (unsigned long)cpu_buffer->remote->pages[id]->page;

	cpu_buffer->subbuf_ids = subbuf_ids;
	rb_update_meta_page(cpu_buffer);
}

/**
 * struct rb_remote_watch - looks for new events, of which a remote cannot notify the kernel
 * @buffer:	the buffer
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
	struct trace_buffer	*buffer;
	struct hrtimer		timer;
	struct work_struct	work;
	spinlock_t		lock;	/* of what follows */
	bool			armed;
	bool			all;
	struct cpumask		cpus;
	ktime_t			busy;
};

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

	for_each_buffer_cpu(buffer, cpu) {
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

/* Is the buffer as full as some waiter wants it to be? As in full_hit(), but unlocked */
static bool rb_remote_may_be_full(struct ring_buffer_per_cpu *cpu_buffer)
{
	u64 head, tail;

	ring_buffer_remote_range(cpu_buffer->buffer, cpu_buffer->cpu, &head, &tail);
	return (tail + 1 - head) * 100 >=
	       READ_ONCE(cpu_buffer->shortest_full) * cpu_buffer->nr_pages;
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
	struct trace_buffer *buffer = cpu_buffer->buffer;
	bool hit, moved;

	hit = work->waiters_pending && rb_remote_has_events(buffer, cpu_buffer->cpu);
	moved = work->full_waiters_pending && rb_remote_has_moved(cpu_buffer);
	if (moved && rb_remote_may_be_full(cpu_buffer) &&
	    rb_watermark_hit(buffer, cpu_buffer->cpu, READ_ONCE(cpu_buffer->shortest_full))) {
		work->wakeup_full = true;
		hit = true;
	}
	if (hit)
		rb_remote_wake(work);
	return hit || moved;
}

static bool rb_remote_look(struct rb_remote_watch *watch)
{
	struct trace_buffer *buffer = watch->buffer;
	bool happened = false;
	int cpu;

	if (READ_ONCE(watch->all))
		happened = rb_remote_look_at_all(buffer);
	for_each_cpu(cpu, &watch->cpus)
		happened |= rb_remote_look_at(buffer->buffers[cpu]);
	return happened;
}

/* Forget for whom nobody waits any more; a waiter is queued before it takes the lock */
static bool rb_remote_anybody_waits(struct rb_remote_watch *watch)
{
	struct trace_buffer *buffer = watch->buffer;
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
	struct rb_remote_watch *watch = container_of(work, struct rb_remote_watch, work);
	bool happened = rb_remote_look(watch);
	ktime_t now = ktime_get();
	s64 pause;

	guard(spinlock)(&watch->lock);
	if (happened)
		watch->busy = now;
	pause = clamp(ktime_to_ns(now - watch->busy) / RB_REMOTE_WATCH_PART,
		      RB_REMOTE_WATCH_NS, RB_REMOTE_WATCH_IDLE_NS);
	watch->armed = rb_remote_anybody_waits(watch) &&
		       ring_buffer_record_is_set_on(watch->buffer);
	if (watch->armed)
		hrtimer_start(&watch->timer, ns_to_ktime(pause), HRTIMER_MODE_REL);
}

static enum hrtimer_restart rb_remote_watch_timer(struct hrtimer *timer)
{
	struct rb_remote_watch *watch = container_of(timer, struct rb_remote_watch, timer);

	queue_work(system_unbound_wq, &watch->work);
	return HRTIMER_NORESTART;
}

static void rb_remote_watch_arm(struct rb_remote_watch *watch)
{
	lockdep_assert_held(&watch->lock);
	if (watch->armed || !ring_buffer_record_is_set_on(watch->buffer))
		return;

	watch->armed = true;
	watch->busy = ktime_get();
	hrtimer_start(&watch->timer, ns_to_ktime(RB_REMOTE_WATCH_NS), HRTIMER_MODE_REL);
}

/* A waiter for events of @cpu, or of all CPUs, has queued itself */
static void rb_remote_watch(struct trace_buffer *buffer, int cpu)
{
	struct rb_remote_watch *watch = buffer->watch;

	if (!watch)
		return;

	guard(spinlock)(&watch->lock);
	if (cpu == RING_BUFFER_ALL_CPUS)
		WRITE_ONCE(watch->all, true);
	else
		cpumask_set_cpu(cpu, &watch->cpus);
	rb_remote_watch_arm(watch);
}

static struct rb_remote_watch *rb_remote_alloc_watch(struct trace_buffer *buffer)
{
	struct rb_remote_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL);

	if (!watch)
		return NULL;

	watch->buffer = buffer;
	spin_lock_init(&watch->lock);
	INIT_WORK(&watch->work, rb_remote_watch_work);
	hrtimer_init(&watch->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	watch->timer.function = rb_remote_watch_timer;
	return watch;
}

static void rb_remote_free_watch(struct trace_buffer *buffer)
{
	/* Nobody waits, and this work does not start the timer again */
	disable_work_sync(&buffer->watch->work);
	hrtimer_cancel(&buffer->watch->timer);
	kfree(buffer->watch);
}

void ring_buffer_remote_record_on(struct trace_buffer *buffer)
{
	struct rb_remote_watch *watch = buffer->watch;

	ring_buffer_record_on(buffer);
	guard(spinlock)(&watch->lock);
	if (rb_remote_anybody_waits(watch))
		rb_remote_watch_arm(watch);
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_record_on);

/* The reader's sub-buffer gets id 0, those in the ring follow */
static void rb_remote_number_pages(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;
	struct list_head *list = cpu_buffer->pages;
	unsigned int slot;

	remote->pages[0] = cpu_buffer->reader_page;
	for (slot = 0; slot < cpu_buffer->nr_pages; slot++) {
		struct buffer_page *bpage = list_entry(list, struct buffer_page, list);

		bpage->id = slot + 1;
		bpage->slot = slot;
		remote->pages[slot + 1] = bpage;
		remote->slots[slot] = bpage;
		list = rb_list_head(list->next);
	}
}

static void rb_remote_free_cpu(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;

	if (!remote)
		return;

	kvfree(remote->slots);
	kvfree(remote->pages);
	free_page((unsigned long)remote->meta);
	kfree(remote);
}

/* If this takes the last memory, it is the current task that has to go */
static bool rb_remote_alloc_tables(struct rb_remote_cpu *remote, long nr_pages)
{
	const gfp_t gfp = RING_BUFFER_REMOTE_GFP;

	set_current_oom_origin();
	remote->meta = (void *)get_zeroed_page(gfp);
	remote->pages = kvcalloc(nr_pages + 1, sizeof(*remote->pages), gfp);
	remote->slots = kvcalloc(nr_pages, sizeof(*remote->slots), gfp);
	clear_current_oom_origin();
	return remote->meta && remote->pages && remote->slots;
}

static struct ring_buffer_per_cpu *
rb_remote_alloc_cpu(struct trace_buffer *buffer, long nr_pages, int cpu)
{
	struct ring_buffer_per_cpu *cpu_buffer;
	struct rb_remote_cpu *remote;

	cpu_buffer = rb_allocate_cpu_buffer(buffer, nr_pages, cpu);
	if (!cpu_buffer)
		return NULL;

	remote = kzalloc(sizeof(*remote), GFP_KERNEL);
	if (!remote)
		goto free_cpu_buffer;
	rb_head_page_deactivate(cpu_buffer);
	cpu_buffer->remote = remote;

	if (!rb_remote_alloc_tables(remote, nr_pages))
		goto free_cpu_buffer;

	rb_remote_number_pages(cpu_buffer);
	cpu_buffer->meta_page = remote->meta;
	/* The sub-buffers belong to the writer: never exchange or resize them */
	cpu_buffer->mapped = 1;
	atomic_inc(&cpu_buffer->resize_disabled);
	return cpu_buffer;

free_cpu_buffer:
	rb_free_cpu_buffer(cpu_buffer);
	return NULL;
}

static struct trace_buffer *rb_remote_alloc_buffer(const struct ring_buffer_remote *remote)
{
	static struct lock_class_key reader_lock_key;
	struct trace_buffer *buffer;

	buffer = kzalloc(ALIGN(sizeof(*buffer), cache_line_size()), GFP_KERNEL);
	if (!buffer)
		return NULL;

	buffer->buffers = kcalloc(nr_cpu_ids, sizeof(*buffer->buffers), GFP_KERNEL);
	buffer->watch = rb_remote_alloc_watch(buffer);
	if (!buffer->buffers || !buffer->watch ||
	    !zalloc_cpumask_var(&buffer->cpumask, GFP_KERNEL)) {
		kfree(buffer->watch);
		kfree(buffer->buffers);
		kfree(buffer);
		return NULL;
	}

	buffer->remote = remote;
	buffer->flags = RB_FL_OVERWRITE;
	buffer->clock = trace_clock_local;
	buffer->reader_lock_key = &reader_lock_key;
	buffer->max_data_size = rb_subbuf_capacity(buffer) - (sizeof(u32) * 2);
	init_irq_work(&buffer->irq_work.work, rb_wake_up_waiters);
	init_waitqueue_head(&buffer->irq_work.waiters);
	mutex_init(&buffer->mutex);
	return buffer;
}

struct trace_buffer *ring_buffer_alloc_remote(unsigned long size,
					      const struct ring_buffer_remote *remote)
{
	struct trace_buffer *buffer = rb_remote_alloc_buffer(remote);
	long nr_pages;
	int cpu;

	if (!buffer)
		return NULL;

	nr_pages = max(DIV_ROUND_UP(size, rb_subbuf_capacity(buffer)), 2);
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
	return buffer->buffers[cpu]->remote->pages[id]->page;
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

	return id <= cpu_buffer->nr_pages ? cpu_buffer->remote->pages[id] :
					    READ_ONCE(cpu_buffer->reader_page);
}

const struct rb_page *ring_buffer_remote_look_reader(struct trace_buffer *buffer, int cpu,
						     u32 *from)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];
	struct buffer_page *reader = rb_remote_reader(cpu_buffer);

	/* If they differ, a CPU has stopped in the middle of rb_remote_swapped() */
	*from = reader == READ_ONCE(cpu_buffer->reader_page) ? READ_ONCE(reader->read) : 0;
	return (const struct rb_page *)reader->page;
}

const struct rb_page *ring_buffer_remote_look(struct trace_buffer *buffer, int cpu, u64 number,
					      u32 *from)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];
	struct buffer_page *bpage;

	bpage = READ_ONCE(cpu_buffer->remote->slots[number % cpu_buffer->nr_pages]);
	/* If so, a CPU has stopped there, too: the slot now has the reader's old sub-buffer */
	if (bpage == rb_remote_reader(cpu_buffer))
		bpage = READ_ONCE(cpu_buffer->reader_page);
	*from = 0;
	return (const struct rb_page *)bpage->page;
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
	rb_update_meta_page(cpu_buffer);
}

struct rb_remote_reset {
	struct ring_buffer_per_cpu	*cpu_buffer;
	int				ret;
};

static void rb_remote_reset_local(void *data)
{
	struct rb_remote_reset *reset = data;
	struct ring_buffer_per_cpu *cpu_buffer = reset->cpu_buffer;
	const struct ring_buffer_remote *remote = cpu_buffer->buffer->remote;

	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	reset->ret = remote->ops->reset(cpu_buffer->cpu, remote->priv);
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
