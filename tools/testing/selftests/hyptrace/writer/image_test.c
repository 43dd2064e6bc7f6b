// SPDX-License-Identifier: GPL-2.0
/*
 * Images of buffers in memory that outlives the writer (ring_buffer_image.c): what was
 * written is read, wherever the writer stopped; and a damaged image does no harm, and what
 * is sound of it is still read.
 */
#include <errno.h>
#include <linux/ring_buffer_image.h>
#include "lib.h"

#define MAX_CPUS	3
#define MAX_SUBBUFS	8
#define NR_EVENTS	5
#define FORMAT		"system\n8 1 0 id u64\n4 4 1 x[3] unsigned long[3]\n\"id=%llu\", REC->id"
#define NR_IMAGES	300	/* sound ones */
#define NR_MUTATED	3000	/* IMAGES=n in the environment makes it more */

/**
 * struct image - a region and its writers
 * @region:	the region, as large as the allocation
 * @size:	its bytes
 * @layout:	what was planned
 * @b:		the buffer of each CPU
 */
struct image {
	u8			*region;
	u64			size;
	struct rb_image_layout	layout;
	struct buf		b[MAX_CPUS];
};

static u64 seed;

static void *part(struct image *im, u64 offset)
{
	CHECK(offset < im->size);
	return im->region + offset;
}

static u64 *stale_of(struct image *im, u32 cpu, u32 id)
{
	return part(im, rb_image_stale(&im->layout, cpu, id));
}

static struct rb_page *page_of(struct image *im, u32 cpu, u32 id)
{
	return part(im, rb_image_subbuf(&im->layout, cpu, id));
}

static void init_writer(struct image *im, u32 cpu)
{
	struct buf *b = &im->b[cpu];
	u32 id;

	memset(b, 0, sizeof(*b));
	b->nr = im->layout.nr_subbufs;
	b->meta = part(im, rb_image_meta(&im->layout, cpu));
	b->w.table = calloc(1, PAGE_SIZE);
	CHECK(b->w.table);
	b->w.table[0] = calloc(1, PAGE_SIZE);
	CHECK(b->w.table[0] && b->nr <= RB_WRITER_SUBBUFS_PER_PAGE);
	for (id = 0; id < b->nr; id++)
		rb_writer_add_subbuf(&b->w, id, page_of(im, cpu, id));
	rb_writer_init(&b->w, b->meta, b->nr);
	b->w.overwrite = rnd(&seed, 4);
	rb_writer_set_on(&b->w, true);
}

static void fill_front(struct image *im)
{
	struct rb_image_head *head = part(im, 0);
	u32 *cpus = part(im, im->layout.cpus), i;
	struct rb_image_event *events = part(im, im->layout.events);
	struct rb_image_state *state = part(im, im->layout.state);

	head->nr_clocks = 2;
	sprintf(head->clocks[0], "local");
	sprintf(head->clocks[1], "boot");
	sprintf(head->remote, "test");
	sprintf(head->release, "6.12.0");
	for (i = 0; i < im->layout.nr_cpus; i++)
		cpus[i] = i;
	for (i = 0; i < im->layout.nr_events; i++) {
		snprintf(events[i].name, sizeof(events[i].name), "event%u", i);
		events[i].id = 100 + i;
		events[i].format = i * sizeof(FORMAT);
		memcpy(part(im, im->layout.formats + events[i].format), FORMAT, sizeof(FORMAT));
	}
	state->clock = 1;
	state->end = RB_IMAGE_PANIC;
	sprintf(state->why, "a reason");
	state->log_len = sprintf(part(im, im->layout.log), "line 1\nline 2\n");
}

/* The region of an earlier use, with stale content, if @dirty */
static void image_init(struct image *im, u32 nr_cpus, u32 nr_subbufs, bool dirty)
{
	u64 pages = nr_cpus * (1 + nr_subbufs) + 8;
	u32 cpu;

	im->size = pages * PAGE_SIZE;
	im->region = aligned_alloc(PAGE_SIZE, im->size);
	CHECK(im->region);
	memset(im->region, dirty ? 0xa5 : 0, im->size);
	CHECK(!rb_image_plan(&im->layout, im->size, nr_cpus, NR_EVENTS,
			     NR_EVENTS * sizeof(FORMAT)));
	CHECK(im->layout.nr_subbufs >= nr_subbufs);
	CHECK(im->layout.nr_subbufs <= RB_WRITER_SUBBUFS_PER_PAGE);

	rb_image_begin(im->region);
	memset(im->region, 0, im->size);
	fill_front(im);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		init_writer(im, cpu);
	rb_image_commit(im->region, &im->layout);
}

static void image_free(struct image *im)
{
	u32 cpu;

	for (cpu = 0; cpu < im->layout.nr_cpus; cpu++) {
		free(im->b[cpu].w.table[0]);
		free(im->b[cpu].w.table);
	}
	free(im->region);
}

/*
 * Reading, as the kernel does it
 */

/**
 * struct result - what was read of a CPU
 * @nr:		sub-buffers with events
 * @pages:	these, in order
 * @copies:	their content, by id
 * @missing:	events that are not there
 */
struct result {
	u32			nr;
	struct rb_image_page	pages[MAX_SUBBUFS * 2];
	struct rb_page		*copies[MAX_SUBBUFS * 2];
	u64			missing;
};

