/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One sub-buffer of a tracefs ring buffer, read in place.
 *
 * A sub-buffer comes from a file or a mapping and is not trusted: each length is
 * checked against the page before it is used.
 *
 *	| u64 timestamp | u64 commit | events ... [| u64 lost count] |
 *
 * Only the format of 64-bit little-endian kernels is supported.
 */
#ifndef HYPTRACE_RBPAGE_H
#define HYPTRACE_RBPAGE_H

#include "lib/types.h"

/* Bytes before the first event */
#define RBPAGE_HEADER		16u

/* In commit: events were lost right before this page ... */
#define RBPAGE_MISSED_EVENTS	BIT(31)
/* ... and their number is stored behind the events */
#define RBPAGE_MISSED_STORED	BIT(30)
#define RBPAGE_MISSED_MASK	(RBPAGE_MISSED_EVENTS | RBPAGE_MISSED_STORED)

/* A loss whose number is not known */
#define RBPAGE_LOST_UNKNOWN	UINT64_MAX

/**
 * struct rbpage - a position in a sub-buffer
 * @data:	the first event
 * @size:	bytes of events
 * @pos:	bytes that were read
 * @ts:		timestamp reached at @pos
 * @lost:	events lost before this page: 0, a number, RBPAGE_LOST_UNKNOWN
 */
struct rbpage {
	const u8 *data;
	u32 size;
	u32 pos;
	u64 ts;
	u64 lost;
};

/**
 * struct rbevent - one event, in place
 * @ts:		its timestamp, ns
 * @data:	the payload, common fields first
 * @size:	bytes of @data, a multiple of 4 (may exceed the event's own size)
 */
struct rbevent {
	u64 ts;
	const u8 *data;
	u32 size;
};

/**
 * rbpage_init - start to read a sub-buffer
 * @p:		the position to set up
 * @subbuf:	the sub-buffer
 * @subbuf_size: its size in bytes
 *
 * Return: 0, or -1 if its header claims more than the page can hold.
 */
int rbpage_init(struct rbpage *p, const void *subbuf, size_t subbuf_size);

/**
 * rbpage_grow - the sub-buffer holds more than when the position was set up
 * @p:		the position
 * @subbuf:	the sub-buffer, with the same events in front
 * @subbuf_size: its size in bytes
 *
 * If the header is not valid, nothing changes.
 */
void rbpage_grow(struct rbpage *p, const void *subbuf, size_t subbuf_size);

/**
 * rbpage_next - take the next event
 *
 * Return: 1 with @ev filled, 0 at the end, -1 if the page is corrupt there.
 */
int rbpage_next(struct rbpage *p, struct rbevent *ev);

/**
 * rbpage_skip_to - walk over the first @pos bytes of events
 *
 * Return: 0 with @p->ts the base for the rest, -1 if @pos is no event boundary.
 */
int rbpage_skip_to(struct rbpage *p, u32 pos);

#endif
