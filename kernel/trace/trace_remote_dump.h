/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_TRACE_REMOTE_DUMP_H
#define _KERNEL_TRACE_REMOTE_DUMP_H
/*
 * The last events of a buffer with a remote writer, for a kernel that is crashing.
 */
#include <linux/ring_buffer_remote.h>
#include <linux/types.h>

/**
 * typedef remote_dump_fn - handle an event
 * @cpu: its CPU
 * @ts: its timestamp
 * @rec: a copy of its record, followed by zeroes
 * @size: bytes of the record; 0 for the rest of a damaged sub-buffer
 * @data: as passed to remote_dump_events()
 */
typedef void (*remote_dump_fn)(int cpu, u64 ts, const void *rec, u32 size, void *data);

/**
 * remote_dump_events - go through the last events of a buffer, oldest first
 * @buffer: the buffer
 * @cpu: events of this CPU, or of all, merged by time, with RING_BUFFER_ALL_CPUS
 * @max: largest number of events, 0 for all
 * @fn: called for each
 * @data: passed to @fn
 *
 * It takes no lock, allocates nothing, consumes nothing and does not call the
 * writer, which may go on writing: what it overwrites meanwhile is left out.
 * Whatever the shared pages hold, it reads only within them, and it ends.
 *
 * Context: any, also after a panic; one call at a time.
 * Return: the number of calls of @fn.
 */
unsigned long remote_dump_events(struct trace_buffer *buffer, int cpu, unsigned long max,
				 remote_dump_fn fn, void *data);

#endif /* _KERNEL_TRACE_REMOTE_DUMP_H */
