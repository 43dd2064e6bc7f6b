// SPDX-License-Identifier: GPL-2.0
/*
 * A program that works with an ordinary instance works with a trace remote: each test
 * runs on both, and only the path of the directory differs.
 *
 * Needs root. Runs on an instance and on the remotes "hypervisor" and "test", and
 * skips a remote that does not exist.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/slack.h"
#include "lib/ways.h"
#include "variants.h"

#define RAW_FILE	"per_cpu/cpu%d/trace_pipe_raw"
#define PIPE_FILE	"per_cpu/cpu%d/trace_pipe"

FIXTURE(both) {
	struct source	src;
	struct events	ev;
	int		cpu;
};

FIXTURE_FOR_SOURCES_AND_SIZES(both);

FIXTURE_SETUP(both)
{
	events_init(&self->ev);
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	self->cpu = nr_cpus() - 1;
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, source_on(&self->src, true));
}

FIXTURE_TEARDOWN(both)
{
	source_close(&self->src);
	events_free(&self->ev);
}

static void expect_good(struct __test_metadata *_metadata, const struct events *ev)
{
	EXPECT_EQ(NULL, ev->error) TH_LOG("%s", ev->error);
	EXPECT_EQ(0, ev->backwards);
}

/* written == read + in the buffer + overrun + dropped */
static void expect_account(struct __test_metadata *_metadata, const struct source *src, int cpu,
			   __u64 written, struct stats *stats)
{
	ASSERT_EQ(0, source_stats(src, cpu, stats));
	EXPECT_EQ(written, stats->entries + stats->read + stats->overrun + stats->dropped);
}

/*
 * Reading all there is
 */

TEST_F(both, each_way)
{
	const __u64 counts[] = { 1, 10, EVENTS_PER_SUBBUF, EVENTS_PER_SUBBUF + 3 };
	struct stats stats;
	__u64 id = 0, end;
	int way, i;

	for (i = 0; i < NR_WAYS * ARRAY_SIZE(counts); i++) {
		way = i % NR_WAYS;
		end = id + counts[i / NR_WAYS];
		ASSERT_EQ(0, source_write_many(&self->src, id, end - id));
		EXPECT_EQ(0, source_look(&self->src, self->cpu, &self->ev));
		EXPECT_EQ(end - id, events_first_wrong(&self->ev, id));
		expect_good(_metadata, &self->ev);
		events_clear(&self->ev);

		ASSERT_EQ(0, source_consume(&self->src, self->cpu, way, &self->ev))
			TH_LOG("%s", way_names[way]);
		EXPECT_EQ(end - id, self->ev.nr) TH_LOG("%s", way_names[way]);
		EXPECT_EQ(end - id, events_first_wrong(&self->ev, id))
			TH_LOG("%s", way_names[way]);
		EXPECT_EQ(0, self->ev.losses);
		expect_good(_metadata, &self->ev);
		events_clear(&self->ev);

		EXPECT_EQ(0, source_look(&self->src, self->cpu, &self->ev));
		EXPECT_EQ(0, self->ev.nr);
		expect_account(_metadata, &self->src, self->cpu, end, &stats);
		EXPECT_EQ(end, stats.read);
		id = end;
	}
}

/*
 * Write events for @times the size of the buffer; returns how many. trace_marker
 * reports an event that is dropped as EBADF.
 */
static __u64 overflow(const struct source *src, int cpu, __u64 first, int times)
{
	struct stats before, stats;
	__u64 id = first, most;
	int i, ret;

	if (source_stats(src, cpu, &before))
		return 0;
	do {
		for (i = 0; i < 97; i++) {
			ret = source_write(src, id++);
			if (ret && ret != -EBADF)
				return 0;
		}
		if (source_stats(src, cpu, &stats))
			return 0;
		most = stats.overrun + stats.dropped - before.overrun - before.dropped;
	} while (most < times * stats.entries);
	return id - first;
}

