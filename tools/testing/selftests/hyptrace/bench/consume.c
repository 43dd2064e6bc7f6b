// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of readers: to get a sub-buffer, and to consume its events. Each takes the
 * same number of full sub-buffers from the same buffer. To consume an event is to look at
 * its time, its type and its id; text is only read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <event-parse.h>
#include <kbuffer.h>

#include "benches.h"
#include "lib/reader.h"

/* As many as the smallest buffer has at once */
#define SUBBUFS		12
#define REPEATS		15

#define TYPE_LEN_MASK	31
#define DELTA_SHIFT	5

/**
 * struct reading - a reader at work
 * @b:		what it reads
 * @map:	its mapping, if it has one
 * @fd:		trace_pipe_raw or trace_pipe, if it has no mapping
 * @pipe:	for splice
 * @null:	where it splices data to
 * @kbuf:	libtraceevent's iterator
 * @tep:	libtraceevent's parser
 * @field:	the event's field id
 * @events:	number of events that it saw
 * @page:	where it reads data to
 */
struct reading {
	struct bench		*b;
	struct mapping		map;
	int			fd;
	int			pipe[2];
	int			null;
	struct kbuffer		*kbuf;
	struct tep_handle	*tep;
	struct tep_format_field	*field;
	unsigned long		events;
	uint64_t		page[MAX_SUBBUF_SIZE / 8];
};

static struct reading reading;

/* Keeps the compiler from dropping the computation of @val */
static void use(uint64_t val)
{
	asm volatile("" : : "r" (val));
}

/* Fill the sub-buffers, and write one event more, which closes the last of them */
static void fill(void *arg)
{
	struct reading *r = arg;
	unsigned int i;

	bench_clear(r->b);
	for (i = 0; i < SUBBUFS * r->b->per_subbuf + 1; i++)
		bench_write(r->b);
	r->events = 0;
}

/* All events here are compact: the type is the length in words */
static void walk(struct reading *r, const struct subbuf *page)
{
	const uint32_t *pos = (const uint32_t *)page->data;
	const uint32_t *end = pos + (page->commit & (SUBBUF_MISSED_STORED - 1)) / sizeof(*pos);
	uint64_t ts = page->time_stamp, sum = 0, id;
	unsigned long nr = 0;

	while (pos < end) {
		const struct record *rec = (const struct record *)(pos + 1);
		uint32_t len = *pos & TYPE_LEN_MASK;

		ts += *pos >> DELTA_SHIFT;
		if (!len || len > 28)
			break;
		if (rec->type == r->b->src.type) {
			memcpy(&id, rec->data, sizeof(id));
			sum += ts ^ id;
			nr++;
		}
		pos += len + 1;
	}
	use(sum);
	r->events += nr;
}

static void walk_kbuffer(struct reading *r, const struct subbuf *page)
{
	unsigned long long ts, id;
	uint64_t sum = 0;
	void *data;

	if (kbuffer_load_subbuffer(r->kbuf, (void *)page))
		fail("libtraceevent refuses a sub-buffer");

	for (data = kbuffer_read_event(r->kbuf, &ts); data;
	     data = kbuffer_next_event(r->kbuf, &ts)) {
		struct tep_record rec = { .data = data, .size = kbuffer_event_size(r->kbuf) };

		if (tep_data_type(r->tep, &rec) != r->b->src.type)
			continue;
		if (!tep_read_number_field(r->field, data, &id))
			sum += ts ^ id;
		r->events++;
	}
	use(sum);
}

static const struct subbuf *next_mapped(struct reading *r)
{
	if (ioctl(r->map.fd, TRACE_MMAP_IOCTL_GET_READER))
		fail("TRACE_MMAP_IOCTL_GET_READER: %s", strerror(errno));
	return mapping_subbuf(&r->map, r->map.meta->reader.id);
}

static const struct subbuf *next_read(struct reading *r)
{
	if (read(r->fd, r->page, SUBBUF_SIZE) != SUBBUF_SIZE)
		fail("read() of a sub-buffer: %s", strerror(errno));
	return (struct subbuf *)r->page;
}

static void next_spliced(struct reading *r, int to)
{
	if (splice(r->fd, NULL, r->pipe[1], NULL, SUBBUF_SIZE, SPLICE_F_NONBLOCK) != SUBBUF_SIZE)
		fail("splice() of a sub-buffer: %s", strerror(errno));
	if (to >= 0 && splice(r->pipe[0], NULL, to, NULL, SUBBUF_SIZE, 0) != SUBBUF_SIZE)
		fail("splice() to /dev/null: %s", strerror(errno));
}

