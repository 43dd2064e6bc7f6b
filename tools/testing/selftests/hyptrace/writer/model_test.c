// SPDX-License-Identifier: GPL-2.0
/*
 * Random steps, compared with a model of the ring. The model is a list of lists of
 * events: it has no sequence numbers and no table, and shares nothing with the writer.
 */
#include "lib.h"

#define SEEDS		12
#define STEPS		6000
#define MAX_EVENTS	(DATA_SIZE / 8)

/**
 * struct mpage - a sub-buffer of the model
 * @before: events tried before its first one
 * @used: bytes of data
 * @shut: an event was dropped after its last one
 */
struct mpage {
	struct mpage	*next;
	u64		before;
	u32		used;
	bool		shut;
	u32		nr;
	struct event	events[MAX_EVENTS];
};

/**
 * struct model - the expected contents of the buffer
 * @oldest: the ring, as a list
 * @newest: the sub-buffer being written, in the ring or the reader's
 * @length: length of the list
 * @reader: the reader's sub-buffer
 * @last: time of the last event
 */
struct model {
	struct mpage	*oldest;
	struct mpage	*newest;
	u32		length;
	struct mpage	*reader;
	u64		last;
	u32		slots;
	bool		on;
	bool		overwrite;
	u64		entries;
	u64		overrun;
	u64		dropped;
	u64		started;
	u64		lost_pages;
	u64		closed_bytes;
	u64		taken;
};

static void model_push(struct model *m)
{
	struct mpage *page = calloc(1, sizeof(*page));

	CHECK(page);
	page->before = m->entries + m->dropped;
	if (m->length++)
		m->newest->next = page;
	else
		m->oldest = page;
	m->newest = page;
}

static struct mpage *model_pop(struct model *m)
{
	struct mpage *page = m->oldest;

	CHECK(m->length);
	m->oldest = page->next;
	m->length--;
	page->next = NULL;
	return page;
}

static void model_reset(struct model *m)
{
	if (!m->length && m->newest != m->reader)
		free(m->newest);
	while (m->length)
		free(model_pop(m));
	free(m->reader);
	m->reader = calloc(1, sizeof(*m->reader));
	CHECK(m->reader);
	m->last = 0;
	m->entries = 0;
	m->overrun = 0;
	m->dropped = 0;
	m->started = 0;
	m->lost_pages = 0;
	m->closed_bytes = 0;
	m->taken = 0;
	model_push(m);
}

/* Make room for @len bytes; false if the event has to be dropped */
static bool model_room(struct model *m, u32 len)
{
	struct mpage *page;

	if (!m->newest->shut && m->newest->used + len <= DATA_SIZE)
		return true;
	if (m->length == m->slots) {
		if (!m->overwrite) {
			m->newest->shut = true;
			m->dropped++;
			return false;
		}
		page = model_pop(m);
		m->overrun += page->nr;
		m->lost_pages++;
		m->closed_bytes -= page->used;
		free(page);
	}
	m->closed_bytes += m->newest->used;
	model_push(m);
	m->started++;
	return true;
}

static bool model_write(struct model *m, u32 seq, u32 size, u64 ts)
{
	struct mpage *page = m->newest;
	u32 extend = 0;

	if (!m->on)
		return false;
	if (ts < m->last)
		ts = m->last;
	if (page->nr && ts - m->last >= 1 << 27)
		extend = 8;
	if (!model_room(m, 4 + size + extend))
		return false;
	if (page != m->newest)
		extend = 0;
	page = m->newest;
	page->events[page->nr++] = (struct event){ seq, size, ts };
	page->used += 4 + size + extend;
	m->last = ts;
	m->entries++;
	return true;
}

static int model_swap(struct model *m, u32 seen, u64 *lost)
{
	struct mpage *old = m->reader;

	if (!m->length)
		return RB_SWAP_NOTHING;
	if (seen != old->used)
		return RB_SWAP_MORE;
	m->reader = model_pop(m);
	m->taken++;
	*lost = m->reader->before - (old->before + old->nr);
	free(old);
	return RB_SWAP_DONE;
}

static void compare_page(const struct mpage *want, const struct rb_page *page)
{
	struct snapshot s;
	struct event ev;
	struct walk k;
	u32 n = 0;

	snapshot_take(&s, page);
	CHECK_EQ(s.commit, want->used);
	for (walk_start(&k, &s); walk_next(&k, &ev); n++) {
		CHECK(n < want->nr);
		CHECK_EQ(ev.seq, want->events[n].seq);
		CHECK_EQ(ev.size, want->events[n].size);
		CHECK_EQ(ev.ts, want->events[n].ts);
	}
	CHECK_EQ(n, want->nr);
	CHECK_EQ(snapshot_compare(&s), n);
}

static void compare_ring(struct model *m, struct buf *b)
{
	struct mpage *page = m->oldest;
	u32 i;

	for (i = 0; i < m->length; i++, page = page->next) {
		u32 slot = (buf_head(b) + i) % m->slots;

		compare_page(page, buf_subbuf(b, buf_subbuf(b, slot)->slot)->page);
	}
}

static void compare(struct model *m, struct buf *b)
{
	buf_check(b);
	CHECK_EQ(b->meta->entries, m->entries);
	CHECK_EQ(b->meta->overrun, m->overrun);
	CHECK_EQ(b->meta->dropped, m->dropped);
	CHECK_EQ(b->meta->pages_touched, m->started);
	CHECK_EQ(b->meta->pages_lost, m->lost_pages);
	CHECK_EQ(b->meta->closed_bytes, m->closed_bytes);
	CHECK_EQ(b->meta->pages_read, m->taken);
	CHECK_EQ(b->w.tail + 1 - buf_head(b), m->length);
}

