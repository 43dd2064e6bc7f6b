// SPDX-License-Identifier: GPL-2.0
/*
 * The slow paths of the freestanding ring-buffer writer; the overview is in
 * include/linux/ring_buffer_writer.h.
 *
 * Nothing here depends on the kernel beyond cmpxchg() and the barriers, so that
 * the file compiles into the EL2 object, into modules and into user-space tests.
 */
#include <linux/ring_buffer_writer.h>
#include <linux/atomic.h>
#include <linux/errno.h>

/*
 * The head word: the sequence number is in the upper bits. In the lower bits is,
 * plus one, the id of the sub-buffer that the last swap put into slot
 * (seq - 1) % N; they are 0 if the writer was the last to move @head. At a gigabyte
 * a second, the sequence numbers last for half a year; then the writer drops events
 * rather than wrap around.
 */
#define HEAD_ID_MASK	((1ULL << RB_WRITER_ID_BITS) - 1)
#define HEAD_MAX_SEQ	(~0ULL >> RB_WRITER_ID_BITS)

/* One attempt fails only when the writer filled a sub-buffer meanwhile */
#define SWAP_ATTEMPTS	8

static u64 head_word(u64 seq, u32 id_plus_one)
{
	return seq << RB_WRITER_ID_BITS | id_plus_one;
}

static u64 head_seq(u64 word)
{
	return word >> RB_WRITER_ID_BITS;
}

static struct rb_writer_subbuf *subbuf(struct rb_writer *w, u32 id)
{
	return &w->table[id / RB_WRITER_SUBBUFS_PER_PAGE][id % RB_WRITER_SUBBUFS_PER_PAGE];
}

/* A writer that is off must not have an open sub-buffer, not even for a moment */
static void open_subbuf(struct rb_writer *w)
{
	WRITE_ONCE(w->commit, w->on && !w->full ? &w->page->commit : NULL);
}

/* Make sub-buffer @id, in slot @slot with number @seq, the one being written */
static void start_subbuf(struct rb_writer *w, u32 id, u32 slot, u64 seq, u64 ts)
{
	struct rb_writer_subbuf *sub = subbuf(w, id);
	struct rb_page *page = sub->page;

	sub->first = w->entries + w->dropped;
	WRITE_ONCE(page->commit, 0);
	smp_wmb(); /* D */
	WRITE_ONCE(page->time_stamp, ts);
	smp_wmb(); /* D: the releases below do not order the data that follows them */

	w->page = page;
	w->used = 0;
	w->full = false;
	open_subbuf(w);
	w->started = w->entries;
	w->tail_id = id;
	w->tail_slot = slot;
	WRITE_ONCE(w->meta->closed_bytes, w->closed_bytes);
	smp_store_release(&w->tail, seq); /* B */
	smp_store_release(&w->meta->pages_touched, seq);
}

/* Record the totals of the sub-buffer that is closed, for the swapper */
static void close_subbuf(struct rb_writer *w)
{
	struct rb_writer_subbuf *sub = subbuf(w, w->tail_id);

	sub->entries = w->entries - w->started;
	sub->commit = w->used;
	w->closed_bytes += w->used;
}

/* The ring is full: head => head + 1, unless a swap makes the room meanwhile */
static void overwrite_oldest(struct rb_writer *w, u64 head, u32 slot)
{
	const struct rb_writer_subbuf *oldest = subbuf(w, READ_ONCE(subbuf(w, slot)->slot));
	u32 entries = oldest->entries, bytes = oldest->commit;

	if (cmpxchg(&w->head, head, head_word(head_seq(head) + 1, 0)) != head) /* C */
		return;

	w->closed_bytes -= bytes;
	w->overrun += entries;
	w->lost++;
	WRITE_ONCE(w->meta->overrun, w->overrun);
	WRITE_ONCE(w->meta->pages_lost, w->lost);
}

/* The id in the free slot @slot, where number @seq will live */
static u32 free_slot_id(struct rb_writer *w, u32 slot, u64 seq)
{
	u64 head = smp_load_acquire(&w->head); /* C */
	u32 swapped = head & HEAD_ID_MASK;

	if (!swapped || head_seq(head) - 1 + w->nr_slots != seq)
		return READ_ONCE(subbuf(w, slot)->slot);

	/* The swapper may not have stored it yet */
	WRITE_ONCE(subbuf(w, slot)->slot, swapped - 1);
	return swapped - 1;
}

