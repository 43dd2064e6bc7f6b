// SPDX-License-Identifier: GPL-2.0
/*
 * Every way to read a trace remote gives the same events, once and in order, and
 * reports exactly how many are missing and where.
 *
 * Needs root. Runs on the remotes "hypervisor" and "test", and skips one that does
 * not exist.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/ways.h"
#include "variants.h"

#define LOST_LAG	"/sys/module/remote_test/parameters/lost_lag"

static void expect_good(struct __test_metadata *_metadata, const struct events *ev)
{
	EXPECT_EQ(NULL, ev->error) TH_LOG("%s", ev->error);
	EXPECT_EQ(0, ev->backwards);
}

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
	file_put_number(LOST_LAG, 0);
	source_close(&self->src);
	events_free(&self->ev);
}

/*
 * The same events in each way
 */

/* A timestamp as the text has it */
static __u64 to_us(__u64 ns)
{
	return (ns + 500) / 1000;
}

/*
 * The first event that differs, without regard to losses. Times are compared by the
 * microsecond, as the text has them.
 */
static size_t first_different(const struct events *a, const struct events *b)
{
	size_t i;

	for (i = 0; i < a->nr && i < b->nr; i++) {
		if (a->list[i].id != b->list[i].id ||
		    to_us(a->list[i].ts) != to_us(b->list[i].ts) ||
		    a->list[i].cpu != b->list[i].cpu)
			break;
	}
	return i;
}

static void check_same(struct __test_metadata *_metadata, const struct source *src, int cpu,
		       enum way way, __u64 nr)
{
	struct events seen, all, taken;

	events_init(&seen);
	events_init(&all);
	events_init(&taken);
	ASSERT_EQ(0, source_write_many(src, 1000, nr));
	EXPECT_EQ(0, source_look(src, cpu, &seen));
	EXPECT_EQ(0, source_look(src, -1, &all));
	EXPECT_EQ(0, source_consume(src, cpu, way, &taken)) TH_LOG("%s", way_names[way]);

	EXPECT_EQ(nr, seen.nr);
	EXPECT_EQ(nr, all.nr);
	EXPECT_EQ(nr, taken.nr) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(nr, events_first_wrong(&taken, 1000)) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(nr, first_different(&seen, &taken)) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(nr, first_different(&all, &taken)) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(0, taken.losses + seen.losses + all.losses);
	EXPECT_EQ(0, taken.others + seen.others + all.others);
	expect_good(_metadata, &taken);
	expect_good(_metadata, &seen);
	expect_good(_metadata, &all);

	/* All of it is consumed then */
	events_clear(&seen);
	EXPECT_EQ(0, source_look(src, cpu, &seen));
	EXPECT_EQ(0, seen.nr);
	events_free(&seen);
	events_free(&all);
	events_free(&taken);
}

TEST_F(remote, same_in_each_way)
{
	const __u64 counts[] = {
		1, 2, EVENTS_PER_SUBBUF - 1, EVENTS_PER_SUBBUF, EVENTS_PER_SUBBUF + 1, 17,
		2 * EVENTS_PER_SUBBUF - 5, 0,
	};
	unsigned int i, way;

	ASSERT_EQ(0, source_on(&self->src, true));
	/* The buffer stays, so each way starts where the last one stopped */
	for (way = 0; way < NR_WAYS; way++) {
		for (i = 0; i < ARRAY_SIZE(counts); i++)
			check_same(_metadata, &self->src, self->cpu, way, counts[i]);
	}
}

#define NR_TASKS	3
#define TASK_EVENTS	100

/* Writes events with its own pid for their number, and lets others run in between */
static pid_t start_writer(const struct source *src)
{
	pid_t pid = fork();
	int i;

	if (pid)
		return pid;
	for (i = 0; i < TASK_EVENTS; i++) {
		if (source_write(src, getpid()))
			_exit(1);
		sched_yield();
	}
	_exit(0);
}

/* Tasks that take turns on one CPU */
TEST_F(remote, each_event_has_its_task)
{
	const struct source *src = &self->src;
	const struct events *ev = &self->ev;
	pid_t pids[NR_TASKS];
	int i, status;
	size_t n;

	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < NR_TASKS; i++) {
		pids[i] = start_writer(src);
		ASSERT_LT(0, pids[i]);
	}
	for (i = 0; i < NR_TASKS; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		ASSERT_EQ(0, status);
	}
	ASSERT_EQ(0, source_write(src, getpid()));

	ASSERT_EQ(0, source_consume(src, self->cpu, WAY_RAW, &self->ev));
	ASSERT_EQ(NR_TASKS * TASK_EVENTS + 1, ev->nr + ev->lost);
	for (n = 0; n < ev->nr; n++)
		ASSERT_EQ(ev->list[n].id, ev->list[n].pid) TH_LOG("event %zu", n);
}

