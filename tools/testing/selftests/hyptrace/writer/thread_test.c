// SPDX-License-Identifier: GPL-2.0
/*
 * A writer at full speed and a reader that swaps; then with two readers, resets and
 * switches. Each number is seen once, or counted as lost in its place, under the
 * sanitizers.
 */
#include <pthread.h>
#include <sched.h>
#include "lib.h"

/* The reader has to take part, even if both threads share one CPU */
#define MIN_SWAPS(pages)	((pages) / 20)

static u64 min_pages;
/* Statistics for both threads, not used by the writer */
static u64 swaps_done;
static bool writer_done;

static struct event expect_fast(u32 seq)
{
	return (struct event){ seq, 44 + 4 * (seq & 16), 1ULL << 30 | (u64)seq << 3 };
}

/* Is it done? If not, let the reader have the CPU once in each sub-buffer */
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

/*
 * The owner's race: the writer's thread also switches itself off and on and resets,
 * as its CPU would; another thread resets while it is off.
 */
#define OWN_RESETS	200
#define OTHER_RESETS	20
#define SHARED_SWAPS	2000

/**
 * struct shared - what the threads share
 * @lock: that of the readers and of the owner, and EL2's, as one
 * @swaps: over all resets
 * @done: of the writer
 */
struct shared {
	struct buf	b;
	struct reader	r;
	pthread_mutex_t	lock;
	u64		swaps;
	u64		own_resets;
	u64		other_resets;
	bool		done;
};

static void reset_locked(struct shared *s)
{
	s->swaps += s->r.pages;
	rb_writer_reset(&s->b.w);
	s->b.tried = 0;
	s->b.refused = 0;
	reader_reset(&s->r);
}

static void reset_own(struct shared *s)
{
	pthread_mutex_lock(&s->lock);
	reset_locked(s);
	s->own_resets++;
	pthread_mutex_unlock(&s->lock);
}

static void switch_to(struct shared *s, bool on)
{
	pthread_mutex_lock(&s->lock);
	rb_writer_set_on(&s->b.w, on);
	pthread_mutex_unlock(&s->lock);
}

static bool raced_enough(struct shared *s)
{
	bool enough;

	pthread_mutex_lock(&s->lock);
	enough = s->own_resets >= OWN_RESETS && s->other_resets >= OTHER_RESETS &&
		 s->swaps >= SHARED_SWAPS;
	pthread_mutex_unlock(&s->lock);
	return enough;
}

static void *switching_writer(void *arg)
{
	struct shared *s = arg;
	u64 seed = 1;
	u32 n;

	while (!raced_enough(s)) {
		for (n = 200 + rnd(&seed, 2000); n; n--) {
			struct event ev = expect_fast(s->b.tried + 1);

			if (!buf_write_as(&s->b, ev.size, ev.ts))
				sched_yield();
		}
		if (rnd(&seed, 2)) {
			reset_own(s);
			continue;
		}
		switch_to(s, false);
		for (n = rnd(&seed, 8); n; n--)
			sched_yield();
		switch_to(s, true);
	}
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void *sharing_reader(void *arg)
{
	struct shared *s = arg;
	u64 busy = 0;

	while (!__atomic_load_n(&s->done, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&s->lock);
		read_some(&s->r, &busy);
		pthread_mutex_unlock(&s->lock);
		sched_yield();
	}
	return NULL;
}

static void *other_owner(void *arg)
{
	struct shared *s = arg;

	while (!__atomic_load_n(&s->done, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&s->lock);
		if (!s->b.w.on) {
			reset_locked(s);
			s->other_resets++;
		}
		pthread_mutex_unlock(&s->lock);
		sched_yield();
	}
	return NULL;
}

static void owner_race(u32 nr, bool overwrite)
{
	void *(*fns[])(void *) = { switching_writer, sharing_reader, sharing_reader, other_owner };
	pthread_t threads[ARRAY_SIZE(fns)];
	static struct shared s;
	u32 i;

	memset(&s, 0, sizeof(s));
	CHECK(!pthread_mutex_init(&s.lock, NULL));
	buf_init(&s.b, nr);
	s.b.w.overwrite = overwrite;
	rb_writer_set_on(&s.b.w, true);
	reader_init(&s.r, &s.b);
	s.r.racing = true;
	s.r.compare = 64;
	s.r.expect = expect_fast;

	for (i = 0; i < ARRAY_SIZE(fns); i++)
		CHECK(!pthread_create(&threads[i], NULL, fns[i], &s));
	for (i = 0; i < ARRAY_SIZE(fns); i++)
		CHECK(!pthread_join(threads[i], NULL));

	s.r.racing = false;
	reader_drain(&s.r);
	CHECK_EQ(s.b.tried, s.r.read + s.b.w.overrun + s.b.w.dropped);
	printf("# %u sub-buffers: %llu taken, %llu and %llu resets\n", nr,
	       s.swaps + s.r.pages, s.own_resets, s.other_resets);
	buf_free(&s.b);
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

static void test_owner_overwrite(void)
{
	owner_race(3, true);
	owner_race(4, true);
}

static void test_owner_keep_oldest(void)
{
	owner_race(3, false);
}

const struct test thread_tests[] = {
	{ "threads: overwrite, 3 sub-buffers", test_overwrite_3 },
	{ "threads: overwrite, 4 sub-buffers", test_overwrite_4 },
	{ "threads: overwrite, 16 sub-buffers", test_overwrite_16 },
	{ "threads: keep the oldest, 3 sub-buffers", test_keep_oldest_3 },
	{ "threads: two readers and owners, overwrite", test_owner_overwrite },
	{ "threads: two readers and owners, keep the oldest", test_owner_keep_oldest },
};

const int nr_thread_tests = ARRAY_SIZE(thread_tests);
