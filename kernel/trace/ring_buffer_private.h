/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_RING_BUFFER_PRIVATE_H
#define _TRACE_RING_BUFFER_PRIVATE_H
/*
 * What ring_buffer.c shares with ring_buffer_remote*.c alone: the structures of ring
 * buffers, and what is done differently for a buffer with a remote writer.
 */
#include <linux/completion.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/ring_buffer.h>
#include <linux/spinlock.h>
#include <linux/trace_remote_base.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/trace_mmap.h>

#include <asm/local.h>
#include <asm/local64.h>

struct buffer_data_page;
struct rb_remote_cpu;
struct rb_remote_buffer;
struct rb_remote_pool;
struct ring_buffer_cpu_meta;
struct ring_buffer_meta;

struct buffer_data_read_page {
	unsigned		order;	/* order of the page */
	struct buffer_data_page	*data;	/* actual data, stored in this page */
#ifdef CONFIG_TRACE_REMOTE
	struct rb_remote_pool	*pool;	/* where it returns to, if its buffer is remote */
#endif
};

/*
 * Note, the buffer_page list must be first. The buffer pages
 * are allocated in cache lines, which means that each buffer
 * page will be at the beginning of a cache line, and thus
 * the least significant bits will be zero. We use this to
 * add flags in the list struct pointers, to make the ring buffer
 * lockless.
 */
struct buffer_page {
	struct list_head list;		/* list of buffer pages */
	local_t		 write;		/* index for next write */
	unsigned	 read;		/* index for next read */
	local_t		 entries;	/* entries on this page */
	unsigned long	 real_end;	/* real end of data */
	unsigned	 order;		/* order of the page */
	u32		 id:30;		/* ID for external mapping */
	u32		 range:1;	/* Mapped via a range */
	struct buffer_data_page *page;	/* Actual data page */
};

struct rb_irq_work {
	struct irq_work			work;
	wait_queue_head_t		waiters;
	wait_queue_head_t		full_waiters;
	atomic_t			seq;
	bool				waiters_pending;
	bool				full_waiters_pending;
	bool				wakeup_full;
};

struct rb_time_struct {
	local64_t	time;
};
typedef struct rb_time_struct rb_time_t;

/* By what ring_buffer_map() finds a sub-buffer */
#ifdef TRACE_REMOTE_LINUX_7
typedef struct buffer_page *rb_subbuf_t;
#else
typedef unsigned long rb_subbuf_t;
#endif

#define MAX_NEST	5

/*
 * head_page == tail_page && head == tail then buffer is empty.
 */
struct ring_buffer_per_cpu {
	int				cpu;
	atomic_t			record_disabled;
	atomic_t			resize_disabled;
	struct trace_buffer	*buffer;
	raw_spinlock_t			reader_lock;	/* serialize readers */
	arch_spinlock_t			lock;
	struct lock_class_key		lock_key;
	struct buffer_data_read_page	free_page;
	unsigned long			nr_pages;
	unsigned int			current_context;
	struct list_head		*pages;
	/* pages generation counter, incremented when the list changes */
	unsigned long			cnt;
	struct buffer_page		*head_page;	/* read from head */
	struct buffer_page		*tail_page;	/* write to tail */
	struct buffer_page		*commit_page;	/* committed pages */
	struct buffer_page		*reader_page;
	unsigned long			lost_events;
	unsigned long			last_overrun;
	unsigned long			nest;
	local_t				entries_bytes;
	local_t				entries;
	local_t				overrun;
	local_t				commit_overrun;
	local_t				dropped_events;
	local_t				committing;
	local_t				commits;
	local_t				pages_touched;
	local_t				pages_lost;
	local_t				pages_read;
	long				last_pages_touch;
	size_t				shortest_full;
	unsigned long			read;
	unsigned long			read_bytes;
	rb_time_t			write_stamp;
	rb_time_t			before_stamp;
	u64				event_stamp[MAX_NEST];
	u64				read_stamp;
	/* pages removed since last reset */
	unsigned long			pages_removed;

#ifndef TRACE_REMOTE_LINUX_7
	unsigned int			mapped;
#endif
	unsigned int			user_mapped;	/* user space mapping */
	struct mutex			mapping_lock;
	rb_subbuf_t			*subbuf_ids;	/* ID to subbuf VA */
	struct trace_buffer_meta	*meta_page;
#ifdef TRACE_REMOTE_LINUX_7
	struct ring_buffer_cpu_meta	*ring_meta;
	struct ring_buffer_remote	*remote;	/* always NULL, as in struct trace_buffer */
#else
	struct ring_buffer_meta		*ring_meta;
#endif
#ifdef CONFIG_TRACE_REMOTE
	struct rb_remote_cpu		*remote_cpu;	/* NULL unless the writer is remote */
#endif

