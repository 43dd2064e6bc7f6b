// SPDX-License-Identifier: GPL-2.0
/*
 * All events of a file, by time. See merge.h.
 *
 * A binary heap of streams, by the time stamp of their next event.
 */
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "merge.h"

/**
 * struct stream - the sub-buffers of one buffer and CPU
 * @source:	where they come from
 * @next:	what it gives next
 * @subbuf:	the current sub-buffer; NULL before the first, and behind a corrupt place
 * @page:	position in it
 * @waiting:	it is in the heap
 */
struct stream {
	struct merge_source source;
	struct merged next;
	const void *subbuf;
	struct rbpage page;
	bool waiting;
};

/**
 * struct span - sub-buffers that lie one behind the other in a file
 * @d:		the file
 * @at:		the next one
 * @end:	end of the data
 * @page_size:	sub-buffer size
 */
struct span {
	const struct datr *d;
	const u8 *at;
	const u8 *end;
	u32 page_size;
};

struct merge {
	struct stream *stream;
	unsigned int nr_streams;
	struct span *span;
	struct stream **heap;
	unsigned int nr;
};

/* Losses add up over sub-buffers that have no event */
static u64 add_lost(u64 a, u64 b)
{
	if (a == RBPAGE_LOST_UNKNOWN || b == RBPAGE_LOST_UNKNOWN ||
	    a + b < a)
		return RBPAGE_LOST_UNKNOWN;
	return a + b;
}

/* Nothing more of this sub-buffer can be understood */
static void set_corrupt(struct stream *s)
{
	s->subbuf = NULL;
	s->page.pos = 0;
	s->page.size = 0;
	s->next.ev.data = NULL;
	s->next.ev.size = 0;
	/* the stamp stays that of the event before */
}

/* Return: false if there is no further sub-buffer */
static bool open_page(struct stream *s, int *ret)
{
	const void *subbuf = s->source.next(s->source.ctx, &s->next.offset);

	if (!subbuf)
		return false;
	s->subbuf = subbuf;
	*ret = rbpage_init(&s->page, subbuf, s->source.page_size);
	s->next.lost = add_lost(s->next.lost, s->page.lost);
	return true;
}

/* Of the current sub-buffer, which may have grown since it was opened */
static int next_in_page(struct stream *s)
{
	int ret = rbpage_next(&s->page, &s->next.ev);

	if (ret || !s->subbuf)
		return ret;
	rbpage_grow(&s->page, s->subbuf, s->source.page_size);
	return rbpage_next(&s->page, &s->next.ev);
}

static bool advance(struct stream *s)
{
	int ret = next_in_page(s);

	while (!ret) {
		if (!open_page(s, &ret))
			return false;
		if (!ret)
			ret = rbpage_next(&s->page, &s->next.ev);
	}
	if (ret < 0)
		set_corrupt(s);
	return true;
}

static bool before(const struct stream *a, const struct stream *b)
{
	if (a->next.ev.ts != b->next.ev.ts)
		return a->next.ev.ts < b->next.ev.ts;
	if (a->next.buffer != b->next.buffer)
		return a->next.buffer < b->next.buffer;
	return a->next.cpu < b->next.cpu;
}

static void swap(struct merge *m, unsigned int a, unsigned int b)
{
	struct stream *s = m->heap[a];

	m->heap[a] = m->heap[b];
	m->heap[b] = s;
}

