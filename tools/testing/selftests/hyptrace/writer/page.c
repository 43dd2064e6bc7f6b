// SPDX-License-Identifier: GPL-2.0
/*
 * Sub-buffers as a reader sees them: a strict walk, and that of libtraceevent.
 */
#include "lib.h"

#ifdef HAVE_KBUFFER
#include <kbuffer.h>
#endif

/* A snapshot belongs to one thread: ThreadSanitizer need not check it */
#define NO_TSAN	__attribute__((no_sanitize("thread")))

/* The event word, parsed without the writer's own macros */
#define TYPE_LEN(word)	((word) & 31)
#define DELTA(word)	((word) >> 5)

void snapshot_take(struct snapshot *s, const struct rb_page *page)
{
	struct rb_page *copy = (struct rb_page *)s->page;
	unsigned long commit, lost = 0;

	/* Pairs with A */
	commit = smp_load_acquire((unsigned long *)&page->commit);
	s->commit = commit & ~(3UL << 30);
	s->missed = commit & (1UL << 31);
	s->stored = commit & (1UL << 30);
	CHECK(s->commit <= DATA_SIZE);
	CHECK(s->missed || !s->stored);

	copy->commit = commit;
	copy->time_stamp = __atomic_load_n(&page->time_stamp, __ATOMIC_RELAXED);
	memcpy(copy->data, page->data, s->commit);
	if (s->stored) {
		CHECK(s->commit + sizeof(lost) <= DATA_SIZE);
		memcpy(copy->data + s->commit, page->data + s->commit, sizeof(lost));
		memcpy(&lost, page->data + s->commit, sizeof(lost));
	}
	s->lost = lost;
}

void walk_start(struct walk *k, const struct snapshot *s)
{
	memset(k, 0, sizeof(*k));
	k->s = s;
	memcpy(&k->ts, s->page, sizeof(k->ts));
}

static NO_TSAN u32 walk_word(struct walk *k)
{
	u32 word;

	CHECK(k->pos + sizeof(word) <= k->s->commit);
	memcpy(&word, k->s->page + 16 + k->pos, sizeof(word));
	k->pos += sizeof(word);
	return word;
}

NO_TSAN bool walk_next(struct walk *k, struct event *ev)
{
	u32 word, size, i;

	if (k->pos == k->s->commit)
		return false;

	word = walk_word(k);
	k->extended = TYPE_LEN(word) == 30;
	k->delta = DELTA(word);
	if (k->extended) {
		/* Only where one is needed, and before an event of the same time */
		CHECK(k->pos > 4);
		k->delta += (u64)walk_word(k) << 27;
		CHECK(k->delta >= 1 << 27);
		word = walk_word(k);
		CHECK_EQ(DELTA(word), 0);
	}
	CHECK(TYPE_LEN(word) <= 28);
	/* The sub-buffer's timestamp is that of its first event, or 0 after a reset */
	if (k->pos == 4)
		CHECK(!k->delta || !k->ts);
	size = 4 * TYPE_LEN(word);
	if (!size) {
		size = walk_word(k) - 4;
		CHECK(size > 112 && size < DATA_SIZE && !(size % 4));
	}

	k->ts += k->delta;
	ev->ts = k->ts;
	ev->size = size;
	ev->seq = walk_word(k);
	for (i = 1; i < ev->size / 4; i++)
		CHECK_EQ(walk_word(k), ev->seq * 2246822519U + i);
	return true;
}

#ifdef HAVE_KBUFFER
u32 snapshot_compare(const struct snapshot *s)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST,
					     KBUFFER_ENDIAN_SAME_AS_HOST);
	unsigned long long ts = 0;
	struct event ev;
	struct walk k;
	u32 n = 0, seq;
	void *data;

	CHECK(kbuf);
	CHECK(!kbuffer_load_subbuffer(kbuf, (void *)s->page));
	CHECK_EQ(kbuffer_subbuffer_size(kbuf), s->commit);
	CHECK_EQ((long)kbuffer_missed_events(kbuf),
		 !s->missed ? 0 : s->stored ? (long)s->lost : -1);
	walk_start(&k, s);
	for (data = kbuffer_read_event(kbuf, &ts); data; data = kbuffer_next_event(kbuf, &ts)) {
		CHECK(walk_next(&k, &ev));
		memcpy(&seq, data, sizeof(seq));
		CHECK_EQ(seq, ev.seq);
		CHECK_EQ(ts, ev.ts);
		CHECK_EQ(kbuffer_event_size(kbuf), ev.size);
		n++;
	}
	CHECK(!walk_next(&k, &ev));
	kbuffer_free(kbuf);
	return n;
}
#else
u32 snapshot_compare(const struct snapshot *s)
{
	struct event ev;
	struct walk k;
	u32 n = 0;

	for (walk_start(&k, s); walk_next(&k, &ev); )
		n++;
	return n;
}
#endif

