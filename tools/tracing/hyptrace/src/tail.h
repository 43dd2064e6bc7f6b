/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of all buffers while they are written, by time.
 *
 * From time to time a round takes what is in the buffers. What the clock says at its
 * start holds for the next round: what is older has been written by then, whatever
 * CPU it is of, and can be given out in its order. So an event comes one to two
 * rounds late.
 */
#ifndef HYPTRACE_TAIL_H
#define HYPTRACE_TAIL_H

#include "merge.h"
#include "recording.h"
#include "streams.h"
#include "types.h"

struct tail;

/** tail_open - map the buffers of @r, which must outlive it. Return: NULL with a message. */
struct tail *tail_open(const struct recording *r);

/**
 * tail_round - take what is in the buffers
 *
 * Events that were given out before are gone.
 *
 * Return: 0, or -1 with a message.
 */
int tail_round(struct tail *t);

/** tail_last_round - the same when both sides are off; everything can be given out */
int tail_last_round(struct tail *t);

/** tail_next - take the next one; @out->buffer is its enum side */
bool tail_next(struct tail *t, struct merged *out);

/** tail_time - up to here all events have been given out when there is no next one */
u64 tail_time(const struct tail *t);

/** tail_streams - what it follows */
const struct streams *tail_streams(const struct tail *t);

/** tail_close - unmap all; @t may be NULL */
void tail_close(struct tail *t);

#endif