static void sift_up(struct merge *m, unsigned int i)
{
	while (i && before(m->heap[i], m->heap[(i - 1) / 2])) {
		swap(m, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

static void sift_down(struct merge *m)
{
	unsigned int i = 0, child;

	while ((child = 2 * i + 1) < m->nr) {
		if (child + 1 < m->nr &&
		    before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m->heap[child], m->heap[i]))
			return;
		swap(m, i, child);
		i = child;
	}
}

static void add_stream(struct merge *m, struct stream *s)
{
	s->waiting = advance(s);
	if (!s->waiting)
		return;
	m->heap[m->nr++] = s;
	sift_up(m, m->nr - 1);
}

struct merge *merge_new_of(const struct merge_source *source, unsigned int nr)
{
	struct merge *m = calloc(1, sizeof(*m));
	unsigned int i;

	if (m) {
		m->stream = calloc(nr + 1, sizeof(*m->stream));
		m->heap = calloc(nr + 1, sizeof(*m->heap));
	}
	if (!m || !m->stream || !m->heap) {
		log_oom();
		merge_free(m);
		return NULL;
	}
	m->nr_streams = nr;
	for (i = 0; i < nr; i++) {
		m->stream[i].source = source[i];
		m->stream[i].next.buffer = source[i].buffer;
		m->stream[i].next.cpu = source[i].cpu;
		add_stream(m, &m->stream[i]);
	}
	return m;
}

void merge_again(struct merge *m)
{
	struct stream *s;

	for (s = m->stream; s < m->stream + m->nr_streams; s++) {
		if (!s->waiting)
			add_stream(m, s);
	}
}

/* Files */

static const void *next_of_span(void *ctx, u64 *offset)
{
	struct span *s = ctx;
	const u8 *subbuf = s->at;

	if (s->at == s->end)
		return NULL;
	*offset = datr_offset(s->d, subbuf);
	s->at += s->page_size;
	return subbuf;
}

/* The CPUs of a buffer. Return: how many. */
static unsigned int add_buffer(const struct datr *d, unsigned int index,
			       const struct cpulist *cpus,
			       struct merge_source *source, struct span *span)
{
	const struct datr_buffer *b = datr_buffer(d, index);
	const struct datr_cpu *cpu;
	unsigned int nr = 0;

	for (cpu = b->cpu; cpu < b->cpu + b->nr_cpus; cpu++) {
		if (cpus && !cpulist_has(cpus, cpu->cpu))
			continue;
		span[nr] = (struct span) {
			d, cpu->data, cpu->data + cpu->size, b->page_size,
		};
		source[nr] = (struct merge_source) {
			index, cpu->cpu, b->page_size, next_of_span, &span[nr],
		};
		nr++;
	}
	return nr;
}

static struct merge *merge_spans(const struct datr *d, const struct cpulist *cpus,
				 struct merge_source *source, struct span *span)
{
	unsigned int i, nr = 0;
	struct merge *m;

	for (i = 0; i < datr_nr_buffers(d); i++)
		nr += add_buffer(d, i, cpus, source + nr, span + nr);
	m = merge_new_of(source, nr);
	if (m)
		m->span = span;
	return m;
}

struct merge *merge_new(const struct datr *d, const struct cpulist *cpus)
{
	struct merge_source *source;
	struct merge *m = NULL;
	unsigned int i, nr = 1;
	struct span *span;

	for (i = 0; i < datr_nr_buffers(d); i++)
		nr += datr_buffer(d, i)->nr_cpus;
	span = calloc(nr, sizeof(*span));
	source = calloc(nr, sizeof(*source));
	if (span && source)
		m = merge_spans(d, cpus, source, span);
	else
		log_oom();
	if (!m)
		free(span);
	free(source);
	return m;
}

/* Taking events */

bool merge_next_until(struct merge *m, u64 until, struct merged *out)
{
	struct stream *s;

	if (!m->nr || m->heap[0]->next.ev.ts > until)
		return false;
	s = m->heap[0];
	*out = s->next;
	s->next.lost = 0;
	s->waiting = advance(s);
	if (!s->waiting)
		m->heap[0] = m->heap[--m->nr];
	sift_down(m);
	return true;
}

bool merge_next(struct merge *m, struct merged *out)
{
	return merge_next_until(m, UINT64_MAX, out);
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	free(m->span);
	free(m->stream);
	free(m->heap);
	free(m);
}

int merge_first(const struct datr *d, u64 *ts)
{
	struct merge *m = merge_new(d, NULL);
	struct merged ev = { 0 };

	if (!m)
		return -1;
	/* corrupt places before any event have the stamp 0 */
	while (!ev.ev.data && merge_next(m, &ev))
		;
	*ts = ev.ev.ts;
	merge_free(m);
	return 0;
}
