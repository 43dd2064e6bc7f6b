// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of a sub-buffer: they have to be as events/header_page and
 * events/header_event say, and as libtraceevent reads them.
 */
#include "lib.h"

#define LOG_SIZE	4096

/* The events of the test that runs */
static struct event expected[LOG_SIZE];

static struct event expect_logged(u32 seq)
{
	CHECK(seq < LOG_SIZE);
	return expected[seq];
}

static void start(struct buf *b, struct reader *r, u32 nr)
{
	buf_init(b, nr);
	rb_writer_set_on(&b->w, true);
	reader_init(r, b);
	r->expect = expect_logged;
}

/* Write an event at @ts that a reader has to see with the timestamp @read_ts */
static void put(struct buf *b, u32 size, u64 ts, u64 read_ts)
{
	CHECK(b->tried + 1 < LOG_SIZE);
	expected[b->tried + 1] = (struct event){ b->tried + 1, size, read_ts };
	CHECK(buf_write_as(b, size, ts));
	buf_check(b);
}

static u32 tail_used(struct buf *b)
{
	return b->w.used;
}

static u32 tail_word(struct buf *b, u32 offset)
{
	u32 word;

	memcpy(&word, b->w.page->data + offset, sizeof(word));
	return word;
}

static void test_compact(void)
{
	struct reader r;
	struct buf b;
	u32 size, at;
	u64 ts = 1000;

	start(&b, &r, 16);
	for (size = 4; size <= 112; size += 4) {
		at = tail_used(&b);
		ts += 7;
		put(&b, size, ts, ts);
		CHECK_EQ(tail_used(&b), at + 4 + size);
		CHECK_EQ(b.w.page->commit, at + 4 + size);
		CHECK_EQ(tail_word(&b, at), (at ? 7 : tail_word(&b, 0) >> 5) << 5 | size / 4);
		CHECK_EQ(tail_word(&b, at + 4), b.tried);
	}
	reader_drain(&r);
	CHECK_EQ(r.read, 28);
	buf_free(&b);
}

/* The length is in a word of its own, and counts that word */
static void test_long(void)
{
	static const u32 sizes[] = { 116, 120, 112, 272, 508, RB_WRITER_MAX_LONG };
	struct reader r;
	struct buf b;
	u32 i, at;

	start(&b, &r, 16);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u32 hdr = sizes[i] > 112 ? 8 : 4;

		at = tail_used(&b);
		put(&b, sizes[i], 1000 + 7 * i, 1000 + 7 * i);
		CHECK_EQ(tail_used(&b), at + hdr + sizes[i]);
		CHECK_EQ(b.w.page->commit, at + hdr + sizes[i]);
		if (hdr == 4)
			continue;
		CHECK_EQ(tail_word(&b, at) & 31, 0);
		CHECK_EQ(tail_word(&b, at + 4), 4 + sizes[i]);
		CHECK_EQ(tail_word(&b, at + 8), b.tried);
	}
	reader_drain(&r);
	CHECK_EQ(r.read, ARRAY_SIZE(sizes));
	buf_free(&b);
}

/* One event, then one @delta later: stored in 27 bits, or with an extend */
static void one_delta(u64 delta, bool extended)
{
	struct reader r;
	struct buf b;
	u64 first = 1ULL << 40;

	start(&b, &r, 4);
	put(&b, 8, first, first);
	put(&b, 8, first + delta, first + delta);
	CHECK_EQ(tail_used(&b), 24 + (extended ? 8 : 0));
	if (extended) {
		CHECK_EQ(tail_word(&b, 12), (u32)(delta << 5) | 30);
		CHECK_EQ(tail_word(&b, 16), delta >> 27);
		CHECK_EQ(tail_word(&b, 20), 2);
	} else {
		CHECK_EQ(tail_word(&b, 12), (u32)delta << 5 | 2);
	}
	put(&b, 12, first + delta + 1, first + delta + 1);
	reader_drain(&r);
	CHECK_EQ(r.read, 3);
	buf_free(&b);
}

static void test_deltas(void)
{
	one_delta(0, false);
	one_delta(1, false);
	one_delta((1ULL << 27) - 1, false);
	one_delta(1ULL << 27, true);
	one_delta((1ULL << 27) + 1, true);
	one_delta((1ULL << 28) - 1, true);
	one_delta(1ULL << 58, true);
	one_delta((1ULL << 59) - 1, true);
}