	/* ring buffer pages to update, > 0 to add, < 0 to remove */
	long				nr_pages_to_update;
	struct list_head		new_pages; /* new pages to add */
	struct work_struct		update_pages_work;
	struct completion		update_done;

	struct rb_irq_work		irq_work;
};

struct trace_buffer {
	unsigned			flags;
	atomic_t			record_disabled;
	atomic_t			resizing;
	cpumask_var_t			cpumask;

	struct lock_class_key		*reader_lock_key;

	struct mutex			mutex;

	struct ring_buffer_per_cpu	**buffers;

	struct hlist_node		node;
	u64				(*clock)(void);

	struct rb_irq_work		irq_work;
	bool				time_stamp_abs;

	unsigned long			range_addr_start;
	unsigned long			range_addr_end;
	struct notifier_block		flush_nb;

#ifdef TRACE_REMOTE_LINUX_7
	struct ring_buffer_meta		*meta;
	struct ring_buffer_remote	*remote;
#else
	long				last_text_delta;
	long				last_data_delta;
#endif

	unsigned int			subbuf_order;
#ifndef TRACE_REMOTE_LINUX_7
	unsigned int			max_data_size;
#endif

#ifdef CONFIG_TRACE_REMOTE
	struct rb_remote_buffer		*remote_buffer;	/* NULL unless the writers are remote */
#endif
};

void rb_wake_up_waiters(struct irq_work *work);

/*
 * Buffers with a remote writer. Without CONFIG_TRACE_REMOTE there are none, and the
 * compiler removes all calls of what follows.
 */

static inline bool rb_is_remote(const struct ring_buffer_per_cpu *cpu_buffer)
{
#ifdef CONFIG_TRACE_REMOTE
	return cpu_buffer->remote_cpu;
#else
	return false;
#endif
}

static inline bool rb_buffer_is_remote(const struct trace_buffer *buffer)
{
#ifdef CONFIG_TRACE_REMOTE
	return buffer->remote_buffer;
#else
	return false;
#endif
}

/* Is this page for the buffer of a remote? That buffer may be gone */
static inline bool rb_read_page_is_remote(const struct buffer_data_read_page *rpage)
{
#ifdef CONFIG_TRACE_REMOTE
	return rpage && rpage->pool;
#else
	return false;
#endif
}

/* The rest is for buffers of a remote only */
void rb_remote_sync(struct ring_buffer_per_cpu *cpu_buffer);
void rb_remote_sync_counters(struct ring_buffer_per_cpu *cpu_buffer);
unsigned long rb_remote_entries(struct ring_buffer_per_cpu *cpu_buffer);
bool rb_remote_is_empty(struct ring_buffer_per_cpu *cpu_buffer);
unsigned long rb_remote_bytes(struct ring_buffer_per_cpu *cpu_buffer);
struct buffer_page *rb_remote_get_reader_page(struct ring_buffer_per_cpu *cpu_buffer);
int rb_remote_error(struct ring_buffer_per_cpu *cpu_buffer);
int rb_remote_alloc_read_page(struct ring_buffer_per_cpu *cpu_buffer,
			      struct buffer_data_read_page **rpage);
void rb_remote_free_read_page(struct buffer_data_read_page *rpage);
void rb_remote_read_whole(struct ring_buffer_per_cpu *cpu_buffer,
			  struct buffer_data_read_page *rpage);
void rb_remote_consume_whole(struct ring_buffer_per_cpu *cpu_buffer);
void rb_remote_setup_ids(struct ring_buffer_per_cpu *cpu_buffer, rb_subbuf_t *subbuf_ids);
void rb_remote_watch(struct trace_buffer *buffer, int cpu);
void rb_remote_free(struct trace_buffer *buffer);

/* The sub-buffers belong to the writer: never exchange them. Linux 7 knows by rb_is_remote() */
static inline void rb_remote_keep_subbufs(struct ring_buffer_per_cpu *cpu_buffer)
{
#ifndef TRACE_REMOTE_LINUX_7
	cpu_buffer->mapped = 1;
#endif
}

static inline rb_subbuf_t rb_remote_subbuf(struct buffer_page *bpage)
{
#ifdef TRACE_REMOTE_LINUX_7
	return bpage;
#else
	return (unsigned long)bpage->page;
#endif
}

/* Store what the kernel itself writes to the meta page */
static inline void rb_remote_update_meta(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct trace_buffer_meta *meta = cpu_buffer->meta_page;

	meta->reader.read = cpu_buffer->reader_page->read;
	meta->read = cpu_buffer->read;
}

/*
 * Nothing of the reader's sub-buffer has been read, and the writer has left it and
 * published the number of its events. So it can be consumed without a walk over them.
 */
static inline bool rb_remote_is_whole(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct buffer_page *reader = cpu_buffer->reader_page;

	return !reader->read && local_read(&reader->entries);
}

#endif /* _TRACE_RING_BUFFER_PRIVATE_H */