/* The newest are kept, and losses are reported exactly */
TEST_F(both, overwritten)
{
	__u64 id = 0, next = 0, overrun = 0, read = 0;
	struct stats stats;
	int way;

	for (way = 0; way < NR_WAYS; way++) {
		id += overflow(&self->src, self->cpu, id, 1 + way % 2);
		expect_account(_metadata, &self->src, self->cpu, id, &stats);
		EXPECT_LT(overrun, stats.overrun);
		EXPECT_EQ(0, stats.dropped);
		ASSERT_EQ(0, source_consume(&self->src, self->cpu, way, &self->ev));
		EXPECT_EQ(self->ev.nr, events_first_unexplained(&self->ev, &next, true))
			TH_LOG("%s", way_names[way]);
		EXPECT_EQ(id, next) TH_LOG("%s", way_names[way]);
		EXPECT_EQ(1, self->ev.losses) TH_LOG("%s", way_names[way]);
		EXPECT_EQ(self->ev.uncounted ? 0 : stats.overrun - overrun, self->ev.lost)
			TH_LOG("%s", way_names[way]);
		expect_good(_metadata, &self->ev);

		overrun = stats.overrun;
		read += self->ev.nr;
		expect_account(_metadata, &self->src, self->cpu, id, &stats);
		EXPECT_EQ(0, stats.entries);
		EXPECT_EQ(read, stats.read) TH_LOG("%s", way_names[way]);
		events_clear(&self->ev);
	}
}

/* The oldest are kept */
TEST_F(both, dropped)
{
	__u64 id = 0, first, read = 0;
	struct stats stats;
	int way;

	ASSERT_EQ(0, source_set_overwrite(&self->src, false));
	for (way = 0; way < NR_WAYS; way++) {
		first = id;
		id += overflow(&self->src, self->cpu, id, 1);
		expect_account(_metadata, &self->src, self->cpu, id, &stats);
		EXPECT_EQ(0, stats.overrun);
		ASSERT_EQ(0, source_consume(&self->src, self->cpu, way, &self->ev));
		EXPECT_EQ(stats.entries, self->ev.nr) TH_LOG("%s", way_names[way]);
		EXPECT_EQ(stats.entries, events_first_wrong(&self->ev, first))
			TH_LOG("%s", way_names[way]);
		expect_good(_metadata, &self->ev);
		read += self->ev.nr;
		expect_account(_metadata, &self->src, self->cpu, id, &stats);
		EXPECT_EQ(read, stats.read) TH_LOG("%s", way_names[way]);
		events_clear(&self->ev);
	}
}

/*
 * Not waiting
 */

static ssize_t splice_flags(int fd, int pipe, size_t len, unsigned int flags)
{
	ssize_t ret = splice(fd, NULL, pipe, NULL, len, flags);

	return ret < 0 ? -errno : ret;
}

/* With nothing to read, no file waits; each returns EAGAIN */
TEST_F(both, nonblocking)
{
	struct pollfd pfd = { .events = POLLIN };
	static const char *const files[] = { PIPE_FILE, RAW_FILE, "trace_pipe" };
	char buf[MAX_SUBBUF_SIZE];
	struct mapping m;
	int fd, i, again;

	for (i = 0; i < 2 * ARRAY_SIZE(files); i++) {
		fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, files[i / 2], self->cpu);
		ASSERT_LE(0, fd);
		/* Before there was anything, and after it was read */
		for (again = 0; again <= i % 2; again++) {
			pfd.fd = fd;
			EXPECT_EQ(0, poll(&pfd, 1, 0)) TH_LOG("%s", files[i / 2]);
			EXPECT_EQ(-1, read(fd, buf, SUBBUF_SIZE)) TH_LOG("%s", files[i / 2]);
			EXPECT_EQ(EAGAIN, errno) TH_LOG("%s", files[i / 2]);
			EXPECT_EQ(-1, read(fd, buf, 10)) TH_LOG("%s", files[i / 2]);
			EXPECT_EQ(EAGAIN, errno) TH_LOG("%s", files[i / 2]);
			if (i % 2 && !again) {
				ASSERT_EQ(0, source_write(&self->src, i));
				EXPECT_LT(0, read(fd, buf, SUBBUF_SIZE));
			}
		}
		close(fd);
	}

	ASSERT_EQ(0, mapping_open(&m, &self->src, self->cpu, O_NONBLOCK));
	EXPECT_EQ(0, mapping_next(&m, &self->ev));
	ASSERT_EQ(0, source_write(&self->src, 1));
	EXPECT_EQ(1, mapping_next(&m, &self->ev));
	EXPECT_EQ(0, mapping_next(&m, &self->ev));
	mapping_close(&m);
}

