/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RING_BUFFER_REMOTE_H
#define _LINUX_RING_BUFFER_REMOTE_H
/*
 * A ring buffer whose writer is outside the kernel.
 *
 * The kernel allocates the sub-buffers and a meta page for each CPU and reads
 * them like any other ring buffer; it never stores to a sub-buffer. The writer
 * (see linux/ring_buffer_writer.h) publishes its position in the meta page, and
 * takes part in a consuming read only when the reader needs another sub-buffer.
 */
#include <linux/ring_buffer.h>
#include <linux/ring_buffer_page.h>
#include <uapi/linux/trace_mmap.h>

/**
 * struct ring_buffer_remote_ops - what the kernel asks of the writer
 * @swap_reader: make the oldest sub-buffer of @cpu the reader's. The reader has
 *	seen @seen bytes of its present one. Returns an enum rb_writer_swap or an
 *	errno, which the reader gets, except that -EBUSY is tried again a few times.
 *	Called under reader_lock, with interrupts off.
 * @reset: drop all events of @cpu and zero its counters; returns an errno. Called
 *	under reader_lock, with interrupts off, on @cpu if it is online.
 * @notify: call ring_buffer_remote_notified() once, soon after the next event of @cpu if
 *	@any, or after the next one that is the first of its sub-buffer if @subbuf. May be
 *	called again before that. Returns false, or is NULL, if the writer cannot do so; one
 *	that can may still miss an event that it writes at the very same time. Called under a
 *	spinlock, with interrupts on.
 */
struct ring_buffer_remote_ops {
	int (*swap_reader)(int cpu, u32 seen, void *priv);
	int (*reset)(int cpu, void *priv);
	bool (*notify)(int cpu, bool any, bool subbuf, void *priv);
};

/**
 * struct ring_buffer_remote_mem - memory that is there already, for a buffer
 * @cpus: the CPUs that have a buffer
 * @nr_subbufs: sub-buffers of a CPU, that of the reader included; RB_WRITER_MIN_SUBBUFS at least
 * @meta: the meta page of a CPU
 * @subbuf: a sub-buffer of a CPU. It and the meta page are pages of the linear map
 * @dropping: all events of a CPU are about to be dropped, on that CPU if it is online, with
 *	interrupts off; or that has failed, if @failed. NULL if it is of no interest
 */
struct ring_buffer_remote_mem {
	const struct cpumask *(*cpus)(void *priv);
	unsigned int (*nr_subbufs)(int cpu, void *priv);
	void *(*meta)(int cpu, void *priv);
	void *(*subbuf)(int cpu, unsigned int id, void *priv);
	void (*dropping)(int cpu, bool failed, void *priv);
};

/**
 * struct ring_buffer_remote_writer - a remote writer
 * @ops: its operations
 * @priv: passed to them
 * @mem: where the memory of its buffers is, or NULL: then it is allocated
 * @mem_priv: passed to the functions of @mem
 */
struct ring_buffer_remote_writer {
	const struct ring_buffer_remote_ops	*ops;
	void					*priv;
	const struct ring_buffer_remote_mem	*mem;
	void					*mem_priv;
};

/**
 * RING_BUFFER_REMOTE_GFP - flags to allocate memory whose size is that of a buffer
 *
 * If there is not enough memory, such an allocation fails. It makes the kernel kill no
 * process to get some.
 */
#define RING_BUFFER_REMOTE_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL)

/**
 * ring_buffer_remote_alloc - allocate a ring buffer for a remote writer
 * @size: bytes of data for each CPU, without the reader's sub-buffer; rounded up
 *	  to whole sub-buffers, at least two. Without effect if the writer has @mem
 * @writer: the writer; must stay valid until ring_buffer_free()
 *
 * Every CPU that is present has a buffer, offline or not, unless the writer's @mem has others.
 *
 * Context: process.
 * Return: the buffer, or NULL if there is not enough memory.
 */
struct trace_buffer *ring_buffer_remote_alloc(unsigned long size,
					      const struct ring_buffer_remote_writer *writer);

/**
 * ring_buffer_remote_cpus - the CPUs that have a buffer
 * @buffer: the buffer
 *
 * The other functions here take only these CPUs.
 */
