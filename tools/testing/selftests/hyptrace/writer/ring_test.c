// SPDX-License-Identifier: GPL-2.0
/*
 * The ring: events are overwritten, dropped, swapped out and reset, and all of it is
 * counted and reported where it happened.
 */
#include <errno.h>
#include "lib.h"

static void start(struct buf *b, struct reader *r, u32 nr, bool overwrite)
{
	buf_init(b, nr);
	b->w.overwrite = overwrite;
	rb_writer_set_on(&b->w, true);
	reader_init(r, b);
}

static void write_events(struct buf *b, struct reader *r, u32 n)
{
	while (n--) {
		u64 tail = b->w.tail;

		buf_write(b);
		/* Check after each event for small rings, after each sub-buffer for large ones */
		if (b->nr <= 16 || b->w.tail != tail)
			buf_check(b);
		if (b->nr <= 16)
			reader_account(r);
	}
	reader_account(r);
}

static void reset(struct buf *b, struct reader *r)
{
	rb_writer_reset(&b->w);
	b->tried = 0;
	b->refused = 0;
	reader_reset(r);
	buf_check(b);
	CHECK_EQ(b->meta->entries | b->meta->overrun | b->meta->dropped, 0);
	CHECK_EQ(b->meta->pages_lost | b->meta->pages_read | b->meta->pages_touched, 0);
	CHECK_EQ(b->meta->reader.lost_events, 0);
	CHECK_EQ(buf_subbuf(b, b->w.reader_id)->page->commit, 0);
	CHECK_EQ(buf_in_ring_parsed(b), 0);
}

/* Around the ring several times, with some swaps, then read all the rest */
static void around(u32 nr, bool overwrite)
{
	u64 seed = nr, turns = nr > 16 ? 3 : 30;
	struct reader r;
	struct buf b;
	u32 steps;

	start(&b, &r, nr, overwrite);
	for (steps = 0; steps < nr * turns; steps++) {
		write_events(&b, &r, rnd(&seed, 200));
		if (nr <= 16 || steps % 64 == 0)
			CHECK_EQ(buf_in_ring(&b), buf_in_ring_parsed(&b));
		/* In phases: no reader, a slow one, one that keeps up */
		if (rnd(&seed, 8) < steps / nr % 10) {
			reader_read(&r, rnd(&seed, 3) ? ~0U : rnd(&seed, 100));
			reader_swap(&r);
		}
	}
	write_events(&b, &r, 100 * nr);
	CHECK(overwrite ? b.w.overrun && !b.w.dropped : !b.w.overrun && b.w.dropped);
	reader_drain(&r);
	CHECK_EQ(r.pages, b.w.read);

	/* The last losses are reported with the next event */
	CHECK(buf_write(&b));
	reader_drain(&r);
	CHECK_EQ(r.lost, b.w.overrun + b.w.dropped);
	CHECK_EQ(r.next, b.tried + 1);
	CHECK(r.marked);
	buf_free(&b);
}

static void test_overwrite(void)
{
	around(3, true);
	around(4, true);
	around(16, true);
}

static void test_keep_oldest(void)
{
	around(3, false);
	around(4, false);
	around(16, false);
}

static void test_large(void)
{
	CHECK(1000 > 5 * RB_WRITER_SUBBUFS_PER_PAGE);
	around(1000, true);
	around(1000, false);
}

/* One size only: how many sub-buffers are lost, and which, is known exactly */
static struct event expect_small(u32 seq)
{
	return (struct event){ seq, 4, seq };
}

static struct event expect_uneven(u32 seq)
{
	return (struct event){ seq, 112, seq };
}

static void write_sized(struct buf *b, u32 size, u32 n)
{
	while (n--)
		buf_write_as(b, size, b->tried + 1);
}

