/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_RING_BUFFER_REMOTE_CORE_H
#define _KERNEL_RING_BUFFER_REMOTE_CORE_H
/*
 * What the files ring_buffer_remote*.c share.
 */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ring_buffer_remote.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "ring_buffer_private.h"

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
 * struct rb_remote_watch - looks for new events, when the writer notifies it and now and then
 * @timer:	queues @work
 * @work:	looks, and starts @timer again if a reader waits. It may run on any CPU,
 *		so the timer does not stay on the CPU that first started it
 * @notified:	the writer has notified the kernel since the last look
 * @lock:	protects what follows; without it, @work reads @all and @cpus
 * @armed:	@timer or @work will look again
 * @asked:	the writer will notify the kernel of all that is waited for
 * @all:	a reader may wait for events of any CPU
 * @cpus:	for events of which CPUs a reader may wait
 * @busy:	when something has last happened
 */
struct rb_remote_watch {
	struct hrtimer		timer;
	struct work_struct	work;
	bool			notified;
	spinlock_t		lock;	/* of what follows */
	bool			armed;
	bool			asked;
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
	const struct ring_buffer_remote_writer	*writer;
	struct rb_remote_watch		watch;
};

static inline const struct rb_page *rb_remote_data(const struct buffer_page *bpage)
{
	return (const struct rb_page *)bpage->page;
}

/* Bytes of data on a sub-buffer */
static inline u32 rb_remote_size(const struct buffer_page *bpage)
{
	return READ_ONCE(rb_remote_data(bpage)->commit) &
	       ~(RB_PAGE_MISSED | RB_PAGE_MISSED_STORED);
}

/* ring_buffer_remote_pages.c */
struct rb_remote_pool *rb_remote_alloc_pool(void);
void rb_remote_close_pool(struct rb_remote_pool *pool);

/* ring_buffer_remote_watch.c */
void rb_remote_init_watch(struct rb_remote_watch *watch);
void rb_remote_end_watch(struct rb_remote_watch *watch);

#endif /* _KERNEL_RING_BUFFER_REMOTE_CORE_H */