/* An event is written to a page that has been read in part */
TEST_F(remote, page_that_grows)
{
	const struct source *src = &self->src;
	__u64 id = 0;
	int way, i;

	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < 50; i++) {
		for (way = 0; way < NR_WAYS; way++) {
			ASSERT_EQ(0, source_write_many(src, id, i % 7 + 1));
			id += i % 7 + 1;
			ASSERT_EQ(0, source_consume(src, self->cpu, way, &self->ev));
			ASSERT_EQ(id, self->ev.nr) TH_LOG("%s", way_names[way]);
		}
	}
	EXPECT_EQ(id, events_first_wrong(&self->ev, 0));
	EXPECT_EQ(0, self->ev.losses);
	expect_good(_metadata, &self->ev);
}

/* Text is read a few bytes at a time */
TEST_F(remote, text_in_small_parts)
{
	static const size_t sizes[] = { 1, 7, 33, 100 };
	static char whole[32768], parts[32768];
	const struct source *src = &self->src;
	size_t len, part;
	unsigned int i;
	ssize_t ret;
	int fd, nr;

	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		nr = i ? 150 : 20;
		ASSERT_EQ(0, source_write_many(src, 0, nr));
		ASSERT_LT(0, source_get(src, whole, sizeof(whole), "trace"));

		fd = source_open_file(src, O_RDONLY, "trace");
		ASSERT_LE(0, fd);
		for (len = 0; (ret = read(fd, parts + len, sizes[i])) > 0; len += ret)
			;
		EXPECT_EQ(0, ret);
		parts[len] = '\0';
		EXPECT_STREQ(whole, parts);

		/* Again from the start, then from the middle */
		EXPECT_EQ(0, lseek(fd, 0, SEEK_SET));
		EXPECT_EQ(100, read(fd, parts, 100));
		EXPECT_EQ(0, memcmp(parts, whole, 100));
		part = len / 2;
		EXPECT_EQ(100, pread(fd, parts, 100, part));
		EXPECT_EQ(0, memcmp(parts, whole + part, 100));
		close(fd);

		fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "trace_pipe");
		ASSERT_LE(0, fd);
		for (len = 0; (ret = read(fd, parts + len, sizes[i])) > 0; len += ret)
			;
		close(fd);
		parts[len] = '\0';
		EXPECT_STREQ(whole, parts);
	}
}

/* Events of all CPUs come in the order in which they were written */
TEST_F(remote, all_cpus_are_merged)
{
	const struct source *src = &self->src;
	__u64 nr = 100 * nr_cpus(), i;

	if (nr_cpus() == 1)
		SKIP(return, "there is one CPU only");

	ASSERT_EQ(0, source_on(src, true));
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, pin_to_cpu(i * 7 % nr_cpus()));
		ASSERT_EQ(0, source_write(src, i));
	}

	ASSERT_EQ(0, source_look(src, -1, &self->ev));
	EXPECT_EQ(nr, self->ev.nr);
	EXPECT_EQ(nr, events_first_wrong(&self->ev, 0));
	for (i = 0; i < self->ev.nr; i++)
		EXPECT_EQ(i * 7 % nr_cpus(), self->ev.list[i].cpu);

	events_clear(&self->ev);
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	EXPECT_EQ(nr, self->ev.nr);
	EXPECT_EQ(nr, events_first_wrong(&self->ev, 0));
	for (i = 0; i < self->ev.nr; i++)
		EXPECT_EQ(i * 7 % nr_cpus(), self->ev.list[i].cpu);
	expect_good(_metadata, &self->ev);
}

/*
 * Overwriting
 */

/* written == read + in the buffer + overrun, and the meta page says the same */
static void check_account(struct __test_metadata *_metadata, const struct source *src, int cpu,
			  const struct trace_buffer_meta *meta, __u64 written)
{
	struct stats stats;

	ASSERT_EQ(0, source_stats(src, cpu, &stats));
	EXPECT_EQ(written, stats.entries + stats.read + stats.overrun + stats.dropped);
	EXPECT_TRUE(late_writes() || stats.entries * EVENT_SIZE == stats.bytes);
	EXPECT_EQ(written, LOAD(meta->entries) + LOAD(meta->dropped));
	EXPECT_EQ(stats.overrun, LOAD(meta->overrun));
	EXPECT_EQ(stats.read, LOAD(meta->read));
	EXPECT_EQ(stats.dropped, LOAD(meta->dropped));
}

