// SPDX-License-Identifier: GPL-2.0
/*
 * All events of a file, by time. See merge.h.
 *
 * A binary heap of feeds, by the timestamp of their next event.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "trace/merge.h"

/* What merge_some() takes */
#define SOME_EVENTS	256

/**
 * struct subbuf - a sub-buffer
 * @data:	its content
 * @offset:	in the file
 */
struct subbuf {
	const void *data;
	u64 offset;
};

/**
 * struct feed - the sub-buffers of one buffer and CPU
 * @source:	where they come from
 * @ahead:	those that were taken from it, but not opened yet
 * @nr_ahead:	how many
 * @next:	what it gives next
 * @subbuf:	the current sub-buffer; NULL before the first, and behind a corrupt place
 * @page:	position in it
 * @waiting:	it is in the heap
 */
struct feed {
	struct merge_source source;
	struct subbuf ahead[STAMPS_PAGES];
	unsigned int nr_ahead;
	struct merged next;
	const void *subbuf;
	struct rbpage page;
	bool waiting;
};

/**
 * struct extent - sub-buffers that lie one behind the other in a file
 * @stamps:	checks their timestamps
 * @d:		the file
 * @offset:	of @d in another file
 * @at:		the next one
 * @end:	end of the data
 * @page_size:	sub-buffer size
 */
struct extent {
	struct stamps stamps;
	const struct datr *d;
	u64 offset;
	const u8 *at;
	const u8 *end;
	u32 page_size;
};

