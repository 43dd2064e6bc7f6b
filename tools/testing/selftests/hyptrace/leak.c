// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace remote takes it gives back, however often and whatever goes on
 * meanwhile: after 200 cycles of each kind under load the kernel has as many free
 * pages as before, and kmemleak, if there is one, has nothing to report. A page
 * that stayed shared with a hypervisor would be refused when it is shared again.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "memory.h"
#include "variants.h"
#include "ways.h"

#define NR_CYCLES	200
/* The first ones fill the caches of the kernel */
#define NR_FIRST	10
#define MAX_CPUS	64
#define TIMEOUT_S	300

FIXTURE(leak) {
	struct source	src;
};

FIXTURE_FOR_REMOTES(leak, 16);

FIXTURE_SETUP(leak)
{
	int ret = source_open(&self->src, variant->remote);

	if (skip_reason(ret))
		SKIP(return, "%s", skip_reason(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, source_set_size(&self->src, variant->size_kb));
	ASSERT_EQ(0, source_put(&self->src, "1", "events/enable"));
	ASSERT_GE(MAX_CPUS, nr_cpus());
}

FIXTURE_TEARDOWN(leak)
{
	source_close(&self->src);
}

/**
 * struct load - what goes on beside the cycles
 * @src:	where
 * @reads:	somebody reads, who keeps the buffer
 * @stop:	end
 * @written:	how many events there were
 * @read:	how often some of them were read
 * @writers:	a thread for each CPU, but not bound to it
 * @reader:	a thread
 */
struct load {
	const struct source	*src;
	bool			reads;
	int			stop;
	__u64			written;
	__u64			read;
	pthread_t		writers[MAX_CPUS];
	pthread_t		reader;
};

static void *writer_main(void *data)
{
	struct load *l = data;
	__u64 id = 0;

	while (!LOAD(l->stop)) {
		if (source_write_many(l->src, id, 20))
			break;
		id += 20;
		sleep_ms(1);
	}
	__atomic_fetch_add(&l->written, id, __ATOMIC_RELAXED);
	return NULL;
}

/* Takes no memory itself that would be missing then */
static void *reader_main(void *data)
{
	struct load *l = data;
	char buf[4096];
	int fd;

	fd = source_open_file(l->src, O_RDONLY | O_NONBLOCK, "trace_pipe");
	while (fd >= 0 && !LOAD(l->stop)) {
		while (read(fd, buf, sizeof(buf)) > 0)
			l->read++;
		sleep_ms(1);
	}
	close(fd);
	return NULL;
}

static void load_start(struct __test_metadata *_metadata, struct load *l,
		       const struct source *src, bool reads)
{
	int i;

	*l = (struct load){ .src = src, .reads = reads };
	for (i = 0; i < nr_cpus(); i++)
		ASSERT_EQ(0, pthread_create(&l->writers[i], NULL, writer_main, l));
	if (reads)
		ASSERT_EQ(0, pthread_create(&l->reader, NULL, reader_main, l));
}

static void load_stop(struct load *l)
{
	int i;

	STORE(l->stop, 1);
	for (i = 0; i < nr_cpus(); i++)
		pthread_join(l->writers[i], NULL);
	if (l->reads)
		pthread_join(l->reader, NULL);
}

typedef int (*cycle_fn)(const struct source *src, int i);

static void run_cycles(struct __test_metadata *_metadata, const struct source *src, bool reads,
		       cycle_fn cycle, int nr)
{
	struct load l;
	int i, ret = 0;

	load_start(_metadata, &l, src, reads);
	for (i = 0; i < nr && !ret; i++)
		ret = cycle(src, i);
	load_stop(&l);
	ASSERT_EQ(0, ret) TH_LOG("cycle %d", i);
	ASSERT_EQ(0, source_reset(src));
	ASSERT_EQ(0, source_put(src, "1", "events/enable"));
	ASSERT_EQ(0, source_loaded(src));
	if (nr == NR_CYCLES) {
		EXPECT_LT(nr, l.written);
		EXPECT_EQ(reads, l.read > 0);
	}
}

/* One page a cycle would be NR_CYCLES */
static void check(struct __test_metadata *_metadata, const struct source *src, bool reads,
		  cycle_fn cycle, long noise)
{
	static char report[16384];
	long before;

	forget_leaks();
	run_cycles(_metadata, src, reads, cycle, NR_FIRST);
	before = settled_free_pages();
	ASSERT_LT(0, before);
	run_cycles(_metadata, src, reads, cycle, NR_CYCLES);
	EXPECT_GE(noise, missing_pages(before, noise));
	EXPECT_EQ(0, count_leaks(report, sizeof(report))) TH_LOG("%s", report);
}

static int load_and_unload(const struct source *src, int i)
{
	int ret = source_on(src, true) ?: source_loaded(src) != 1;

	sleep_ms(1);
	return ret ?: source_on(src, false) ?: source_clear(src) ?: source_loaded(src);
}

TEST_F_TIMEOUT(leak, load_and_unload, TIMEOUT_S)
{
	check(_metadata, &self->src, false, load_and_unload, NOISE_PAGES);
}

static int map_and_unmap(const struct source *src, int i)
{
	struct mapping m;
	int ret;

	ret = source_on(src, true) ?: mapping_open(&m, src, i % nr_cpus(), O_NONBLOCK);
	if (ret)
		return ret;
	ret = mapping_next(&m, NULL);
	sleep_ms(1);
	mapping_close(&m);
	return ret < 0 ? ret : 0;
}

TEST_F_TIMEOUT(leak, map_and_unmap, TIMEOUT_S)
{
	check(_metadata, &self->src, true, map_and_unmap, NOISE_PAGES);
}

static int nr_cpus_at_start;

static int set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return file_write(path, online ? "1" : "0", 1);
}