void reader_init(struct reader *r, struct buf *b)
{
	memset(r, 0, sizeof(*r));
	r->b = b;
	r->next = 1;
	r->compare = 1;
	r->expect = event_gen;
}

void reader_reset(struct reader *r)
{
	r->seen = 0;
	r->read = 0;
	r->lost = 0;
	r->pages = 0;
	r->next = 1;
}

/* A mark has to be right; without a race, it has to be there if events were lost */
static void check_marks(struct reader *r, const struct snapshot *s, u64 lost, bool closed)
{
	bool room = s->commit + sizeof(long) <= DATA_SIZE;

	if (s->missed) {
		CHECK(lost);
		CHECK_EQ(s->stored, room);
		if (s->stored)
			CHECK_EQ(s->lost, lost);
	}
	if (!r->racing)
		CHECK_EQ(s->missed, lost && closed);
	r->marked += s->stored;
	r->unstored += s->missed && !s->stored;
}

int reader_swap(struct reader *r)
{
	struct buf *b = r->b;
	struct trace_buffer_meta before = *b->meta;
	u32 old = b->w.reader_id;
	struct snapshot s;
	u64 lost;
	int ret;

	ret = rb_writer_swap(&b->w, r->seen);
	if (ret != RB_SWAP_DONE) {
		CHECK_EQ(b->meta->reader.id, before.reader.id);
		CHECK_EQ(b->meta->reader.lost_events, before.reader.lost_events);
		CHECK_EQ(b->meta->pages_read, before.pages_read);
		CHECK_EQ(b->meta->pages_gone, before.pages_gone);
		CHECK_EQ(b->w.reader_id, old);
		return ret;
	}

	CHECK(b->meta->reader.id < b->nr);
	CHECK(b->meta->reader.id != old);
	CHECK_EQ(b->meta->reader.id, b->w.reader_id);
	CHECK_EQ(b->meta->pages_read, ++r->pages);
	lost = b->meta->reader.lost_events;
	snapshot_take(&s, buf_subbuf(b, b->w.reader_id)->page);
	check_marks(r, &s, lost, !r->racing && buf_head(b) <= b->w.tail);
	if (r->compare && r->pages % r->compare == 0)
		snapshot_compare(&s);
	r->next += lost;
	r->lost += lost;
	r->seen = 0;
	return ret;
}

/* Not by READ_ONCE(), which has a hook */
static u64 counter(const u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

u32 reader_read(struct reader *r, u32 max)
{
	const struct trace_buffer_meta *meta = r->b->meta;
	u64 overrun = counter(&meta->overrun);
	struct snapshot s;
	struct event ev, due;
	struct walk k;
	u32 n = 0;

	snapshot_take(&s, buf_subbuf(r->b, r->b->w.reader_id)->page);
	CHECK(s.commit >= r->seen);
	walk_start(&k, &s);
	while (n < max && walk_next(&k, &ev)) {
		if (k.pos <= r->seen)
			continue;
		due = r->expect(r->next);
		CHECK_EQ(ev.seq, due.seq);
		CHECK_EQ(ev.size, due.size);
		CHECK_EQ(ev.ts, due.ts);
		r->seen = k.pos;
		r->next++;
		n++;
	}
	r->read += n;
	/* At all times: else the number of entries that are left were negative */
	CHECK(counter(&meta->entries) >= overrun + r->read);
	return n;
}

void reader_account(struct reader *r)
{
	struct buf *b = r->b;
	u64 in_buffer = buf_in_ring(b);
	struct snapshot s;
	struct event ev;
	struct walk k;

	snapshot_take(&s, buf_subbuf(b, b->w.reader_id)->page);
	for (walk_start(&k, &s); walk_next(&k, &ev); )
		in_buffer += k.pos > r->seen;
	CHECK_EQ(b->tried, r->read + in_buffer + b->w.overrun + b->w.dropped);
	CHECK_EQ(b->w.entries, r->read + in_buffer + b->w.overrun);
	CHECK(r->lost <= b->w.overrun + b->w.dropped);
}

void reader_drain(struct reader *r)
{
	int ret;

	do {
		reader_read(r, ~0U);
		ret = reader_swap(r);
	} while (ret == RB_SWAP_DONE);
	CHECK_EQ(ret, RB_SWAP_NOTHING);
	CHECK_EQ(buf_in_ring(r->b), 0);
	buf_check(r->b);
	reader_account(r);
	CHECK_EQ(r->b->w.entries, r->read + r->b->w.overrun);
}
