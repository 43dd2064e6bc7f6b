/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follows one per-CPU ring buffer through its mapping and copies each
 * sub-buffer into a file. How, and why nothing is lost or doubled: follow.c.
 */
#ifndef HYPTRACE_FOLLOW_H
#define HYPTRACE_FOLLOW_H

#include "types.h"

struct follower;

/**
 * struct follow_counts - the kernel's counters for the time of a recording
 * @written:	events that entered the buffer, or were in it at the start
 * @overrun:	of these, overwritten before they could be read
 * @read:	of these, handed to a reader
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

/**
 * follower_set_output - where the sub-buffers go
 * @f:		the follower
 * @fd:		an empty file, opened for reading and writing; stays the caller's
 */
void follower_set_output(struct follower *f, int fd);

/** follower_poll_fd - a file descriptor that polls readable */
int follower_poll_fd(const struct follower *f);

/** follower_subbuf_size - bytes in a sub-buffer */
u32 follower_subbuf_size(const struct follower *f);

/**
 * follower_drain - copy what can be read now
 * @f:		the follower
 * @all:	go on until nothing is left; only for a buffer that is not
 *		written to any more. Otherwise a sub-buffer that is still being
 *		filled is copied at most once.
 *
 * Return: in @percent, how much of the buffer was waiting, 0 only for nothing; 0,
 * or -1, see follower_error().
 */
int follower_drain(struct follower *f, bool all, unsigned int *percent);

/** follower_error - why follower_drain() failed, one line */
const char *follower_error(const struct follower *f);

/**
 * follower_bytes - bytes of the file so far
 *
 * Context: any thread.
 */
u64 follower_bytes(const struct follower *f);

/**
 * follower_live - the buffer's counters as of the last drain
 *
 * Context: any thread; the numbers may be of different moments.
 */
void follower_live(const struct follower *f, struct follow_counts *c);

void follower_close(struct follower *f);

#endif