/* Fill a new buffer with @nr events, then consume it in one way */
static void check_overwrite(struct __test_metadata *_metadata, const struct source *src,
			    int cpu, enum way way, __u64 nr)
{
	__u64 room, overrun = 0, pages, next = 0;
	unsigned long late = late_writes();
	struct stats stats;
	struct events ev;
	int keep;

	/* A reader that keeps the buffer and its counters */
	keep = source_open_file(src, O_RDONLY, "per_cpu/cpu%d/trace_pipe_raw", cpu);
	ASSERT_LE(0, keep);
	ASSERT_EQ(0, source_on(src, true));
	room = source_ring_subbufs(src, cpu);
	pages = (nr + EVENTS_PER_SUBBUF - 1) / EVENTS_PER_SUBBUF;
	if (pages > room)
		overrun = (pages - room) * EVENTS_PER_SUBBUF;

	ASSERT_EQ(0, source_write_many(src, 0, nr));
	ASSERT_EQ(0, source_stats(src, cpu, &stats));
	if (late_writes() != late)
		overrun = stats.overrun;
	EXPECT_EQ(nr - overrun, stats.entries);
	EXPECT_EQ(overrun, stats.overrun);
	EXPECT_EQ(0, stats.read);

	events_init(&ev);
	EXPECT_EQ(0, source_look(src, cpu, &ev));
	EXPECT_EQ(nr - overrun, ev.nr);
	EXPECT_EQ(nr - overrun, events_first_wrong(&ev, overrun));

	events_clear(&ev);
	EXPECT_EQ(0, source_consume(src, cpu, way, &ev)) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(nr - overrun, ev.nr) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(ev.nr, events_first_unexplained(&ev, &next, true))
		TH_LOG("%s: %llu events", way_names[way], nr);
	EXPECT_EQ(nr, next);
	EXPECT_EQ(!!overrun, ev.losses) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(ev.uncounted ? 0 : overrun, ev.lost) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(0, ev.unmarked);
	expect_good(_metadata, &ev);

	ASSERT_EQ(0, source_stats(src, cpu, &stats));
	EXPECT_EQ(0, stats.entries);
	EXPECT_EQ(nr - overrun, stats.read);
	EXPECT_EQ(overrun, stats.overrun);
	events_free(&ev);
	ASSERT_EQ(0, source_on(src, false));
	close(keep);
	ASSERT_EQ(0, source_loaded(src));
}

TEST_F(remote, overwrite)
{
	__u64 room, full;
	unsigned int i, way;
	int keep;

	keep = source_open_file(&self->src, O_RDONLY, "trace_pipe");
	ASSERT_LE(0, keep);
	room = source_ring_subbufs(&self->src, self->cpu);
	close(keep);
	ASSERT_LE(2, room);
	full = room * EVENTS_PER_SUBBUF;

	for (way = 0; way < NR_WAYS; way++) {
		const __u64 counts[] = {
			full - 1, full, full + 1, full + EVENTS_PER_SUBBUF,
			full + EVENTS_PER_SUBBUF + 1, 2 * full + 17,
		};

		for (i = 0; i < ARRAY_SIZE(counts); i++)
			check_overwrite(_metadata, &self->src, self->cpu, way, counts[i]);
	}
}