static struct result results[MAX_CPUS];
static struct rb_image_head head;
static struct rb_image_layout layout;
static u8 *front;

/* Returns an errno of the head */
static int read_front(const void *region, u64 size)
{
	int ret = rb_image_read_head(region, size, &head, &layout);

	if (ret)
		return ret;
	CHECK(layout.size <= size);
	front = malloc(layout.buffers);
	CHECK(front);
	ret = rb_image_read_front(region, &head, &layout, front);
	if (ret) {
		free(front);
		front = NULL;
	}
	return ret;
}

static void read_cpu(const u8 *region, u32 cpu, rb_image_record_fn fn)
{
	struct result *r = &results[cpu];
	struct trace_buffer_meta meta;
	u32 id;

	r->nr = 0;
	for (id = 0; id < layout.nr_subbufs; id++) {
		struct rb_image_page *page = &r->pages[r->nr];
		const void *from = region + rb_image_subbuf(&layout, cpu, id);
		u64 stale;

		memcpy(&stale, front + rb_image_stale(&layout, cpu, id), sizeof(stale));
		r->copies[id] = malloc(PAGE_SIZE);
		CHECK(r->copies[id]);
		page->id = id;
		r->nr += rb_image_read_page(from, stale, r->copies[id], page, fn, NULL);
	}
	memcpy(&meta, region + rb_image_meta(&layout, cpu), sizeof(meta));
	r->missing = rb_image_order(r->pages, r->nr, &meta, layout.nr_subbufs - 1);
}

static void free_cpu(u32 cpu)
{
	u32 id;

	for (id = 0; id < layout.nr_subbufs; id++)
		free(results[cpu].copies[id]);
}

static void free_front(void)
{
	free(front);
	front = NULL;
}

/* Event @seq, as the tests here write it: times do not depend on the size */
static u64 ts_of(u32 seq)
{
	return 1000000000ULL + 10ULL * seq + (seq / 300 * (1ULL << 28));
}

/*
 * Go through the events that were read: they follow each other, except where some are said
 * to be lost; of events that were dropped it is not known where. Returns the first and the last
 * number
 */
static u32 check_events(struct result *r, bool dropped, u32 *last)
{
	u32 i, first = 0, next = 0;
	u64 lost = 0;

	for (i = 0; i < r->nr; i++) {
		struct rb_image_page *page = &r->pages[i];
		struct snapshot s;
		struct event ev;
		struct walk k;
		u32 events = 0;

		CHECK(!page->cut);
		snapshot_take(&s, r->copies[page->id]);
		for (walk_start(&k, &s); walk_next(&k, &ev); events++) {
			CHECK_EQ(ev.ts, ts_of(ev.seq));
			CHECK(!next || ev.seq == next ||
			      (ev.seq > next && !events && (page->lost || dropped)));
			if (!events)
				CHECK_EQ(page->first, ev.ts);
			CHECK_EQ(page->last >= ev.ts, 1);
			first = first ?: ev.seq;
			next = ev.seq + 1;
		}
		CHECK_EQ(events, page->events);
		lost += page->lost;
	}
	CHECK(lost >= r->missing || !r->nr);
	*last = next ? next - 1 : 0;
	return first;
}

static u64 events_of(const struct result *r)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < r->nr; i++)
		sum += r->pages[i].events;
	return sum;
}

/*
 * Writing
 */

/* What is called between the stores of an event, or NULL */
static void (*stopped)(void);

static void write_event(struct buf *b)
{
	u32 size = event_gen(b->tried + 1).size, i, *payload;

	if (!b->w.on)
		return;
	if (!rnd(&seed, 50)) {
		size = 4 * (29 + rnd(&seed, 100));
		payload = rb_writer_reserve_slow(&b->w, size, ts_of(b->tried + 1));
	} else {
		payload = rb_writer_reserve(&b->w, size, ts_of(b->tried + 1));
	}
	b->tried++;
	if (!payload) {
		b->refused++;
		return;
	}
	for (i = 0; i < size / 4; i++) {
		if (stopped && i < 2)
			stopped();
		payload[i] = i ? b->tried * 2246822519U + i : b->tried;
	}
	if (stopped)
		stopped();
	rb_writer_commit(&b->w, payload, size);
}

static void swap_reader(struct buf *b)
{
	struct rb_page *page = buf_subbuf(b, b->w.reader_id)->page;

	rb_writer_swap(&b->w, page->commit & ~(RB_PAGE_MISSED | RB_PAGE_MISSED_STORED));
}

/* As the kernel does it: note what is dropped, then drop it. Numbers go on */
static void reset(struct image *im, u32 cpu)
{
	u32 id;

	for (id = 0; id < im->layout.nr_subbufs; id++)
		*stale_of(im, cpu, id) = page_of(im, cpu, id)->time_stamp;
	rb_writer_reset(&im->b[cpu].w);
}

static void write_some(struct image *im, u32 steps)
{
	while (steps--) {
		u32 cpu = rnd(&seed, im->layout.nr_cpus), n = rnd(&seed, 150);

		while (n--)
			write_event(&im->b[cpu]);
		if (!rnd(&seed, 3))
			swap_reader(&im->b[cpu]);
	}
}

