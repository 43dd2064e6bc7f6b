// SPDX-License-Identifier: GPL-2.0
/*
 * Readers of a trace remote, blocking and not: who is woken up, and when.
 *
 * Needs root. Runs on the remotes "hypervisor" and "test", and skips one that does
 * not exist.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/host.h"
#include "lib/slack.h"
#include "lib/ways.h"
#include "variants.h"

#define NR_TURNS	40

FIXTURE(remote) {
	struct source	src;
	struct events	ev;
	int		cpu;
};

FIXTURE_FOR_REMOTES_AND_SIZES(remote);

FIXTURE_SETUP(remote)
{
	events_init(&self->ev);
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	self->cpu = nr_cpus() - 1;
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(remote)
{
	source_close(&self->src);
	events_free(&self->ev);
}

/**
 * struct waiter - a thread that makes one blocking call
 * @fd:		file
 * @what:	the call
 * @tid:	thread
 * @started:	it is about to block
 * @done:	the call has returned
 * @ret:	its result, or the errno
 */
struct waiter {
	int			fd;
	enum { DO_READ, DO_POLL, DO_IOCTL } what;
	pthread_t		tid;
	int			started;
	int			done;
	int			ret;
};

static void *waiter_main(void *data)
{
	struct pollfd pfd = { .events = POLLIN };
	struct waiter *w = data;
	char buf[MAX_SUBBUF_SIZE];
	int ret = -EINVAL;

	STORE(w->started, 1);
	pfd.fd = w->fd;
	switch (w->what) {
	case DO_READ:
		ret = read(w->fd, buf, sizeof(buf));
		break;
	case DO_POLL:
		ret = poll(&pfd, 1, PATIENCE_MS) == 1 ? pfd.revents : 0;
		break;
	case DO_IOCTL:
		ret = ioctl(w->fd, TRACE_MMAP_IOCTL_GET_READER);
		break;
	}
	w->ret = ret < 0 ? -errno : ret;
	STORE(w->done, 1);
	return NULL;
}

static int waiter_start(struct waiter *w)
{
	int ret;

	w->started = 0;
	w->done = 0;
	ret = pthread_create(&w->tid, NULL, waiter_main, w);
	while (!ret && !LOAD(w->started))
		sleep_ms(1);
	/* Time for it to block: if this is too short, the test is weaker, not wrong */
	sleep_ms(30);
	return ret;
}

/* Has the call returned in time? Joins the thread then */
static bool waiter_join(struct waiter *w)
{
	__u64 end = now_ms() + PATIENCE_MS;

	while (!LOAD(w->done) && now_ms() < end)
		sleep_ms(1);
	if (!LOAD(w->done))
		return false;
	pthread_join(w->tid, NULL);
	return true;
}

TEST_F(remote, blocking_read_wakes_up)
{
	static const char *const files[] = {
		"per_cpu/cpu%d/trace_pipe", "per_cpu/cpu%d/trace_pipe_raw", "trace_pipe",
	};
	const struct source *src = &self->src;
	unsigned int i, again;
	struct waiter w = { .what = DO_READ };
	char name[64];

	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(name, sizeof(name), files[i], self->cpu);
		w.fd = source_open_file(src, O_RDONLY, "%s", name);
		ASSERT_LE(0, w.fd);
		for (again = 0; again < 3; again++) {
			ASSERT_EQ(0, waiter_start(&w));
			EXPECT_EQ(0, LOAD(w.done)) TH_LOG("%s did not block", name);
			ASSERT_EQ(0, source_write(src, i));
			ASSERT_TRUE(waiter_join(&w)) TH_LOG("%s did not wake up", name);
			EXPECT_LT(0, w.ret) TH_LOG("%s", name);
		}
		close(w.fd);
	}
}

/**
 * struct taker - a thread that reads events and counts them
 * @src:	where from
 * @cpu:	CPU to read
 * @fd:		file, blocking
 * @last:	how many to read
 * @taken:	how many it has read
 */
struct taker {
	const struct source	*src;
	int			cpu;
	int			fd;
	__u64			last;
	__u64			taken;
};