/* Pseudo-random numbers, the same in each run */
static __u32 next_random(__u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/*
 * Write and read in turn, in all ways, less or more than there is room for. The mode
 * changes now and then, if there is a choice.
 */
static void check_accounting(struct __test_metadata *_metadata, const struct source *src,
			     int cpu, struct events *ev, bool modes)
{
	__u64 written = 0, next = 0, taken = 0;
	__u32 state = 1;
	struct mapping m;
	unsigned int room;
	int i, way, ret, raw;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, mapping_open(&m, src, cpu, O_NONBLOCK));
	raw = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw",
			       cpu);
	ASSERT_LE(0, raw);
	room = (m.meta->nr_subbufs - 1) * EVENTS_PER_SUBBUF;

	for (i = 0; i < 60; i++) {
		__u64 nr = next_random(&state) % (i & 1 ? room / 3 : 2 * room);

		if (modes)
			ASSERT_EQ(0, source_set_overwrite(src, next_random(&state) & 1));
		ASSERT_EQ(0, source_write_many(src, written, nr));
		written += nr;
		check_account(_metadata, src, cpu, m.meta, written);

		events_clear(ev);
		way = next_random(&state) % (NR_WAYS + 2);
		if (way == NR_WAYS)
			ret = mapping_next(&m, ev) < 0;
		else if (way == NR_WAYS + 1)
			ret = events_read_some(ev, src, cpu, raw, SUBBUF_SIZE) < 0 &&
			      errno != EAGAIN;
		else
			ret = source_consume(src, cpu, way, ev);
		ASSERT_EQ(0, ret);
		taken += ev->nr;
		expect_good(_metadata, ev);
		EXPECT_EQ(ev->nr, events_first_unexplained(ev, &next, true))
			TH_LOG("step %d, way %d", i, way);
		check_account(_metadata, src, cpu, m.meta, written);
		EXPECT_EQ(taken, LOAD(m.meta->read));
	}
	EXPECT_LT(0, LOAD(m.meta->overrun));
	EXPECT_EQ(modes, LOAD(m.meta->dropped) > 0);

	/* The last drops are reported before the next event that there is room for */
	events_clear(ev);
	ASSERT_EQ(0, source_consume(src, cpu, WAY_RAW, ev));
	taken += ev->nr;
	EXPECT_EQ(ev->nr, events_first_unexplained(ev, &next, true));
	ASSERT_EQ(0, source_write(src, written++));
	events_clear(ev);
	ASSERT_EQ(0, mapping_drain(&m, ev));
	EXPECT_EQ(ev->nr, events_first_unexplained(ev, &next, true));
	EXPECT_EQ(written, next);
	EXPECT_EQ(written, taken + ev->nr + LOAD(m.meta->overrun) +
			   LOAD(m.meta->dropped));
	close(raw);
	mapping_close(&m);
}

/*
 * stats has as many bytes as read() then returns. Before that, @taken bytes of a sub-buffer
 * were read
 */
static void check_bytes(struct __test_metadata *_metadata, const struct source *src, int cpu,
			size_t taken)
{
	__u64 buf[MAX_SUBBUF_SIZE / 8];
	const struct subbuf *page = (const struct subbuf *)buf;
	struct stats stats;
	__u64 bytes = 0;
	int fd;

	fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw", cpu);
	ASSERT_LE(0, fd);
	/* Of the header and so many bytes, only whole events are read */
	if (taken)
		ASSERT_LT(0, read(fd, buf, sizeof(*page) + taken));
	close(fd);
	fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw", cpu);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, source_stats(src, cpu, &stats));
	while (read(fd, buf, SUBBUF_SIZE) > 0)
		bytes += page->commit & (SUBBUF_MISSED_STORED - 1);
	close(fd);
	EXPECT_EQ(bytes, stats.bytes);
	EXPECT_LE(stats.entries * EVENT_SIZE, stats.bytes);
	ASSERT_EQ(0, source_stats(src, cpu, &stats));
	EXPECT_EQ(0, stats.bytes);
}

TEST_F(remote, bytes)
{
	const struct source *src = &self->src;
	__u64 room = source_ring_subbufs(src, self->cpu) * EVENTS_PER_SUBBUF;
	const __u64 counts[] = {
		1, 3, EVENTS_PER_SUBBUF, EVENTS_PER_SUBBUF + 1, room - 10, room, 3 * room,
	};
	unsigned int i;

	for (i = 0; i < 2 * 2 * ARRAY_SIZE(counts); i++) {
		if (i == 2 * ARRAY_SIZE(counts))
			ASSERT_EQ(0, source_set_overwrite(src, false));
		ASSERT_EQ(0, source_on(src, true));
		ASSERT_EQ(0, source_write_many(src, 0, counts[i / 2 % ARRAY_SIZE(counts)]));
		check_bytes(_metadata, src, self->cpu, i % 2 ? 3 * EVENT_SIZE : 0);
	}
	ASSERT_EQ(0, source_write_many(src, 0, 3));
	ASSERT_EQ(0, source_clear(src));
	check_bytes(_metadata, src, self->cpu, 0);
}

TEST_F(remote, accounting)
{
	check_accounting(_metadata, &self->src, self->cpu, &self->ev, false);
}

TEST_F(remote, accounting_of_both_modes)
{
	if (source_set_overwrite(&self->src, true))
		SKIP(return, "there is no options/overwrite");
	check_accounting(_metadata, &self->src, self->cpu, &self->ev, true);
}

/* Keep the oldest: events without room are dropped, and this is reported to the reader */
static void check_keep(struct __test_metadata *_metadata, const struct source *src, int cpu,
		       enum way way, struct events *ev, __u64 *id)
{
	__u64 full = source_ring_subbufs(src, cpu) * EVENTS_PER_SUBBUF, next = *id;
	struct stats before, stats;