static void random_image(struct image *im)
{
	image_init(im, 1 + rnd(&seed, MAX_CPUS), 3 + rnd(&seed, MAX_SUBBUFS - 2), true);
	write_some(im, 1 + rnd(&seed, 20));
}

/*
 * Tests
 */

static void test_plan(void)
{
	struct rb_image_layout l, more;
	u32 cpus, pages, least;

	CHECK_EQ(rb_image_plan(&l, 1 << 20, 0, 1, 1), -E2BIG);
	CHECK_EQ(rb_image_plan(&l, 1ULL << 40, RB_IMAGE_MAX_CPUS + 1, 1, 1), -E2BIG);
	CHECK_EQ(rb_image_plan(&l, 1ULL << 40, 1, RB_IMAGE_MAX_EVENTS + 1, 1), -E2BIG);
	CHECK_EQ(rb_image_plan(&l, 1ULL << 40, 1, 1, RB_IMAGE_MAX_FORMATS + 1), -E2BIG);
	CHECK_EQ(rb_image_plan(&l, 0, 1, 1, 1), -ENOSPC);
	CHECK(!rb_image_plan(&l, ~0ULL >> 8, 1, 1, 1));
	CHECK_EQ(l.nr_subbufs, RB_WRITER_MAX_SUBBUFS);
	CHECK(!rb_image_plan(&l, ~0ULL >> 8, RB_IMAGE_MAX_CPUS, RB_IMAGE_MAX_EVENTS,
			     RB_IMAGE_MAX_FORMATS));

	for (cpus = 1; cpus < 20; cpus++) {
		for (pages = 1, least = 0; pages < 400; pages++) {
			int ret = rb_image_plan(&l, pages * PAGE_SIZE + 100, cpus, 30,
						1001);

			if (ret) {
				CHECK_EQ(ret, -ENOSPC);
				CHECK(!least);
				continue;
			}
			least = least ?: pages;
			CHECK(l.size <= pages * PAGE_SIZE);
			CHECK(l.nr_subbufs >= RB_WRITER_MIN_SUBBUFS);
			CHECK(l.cpus + 4 * cpus <= l.events);
			CHECK(l.events + 30 * sizeof(struct rb_image_event) <= l.formats);
			CHECK(l.formats + 1001 <= l.state && l.state % 8 == 0);
			CHECK(l.state + sizeof(struct rb_image_state) <= l.stale);
			CHECK(rb_image_stale(&l, cpus - 1, l.nr_subbufs - 1) + 8 <= l.log);
			CHECK(l.log + RB_IMAGE_LOG <= l.buffers);
			CHECK_EQ(rb_image_meta(&l, 0), l.buffers);
			CHECK_EQ(rb_image_subbuf(&l, cpus - 1, l.nr_subbufs), l.size);
			/* There is no room for one more of each CPU */
			more = l;
			CHECK(l.size + (cpus + 1) * PAGE_SIZE > pages * PAGE_SIZE);
			CHECK(!rb_image_plan(&more, l.size, cpus, 30, 1001));
			CHECK_EQ(more.nr_subbufs, l.nr_subbufs);
		}
		CHECK(least);
	}
}

static void check_front(void)
{
	struct rb_image_event *events = (void *)(front + layout.events);
	struct rb_image_state *state = (void *)(front + layout.state);

	CHECK(!strcmp(head.remote, "test") && !strcmp(head.clocks[1], "boot"));
	CHECK(!strcmp(events[NR_EVENTS - 1].name, "event4"));
	CHECK_EQ(events[NR_EVENTS - 1].id, 104);
	CHECK(!strcmp(rb_image_format(front, &layout, &events[NR_EVENTS - 1]), FORMAT));
	CHECK_EQ(state->clock, 1);
	CHECK_EQ(state->end, RB_IMAGE_PANIC);
	CHECK(!strcmp(state->why, "a reason"));
	CHECK(!strcmp((char *)front + layout.log, "line 1\nline 2\n"));
}

/* The last event is there, and if nothing was overwritten or consumed, all are */
static void check_cpu(struct image *im, u32 cpu, u32 oldest)
{
	struct result *r = &results[cpu];
	struct buf *b = &im->b[cpu];
	u32 first, last;

	first = check_events(r, b->w.dropped, &last);
	if (!b->w.entries) {
		CHECK(!r->nr);
		return;
	}
	CHECK(!r->nr || first >= oldest);
	CHECK(events_of(r) <= b->w.entries);
	CHECK_EQ(r->missing, b->w.entries - events_of(r));
	CHECK(events_of(r) >= buf_in_ring(b));
	if (!b->w.dropped)
		CHECK_EQ(last, b->tried);
}

static void test_sound(void)
{
	u32 round, cpu;

	for (round = 0; round < NR_IMAGES; round++) {
		u32 oldest[MAX_CPUS] = {};
		struct image im;

		seed = round;
		random_image(&im);
		if (!rnd(&seed, 3)) {
			cpu = rnd(&seed, im.layout.nr_cpus);
			reset(&im, cpu);
			oldest[cpu] = im.b[cpu].tried + 1;
			write_some(&im, rnd(&seed, 6));
		}
		CHECK(!read_front(im.region, im.size));
		check_front();
		for (cpu = 0; cpu < layout.nr_cpus; cpu++) {
			read_cpu(im.region, cpu, NULL);
			check_cpu(&im, cpu, oldest[cpu]);
			free_cpu(cpu);
		}
		free_front();
		image_free(&im);
	}
}