static void *taker_main(void *data)
{
	struct taker *t = data;
	struct events ev;

	events_init(&ev);
	/* It may return 0, as in turn_main() */
	while (t->taken < t->last && events_read_some(&ev, t->src, t->cpu, t->fd, SUBBUF_SIZE) >= 0)
		STORE(t->taken, ev.nr);
	events_free(&ev);
	return NULL;
}

static bool taken_in_time(struct taker *t, __u64 nr)
{
	__u64 end = now_ms() + PATIENCE_MS;

	while (LOAD(t->taken) < nr && now_ms() < end)
		sched_yield();
	return LOAD(t->taken) >= nr;
}

/*
 * Write event by event, while the reader is at any point on its way back to sleep. It
 * sees each event only if it is woken up.
 */
TEST_F(remote, no_wake_up_is_lost)
{
	struct taker t = { .src = &self->src, .cpu = self->cpu, .last = 400 };
	pthread_t tid;
	unsigned int i;
	__u64 nr;

	ASSERT_EQ(0, source_on(&self->src, true));
	t.fd = source_open_file(&self->src, O_RDONLY, "per_cpu/cpu%d/trace_pipe_raw", self->cpu);
	ASSERT_LE(0, t.fd);
	ASSERT_EQ(0, pthread_create(&tid, NULL, taker_main, &t));
	for (nr = 0; nr < t.last; nr++) {
		for (i = 0; i < nr * 7 % 100; i++)
			sched_yield();
		ASSERT_EQ(0, source_write(&self->src, nr));
		ASSERT_TRUE(taken_in_time(&t, nr + 1)) TH_LOG("event %llu", nr);
	}
	pthread_join(tid, NULL);
	close(t.fd);
}

/**
 * struct turn - a thread that reads once in each round
 * @fd:		file, blocking
 * @cpu:	the CPU on which it runs, and which it reads
 * @go:		rounds that it may start
 * @done:	rounds that it has finished; negative if it has failed
 */
struct turn {
	int	fd;
	int	cpu;
	int	go;
	int	done;
};

static void *turn_main(void *data)
{
	char buf[MAX_SUBBUF_SIZE];
	struct turn *t = data;
	ssize_t ret;
	int round;

	pin_to_cpu(t->cpu);
	for (round = 1; round <= NR_TURNS; round++) {
		while (LOAD(t->go) < round)
			sched_yield();
		/* tracing_buffers_read() returns 0 if an event comes before it waits */
		do {
			ret = read(t->fd, buf, sizeof(buf));
		} while (!ret);
		if (ret < 0)
			break;
		STORE(t->done, round);
	}
	return NULL;
}

static bool turn_done(struct turn *t, int round)
{
	__u64 end = now_ms() + PATIENCE_MS;

	while (LOAD(t->done) < round && now_ms() < end)
		sched_yield();
	return LOAD(t->done) >= round;
}

/* One reader is woken up while another one goes to sleep */
TEST_F(remote, readers_wait_by_turns)
{
	const struct source *src = &self->src;
	struct turn t[2] = {};
	pthread_t tids[2];
	int round, i;

	if (nr_cpus() == 1)
		SKIP(return, "there is one CPU only");

	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < 2; i++) {
		t[i].cpu = i;
		t[i].fd = source_open_file(src, O_RDONLY, "per_cpu/cpu%d/trace_pipe_raw", i);
		ASSERT_LE(0, t[i].fd);
		ASSERT_EQ(0, pthread_create(&tids[i], NULL, turn_main, &t[i]));
	}
	for (round = 1; round <= NR_TURNS; round++) {
		ASSERT_EQ(0, pin_to_cpu(0));
		STORE(t[0].go, round);
		sleep_ms(2);
		ASSERT_EQ(0, source_write(src, round));
		for (i = 0; i < round * 13 % 60; i++)
			sched_yield();
		STORE(t[1].go, round);
		ASSERT_TRUE(turn_done(&t[0], round)) TH_LOG("round %d", round);
		ASSERT_EQ(0, pin_to_cpu(1));
		sleep_ms(2);
		ASSERT_EQ(0, source_write(src, round));
		ASSERT_TRUE(turn_done(&t[1], round)) TH_LOG("round %d", round);
	}
	for (i = 0; i < 2; i++) {
		pthread_join(tids[i], NULL);
		close(t[i].fd);
	}
}

