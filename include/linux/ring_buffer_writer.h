/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RING_BUFFER_WRITER_H
#define _LINUX_RING_BUFFER_WRITER_H
/*
 * A freestanding writer for one per-CPU ring buffer in tracefs's page format.
 *
 * The writer may live where the kernel's own ring buffer cannot run: at EL2, in
 * a module, in a user-space test. It allocates nothing and takes no lock. What
 * it shares with the reader is written here and never read back: the
 * sub-buffers and the meta page. What it relies on is private to it: struct
 * rb_writer and the table of sub-buffers.
 *
 * Who may call what
 *   writer   rb_writer_reserve() and rb_writer_commit(), on one CPU, not nested
 *   swapper  rb_writer_swap(), on any CPU, one at a time, beside the writer
 *   owner    everything else, while neither of the others runs
 *
 * The ring
 *   The N ring sub-buffers fill N slots. A page sequence number counts the
 *   sub-buffers that were ever started; number s lives in slot s % N. The writer
 *   is on number @tail, the oldest unread one is number @head. Sub-buffer
 *   N + 1 belongs to the reader.
 *
 *   Writer, when number tail is full:
 *	tail + 1 - head < N	=> tail + 1
 *	tail + 1 - head == N	=> head + 1 (the oldest is overwritten), tail + 1
 *   Swapper:
 *	head <= tail		=> head + 1; the reader's sub-buffer takes the
 *				   slot, the slot's sub-buffer is the reader's
 *	head == tail + 1	=> nothing: the reader has the one being written
 *
 *   Both move @head with a compare-and-exchange, so there is one winner and
 *   @head is never nowhere. The swapper's word also carries the id that it put
 *   into the slot, because it can store it into the table only after it won;
 *   a writer that needs this slot before that store is visible finds the id
 *   in the word and stores it as well (the same value, so the order of the two
 *   stores does not matter).
 *
 * Memory order
 *   A: the writer's commit is a store-release; pairs with the reader's
 *      load (rb_page_commit() and smp_rmb() there), so data precedes commit.
 *   B: @tail is stored with release after the closed sub-buffer's private
 *      @entries, @commit and @first; pairs with the swapper's load-acquire.
 *   C: the exchange of @head is fully ordered; a swap therefore sees the slot
 *      stores of all earlier swaps, and so does the writer.
 *   D: starting a sub-buffer clears its commit, then stores the new stamp, then the
 *      first data, with a write barrier after either; pairs with the rmb in
 *      rb_iter_head_event(). Who has read new data sees the stamp changed, if not
 *      the commit: that may have grown again to what it was.
 */
#include <linux/compiler.h>
#include <linux/ring_buffer_page.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/page.h>
#include <uapi/linux/trace_mmap.h>

/**
 * struct rb_writer_subbuf - private record of one sub-buffer, and of one slot
 * @page:	the shared sub-buffer with this index as its id
 * @first:	number of events written or dropped before its first event
 * @slot:	id of the sub-buffer in the ring slot with this index
 * @entries:	events on it, valid once it is closed
 * @commit:	bytes of data on it, valid once it is closed
 */
struct rb_writer_subbuf {
	struct rb_page	*page;
	u64		first;
	u32		slot;
	u16		entries;
	u16		commit;
};

#define RB_WRITER_SUBBUFS_PER_PAGE	(PAGE_SIZE / sizeof(struct rb_writer_subbuf))
#define RB_WRITER_TABLE_PAGES		(PAGE_SIZE / sizeof(struct rb_writer_subbuf *))
/* An id, plus one, has this many bits in the head word */
#define RB_WRITER_ID_BITS		22
#define __RB_WRITER_TABLE_MAX		(RB_WRITER_SUBBUFS_PER_PAGE * RB_WRITER_TABLE_PAGES)
/** RB_WRITER_MAX_SUBBUFS - most sub-buffers: what ids name and a table with one root holds */
#define RB_WRITER_MAX_SUBBUFS						\
	(__RB_WRITER_TABLE_MAX < (1UL << RB_WRITER_ID_BITS) - 1 ?		\
	 __RB_WRITER_TABLE_MAX : (1UL << RB_WRITER_ID_BITS) - 1)
/** RB_WRITER_MIN_SUBBUFS - two ring sub-buffers and the reader's */
#define RB_WRITER_MIN_SUBBUFS		3

/* Bytes of data that a sub-buffer holds */
#define RB_PAGE_DATA_SIZE	(PAGE_SIZE - sizeof(struct rb_page))