/* The image of the test below, and how many events were complete when the writer stopped */
static struct image stopped_image;
static u64 stops;
static u64 least_entries;
static bool resetting;

static void look_at_stop(void)
{
	struct image *im = &stopped_image;
	struct buf *b = &im->b[0];
	void (*hook)(const struct shim_access *access) = shim_hook;
	u32 first, last;

	shim_hook = NULL;
	stops++;
	CHECK(!read_front(im->region, im->size));
	read_cpu(im->region, 0, NULL);
	first = check_events(&results[0], b->w.dropped, &last);
	/* All up to the last one, or up to the one before that, which is just being counted */
	if (!resetting && b->w.entries && !b->w.dropped) {
		CHECK(last == b->w.entries || last == b->w.entries - 1);
		CHECK_EQ(last - first + 1 >= least_entries, 1);
	}
	free_cpu(0);
	free_front();
	shim_hook = hook;
}

static void stop_hook(const struct shim_access *access)
{
	if (access->op != SHIM_LOAD)
		look_at_stop();
}

/* The events that are there whatever happens: those of all sub-buffers but three */
static void write_and_stop(bool overwrite)
{
	struct image *im = &stopped_image;
	u32 i;

	image_init(im, 1, 5, false);
	im->b[0].w.overwrite = overwrite;
	shim_hook = stop_hook;
	stopped = look_at_stop;
	for (i = 0; i < 1500; i++) {
		least_entries = i > 500 ? 60 : 0;
		write_event(&im->b[0]);
		if (i % 97 == 0)
			swap_reader(&im->b[0]);
	}
	resetting = true;
	reset(im, 0);
	resetting = false;
	stopped = NULL;
	shim_hook = NULL;
	image_free(im);
}

static void test_stopped(void)
{
	write_and_stop(true);
	CHECK(stops > 5000);
	write_and_stop(false);
}

static void check_errno(struct image *im, u64 offset, u8 bits, int err)
{
	im->region[offset] ^= bits;
	CHECK_EQ(read_front(im->region, im->size), err);
	im->region[offset] ^= bits;
}

#define HEAD(member)	offsetof(struct rb_image_head, member)

/* Counts that make no sense, whatever the size is then */
static void check_counts(struct image *im, u32 nr_cpus, u32 nr_subbufs)
{
	struct rb_image_head *h = (void *)im->region, was = *h;

	h->nr_cpus = nr_cpus;
	h->nr_subbufs = nr_subbufs;
	for (h->size = 0; h->size <= im->size; h->size += PAGE_SIZE)
		CHECK_EQ(rb_image_read_head(im->region, im->size, &head, &layout), -EINVAL);
	*h = was;
}

static void test_refused(void)
{
	struct image im;
	u64 at;
	int bit, ret;

	seed = 1;
	random_image(&im);
	CHECK(!read_front(im.region, im.size));
	free_front();
	CHECK_EQ(read_front(im.region, sizeof(head) - 1), -ENODATA);
	CHECK_EQ(read_front(im.region, im.layout.size - 1), -EINVAL);
	check_errno(&im, HEAD(magic), 1, -ENODATA);
	check_errno(&im, HEAD(version), 2, -EPROTO);
	check_errno(&im, HEAD(page_size) + 1, 1, -EPROTO);
	check_errno(&im, HEAD(nr_cpus) + 3, 0x80, -EINVAL);
	check_errno(&im, HEAD(nr_subbufs), 1, -EINVAL);
	check_errno(&im, HEAD(nr_events) + 2, 1, -EINVAL);
	check_errno(&im, HEAD(nr_clocks), 0x20, -EINVAL);
	check_errno(&im, HEAD(formats_len) + 1, 0x80, -EINVAL);
	check_errno(&im, HEAD(formats_len) + 3, 0x80, -EINVAL);
	check_errno(&im, HEAD(build_id_len), 0x80, -EINVAL);
	check_errno(&im, HEAD(size) + 7, 1, -EINVAL);
	check_errno(&im, HEAD(check), 1, -EBADMSG);
	check_errno(&im, HEAD(text), 1, -EBADMSG);
	check_errno(&im, im.layout.events, 1, -EBADMSG);
	check_errno(&im, im.layout.cpus, 1, -EBADMSG);
	check_errno(&im, im.layout.formats, 1, -EBADMSG);
	check_counts(&im, 0, 5);
	check_counts(&im, 1, 2);
	/* Whatever bit it is */
	for (at = 0; at < im.layout.state; at++) {
		for (bit = 0; bit < 8; bit++) {
			im.region[at] ^= 1 << bit;
			ret = read_front(im.region, im.size);
			CHECK(ret == -ENODATA || ret == -EPROTO || ret == -EINVAL ||
			      ret == -EBADMSG);
			im.region[at] ^= 1 << bit;
		}
	}
	rb_image_begin(im.region);
	CHECK_EQ(read_front(im.region, im.size), -ENODATA);
	image_free(&im);
}

