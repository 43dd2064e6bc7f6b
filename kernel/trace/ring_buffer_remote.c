// SPDX-License-Identifier: GPL-2.0
/*
 * Ring buffers with a remote writer (linux/ring_buffer_remote.h). ring_buffer.c
 * includes this file, which works on its private structures.
 *
 * The meta page has the position of the writer. Sub-buffers are numbered in the
 * order in which they are started, number n is in slot n % nr_pages, and
 *
 *	pages_touched			is the number being written
 *	pages_lost + pages_read		is the oldest number still in the ring
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

/* How often a timer checks for waiters; they are woken within twice this time */
#define RB_REMOTE_WATCH_NS	(1 * NSEC_PER_MSEC)

/* An attempt fails if the writer got ahead, or wrote more to the reader's page */
#define RB_REMOTE_SWAP_TRIES	4

/**
 * struct rb_remote_cpu - what a buffer with a remote writer has in addition
 * @meta:	the writer's meta page
 * @pages:	the buffer pages by id
 * @slots:	the buffer pages in the ring by slot
 */
struct rb_remote_cpu {
	struct trace_buffer_meta	*meta;
	struct buffer_page		**pages;
	struct buffer_page		**slots;
};

/* Update the kernel's view of the writer from the meta page; under reader_lock */
static void rb_remote_sync(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;
	struct trace_buffer_meta *meta = remote->meta;
	unsigned long head, tail;

	lockdep_assert_held(&cpu_buffer->reader_lock);
	local_set(&cpu_buffer->pages_lost, READ_ONCE(meta->pages_lost));
	local_set(&cpu_buffer->pages_read, READ_ONCE(meta->pages_read));
	smp_rmb(); /* the tail must not be older than the head; pairs with B */
	/* Pairs with the release in start_subbuf(): the page is set up */
	local_set(&cpu_buffer->pages_touched, smp_load_acquire(&meta->pages_touched));
	local_set(&cpu_buffer->entries, READ_ONCE(meta->entries));
	local_set(&cpu_buffer->overrun, READ_ONCE(meta->overrun));
	local_set(&cpu_buffer->dropped_events, READ_ONCE(meta->dropped));

	tail = local_read(&cpu_buffer->pages_touched);
	head = local_read(&cpu_buffer->pages_lost) + local_read(&cpu_buffer->pages_read);

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

/* Bytes of data that are left to read */
static unsigned long rb_remote_bytes(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct buffer_page *reader, *bpage;
	unsigned long bytes, i;

	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	rb_remote_sync(cpu_buffer);
	reader = cpu_buffer->reader_page;
	bytes = rb_page_size(reader) - reader->read;
	if (cpu_buffer->commit_page == reader)
		return bytes;

	bpage = cpu_buffer->head_page;
	for (i = 0; i < cpu_buffer->nr_pages && bpage != cpu_buffer->commit_page; i++) {
		bytes += rb_page_size(bpage);
		rb_inc_page(&bpage);
	}
	return bytes + rb_page_size(cpu_buffer->commit_page);
}

/* The writer gave the reader another sub-buffer; the old one takes its place in the ring */
static void rb_remote_swapped(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote;
	struct buffer_page *old = cpu_buffer->reader_page, *new;

	new = remote->pages[READ_ONCE(remote->meta->reader.id)];
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
}

static struct buffer_page *rb_remote_get_reader_page(struct ring_buffer_per_cpu *cpu_buffer)
{
	const struct ring_buffer_remote *remote = cpu_buffer->buffer->remote;
	struct buffer_page *reader;
	int i, ret;

	for (i = 0; i < RB_REMOTE_SWAP_TRIES; i++) {
		reader = cpu_buffer->reader_page;
		if (reader->read < rb_page_size(reader))
			goto found;

		rb_remote_sync(cpu_buffer);
		if (cpu_buffer->commit_page == reader)
			return NULL;
		if (!local_read(&cpu_buffer->entries))
			return NULL;

		ret = remote->ops->swap_reader(cpu_buffer->cpu, reader->read, remote->priv);
		if (ret == RB_SWAP_NOTHING)
			return NULL;
		if (ret == RB_SWAP_DONE)
			rb_remote_swapped(cpu_buffer);
	}
	return NULL;

found:
	/* If the writer has left it meanwhile, it is complete and can be spliced */
	if (cpu_buffer->commit_page == reader)
		rb_remote_sync(cpu_buffer);
	/* Pairs with the writer's store-release of the commit */
	smp_rmb();
	if (!reader->read)
		cpu_buffer->read_stamp = reader->page->time_stamp;
	return reader;
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

/*
 * Is the buffer as full as some waiter wants it to be? As in rb_wakeups(), this is
 * checked only when the writer has moved to another page.
 */
static bool rb_remote_full_hit(struct trace_buffer *buffer, int cpu)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];
	long touched;

	rb_remote_sync_counters(cpu_buffer);
	touched = local_read(&cpu_buffer->pages_touched);
	if (cpu_buffer->last_pages_touch == touched)
		return false;

	cpu_buffer->last_pages_touch = touched;
	return rb_watermark_hit(buffer, cpu, cpu_buffer->shortest_full);
}

