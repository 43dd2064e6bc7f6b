// SPDX-License-Identifier: GPL-2.0
/*
 * A writer at full speed beside a reader that swaps. Each number is seen once or
 * counted as lost, in its place; the sanitizers look on.
 */
#include <pthread.h>
#include <sched.h>
#include "lib.h"

/* The reader is to take part, also where both threads share one CPU */
#define MIN_SWAPS(pages)	((pages) / 20)

static u64 min_pages;
/* Statistics that both threads look at; not the writer's business */
static u64 swaps_done;
static bool writer_done;

static struct event expect_fast(u32 seq)
{
	return (struct event){ seq, 44 + 4 * (seq & 16), 1ULL << 30 | (u64)seq << 3 };
}

/* Done, or else let the reader have the CPU once in a sub-buffer */
static bool enough(struct buf *b, u64 *tail)
{
	if (b->w.tail < min_pages || b->w.tail == *tail)
		return false;
	*tail = b->w.tail;
	if (__atomic_load_n(&swaps_done, __ATOMIC_RELAXED) >= MIN_SWAPS(min_pages))
		return true;
	sched_yield();
	return false;
}

static void *writer_thread(void *arg)
{
	struct buf *b = arg;
	struct event ev;
	u64 tail = 0;

	while (!enough(b, &tail)) {
		ev = expect_fast(b->tried + 1);
		/* Full, and to stay so until the reader runs */
		if (!buf_write_as(b, ev.size, ev.ts))
			sched_yield();
	}
	__atomic_store_n(&writer_done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* One round of the reader; false when there was nothing to do */
static bool read_some(struct reader *r, u64 *busy)
{
	int ret;

	reader_read(r, ~0U);
	ret = reader_swap(r);
	*busy += ret < 0;
	__atomic_store_n(&swaps_done, r->pages, __ATOMIC_RELAXED);
	return ret == RB_SWAP_DONE || ret == RB_SWAP_MORE;
}

static void one_race(u32 nr, bool overwrite, u64 pages)
{
	struct reader r;
	u64 busy = 0;
	pthread_t thread;
	struct buf b;

	buf_init(&b, nr);
	b.w.overwrite = overwrite;
	rb_writer_set_on(&b.w, true);
	reader_init(&r, &b);
	r.racing = true;
	r.compare = 64;
	r.expect = expect_fast;
	min_pages = pages;
	swaps_done = 0;
	writer_done = false;

	CHECK(!pthread_create(&thread, NULL, writer_thread, &b));
	while (!__atomic_load_n(&writer_done, __ATOMIC_ACQUIRE))
		read_some(&r, &busy);
	CHECK(!pthread_join(thread, NULL));

	r.racing = false;
	reader_drain(&r);
	CHECK_EQ(b.tried, r.read + b.w.overrun + b.w.dropped);
	CHECK(b.w.tail >= min_pages);
	printf("# %u sub-buffers: %llu written, %llu taken, %llu lost, busy %llu times\n",
	       nr, b.w.tail, b.w.read, b.w.lost, busy);
	buf_free(&b);
}

static void test_overwrite_3(void)
{
	one_race(3, true, 200000);
}

static void test_overwrite_4(void)
{
	one_race(4, true, 60000);
}

static void test_overwrite_16(void)
{
	one_race(16, true, 60000);
}

static void test_keep_oldest_3(void)
{
	one_race(3, false, 20000);
}

const struct test thread_tests[] = {
	{ "threads: overwrite, 3 sub-buffers", test_overwrite_3 },
	{ "threads: overwrite, 4 sub-buffers", test_overwrite_4 },
	{ "threads: overwrite, 16 sub-buffers", test_overwrite_16 },
	{ "threads: keep the oldest, 3 sub-buffers", test_keep_oldest_3 },
};

const int nr_thread_tests = ARRAY_SIZE(thread_tests);
