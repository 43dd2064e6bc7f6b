// SPDX-License-Identifier: GPL-2.0
/*
 * All buffers of a recording. See capture.h.
 *
 * A thread sleeps in poll() until there is data, at most for POLL_MS. Then it drains
 * the buffers again and again, with a rest between: none while a good part of a buffer
 * was waiting; else MIN_REST_MS to MAX_REST_MS, the longer the less was waiting. After
 * MIN_REST_MS, a buffer that fills to its buffer_percent ends the rest. So a thread
 * wakes up for many sub-buffers at once, and a sub-buffer that fills slowly is not
 * copied for each event.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/util.h"
#include "record/capture.h"
#include "trace/counters.h"

#define POLL_MS		100
#define MIN_REST_MS	10
#define MAX_REST_MS	80
/* Percent of a buffer that was waiting: no rest; the shortest rest; no longer rest */
#define BUSY_PERCENT	25
#define SOON_PERCENT	12
#define LATER_PERCENT	6
/* How long to wait for an event that was begun before tracing was switched off */
#define LAST_TRIES	50

/**
 * struct spool - the file with the sub-buffers of a stream
 * @fd:		the file
 * @subbuf_size: of each
 */
struct spool {
	int fd;
	u32 subbuf_size;
};

struct cpu_thread {
	struct capture *c;
	struct stream *stream;
	struct spool spool[NR_SIDES];
	pthread_t id;
	bool running;
	bool failed;
};

struct capture {
	struct streams streams;
	struct part *part;
	unsigned int nr;
	struct cpu_thread *thread;
	int stop;		/* eventfd, readable when the threads have to end */
	int failed;		/* eventfd, readable when a thread has failed */
	bool told;		/* the reason was printed, which is done once */
};

/* Write all of @iov to @pos. Return: 0, or -1 with errno set. */
static int write_all(int fd, struct iovec *iov, int nr, off_t pos)
{
	ssize_t n;

	while (nr) {
		n = pwritev(fd, iov, nr, pos);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n) {
			errno = ENOSPC;
			return -1;
		}
		pos += n;
		while (nr && (size_t)n >= iov->iov_len) {
			n -= iov->iov_len;
			iov++;
			nr--;
		}
		if (nr) {
			iov->iov_base = (u8 *)iov->iov_base + n;
			iov->iov_len -= n;
		}
	}
	return 0;
}

static int put_subbuf(void *ctx, u64 index, struct iovec *iov, int nr)
{
	const struct spool *s = ctx;

	return write_all(s->fd, iov, nr, index * s->subbuf_size);
}

/* That of a side that is not read stays empty */
static int open_spool(struct spool *s, struct stream *stream, struct part *part)
{
	s->fd = part_spool(part, side_buffer(stream->side), stream->cpu);
	if (s->fd < 0)
		return -1;
	if (!stream->f)
		return 0;
	s->subbuf_size = follower_subbuf_size(stream->f);
	follower_set_sink(stream->f, put_subbuf, s);
	return 0;
}

static int open_spools(struct capture *c)
{
	struct cpu_thread *t;
	enum side side;
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		t = &c->thread[i];
		t->stream = c->streams.cpu[i];
		for (side = HOST; side < NR_SIDES; side++) {
			if (t->stream[side].dir &&
			    open_spool(&t->spool[side], &t->stream[side], c->part))
				return -1;
		}
	}
	return 0;
}

static struct capture *new_capture(unsigned int nr)
{
	struct capture *c = calloc(1, sizeof(*c));
	unsigned int i;

	if (!c)
		return NULL;
	c->stop = event_new();
	c->failed = event_new();
	c->thread = calloc(nr, sizeof(*c->thread));
	if (!c->thread || c->stop < 0 || c->failed < 0) {
		capture_close(c);
		return NULL;
	}
	c->nr = nr;
	for (i = 0; i < nr; i++) {
		c->thread[i].c = c;
		c->thread[i].spool[HOST].fd = -1;
		c->thread[i].spool[HYP].fd = -1;
	}
	return c;
}

struct capture *capture_open(const struct recording *r, struct part *part)
{
	struct capture *c = new_capture(r->cpus.nr);

	if (!c) {
		log_error("cannot prepare %u CPUs: %s", r->cpus.nr,
			  strerror(errno));
		return NULL;
	}
	c->part = part;
	if (streams_open(&c->streams, r) || open_spools(c)) {
		capture_close(c);
		return NULL;
	}
	return c;
}

/* Return: true when the threads have to end */
static bool wait_for_data(struct cpu_thread *t, int ms)
{
	struct pollfd p[1 + NR_SIDES] = {
		{ .fd = t->c->stop, .events = POLLIN },
	};
	enum side side;
	nfds_t nr = 1;

	for (side = HOST; side < NR_SIDES; side++) {
		if (t->stream[side].f)
			p[nr++] = (struct pollfd) {
				.fd = follower_poll_fd(t->stream[side].f), .events = POLLIN,
			};
	}
	poll(p, nr, ms);
	return p[0].revents;
}

