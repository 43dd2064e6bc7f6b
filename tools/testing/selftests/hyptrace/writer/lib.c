// SPDX-License-Identifier: GPL-2.0
/*
 * A buffer in user space, and a reader of it that checks everything.
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib.h"

/* A test that hangs must fail, and not hang the run */
/* Of the CPU, which does not depend on what else the machine does */
#define MAX_CPU_SEC		100
/* For a test that hangs without using the CPU */
#define MAX_SEC			3000

void (*shim_hook)(const struct shim_access *access);
void (*test_fail_hook)(void);

void test_fail(const char *file, int line, const char *what)
{
	printf("# %s:%d: %s: failed\n", file, line, what);
	if (test_fail_hook)
		test_fail_hook();
	fflush(stdout);
	_exit(1);
}

static bool run_test(const struct test *test)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		perror("# fork");
		return false;
	}
	if (!pid) {
		setrlimit(RLIMIT_CPU, &(struct rlimit){ MAX_CPU_SEC, MAX_CPU_SEC });
		alarm(MAX_SEC);
		test->fn();
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		return false;
	if (WIFSIGNALED(status))
		printf("# %s: killed by signal %d\n", test->name, WTERMSIG(status));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

int run_tests(const struct test *tests, int nr, const char *only)
{
	int i, pass = 0, fail = 0, skip = 0;

	printf("TAP version 13\n1..%d\n", nr);
	for (i = 0; i < nr; i++) {
		if (only && strcmp(only, tests[i].name)) {
			skip++;
			printf("ok %d %s # SKIP not chosen\n", i + 1, tests[i].name);
		} else if (run_test(&tests[i])) {
			pass++;
			printf("ok %d %s\n", i + 1, tests[i].name);
		} else {
			fail++;
			printf("not ok %d %s\n", i + 1, tests[i].name);
		}
	}
	printf("# Totals: pass:%d fail:%d xfail:0 xpass:0 skip:%d error:0\n", pass, fail, skip);
	return fail || !pass;
}

u32 rnd(u64 *state, u32 below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % below;
}

/* Each page is a separate allocation, so that AddressSanitizer knows its end */
static void *page_alloc(u8 fill)
{
	void *page = aligned_alloc(PAGE_SIZE, PAGE_SIZE);

	CHECK(page);
	return memset(page, fill, PAGE_SIZE);
}

struct rb_writer_subbuf *buf_subbuf(struct buf *b, u32 id)
{
	return &b->w.table[id / RB_WRITER_SUBBUFS_PER_PAGE][id % RB_WRITER_SUBBUFS_PER_PAGE];
}

u64 buf_head(struct buf *b)
{
	return b->w.head >> 22;
}

void buf_init(struct buf *b, u32 nr_subbufs)
{
	u32 i;

	memset(b, 0, sizeof(*b));
	CHECK(nr_subbufs <= RB_WRITER_MAX_SUBBUFS);
	b->nr = nr_subbufs;
	b->meta = calloc(1, sizeof(*b->meta));
	CHECK(b->meta);
	b->w.table = page_alloc(0);
	for (i = 0; i < nr_subbufs; i++) {
		if (!(i % RB_WRITER_SUBBUFS_PER_PAGE))
			b->w.table[i / RB_WRITER_SUBBUFS_PER_PAGE] = page_alloc(0);
		rb_writer_add_subbuf(&b->w, i, page_alloc(0xa5));
	}
	rb_writer_init(&b->w, b->meta, nr_subbufs);
	buf_check(b);
}

void buf_free(struct buf *b)
{
	u32 i;

	for (i = 0; i < b->nr; i++)
		free(buf_subbuf(b, i)->page);
	for (i = 0; i < b->nr; i += RB_WRITER_SUBBUFS_PER_PAGE)
		free(b->w.table[i / RB_WRITER_SUBBUFS_PER_PAGE]);
	free(b->w.table);
	free(b->meta);
}

/* Every 1000th event comes after a gap, so that some need a time extend */
struct event event_gen(u32 seq)
{
	struct event ev = { seq, 0, 0 };

	ev.size = 4 + 4 * ((seq * 2654435761U >> 16) % RB_PAGE_MAX_TYPE_LEN);
	ev.ts = 1000000000ULL + seq * 100ULL + (seq / 1000 * (1ULL << 28));
	return ev;
}

static u32 payload_word(u32 seq, u32 i)
{
	return i ? seq * 2246822519U + i : seq;
}

bool buf_write_as(struct buf *b, u32 size, u64 ts)
{
	u32 *payload, i;

	if (size <= 4 * RB_PAGE_MAX_TYPE_LEN)
		payload = rb_writer_reserve(&b->w, size, ts);
	else
		payload = rb_writer_reserve_slow(&b->w, size, ts);

	if (!payload && !b->w.on) {
		b->off++;
		return false;
	}
	b->tried++;
	if (!payload) {
		b->refused++;
		return false;
	}
	for (i = 0; i < size / 4; i++)
		payload[i] = payload_word(b->tried, i);
	rb_writer_commit(&b->w, payload, size);
	return true;
}

bool buf_write(struct buf *b)
{
	struct event ev = event_gen(b->tried + 1);

	return buf_write_as(b, ev.size, ev.ts);
}

void buf_write_pages(struct buf *b, u64 pages)
{
	u64 until = b->w.tail + pages;

	while (b->w.tail < until && buf_write(b))
		;
}

static u64 tail_entries(struct buf *b)
{
	return b->w.entries - b->w.started;
}

static u32 slot_id(struct buf *b, u64 seq)
{
	return buf_subbuf(b, seq % b->w.nr_slots)->slot;
}

u64 buf_in_ring(struct buf *b)
{
	u64 seq, sum = 0;

	for (seq = buf_head(b); seq < b->w.tail; seq++)
		sum += buf_subbuf(b, slot_id(b, seq))->entries;
	return buf_head(b) <= b->w.tail ? sum + tail_entries(b) : 0;
}

u64 buf_in_ring_parsed(struct buf *b)
{
	u64 seq, sum = 0;

	for (seq = buf_head(b); seq <= b->w.tail; seq++) {
		struct snapshot s;
		struct event ev;
		struct walk k;

		snapshot_take(&s, buf_subbuf(b, slot_id(b, seq))->page);
		for (walk_start(&k, &s); walk_next(&k, &ev); )
			sum++;
	}
	return sum;
}

static void check_owners(struct buf *b)
{
	u8 *owned = calloc(b->nr, 1);
	u32 slot;

	CHECK(owned);
	CHECK(b->w.reader_id < b->nr);
	owned[b->w.reader_id] = 1;
	for (slot = 0; slot < b->w.nr_slots; slot++) {
		u32 id = buf_subbuf(b, slot)->slot;

		CHECK(id < b->nr);
		CHECK(!owned[id]);
		owned[id] = 1;
	}
	free(owned);
}

void buf_check(struct buf *b)
{
	struct trace_buffer_meta *meta = b->meta;
	struct rb_writer *w = &b->w;

	check_owners(b);
	CHECK_EQ(w->nr_slots, b->nr - 1);
	CHECK(buf_head(b) <= w->tail + 1);
	CHECK(w->tail + 1 - buf_head(b) <= w->nr_slots);
	CHECK_EQ(w->tail_slot, w->tail % w->nr_slots);
	if (buf_head(b) <= w->tail)
		CHECK_EQ(w->tail_id, slot_id(b, w->tail));
	else
		CHECK_EQ(w->tail_id, w->reader_id);
	CHECK(w->page == buf_subbuf(b, w->tail_id)->page);

	CHECK_EQ(b->tried, w->entries + w->dropped);
	CHECK_EQ(b->refused, w->dropped);
	CHECK_EQ(meta->entries, w->entries);
	CHECK_EQ(meta->overrun, w->overrun);
	CHECK_EQ(meta->dropped, w->dropped);
	CHECK_EQ(meta->pages_touched, w->tail);
	CHECK_EQ(meta->pages_lost, w->lost);
	CHECK_EQ(meta->closed_bytes, w->closed_bytes);
	CHECK_EQ(meta->pages_read, w->read);
	CHECK(meta->pages_gone <= w->lost + w->read);
	CHECK_EQ(buf_head(b), w->lost + w->read);
	CHECK_EQ(meta->reader.id, w->reader_id);
	CHECK_EQ(meta->meta_page_size, PAGE_SIZE);
	CHECK_EQ(meta->meta_struct_len, sizeof(*meta));
	CHECK_EQ(meta->subbuf_size, PAGE_SIZE);
	CHECK_EQ(meta->nr_subbufs, b->nr);
	CHECK_EQ(meta->flags, TRACE_BUFFER_META_REMOTE);
	/* The consumer's fields */
	CHECK_EQ(meta->read, 0);
	CHECK_EQ(meta->reader.read, 0);
}
