// SPDX-License-Identifier: GPL-2.0
/*
 * The last events of a buffer, as they are printed at a panic (trace_remote_dump.c): the
 * right ones if the pages are intact, and no invalid access if they are damaged.
 */
#include <linux/percpu.h>

#include "../../../../../kernel/trace/trace_remote_dump.h"
#include "lib.h"

#define TEST_CPUS		SHIM_NR_CPUS
#define MAX_EVENTS	4096	/* of a CPU */
#define NR_ROUNDS	300
#define NR_FUZZ_ROUNDS	3000

/* An event of the model, or one that the callback got */
struct item {
	u64	ts;
	u32	seq;
	u32	size;
	int	cpu;
};

/**
 * struct trace_buffer - the buffers of all CPUs, and the kernel's view of them
 * @b:		the buffer of each CPU
 * @from:	offset of the first event on the reader's sub-buffer that was not consumed
 * @log:	events that were written
 * @ts:		timestamp of the last one
 */
struct trace_buffer {
	struct buf	b[TEST_CPUS];
	u32		from[TEST_CPUS];
	struct item	log[TEST_CPUS][MAX_EVENTS];
	u64		ts;
};

static struct trace_buffer tb;
static u64 seed;

/*
 * Replacements for the functions of ring_buffer_remote.c
 */

const struct cpumask *ring_buffer_remote_cpus(struct trace_buffer *buffer)
{
	return NULL;	/* all of them */
}

void ring_buffer_remote_range(struct trace_buffer *buffer, int cpu, u64 *head, u64 *tail)
{
	struct buf *b = &buffer->b[cpu];

	rb_meta_range(b->meta, b->nr - 1, head, tail);
}

const struct rb_page *ring_buffer_remote_look(struct trace_buffer *buffer, int cpu, u64 number,
					      u32 *from)
{
	struct buf *b = &buffer->b[cpu];

	*from = 0;
	return buf_subbuf(b, buf_subbuf(b, number % (b->nr - 1))->slot)->page;
}

const struct rb_page *ring_buffer_remote_look_reader(struct trace_buffer *buffer, int cpu,
						     u32 *from)
{
	struct buf *b = &buffer->b[cpu];

	*from = buffer->from[cpu];
	return buf_subbuf(b, b->w.reader_id)->page;
}

/*
 * A buffer in any state
 */

static void write_some(int cpu, u32 nr)
{
	struct buf *b = &tb.b[cpu];

	while (nr-- && b->tried < MAX_EVENTS) {
		struct item *item = &tb.log[cpu][b->tried];

		tb.ts += 1 + rnd(&seed, 100);
		if (!rnd(&seed, 200))
			tb.ts += 1ULL << RB_PAGE_DELTA_BITS;
		item->ts = tb.ts;
		item->size = 4 + 4 * rnd(&seed, RB_PAGE_MAX_TYPE_LEN);
		if (!rnd(&seed, 10))
			item->size = 4 + 4 * rnd(&seed, RB_WRITER_MAX_LONG / 4);
		item->seq = b->tried + 1;
		item->cpu = cpu;
		CHECK(buf_write_as(b, item->size, item->ts));
	}
}

/* Take the next sub-buffer, or consume some events of the current one */
static void read_some(int cpu)
{
	struct buf *b = &tb.b[cpu];
	struct snapshot s;
	struct event ev;
	struct walk k;
	u32 nr = rnd(&seed, 60);

	snapshot_take(&s, buf_subbuf(b, b->w.reader_id)->page);
	if (tb.from[cpu] == s.commit) {
		if (rb_writer_swap(&b->w, s.commit) != RB_SWAP_DONE)
			return;
		tb.from[cpu] = 0;
		snapshot_take(&s, buf_subbuf(b, b->w.reader_id)->page);
	}
	walk_start(&k, &s);
	while (nr-- && walk_next(&k, &ev))
		tb.from[cpu] = k.pos > tb.from[cpu] ? k.pos : tb.from[cpu];
}

static void make_buffer(void)
{
	int cpu, i;

	memset(&tb, 0, sizeof(tb));
	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		buf_init(&tb.b[cpu], 3 + rnd(&seed, 6));
		rb_writer_set_on(&tb.b[cpu].w, true);
	}
	for (i = rnd(&seed, 200); i; i--) {
		cpu = rnd(&seed, TEST_CPUS);
		write_some(cpu, rnd(&seed, 50));
		if (!rnd(&seed, 3))
			read_some(rnd(&seed, TEST_CPUS));
	}
}