/* A reader of another CPU keeps waiting */
TEST_F(remote, blocking_read_of_another_cpu)
{
	const struct source *src = &self->src;
	struct waiter w = { .what = DO_READ };

	if (nr_cpus() == 1)
		SKIP(return, "there is one CPU only");

	ASSERT_EQ(0, source_on(src, true));
	w.fd = source_open_file(src, O_RDONLY, "per_cpu/cpu0/trace_pipe_raw");
	ASSERT_LE(0, w.fd);
	ASSERT_EQ(0, waiter_start(&w));
	ASSERT_EQ(0, source_write_many(src, 0, 10));
	sleep_ms(50);
	EXPECT_EQ(0, LOAD(w.done));
	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, source_write(src, 1));
	ASSERT_TRUE(waiter_join(&w));
	EXPECT_LT(0, w.ret);
	close(w.fd);
}

TEST_F(remote, poll)
{
	const struct source *src = &self->src;
	struct waiter w = { .what = DO_POLL };
	struct pollfd pfd = { .events = POLLIN };
	unsigned int i;

	/* poll waits until the buffer is as full as buffer_percent says */
	ASSERT_EQ(0, source_put(src, "0", "buffer_percent"));
	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < 2; i++) {
		w.fd = source_open_file(src, O_RDONLY | O_NONBLOCK, i ? "trace_pipe" :
					"per_cpu/cpu%d/trace_pipe", self->cpu);
		ASSERT_LE(0, w.fd);
		pfd.fd = w.fd;
		EXPECT_EQ(0, poll(&pfd, 1, 0));
		ASSERT_EQ(0, waiter_start(&w));
		EXPECT_EQ(0, LOAD(w.done));
		ASSERT_EQ(0, source_write(src, 1));
		ASSERT_TRUE(waiter_join(&w));
		EXPECT_EQ(POLLIN, w.ret & POLLIN);

		/* This stays so until it is read */
		EXPECT_EQ(1, poll(&pfd, 1, 0));
		EXPECT_EQ(-EAGAIN, events_read_text(&self->ev, w.fd));
		EXPECT_EQ(0, poll(&pfd, 1, 0));
		close(w.fd);
	}
	ASSERT_EQ(0, source_put(src, "50", "buffer_percent"));
	EXPECT_EQ(2, self->ev.nr);
}

/* The raw file waits until half of the buffer is full, as in any instance */
TEST_F(remote, poll_raw)
{
	const struct source *src = &self->src;
	struct waiter w = { .what = DO_POLL };
	struct pollfd pfd = { .events = POLLIN };
	unsigned int room;

	ASSERT_EQ(0, source_on(src, true));
	room = source_ring_subbufs(src, self->cpu) * EVENTS_PER_SUBBUF;
	w.fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw",
				self->cpu);
	ASSERT_LE(0, w.fd);
	pfd.fd = w.fd;
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	ASSERT_EQ(0, waiter_start(&w));
	EXPECT_EQ(0, LOAD(w.done));
	ASSERT_EQ(0, source_write_many(src, 0, room));
	ASSERT_TRUE(waiter_join(&w));
	EXPECT_EQ(POLLIN, w.ret & POLLIN);
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(-EAGAIN, events_read_raw(&self->ev, src, self->cpu, w.fd));
	EXPECT_LT(room / 2, self->ev.nr);
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	close(w.fd);
}

TEST_F(remote, blocking_ioctl_wakes_up)
{
	const struct source *src = &self->src;
	struct waiter w = { .what = DO_IOCTL };
	unsigned int room;
	struct mapping m;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, mapping_open(&m, src, self->cpu, 0));
	room = (m.meta->nr_subbufs - 1) * EVENTS_PER_SUBBUF;
	w.fd = m.fd;
	ASSERT_EQ(0, waiter_start(&w));
	EXPECT_EQ(0, LOAD(w.done));
	ASSERT_EQ(0, source_write_many(src, 0, room));
	ASSERT_TRUE(waiter_join(&w));
	EXPECT_EQ(0, w.ret);
	EXPECT_LT(0, LOAD(m.meta->read));
	EXPECT_GE(EVENTS_PER_SUBBUF, LOAD(m.meta->read));
	mapping_close(&m);
}