/* The state has no checksum: what is wrong is replaced */
static void test_state(void)
{
	struct rb_image_state *state, *copy;
	struct image im;

	seed = 2;
	random_image(&im);
	state = part(&im, im.layout.state);
	memset(state, 0xff, sizeof(*state));
	memset(part(&im, im.layout.log), 0xff, RB_IMAGE_LOG);
	CHECK(!read_front(im.region, im.size));
	copy = (void *)(front + layout.state);
	CHECK_EQ(copy->clock, 0);
	CHECK_EQ(copy->end, RB_IMAGE_NOT_NOTED);
	CHECK_EQ(copy->log_len, 0);
	CHECK_EQ(strlen(copy->why), RB_IMAGE_TEXT - 1);
	CHECK_EQ(copy->why[0], '?');
	CHECK_EQ(front[layout.log], 0);
	free_front();

	state->log_len = RB_IMAGE_LOG - 1;
	CHECK(!read_front(im.region, im.size));
	CHECK_EQ(strlen((char *)front + layout.log), RB_IMAGE_LOG - 1);
	free_front();
	image_free(&im);
}

static struct rb_image_format parsed;

static int parse(const char *text)
{
	static char copy[RB_IMAGE_MAX_PRINT_FMT * 2];

	CHECK(strlen(text) < sizeof(copy));
	memcpy(copy, text, strlen(text) + 1);
	return rb_image_parse_format(copy, &parsed);
}

/* The same in a system */
static int parse_fields(const char *text)
{
	char copy[1000];

	CHECK(snprintf(copy, sizeof(copy), "s\n%s", text) < sizeof(copy));
	return parse(copy);
}

static void test_formats(void)
{
	static const char *const bad[] = {
		"", "text", "8 1 0 id u64", "8 1 0 id u64\n", "8 1 0 id u64\nREC->id",
		/* A number: none, negative, too large, another word, an alignment that is none */
		" 1 0 id u64\n\"", "-8 1 0 id u64\n\"", "513 1 0 id u64\n\"",
		"4294967304 1 0 id u64\n\"", "18446744073709551617 1 0 id u64\n\"",
		"8x 1 0 id u64\n\"", "8 0 0 id u64\n\"", "8 3 0 id u64\n\"",
		"8 16 0 id u64\n\"", "8 1 2 id u64\n\"",
		/* A name or a type */
		"8 1 0  u64\n\"", "8 1 0 i.d u64\n\"", "8 1 0 9id u64\n\"", "8 1 0 id\040\n\"",
		"8 1 0 id\n\"", "8 1 0 id u64;\tsize:1\n\"", "8 1 0 id[ u64\n\"",
		"8 1 0 id[3 u64\n\"", "8 1 0 id[n] u64\n\"", "8 1 0 id]] u64\n\"",
		"8 1 0 id[3]] u64\n\"", "8 1 0 [3] u64\n\"",
		/* Together more than a record has */
		"512 1 0 id char[]\n1 1 0 x u8\n\"",
	};
	struct rb_image_event event = { .format = 7 };
	struct rb_image_layout l = { .formats = 8, .formats_len = 7 };
	char many[40 * 16] = "", place[] = "01234567abcdefghijk";
	char longest[RB_IMAGE_MAX_PRINT_FMT + 3];
	u32 i;

	CHECK_EQ(parse(FORMAT), 0);
	CHECK_EQ(parsed.nr_fields, 2);
	CHECK(!strcmp(parsed.system, "system"));
	CHECK(!strcmp(parsed.fields[0].name, "id") && !strcmp(parsed.fields[0].type, "u64"));
	CHECK(parsed.fields[0].size == 8 && parsed.fields[0].align == 1 &&
	      !parsed.fields[0].is_signed);
	CHECK(!strcmp(parsed.fields[1].name, "x[3]") &&
	      !strcmp(parsed.fields[1].type, "unsigned long[3]"));
	CHECK(parsed.fields[1].size == 4 && parsed.fields[1].align == 4 &&
	      parsed.fields[1].is_signed);
	CHECK(!strcmp(parsed.print_fmt, "\"id=%llu\", REC->id"));
	CHECK_EQ(parse_fields("\"\""), 0);
	CHECK_EQ(parsed.nr_fields, 0);
	CHECK_EQ(parse_fields("0 1 0 buf[] u32\n512 8 0 x_9 a b\n\""), 0);
	CHECK_EQ(parsed.nr_fields, 2);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_EQ(parse_fields(bad[i]), -EINVAL);
	CHECK_EQ(parse("\n\""), -EINVAL);
	CHECK_EQ(parse("a/b\n\""), -EINVAL);
	CHECK_EQ(parse(""), -EINVAL);
	for (i = 0; i < RB_IMAGE_MAX_FIELDS; i++)
		strcat(many, "4 1 0 id u64\n");
	CHECK_EQ(parse_fields(strcat(many, "\"")), 0);
	CHECK_EQ(parsed.nr_fields, RB_IMAGE_MAX_FIELDS);
	many[strlen(many) - 1] = '\0';
	CHECK_EQ(parse_fields(strcat(many, "4 1 0 id u64\n\"")), -EINVAL);
	memset(longest, '"', sizeof(longest));
	memcpy(longest, "s\n", 2);
	longest[sizeof(longest) - 1] = '\0';
	CHECK_EQ(parse(longest), -EINVAL);
	longest[sizeof(longest) - 2] = '\0';
	CHECK_EQ(parse(longest), 0);

	CHECK(rb_image_is_name("a_9") && rb_image_is_name("_"));
	CHECK(!rb_image_is_name("") && !rb_image_is_name("9a") && !rb_image_is_name("a/b") &&
	      !rb_image_is_name("a[3]"));

	CHECK(!*rb_image_format(place, &l, &event));
	event.format = ~0U;
	CHECK(!*rb_image_format(place, &l, &event));
	event.format = 6;
	CHECK(rb_image_format(place, &l, &event) == place + 14);
}

