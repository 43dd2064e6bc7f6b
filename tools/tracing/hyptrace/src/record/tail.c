// SPDX-License-Identifier: GPL-2.0
/*
 * The events of all buffers as they are written. See tail.h.
 *
 * A stream keeps copies of its sub-buffers, oldest first:
 *
 *	| given out | current, its events are being given out | ... | newest, may grow |
 *	  first       current                                         last
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "record/clock.h"
#include "record/tail.h"

/* How long to wait for an event that was begun before tracing was switched off */
#define LAST_TRIES	50

struct tail_page {
	struct tail_page *next;
	u64 index;
	u8 data[];
};

struct tail_stream {
	struct stream *s;
	struct tail_page *first;
	struct tail_page *current;
	struct tail_page *last;
};

struct tail {
	const struct recording *r;
	struct streams streams;
	struct tail_stream *stream;
	unsigned int nr;
	struct merge *merge;
	u64 ripe;
	u64 now;
};

/* Sub-buffers that are read */

static struct tail_page *add_page(struct tail_stream *t, u64 index)
{
	struct tail_page *p = malloc(sizeof(*p) + follower_subbuf_size(t->s->f));

	if (!p)
		return NULL;
	p->next = NULL;
	p->index = index;
	if (t->last)
		t->last->next = p;
	else
		t->first = p;
	t->last = p;
	return p;
}

static int put_subbuf(void *ctx, u64 index, struct iovec *iov, int nr)
{
	struct tail_stream *t = ctx;
	struct tail_page *p = t->last;
	u8 *to;
	int i;

	if (!p || p->index != index)
		p = add_page(t, index);
	if (!p)
		return -1;
	to = p->data;
	for (i = 0; i < nr; i++) {
		memcpy(to, iov[i].iov_base, iov[i].iov_len);
		to += iov[i].iov_len;
	}
	return 0;
}

/* Sub-buffers that are given out */

static const void *next_subbuf(void *ctx, u64 *offset)
{
	struct tail_stream *t = ctx;
	struct tail_page *p = t->current ? t->current->next : t->first;

	if (!p)
		return NULL;
	t->current = p;
	*offset = p->index * follower_subbuf_size(t->s->f);
	return p->data;
}

static void free_pages(struct tail_stream *t, const struct tail_page *end)
{
	struct tail_page *p;

	while (t->first != end) {
		p = t->first;
		t->first = p->next;
		free(p);
	}
}

static void forget_given_out(struct tail *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (t->stream[i].current)
			free_pages(&t->stream[i], t->stream[i].current);
	}
}

/* All */

static void add_stream(struct tail *t, struct stream *s, struct merge_source *source)
{
	struct tail_stream *one = &t->stream[t->nr++];

	one->s = s;
	follower_set_sink(s->f, put_subbuf, one);
	*source = (struct merge_source) {
		.buffer = s->side, .cpu = s->cpu, .page_size = follower_subbuf_size(s->f),
		.next = next_subbuf, .ctx = one,
	};
}

static int add_streams(struct tail *t, struct merge_source *source)
{
	unsigned int i;
	enum side side;

	if (streams_open(&t->streams, t->r))
		return -1;
	for (i = 0; i < t->streams.nr_cpus; i++) {
		for (side = HOST; side < NR_SIDES; side++)
			add_stream(t, &t->streams.cpu[i][side], &source[t->nr]);
	}
	t->merge = merge_new_of(source, t->nr);
	return t->merge ? 0 : -1;
}

struct tail *tail_open(const struct recording *r)
{
	unsigned int nr = r->cpus.nr * NR_SIDES;
	struct merge_source *source = calloc(nr, sizeof(*source));
	struct tail *t = calloc(1, sizeof(*t));
	int ret = -1;

	if (t) {
		t->r = r;
		t->stream = calloc(nr, sizeof(*t->stream));
	}
	if (t && t->stream && source)
		ret = add_streams(t, source);
	else
		log_oom();
	free(source);
	if (!ret)
		return t;
	tail_close(t);
	return NULL;
}

static int drain_all(struct tail *t, bool all)
{
	unsigned int i, percent;
	struct follower *f;

	for (i = 0; i < t->nr; i++) {
		f = t->stream[i].s->f;
		if (follower_drain(f, all, &percent))
			return log_error("%s", follower_error(f));
	}
	return 0;
}

int tail_round(struct tail *t)
{
	forget_given_out(t);
	t->ripe = t->now;
	if (clock_now(t->r->dir[HOST], t->r->cpus.cpu[0], &t->now) ||
	    drain_all(t, false))
		return -1;
	merge_again(t->merge);
	return 0;
}

static bool all_drained(const struct tail *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (!stream_drained(t->stream[i].s))
			return false;
	}
	return true;
}

int tail_last_round(struct tail *t)
{
	int tries = 0;

	forget_given_out(t);
	do {
		if (drain_all(t, true))
			return -1;
	} while (!all_drained(t) && ++tries < LAST_TRIES && !usleep(1000));
	t->ripe = UINT64_MAX;
	merge_again(t->merge);
	return 0;
}

bool tail_next(struct tail *t, struct merged *out)
{
	return merge_next_until(t->merge, t->ripe, out);
}

u64 tail_time(const struct tail *t)
{
	return t->ripe;
}

const struct streams *tail_streams(const struct tail *t)
{
	return &t->streams;
}

void tail_close(struct tail *t)
{
	unsigned int i;

	if (!t)
		return;
	merge_free(t->merge);
	for (i = 0; i < t->nr; i++)
		free_pages(&t->stream[i], NULL);
	streams_close(&t->streams);
	free(t->stream);
	free(t);
}