/* With buffer_percent 0, one event is enough */
TEST_F(remote, buffer_percent)
{
	const struct source *src = &self->src;
	struct waiter w = { .what = DO_IOCTL };
	struct mapping m;

	if (source_put(src, "0", "buffer_percent"))
		SKIP(return, "there is no buffer_percent");

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, mapping_open(&m, src, self->cpu, 0));
	w.fd = m.fd;
	for (w.what = DO_POLL; w.what <= DO_IOCTL; w.what++) {
		ASSERT_EQ(0, waiter_start(&w));
		EXPECT_EQ(0, LOAD(w.done));
		ASSERT_EQ(0, source_write(src, 1));
		ASSERT_TRUE(waiter_join(&w));
		EXPECT_EQ(w.what == DO_POLL ? POLLIN : 0, w.ret & POLLIN);
		ASSERT_EQ(0, source_consume(src, self->cpu, WAY_RAW, &self->ev));
	}
	mapping_close(&m);
}

/* How often the CPUs were interrupted to do what is queued for that; -1 if not known */
static long queued_work_interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char *line = NULL, *word, *end;
	long value, sum = -1;
	bool gicv3 = false;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		gicv3 |= !!strstr(line, "GICv3");
		if (!strstr(line, "IRQ work interrupts"))
			continue;
		sum = 0;
		for (word = strchr(line, ':') + 1; value = strtol(word, &end, 10), end != word;
		     word = end)
			sum += value;
	}
	free(line);
	if (f)
		fclose(f);
	return gicv3 ? sum : -1;
}

/* Why the writer of @remote cannot notify the kernel, or NULL */
static const char *no_notification(const char *remote)
{
	if (strcmp(remote, HYPERVISOR))
		return "this writer cannot send an interrupt";
	return queued_work_interrupts() < 0 ? "there is no GICv3" : NULL;
}

/*
 * The number of interrupts while @w waits and @nr events end that, in several rounds. If the
 * machine is so busy that @w is not asleep when the first event is written, there is none: so
 * there are up to MAX_ROUNDS, until there have been INTERRUPTS.
 */
#define MAX_ROUNDS	100
#define INTERRUPTS	10

static long interrupts_of_rounds(struct __test_metadata *_metadata, const struct source *src,
				 int cpu, struct waiter *w, unsigned int nr)
{
	long interrupts = 0, before;
	struct events ev;
	int round;

	events_init(&ev);
	for (round = 0; round < MAX_ROUNDS && interrupts < INTERRUPTS; round++) {
		sleep_ms(20);	/* until the kernel has asked on behalf of other readers */
		ASSERT_EQ(0, waiter_start(w));
		before = queued_work_interrupts();
		ASSERT_EQ(0, source_write_many(src, 0, nr));
		ASSERT_TRUE(waiter_join(w));
		interrupts += queued_work_interrupts() - before;
		ASSERT_EQ(0, source_consume(src, cpu, WAY_RAW, &ev));
	}
	events_free(&ev);
	return interrupts;
}

/*
 * When nothing has happened for a moment, the hypervisor notifies the kernel of the first
 * event, or of the first one on a sub-buffer, by an interrupt.
 */
TEST_F(remote, notified)
{
	const char *why = no_notification(variant->remote);
	const struct source *src = &self->src;
	struct waiter w = { .what = DO_POLL };
	unsigned int nr;

	if (why)
		SKIP(return, "%s", why);

	ASSERT_EQ(0, source_on(src, true));
	w.fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw",
				self->cpu);
	ASSERT_LE(0, w.fd);
	ASSERT_EQ(0, source_put(src, "0", "buffer_percent"));
	EXPECT_LE(INTERRUPTS, interrupts_of_rounds(_metadata, src, self->cpu, &w, 1));
	ASSERT_EQ(0, source_put(src, "50", "buffer_percent"));
	nr = source_ring_subbufs(src, self->cpu) * EVENTS_PER_SUBBUF;
	EXPECT_LE(INTERRUPTS, interrupts_of_rounds(_metadata, src, self->cpu, &w, nr));
	close(w.fd);
}