/* Readers that only get the sub-buffers */

static void map_pages(void *arg)
{
	next_mapped(arg);
}

static void read_pages(void *arg)
{
	next_read(arg);
}

static void splice_pages(void *arg)
{
	next_spliced(arg, reading.null);
}

/* Readers that look at their events as well */

static void map_events(void *arg)
{
	walk(arg, next_mapped(arg));
}

static void kbuffer_events(void *arg)
{
	walk_kbuffer(arg, next_mapped(arg));
}

static void read_events(void *arg)
{
	walk(arg, next_read(arg));
}

static void splice_events(void *arg)
{
	struct reading *r = arg;

	next_spliced(r, -1);
	if (read(r->pipe[0], r->page, SUBBUF_SIZE) != SUBBUF_SIZE)
		fail("read() of a pipe: %s", strerror(errno));
	walk(r, (struct subbuf *)r->page);
}

/* Read all the text; each line is an event */
static void text_events(void *arg)
{
	struct reading *r = arg;
	ssize_t len;

	while ((len = read(r->fd, r->page, sizeof(r->page))) > 0)
		r->events += len;
}

/* Number of lines, read outside the measurement */
static unsigned long text_length(struct reading *r)
{
	const char *text = (const char *)r->page;
	unsigned long lines = 0;
	ssize_t len, i;

	fill(r);
	while ((len = read(r->fd, r->page, sizeof(r->page))) > 0) {
		for (i = 0; i < len; i++)
			lines += text[i] == '\n';
	}
	return lines;
}

/* The cost of one sub-buffer */
static struct cost run(struct reading *r, void (*call)(void *))
{
	struct batch batch = {
		.prepare = fill, .call = call, .arg = r, .calls = SUBBUFS, .repeats = REPEATS,
	};

	return measure(&batch);
}

static struct cost run_events(struct reading *r, void (*call)(void *))
{
	struct cost cost = run(r, call);

	if (r->events != SUBBUFS * r->b->per_subbuf)
		fail("a reader saw %lu events, %u expected", r->events,
		     SUBBUFS * r->b->per_subbuf);
	return cost_scale(cost, 1.0 / r->b->per_subbuf);
}

static struct cost run_text(struct reading *r)
{
	struct batch batch = {
		.prepare = fill, .call = text_events, .arg = r, .calls = 1, .repeats = 9,
	};
	unsigned long events = SUBBUFS * r->b->per_subbuf + 1, lines = text_length(r);

	if (lines != events)
		fail("trace_pipe has %lu lines, %lu expected", lines, events);
	return cost_scale(measure(&batch), 1.0 / events);
}

static void start(struct reading *r, struct bench *b)
{
	r->b = b;
	r->fd = -1;
	bench_select(b, "selftest");
	need(source_on(&b->src, true), "tracing_on");
}

static void open_mapping(struct reading *r)
{
	need(mapping_open(&r->map, &r->b->src, CPU, O_NONBLOCK), "mapping of trace_pipe_raw");
}