/* tail => tail + 1; false when there is no room for another sub-buffer */
static bool next_subbuf(struct rb_writer *w, u64 ts)
{
	u32 slot = w->tail_slot + 1 == w->nr_slots ? 0 : w->tail_slot + 1;
	u64 head = smp_load_acquire(&w->head); /* C */
	u64 seq = w->tail + 1;

	if (unlikely(seq >= HEAD_MAX_SEQ))
		return false;

	if (seq - head_seq(head) == w->nr_slots) {
		if (!w->overwrite)
			return false;
		overwrite_oldest(w, head, slot);
	}

	close_subbuf(w);
	start_subbuf(w, free_slot_id(w, slot, seq), slot, seq, ts);
	return true;
}

void rb_writer_drop(struct rb_writer *w, u32 nr)
{
	/* The reader can be told of a loss only between two sub-buffers */
	w->full = true;
	open_subbuf(w);
	w->dropped += nr;
	WRITE_ONCE(w->meta->dropped, w->dropped);
}

static void *drop_event(struct rb_writer *w)
{
	rb_writer_drop(w, 1);
	return NULL;
}

static u32 *write_time_extend(u32 *event, u64 delta)
{
	event[0] = RB_PAGE_EVENT(RB_PAGE_TYPE_TIME_EXTEND, delta & RB_PAGE_MAX_DELTA);
	event[1] = delta >> RB_PAGE_DELTA_BITS;
	return event + 2;
}

/* Is its size not in the event's first word? */
static bool is_long(u32 size)
{
	return IS_ENABLED(CONFIG_TRACE_REMOTE_STACKS) && size > 4 * RB_PAGE_MAX_TYPE_LEN;
}

static u32 *write_header(u32 *event, u32 size, u64 delta)
{
	if (is_long(size)) {
		event[0] = RB_PAGE_EVENT(RB_PAGE_TYPE_LONG, delta);
		event[1] = sizeof(*event) + size;
		return event + 2;
	}
	event[0] = RB_PAGE_EVENT(size / 4, delta);
	return event + 1;
}

void *rb_writer_reserve_slow(struct rb_writer *w, u32 size, u64 ts)
{
	u32 len = size + (is_long(size) ? RB_PAGE_LONG_HDR : RB_PAGE_EVENT_HDR);
	u32 extend = 0;
	u32 *event;
	u64 delta;

	if (!w->on)
		return NULL;

	if (ts < w->ts)
		ts = w->ts;

	/* The first event of all has no predecessor: it sets the sub-buffer's timestamp */
	if (!w->used) {
		WRITE_ONCE(w->page->time_stamp, ts);
		w->ts = ts;
	}

	delta = ts - w->ts;
	if (delta > RB_PAGE_MAX_DELTA)
		extend = RB_PAGE_TIME_EXTEND_LEN;

	if (w->full || w->used + len + extend > RB_PAGE_DATA_SIZE) {
		if (!next_subbuf(w, ts))
			return drop_event(w);
		extend = 0;
		delta = 0;
	}

	event = (void *)w->page->data + w->used;
	if (extend) {
		event = write_time_extend(event, delta);
		delta = 0;
	}
	w->ts = ts;
	return write_header(event, size, delta);
}

/* Mark a closed sub-buffer, which is not written any more: @lost events precede it */
static void mark_missed(struct rb_writer_subbuf *sub, u64 lost)
{
	unsigned long flags = RB_PAGE_MISSED;
	unsigned long count = lost;

	if (PAGE_SIZE - sizeof(*sub->page) - sub->commit >= sizeof(count)) {
		__builtin_memcpy(sub->page->data + sub->commit, &count, sizeof(count));
		flags |= RB_PAGE_MISSED_STORED;
	}
	smp_store_release(&sub->page->commit, sub->commit | flags); /* A */
}