/* splice() takes a length of at least a sub-buffer, and not the one being written */
TEST_F(both, splice_rules)
{
	int fds[2], raw, blocking;
	loff_t offset = 100;

	ASSERT_EQ(0, pipe(fds));
	raw = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, RAW_FILE, self->cpu);
	blocking = source_open_file(&self->src, O_RDONLY, RAW_FILE, self->cpu);
	ASSERT_LE(0, raw);
	ASSERT_LE(0, blocking);
	EXPECT_EQ(-EAGAIN, splice_flags(raw, fds[1], SUBBUF_SIZE, 0));
	EXPECT_EQ(-EAGAIN, splice_flags(raw, fds[1], SUBBUF_SIZE - 1, 0));
	EXPECT_EQ(-EAGAIN, splice_flags(blocking, fds[1], SUBBUF_SIZE, SPLICE_F_NONBLOCK));

	ASSERT_EQ(0, source_write(&self->src, 0));
	EXPECT_EQ(-EAGAIN, splice_flags(blocking, fds[1], SUBBUF_SIZE, SPLICE_F_NONBLOCK));
	ASSERT_EQ(0, source_write_many(&self->src, 1, EVENTS_PER_SUBBUF));
	EXPECT_EQ(-EINVAL, splice_flags(raw, fds[1], SUBBUF_SIZE - 1, 0));
	EXPECT_EQ(-EINVAL, splice_flags(raw, fds[1], 1, 0));
	EXPECT_EQ(-1, splice(raw, &offset, fds[1], NULL, SUBBUF_SIZE, 0));
	EXPECT_EQ(EINVAL, errno);
	/* It was being written at the first attempt; now it is whole */
	EXPECT_EQ(SUBBUF_SIZE, splice_flags(raw, fds[1], SUBBUF_SIZE + 1, 0));
	EXPECT_EQ(-EAGAIN, splice_flags(raw, fds[1], SUBBUF_SIZE, 0));
	close(raw);
	close(blocking);
	close(fds[0]);
	close(fds[1]);
}

/*
 * Waiting
 */

/* epoll reports a file as readable only while it has something to read */
TEST_F(both, epoll)
{
	static const char *const files[] = { PIPE_FILE, RAW_FILE, "trace_pipe" };
	struct epoll_event event = { .events = EPOLLIN }, got;
	int ep, fd, i, nr;
	char buf[MAX_SUBBUF_SIZE];

	ASSERT_EQ(0, source_put(&self->src, "0", "buffer_percent"));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ep = epoll_create1(0);
		ASSERT_LE(0, ep);
		fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, files[i], self->cpu);
		ASSERT_LE(0, fd);
		event.data.u32 = 42 + i;
		ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event));
		for (nr = 0; nr < 3; nr++) {
			EXPECT_EQ(0, epoll_wait(ep, &got, 1, 0)) TH_LOG("%s", files[i]);
			ASSERT_EQ(0, source_write(&self->src, nr));
			ASSERT_EQ(1, epoll_wait(ep, &got, 1, PATIENCE_MS)) TH_LOG("%s", files[i]);
			EXPECT_EQ(42 + i, got.data.u32);
			EXPECT_EQ(EPOLLIN, got.events & EPOLLIN);
			EXPECT_EQ(1, epoll_wait(ep, &got, 1, 0)) TH_LOG("%s", files[i]);
			EXPECT_LT(0, read(fd, buf, SUBBUF_SIZE));
		}
		close(fd);
		close(ep);
	}
}

/**
 * struct sleeper - a thread in a call that waits
 * @fd:		raw file, blocking
 * @what:	the call
 * @started:	it is about to wait
 * @ret:	what came of it, or an errno; -EINPROGRESS before
 */
struct sleeper {
	int		fd;
	enum sleep {
		SLEEP_READ,
		SLEEP_SPLICE,
		SLEEP_EPOLL,
		SLEEP_POLL,
		NR_SLEEPS,
	} what;
	pthread_t	tid;
	int		started;
	int		ret;
};

static int sleep_in_splice(int fd)
{
	int fds[2], ret;

	if (pipe(fds))
		return -errno;
	ret = splice_flags(fd, fds[1], SUBBUF_SIZE, 0);
	close(fds[0]);
	close(fds[1]);
	return ret;
}

