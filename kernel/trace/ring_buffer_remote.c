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

#include <linux/cpu.h>
#include <linux/export.h>
#include <linux/ring_buffer_writer.h>
#include <linux/smp.h>

#include "ring_buffer_remote_core.h"

/* Programs find these two where every kernel has them that has them at all */
static_assert(offsetof(struct trace_buffer_meta, pages_lost) == 64);
static_assert(offsetof(struct trace_buffer_meta, pages_touched) == 72);

/* An attempt fails if the writer is faster, or writes more to the reader's page */
#define RB_REMOTE_SWAP_TRIES	4

static struct rb_remote_page *rb_remote_page(struct buffer_page *bpage)
{
	return container_of(bpage, struct rb_remote_page, bpage);
}

/* Update the kernel's view of the writer from the meta page; under reader_lock */
void rb_remote_sync(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_remote_cpu *remote = cpu_buffer->remote_cpu;
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

#ifdef TRACE_REMOTE_LINUX_7
/* Under reader_lock. Linux 6.12 looks at the pages itself */
bool rb_remote_is_empty(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct buffer_page *reader = cpu_buffer->reader_page;

	rb_remote_sync(cpu_buffer);
	if (reader->read < rb_remote_size(reader))
		return false;
	if (cpu_buffer->commit_page == reader)
		return true;
	return cpu_buffer->commit_page == cpu_buffer->head_page &&
	       !rb_remote_size(cpu_buffer->commit_page);
}
#endif

/*
 * Bytes of data that are left to read. If the writer moves on meanwhile, a sub-buffer may
 * count twice, as in a buffer of a moment later; none is ever missing.
 */
unsigned long rb_remote_bytes(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct trace_buffer_meta *meta = cpu_buffer->remote_cpu->meta;

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
	struct rb_remote_cpu *remote = cpu_buffer->remote_cpu;
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
	const struct ring_buffer_remote_writer *writer = cpu_buffer->buffer->remote_buffer->writer;
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
	struct rb_remote_cpu *remote = cpu_buffer->remote_cpu;
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
	int error = cpu_buffer->remote_cpu->error;

	lockdep_assert_held(&cpu_buffer->reader_lock);
	cpu_buffer->remote_cpu->error = 0;
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

void rb_remote_setup_ids(struct ring_buffer_per_cpu *cpu_buffer, rb_subbuf_t *subbuf_ids)
{
	unsigned int id;

	for (id = 0; id <= cpu_buffer->nr_pages; id++)
		subbuf_ids[id] = rb_remote_subbuf(&cpu_buffer->remote_cpu->pages[id].bpage);

	cpu_buffer->subbuf_ids = subbuf_ids;
	rb_remote_update_meta(cpu_buffer);
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
	return buffer->buffers[cpu]->remote_cpu->pages[id].bpage.page;
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_subbuf);

struct trace_buffer_meta *ring_buffer_remote_meta(struct trace_buffer *buffer, int cpu)
{
	return buffer->buffers[cpu]->remote_cpu->meta;
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_meta);

/*
 * For callers that can neither take reader_lock nor wait: the writer's position, from
 * the meta page alone
 */
void ring_buffer_remote_range(struct trace_buffer *buffer, int cpu, u64 *head, u64 *tail)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];

	rb_meta_range(cpu_buffer->remote_cpu->meta, cpu_buffer->nr_pages, head, tail);
}

static struct buffer_page *rb_remote_reader(struct ring_buffer_per_cpu *cpu_buffer)
{
	u32 id = READ_ONCE(cpu_buffer->remote_cpu->meta->reader.id);

	return id <= cpu_buffer->nr_pages ? &cpu_buffer->remote_cpu->pages[id].bpage :
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

	bpage = &READ_ONCE(cpu_buffer->remote_cpu->slots[number % cpu_buffer->nr_pages])->bpage;
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
	const struct ring_buffer_remote_writer *writer = cpu_buffer->buffer->remote_buffer->writer;
	bool tell = writer->mem && writer->mem->dropping;

	guard(raw_spinlock_irqsave)(&cpu_buffer->reader_lock);
	if (tell)
		writer->mem->dropping(cpu_buffer->cpu, false, writer->mem_priv);
	reset->ret = writer->ops->reset(cpu_buffer->cpu, writer->priv);
	if (!reset->ret)
		rb_remote_forget(cpu_buffer);
	else if (tell)
		writer->mem->dropping(cpu_buffer->cpu, true, writer->mem_priv);
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
