/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of all buffers as they are written, in order of time.
 *
 * From time to time, a round reads the buffers. Events that are older than the start of
 * the previous round have been written on all CPUs by then, so they can be merged and
 * given out. An event is thus one to two rounds late.
 */
#ifndef HYPTRACE_TAIL_H
#define HYPTRACE_TAIL_H

#include "lib/types.h"
#include "record/recording.h"
#include "record/streams.h"
#include "trace/merge.h"

struct tail;

/** tail_open - map the buffers of @r, which must outlive it. Return: NULL with a message. */
struct tail *tail_open(const struct recording *r);

/**
 * tail_round - read the buffers
 *
 * Events that were given out before become invalid.
 *
 * Return: 0, or -1 with a message.
 */
int tail_round(struct tail *t);

/** tail_last_round - the same when both sides are off; everything can be given out */
int tail_last_round(struct tail *t);

/** tail_next - take the next one; @out->buffer is its enum side */
bool tail_next(struct tail *t, struct merged *out);

/** tail_time - the time up to which all events were given out, if there is no next one */
u64 tail_time(const struct tail *t);

/** tail_streams - the streams that it follows */
const struct streams *tail_streams(const struct tail *t);

/** tail_close - unmap all; @t may be NULL */
void tail_close(struct tail *t);

#endif
