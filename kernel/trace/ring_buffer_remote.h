/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_RING_BUFFER_REMOTE_H
#define _TRACE_RING_BUFFER_REMOTE_H
/*
 * What ring_buffer.c calls for a buffer with a remote writer. ring_buffer.c includes this
 * header after it has defined its structures. Without CONFIG_TRACE_REMOTE there is no
 * such buffer, and the compiler removes all that is done for one.
 */
/* Of ring_buffer.c, which calls it before its definition as well */
static void rb_update_meta_page(struct ring_buffer_per_cpu *cpu_buffer);

#ifdef CONFIG_TRACE_REMOTE

static inline bool rb_is_remote(const struct ring_buffer_per_cpu *cpu_buffer)
{
	return cpu_buffer->remote;
}

static inline bool rb_buffer_is_remote(const struct trace_buffer *buffer)
{
	return buffer->remote;
}

static void rb_remote_sync(struct ring_buffer_per_cpu *cpu_buffer);
static void rb_remote_sync_counters(struct ring_buffer_per_cpu *cpu_buffer);
static unsigned long rb_remote_entries(struct ring_buffer_per_cpu *cpu_buffer);
static unsigned long rb_remote_bytes(struct ring_buffer_per_cpu *cpu_buffer);
static void rb_remote_watch(struct trace_buffer *buffer, int cpu);
static void rb_remote_free_watch(struct trace_buffer *buffer);
static struct buffer_page *rb_remote_get_reader_page(struct ring_buffer_per_cpu *cpu_buffer);
static int rb_remote_error(struct ring_buffer_per_cpu *cpu_buffer);
static bool rb_remote_is_whole(struct ring_buffer_per_cpu *cpu_buffer);
static void rb_remote_consume_whole(struct ring_buffer_per_cpu *cpu_buffer);
static void rb_remote_setup_ids(struct ring_buffer_per_cpu *cpu_buffer, unsigned long *subbuf_ids);
static void rb_remote_free_cpu(struct ring_buffer_per_cpu *cpu_buffer);

#else /* !CONFIG_TRACE_REMOTE */

static inline bool rb_is_remote(const struct ring_buffer_per_cpu *cpu_buffer)
{
	return false;
}

static inline bool rb_buffer_is_remote(const struct trace_buffer *buffer)
{
	return false;
}

static inline void rb_remote_sync(struct ring_buffer_per_cpu *cpu_buffer) { }
static inline void rb_remote_sync_counters(struct ring_buffer_per_cpu *cpu_buffer) { }

static inline unsigned long rb_remote_entries(struct ring_buffer_per_cpu *cpu_buffer)
{
	return 0;
}

static inline unsigned long rb_remote_bytes(struct ring_buffer_per_cpu *cpu_buffer)
{
	return 0;
}

static inline void rb_remote_watch(struct trace_buffer *buffer, int cpu) { }
static inline void rb_remote_free_watch(struct trace_buffer *buffer) { }

static inline struct buffer_page *
rb_remote_get_reader_page(struct ring_buffer_per_cpu *cpu_buffer)
{
	return NULL;
}

static inline int rb_remote_error(struct ring_buffer_per_cpu *cpu_buffer)
{
	return 0;
}

static inline bool rb_remote_is_whole(struct ring_buffer_per_cpu *cpu_buffer)
{
	return false;
}

static inline void rb_remote_consume_whole(struct ring_buffer_per_cpu *cpu_buffer) { }

static inline void
rb_remote_setup_ids(struct ring_buffer_per_cpu *cpu_buffer, unsigned long *subbuf_ids) { }

static inline void rb_remote_free_cpu(struct ring_buffer_per_cpu *cpu_buffer) { }

#endif /* CONFIG_TRACE_REMOTE */

#endif /* _TRACE_RING_BUFFER_REMOTE_H */
