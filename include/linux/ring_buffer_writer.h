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
 *   D: starting a sub-buffer clears its commit before the new stamp and the
 *      first data are stored; pairs with the rmb in rb_iter_head_event().
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

/**
 * struct rb_writer - private state of one per-CPU buffer
 * @pos:	where the next event goes; NULL while off
 * @limit:	end of the sub-buffer being written, or @pos when nothing more is to
 *		go there; NULL while off
 * @ts:		time stamp of the last event, in units of the trace clock
 * @entries:	events committed since the last reset
 * @meta:	the shared meta page, stored to and never loaded from
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
 * @on:		events are accepted; else @pos and @limit are kept in @off_*
 * @off_pos:	@pos while off
 * @off_limit:	@limit while off
 * @started:	@entries when the sub-buffer being written was started
 * @reader_id:	swapper only: id of the reader's sub-buffer
 * @read:	swapper only: sub-buffers swapped out
 * @table:	root of the table of sub-buffers, RB_WRITER_SUBBUFS_PER_PAGE a page
 */
struct rb_writer {
	void				*pos;
	void				*limit;
	u64				ts;
	u64				entries;
	struct trace_buffer_meta	*meta;

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
	void				*off_pos;
	void				*off_limit;
	u64				started;

	u32				reader_id;
	u64				read;

	struct rb_writer_subbuf		**table;
};

/* What rb_writer_swap() found; also the hypercall's positive results */
enum rb_writer_swap {
	RB_SWAP_NOTHING	= 0,	/* the reader has all there is */
	RB_SWAP_DONE	= 1,	/* the reader has another sub-buffer */
	RB_SWAP_MORE	= 2,	/* the reader has not seen the end of its own yet */
};

/**
 * rb_writer_init - start a buffer whose table is filled
 * @w: zeroed, but for @table, whose entries have their @page
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
 * rb_writer_has_room - does an event fit on the sub-buffer being written
 * @w: a zeroed or initialised writer
 * @size: bytes of payload, as for rb_writer_reserve()
 *
 * Context: writer.
 * Return: false also while the writer is off.
 */
static __always_inline bool rb_writer_has_room(const struct rb_writer *w, u32 size)
{
	return likely(w->pos + RB_PAGE_EVENT_HDR + size <= w->limit);
}

/**
 * rb_writer_delta - the time since the last event
 * @w: an initialised writer
 * @ts: the time stamp of the next one
 *
 * Context: writer.
 * Return: a number that the header of an event can hold if it is at most
 * RB_PAGE_MAX_DELTA.
 */
static __always_inline u64 rb_writer_delta(const struct rb_writer *w, u64 ts)
{
	return ts - w->ts;
}

/**
 * rb_writer_put - write the header of an event that fits
 * @w: an initialised writer that has room
 * @size: as for rb_writer_reserve()
 * @delta: rb_writer_delta(), at most RB_PAGE_MAX_DELTA
 *
 * rb_writer_reserve() in pieces is for callers that keep the other case in another
 * function altogether, so that this one needs no stack frame. What comes after is
 * rb_writer_commit_at(), which also takes the time stamp.
 *
 * Context: writer.
 * Return: the payload.
 */
static __always_inline void *rb_writer_put(struct rb_writer *w, u32 size, u32 delta)
{
	u32 *event = w->pos;

	event[0] = RB_PAGE_EVENT(size / 4, delta);
	return event + 1;
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
	u64 delta = rb_writer_delta(w, ts);

	if (rb_writer_has_room(w, size) && likely(delta <= RB_PAGE_MAX_DELTA)) {
		w->ts = ts;
		return rb_writer_put(w, size, delta);
	}

	return rb_writer_reserve_slow(w, size, ts);
}

/**
 * rb_writer_page - the sub-buffer on which there is room
 * @w: a writer that has room, or in which an event is reserved
 *
 * Context: writer.
 */
static __always_inline struct rb_page *rb_writer_page(const struct rb_writer *w)
{
	/* While there is room, @limit is the end of the sub-buffer */
	return w->limit - PAGE_SIZE;
}

/**
 * rb_writer_commit_at - rb_writer_commit() where all is known
 * @w: the writer
 * @page: rb_writer_page()
 * @payload: what was reserved, not NULL, filled
 * @size: the same as in the reserve
 * @ts: the event's time stamp
 *
 * Context: writer.
 */
static __always_inline void rb_writer_commit_at(struct rb_writer *w, struct rb_page *page,
						void *payload, u32 size, u64 ts)
{
	struct trace_buffer_meta *meta = w->meta;
	void *end = payload + size;
	u64 entries = w->entries + 1;

	w->pos = end;
	w->ts = ts;
	w->entries = entries;
	/* A */
	smp_store_release(&page->commit, (unsigned long)(end - (void *)page->data));
	WRITE_ONCE(meta->entries, entries);
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
	rb_writer_commit_at(w, rb_writer_page(w), payload, size, w->ts);
}

#endif /* _LINUX_RING_BUFFER_WRITER_H */