	ASSERT_EQ(0, source_stats(src, cpu, &before));
	ASSERT_EQ(0, source_write_many(src, *id, 2 * full));
	*id += 2 * full;
	ASSERT_EQ(0, source_stats(src, cpu, &stats));
	EXPECT_EQ(0, stats.overrun);
	EXPECT_LE(full - EVENTS_PER_SUBBUF, stats.entries);
	EXPECT_GE(full + EVENTS_PER_SUBBUF, stats.entries);
	EXPECT_EQ(2 * full, stats.entries + stats.dropped - before.dropped);

	/* No event is missing before these; the loss is reported with the next one */
	events_clear(ev);
	ASSERT_EQ(0, source_consume(src, cpu, way, ev));
	EXPECT_EQ(stats.entries, events_first_unexplained(ev, &next, true));
	EXPECT_EQ(0, ev->losses) TH_LOG("%s", way_names[way]);

	events_clear(ev);
	ASSERT_EQ(0, source_write_many(src, *id, 10));
	ASSERT_EQ(0, source_consume(src, cpu, way, ev));
	EXPECT_EQ(10, events_first_wrong(ev, *id)) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(10, events_first_unexplained(ev, &next, true))
		TH_LOG("%s", way_names[way]);
	EXPECT_EQ(1, ev->losses) TH_LOG("%s", way_names[way]);
	expect_good(_metadata, ev);
	*id += 10;
}

TEST_F(remote, keep_the_oldest)
{
	__u64 id = 0;
	int way;

	if (source_set_overwrite(&self->src, false))
		SKIP(return, "there is no options/overwrite");

	ASSERT_EQ(0, source_on(&self->src, true));
	for (way = 0; way < NR_WAYS; way++)
		check_keep(_metadata, &self->src, self->cpu, way, &self->ev, &id);
}

/* All events are seen, even if the last sub-buffer has been the reader's before */
TEST_F(remote, last_subbuf_is_seen)
{
	const struct source *src = &self->src;
	unsigned int room, round;
	struct stats stats;
	int raw;

	if (source_set_overwrite(src, false))
		SKIP(return, "there is no options/overwrite");

	ASSERT_EQ(0, source_on(src, true));
	room = source_ring_subbufs(src, self->cpu);
	raw = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw",
			       self->cpu);
	ASSERT_LE(0, raw);
	for (round = 0; round < 4; round++) {
		ASSERT_EQ(0, source_write_many(src, 0, (room + 1) * EVENTS_PER_SUBBUF));
		for (;;) {
			events_clear(&self->ev);
			ASSERT_EQ(0, source_look(src, self->cpu, &self->ev));
			ASSERT_EQ(0, source_stats(src, self->cpu, &stats));
			EXPECT_EQ(stats.entries, self->ev.nr)
				TH_LOG("round %u of %u sub-buffers", round, room);
			if (!stats.entries)
				break;
			ASSERT_LT(0, events_read_some(&self->ev, src, self->cpu, raw, SUBBUF_SIZE));
		}
	}
	close(raw);
}

/*
 * The writer has overwritten a sub-buffer and not counted it yet. All that are there are
 * seen, each reader takes them all, and finds the end then.
 */
static void check_late_count(struct __test_metadata *_metadata, const struct source *src, int cpu,
			     enum way way)
{
	__u64 room, first, nr;
	struct pollfd pfd = { .events = POLLIN };
	struct events ev;

	ASSERT_EQ(0, source_on(src, true));
	pfd.fd = source_open_file(src, O_RDONLY, "per_cpu/cpu%d/trace_pipe_raw", cpu);
	ASSERT_LE(0, pfd.fd);
	room = source_ring_subbufs(src, cpu);
	first = 3 * EVENTS_PER_SUBBUF;
	nr = (room + 3) * EVENTS_PER_SUBBUF;
	ASSERT_EQ(0, source_write_many(src, 0, nr - 1));
	ASSERT_EQ(0, file_put_number(LOST_LAG, 1));
	ASSERT_EQ(0, source_write(src, nr - 1));

	events_init(&ev);
	EXPECT_EQ(0, source_look(src, cpu, &ev));
	EXPECT_EQ(nr - first, ev.nr);
	EXPECT_EQ(ev.nr, events_first_wrong(&ev, first));
	EXPECT_EQ(1, poll(&pfd, 1, 0));