/* Without an extend, and with no trace of the last event before the reset */
static void test_first_event(void)
{
	static const u64 stamps[] = { 0, 1, (1 << 27) - 1, 1 << 27, 1ULL << 58, ~0ULL };
	struct reader r;
	struct buf b;
	u32 i;

	start(&b, &r, 4);
	for (i = 0; i < ARRAY_SIZE(stamps); i++) {
		put(&b, 8, stamps[i], stamps[i]);
		CHECK_EQ(tail_used(&b), 12);
		put(&b, 8, stamps[i], stamps[i]);
		reader_drain(&r);
		CHECK_EQ(r.read, 2);
		rb_writer_reset(&b.w);
		b.tried = 0;
		reader_reset(&r);
		buf_check(&b);
	}
	buf_free(&b);
}

static void test_back_in_time(void)
{
	struct reader r;
	struct buf b;

	start(&b, &r, 4);
	put(&b, 8, 5000, 5000);
	put(&b, 8, 4999, 5000);
	put(&b, 8, 0, 5000);
	put(&b, 8, 5001, 5001);
	put(&b, 8, 1ULL << 50, 1ULL << 50);
	put(&b, 8, 5002, 1ULL << 50);
	/* Also across the end of a sub-buffer */
	while (!b.w.tail)
		put(&b, 112, 6000, 1ULL << 50);
	CHECK_EQ(b.w.page->time_stamp, 1ULL << 50);
	put(&b, 8, (1ULL << 50) + 3, (1ULL << 50) + 3);
	CHECK_EQ(tail_word(&b, 116), 3 << 5 | 2);
	reader_drain(&r);
	CHECK_EQ(r.read, b.tried);
	buf_free(&b);
}

/* Leave @left bytes free on a fresh sub-buffer */
static void fill_but(struct buf *b, u32 left, u64 ts)
{
	while (DATA_SIZE - tail_used(b) - left >= 116 + 8)
		put(b, 112, ts, ts);
	while (DATA_SIZE - tail_used(b) - left >= 8 + 8)
		put(b, 4, ts, ts);
	put(b, DATA_SIZE - tail_used(b) - left - 4, ts, ts);
	CHECK_EQ(tail_used(b), DATA_SIZE - left);
}

static void one_end(u32 left, u32 size, u64 delta, bool fits)
{
	u32 hdr = size > 112 ? 8 : 4;
	u32 len = hdr + size + (delta >= 1 << 27 ? 8 : 0);
	u64 ts = 1ULL << 30;
	struct reader r;
	struct buf b;

	start(&b, &r, 4);
	fill_but(&b, left, ts);
	put(&b, size, ts + delta, ts + delta);
	CHECK_EQ(b.w.tail, !fits);
	/* A new sub-buffer carries the time, so it needs no extend */
	CHECK_EQ(tail_used(&b), fits ? DATA_SIZE - left + len : hdr + size);
	if (!fits) {
		CHECK_EQ(b.w.page->time_stamp, ts + delta);
		CHECK_EQ(buf_subbuf(&b, 1)->commit, DATA_SIZE - left);
	}
	put(&b, 4, ts + delta + 1, ts + delta + 1);
	reader_drain(&r);
	CHECK_EQ(r.read, b.tried);
	buf_free(&b);
}

static void test_page_end(void)
{
	static const u32 sizes[] = { 4, 8, 60, 108, 112, 116, RB_WRITER_MAX_LONG };
	u64 far = 1ULL << 27;
	u32 i, size, len;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		size = sizes[i];
		len = size + (size > 112 ? 8 : 4);
		one_end(len, size, 1, true);
		one_end(len - 4, size, 1, false);
		one_end(len + 4, size, 1, true);
		one_end(0, size, 1, false);
		one_end(8 + len, size, far, true);
		one_end(8 + len - 4, size, far, false);
		one_end(len, size, far, false);
		one_end(0, size, far, false);
	}
}

const struct test format_tests[] = {
	{ "format: compact header, sizes 4 to 112", test_compact },
	{ "format: long header, sizes 116 to 512", test_long },
	{ "format: deltas and time extend", test_deltas },
	{ "format: first event after a reset", test_first_event },
	{ "format: a timestamp that goes back", test_back_in_time },
	{ "format: end of the sub-buffer", test_page_end },
};

const int nr_format_tests = ARRAY_SIZE(format_tests);