/* The kernel has asked for the events of one CPU when a reader of another one begins to wait */
TEST_F(remote, second_reader_notified)
{
	struct waiter first = { .what = DO_READ }, w = { .what = DO_READ };
	const char *why = no_notification(variant->remote);
	const struct source *src = &self->src;

	if (why)
		SKIP(return, "%s", why);
	if (nr_cpus() == 1)
		SKIP(return, "there is one CPU only");

	ASSERT_EQ(0, source_on(src, true));
	first.fd = source_open_file(src, O_RDONLY, "per_cpu/cpu0/trace_pipe");
	ASSERT_LE(0, first.fd);
	ASSERT_EQ(0, waiter_start(&first));
	w.fd = source_open_file(src, O_RDONLY, "per_cpu/cpu%d/trace_pipe", self->cpu);
	ASSERT_LE(0, w.fd);
	EXPECT_LE(INTERRUPTS, interrupts_of_rounds(_metadata, src, self->cpu, &w, 1));
	close(w.fd);
	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, source_write(src, 0));
	ASSERT_TRUE(waiter_join(&first));
	close(first.fd);
}

/* One interrupt is enough for all events that follow */
TEST_F(remote, notified_once)
{
	const struct source *src = &self->src;
	const char *why = no_notification(variant->remote);
	struct waiter w = { .what = DO_READ };
	const unsigned int nr = 1000;
	long before;

	if (why)
		SKIP(return, "%s", why);

	ASSERT_EQ(0, source_on(src, true));
	w.fd = source_open_file(src, O_RDONLY, "per_cpu/cpu%d/trace_pipe", self->cpu);
	ASSERT_LE(0, w.fd);
	ASSERT_EQ(0, waiter_start(&w));
	before = queued_work_interrupts();
	ASSERT_EQ(0, source_write_many(src, 0, nr));
	ASSERT_TRUE(waiter_join(&w));
	EXPECT_GT(before + nr / 10, queued_work_interrupts());
	close(w.fd);
}

TEST_F(remote, nonblocking)
{
	const struct source *src = &self->src;
	int pipe, raw;
	struct mapping m;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, mapping_open(&m, src, self->cpu, O_NONBLOCK));
	pipe = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe", self->cpu);
	/* As everywhere in tracefs, one pipe at a time */
	EXPECT_EQ(-EBUSY, source_open_file(src, O_RDONLY | O_NONBLOCK, "trace_pipe"));
	raw = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw",
			       self->cpu);
	ASSERT_LE(0, pipe);
	ASSERT_LE(0, raw);
	EXPECT_EQ(-EAGAIN, events_read_text(&self->ev, pipe));
	EXPECT_EQ(-EAGAIN, events_read_raw(&self->ev, src, self->cpu, raw));
	EXPECT_EQ(0, mapping_next(&m, &self->ev));
	EXPECT_EQ(0, self->ev.nr);

	/* Each reads all there is, so the others then find nothing */
	ASSERT_EQ(0, source_write(src, 0));
	EXPECT_EQ(1, mapping_next(&m, &self->ev));
	EXPECT_EQ(-EAGAIN, events_read_text(&self->ev, pipe));
	EXPECT_EQ(-EAGAIN, events_read_raw(&self->ev, src, self->cpu, raw));
	ASSERT_EQ(0, source_write(src, 1));
	EXPECT_EQ(-EAGAIN, events_read_text(&self->ev, pipe));
	EXPECT_EQ(0, mapping_next(&m, &self->ev));
	ASSERT_EQ(0, source_write(src, 2));
	EXPECT_EQ(-EAGAIN, events_read_raw(&self->ev, src, self->cpu, raw));
	EXPECT_EQ(3, self->ev.nr);
	EXPECT_EQ(3, events_first_wrong(&self->ev, 0));
	mapping_close(&m);
	close(pipe);
	close(raw);
}