/**
 * struct rb_writer - private state of one per-CPU buffer
 * @page:	the sub-buffer being written
 * @head:	sequence number of the oldest sub-buffer in the ring, and the id that
 *		the last swap put into the ring; writer and swapper
 * @tail:	sequence number of the sub-buffer being written
 * @overrun:	events overwritten before they were read
 * @dropped:	events refused because the ring was full (keep-the-oldest mode)
 * @lost:	sub-buffers overwritten
 * @nr_slots:	ring sub-buffers, that is without the reader's
 * @tail_slot:	slot of @tail
 * @tail_id:	id of the sub-buffer being written
 * @overwrite:	flight recorder: overwrite the oldest rather than drop the newest
 * @on:		events are accepted
 * @full:	nothing more is to go to the sub-buffer being written
 * @started:	@entries when the sub-buffer being written was started
 * @reader_id:	swapper only: id of the reader's sub-buffer
 * @read:	swapper only: sub-buffers swapped out
 * @table:	root of the table of sub-buffers, RB_WRITER_SUBBUFS_PER_PAGE a page
 * @commit:	the commit word of the sub-buffer being written, right in front of
 *		its data; NULL when nothing is to go there, which is so while off
 * @used:	bytes of data there
 * @ts:		time stamp of the last event, in units of the trace clock
 * @entries:	events committed since the last reset
 * @meta:	the shared meta page, stored to and never loaded from
 */
struct rb_writer {
	struct rb_page			*page;
	u64				head;
	u64				tail;
	u64				overrun;
	u64				dropped;
	u64				lost;
	u32				nr_slots;
	u32				tail_slot;
	u32				tail_id;
	bool				overwrite;
	bool				on;
	bool				full;
	u64				started;

	u32				reader_id;
	u64				read;

	struct rb_writer_subbuf		**table;

	/* What every event needs, in the order in which it is loaded in pairs */
	unsigned long			*commit;
	unsigned long			used;
	u64				ts;
	u64				entries;
	struct trace_buffer_meta	*meta;
};

/* What rb_writer_swap() found; also the hypercall's positive results */
enum rb_writer_swap {
	RB_SWAP_NOTHING	= 0,	/* the reader has all there is */
	RB_SWAP_DONE	= 1,	/* the reader has another sub-buffer */
	RB_SWAP_MORE	= 2,	/* the reader has not seen the end of its own yet */
};

/**
 * rb_writer_add_subbuf - fill an entry of the table
 * @w: not initialised yet; its table has room for the entry
 * @id: of the sub-buffer
 * @page: the sub-buffer
 *
 * Context: owner.
 */
void rb_writer_add_subbuf(struct rb_writer *w, u32 id, void *page);

/**
 * rb_writer_init - start a buffer whose table is filled
 * @w: zeroed, but for @table, filled by rb_writer_add_subbuf()
 * @meta: shared meta page, zeroed
 * @nr_subbufs: sub-buffers in the table, at least RB_WRITER_MIN_SUBBUFS
 *
 * Sub-buffer 0 is the reader's, the others fill the slots in order. The writer
 * is off, in flight-recorder mode.
 *
 * Context: owner.
 */
void rb_writer_init(struct rb_writer *w, struct trace_buffer_meta *meta, u32 nr_subbufs);

/**
 * rb_writer_reset - forget all events and zero all counters
 * @w: an initialised writer
 *
 * Context: owner.
 */
void rb_writer_reset(struct rb_writer *w);

/**
 * rb_writer_set_on - accept events, or not
 * @w: an initialised writer
 * @on: true to accept
 *
 * Context: the writer's CPU, outside of reserve and commit.
 */
void rb_writer_set_on(struct rb_writer *w, bool on);

/**
 * rb_writer_swap - give the reader the oldest sub-buffer for its own
 * @w: an initialised writer
 * @seen: bytes of data that the reader has seen on the sub-buffer it has
 *
 * Context: swapper.
 * Return: an enum rb_writer_swap, or -EBUSY when the writer overtook every one of
 * a bounded number of attempts. Only RB_SWAP_DONE changes anything: the meta
 * page then holds the reader's new id and the number of events lost before it.
 */
int rb_writer_swap(struct rb_writer *w, u32 seen);

/* rb_writer_reserve() of an event that does not fit; same contract */
void *rb_writer_reserve_slow(struct rb_writer *w, u32 size, u64 ts);