/* The reader has sub-buffer 0; then the writer goes @turns times around the ring */
static void overrun_exact(u32 slots, u32 size, struct event (*expect)(u32 seq))
{
	u32 per_page = DATA_SIZE / (4 + size);
	struct reader r;
	struct buf b;

	start(&b, &r, slots + 1, true);
	r.expect = expect;
	write_sized(&b, size, per_page * 5 * slots);
	CHECK_EQ(b.w.tail, 5 * slots - 1);
	CHECK_EQ(b.w.lost, 4 * slots);
	CHECK_EQ(b.w.overrun, per_page * 4 * slots);
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	CHECK_EQ(b.meta->reader.lost_events, per_page * 4 * slots);
	CHECK_EQ(reader_read(&r, ~0U), per_page);
	if (DATA_SIZE - per_page * (4 + size) >= sizeof(long))
		CHECK(r.marked == 1 && r.unstored == 0);
	else
		CHECK(r.marked == 0 && r.unstored == 1);
	if (slots > 1) {
		CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
		CHECK_EQ(b.meta->reader.lost_events, 0);
	}
	reader_drain(&r);
	CHECK_EQ(r.marked + r.unstored, 1);
	CHECK_EQ(r.read, per_page * slots);
	buf_free(&b);
}

static void test_marks(void)
{
	overrun_exact(2, 4, expect_small);
	overrun_exact(2, 112, expect_uneven);
	overrun_exact(15, 4, expect_small);
	overrun_exact(15, 112, expect_uneven);
}

static void test_drops_exact(void)
{
	u32 per_page = DATA_SIZE / 8;
	struct reader r;
	struct buf b;

	start(&b, &r, 3, false);
	r.expect = expect_small;
	write_sized(&b, 4, 2 * per_page + 10);
	CHECK_EQ(b.w.dropped, 10);
	CHECK_EQ(b.w.entries, 2 * per_page);
	buf_check(&b);
	/* No loss is reported before these two, and not yet the one after the second */
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	CHECK_EQ(b.meta->reader.lost_events, 0);
	CHECK_EQ(reader_read(&r, ~0U), per_page);
	/* There is room again: the ten lost events are reported before this one */
	write_sized(&b, 4, 1);
	CHECK_EQ(b.w.tail, 2);
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	CHECK_EQ(b.meta->reader.lost_events, 0);
	CHECK_EQ(reader_read(&r, ~0U), per_page);
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	CHECK_EQ(b.meta->reader.lost_events, 10);
	CHECK_EQ(reader_read(&r, ~0U), 1);
	CHECK_EQ(r.next, 2 * per_page + 12);
	reader_drain(&r);
	buf_free(&b);
}

/* A drop shuts the sub-buffer, even if a smaller event would still fit on it */
static void test_drop_shuts(void)
{
	struct reader r;
	struct buf b;

	start(&b, &r, 3, false);
	write_sized(&b, 112, 2 * (DATA_SIZE / 116));
	CHECK(!buf_write_as(&b, 112, b.tried + 1));
	CHECK(!buf_write_as(&b, 4, b.tried + 1));
	CHECK(!buf_write_as(&b, 4, 1ULL << 40));
	CHECK_EQ(b.w.dropped, 3);
	/* The time of what was dropped is forgotten */
	r.expect = expect_uneven;
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	reader_read(&r, ~0U);
	CHECK(buf_write_as(&b, 112, b.tried + 1));
	reader_drain(&r);
	CHECK_EQ(r.lost, 3);
	/* Overwriting continues where dropping stopped */
	write_sized(&b, 112, 3 * (DATA_SIZE / 116));
	CHECK(b.w.dropped > 3);
	b.w.overwrite = true;
	CHECK(buf_write_as(&b, 112, b.tried + 1));
	CHECK_EQ(b.w.lost, 1);
	buf_check(&b);
	reader_drain(&r);
	CHECK_EQ(r.lost, b.w.dropped + b.w.overrun);
	buf_free(&b);
}