/* Words of a sub-buffer, how many bytes of it are said to be data, and how many are sound */
static const struct unsound {
	u32	words[6];
	u32	commit;
	u32	sound;
	u32	events;
	u64	last;
} unsound[] = {
	/* An event of one word, and then nothing, or another one */
	{ { 1, 7 }, 8, 8, 1, 100 },
	{ { 1, 7, 1 | 3 << 5, 8 }, 16, 16, 2, 103 },
	/* There is no room for its record, not even for one word */
	{ { 1, 7, 1 | 3 << 5, 8 }, 12, 8, 1, 100 },
	{ { 1, 7, 2, 8 }, 16, 8, 1, 100 },
	/* Types that no remote writes: padding, an absolute time, unknown */
	{ { 1, 7, 29, 8 }, 16, 8, 1, 100 },
	{ { 1, 7, 31, 8 }, 16, 8, 1, 100 },
	/* A long one: its size is not that of a record, or too small, or too large */
	{ { 1, 7, 0, 8, 5 }, 20, 8, 1, 100 },
	{ { 1, 7, 0, 7, 5 }, 20, 8, 1, 100 },
	{ { 1, 7, 0, 4, 5 }, 20, 8, 1, 100 },
	{ { 1, 7, 0, 0, 5 }, 20, 8, 1, 100 },
	{ { 1, 7, 0, 12, 5 }, 20, 8, 1, 100 },
	{ { 1, 7, 0, 0xfffffffc, 5 }, 20, 8, 1, 100 },
	/* A time extend: with an event, alone, followed by another one */
	{ { 1, 7, 30 | 2 << 5, 1, 1, 8 }, 24, 24, 2, 102 + (1ULL << 27) },
	{ { 1, 7, 30 | 2 << 5, 1, 1, 8 }, 16, 8, 1, 100 },
	{ { 1, 7, 30 | 2 << 5, 1, 30, 0 }, 24, 8, 1, 100 },
	/* At the end of a page that is full, or larger */
	{ { 31, 7 }, PAGE_SIZE - 16, 0, 0, 0 },
	{ { 1, 7, 31 }, PAGE_SIZE - 15, 8, 1, 100 },
	{ { 1, 7, 31 }, ~0U >> 2, 8, 1, 100 },
};

static void test_unsound(void)
{
	u64 words[PAGE_SIZE / 8], copy[PAGE_SIZE / 8];
	struct rb_page *page = (void *)words, *to = (void *)copy;
	struct rb_image_page found;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(unsound); i++) {
		const struct unsound *u = &unsound[i];

		memset(words, 0xee, sizeof(words));
		page->time_stamp = 100;
		page->commit = u->commit;
		memcpy(page->data, u->words, sizeof(u->words));
		CHECK_EQ(rb_image_read_page(page, 0, to, &found, NULL, NULL), u->events > 0);
		CHECK_EQ(found.events, u->events);
		CHECK_EQ(to->commit, u->sound);
		CHECK_EQ(found.cut, u->sound != u->commit);
		if (u->events)
			CHECK_EQ(found.last, u->last);
		CHECK(!memcmp(to->data, page->data, u->sound));
		CHECK(!to->data[u->sound] && !memcmp(to->data + u->sound, to->data + u->sound + 1,
						     DATA_SIZE - u->sound - 1));
	}

	/* The shortest long one, and one word less, for which readers expect a short header */
	page->time_stamp = 100;
	page->commit = 8 + RB_PAGE_MAX_TYPE_LEN * 4 + 4;
	memcpy(page->data, (u32[]){ 0, RB_PAGE_MAX_TYPE_LEN * 4 + 8 }, 8);
	CHECK(rb_image_read_page(page, 0, to, &found, NULL, NULL));
	CHECK_EQ(found.events, 1);
	CHECK(!found.cut);
	page->commit -= 4;
	memcpy(page->data, (u32[]){ 0, RB_PAGE_MAX_TYPE_LEN * 4 + 4 }, 8);
	CHECK(!rb_image_read_page(page, 0, to, &found, NULL, NULL));
	CHECK(found.cut);

	/* The time would wrap around */
	page->time_stamp = ~0ULL - 1;
	page->commit = 16;
	memcpy(page->data, (u32[]){ 1, 7, 1 | 3 << 5, 8 }, 16);
	CHECK(rb_image_read_page(page, 0, to, &found, NULL, NULL));
	CHECK_EQ(found.events, 1);
	/* It is what was dropped, or not */
	CHECK(!rb_image_read_page(page, page->time_stamp, to, &found, NULL, NULL));
	CHECK(!found.cut && !to->commit);
	CHECK(rb_image_read_page(page, 5, to, &found, NULL, NULL));
}