/* Describe the reader's new sub-buffer in the meta page */
static void publish_reader(struct rb_writer *w, u64 lost, u32 entries)
{
	struct trace_buffer_meta *meta = w->meta;

	WRITE_ONCE(meta->reader.id, w->reader_id);
	WRITE_ONCE(meta->reader.lost_events, lost);
	WRITE_ONCE(meta->reader_entries, entries);
	WRITE_ONCE(meta->pages_read, ++w->read);
}

/*
 * The exchange is won: sub-buffer @id, from slot @slot, is the reader's. Its last one
 * ended after event number @end; that sub-buffer and the slot may be in use by the
 * writer already.
 */
static void take_subbuf(struct rb_writer *w, u32 slot, u32 id, u64 end, bool closed)
{
	struct rb_writer_subbuf *new = subbuf(w, id);

	WRITE_ONCE(subbuf(w, slot)->slot, w->reader_id);
	w->reader_id = id;
	if (closed && new->first != end)
		mark_missed(new, new->first - end);
	publish_reader(w, new->first - end, closed ? new->entries : 0);
}

int rb_writer_swap(struct rb_writer *w, u32 seen)
{
	struct rb_writer_subbuf *old = subbuf(w, w->reader_id);
	int i;

	for (i = 0; i < SWAP_ATTEMPTS; i++) {
		u64 head = smp_load_acquire(&w->head); /* C */
		u64 tail = smp_load_acquire(&w->tail); /* B */
		u64 seq = head_seq(head), end;
		u32 slot = seq % w->nr_slots, id;

		if (tail + 1 == seq)
			return RB_SWAP_NOTHING;
		if (seen != old->commit)
			return RB_SWAP_MORE;

		/* Read these before the exchange hands @old and @slot to the writer */
		id = READ_ONCE(subbuf(w, slot)->slot);
		end = old->first + old->entries;
		if (cmpxchg(&w->head, head, head_word(seq + 1, w->reader_id + 1)) != head) /* C */
			continue;

		WRITE_ONCE(w->meta->pages_gone, seq + 1);
		take_subbuf(w, slot, id, end, tail != seq);
		return RB_SWAP_DONE;
	}

	return -EBUSY;
}

void rb_writer_set_on(struct rb_writer *w, bool on)
{
	w->on = on;
	open_subbuf(w);
}

static void reset_counters(struct rb_writer *w)
{
	struct trace_buffer_meta *meta = w->meta;

	w->ts = 0;
	w->entries = 0;
	w->overrun = 0;
	w->dropped = 0;
	w->lost = 0;
	w->closed_bytes = 0;
	w->read = 0;
	WRITE_ONCE(meta->entries, 0);
	WRITE_ONCE(meta->overrun, 0);
	WRITE_ONCE(meta->dropped, 0);
	WRITE_ONCE(meta->pages_lost, 0);
	WRITE_ONCE(meta->pages_read, 0);
	WRITE_ONCE(meta->pages_gone, 0);
	WRITE_ONCE(meta->reader.lost_events, 0);
	WRITE_ONCE(meta->reader_entries, 0);
}

void rb_writer_reset(struct rb_writer *w)
{
	struct rb_writer_subbuf *reader = subbuf(w, w->reader_id);

	reset_counters(w);
	reader->first = 0;
	reader->entries = 0;
	reader->commit = 0;
	WRITE_ONCE(reader->page->commit, 0);

	WRITE_ONCE(w->head, 0);
	start_subbuf(w, subbuf(w, 0)->slot, 0, 0, 0);
}

/* Also fills a slot: a loop over all slots at once would be too long for EL2 */
void rb_writer_add_subbuf(struct rb_writer *w, u32 id, void *page)
{
	*subbuf(w, id) = (struct rb_writer_subbuf){ .page = page, .slot = id + 1 };
}

void rb_writer_init(struct rb_writer *w, struct trace_buffer_meta *meta, u32 nr_subbufs)
{
	w->meta = meta;
	w->nr_slots = nr_subbufs - 1;
	w->overwrite = true;
	w->reader_id = 0;

	meta->meta_page_size = PAGE_SIZE;
	meta->meta_struct_len = sizeof(*meta);
	meta->subbuf_size = PAGE_SIZE;
	meta->nr_subbufs = nr_subbufs;
	meta->flags = TRACE_BUFFER_META_REMOTE;
	meta->reader.id = w->reader_id;
	rb_writer_reset(w);
}
