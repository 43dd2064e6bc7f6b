/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follows one per-CPU ring buffer through its mapping and hands out each
 * sub-buffer. How this works, and why no event is lost or read twice: follow.c.
 */
#ifndef HYPTRACE_FOLLOW_H
#define HYPTRACE_FOLLOW_H

#include <sys/uio.h>

#include "lib/types.h"

struct follower;

/**
 * typedef follow_sink - takes a sub-buffer
 * @ctx:	from follower_set_sink()
 * @index:	its index, from 0; the last one may come again, with more in it
 * @iov:	its parts, in all a whole sub-buffer; may be changed
 * @nr:		how many
 *
 * Return: 0, or -1 with errno set.
 */
typedef int (*follow_sink)(void *ctx, u64 index, struct iovec *iov, int nr);

/**
 * struct follow_counts - the kernel's counters for the time of a recording
 * @written:	events that entered the buffer, or were in it at the start
 * @overrun:	of these, overwritten before they could be read
 * @read:	of these, passed to a reader
 */
struct follow_counts {
	u64 written;
	u64 overrun;
	u64 read;
};

/**
 * follower_open - map a buffer
 * @raw_path:	its trace_pipe_raw
 *
 * Return: the follower, or NULL with a message.
 */
struct follower *follower_open(const char *raw_path);

/** follower_set_sink - where the sub-buffers go */
void follower_set_sink(struct follower *f, follow_sink sink, void *ctx);

/** follower_poll_fd - a file descriptor that polls readable */
int follower_poll_fd(const struct follower *f);

/** follower_subbuf_size - bytes in a sub-buffer */
u32 follower_subbuf_size(const struct follower *f);

/**
 * follower_drain - hand out what can be read now
 * @f:		the follower
 * @all:	go on until nothing is left; only for a buffer that is not
 *		written to any more. Otherwise a sub-buffer that is still being
 *		filled is handed out at most once.
 *
 * Return: 0, or -1, see follower_error(). @percent is how much of the buffer was
 * waiting, 0 only if there was nothing.
 */
int follower_drain(struct follower *f, bool all, unsigned int *percent);

/** follower_error - the reason why follower_drain() failed, one line */
const char *follower_error(const struct follower *f);

/**
 * follower_bytes - bytes handed out so far
 *
 * Context: any thread.
 */
u64 follower_bytes(const struct follower *f);

/**
 * follower_final - of these bytes, those of sub-buffers that do not come again
 *
 * Context: any thread.
 */
u64 follower_final(const struct follower *f);

/**
 * follower_live - the buffer's counters as of the last drain
 *
 * Context: any thread; the numbers may be of different moments.
 */
void follower_live(const struct follower *f, struct follow_counts *c);

/**
 * follower_keep_from - leave out the first sub-buffers whose events are older than @ts
 *
 * Before the first drain. They count as overwritten; the first sub-buffer that is handed out says
 * how many there were.
 */
void follower_keep_from(struct follower *f, u64 ts);

/** follower_skipped - how many events were left out */
u64 follower_skipped(const struct follower *f);

/** follower_since - from when on there are all events; 0 if none was overwritten */
u64 follower_since(const struct follower *f);

void follower_close(struct follower *f);

#endif
