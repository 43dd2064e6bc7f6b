/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RING_BUFFER_WRITER_H
#define _LINUX_RING_BUFFER_WRITER_H
/*
 * A freestanding writer for one per-CPU ring buffer in tracefs's page format.
 *
 * The writer may live where the kernel's own ring buffer cannot run: at EL2, in
 * a module, in a user-space test. It allocates nothing and takes no lock. It
 * shares the sub-buffers and the meta page with the reader; it writes them and
 * never reads them back. What it relies on is private to it: struct rb_writer
 * and the table of sub-buffers.
 *
 * Who may call what
 *   writer   rb_writer_reserve() and rb_writer_commit(), on one CPU, not nested
 *   swapper  rb_writer_swap(), on any CPU, one at a time, beside the writer
 *   owner    everything else, while neither of the others runs
 *
 * The ring
 *   The ring has N slots with a sub-buffer in each. One more sub-buffer belongs
 *   to the reader. Sub-buffers are numbered in the order in which the writer
 *   starts them; number s is in slot s % N. The writer is on number @tail, the
 *   oldest unread one is number @head.
 *
 *   Writer, when number tail is full:
 *	tail + 1 - head < N	=> tail + 1
 *	tail + 1 - head == N	=> head + 1 (the oldest is overwritten), tail + 1
 *   Swapper:
 *	head <= tail		=> head + 1; the reader's sub-buffer takes the
 *				   slot, the slot's sub-buffer is the reader's
 *	head == tail + 1	=> nothing: the reader has the one being written
 *
 *   Both move @head with a compare-and-exchange, so only one of them wins, and
 *   @head is valid at all times. The swapper can store the id of the sub-buffer
 *   that it puts into the slot only after it has won. So its word also carries
 *   the id: a writer that needs the slot before that store is visible takes the
 *   id from the word and stores it, too. Both store the same value, so their
 *   order does not matter.
 *
 * Memory order
 *   A: the writer's commit is a store-release; pairs with the reader's
 *      load (rb_page_commit() and smp_rmb() there), so data precedes commit, and so
 *      does the number of entries: an event that can be read is counted.
 *   B: @tail is stored with release after the closed sub-buffer's private
 *      @entries, @commit and @first; pairs with the swapper's load-acquire.
 *   C: the exchange of @head is fully ordered, and @head is loaded with acquire.
 *      What a swap reads before its exchange is older than what the writer does
 *      with the sub-buffer and the slot that it gets. A CPU that sees the head of
 *      a swap also sees the slot stores of all earlier swaps; one that sees the
 *      head of the writer also sees the @tail before it. A swap stores its own
 *      slot after its exchange; the next one sees that as swaps are one at a time.
 *      The number of entries precedes that of the overwritten ones; pairs with the
 *      reader's smp_rmb() between its loads of the two, in the other order.
 *   D: starting a sub-buffer clears its commit, stores the new timestamp, and then
 *      the first data, with a write barrier after each of the first two; pairs with
 *      the smp_rmb() in rb_iter_head_event(). A reader that has read new data also
 *      sees the new timestamp. The commit alone would not tell: it may have grown
 *      back to its old value.
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
/* Bits of the head word that hold an id plus one */
#define RB_WRITER_ID_BITS		22
#define __RB_WRITER_TABLE_MAX		(RB_WRITER_SUBBUFS_PER_PAGE * RB_WRITER_TABLE_PAGES)
/** RB_WRITER_MAX_SUBBUFS - limit of the id's bits and of a table with one root page */
#define RB_WRITER_MAX_SUBBUFS						\
	(__RB_WRITER_TABLE_MAX < (1UL << RB_WRITER_ID_BITS) - 1 ?		\
	 __RB_WRITER_TABLE_MAX : (1UL << RB_WRITER_ID_BITS) - 1)
/** RB_WRITER_MIN_SUBBUFS - two ring sub-buffers and the reader's */
#define RB_WRITER_MIN_SUBBUFS		3

/* Bytes of data that a sub-buffer holds */
#define RB_PAGE_DATA_SIZE	(PAGE_SIZE - sizeof(struct rb_page))
/** RB_WRITER_MAX_LONG - bytes of payload of the largest event, if there are long ones at all */
#define RB_WRITER_MAX_LONG	512

/**
 * struct rb_writer - private state of one per-CPU buffer
 * @page:	the sub-buffer being written
 * @head:	sequence number of the oldest sub-buffer in the ring, and the id that
 *		the last swap put into the ring; writer and swapper
 * @tail:	sequence number of the sub-buffer being written
 * @overrun:	events overwritten before they were read
 * @dropped:	events refused because the ring was full (keep-the-oldest mode)
 * @lost:	sub-buffers overwritten
 * @closed_bytes: bytes of data on the sub-buffers that it has left, less those overwritten
 * @nr_slots:	ring sub-buffers, that is without the reader's
 * @tail_slot:	slot of @tail
 * @tail_id:	id of the sub-buffer being written
 * @overwrite:	flight recorder: overwrite the oldest rather than drop the newest
 * @on:		events are accepted
 * @full:	the sub-buffer being written takes no more events: one was dropped
 * @started:	@entries when the sub-buffer being written was started
 * @reader_id:	swapper only: id of the reader's sub-buffer
 * @read:	swapper only: sub-buffers swapped out
 * @table:	root of the table of sub-buffers, RB_WRITER_SUBBUFS_PER_PAGE a page
 * @commit:	the commit word of the sub-buffer being written, right before its
 *		data; NULL while it takes no events (@full, or not @on)
 * @used:	bytes of data there
 * @ts:		timestamp of the last event, in units of the trace clock
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
	u64				closed_bytes;
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

	/* Used for every event; in this order, the compiler loads them in pairs */
	unsigned long			*commit;
	unsigned long			used;
	u64				ts;
	u64				entries;
	struct trace_buffer_meta	*meta;
};