/* Numbers of lost events: stored, without room, wrong; and where they go if unknown */
static void test_lost(void)
{
	struct trace_buffer_meta meta = { .entries = 10 };
	u64 words[PAGE_SIZE / 8] = {}, copy[PAGE_SIZE / 8];
	struct rb_page *page = (void *)words, *to = (void *)copy;
	struct rb_image_page pages[3] = {
		{ .first = 30, .last = 30, .id = 0, .events = 1 },
		{ .first = 10, .last = 10, .id = 1, .events = 1 },
		{ .first = 20, .last = 20, .id = 2, .events = 1 },
	};
	struct rb_image_page found;
	u64 lost = 5;

	page->commit = 8 | RB_PAGE_MISSED | RB_PAGE_MISSED_STORED;
	memcpy(page->data, (u32[]){ 1, 7 }, 8);
	memcpy(page->data + 8, &lost, 8);
	CHECK(rb_image_read_page(page, 0, to, &found, NULL, NULL));
	CHECK_EQ(found.lost, 5);
	CHECK_EQ(to->commit, 8);
	rb_image_mark(to, 5);
	CHECK(!memcmp(to, page, 40));
	lost = ~0ULL;
	memcpy(page->data + 8, &lost, 8);
	CHECK(rb_image_read_page(page, 0, to, &found, NULL, NULL));
	CHECK_EQ(found.lost, 1);
	page->commit = 8 | RB_PAGE_MISSED;
	CHECK(rb_image_read_page(page, 0, to, &found, NULL, NULL));
	CHECK_EQ(found.lost, 1);
	to->commit = DATA_SIZE - 4;
	rb_image_mark(to, 5);
	CHECK_EQ(to->commit, (DATA_SIZE - 4) | RB_PAGE_MISSED);

	/* Before all */
	meta.pages_touched = 2;
	CHECK_EQ(rb_image_order(pages, 3, &meta, 4), 7);
	CHECK(pages[0].id == 1 && pages[1].id == 2 && pages[2].id == 0);
	CHECK(pages[0].lost == 7 && !pages[1].lost && !pages[2].lost);
	/* Between the reader's and the ring: one page is the reader's, one was overwritten */
	pages[0].lost = 0;
	meta.reader.id = 1;
	meta.pages_touched = 3;
	meta.pages_read = 1;
	meta.pages_gone = 1;
	meta.pages_lost = 1;
	CHECK_EQ(rb_image_order(pages, 3, &meta, 4), 7);
	CHECK(!pages[0].lost && pages[1].lost == 7 && !pages[2].lost);
	/* Behind what was cut; others are known */
	pages[1].lost = 0;
	pages[0].lost = 3;
	pages[1].cut = true;
	CHECK_EQ(rb_image_order(pages, 3, &meta, 4), 7);
	CHECK(pages[0].lost == 3 && !pages[1].lost && pages[2].lost == 4);
	/* The meta page makes no sense */
	memset(&meta, 0xff, sizeof(meta));
	CHECK_EQ(rb_image_order(pages, 3, &meta, 4), 0);
	CHECK_EQ(rb_image_order(pages, 0, &meta, 4), 0);
}

/*
 * The fuzzer
 */

static bool touch_record(void *rec, u32 size, void *data)
{
	u32 word;

	CHECK(!data && size >= 4 && size <= RB_WRITER_MAX_LONG && !(size % 4));
	/* All of it can be read and changed */
	memcpy(&word, rec + size - 4, sizeof(word));
	memcpy(rec + size - 4, &word, sizeof(word));
	return true;
}

static void scribble(u8 *start, u64 size)
{
	u8 *at = start + (u64)rnd(&seed, size / 4) * 4;
	u64 word;

	switch (rnd(&seed, 4)) {
	case 0:
		*at ^= 1 << rnd(&seed, 8);
		return;
	case 1:
		word = rnd(&seed, 300);
		break;
	case 2:
		word = ~0ULL << rnd(&seed, 64);
		break;
	default:
		word = (u64)rnd(&seed, 0x7fffffff) << 33 ^ rnd(&seed, 0x7fffffff);
		break;
	}
	memcpy(at, &word, 4 << (rnd(&seed, 2) && at + 8 <= start + size));
}

/* The checksum is made right again, so that what comes after it is reached */
static void repair(u8 *region, const struct rb_image_layout *l)
{
	struct rb_image_head *h = (void *)region;
	u64 from = HEAD(version);

	h->check = rb_image_hash(RB_IMAGE_HASH_INIT, region + from, l->state - from);
}

/* What is shown is sound: the strict rules of a reader, without the content */
static u64 check_copy(const struct rb_page *page, const struct rb_image_page *p)
{
	const u32 *word = (const u32 *)page->data;
	u64 ts = page->time_stamp, events = 0;
	u32 pos = 0, type, len;

	CHECK(page->commit <= DATA_SIZE && page->commit % 4 == 0);
	while (pos < page->commit) {
		type = word[pos / 4] & 31;
		len = 4 + 4 * type;
		CHECK(ts + (word[pos / 4] >> 5) >= ts);
		ts += word[pos / 4] >> 5;
		if (type == 30) {
			ts += (u64)word[pos / 4 + 1] << 27;
			pos += 8;
			CHECK(pos < page->commit);
			continue;
		}
		if (!type)
			len = 4 + word[pos / 4 + 1];
		CHECK(type <= 28 && len > (type ? 4 : 120) && len % 4 == 0 &&
		      pos + len <= page->commit);
		pos += len;
		events++;
	}
	CHECK_EQ(pos, page->commit);
	CHECK_EQ(ts, p->last);
	return events;
}