static int off_and_on(const struct source *src, int i)
{
	int cpu = 1 + i % (nr_cpus_at_start - 1);

	return source_on(src, true) ?: set_online(cpu, false) ?: set_online(cpu, true);
}

TEST_F_TIMEOUT(leak, cpu_off_and_on, TIMEOUT_S)
{
	nr_cpus_at_start = nr_cpus();
	if (nr_cpus_at_start == 1 || set_online(1, false) || set_online(1, true))
		SKIP(return, "no CPU can be switched off");
	check(_metadata, &self->src, true, off_and_on, NOISE_PAGES_HOTPLUG);
}

static int switch_clock(const struct source *src, int i)
{
	static const char *const clocks[] = {
		"boot", "mono", "mono_raw", "tai", "counter", "local",
	};

	sleep_ms(1);
	return source_on(src, true) ?: source_set_clock(src, clocks[i % ARRAY_SIZE(clocks)]);
}

TEST_F_TIMEOUT(leak, switch_clock, TIMEOUT_S)
{
	if (source_set_clock(&self->src, "boot"))
		SKIP(return, "there is no other clock");
	check(_metadata, &self->src, true, switch_clock, NOISE_PAGES);
}

/*
 * Allocations that fail, one after the other: fault-injection in the kernel's
 * documents
 */

#define DEBUGFS		"/sys/kernel/debug/"
#define MAX_ALLOCATIONS	2000

static int fail_any_allocation(void)
{
	return file_write(DEBUGFS "failslab/ignore-gfp-wait", "N", 1) ?:
	       file_write(DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N", 1) ?:
	       file_write(DEBUGFS "fail_page_alloc/min-order", "0", 1);
}

/* Let the @nth allocation of this thread fail */
static int fail_nth(int fd, int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", nth);

	return pwrite(fd, text, len, 0) == len ? 0 : -errno;
}

/* Has it failed? No allocation of this thread will, from here on */
static bool has_failed(int fd)
{
	char text[16] = "";
	bool failed = pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;

	fail_nth(fd, 0);
	return failed;
}

/* Load with the @nth allocation failing: all or nothing. False if there were fewer */
static bool fail_load(struct __test_metadata *_metadata, const struct source *src, int on,
		      int fail, int nth)
{
	bool failed;
	int ret;

	ASSERT_EQ(0, fail_nth(fail, nth));
	ret = pwrite(on, "1", 1, 0) == 1 ? 0 : -errno;
	failed = has_failed(fail);
	/* Some can fail without harm */
	if (ret)
		EXPECT_EQ(failed ? -ENOMEM : 0, ret) TH_LOG("allocation %d", nth);
	EXPECT_EQ(!ret, source_loaded(src)) TH_LOG("allocation %d", nth);
	if (!ret)
		ASSERT_EQ(0, source_reset(src));
	ASSERT_EQ(0, source_loaded(src)) TH_LOG("allocation %d", nth);
	return failed;
}

TEST_F_TIMEOUT(leak, every_allocation_fails, TIMEOUT_S)
{
	const struct source *src = &self->src;
	int fail = open("/proc/thread-self/fail-nth", O_RDWR), on, nth = 0;
	char report[4096];
	long before;

	if (fail < 0 || fail_any_allocation())
		SKIP(return, "the kernel has no fault injection");

	on = source_open_file(src, O_WRONLY, "tracing_on");
	ASSERT_LE(0, on);
	ASSERT_TRUE(fail_load(_metadata, src, on, fail, 1));
	forget_leaks();
	before = settled_free_pages();
	while (fail_load(_metadata, src, on, fail, ++nth))
		ASSERT_GT(MAX_ALLOCATIONS, nth);
	/* At least the pages of each CPU */
	EXPECT_LT(5 * nr_cpus(), nth);
	close(on);
	close(fail);
	EXPECT_GE(NOISE_PAGES, missing_pages(before, NOISE_PAGES));
	EXPECT_EQ(0, count_leaks(report, sizeof(report))) TH_LOG("%s", report);

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 0, 100));
}

TEST_HARNESS_MAIN
