// SPDX-License-Identifier: GPL-2.0
/*
 * Writers on every CPU, with readers that swap sub-buffers at the same time. Each
 * writer numbers its events. Each number has to be seen once and in order, or to be
 * covered by a loss that was reported in its place.
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
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/reader.h"
#include "variants.h"

#define MAX_CPUS		64
/* Many times around the ring; text takes much longer to read */
#define EVENTS_PER_WRITER	(20000 + 10 * EVENTS_PER_SUBBUF)
#define EVENTS_PER_WRITER_TEXT	(8000 + 10 * EVENTS_PER_SUBBUF)
#define TIMEOUT_S		60

/* How long a storm lasts */
#define STORM_MS		1500

/**
 * struct writer - a thread that writes on its CPU
 * @src:	where it writes
 * @cpu:	its CPU
 * @nr:		number of events; 0 to write until @stop
 * @stop:	it has to stop
 * @written:	number of events written so far
 * @ret:	errno
 */
struct writer {
	struct source	src;
	int		cpu;
	__u64		nr;
	int		*stop;
	__u64		written;
	int		ret;
	pthread_t	tid;
};

static void *writer_main(void *data)
{
	struct writer *w = data;

	w->ret = pin_to_cpu(w->cpu);
	while (!w->ret && (w->nr ? w->written < w->nr : !LOAD(*w->stop)))
		w->ret = source_write(&w->src, w->written++);
	close(w->src.event_fd);
	return NULL;
}

static int writer_start(struct writer *w, const struct source *src, int cpu, __u64 nr,
			int *stop)
{
	*w = (struct writer){ .src = *src, .cpu = cpu, .nr = nr, .stop = stop };
	w->src.event_fd = source_open_file(src, O_WRONLY, "write_event");
	if (w->src.event_fd < 0)
		return w->src.event_fd;
	return -pthread_create(&w->tid, NULL, writer_main, w);
}

enum kind {
	MAPPED,
	RAW,
	PIPE,
	PIPE_ALL,
};

/**
 * struct reader - a thread that reads one CPU's buffer, or all
 * @src:	where it reads
 * @kind:	how it reads
 * @cpu:	its CPU
 * @nr:		number of lists: CPUs of PIPE_ALL, else one
 * @exact:	see events_first_unexplained()
 * @alone:	it is the only reader of this buffer
 * @stop:	nothing more will be written; ends when all is read
 * @fd:		file
 * @m:		mapping
 * @ret:	errno
 * @wrong:	the first error, or empty
 * @cpus:	for each list: the events, the next number, number of events so far
 */
struct reader {
	const struct source	*src;
	enum kind		kind;
	int			cpu;
	int			nr;
	bool			exact;
	bool			alone;
	int			*stop;
	int			fd;
	struct mapping		m;
	int			ret;
	char			wrong[160];
	pthread_t		tid;
	struct {
		__u64		next;
		__u64		taken;
	} cpus[MAX_CPUS];
	struct events		ev[MAX_CPUS];
};

static int reader_open(struct reader *r)
{
	switch (r->kind) {
	case MAPPED:
		return mapping_open(&r->m, r->src, r->cpu, O_NONBLOCK);
	case RAW:
		r->fd = source_open_file(r->src, O_RDONLY | O_NONBLOCK,
					 "per_cpu/cpu%d/trace_pipe_raw", r->cpu);
		break;
	case PIPE:
		r->fd = source_open_file(r->src, O_RDONLY | O_NONBLOCK,
					 "per_cpu/cpu%d/trace_pipe", r->cpu);
		break;
	case PIPE_ALL:
		r->fd = source_open_file(r->src, O_RDONLY | O_NONBLOCK, "trace_pipe");
		break;
	}
	return r->fd < 0 ? r->fd : 0;
}

static void reader_close(struct reader *r)
{
	int i;

	if (r->kind == MAPPED)
		mapping_close(&r->m);
	else
		close(r->fd);
	for (i = 0; i < r->nr; i++)
		events_free(&r->ev[i]);
}