const struct cpumask *ring_buffer_remote_cpus(struct trace_buffer *buffer);

/**
 * ring_buffer_remote_nr_subbufs - sub-buffers of a CPU, the reader's included
 * @buffer: the buffer
 * @cpu: CPU
 */
unsigned int ring_buffer_remote_nr_subbufs(struct trace_buffer *buffer, int cpu);

/**
 * ring_buffer_remote_subbuf - address of a sub-buffer, one page
 * @buffer: the buffer
 * @cpu: CPU
 * @id: below ring_buffer_remote_nr_subbufs(); 0 is the reader's first
 */
void *ring_buffer_remote_subbuf(struct trace_buffer *buffer, int cpu, unsigned int id);

/**
 * ring_buffer_remote_meta - the meta page of a CPU
 * @buffer: the buffer
 * @cpu: CPU
 */
struct trace_buffer_meta *ring_buffer_remote_meta(struct trace_buffer *buffer, int cpu);

/**
 * ring_buffer_remote_record_on - the writer writes events from now on
 * @buffer: the buffer
 *
 * To be called in place of ring_buffer_record_on(): it also makes the kernel look for
 * events on behalf of those who wait already. Between ring_buffer_record_off() and this
 * call it does not look, so those who wait must be woken when the writer is switched off.
 *
 * Context: process.
 */
void ring_buffer_remote_record_on(struct trace_buffer *buffer);

/**
 * ring_buffer_remote_notified - the writer has done what it was asked for by @notify
 * @buffer: the buffer, which must not be freed meanwhile
 *
 * Context: any but NMI, hard interrupts included.
 */
void ring_buffer_remote_notified(struct trace_buffer *buffer);

/**
 * ring_buffer_remote_reset_cpu - drop all events of a CPU
 * @buffer: the buffer
 * @cpu: CPU
 *
 * Context: process.
 * Return: 0 or the remote's errno.
 */
int ring_buffer_remote_reset_cpu(struct trace_buffer *buffer, int cpu);

/**
 * ring_buffer_remote_range - which sub-buffers of the ring can be read
 * @buffer: the buffer
 * @cpu: CPU
 * @head: set to the number of the oldest sub-buffer in the ring; the reader's is older
 * @tail: set to the number of the one being written, @head - 1 if the reader has it
 *
 * Both come from the writer. They are limited so that the range never has more
 * sub-buffers than the ring.
 *
 * Context: any, without a lock.
 */
void ring_buffer_remote_range(struct trace_buffer *buffer, int cpu, u64 *head, u64 *tail);

/**
 * ring_buffer_remote_look - a sub-buffer of the ring
 * @buffer: the buffer
 * @cpu: CPU
 * @number: a number from a recent ring_buffer_remote_range(); any value is safe
 * @from: set to the offset of the first event that was not consumed
 *
 * Context: any, without a lock; the writer may be writing it.
 */
const struct rb_page *ring_buffer_remote_look(struct trace_buffer *buffer, int cpu, u64 number,
					      u32 *from);

/* The same for the reader's sub-buffer */
const struct rb_page *ring_buffer_remote_look_reader(struct trace_buffer *buffer, int cpu,
						     u32 *from);

/**
 * ring_buffer_remote_error - why a reader got nothing
 * @buffer: a buffer, of a remote or not
 * @cpu: CPU
 *
 * For a reader that just got no event, or no sub-buffer, of @cpu. The next reader
 * overwrites the answer, so a reader asks with trace_access_lock() still held.
 *
 * Context: any.
 * Return: 0 if there is nothing to read; -EBUSY if the writer has something but gave it
 * in none of several attempts; -EIO if it gave an answer that makes no sense; or the errno
 * with which it refused.
 */
#ifdef CONFIG_TRACE_REMOTE
int ring_buffer_remote_error(struct trace_buffer *buffer, int cpu);
/* Is its writer remote? */
bool ring_buffer_is_remote(const struct trace_buffer *buffer);
#else
static inline int ring_buffer_remote_error(struct trace_buffer *buffer, int cpu)
{
	return 0;
}

static inline bool ring_buffer_is_remote(const struct trace_buffer *buffer)
{
	return false;
}
#endif

#endif /* _LINUX_RING_BUFFER_REMOTE_H */