static int sleep_in_epoll(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int ep = epoll_create1(0), ret;

	if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	ret = epoll_wait(ep, &event, 1, PATIENCE_MS);
	close(ep);
	return ret;
}

static void *sleeper_main(void *data)
{
	struct sleeper *s = data;
	struct pollfd pfd = { .fd = s->fd, .events = POLLIN };
	char buf[MAX_SUBBUF_SIZE];
	int ret = -EINVAL;

	STORE(s->started, 1);
	switch (s->what) {
	case SLEEP_READ:
		ret = read(s->fd, buf, SUBBUF_SIZE);
		break;
	case SLEEP_SPLICE:
		ret = sleep_in_splice(s->fd);
		break;
	case SLEEP_EPOLL:
		ret = sleep_in_epoll(s->fd);
		break;
	case SLEEP_POLL:
		ret = poll(&pfd, 1, PATIENCE_MS);
		break;
	case NR_SLEEPS:
		break;
	}
	STORE(s->ret, ret);
	return NULL;
}

static bool awake_after(const struct sleeper *s, unsigned int ms)
{
	__u64 end = now_ms() + ms;

	while (LOAD(s->ret) == -EINPROGRESS && now_ms() < end)
		sleep_ms(1);
	return LOAD(s->ret) != -EINPROGRESS;
}

/* read() waits for an event, the others for half of the buffer */
TEST_F(both, wake_up)
{
	struct sleeper s;
	__u64 room = source_ring_subbufs(&self->src, self->cpu) * EVENTS_PER_SUBBUF;
	int what;
	bool reads;

	ASSERT_LT(0, room);
	for (what = 0; what < NR_SLEEPS; what++) {
		s = (struct sleeper){ .what = what, .ret = -EINPROGRESS };
		s.fd = source_open_file(&self->src, O_RDONLY, RAW_FILE, self->cpu);
		ASSERT_LE(0, s.fd);
		ASSERT_EQ(0, pthread_create(&s.tid, NULL, sleeper_main, &s));
		while (!LOAD(s.started))
			sleep_ms(1);
		EXPECT_FALSE(awake_after(&s, 50)) TH_LOG("call %d", what);
		ASSERT_EQ(0, source_write(&self->src, 0));
		reads = what == SLEEP_READ;
		EXPECT_EQ(reads, awake_after(&s, reads ? PATIENCE_MS : 50))
			TH_LOG("call %d", what);
		ASSERT_EQ(0, source_write_many(&self->src, 1, room - 1));
		ASSERT_TRUE(awake_after(&s, PATIENCE_MS)) TH_LOG("call %d", what);
		pthread_join(s.tid, NULL);
		EXPECT_LT(0, s.ret) TH_LOG("call %d", what);
		close(s.fd);
		ASSERT_EQ(0, source_reset(&self->src));
		ASSERT_EQ(0, source_on(&self->src, true));
	}
}

/* How many sub-buffers have events when poll says that it is time to read */
static unsigned int subbufs_until_ready(const struct source *src, int cpu)
{
	struct pollfd pfd = { .events = POLLIN };
	struct stats stats;
	__u64 id = 0;

	pfd.fd = source_open_file(src, O_RDONLY | O_NONBLOCK, RAW_FILE, cpu);
	while (poll(&pfd, 1, 0) == 0 && !source_write_many(src, id, 5))
		id += 5;
	if (source_stats(src, cpu, &stats))
		return 0;
	close(pfd.fd);
	/* By bytes, since the events of different sources differ in size */
	return stats.overrun ? 0 : (stats.bytes + SUBBUF_DATA_SIZE - 1) / SUBBUF_DATA_SIZE;
}

TEST_F(both, buffer_percent)
{
	static const unsigned int percents[] = { 1, 25, 50, 75, 100 };
	unsigned int nr = source_ring_subbufs(&self->src, self->cpu), i, ready, want;
	char text[8];

	ASSERT_LE(2, nr);
	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		snprintf(text, sizeof(text), "%u", percents[i]);
		ASSERT_EQ(0, source_put(&self->src, text, "buffer_percent"));
		ready = subbufs_until_ready(&self->src, self->cpu);
		/* Of the ring, rounded up; events leave some room at the end of each sub-buffer */
		want = (percents[i] * nr + 99) / 100;
		EXPECT_LE(want, ready + 1) TH_LOG("%u %%: %u of %u", percents[i], ready, nr);
		EXPECT_GE(want + 1, ready) TH_LOG("%u %%: %u of %u", percents[i], ready, nr);
		ASSERT_EQ(0, source_reset(&self->src));
		ASSERT_EQ(0, source_on(&self->src, true));
	}
}