/* The same for some time, or until a buffer has filled to its buffer_percent */
static bool rest(struct cpu_thread *t, int ms)
{
	struct pollfd p = { .fd = t->c->stop, .events = POLLIN };

	/* Rest for the minimum in any case; then a buffer that fills up ends it */
	if (poll(&p, 1, MIN(ms, MIN_REST_MS)) > 0)
		return true;
	return ms > MIN_REST_MS && wait_for_data(t, ms - MIN_REST_MS);
}

/* All CPUs tend to fail in the same way, so only the first failure is printed */
static int tell_first(struct cpu_thread *t, const struct follower *f)
{
	if (!__atomic_exchange_n(&t->c->told, true, __ATOMIC_RELAXED))
		log_error("%s%s", follower_error(f), part_advice(t->c->part));
	return -1;
}

static int drain_cpu(struct cpu_thread *t, bool all, unsigned int *percent)
{
	unsigned int one;
	enum side side;

	*percent = 0;
	for (side = HOST; side < NR_SIDES; side++) {
		if (!t->stream[side].f)
			continue;
		if (follower_drain(t->stream[side].f, all, &one))
			return tell_first(t, t->stream[side].f);
		*percent = MAX(*percent, one);
	}
	return 0;
}

static int last_drain(struct cpu_thread *t)
{
	unsigned int percent;
	int tries = 0;

	do {
		if (drain_cpu(t, true, &percent))
			return -1;
		if (stream_drained(&t->stream[HOST]) &&
		    stream_drained(&t->stream[HYP]))
			return 0;
		usleep(1000);
	} while (++tries < LAST_TRIES);
	return 0;
}

/* How long to rest, after @percent was waiting and a rest of @ms */
static int next_rest(int ms, unsigned int percent)
{
	if (percent >= BUSY_PERCENT)
		return 0;
	if (percent >= SOON_PERCENT)
		return MIN_REST_MS;
	if (percent >= LATER_PERCENT)
		return MAX(ms, MIN_REST_MS);
	return MIN(MAX(2 * ms, MIN_REST_MS), MAX_REST_MS);
}

static int follow_cpu(struct cpu_thread *t)
{
	unsigned int percent;
	int ms = 0;

	while (!wait_for_data(t, POLL_MS)) {
		do {
			if (drain_cpu(t, false, &percent))
				return -1;
			ms = next_rest(ms, percent);
		} while (percent && !rest(t, ms));
	}
	return last_drain(t);
}

static void *thread_main(void *arg)
{
	struct cpu_thread *t = arg;

	t->failed = follow_cpu(t);
	if (t->failed)
		event_raise(t->c->failed);
	return NULL;
}

int capture_start(struct capture *c)
{
	unsigned int i;
	int err;

	for (i = 0; i < c->nr; i++) {
		err = pthread_create(&c->thread[i].id, NULL, thread_main,
				     &c->thread[i]);
		if (err)
			return log_error("cannot create a thread: %s",
					 strerror(err));
		c->thread[i].running = true;
	}
	return 0;
}

int capture_failed_fd(const struct capture *c)
{
	return c->failed;
}

int capture_stop(struct capture *c)
{
	unsigned int i;
	int ret = 0;

	event_raise(c->stop);
	for (i = 0; i < c->nr; i++) {
		if (!c->thread[i].running)
			continue;
		pthread_join(c->thread[i].id, NULL);
		c->thread[i].running = false;
		if (c->thread[i].failed)
			ret = -1;
	}
	return ret;
}

const struct streams *capture_streams(const struct capture *c)
{
	return &c->streams;
}

int capture_file(const struct capture *c, unsigned int i, enum side side)
{
	return c->thread[i].spool[side].fd;
}

static int add_counters(const struct stream *s, struct strlist *texts)
{
	struct counters counts;
	char *text;
	int ret;

	stream_counts(s, &counts);
	text = counters_format(side_buffer(s->side), s->cpu, &counts);
	ret = text ? strlist_add(texts, text) : -1;
	free(text);
	return ret;
}

int capture_counters(const struct capture *c, struct strlist *texts)
{
	enum side side;
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		for (side = HOST; side < NR_SIDES; side++) {
			if (c->streams.cpu[i][side].dir &&
			    add_counters(&c->streams.cpu[i][side], texts))
				return -1;
		}
	}
	return 0;
}

static void close_spools(struct cpu_thread *t)
{
	enum side side;

	for (side = HOST; side < NR_SIDES; side++) {
		if (t->spool[side].fd >= 0)
			close(t->spool[side].fd);
	}
}

void capture_close(struct capture *c)
{
	unsigned int i;

	if (!c)
		return;
	streams_close(&c->streams);
	for (i = 0; i < c->nr; i++)
		close_spools(&c->thread[i]);
	if (c->stop >= 0)
		close(c->stop);
	if (c->failed >= 0)
		close(c->failed);
	free(c->thread);
	free(c);
}