/* Unlike an ordinary trace_pipe, it does not end when tracing is off: it waits */
TEST_F(remote, pipe_does_not_end)
{
	const struct source *src = &self->src;
	struct waiter w = { .what = DO_READ };
	char buf[MAX_SUBBUF_SIZE];
	int i;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 1));
	w.fd = source_open_file(src, O_RDONLY, "trace_pipe");
	ASSERT_LE(0, w.fd);
	ASSERT_LT(0, read(w.fd, buf, sizeof(buf)));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, waiter_start(&w));
		ASSERT_EQ(0, source_on(src, false));
		sleep_ms(30);
		EXPECT_EQ(0, LOAD(w.done));
		ASSERT_EQ(0, source_on(src, true));
		ASSERT_EQ(0, source_write(src, 2 + i));
		ASSERT_TRUE(waiter_join(&w));
		EXPECT_LT(0, w.ret);
	}
	close(w.fd);
}

/*
 * How the kernel looks for events
 */

/* The shortest pause between two looks of the kernel, when nothing has happened for a while */
#define IDLE_PERIOD_MS	10

/* A timer of a remote's buffer: its function is one of ring_buffer_remote_watch.c */
static bool is_watch_timer(const char *line)
{
	return strstr(line, "function=rb_remote_");
}

static int timers_expired(void)
{
	return host_count(is_watch_timer);
}

/* How many have expired when there is one */
static int first_timers_expired(void)
{
	__u64 end = now_ms() + PATIENCE_MS;
	int nr;

	while (!(nr = timers_expired()) && now_ms() < end)
		sleep_ms(1);
	return nr;
}

static int timers_expired_in_ms(unsigned int ms)
{
	host_clear();
	sleep_ms(ms);
	return timers_expired();
}

/* While tracing is off, and after the last reader has left, the kernel looks for nothing */
TEST_F(remote, no_timer_for_nothing)
{
	static const char *const files[] = { "per_cpu/cpu%d/trace_pipe_raw", "trace_pipe" };
	const struct source *src = &self->src;
	struct waiter w = { .what = DO_READ };
	unsigned int i;

	ASSERT_EQ(0, host_record("timer/hrtimer_expire_entry", 0));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		w.fd = source_open_file(src, O_RDONLY, files[i], self->cpu);
		ASSERT_LE(0, w.fd);
		ASSERT_EQ(0, waiter_start(&w));
		EXPECT_EQ(0, timers_expired_in_ms(50)) TH_LOG("%s", files[i]);

		/* The timer starts with tracing, for the reader that waits already */
		host_clear();
		ASSERT_EQ(0, source_on(src, true));
		ASSERT_LT(0, first_timers_expired());
		EXPECT_EQ(0, LOAD(w.done));
		ASSERT_EQ(0, source_write(src, i));
		ASSERT_TRUE(waiter_join(&w));
		EXPECT_LT(0, w.ret);
		sleep_ms(2 * IDLE_PERIOD_MS);
		EXPECT_EQ(0, timers_expired_in_ms(50)) TH_LOG("%s", files[i]);
		ASSERT_EQ(0, source_on(src, false));
		close(w.fd);
	}
	host_stop();
}

/* It looks less often when there was nothing for a while */
TEST_F(remote, timer_backs_off)
{
	const struct source *src = &self->src;
	struct waiter w = { .what = DO_READ };
	__u64 start, elapsed;
	int nr;

	ASSERT_EQ(0, host_record("timer/hrtimer_expire_entry", 0));
	ASSERT_EQ(0, source_on(src, true));
	w.fd = source_open_file(src, O_RDONLY, "trace_pipe");
	ASSERT_LE(0, w.fd);
	ASSERT_EQ(0, waiter_start(&w));
	sleep_ms(300);
	host_clear();
	start = now_ms();
	sleep_ms(100);
	nr = first_timers_expired();	/* on a busy machine, there may be none yet */
	elapsed = now_ms() - start;
	EXPECT_LT(0, nr);
	EXPECT_GE(elapsed / IDLE_PERIOD_MS + 2, nr) TH_LOG("in %llu ms", elapsed);
	ASSERT_EQ(0, source_write(src, 1));
	ASSERT_TRUE(waiter_join(&w));
	EXPECT_LT(0, w.ret);
	close(w.fd);
	host_stop();
}

TEST_HARNESS_MAIN
