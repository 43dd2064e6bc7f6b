// SPDX-License-Identifier: GPL-2.0
/*
 * All buffers of a recording. See capture.h.
 *
 * A thread sleeps in poll() until there is something, for POLL_MS at most. Then it
 * comes back by itself: at once while a good part of a buffer is waiting each time,
 * else after MIN_REST_MS to MAX_REST_MS, the longer the less there was, or when a
 * buffer has filled to its buffer_percent after MIN_REST_MS. So it wakes
 * up for many sub-buffers rather than for each, and one that fills slowly is not
 * copied for each event.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/param.h>
#include <unistd.h>

#include "capture.h"
#include "follow.h"
#include "log.h"
#include "stats.h"

#define POLL_MS		100
#define MIN_REST_MS	10
#define MAX_REST_MS	80
/* Of a buffer: come back at once; rest as little as can be; rest for longer */
#define BUSY_PERCENT	25
#define SOON_PERCENT	12
#define LATER_PERCENT	6
/* How long to wait for an event that was begun before tracing went off */
#define LAST_TRIES	50

/**
 * struct stream - one buffer of one CPU
 * @f:		its follower
 * @fd:		the file with its sub-buffers
 * @dropped:	its counter of dropped events at the start
 */
struct stream {
	struct follower *f;
	int fd;
	u64 dropped;
};

struct cpu_thread {
	struct capture *c;
	unsigned int cpu;
	struct stream stream[NR_SIDES];
	pthread_t id;
	bool running;
	bool failed;
};

struct capture {
	struct tdir *dir[NR_SIDES];
	unsigned int nr;
	struct cpu_thread *thread;
	int stop;		/* eventfd, readable once the threads shall end */
	int failed;		/* eventfd, readable once one gave up */
	bool told;		/* why, was told; once is enough */
};

const char *side_buffer_name(enum side side)
{
	return side == HYP ? "hypervisor" : "";
}

static int open_named_temp(const char *output)
{
	char *name = xasprintf("%s.XXXXXX", output);
	int fd;

	if (!name)
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

static int open_temp(const char *output)
{
	char *copy = xasprintf("%s", output);
	int fd;

	if (!copy)
		return -1;
	fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = open_named_temp(output);
	if (fd < 0)
		log_error("cannot make a file beside %s: %s", output,
			  strerror(errno));
	free(copy);
	return fd;
}

/* "dropped events: N" of the CPU's stats file, 0 if it does not say */
static u64 read_dropped(const struct tdir *d, unsigned int cpu)
{
	static const char key[] = "dropped events: ";
	char *file = xasprintf("per_cpu/cpu%u/stats", cpu), *text = NULL;
	const char *at;
	u64 n = 0;

	if (file && tdir_has(d, file))
		text = tdir_read(d, file, NULL);
	at = text ? strstr(text, key) : NULL;
	if (at)
		n = strtoull(at + strlen(key), NULL, 10);
	free(text);
	free(file);
	return n;
}

static int open_stream(struct stream *s, const struct tdir *d,
		       unsigned int cpu, const char *output)
{
	char *file = xasprintf("per_cpu/cpu%u/trace_pipe_raw", cpu);
	char *path = file ? tdir_path(d, file) : NULL;

	if (path)
		s->f = follower_open(path);
	free(path);
	free(file);
	if (!s->f)
		return -1;
	s->fd = open_temp(output);
	if (s->fd < 0)
		return -1;
	follower_set_output(s->f, s->fd);
	s->dropped = read_dropped(d, cpu);
	return 0;
}

static int open_streams(struct capture *c, const struct cpulist *cpus,
			const char *output)
{
	struct cpu_thread *t;
	enum side side;
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		t = &c->thread[i];
		t->c = c;
		t->cpu = cpus->cpu[i];
		for (side = HOST; side < NR_SIDES; side++) {
			if (open_stream(&t->stream[side], c->dir[side],
					t->cpu, output))
				return -1;
		}
	}
	return 0;
}

static struct capture *new_capture(struct tdir * const dir[NR_SIDES],
				   unsigned int nr)
{
	struct capture *c = calloc(1, sizeof(*c));
	unsigned int i;

	if (!c)
		return NULL;
	memcpy(c->dir, dir, sizeof(c->dir));
	c->stop = eventfd(0, EFD_CLOEXEC);
	c->failed = eventfd(0, EFD_CLOEXEC);
	c->thread = calloc(nr, sizeof(*c->thread));
	if (!c->thread || c->stop < 0 || c->failed < 0) {
		capture_close(c);
		return NULL;
	}
	c->nr = nr;
	for (i = 0; i < nr; i++) {
		c->thread[i].stream[HOST].fd = -1;
		c->thread[i].stream[HYP].fd = -1;
	}
	return c;
}

struct capture *capture_open(struct tdir * const dir[NR_SIDES],
			     const struct cpulist *cpus, const char *output)
{
	struct capture *c = new_capture(dir, cpus->nr);

	if (!c) {
		log_error("cannot prepare %u CPUs: %s", cpus->nr,
			  strerror(errno));
		return NULL;
	}
	if (open_streams(c, cpus, output)) {
		capture_close(c);
		return NULL;
	}
	return c;
}

static void raise_event(int fd)
{
	u64 one = 1;

	if (write(fd, &one, sizeof(one)) != sizeof(one))
		log_error("cannot signal a thread: %s", strerror(errno));
}

