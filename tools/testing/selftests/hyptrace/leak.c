// SPDX-License-Identifier: GPL-2.0
/*
 * A trace remote gives all of its memory back, even under load: after many cycles of each
 * kind the kernel has as many free pages as before, and kmemleak, if it is built in, has
 * nothing to report. A page that stayed shared with a hypervisor would be refused when
 * it is shared again.
 *
 * Environment: HYPTRACE_CYCLES=n (200), more than the pages that a test lets be missing.
 * Needs root. Runs on the remotes "hypervisor" and "test", and skips one that does not
 * exist.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/memory.h"
#include "lib/ways.h"
#include "variants.h"

#define NR_CYCLES	nr_cycles()
/* The first ones fill the caches of the kernel */
#define NR_FIRST	10
#define MAX_CPUS	64
#define TIMEOUT_S	300

static int nr_cycles(void)
{
	const char *text = getenv("HYPTRACE_CYCLES");

	return text && atoi(text) > 0 ? atoi(text) : 200;
}

FIXTURE(leak) {
	struct source	src;
};

FIXTURE_FOR_REMOTES(leak, 16);

FIXTURE_SETUP(leak)
{
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	ASSERT_EQ(0, source_put(&self->src, "1", "events/enable"));
	ASSERT_GE(MAX_CPUS, nr_cpus());
}

FIXTURE_TEARDOWN(leak)
{
	source_close(&self->src);
}

/**
 * struct load - what runs during the cycles
 * @src:	where it writes and reads
 * @reads:	there is a reader, which keeps the buffer loaded
 * @stop:	all threads have to stop
 * @written:	number of events written
 * @read:	number of reads that returned events
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

/* Allocates nothing itself, which would be counted as missing */
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

/* A leak of one page a cycle would be NR_CYCLES */
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

static int off_and_on(const struct source *src, int i)
{
	int cpu = 1 + i % (nr_cpus_at_start - 1);

	return source_on(src, true) ?: cpu_set_online(cpu, false) ?: cpu_set_online(cpu, true);
}

TEST_F_TIMEOUT(leak, cpu_off_and_on, TIMEOUT_S)
{
	nr_cpus_at_start = nr_cpus();
	if (nr_cpus_at_start == 1 || cpu_set_online(1, false) || cpu_set_online(1, true))
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

TEST_HARNESS_MAIN