static int reader_drain(struct reader *r)
{
	int ret = 0;

	switch (r->kind) {
	case MAPPED:
		ret = mapping_drain(&r->m, &r->ev[0]);
		break;
	case RAW:
		ret = events_read_raw(&r->ev[0], r->src, r->cpu, r->fd);
		break;
	case PIPE:
	case PIPE_ALL:
		ret = events_read_text_by_cpu(r->ev, r->nr, r->fd);
		break;
	}
	return ret == -EAGAIN ? 0 : ret;
}

/* The first event that is not newer than the one before */
static size_t first_repeated(const struct events *ev, __u64 *next)
{
	size_t i;

	for (i = 0; i < ev->nr && ev->list[i].id >= *next; i++)
		*next = ev->list[i].id + 1;
	return i;
}

/* Check the events since the last call, then forget them */
static bool reader_check(struct reader *r)
{
	int i;

	for (i = 0; i < r->nr; i++) {
		struct events *ev = &r->ev[i];
		__u64 next = r->cpus[i].next;
		size_t bad;

		bad = r->alone ? events_first_unexplained(ev, &r->cpus[i].next, r->exact) :
				 first_repeated(ev, &r->cpus[i].next);
		if (bad != ev->nr)
			snprintf(r->wrong, sizeof(r->wrong),
				 "CPU %d: %llu follows %llu (of this part: %llu), %llu lost, event %zu of %zu",
				 r->cpu + i, ev->list[bad].id,
				 r->cpus[i].next - 1,
				 next,
				 ev->list[bad].lost, bad, ev->nr);
		else if (ev->error || ev->backwards)
			snprintf(r->wrong, sizeof(r->wrong), "CPU %d: %s", r->cpu + i,
				 ev->error ?: "time goes backwards");
		r->cpus[i].taken += ev->nr;
		ev->nr = 0;
	}
	return !r->wrong[0];
}

static void *reader_main(void *data)
{
	struct reader *r = data;
	unsigned int round = 0;
	int stop;

	do {
		stop = LOAD(*r->stop);
		r->ret = reader_drain(r);
		if (r->ret || !reader_check(r))
			break;
		/* Sometimes fall behind */
		if (++round % 8)
			sched_yield();
		else
			sleep_ms(2);
	} while (!stop);
	return NULL;
}

static int reader_start(struct reader *r, const struct source *src, enum kind kind, int cpu,
			int *stop)
{
	int ret;

	memset(r, 0, sizeof(*r));
	r->src = src;
	r->kind = kind;
	r->cpu = cpu;
	r->nr = kind == PIPE_ALL ? nr_cpus() : 1;
	r->stop = stop;
	r->alone = true;
	ret = reader_open(r);
	if (ret)
		return ret;
	return -pthread_create(&r->tid, NULL, reader_main, r);
}

FIXTURE(stress) {
	struct source	src;
	struct writer	writers[MAX_CPUS];
	struct reader	readers[2 * MAX_CPUS];
	int		nr_cpus;
	int		stop;
};

FIXTURE_VARIANT(stress) {
	const char	*remote;
	enum kind	kind;
	unsigned long	size_kb;
	bool		load;	/* all events are enabled */
};