static void test_swap_empty(void)
{
	struct reader r;
	struct buf b;
	u32 i;

	start(&b, &r, 4, true);
	/* The first swap gives the reader the sub-buffer that is written first */
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	CHECK_EQ(b.meta->reader.lost_events, 0);
	CHECK_EQ(reader_read(&r, ~0U), 0);
	for (i = 0; i < 10; i++) {
		CHECK_EQ(reader_swap(&r), RB_SWAP_NOTHING);
		buf_check(&b);
	}
	CHECK(buf_write(&b));
	CHECK_EQ(reader_swap(&r), RB_SWAP_NOTHING);
	CHECK_EQ(reader_read(&r, ~0U), 1);
	CHECK_EQ(reader_swap(&r), RB_SWAP_NOTHING);
	reader_drain(&r);
	buf_free(&b);
}

/* The reader follows the writer on the sub-buffer, then over its end */
static void test_swap_tail(void)
{
	struct reader r;
	struct buf b;
	u32 n;

	start(&b, &r, 3, true);
	CHECK(buf_write(&b));
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	for (n = 0; n < 1000; n++) {
		CHECK(buf_write(&b));
		buf_check(&b);
		while (reader_swap(&r) == RB_SWAP_MORE)
			CHECK(reader_read(&r, ~0U));
		CHECK_EQ(reader_swap(&r), RB_SWAP_NOTHING);
		reader_read(&r, ~0U);
		reader_account(&r);
		CHECK_EQ(r.read, b.tried);
	}
	CHECK_EQ(r.lost, 0);
	CHECK(r.pages > 10);
	buf_free(&b);
}

static void test_swap_more(void)
{
	struct reader r;
	struct buf b;
	u32 size, i;

	start(&b, &r, 4, true);
	r.expect = expect_small;
	write_sized(&b, 4, 1);
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	reader_read(&r, ~0U);
	write_sized(&b, 4, DATA_SIZE / 8);
	CHECK_EQ(b.w.tail, 1);
	size = buf_subbuf(&b, b.w.reader_id)->commit;
	for (i = 0; i < DATA_SIZE; i += 4) {
		if (i == size)
			continue;
		CHECK_EQ(rb_writer_swap(&b.w, i), RB_SWAP_MORE);
		buf_check(&b);
	}
	CHECK_EQ(rb_writer_swap(&b.w, ~0U), RB_SWAP_MORE);
	CHECK_EQ(reader_swap(&r), RB_SWAP_MORE);
	reader_read(&r, ~0U);
	CHECK_EQ(r.seen, size);
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	reader_drain(&r);
	CHECK_EQ(r.read, b.tried);
	buf_free(&b);
}

/*
 * The other side, called from within a swap. Only one side at a time has the hook.
 */
static struct {
	struct buf	*buf;
	u64		pages;
	u32		times;
	u32		runs;
	bool		after;
	bool		mode;
} other;

static void writer_in_swap(const struct shim_access *access)
{
	if (access->addr != &other.buf->w.head || access->op != SHIM_CMPXCHG)
		return;
	if (access->done != other.after || (other.after && !access->won))
		return;
	if (other.runs == other.times)
		return;
	other.runs++;
	shim_hook = NULL;
	buf_write_pages(other.buf, other.pages);
	shim_hook = writer_in_swap;
}

static int swap_with_writer(struct reader *r, bool after, u64 pages, u32 times)
{
	int ret;

	other.buf = r->b;
	other.after = after;
	other.pages = pages;
	other.times = times;
	other.runs = 0;
	r->racing = true;
	shim_hook = writer_in_swap;
	ret = reader_swap(r);
	shim_hook = NULL;
	r->racing = false;
	return ret;
}

/* The writer overwrites the oldest just before each exchange of the swapper */
static void one_busy(u32 nr)
{
	struct reader r;
	struct buf b;
	u32 times;
	int ret;

	start(&b, &r, nr, true);
	buf_write_pages(&b, 2 * nr);
	for (times = 0; times < 20; times++) {
		reader_read(&r, ~0U);
		buf_write_pages(&b, 2 * nr);
		ret = swap_with_writer(&r, false, 1, times);
		CHECK_EQ(ret, times < 8 ? RB_SWAP_DONE : -EBUSY);
		CHECK_EQ(other.runs, times < 8 ? times : 8);
		buf_check(&b);
		reader_account(&r);
	}
	reader_drain(&r);
	CHECK_EQ(r.lost, b.w.overrun);
	buf_free(&b);
}