/*
 * Several readers
 */

/*
 * In turn: together they see each event once, and in order. This does not include a
 * mapping, since the meta page of an ordinary buffer does not say what others read.
 */
TEST_F(both, readers_take_turns)
{
	int raw[2], pipe_fd, i, nr, ret;
	struct stats stats;
	__u64 id = 0;

	for (i = 0; i < 2; i++) {
		raw[i] = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, RAW_FILE, self->cpu);
		ASSERT_LE(0, raw[i]);
	}
	pipe_fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, PIPE_FILE, self->cpu);
	ASSERT_LE(0, pipe_fd);
	for (i = 0; i < 200; i++) {
		nr = 1 + i * 37 % 41;
		ASSERT_EQ(0, source_write_many(&self->src, id, nr));
		id += nr;
		if (i * 7 % 3 == 2)
			ret = events_read_text(&self->ev, pipe_fd);
		else
			ret = events_read_raw(&self->ev, &self->src, self->cpu, raw[i * 7 % 3]);
		ASSERT_EQ(-EAGAIN, ret) TH_LOG("round %d", i);
		ASSERT_EQ(id, self->ev.nr) TH_LOG("round %d", i);
	}
	EXPECT_EQ(id, events_first_wrong(&self->ev, 0));
	EXPECT_EQ(0, self->ev.losses);
	expect_good(_metadata, &self->ev);
	expect_account(_metadata, &self->src, self->cpu, id, &stats);
	EXPECT_EQ(id, stats.read);
	close(pipe_fd);
	close(raw[0]);
	close(raw[1]);
}

/**
 * struct rival - a thread that competes for the events in one way
 * @src:	where they are from
 * @cpu:	their CPU
 * @way:	how it reads
 * @stop:	nothing more will be written
 * @ev:		the events that it got
 * @ret:	errno
 */
struct rival {
	const struct source	*src;
	int			cpu;
	enum way		way;
	int			*stop;
	struct events		ev;
	int			ret;
	pthread_t		tid;
};

static void *rival_main(void *data)
{
	struct rival *r = data;
	int stop;

	do {
		stop = LOAD(*r->stop);
		r->ret = source_consume(r->src, r->cpu, r->way, &r->ev);
	} while (!stop && !r->ret);
	return NULL;
}

/* All at once, while events are written: none is read twice, and none is missing */
TEST_F(both, readers_compete)
{
	static const enum way ways[] = { WAY_PIPE, WAY_RAW, WAY_SPLICE, WAY_RAW };
	const __u64 nr = 6000;
	struct rival r[ARRAY_SIZE(ways)];
	static unsigned char times[6000];
	struct stats stats;
	int stop = 0, i;
	__u64 taken = 0;
	size_t j;

	memset(times, 0, sizeof(times));
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		r[i] = (struct rival){
			.src = &self->src, .cpu = self->cpu, .way = ways[i], .stop = &stop,
		};
		ASSERT_EQ(0, pthread_create(&r[i].tid, NULL, rival_main, &r[i]));
	}
	ASSERT_EQ(0, source_write_many(&self->src, 0, nr));
	STORE(stop, 1);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		pthread_join(r[i].tid, NULL);
		EXPECT_EQ(0, r[i].ret) TH_LOG("%s", way_names[ways[i]]);
		EXPECT_EQ(NULL, r[i].ev.error) TH_LOG("%s", r[i].ev.error);
		for (j = 0; j < r[i].ev.nr; j++) {
			ASSERT_GT(nr, r[i].ev.list[j].id);
			ASSERT_EQ(1, ++times[r[i].ev.list[j].id]);
			ASSERT_TRUE(!j || r[i].ev.list[j - 1].id < r[i].ev.list[j].id);
		}
		taken += r[i].ev.nr;
		events_free(&r[i].ev);
	}
	expect_account(_metadata, &self->src, self->cpu, nr, &stats);
	EXPECT_EQ(0, stats.entries);
	EXPECT_EQ(taken, stats.read);
}

TEST_HARNESS_MAIN