/* Return: true when the threads shall end */
static bool wait_for_data(struct cpu_thread *t, int ms)
{
	struct pollfd p[] = {
		{ .fd = t->c->stop, .events = POLLIN },
		{ .fd = follower_poll_fd(t->stream[HYP].f), .events = POLLIN },
		{ .fd = follower_poll_fd(t->stream[HOST].f), .events = POLLIN },
	};

	poll(p, ARRAY_SIZE(p), ms);
	return p[0].revents;
}

/* The same for a while, or until a buffer is as full as its buffer_percent */
static bool rest(struct cpu_thread *t, int ms)
{
	struct pollfd p = { .fd = t->c->stop, .events = POLLIN };

	/* The least in any case; then what fills up meanwhile ends it */
	if (poll(&p, 1, MIN(ms, MIN_REST_MS)) > 0)
		return true;
	return ms > MIN_REST_MS && wait_for_data(t, ms - MIN_REST_MS);
}

/* All CPUs tend to fail in the same way, so only the first is told */
static int tell(struct cpu_thread *t, const struct follower *f)
{
	if (!__atomic_exchange_n(&t->c->told, true, __ATOMIC_RELAXED))
		log_error("%s", follower_error(f));
	return -1;
}

static int drain(struct cpu_thread *t, bool all, unsigned int *percent)
{
	unsigned int one;
	enum side side;

	*percent = 0;
	for (side = HOST; side < NR_SIDES; side++) {
		if (follower_drain(t->stream[side].f, all, &one))
			return tell(t, t->stream[side].f);
		*percent = MAX(*percent, one);
	}
	return 0;
}

static bool all_read(const struct cpu_thread *t)
{
	struct follow_counts n;
	enum side side;

	for (side = HOST; side < NR_SIDES; side++) {
		follower_live(t->stream[side].f, &n);
		if (n.written != n.overrun + n.read)
			return false;
	}
	return true;
}

static int last_drain(struct cpu_thread *t)
{
	unsigned int percent;
	int tries = 0;

	do {
		if (drain(t, true, &percent))
			return -1;
		if (all_read(t))
			return 0;
		usleep(1000);
	} while (++tries < LAST_TRIES);
	return 0;
}

/* How long to rest after so much was waiting, and it was rested for @ms before */
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

static int follow(struct cpu_thread *t)
{
	unsigned int percent;
	int ms = 0;

	while (!wait_for_data(t, POLL_MS)) {
		do {
			if (drain(t, false, &percent))
				return -1;
			ms = next_rest(ms, percent);
		} while (percent && !rest(t, ms));
	}
	return last_drain(t);
}

static void *thread_main(void *arg)
{
	struct cpu_thread *t = arg;

	t->failed = follow(t);
	if (t->failed)
		raise_event(t->c->failed);
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
			return log_error("cannot make a thread: %s",
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

	raise_event(c->stop);
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

void capture_totals(const struct capture *c, struct capture_totals *t)
{
	const struct stream *s;
	struct follow_counts n;
	enum side side;
	unsigned int i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < c->nr; i++) {
		for (side = HOST; side < NR_SIDES; side++) {
			s = &c->thread[i].stream[side];
			follower_live(s->f, &n);
			t->written[side] += n.written;
			t->lost[side] += n.overrun;
			t->bytes += follower_bytes(s->f);
		}
	}
}

static void save_stats(struct capture *c, struct datw *w, enum side side)
{
	struct follow_counts n;
	struct cpu_stats s;
	struct cpu_thread *t;
	unsigned int i;
	char *text;

	for (i = 0; i < c->nr; i++) {
		t = &c->thread[i];
		follower_live(t->stream[side].f, &n);
		s = (struct cpu_stats) {
			.written = n.written,
			.overrun = n.overrun,
			.read = n.read,
			.dropped = read_dropped(c->dir[side], t->cpu) -
				   t->stream[side].dropped,
		};
		text = stats_format(side_buffer_name(side), t->cpu, &s);
		if (text)
			datw_option(w, DAT_CPUSTAT, text, strlen(text) + 1);
		free(text);
	}
}

static int save_data(struct capture *c, struct datw *w, enum side side,
		     const char *clock)
{
	struct datw_cpu *cpu = calloc(c->nr, sizeof(*cpu));
	unsigned int i;

	if (!cpu)
		return log_oom();
	for (i = 0; i < c->nr; i++) {
		cpu[i].cpu = c->thread[i].cpu;
		cpu[i].fd = c->thread[i].stream[side].fd;
		cpu[i].size = follower_bytes(c->thread[i].stream[side].f);
	}
	datw_buffer(w, side_buffer_name(side), clock,
		    follower_subbuf_size(c->thread[0].stream[side].f), cpu,
		    c->nr);
	free(cpu);
	return 0;
}

int capture_save(struct capture *c, struct datw *w,
		 const char * const clock[NR_SIDES])
{
	enum side side;

	for (side = HOST; side < NR_SIDES; side++) {
		save_stats(c, w, side);
		if (save_data(c, w, side, clock[side]))
			return -1;
	}
	return 0;
}

static void close_stream(struct stream *s)
{
	follower_close(s->f);
	if (s->fd >= 0)
		close(s->fd);
}

void capture_close(struct capture *c)
{
	unsigned int i;

	if (!c)
		return;
	for (i = 0; i < c->nr; i++) {
		close_stream(&c->thread[i].stream[HOST]);
		close_stream(&c->thread[i].stream[HYP]);
	}
	if (c->stop >= 0)
		close(c->stop);
	if (c->failed >= 0)
		close(c->failed);
	free(c->thread);
	free(c);
}