/* Wake the waiters whose condition is met; true if others still wait */
static bool rb_remote_wake(struct trace_buffer *buffer, struct rb_irq_work *work, int cpu)
{
	bool waiting = work->waiters_pending && wq_has_sleeper(&work->waiters);
	bool full_waiting = work->full_waiters_pending && wq_has_sleeper(&work->full_waiters);
	bool full_hit = full_waiting && rb_remote_full_hit(buffer, cpu);
	bool hit = false;

	if (waiting)
		hit = cpu == RING_BUFFER_ALL_CPUS ? !ring_buffer_empty(buffer) :
						   !ring_buffer_empty_cpu(buffer, cpu);
	if (hit || full_hit) {
		work->waiters_pending = false;
		if (full_hit) {
			work->full_waiters_pending = false;
			work->wakeup_full = true;
		}
		irq_work_queue(&work->work);
	}
	return (waiting && !hit) || (full_waiting && !full_hit);
}

/* Looks for new events, only while there are waiters: the remote cannot notify the kernel */
static enum hrtimer_restart rb_remote_timer(struct hrtimer *timer)
{
	struct trace_buffer *buffer = container_of(timer, struct trace_buffer, remote_timer);
	bool waiting;
	int cpu;

	smp_mb(); /* Pairs with rb_remote_watch() */
	waiting = rb_remote_wake(buffer, &buffer->irq_work, RING_BUFFER_ALL_CPUS);
	for_each_buffer_cpu(buffer, cpu)
		waiting |= rb_remote_wake(buffer, &buffer->buffers[cpu]->irq_work, cpu);
	/* Not HRTIMER_RESTART, as it may have been started again meanwhile */
	if (waiting)
		hrtimer_start(timer, RB_REMOTE_WATCH_NS, HRTIMER_MODE_REL);
	return HRTIMER_NORESTART;
}

/*
 * A waiter has registered itself. A timer that is queued will see it. A timer whose
 * function is running may have looked before, and has to be started again.
 */
static void rb_remote_watch(struct trace_buffer *buffer)
{
	if (!rb_buffer_is_remote(buffer))
		return;

	smp_mb(); /* Pairs with rb_remote_timer(): it sees the waiter, or we see that it runs */
	if (!hrtimer_is_queued(&buffer->remote_timer))
		hrtimer_start(&buffer->remote_timer, RB_REMOTE_WATCH_NS, HRTIMER_MODE_REL);
}

static void rb_remote_unwatch(struct trace_buffer *buffer)
{
	hrtimer_cancel(&buffer->remote_timer);
}

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

	remote->meta = (void *)get_zeroed_page(GFP_KERNEL);
	remote->pages = kvcalloc(nr_pages + 1, sizeof(*remote->pages), GFP_KERNEL);
	remote->slots = kvcalloc(nr_pages, sizeof(*remote->slots), GFP_KERNEL);
	if (!remote->meta || !remote->pages || !remote->slots)
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
	if (!buffer->buffers || !zalloc_cpumask_var(&buffer->cpumask, GFP_KERNEL)) {
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
	hrtimer_init(&buffer->remote_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	buffer->remote_timer.function = rb_remote_timer;
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
	for_each_possible_cpu(cpu) {
		buffer->buffers[cpu] = rb_remote_alloc_cpu(buffer, nr_pages, cpu);
		if (!buffer->buffers[cpu]) {
			ring_buffer_free(buffer);
			return NULL;
		}
		cpumask_set_cpu(cpu, buffer->cpumask);
	}
	return buffer;
}
EXPORT_SYMBOL_GPL(ring_buffer_alloc_remote);

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
 * the meta page alone. Whatever that holds, the result is within the ring.
 */
void ring_buffer_remote_range(struct trace_buffer *buffer, int cpu, u64 *head, u64 *tail)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];
	struct trace_buffer_meta *meta = cpu_buffer->remote->meta;

	*head = READ_ONCE(meta->pages_lost) + READ_ONCE(meta->pages_read);
	smp_rmb(); /* as in rb_remote_sync() */
	*tail = smp_load_acquire(&meta->pages_touched);
	if (*tail + 1 - *head > cpu_buffer->nr_pages)
		*head = *tail + 1 - cpu_buffer->nr_pages;
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

bool ring_buffer_remote_mapped(struct trace_buffer *buffer)
{
	int cpu;

	for_each_buffer_cpu(buffer, cpu) {
		if (READ_ONCE(buffer->buffers[cpu]->user_mapped))
			return true;
	}
	return false;
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_mapped);