	events_clear(&ev);
	EXPECT_EQ(0, source_consume(src, cpu, way, &ev)) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(nr - first, ev.nr) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(ev.nr, events_first_wrong(&ev, first)) TH_LOG("%s", way_names[way]);
	EXPECT_EQ(0, poll(&pfd, 1, 0)) TH_LOG("%s", way_names[way]);
	events_clear(&ev);
	EXPECT_EQ(0, source_look(src, cpu, &ev));
	EXPECT_EQ(0, ev.nr) TH_LOG("%s", way_names[way]);

	ASSERT_EQ(0, file_put_number(LOST_LAG, 0));
	events_free(&ev);
	close(pfd.fd);
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, source_on(src, false));
}

TEST_F(remote, lost_is_counted_late)
{
	unsigned int way;

	if (strcmp(self->src.remote, SOFTWARE))
		SKIP(return, "the writer cannot be stopped there");

	for (way = 0; way < NR_WAYS; way++)
		check_late_count(_metadata, &self->src, self->cpu, way);
}

/* The smallest buffer */
FIXTURE(small) {
	struct source	src;
	struct events	ev;
	int		cpu;
};

FIXTURE_FOR_REMOTES(small, 1);

FIXTURE_SETUP(small)
{
	events_init(&self->ev);
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	self->cpu = nr_cpus() - 1;
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(small)
{
	source_close(&self->src);
	events_free(&self->ev);
}

/*
 * A long gap takes a time extend. It leaves room at the end of the page for the number
 * of lost events, which otherwise is only on the meta page.
 */
TEST_F(small, loss_is_counted_on_the_page)
{
	const struct source *src = &self->src;
	const unsigned int per_page = EVENTS_PER_SUBBUF - 1;
	__u64 next = 0, id = 0;
	unsigned int i, way, nr = 0;
	unsigned long late;

	ASSERT_EQ(0, source_on(src, true));
	for (way = WAY_RAW; way <= WAY_MAP; way++) {
		/* Get to the start of a page: two are full then, the first is lost */
		ASSERT_EQ(0, source_reset(src));
		ASSERT_EQ(0, source_on(src, true));
		nr = source_ring_subbufs(src, self->cpu) + 1;
		id = 0;
		next = 0;
		late = late_writes();
		for (i = 0; i < nr; i++) {
			ASSERT_EQ(0, source_write_many(src, id, per_page / 2));
			sleep_ms(200);
			ASSERT_EQ(0, source_write_many(src, id + per_page / 2,
						       per_page - per_page / 2));
			id += per_page;
		}
		if (late_writes() != late + nr)
			SKIP(return, "the machine stalls");
		events_clear(&self->ev);
		ASSERT_EQ(0, source_consume(src, self->cpu, way, &self->ev));
		EXPECT_EQ(id - per_page, self->ev.nr) TH_LOG("%s", way_names[way]);
		EXPECT_EQ(self->ev.nr, events_first_unexplained(&self->ev, &next, true));
		EXPECT_EQ(per_page, self->ev.lost) TH_LOG("%s", way_names[way]);
		EXPECT_EQ(1, self->ev.losses) TH_LOG("%s", way_names[way]);
		EXPECT_EQ(0, self->ev.uncounted) TH_LOG("%s", way_names[way]);
		expect_good(_metadata, &self->ev);
	}
}

/*
 * splice(): whole pages only
 */
TEST_F(remote, splice)
{
	const struct source *src = &self->src;
	union {
		struct subbuf page;
		char bytes[MAX_SUBBUF_SIZE];
	} buf;
	int raw, fds[2], pages = 0;
	unsigned long late = late_writes();
	ssize_t ret;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, pipe2(fds, O_NONBLOCK));
	raw = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw",
			       self->cpu);
	ASSERT_LE(0, raw);
	ASSERT_EQ(0, source_write_many(src, 0, EVENTS_PER_SUBBUF + 10));
	while ((ret = splice(raw, NULL, fds[1], NULL, SUBBUF_SIZE, SPLICE_F_NONBLOCK)) > 0) {
		ASSERT_EQ(SUBBUF_SIZE, ret);
		ASSERT_EQ(SUBBUF_SIZE, read(fds[0], &buf, SUBBUF_SIZE));
		events_add_page(&self->ev, src, self->cpu, &buf.page, 0, buf.page.commit);
		pages++;
	}
	EXPECT_EQ(1, pages);
	EXPECT_EQ(self->ev.nr, events_first_wrong(&self->ev, 0));
	EXPECT_TRUE(late_writes() != late || self->ev.nr == EVENTS_PER_SUBBUF);
	EXPECT_EQ(-EAGAIN, events_read_raw(&self->ev, src, self->cpu, raw));
	EXPECT_EQ(EVENTS_PER_SUBBUF + 10, events_first_wrong(&self->ev, 0));
	expect_good(_metadata, &self->ev);
	close(raw);
	close(fds[0]);
	close(fds[1]);
}