static void free_buffer(void)
{
	int cpu;

	for (cpu = 0; cpu < TEST_CPUS; cpu++)
		buf_free(&tb.b[cpu]);
}

/*
 * The expected events, and the actual ones
 */

static struct item expected[TEST_CPUS * MAX_EVENTS], found[TEST_CPUS * MAX_EVENTS];
static u32 nr_expected, nr_found;

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static void expect(int only_cpu)
{
	struct snapshot s;
	struct event ev;
	struct walk k;
	u64 in_ring;
	int cpu;

	nr_expected = 0;
	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		struct buf *b = &tb.b[cpu];

		if (only_cpu != RING_BUFFER_ALL_CPUS && only_cpu != cpu)
			continue;
		snapshot_take(&s, buf_subbuf(b, b->w.reader_id)->page);
		walk_start(&k, &s);
		while (walk_next(&k, &ev)) {
			if (k.pos > tb.from[cpu])
				expected[nr_expected++] = tb.log[cpu][ev.seq - 1];
		}
		for (in_ring = buf_in_ring(b); in_ring; in_ring--)
			expected[nr_expected++] = tb.log[cpu][b->tried - in_ring];
	}
	qsort(expected, nr_expected, sizeof(*expected), by_time);
}

static void collect(int cpu, u64 ts, const void *rec, u32 size, void *data)
{
	struct item *item = &found[nr_found++];

	CHECK(data == &tb);
	CHECK(nr_found <= ARRAY_SIZE(found));
	*item = (struct item){ ts, 0, size, cpu };
	memcpy(&item->seq, rec, sizeof(item->seq));
}

static void test_sound(void)
{
	u32 round, max, nr, i;
	int cpu;

	for (round = 0; round < NR_ROUNDS; round++) {
		seed = round;
		make_buffer();
		cpu = (int)rnd(&seed, TEST_CPUS + 3) - 3;
		cpu = cpu < 0 ? RING_BUFFER_ALL_CPUS : cpu;
		max = rnd(&seed, 2) ? rnd(&seed, 500) : 0;
		expect(cpu);
		nr = !max || max > nr_expected ? nr_expected : max;

		nr_found = 0;
		CHECK_EQ(remote_dump_events(&tb, cpu, max, collect, &tb), nr);
		CHECK_EQ(nr_found, nr);
		for (i = 0; i < nr; i++)
			CHECK(!memcmp(&found[i], &expected[nr_expected - nr + i],
				      sizeof(*found)));
		free_buffer();
	}
}

static u64 checksum;

static void touch(int cpu, u64 ts, const void *rec, u32 size, void *data)
{
	const u8 *bytes = rec;
	u32 i;

	CHECK(data == &tb);
	CHECK(cpu >= 0 && cpu < TEST_CPUS);
	checksum += ts;
	CHECK(size <= RB_WRITER_MAX_LONG);
	/* After the record are zeroes, enough for the arguments of a wrong format */
	for (i = 0; i < size + 128; i++)
		checksum += bytes[i];
	for (i = size; i < size + 128; i++)
		CHECK(!bytes[i]);
}

static void scribble(void *start, u32 size)
{
	u8 *at = (u8 *)start + rnd(&seed, size / 8) * 8;
	u64 word = rnd(&seed, 3) ? rnd(&seed, 300) :
		   (u64)rnd(&seed, 0x7fffffff) << 33 ^ rnd(&seed, 0x7fffffff);

	memcpy(at, &word, 1 + rnd(&seed, 8));
}

static void test_scribbled(void)
{
	u32 round, max, i;

	for (round = 0; round < NR_FUZZ_ROUNDS; round++) {
		seed = round;
		make_buffer();
		for (i = 1 + rnd(&seed, 20); i; i--) {
			struct buf *b = &tb.b[rnd(&seed, TEST_CPUS)];

			if (!rnd(&seed, 4))
				scribble(b->meta, sizeof(*b->meta));
			/* The header of a sub-buffer more often than the rest */
			scribble(buf_subbuf(b, rnd(&seed, b->nr))->page,
				 rnd(&seed, 2) ? PAGE_SIZE : 24);
		}
		max = rnd(&seed, 2) ? rnd(&seed, 500) : 0;
		i = remote_dump_events(&tb, RING_BUFFER_ALL_CPUS, max, touch, &tb);
		CHECK(!max || i <= max);
		free_buffer();
	}
}

const struct test dump_tests[] = {
	{ "dump: the last events of one CPU and of all", test_sound },
	{ "dump: scribbled pages do no harm", test_scribbled },
};

const int nr_dump_tests = ARRAY_SIZE(dump_tests);