struct merge {
	struct feed *feed;
	unsigned int nr_feeds;
	struct extent *extent;
	struct feed **heap;
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

/* The rest of this sub-buffer cannot be parsed */
static void set_corrupt(struct feed *f)
{
	f->subbuf = NULL;
	f->page.pos = 0;
	f->page.size = 0;
	f->next.ev.data = NULL;
	f->next.ev.size = 0;
	/* otherwise, the timestamp stays that of the previous event */
	if (f->source.stamps)
		f->next.ev.ts = f->source.stamps->last + f->source.shift;
}

static void look_ahead(struct feed *f)
{
	unsigned int want = f->source.stamps ? STAMPS_PAGES : 1;
	struct subbuf *s;

	while (f->nr_ahead < want) {
		s = &f->ahead[f->nr_ahead];
		s->data = f->source.next(f->source.ctx, &s->offset);
		if (!s->data)
			return;
		f->nr_ahead++;
	}
}

/* Of the sub-buffer that is opened next, which is not empty */
static int check_stamp(const struct feed *f)
{
	u64 ts[STAMPS_PAGES];
	unsigned int i, nr = 0;
	struct rbpage p;

	for (i = 0; i < f->nr_ahead; i++) {
		if (!rbpage_init(&p, f->ahead[i].data, f->source.page_size) && p.size)
			ts[nr++] = p.ts;
	}
	return stamps_page(f->source.stamps, ts, nr) ? 0 : -1;
}

/* Return: false if there is no further sub-buffer */
static bool open_page(struct feed *f, int *ret)
{
	look_ahead(f);
	if (!f->nr_ahead)
		return false;
	f->subbuf = f->ahead[0].data;
	f->next.offset = f->ahead[0].offset;
	*ret = rbpage_init(&f->page, f->subbuf, f->source.page_size);
	if (!*ret && f->page.size && f->source.stamps)
		*ret = check_stamp(f);
	f->next.lost = add_lost(f->next.lost, f->page.lost);
	f->nr_ahead--;
	memmove(f->ahead, f->ahead + 1, f->nr_ahead * sizeof(*f->ahead));
	return true;
}

/* Of the current sub-buffer, which may have grown since it was opened */
static int next_in_page(struct feed *f)
{
	int ret = rbpage_next(&f->page, &f->next.ev);

	if (ret || !f->subbuf)
		return ret;
	rbpage_grow(&f->page, f->subbuf, f->source.page_size);
	return rbpage_next(&f->page, &f->next.ev);
}

static bool advance(struct feed *f)
{
	int ret = next_in_page(f);

	while (!ret) {
		if (!open_page(f, &ret))
			return false;
		if (!ret)
			ret = rbpage_next(&f->page, &f->next.ev);
	}
	if (ret > 0 && f->source.stamps && !stamps_event(f->source.stamps, f->next.ev.ts))
		ret = -1;
	if (ret < 0)
		set_corrupt(f);
	else
		f->next.ev.ts += f->source.shift;
	return true;
}

static bool before(const struct feed *a, const struct feed *b)
{
	if (a->next.ev.ts != b->next.ev.ts)
		return a->next.ev.ts < b->next.ev.ts;
	if (a->next.guest != b->next.guest)
		return a->next.guest < b->next.guest;
	if (a->next.buffer != b->next.buffer)
		return a->next.buffer < b->next.buffer;
	return a->next.cpu < b->next.cpu;
}

static void swap(struct merge *m, unsigned int a, unsigned int b)
{
	struct feed *f = m->heap[a];

	m->heap[a] = m->heap[b];
	m->heap[b] = f;
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

static void add_feed(struct merge *m, struct feed *f)
{
	f->waiting = advance(f);
	if (!f->waiting)
		return;
	m->heap[m->nr++] = f;
	sift_up(m, m->nr - 1);
}

struct merge *merge_new_of(const struct merge_source *source, unsigned int nr)
{
	struct merge *m = calloc(1, sizeof(*m));
	unsigned int i;

	if (m) {
		m->feed = calloc(nr + 1, sizeof(*m->feed));
		m->heap = calloc(nr + 1, sizeof(*m->heap));
	}
	if (!m || !m->feed || !m->heap) {
		log_oom();
		merge_free(m);
		return NULL;
	}
	m->nr_feeds = nr;
	for (i = 0; i < nr; i++) {
		m->feed[i].source = source[i];
		m->feed[i].next.guest = source[i].guest;
		m->feed[i].next.buffer = source[i].buffer;
		m->feed[i].next.cpu = source[i].cpu;
		add_feed(m, &m->feed[i]);
	}
	return m;
}

void merge_again(struct merge *m)
{
	struct feed *f;

	for (f = m->feed; f < m->feed + m->nr_feeds; f++) {
		if (!f->waiting)
			add_feed(m, f);
	}
}

/* Files */

static const void *next_of_extent(void *ctx, u64 *offset)
{
	struct extent *e = ctx;
	const u8 *subbuf = e->at;

	if (e->at == e->end)
		return NULL;
	*offset = e->offset + datr_offset(e->d, subbuf);
	e->at += e->page_size;
	return subbuf;
}

/**
 * struct sources - the sources of a file
 * @cpus:	only these CPUs; NULL for all
 * @part:	only this part; NULL for all
 * @offset:	of the recording in the file
 * @nr:		how many there are
 * @source:	them
 * @extent:	as many
 */
struct sources {
	const struct cpulist *cpus;
	const struct merge_part *part;
	u64 offset;
	unsigned int nr;
	struct merge_source *source;
	struct extent *extent;
};

static bool is_left_out(const struct sources *s, unsigned int cpu)
{
	if (s->cpus && !cpulist_has(s->cpus, cpu))
		return true;
	return s->part && s->part->by_cpu && s->part->cpu != cpu;
}

/*
 * Begin at the last sub-buffer but one that begins before @from, as its timestamp may be
 * corrupt. None behind the first one that does not is looked at
 */
static void skip_before(struct extent *e, u64 from)
{
	const u8 *at, *before = NULL;
	struct rbpage p;

	for (at = e->at; at < e->end; at += e->page_size) {
		if (rbpage_init(&p, at, e->page_size) || !p.size)
			continue;
		if (p.ts >= from)
			return;
		if (before)
			e->at = before;
		before = at;
	}
}

/* What a timestamp was before @shift was added, or the nearest one that there is */
static u64 unshifted(u64 ts, long long shift)
{
	u64 before = ts - shift;

	if (shift > 0)
		return before > ts ? 0 : before;
	return before < ts ? UINT64_MAX : before;
}

/* @like has what all CPUs of the buffer have in common; @stamps is copied */
static void add_cpu(struct sources *s, const struct datr *d, const struct datr_cpu *cpu,
		    const struct merge_source *like, const struct stamps *stamps)
{
	struct extent *e = &s->extent[s->nr];

	if (is_left_out(s, cpu->cpu))
		return;
	*e = (struct extent) {
		.stamps = *stamps, .d = d, .offset = s->offset, .at = cpu->data,
		.end = cpu->data + cpu->size, .page_size = like->page_size,
	};
	if (s->part && s->part->from)
		skip_before(e, unshifted(s->part->from, like->shift));
	s->source[s->nr] = *like;
	s->source[s->nr].cpu = cpu->cpu;
	s->source[s->nr].stamps = &e->stamps;
	s->source[s->nr].ctx = e;
	s->nr++;
}

static void add_recording(struct sources *s, const struct datr *d, unsigned int guest,
			  long long shift)
{
	struct merge_source like = { .guest = guest, .shift = shift, .next = next_of_extent };
	const struct datr_buffer *b;
	struct stamps stamps;
	unsigned int i, j;

	for (i = 0; i < datr_nr_buffers(d); i++) {
		if (s->part && s->part->by_side &&
		    s->part->side != (guest ? GUEST : datr_side(d, i)))
			continue;
		b = datr_buffer(d, i);
		stamps_init(&stamps, d, b->clock);
		like.buffer = i;
		like.page_size = b->page_size;
		for (j = 0; j < b->nr_cpus; j++)
			add_cpu(s, d, &b->cpu[j], &like, &stamps);
	}
}

static unsigned int count_cpus(const struct datr *d)
{
	unsigned int i, nr = 0;

	for (i = 0; i < datr_nr_buffers(d); i++)
		nr += datr_buffer(d, i)->nr_cpus;
	for (i = 0; i < datr_nr_guests(d); i++)
		nr += count_cpus(datr_guest(d, i)->d);
	return nr;
}

static struct merge *merge_recordings(const struct datr *d, bool guests, struct sources *s)
{
	const struct datr_guest *g;
	struct merge *m;
	unsigned int i;

	add_recording(s, d, 0, 0);
	for (i = 0; guests && i < datr_nr_guests(d); i++) {
		g = datr_guest(d, i);
		s->offset = g->offset;
		add_recording(s, g->d, i + 1, g->shift);
	}
	m = merge_new_of(s->source, s->nr);
	if (m)
		m->extent = s->extent;
	return m;
}

static struct merge *merge_file(const struct datr *d, const struct cpulist *cpus,
				const struct merge_part *part, bool guests)
{
	unsigned int nr = count_cpus(d) + 1;
	struct sources s = {
		.cpus = cpus,
		.part = part,
		.source = calloc(nr, sizeof(*s.source)),
		.extent = calloc(nr, sizeof(*s.extent)),
	};
	struct merge *m = NULL;

	if (s.extent && s.source)
		m = merge_recordings(d, guests, &s);
	else
		log_oom();
	if (!m)
		free(s.extent);
	free(s.source);
	return m;
}

struct merge *merge_new(const struct datr *d, const struct cpulist *cpus)
{
	return merge_file(d, cpus, NULL, false);
}

struct merge *merge_new_world(const struct datr *d)
{
	return merge_file(d, NULL, NULL, true);
}

struct merge *merge_new_part(const struct datr *d, const struct merge_part *part)
{
	return merge_file(d, NULL, part, true);
}

/* Taking events */

bool merge_next_until(struct merge *m, u64 until, struct merged *out)
{
	struct feed *f;

	if (!m->nr || m->heap[0]->next.ev.ts > until)
		return false;
	f = m->heap[0];
	*out = f->next;
	f->next.lost = 0;
	f->waiting = advance(f);
	if (!f->waiting)
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
	free(m->extent);
	free(m->feed);
	free(m->heap);
	free(m);
}

int merge_some(struct merge *m, merged_fn fn, void *ctx)
{
	struct merged ev;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < SOME_EVENTS; i++) {
		if (!merge_next(m, &ev))
			return 0;
		ret = fn(ctx, &ev);
	}
	return ret ?: 1;
}

static int each(struct merge *m, merged_fn fn, void *ctx)
{
	struct merged ev;
	int ret = m ? 0 : -1;

	while (!ret && merge_next(m, &ev))
		ret = fn(ctx, &ev);
	merge_free(m);
	return ret;
}

int merge_each(const struct datr *d, const struct cpulist *cpus, merged_fn fn, void *ctx)
{
	return each(merge_new(d, cpus), fn, ctx);
}

int merge_each_world(const struct datr *d, merged_fn fn, void *ctx)
{
	return each(merge_new_world(d), fn, ctx);
}

enum side merged_side(const struct datr *d, const struct merged *ev)
{
	return ev->guest ? GUEST : datr_side(d, ev->buffer);
}

int merge_first(const struct datr *d, u64 *ts)
{
	struct merge *m = merge_new(d, NULL);
	struct merged ev = { 0 };

	if (!m)
		return -1;
	/* corrupt sub-buffers before any event have the timestamp 0 */
	while (!ev.ev.data && merge_next(m, &ev))
		;
	*ts = ev.ev.ts;
	merge_free(m);
	return 0;
}