/* A pipe still has what was spliced into it when there is no buffer any more */
TEST_F(remote, spliced_page_outlives_the_buffer)
{
	const struct source *src = &self->src;
	union {
		struct subbuf page;
		char bytes[MAX_SUBBUF_SIZE];
	} buf;
	int raw, fds[2];

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, pipe2(fds, O_NONBLOCK));
	raw = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw",
			       self->cpu);
	ASSERT_LE(0, raw);
	ASSERT_EQ(0, source_write_many(src, 0, EVENTS_PER_SUBBUF + 10));
	ASSERT_EQ(SUBBUF_SIZE, splice(raw, NULL, fds[1], NULL, SUBBUF_SIZE, SPLICE_F_NONBLOCK));
	close(raw);
	ASSERT_EQ(0, source_on(src, false));
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, source_loaded(src));

	ASSERT_EQ(SUBBUF_SIZE, read(fds[0], &buf, SUBBUF_SIZE));
	events_add_page(&self->ev, src, self->cpu, &buf.page, 0, buf.page.commit);
	EXPECT_LT(0, self->ev.nr);
	EXPECT_EQ(self->ev.nr, events_first_wrong(&self->ev, 0));
	expect_good(_metadata, &self->ev);
	close(fds[0]);
	close(fds[1]);
}

union spliced {
	struct subbuf	page;
	char		bytes[MAX_SUBBUF_SIZE];
};

/* Write events until the oldest sub-buffer is full, and move it into a pipe */
static int splice_next(const struct source *src, int raw, int pipe, __u64 *id)
{
	int ret = source_write_many(src, *id, EVENTS_PER_SUBBUF);

	*id += EVENTS_PER_SUBBUF;
	return ret ?: splice(raw, NULL, pipe, NULL, SUBBUF_SIZE, SPLICE_F_NONBLOCK);
}

/* Pages are used again, but none that a pipe still has */
TEST_F(remote, spliced_pages_are_used_again)
{
	static union spliced pages[5], tee_page;
	const struct source *src = &self->src;
	unsigned long late = late_writes();
	int raw, fds[2], others[2], i;
	__u64 id = 10;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, pipe2(fds, O_NONBLOCK));
	ASSERT_EQ(0, pipe2(others, O_NONBLOCK));
	raw = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw",
			       self->cpu);
	ASSERT_LE(0, raw);
	ASSERT_EQ(0, source_write_many(src, 0, 10));

	ASSERT_EQ(SUBBUF_SIZE, splice_next(src, raw, fds[1], &id));
	ASSERT_EQ(SUBBUF_SIZE, read(fds[0], &pages[0], SUBBUF_SIZE));
	for (i = 1; i < 4; i++)
		ASSERT_EQ(SUBBUF_SIZE, splice_next(src, raw, fds[1], &id));
	ASSERT_EQ(SUBBUF_SIZE, tee(fds[0], others[1], SUBBUF_SIZE, SPLICE_F_NONBLOCK));
	for (i = 1; i < 4; i++)
		ASSERT_EQ(SUBBUF_SIZE, read(fds[0], &pages[i], SUBBUF_SIZE));
	ASSERT_EQ(SUBBUF_SIZE, splice_next(src, raw, fds[1], &id));
	ASSERT_EQ(SUBBUF_SIZE, read(fds[0], &pages[4], SUBBUF_SIZE));
	ASSERT_EQ(SUBBUF_SIZE, read(others[0], &tee_page, SUBBUF_SIZE));
	if (late_writes() != late)
		SKIP(return, "the machine stalls");

	EXPECT_EQ(0, memcmp(&pages[1], &tee_page, SUBBUF_SIZE));
	for (i = 0; i < 5; i++)
		events_add_page(&self->ev, src, self->cpu, &pages[i].page, 0,
				pages[i].page.commit);
	EXPECT_EQ(5 * EVENTS_PER_SUBBUF, self->ev.nr);
	EXPECT_EQ(self->ev.nr, events_first_wrong(&self->ev, 0));
	expect_good(_metadata, &self->ev);
	close(raw);
	close(fds[0]);
	close(fds[1]);
	close(others[0]);
	close(others[1]);
}