static void open_file(struct reading *r, const char *name)
{
	r->fd = source_open_file(&r->b->src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/%s", CPU, name);
	need(r->fd, name);
}

static void open_pipe(struct reading *r)
{
	r->null = open("/dev/null", O_WRONLY);
	if (r->null < 0 || pipe(r->pipe))
		fail("a pipe and /dev/null: %s", strerror(errno));
}

static void close_pipe(struct reading *r)
{
	close(r->null);
	close(r->pipe[0]);
	close(r->pipe[1]);
}

static void open_parser(struct reading *r)
{
	struct tep_event *event;
	char format[4096];
	ssize_t len = source_get(&r->b->src, format, sizeof(format), "events/%s/selftest/format",
				 HYPERVISOR);

	need(len, "format of selftest");
	r->kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	r->tep = tep_alloc();
	if (!r->kbuf || !r->tep || tep_parse_format(r->tep, &event, format, len, HYPERVISOR))
		fail("libtraceevent cannot parse the format of selftest");
	r->field = tep_find_field(event, "id");
	if (!r->field)
		fail("libtraceevent finds no field id in selftest");
}

static void close_parser(struct reading *r)
{
	kbuffer_free(r->kbuf);
	tep_free(r->tep);
}

static void report_as(const char *name, const char *suffix, struct cost cost, const char *unit)
{
	char full[64];

	snprintf(full, sizeof(full), "%s%s", name, suffix);
	report(full, cost, unit);
}

void bench_pages(struct bench *b, const char *suffix)
{
	struct reading *r = &reading;

	start(r, b);
	open_mapping(r);
	report_as("page.map", suffix, run(r, map_pages), "instructions");
	mapping_close(&r->map);

	open_file(r, "trace_pipe_raw");
	report_as("page.read", suffix, run(r, read_pages), "instructions");
	open_pipe(r);
	report_as("page.splice", suffix, run(r, splice_pages), "instructions");
	close_pipe(r);
	close(r->fd);
	bench_select(b, NULL);
}

/*
 * The hypervisor's own timestamps around its part of each swap. Their resolution is
 * that of the counter.
 */
static unsigned int event_type(struct bench *b, const char *name)
{
	char id[16];

	need(source_get(&b->src, id, sizeof(id), "events/%s/%s/id", HYPERVISOR, name), name);
	return atoi(id);
}

/**
 * struct visits - visits to EL2
 * @enter:	type of hyp_enter
 * @exit:	type of hyp_exit
 * @entered:	start of the current visit, or 0
 * @ns:		duration of each
 * @nr:		number of visits
 */
struct visits {
	unsigned int	enter;
	unsigned int	exit;
	uint64_t	entered;
	double		ns[2 * SUBBUFS];
	unsigned int	nr;
};

static void add_visit(struct visits *v, unsigned int type, uint64_t ts)
{
	if (type == v->enter)
		v->entered = ts;
	if (type != v->exit || !v->entered)
		return;
	if (v->nr == ARRAY_SIZE(v->ns))
		fail("%d swaps made more than %u visits to EL2", SUBBUFS, v->nr);
	v->ns[v->nr++] = ts - v->entered;
	v->entered = 0;
}

static void add_visits(struct visits *v, struct reading *r, const struct subbuf *page)
{
	unsigned long long ts;
	void *data;

	kbuffer_load_subbuffer(r->kbuf, (void *)page);
	for (data = kbuffer_read_event(r->kbuf, &ts); data;
	     data = kbuffer_next_event(r->kbuf, &ts))
		add_visit(v, *(uint16_t *)data, ts);
}

/* hyp_enter is enabled last, so that neither this nor the end of tracing counts as a visit */
static void trace_swaps(struct reading *r)
{
	unsigned int i;

	fill(r);
	bench_enable(r->b, "hyp_exit", true);
	bench_enable(r->b, "hyp_enter", true);
	for (i = 0; i < SUBBUFS; i++)
		next_mapped(r);
	need(source_on(&r->b->src, false), "tracing_on");
}

void bench_swap(struct bench *b, double event)
{
	struct visits v = {
		.enter = event_type(b, "hyp_enter"), .exit = event_type(b, "hyp_exit"),
	};
	struct reading *r = &reading;
	double ns = 0;
	unsigned int i;

	start(r, b);
	open_mapping(r);
	r->kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	trace_swaps(r);
	add_visits(&v, r, next_mapped(r));
	if (v.nr < SUBBUFS)
		fail("%d swaps made only %u visits to EL2", SUBBUFS, v.nr);
	/* A visit for a memory fault of the host takes longer, and is not part of a swap */
	quantile(v.ns, v.nr, 0);
	for (i = 0; i < SUBBUFS; i++)
		ns += v.ns[i] - event;
	report_value("page.map_el2", ns / SUBBUFS, "instructions");
	kbuffer_free(r->kbuf);
	mapping_close(&r->map);
	bench_select(b, NULL);
}

static struct cost bench_mapped(struct reading *r)
{
	struct cost cost;

	open_mapping(r);
	cost = run_events(r, map_events);
	report("consume.map", cost, "instructions");
	open_parser(r);
	report("consume.map_kbuffer", run_events(r, kbuffer_events), "instructions");
	close_parser(r);
	mapping_close(&r->map);
	return cost;
}

void bench_readers(struct bench *b)
{
	struct reading *r = &reading;
	struct cost map, text;

	start(r, b);
	map = bench_mapped(r);

	open_file(r, "trace_pipe_raw");
	report("consume.read", run_events(r, read_events), "instructions");
	open_pipe(r);
	report("consume.splice", run_events(r, splice_events), "instructions");
	close_pipe(r);
	close(r->fd);

	open_file(r, "trace_pipe");
	text = run_text(r);
	report("consume.text", text, "instructions");
	report_value("consume.text_to_map", text.median / map.median, "times");
	close(r->fd);
	bench_select(b, NULL);
}