#define STRESS_VARIANTS(name, remote)						\
	FIXTURE_VARIANT_ADD(stress, name##_mapped_minimum) { remote, MAPPED, 1, false }; \
	FIXTURE_VARIANT_ADD(stress, name##_mapped) { remote, MAPPED, 64, false };	\
	FIXTURE_VARIANT_ADD(stress, name##_mapped_load) { remote, MAPPED, 64, true };	\
	FIXTURE_VARIANT_ADD(stress, name##_raw_minimum) { remote, RAW, 1, false };	\
	FIXTURE_VARIANT_ADD(stress, name##_raw_load) { remote, RAW, 64, true };		\
	FIXTURE_VARIANT_ADD(stress, name##_pipe_minimum) { remote, PIPE, 1, false };	\
	FIXTURE_VARIANT_ADD(stress, name##_pipe_load) { remote, PIPE, 64, true };	\
	FIXTURE_VARIANT_ADD(stress, name##_pipe_all_minimum) { remote, PIPE_ALL, 1, false }; \
	FIXTURE_VARIANT_ADD(stress, name##_pipe_all_load) { remote, PIPE_ALL, 64, true }

STRESS_VARIANTS(hypervisor, HYPERVISOR);
STRESS_VARIANTS(software, SOFTWARE);

FIXTURE_SETUP(stress)
{
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	self->stop = 0;
	self->nr_cpus = nr_cpus();
	ASSERT_GE(MAX_CPUS, self->nr_cpus);
	ASSERT_EQ(0, source_put(&self->src, variant->load ? "1" : "0", "events/enable"));
	ASSERT_EQ(0, source_put(&self->src, "1", "events/%s/selftest/enable",
				self->src.remote));
}

FIXTURE_TEARDOWN(stress)
{
	source_close(&self->src);
}

/* A reader that was alone has seen all events that were not reported as lost */
static void check_cpu(struct __test_metadata *_metadata, const struct reader *r, int i,
		      const struct writer *w, bool exact)
{
	const struct events *ev = &r->ev[i];
	__u64 seen = r->cpus[i].taken + ev->others;
	struct stats stats;

	/* With other events, the last numbers may have been overwritten by them */
	EXPECT_LE(w->written, r->cpus[i].next + (exact ? 0 : ev->pending));
	EXPECT_GE(w->written, r->cpus[i].next);

	ASSERT_EQ(0, source_stats(r->src, w->cpu, &stats));
	EXPECT_EQ(0, stats.entries);
	EXPECT_EQ(0, stats.dropped);
	EXPECT_EQ(seen, stats.read);
	EXPECT_TRUE(ev->uncounted || ev->lost == stats.overrun);
	if (exact) {
		EXPECT_EQ(0, ev->others);
		EXPECT_EQ(w->written, stats.read + stats.overrun);
	}
	if (r->kind == MAPPED) {
		EXPECT_EQ(stats.read, LOAD(r->m.meta->read));
		EXPECT_EQ(stats.overrun, LOAD(r->m.meta->overrun));
		EXPECT_EQ(stats.read + stats.overrun, LOAD(r->m.meta->entries));
		EXPECT_EQ(LOAD(r->m.meta->pages_touched) + 1,
			  LOAD(r->m.meta->pages_read) + LOAD(r->m.meta->pages_lost));
	}
}

static void start_writers(struct __test_metadata *_metadata, const struct source *src,
			  struct writer *writers, __u64 nr, int *stop)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		ASSERT_EQ(0, writer_start(&writers[cpu], src, cpu, nr, stop));
}

static void join_writers(struct __test_metadata *_metadata, struct writer *writers)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		pthread_join(writers[cpu].tid, NULL);
		EXPECT_EQ(0, writers[cpu].ret);
	}
}

static void join_readers(struct __test_metadata *_metadata, struct reader *readers, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		pthread_join(readers[i].tid, NULL);
		EXPECT_EQ(0, readers[i].ret);
		EXPECT_STREQ("", readers[i].wrong);
	}
}

TEST_F_TIMEOUT(stress, each_event_once_or_lost, TIMEOUT_S)
{
	int nr = variant->kind == PIPE_ALL ? 1 : self->nr_cpus;
	int i, cpu;

	ASSERT_EQ(0, source_on(&self->src, true));
	for (i = 0; i < nr; i++) {
		struct reader *r = &self->readers[i];

		ASSERT_EQ(0, reader_start(r, &self->src, variant->kind, i, &self->stop));
		r->exact = !variant->load;
	}
	start_writers(_metadata, &self->src, self->writers,
		      variant->kind == MAPPED || variant->kind == RAW ?
		      EVENTS_PER_WRITER : EVENTS_PER_WRITER_TEXT, NULL);
	join_writers(_metadata, self->writers);
	ASSERT_EQ(0, source_on(&self->src, false));
	STORE(self->stop, 1);
	join_readers(_metadata, self->readers, nr);
	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		i = variant->kind == PIPE_ALL ? cpu : 0;
		check_cpu(_metadata, &self->readers[nr == 1 ? 0 : cpu], i, &self->writers[cpu],
			  !variant->load);
	}
	for (i = 0; i < nr; i++)
		reader_close(&self->readers[i]);
	EXPECT_EQ(0, source_loaded(&self->src));
}

/*
 * Readers that compete
 */

FIXTURE(storm) {
	struct source	src;
	struct writer	writers[MAX_CPUS];
	struct reader	readers[3 * MAX_CPUS];
	int		nr_cpus;
	int		stop;
};

FIXTURE_FOR_REMOTES(storm, 16);

FIXTURE_SETUP(storm)
{
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	self->stop = 0;
	self->nr_cpus = nr_cpus();
	ASSERT_GE(MAX_CPUS, self->nr_cpus);
}

FIXTURE_TEARDOWN(storm)
{
	source_close(&self->src);
}

/* A file of each kind for each CPU: together, they see each event at most once */
TEST_F_TIMEOUT(storm, readers_compete, TIMEOUT_S)
{
	struct events seen;
	struct stats stats;
	__u64 taken;
	int i, cpu, fd;

	ASSERT_EQ(0, source_on(&self->src, true));
	for (i = 0; i < 2 * self->nr_cpus; i++) {
		ASSERT_EQ(0, reader_start(&self->readers[i], &self->src, i & 1 ? RAW : PIPE,
					  i / 2, &self->stop));
		self->readers[i].alone = false;
	}
	start_writers(_metadata, &self->src, self->writers, EVENTS_PER_WRITER_TEXT, NULL);

	/* Meanwhile, also read without consuming */
	events_init(&seen);
	for (i = 0; i < 20; i++) {
		fd = source_open_file(&self->src, O_RDONLY, "trace");
		ASSERT_LE(0, fd);
		EXPECT_EQ(0, events_read_text(&seen, fd));
		close(fd);
	}
	EXPECT_EQ(NULL, seen.error) TH_LOG("%s", seen.error);
	events_free(&seen);

	join_writers(_metadata, self->writers);
	STORE(self->stop, 1);
	join_readers(_metadata, self->readers, 2 * self->nr_cpus);
	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		taken = self->readers[2 * cpu].cpus[0].taken +
			self->readers[2 * cpu + 1].cpus[0].taken;
		ASSERT_EQ(0, source_stats(&self->src, cpu, &stats));
		EXPECT_EQ(0, stats.entries);
		EXPECT_EQ(taken, stats.read);
		EXPECT_EQ(EVENTS_PER_WRITER_TEXT, stats.read + stats.overrun);
	}
	for (i = 0; i < 2 * self->nr_cpus; i++)
		reader_close(&self->readers[i]);
}

/*
 * Everything at once. The results cannot be predicted, so this only checks that
 * nothing breaks, that no call fails that should not, and that all is well afterwards.
 */

/* Each operation has two kinds of rounds, even ones and odd ones */
#define LEAST_ROUNDS	2

/**
 * struct gust - a thread that repeats one operation
 * @src:	the source it works on
 * @stop:	it has to stop, after LEAST_ROUNDS
 * @blow:	the operation
 * @rounds:	how often it was done
 * @ret:	an unexpected errno, or 0
 */
struct gust {
	const struct source	*src;
	int			*stop;
	int			(*blow)(const struct source *src, unsigned int round);
	unsigned int		rounds;
	int			ret;
	pthread_t		tid;
};

static int toggle(const struct source *src, unsigned int round)
{
	return source_on(src, round & 1);
}

static int resize(const struct source *src, unsigned int round)
{
	int ret = source_set_size(src, 1 + round % 200);

	return ret == -EBUSY ? 0 : ret;
}

static int clear(const struct source *src, unsigned int round)
{
	int fd = source_open_file(src, O_WRONLY | O_TRUNC, round & 1 ? "trace" :
				  "per_cpu/cpu0/trace");

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int pipe_all(const struct source *src, unsigned int round)
{
	char buf[1000];
	int fd;

	fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "trace_pipe");
	if (fd < 0)
		return fd;
	while (round++ & 7 && read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
	return 0;
}

static int map(const struct source *src, unsigned int round)
{
	struct mapping m;
	int ret;

	ret = mapping_open(&m, src, round % nr_cpus(), O_NONBLOCK);
	while (!ret && round++ & 7)
		ret = ioctl(m.fd, TRACE_MMAP_IOCTL_GET_READER) ? -errno : 0;
	mapping_close(&m);
	return ret;
}

static int show(const struct source *src, unsigned int round)
{
	char buf[2000];
	ssize_t ret;

	ret = source_get(src, buf, sizeof(buf), round & 1 ? "trace" : "per_cpu/cpu0/stats");
	return ret < 0 ? ret : 0;
}

static int enable(const struct source *src, unsigned int round)
{
	return source_put(src, round & 1 ? "1" : "0", "events/enable");
}

/* On a busy machine, a thread may not get to its second round before it has to stop */
static void *gust_main(void *data)
{
	struct gust *g = data;

	while (!g->ret && (g->rounds < LEAST_ROUNDS || !LOAD(*g->stop)))
		g->ret = g->blow(g->src, g->rounds++);
	return NULL;
}

static int gust_start(struct gust *g, const struct source *src,
		      int (*blow)(const struct source *src, unsigned int round), int *stop)
{
	*g = (struct gust){ .src = src, .stop = stop, .blow = blow };
	return -pthread_create(&g->tid, NULL, gust_main, g);
}

static void join_gusts(struct __test_metadata *_metadata, struct gust *gusts, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		pthread_join(gusts[i].tid, NULL);
		EXPECT_EQ(0, gusts[i].ret) TH_LOG("number %d", i);
	}
}

/*
 * Mappings swap sub-buffers while other readers read them: these still get whole
 * events, and the accounting is right
 */
TEST_F_TIMEOUT(storm, mappings_compete, TIMEOUT_S)
{
	struct gust gusts[2] = {};
	struct stats stats;
	int i;

	ASSERT_EQ(0, source_on(&self->src, true));
	for (i = 0; i < self->nr_cpus; i++) {
		ASSERT_EQ(0, reader_start(&self->readers[i], &self->src, RAW, i, &self->stop));
		self->readers[i].alone = false;
	}
	for (i = 0; i < ARRAY_SIZE(gusts); i++)
		ASSERT_EQ(0, gust_start(&gusts[i], &self->src, map, &self->stop));
	start_writers(_metadata, &self->src, self->writers, EVENTS_PER_WRITER_TEXT, NULL);
	join_writers(_metadata, self->writers);
	STORE(self->stop, 1);
	join_readers(_metadata, self->readers, self->nr_cpus);
	join_gusts(_metadata, gusts, ARRAY_SIZE(gusts));

	for (i = 0; i < self->nr_cpus; i++) {
		ASSERT_EQ(0, source_stats(&self->src, i, &stats));
		EXPECT_LE(self->readers[i].cpus[0].taken, stats.read);
		EXPECT_EQ(EVENTS_PER_WRITER_TEXT, stats.entries + stats.read + stats.overrun);
		reader_close(&self->readers[i]);
	}
}

/*
 * A mapping against what clears the buffer
 */

#define NR_CHANGES	200

/**
 * struct changer - a thread that clears the buffer once in each round
 * @src:	the remote
 * @frees:	by free_buffer, else by a new clock
 * @round:	the round that has begun
 * @done:	the last round in which it has cleared the buffer
 * @ret:	an errno
 */
struct changer {
	const struct source	*src;
	bool			frees;
	int			round;
	int			done;
	int			ret;
};

static int clear_once(const struct changer *c, int round)
{
	int fd;

	if (!c->frees)
		return source_set_clock(c->src, round % 2 ? "local" : "boot");
	fd = source_open_file(c->src, O_WRONLY, "free_buffer");
	return fd < 0 ? fd : close(fd);
}

static void *changer_main(void *data)
{
	struct changer *c = data;
	int round, ret;

	pin_to_cpu(0);
	for (round = 1; round <= NR_CHANGES; round++) {
		while (LOAD(c->round) < round)
			sched_yield();
		ret = clear_once(c, round);
		if (ret)
			c->ret = ret;
		STORE(c->done, round);
	}
	return NULL;
}

/* Map the buffer, and look until the round ends: it has one event, or has been cleared */
static void map_once(struct __test_metadata *_metadata, struct changer *c, int fd, int cpu)
{
	struct mapping m;

	ASSERT_EQ(0, mapping_map(&m, c->src, cpu, fd));
	do {
		ASSERT_GE(1, LOAD(m.meta->entries));
		sched_yield();
	} while (LOAD(c->done) < c->round);
	EXPECT_EQ(0, LOAD(m.meta->entries));
	mapping_unmap(&m);
}

/* The buffer is mapped at about the time at which it is cleared */
static void check_changes(struct __test_metadata *_metadata, const struct source *src, bool frees)
{
	struct changer c = { .src = src, .frees = frees };
	int fd, cpu = nr_cpus() - 1, round;
	volatile int delay;
	pthread_t tid;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw", cpu);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pthread_create(&tid, NULL, changer_main, &c));
	for (round = 1; round <= NR_CHANGES; round++) {
		ASSERT_EQ(0, source_on(src, true));
		ASSERT_EQ(0, source_write(src, 1));
		STORE(c.round, round);
		for (delay = round * 37 % 101 * 100; delay; delay--)
			;
		map_once(_metadata, &c, fd, cpu);
		while (LOAD(c.done) < round)
			sched_yield();
	}
	pthread_join(tid, NULL);
	EXPECT_EQ(0, c.ret);
	close(fd);
}

TEST_F_TIMEOUT(storm, mapping_against_new_clock, TIMEOUT_S)
{
	if (source_set_clock(&self->src, "boot"))
		SKIP(return, "there is no other clock");
	check_changes(_metadata, &self->src, false);
}

TEST_F_TIMEOUT(storm, mapping_against_free_buffer, TIMEOUT_S)
{
	check_changes(_metadata, &self->src, true);
}

TEST_F_TIMEOUT(storm, everything_at_once, TIMEOUT_S)
{
	static int (*const blows[])(const struct source *src, unsigned int round) = {
		toggle, resize, clear, pipe_all, map, show, enable, map,
	};
	struct gust gusts[ARRAY_SIZE(blows)];
	struct events ev;
	int i, fd;

	start_writers(_metadata, &self->src, self->writers, 0, &self->stop);
	for (i = 0; i < ARRAY_SIZE(gusts); i++)
		ASSERT_EQ(0, gust_start(&gusts[i], &self->src, blows[i], &self->stop));
	sleep_ms(STORM_MS);
	STORE(self->stop, 1);
	join_gusts(_metadata, gusts, ARRAY_SIZE(gusts));
	join_writers(_metadata, self->writers);

	/* The calm */
	ASSERT_EQ(0, source_reset(&self->src));
	EXPECT_EQ(0, source_loaded(&self->src));
	ASSERT_EQ(0, source_set_size(&self->src, 64));
	ASSERT_EQ(0, source_on(&self->src, true));
	ASSERT_EQ(0, source_write_many(&self->src, 0, 3));
	events_init(&ev);
	fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, "trace_pipe");
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EAGAIN, events_read_text(&ev, fd));
	EXPECT_EQ(3, events_first_wrong(&ev, 0));
	close(fd);
	events_free(&ev);
}

TEST_HARNESS_MAIN