/* Another reader takes the events while trace is being read: each keeps its own time */
TEST_F(remote, taken_while_looking)
{
	const struct source *src = &self->src;
	struct events seen;
	unsigned int i, j;
	char c;
	int fd;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 0, EVENTS_PER_SUBBUF));
	fd = source_open_file(src, O_RDONLY, "per_cpu/cpu%d/trace", self->cpu);
	ASSERT_LE(0, fd);
	do {
		ASSERT_EQ(1, read(fd, &c, 1));
	} while (c != '\n');
	ASSERT_EQ(0, source_consume(src, self->cpu, WAY_RAW, &self->ev));
	/* Not with the numbers of those that were taken */
	ASSERT_EQ(0, source_write_many(src, EVENTS_PER_SUBBUF, 10));

	events_init(&seen);
	ASSERT_EQ(0, events_read_text(&seen, fd));
	close(fd);
	ASSERT_EQ(0, source_consume(src, self->cpu, WAY_RAW, &self->ev));
	ASSERT_LT(0, seen.nr);
	for (i = 0; i < seen.nr; i++) {
		for (j = 0; j < self->ev.nr && self->ev.list[j].id != seen.list[i].id; j++)
			;
		ASSERT_NE(self->ev.nr, j);
		EXPECT_EQ(to_us(self->ev.list[j].ts), to_us(seen.list[i].ts))
			TH_LOG("id %llu", seen.list[i].id);
	}
	events_free(&seen);
}

/*
 * Long lines of text
 */

#define LONG_LINE	(TRACE_SEQ_SIZE / 2)

FIXTURE(lines) {
	struct source src;
};

/* Only the remote "test" has an event whose text can be of any length */
DECLARE_VARIANT(lines);
VARIANT(lines, software, SOFTWARE, 64);

FIXTURE_SETUP(lines)
{
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, source_put(&self->src, "line", "set_event"));
	ASSERT_EQ(0, source_put(&self->src, "!selftest", "set_event"));
	ASSERT_EQ(0, source_on(&self->src, true));
}

FIXTURE_TEARDOWN(lines)
{
	source_put(&self->src, "!line", "set_event");
	source_close(&self->src);
}

/* Expect a line of the event with that width, or what is shown if it is too long */
static char *expect_line(struct __test_metadata *_metadata, char *text, unsigned int width)
{
	char *end = strchr(text, '\n'), start[32];

	ASSERT_NE(NULL, end) TH_LOG("width %u: '%s'", width, text);
	*end = '\0';
	if (width > TRACE_SEQ_SIZE) {
		EXPECT_NE(NULL, strstr(text, "[LINE TOO BIG]")) TH_LOG("%s", text);
		return end + 1;
	}
	snprintf(start, sizeof(start), ": line width=%u", width);
	text = strstr(text, start);
	ASSERT_NE(NULL, text) TH_LOG("width %u", width);
	EXPECT_EQ(strlen(start) + width, end - text) TH_LOG("width %u", width);
	return end + 1;
}

/* Each line is whole. One that does not fit is left out, and those after it are not */
static void check_lines(struct __test_metadata *_metadata, const struct source *src,
			const char *file)
{
	const unsigned int widths[] = {
		0, 1, LONG_LINE - 100, LONG_LINE, LONG_LINE + 100, 2 * TRACE_SEQ_SIZE, 2,
		2 * TRACE_SEQ_SIZE, 3, LONG_LINE,
	};
	char *text = calloc(ARRAY_SIZE(widths), TRACE_SEQ_SIZE), *line = text;
	size_t size = ARRAY_SIZE(widths) * TRACE_SEQ_SIZE, len = 0;
	unsigned int i;
	ssize_t ret;
	int fd;

	for (i = 0; i < ARRAY_SIZE(widths); i++)
		ASSERT_EQ(0, source_write(src, (__u64)widths[i] << 44));
	fd = source_open_file(src, O_RDONLY | O_NONBLOCK, file);
	ASSERT_LE(0, fd);
	while ((ret = read(fd, text + len, size - 1 - len)) > 0)
		len += ret;
	if (ret)
		EXPECT_EQ(EAGAIN, errno) TH_LOG("%s", file);
	close(fd);
	for (i = 0; i < ARRAY_SIZE(widths); i++)
		line = expect_line(_metadata, line, widths[i]);
	EXPECT_EQ('\0', *line);
	free(text);
}

TEST_F(lines, trace_pipe)
{
	check_lines(_metadata, &self->src, "trace_pipe");
}

TEST_F(lines, trace)
{
	check_lines(_metadata, &self->src, "trace");
}

TEST_HARNESS_MAIN