static void test_busy(void)
{
	one_busy(3);
	one_busy(4);
	one_busy(16);
}

/*
 * The swapper has won, and has not stored into the slot yet, while the writer continues
 * for @pages.
 */
static void one_late_store(u32 nr, u64 before, u64 pages, bool overwrite)
{
	struct reader r;
	struct buf b;
	u32 i;

	start(&b, &r, nr, overwrite);
	for (i = 0; i < 4; i++) {
		reader_read(&r, ~0U);
		buf_write_pages(&b, before);
		reader_read(&r, ~0U);
		if (buf_head(&b) > b.w.tail)
			continue;
		CHECK_EQ(swap_with_writer(&r, true, pages, 1), RB_SWAP_DONE);
		CHECK_EQ(other.runs, 1);
		buf_check(&b);
		reader_account(&r);
	}
	reader_drain(&r);
	buf_write(&b);
	reader_drain(&r);
	CHECK_EQ(r.lost, b.w.overrun + b.w.dropped);
	CHECK_EQ(r.next, b.tried + 1);
	buf_free(&b);
}

static void late_stores(u32 nr)
{
	u64 before, pages;

	for (before = 0; before <= nr + 1; before++) {
		for (pages = 0; pages <= 3 * nr; pages++) {
			one_late_store(nr, before, pages, true);
			one_late_store(nr, before, pages, false);
		}
	}
}

static void test_late_store(void)
{
	late_stores(3);
	late_stores(4);
	late_stores(7);
}

/* The stores that start sub-buffer 2: 'c' commit, 's' timestamp, 't' tail, '|' a barrier */
static struct buf *starting;
static char start_order[16];

static char name_store(const struct shim_access *access)
{
	const struct rb_page *page = buf_subbuf(starting, 2)->page;

	if (!access->done || access->op == SHIM_LOAD)
		return '\0';
	if (access->op == SHIM_WMB)
		return '|';
	if (access->addr == &page->commit)
		return 'c';
	if (access->addr == &page->time_stamp)
		return 's';
	return access->addr == &starting->w.tail ? 't' : '\0';
}

static void note_start(const struct shim_access *access)
{
	size_t len = strlen(start_order);

	CHECK(len + 1 < sizeof(start_order));
	start_order[len] = name_store(access);
}

/* A missing barrier may have no effect on this machine, so check that they are called */
static void test_start_order(void)
{
	struct buf b;

	buf_init(&b, 3);
	rb_writer_set_on(&b.w, true);
	starting = &b;
	shim_hook = note_start;
	buf_write_pages(&b, 1);
	shim_hook = NULL;
	printf("# %s\n", start_order);
	CHECK(!strcmp(start_order, "c|s|tc"));
	buf_free(&b);
}

static struct buf *counted;
static u64 nr_committed;

static void check_count(const struct shim_access *access)
{
	if (!access->done || access->op != SHIM_STORE || !access->value ||
	    access->addr != &counted->w.page->commit)
		return;
	nr_committed++;
	CHECK(counted->meta->entries >= nr_committed);
}

/* An event that can be read is among the entries that the meta page counts */
static void test_count_order(void)
{
	struct buf b;

	buf_init(&b, 3);
	rb_writer_set_on(&b.w, true);
	counted = &b;
	shim_hook = check_count;
	buf_write_pages(&b, 5);
	shim_hook = NULL;
	CHECK_EQ(nr_committed, b.meta->entries);
	buf_free(&b);
}