/**
 * struct rb_writer_spot - room for an event, in registers of its caller
 * @commit:	of struct rb_writer
 * @used:	the same with the event
 * @ts:		of struct rb_writer
 * @entries:	the same with the event
 * @meta:	of struct rb_writer
 *
 * rb_writer_reserve() and rb_writer_commit() in pieces, for callers that keep the
 * other case in another function altogether, so that this one needs no stack
 * frame:
 *
 *	if (rb_writer_find(w, size, &spot) && the clock can be read &&
 *	    ts - spot.ts <= RB_PAGE_MAX_DELTA) {
 *		payload = rb_writer_put(&spot, size, ts - spot.ts);
 *		fill the payload
 *		rb_writer_commit_at(w, &spot, ts);
 *	}
 *
 * What is found need not be used. What a register holds need not be loaded again
 * after a store, which may be to anything as far as a compiler knows.
 */
struct rb_writer_spot {
	unsigned long	*commit;
	unsigned long	used;
	u64		ts;
	u64		entries;
	struct trace_buffer_meta *meta;
};

/**
 * rb_writer_find - find room for an event
 * @w: a zeroed or initialised writer
 * @size: bytes of payload, as for rb_writer_reserve()
 * @spot: the room, to be taken with rb_writer_put()
 *
 * Context: writer.
 * Return: false when this takes rb_writer_reserve(), also while the writer is off.
 */
static __always_inline bool rb_writer_find(const struct rb_writer *w, u32 size,
					   struct rb_writer_spot *spot)
{
	spot->meta = w->meta;
	spot->commit = w->commit;
	spot->used = w->used + RB_PAGE_EVENT_HDR + size;
	spot->ts = w->ts;
	spot->entries = w->entries + 1;
	return likely(spot->commit && spot->used <= RB_PAGE_DATA_SIZE);
}

/**
 * rb_writer_put - write the header of an event
 * @spot: what rb_writer_find() found
 * @size: as there
 * @delta: the time since the last event, at most RB_PAGE_MAX_DELTA
 *
 * Context: writer.
 * Return: the payload.
 */
static __always_inline void *rb_writer_put(const struct rb_writer_spot *spot, u32 size, u32 delta)
{
	unsigned long *start = (void *)spot->commit + (spot->used - RB_PAGE_EVENT_HDR - size);
	u32 *event;

	/* No instruction: one base for all stores, which go in pairs then */
	asm("" : "+r" (start));
	event = (u32 *)(start + 1);
	event[0] = RB_PAGE_EVENT(size / 4, delta);
	return event + 1;
}

/**
 * rb_writer_commit_at - publish the event that was put
 * @w: the writer
 * @spot: where it was put
 * @ts: the event's time stamp
 *
 * Context: writer.
 */
static __always_inline void rb_writer_commit_at(struct rb_writer *w,
						const struct rb_writer_spot *spot, u64 ts)
{
	w->used = spot->used;
	w->ts = ts;
	w->entries = spot->entries;
	smp_store_release(spot->commit, spot->used); /* A */
	WRITE_ONCE(spot->meta->entries, spot->entries);
}

/**
 * rb_writer_reserve - make room for an event and write its header
 * @w: an initialised writer
 * @size: bytes of payload, a constant from 4 to 4 * RB_PAGE_MAX_TYPE_LEN,
 *	  a multiple of 4
 * @ts: the event's time stamp; one that is older than the last event's counts
 *	as equal
 *
 * Context: writer.
 * Return: the payload, aligned to 4 bytes, or NULL when the writer is off or the
 * ring is full (counted as dropped). What is reserved has to be committed.
 */
static __always_inline void *rb_writer_reserve(struct rb_writer *w, u32 size, u64 ts)
{
	struct rb_writer_spot spot;

	if (rb_writer_find(w, size, &spot) && likely(ts - spot.ts <= RB_PAGE_MAX_DELTA)) {
		w->ts = ts;
		return rb_writer_put(&spot, size, ts - spot.ts);
	}

	return rb_writer_reserve_slow(w, size, ts);
}

/**
 * rb_writer_commit - publish the event that was reserved
 * @w: the writer
 * @payload: what was reserved, not NULL, filled
 * @size: the same as in the reserve
 *
 * Context: writer.
 */
static __always_inline void rb_writer_commit(struct rb_writer *w, void *payload, u32 size)
{
	struct rb_writer_spot spot = {
		.commit	 = w->commit,
		.used	 = payload + size - (void *)(w->commit + 1),
		.entries = w->entries + 1,
		.meta	 = w->meta,
	};

	rb_writer_commit_at(w, &spot, w->ts);
}

#endif /* _LINUX_RING_BUFFER_WRITER_H */