/* @seed, the buffer, its model, and the time */
struct run {
	u64		seed;
	struct buf	b;
	struct model	m;
	u64		now;
	u32		swaps[3];
};

static u64 random_time(struct run *r)
{
	static const u64 jumps[] = { (1 << 27) - 1, 1 << 27, 1ULL << 33, 1ULL << 50 };

	switch (rnd(&r->seed, 64)) {
	case 0:
		return r->now += jumps[rnd(&r->seed, 4)];
	case 1:
		return r->now - rnd(&r->seed, 1000);
	case 2:
		return r->now;
	default:
		return r->now += rnd(&r->seed, 2000);
	}
}

static void step_write(struct run *r)
{
	u32 n = rnd(&r->seed, 4) ? rnd(&r->seed, 10) : rnd(&r->seed, 300);
	/* In some runs all events have one size, so that sub-buffers fill exactly */
	u32 fixed = rnd(&r->seed, 3) ? 0 : 4 + 4 * rnd(&r->seed, RB_PAGE_MAX_TYPE_LEN);

	while (n--) {
		u32 size = fixed ? fixed : 4 + 4 * rnd(&r->seed, RB_PAGE_MAX_TYPE_LEN);
		u64 ts = random_time(r);
		bool want = model_write(&r->m, r->b.tried + 1, size, ts);

		CHECK_EQ(buf_write_as(&r->b, size, ts), want);
		compare(&r->m, &r->b);
	}
}

static void check_marked(struct run *r, u64 lost, bool closed)
{
	struct snapshot s;

	snapshot_take(&s, buf_subbuf(&r->b, r->b.w.reader_id)->page);
	CHECK_EQ(s.missed, lost && closed);
	CHECK_EQ(s.stored, s.missed && s.commit + 8 <= DATA_SIZE);
	if (s.stored)
		CHECK_EQ(s.lost, lost);
}

static void step_swap(struct run *r)
{
	u32 seen = rnd(&r->seed, 4) ? r->m.reader->used : 4 * rnd(&r->seed, DATA_SIZE / 4);
	u64 lost = 0;
	int want;

	/* The reader's sub-buffer is the same as before */
	compare_page(r->m.reader, buf_subbuf(&r->b, r->b.w.reader_id)->page);
	want = model_swap(&r->m, seen, &lost);
	CHECK_EQ(rb_writer_swap(&r->b.w, seen), want);
	r->swaps[want]++;
	compare_page(r->m.reader, buf_subbuf(&r->b, r->b.w.reader_id)->page);
	if (want != RB_SWAP_DONE)
		return;
	CHECK_EQ(r->b.meta->reader.lost_events, lost);
	check_marked(r, lost, r->m.length);
}

static void step_reset(struct run *r)
{
	rb_writer_reset(&r->b.w);
	model_reset(&r->m);
	r->b.tried = 0;
	r->b.refused = 0;
	CHECK_EQ(r->b.meta->reader.lost_events, 0);
	/* Time may start again as well */
	if (rnd(&r->seed, 2))
		r->now = rnd(&r->seed, 2) ? 1000 : 1ULL << 40;
}

static void set_on(struct run *r, bool on)
{
	r->m.on = on;
	rb_writer_set_on(&r->b.w, on);
}

static void set_overwrite(struct run *r, bool overwrite)
{
	r->m.overwrite = overwrite;
	r->b.w.overwrite = overwrite;
}

static void step(struct run *r)
{
	u32 what = rnd(&r->seed, 1000);

	if (what < 600)
		step_write(r);
	else if (what < 960)
		step_swap(r);
	else if (what < 965)
		step_reset(r);
	else if (what < 980)
		set_on(r, rnd(&r->seed, 4));
	else
		set_overwrite(r, rnd(&r->seed, 3));
	compare(&r->m, &r->b);
	if (!rnd(&r->seed, 64))
		compare_ring(&r->m, &r->b);
}

static void one_run(u64 seed)
{
	static struct run r;
	u32 nr[] = { 3, 3, 4, 5, 8, 16 }, i;

	printf("# seed %llu\n", seed);
	memset(&r, 0, sizeof(r));
	r.seed = seed;
	r.now = 1000;
	buf_init(&r.b, nr[seed % 6]);
	r.m.slots = r.b.nr - 1;
	r.m.overwrite = true;
	model_reset(&r.m);
	set_on(&r, true);
	for (i = 0; i < STEPS; i++)
		step(&r);
	compare_ring(&r.m, &r.b);
	CHECK(r.swaps[RB_SWAP_NOTHING] && r.swaps[RB_SWAP_DONE] && r.swaps[RB_SWAP_MORE]);
	model_reset(&r.m);
	free(r.m.reader);
	free(model_pop(&r.m));
	buf_free(&r.b);
}

static void test_model(void)
{
	const char *only = getenv("WRITER_TEST_SEED");
	u64 seed;

	if (only) {
		one_run(strtoull(only, NULL, 0));
		return;
	}
	for (seed = 1; seed <= SEEDS; seed++)
		one_run(seed);
}

const struct test model_tests[] = {
	{ "model: random steps", test_model },
};

const int nr_model_tests = ARRAY_SIZE(model_tests);