/* What rb_writer_swap() found; also the hypercall's positive results */
enum rb_writer_swap {
	RB_SWAP_NOTHING	= 0,	/* the reader already has the sub-buffer being written */
	RB_SWAP_DONE	= 1,	/* the reader has another sub-buffer */
	RB_SWAP_MORE	= 2,	/* the reader has not seen the end of its own yet */
};

/**
 * rb_writer_add_subbuf - fill an entry of the table
 * @w: not initialised yet; its table has room for the entry
 * @id: its index, which is the id of the sub-buffer
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
 * rb_writer_drop - count events that were lost before they came here
 * @w: a writer that is on
 * @nr: how many, after the last event and before the next one
 *
 * Context: as rb_writer_set_on().
 */
void rb_writer_drop(struct rb_writer *w, u32 nr);

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

/**
 * rb_meta_range - where the writer is
 * @meta: the meta page
 * @nr_slots: sub-buffers in the ring
 * @head: number of the oldest sub-buffer in the ring
 * @tail: number of the sub-buffer being written, @head - 1 if the reader has it
 *
 * The counters may be of different moments. The writer counts a sub-buffer as lost after it
 * has overwritten it, and one as touched after it has started it; if the reader has taken a
 * newer one meanwhile, that tells. And the tail may be newer than the head. Whatever the
 * meta page holds, the result is within the ring.
 *
 * Context: any.
 */
static inline void rb_meta_range(const struct trace_buffer_meta *meta, u32 nr_slots,
				 u64 *head, u64 *tail)
{
	u64 counted = READ_ONCE(meta->pages_lost) + READ_ONCE(meta->pages_read);
	u64 gone = READ_ONCE(meta->pages_gone);

	*head = counted > gone ? counted : gone;
	smp_rmb(); /* the tail must not be older than the head; pairs with C */
	/* Pairs with the release in start_subbuf(): the page is set up */
	*tail = smp_load_acquire(&meta->pages_touched);
	if (likely(*tail + 1 - *head <= nr_slots))
		return;
	if ((s64)(*tail + 1 - *head) < 0)
		*tail = *head - 1;
	else
		*head = *tail + 1 - nr_slots;
}

/*
 * The slow path of rb_writer_reserve(), with the same contract. With CONFIG_TRACE_REMOTE_STACKS,
 * @size may be up to RB_WRITER_MAX_LONG.
 */
void *rb_writer_reserve_slow(struct rb_writer *w, u32 size, u64 ts);

/**
 * struct rb_writer_spot - room for an event, in registers of the caller
 * @commit:	copy of struct rb_writer's @commit
 * @used:	its @used, as it is after the event
 * @ts:		copy of its @ts
 * @entries:	its @entries, as it is after the event
 * @meta:	copy of its @meta
 *
 * Splits rb_writer_reserve() and rb_writer_commit() into steps, for a caller that
 * moves the slow path to another function, so that the fast path needs no stack
 * frame:
 *
 *	if (rb_writer_find(w, size, &spot) && the clock can be read &&
 *	    ts - spot.ts <= RB_PAGE_MAX_DELTA) {
 *		payload = rb_writer_put(&spot, size, ts - spot.ts);
 *		fill the payload
 *		rb_writer_commit_at(w, &spot, ts);
 *	}
 *
 * A spot that was found need not be used. It is a copy because the compiler has to
 * assume that a store changes the writer, and would load its members again.
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
 * Return: false if the caller has to use rb_writer_reserve(), as while the writer
 * is off.
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
 * @size: the same as for rb_writer_find()
 * @delta: the time since the last event, at most RB_PAGE_MAX_DELTA
 *
 * Context: writer.
 * Return: the payload.
 */
static __always_inline void *rb_writer_put(const struct rb_writer_spot *spot, u32 size, u32 delta)
{
	unsigned long *start = (void *)spot->commit + (spot->used - RB_PAGE_EVENT_HDR - size);
	u32 *event;

	/* Emits nothing; gives all stores one base register, so that they pair up */
	asm("" : "+r" (start));
	event = (u32 *)(start + 1);
	event[0] = RB_PAGE_EVENT(size / 4, delta);
	return event + 1;
}

/**
 * rb_writer_commit_at - publish the event that was put
 * @w: the writer
 * @spot: where it was put
 * @ts: the event's timestamp
 *
 * Context: writer.
 */
static __always_inline void rb_writer_commit_at(struct rb_writer *w,
						const struct rb_writer_spot *spot, u64 ts)
{
	w->used = spot->used;
	w->ts = ts;
	w->entries = spot->entries;
	WRITE_ONCE(spot->meta->entries, spot->entries);
	smp_store_release(spot->commit, spot->used); /* A */
}

/**
 * rb_writer_reserve - make room for an event and write its header
 * @w: an initialised writer
 * @size: bytes of payload, a constant from 4 to 4 * RB_PAGE_MAX_TYPE_LEN,
 *	  a multiple of 4
 * @ts: the event's timestamp; one that is older than the last event's is raised
 *	to that
 *
 * Context: writer.
 * Return: the payload, aligned to 4 bytes, or NULL when the writer is off or the
 * ring is full (counted as dropped). An event that is reserved has to be committed.
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