/* A sub-buffer that was not changed is read as before, unless the head has */
static void check_untouched(struct image *im, const u8 *region, u32 cpu)
{
	struct result *r = &results[cpu];
	u32 i;

	for (i = 0; i < r->nr; i++) {
		u64 at = rb_image_subbuf(&layout, cpu, r->pages[i].id);
		struct rb_page *was = (void *)(im->region + at);
		u64 commit = was->commit & ~(RB_PAGE_MISSED | RB_PAGE_MISSED_STORED);

		CHECK_EQ(check_copy(r->copies[r->pages[i].id], &r->pages[i]), r->pages[i].events);
		if (layout.size != im->layout.size || layout.buffers != im->layout.buffers ||
		    layout.nr_subbufs != im->layout.nr_subbufs ||
		    memcmp(was, region + at, PAGE_SIZE))
			continue;
		CHECK(!r->pages[i].cut);
		CHECK_EQ(r->copies[r->pages[i].id]->commit, commit);
		CHECK(!memcmp(r->copies[r->pages[i].id]->data, was->data, commit));
	}
}

static u32 nr_seen;
static u64 nr_formats;

/* The strings end, whatever they are, and fields fit into a record */
static void read_formats(void)
{
	const struct rb_image_event *events = (void *)(front + layout.events);
	const u8 *end = front + layout.formats + layout.formats_len;
	struct rb_image_format format;
	char *text;
	u32 i, nr, sum;

	for (i = 0; i < layout.nr_events; i++) {
		CHECK(strlen(events[i].name) < RB_IMAGE_NAME);
		text = rb_image_format(front, &layout, &events[i]);
		CHECK(!*text || (u8 *)text + strlen(text) < end);
		if (rb_image_parse_format(text, &format))
			continue;
		nr_formats++;
		CHECK(strlen(format.system) && strlen(format.print_fmt) < RB_IMAGE_MAX_PRINT_FMT);
		for (nr = sum = 0; nr < format.nr_fields; nr++) {
			CHECK(strlen(format.fields[nr].name) && strlen(format.fields[nr].type));
			sum += format.fields[nr].size;
		}
		CHECK(sum <= RB_WRITER_MAX_LONG);
	}
}

static void read_mutated(struct image *im, u8 *region)
{
	u32 cpu;

	if (read_front(region, im->size))
		return;
	nr_seen++;
	read_formats();
	for (cpu = 0; cpu < layout.nr_cpus && cpu < MAX_CPUS; cpu++) {
		if (layout.nr_subbufs > ARRAY_SIZE(results[0].pages))
			break;
		read_cpu(region, cpu, touch_record);
		check_untouched(im, region, cpu);
		free_cpu(cpu);
	}
	free_front();
}

/* Parts of the image more often the smaller they are */
static void mutate(struct image *im, u8 *region)
{
	const struct rb_image_layout *l = &im->layout;
	u32 n, cpu = rnd(&seed, l->nr_cpus);

	for (n = 1 + rnd(&seed, 8); n; n--) {
		switch (rnd(&seed, 8)) {
		case 0:
			scribble(region, l->events);
			break;
		case 1:
			scribble(region + l->events, l->stale - l->events);
			break;
		case 2:
			scribble(region + l->stale, l->buffers - l->stale);
			break;
		case 3:
			scribble(region + rb_image_meta(l, cpu), sizeof(struct trace_buffer_meta));
			break;
		case 4:
		case 5:
			scribble(region + rb_image_subbuf(l, cpu, rnd(&seed, l->nr_subbufs)), 32);
			break;
		default:
			scribble(region + rb_image_subbuf(l, cpu, rnd(&seed, l->nr_subbufs)),
				 PAGE_SIZE);
		}
	}
	if (rnd(&seed, 4))
		repair(region, l);
}

static void test_mutated(void)
{
	const char *wanted = getenv("IMAGES");
	u32 i, nr = wanted ? atoi(wanted) : NR_MUTATED;
	struct image im = {};
	u8 *region = NULL;

	for (i = 0; i < nr; i++) {
		if (i % 100 == 0) {
			if (i)
				image_free(&im);
			free(region);
			seed = i;
			random_image(&im);
			region = malloc(im.size);
			CHECK(region);
		}
		seed = 1000003ULL * i + 1;
		memcpy(region, im.region, im.size);
		mutate(&im, region);
		read_mutated(&im, region);
	}
	image_free(&im);
	free(region);
	printf("# %u images, %u of them with a head that is taken\n", nr, nr_seen);
	CHECK(nr_seen > nr / 3 && nr_formats > nr_seen);
}

const struct test image_tests[] = {
	{ "image: a region is divided", test_plan },
	{ "image: what was written is read", test_sound },
	{ "image: the writer is stopped at each of its stores", test_stopped },
	{ "image: a wrong head is refused", test_refused },
	{ "image: a wrong state is replaced", test_state },
	{ "image: formats are taken apart", test_formats },
	{ "image: a sub-buffer is cut where it is not sound", test_unsound },
	{ "image: where events were lost", test_lost },
	{ "image: mutated images do no harm", test_mutated },
};

const int nr_image_tests = ARRAY_SIZE(image_tests);
