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
 * @next:	what it gives next
 * @page:	position in the current sub-buffer
 * @at:		the sub-buffer behind the current one
 * @end:	end of the data
 * @page_size:	sub-buffer size
 */
struct stream {
	struct merged next;
	struct rbpage page;
	const u8 *at;
	const u8 *end;
	u32 page_size;
};

struct merge {
	const struct datr *d;
	struct stream *stream;
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
	s->page.pos = 0;
	s->page.size = 0;
	s->next.ev.data = NULL;
	s->next.ev.size = 0;
	/* the stamp stays that of the event before */
}

/* Return: false if there is no further sub-buffer */
static bool open_page(struct merge *m, struct stream *s, int *ret)
{
	if (s->at == s->end)
		return false;
	*ret = rbpage_init(&s->page, s->at, s->page_size);
	s->next.offset = datr_offset(m->d, s->at);
	s->next.lost = add_lost(s->next.lost, s->page.lost);
	s->at += s->page_size;
	return true;
}

static bool advance(struct merge *m, struct stream *s)
{
	int ret;

	s->next.lost = 0;
	ret = rbpage_next(&s->page, &s->next.ev);
	while (!ret) {
		if (!open_page(m, s, &ret))
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
	if (!advance(m, s))
		return;
	m->heap[m->nr++] = s;
	sift_up(m, m->nr - 1);
}

static void add_buffer(struct merge *m, unsigned int index,
		       const struct cpulist *cpus, struct stream **next)
{
	const struct datr_buffer *b = datr_buffer(m->d, index);
	const struct datr_cpu *cpu;
	struct stream *s;

	for (cpu = b->cpu; cpu < b->cpu + b->nr_cpus; cpu++) {
		if (cpus && !cpulist_has(cpus, cpu->cpu))
			continue;
		s = (*next)++;
		s->next.buffer = index;
		s->next.cpu = cpu->cpu;
		s->at = cpu->data;
		s->end = cpu->data + cpu->size;
		s->page_size = b->page_size;
		add_stream(m, s);
	}
}

static int alloc_streams(struct merge *m)
{
	unsigned int i, nr = 1;

	for (i = 0; i < datr_nr_buffers(m->d); i++)
		nr += datr_buffer(m->d, i)->nr_cpus;
	m->stream = calloc(nr, sizeof(*m->stream));
	m->heap = calloc(nr, sizeof(*m->heap));
	return m->stream && m->heap ? 0 : -1;
}

struct merge *merge_new(const struct datr *d, const struct cpulist *cpus)
{
	struct merge *m = calloc(1, sizeof(*m));
	struct stream *next;
	unsigned int i;

	if (m)
		m->d = d;
	if (!m || alloc_streams(m)) {
		log_oom();
		merge_free(m);
		return NULL;
	}
	next = m->stream;
	for (i = 0; i < datr_nr_buffers(d); i++)
		add_buffer(m, i, cpus, &next);
	return m;
}

bool merge_next(struct merge *m, struct merged *out)
{
	struct stream *s;

	if (!m->nr)
		return false;
	s = m->heap[0];
	*out = s->next;
	if (!advance(m, s))
		m->heap[0] = m->heap[--m->nr];
	sift_down(m);
	return true;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	free(m->stream);
	free(m->heap);
	free(m);
}