static void test_reset(void)
{
	struct reader r;
	struct buf b;
	u64 seed = 1;
	u32 i;

	start(&b, &r, 4, true);
	reset(&b, &r);
	for (i = 0; i < 500; i++) {
		b.w.overwrite = rnd(&seed, 2);
		write_events(&b, &r, rnd(&seed, 400));
		while (rnd(&seed, 4)) {
			reader_read(&r, rnd(&seed, 100));
			reader_swap(&r);
		}
		rb_writer_set_on(&b.w, rnd(&seed, 2));
		reset(&b, &r);
		if (!b.w.on)
			CHECK(!buf_write(&b));
		rb_writer_set_on(&b.w, true);
		write_events(&b, &r, 1 + rnd(&seed, 300));
		reader_drain(&r);
		CHECK(b.w.dropped || r.read + r.lost == b.tried);
		reset(&b, &r);
	}
	buf_free(&b);
}

static void test_on_off(void)
{
	struct reader r;
	struct buf b;
	u32 i;

	buf_init(&b, 3);
	reader_init(&r, &b);
	CHECK(!buf_write(&b));
	CHECK(!buf_write_as(&b, 4, 0));
	rb_writer_set_on(&b.w, false);
	CHECK_EQ(b.off, 2);
	buf_check(&b);
	for (i = 0; i < 1000; i++) {
		rb_writer_set_on(&b.w, true);
		rb_writer_set_on(&b.w, true);
		CHECK(buf_write(&b));
		rb_writer_set_on(&b.w, false);
		rb_writer_set_on(&b.w, false);
		CHECK(!buf_write(&b));
		buf_check(&b);
		reader_account(&r);
		/* An event while off is no loss, and the reader can read on */
		reader_drain(&r);
		CHECK_EQ(r.read, i + 1);
	}
	CHECK_EQ(r.lost, 0);
	buf_free(&b);
}

/* At the end of the sequence numbers, events are refused, and nothing else happens */
static void test_last_page(void)
{
	u64 last = (1ULL << 42) - 1, at = last - 4;
	struct reader r;
	struct buf b;

	start(&b, &r, 3, true);
	at -= at % 2;
	b.w.head = at << 22;
	b.w.tail = at;
	write_sized(&b, 112, 100 * (DATA_SIZE / 116));
	CHECK_EQ(b.w.tail, last - 1);
	CHECK_EQ(buf_head(&b), last - 2);
	CHECK(b.w.dropped);
	r.expect = expect_uneven;
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	reader_read(&r, ~0U);
	CHECK_EQ(reader_swap(&r), RB_SWAP_DONE);
	reader_read(&r, ~0U);
	CHECK_EQ(reader_swap(&r), RB_SWAP_NOTHING);
	reader_account(&r);
	reset(&b, &r);
	CHECK(buf_write_as(&b, 112, 1));
	reader_drain(&r);
	buf_free(&b);
}

const struct test ring_tests[] = {
	{ "ring: overwrite, 3, 4 and 16 sub-buffers", test_overwrite },
	{ "ring: keep the oldest, 3, 4 and 16 sub-buffers", test_keep_oldest },
	{ "ring: 1000 sub-buffers", test_large },
	{ "ring: overrun exact, marks with and without a count", test_marks },
	{ "ring: drops exact, reported where they happened", test_drops_exact },
	{ "ring: a drop shuts the sub-buffer", test_drop_shuts },
	{ "swap: an empty buffer", test_swap_empty },
	{ "swap: the reader follows the writer", test_swap_tail },
	{ "swap: the reader has not seen the end", test_swap_more },
	{ "swap: busy after 8 attempts", test_busy },
	{ "swap: late store into the slot", test_late_store },
	{ "writer: order in which a sub-buffer is started", test_start_order },
	{ "writer: an event is counted before it can be read", test_count_order },
	{ "owner: reset at any time", test_reset },
	{ "owner: on and off", test_on_off },
	{ "ring: the last sub-buffer of all", test_last_page },
};

const int nr_ring_tests = ARRAY_SIZE(ring_tests);
