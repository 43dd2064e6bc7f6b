// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of the hypervisor: what they count, that they are consistent, how they are mapped,
 * and what is refused.
 *
 * Needs root, and a kernel with CONFIG_NVHE_EL2_COUNTERS.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/trace_counters.h>

#include "kselftest_harness.h"
#include "variants.h"

#define TEST_KB		64
#define NR_CALLS	100
#define NR_READS	300
#define NR_CHANGES	10

#define MAX_SIZE	(1 << 16)

/* What a CPU's file has */
union counters {
	struct trace_counters	head;
	char			bytes[MAX_SIZE];
};

FIXTURE(counters) {
	struct source	src;
	union counters	was, is;
};

static int count(const struct source *src, bool on)
{
	return source_put(src, on ? "1" : "0", "counters/enable");
}

/* Return: bytes, or an errno */
static int take(const struct source *src, int cpu, union counters *to)
{
	int fd = source_open_file(src, O_RDONLY, "counters/cpu%d", cpu);
	ssize_t got, size = 0;

	if (fd < 0)
		return fd;
	while ((got = read(fd, to->bytes + size, sizeof(to->bytes) - size)) > 0)
		size += got;
	close(fd);
	return got < 0 ? -errno : size;
}

static const struct trace_counters_row *row_of(const union counters *c, unsigned int row)
{
	return (const void *)(c->bytes + c->head.head_size + row * c->head.row_size);
}

static __u64 times_of(const struct trace_counters_row *row)
{
	__u64 nr = 0;
	int i;

	for (i = 0; i < TRACE_COUNTERS_BUCKETS; i++)
		nr += row->bucket[i];
	return nr;
}

/* The number of the row that counts this, or -1 */
static int find_row(const struct source *src, const char *what)
{
	char text[8192], want[64], *line, *rest = text;

	if (source_get(src, text, sizeof(text), "counters/format") < 0)
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		snprintf(want, sizeof(want), "%d %s", atoi(line), what);
		if (!strcmp(line, want))
			return atoi(line);
	}
	return -1;
}

FIXTURE_SETUP(counters)
{
	char buf[8];

	if (!setup_source(_metadata, &self->src, HYPERVISOR, TEST_KB))
		return;
	if (source_get(&self->src, buf, sizeof(buf), "counters/enable") < 0)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_COUNTERS");
	ASSERT_EQ(0, pin_to_cpu(0));
}

FIXTURE_TEARDOWN(counters)
{
	count(&self->src, false);
	source_close(&self->src);
}

TEST_F(counters, are_switched)
{
	static const char *const bad[] = { "2x", "-1", "x", "" };
	char buf[8];
	unsigned int i;

	ASSERT_EQ(0, count(&self->src, true));
	ASSERT_EQ(2, source_get(&self->src, buf, sizeof(buf), "counters/enable"));
	EXPECT_STREQ("1\n", buf);
	ASSERT_EQ(0, count(&self->src, true));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (*bad[i])
			EXPECT_EQ(-EINVAL, source_put(&self->src, bad[i], "counters/enable"));
	}
	source_get(&self->src, buf, sizeof(buf), "counters/enable");
	EXPECT_STREQ("1\n", buf);
	ASSERT_EQ(0, count(&self->src, false));
	source_get(&self->src, buf, sizeof(buf), "counters/enable");
	EXPECT_STREQ("0\n", buf);
}

TEST_F(counters, say_what_they_are)
{
	int size;

	ASSERT_EQ(0, count(&self->src, true));
	size = take(&self->src, 0, &self->is);
	ASSERT_LT(0, size);
	EXPECT_EQ(TRACE_COUNTERS_VERSION, self->is.head.version);
	EXPECT_EQ(sizeof(struct trace_counters), self->is.head.head_size);
	EXPECT_EQ(sizeof(struct trace_counters_row), self->is.head.row_size);
	EXPECT_EQ(TRACE_COUNTERS_BUCKETS, self->is.head.nr_buckets);
	EXPECT_EQ(size, self->is.head.head_size +
			self->is.head.nr_rows * self->is.head.row_size);
	EXPECT_LT(1000000, self->is.head.ticks_per_sec);
	EXPECT_EQ(self->is.head.begun, self->is.head.done);
	EXPECT_EQ(1, find_row(&self->src, "reason hvc"));
	EXPECT_LT(0, find_row(&self->src, "hypercall __kvm_vcpu_run"));
	EXPECT_LT(find_row(&self->src, "hypercall __hyp_counters_switch"),
		  (int)self->is.head.nr_rows);
	EXPECT_EQ(-ENOENT, take(&self->src, nr_cpus() + 100, &self->is));
}

/* All figures of a row are of the same visits, and these are exactly the calls */
TEST_F(counters, count_each_visit)
{
	const struct trace_counters_row *was, *is;
	int row = find_row(&self->src, "hypercall __hyp_trace_selftest"), i, steps;
	__u64 lowest = 0, highest = 0;

	ASSERT_LT(0, row);
	ASSERT_EQ(0, count(&self->src, true));
	ASSERT_LT(0, take(&self->src, 0, &self->was));
	for (i = 0; i < NR_CALLS; i++)
		ASSERT_EQ(0, source_write(&self->src, i));
	ASSERT_LT(0, take(&self->src, 0, &self->is));

	was = row_of(&self->was, row);
	is = row_of(&self->is, row);
	EXPECT_EQ(NR_CALLS, times_of(is) - times_of(was));
	for (i = 0; i < TRACE_COUNTERS_BUCKETS; i++) {
		steps = is->bucket[i] - was->bucket[i];
		ASSERT_LE(0, steps);
		lowest += i ? (__u64)steps << i : 0;
		highest += (__u64)steps * ((2ull << i) - 1);
	}
	EXPECT_LE(lowest, is->ticks - was->ticks);
	EXPECT_GE(highest, is->ticks - was->ticks);
	EXPECT_LE(is->max, is->ticks);
	EXPECT_LE(NR_CALLS, self->is.head.done - self->was.head.done);

	/* Without counters, nothing changes */
	ASSERT_EQ(0, count(&self->src, false));
	ASSERT_LT(0, take(&self->src, 0, &self->was));
	for (i = 0; i < NR_CALLS; i++)
		ASSERT_EQ(0, source_write(&self->src, i));
	ASSERT_LT(0, take(&self->src, 0, &self->is));
	EXPECT_EQ(0, memcmp(&self->was, &self->is, sizeof(self->was)));
}

/* Events that are written while EL2 counts are all there, and the other way round */
TEST_F(counters, beside_events)
{
	int row = find_row(&self->src, "hypercall __hyp_trace_selftest"), i;
	char text[1 << 16];
	const char *at;

	ASSERT_EQ(0, source_put(&self->src, "1", "events/hypervisor/hyp_enter/enable"));
	ASSERT_EQ(0, source_put(&self->src, "1", "events/hypervisor/host_hcall/enable"));
	ASSERT_EQ(0, source_put(&self->src, "1", "events/hypervisor/hyp_exit/enable"));
	ASSERT_EQ(0, count(&self->src, true));
	ASSERT_EQ(0, source_on(&self->src, true));
	ASSERT_LT(0, take(&self->src, 0, &self->was));
	for (i = 0; i < NR_CALLS; i++)
		ASSERT_EQ(0, source_write(&self->src, i));
	ASSERT_LT(0, take(&self->src, 0, &self->is));
	ASSERT_EQ(0, source_on(&self->src, false));

	EXPECT_EQ(NR_CALLS, times_of(row_of(&self->is, row)) - times_of(row_of(&self->was, row)));
	ASSERT_LT(0, source_get(&self->src, text, sizeof(text), "per_cpu/cpu0/trace"));
	for (i = 0, at = text; (at = strstr(at, "id=__hyp_trace_selftest ")); i++)
		at++;
	EXPECT_EQ(NR_CALLS, i);
}

/* A stack begins where the event is, whether or not EL2 has counted there */
TEST_F(counters, beside_stacks)
{
	char text[1 << 16];
	int i;

	if (source_put(&self->src, "1", "options/stacktrace"))
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_STACKS");
	ASSERT_EQ(0, source_put(&self->src, "1", "events/hypervisor/hyp_enter/enable"));
	ASSERT_EQ(0, source_put(&self->src, "1", "events/hypervisor/hyp_exit/enable"));
	ASSERT_EQ(0, count(&self->src, true));
	ASSERT_EQ(0, source_on(&self->src, true));
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, source_write(&self->src, i));
	ASSERT_EQ(0, source_on(&self->src, false));
	ASSERT_EQ(0, source_put(&self->src, "0", "options/stacktrace"));
	ASSERT_LT(0, source_get(&self->src, text, sizeof(text), "per_cpu/cpu0/trace"));
	EXPECT_NE(NULL, strstr(text, "handle_trap"));
	EXPECT_EQ(NULL, strstr(text, "hyp_count_"));
}

static void *call_all_the_time(void *src)
{
	pin_to_cpu(0);
	for (;;) {
		pthread_testcancel();
		source_write(src, 0);
	}
	return NULL;
}

/* What is read while another CPU counts is of one moment: no visit is in one figure only */
TEST_F(counters, are_consistent)
{
	int row = find_row(&self->src, "hypercall __hyp_trace_selftest"), i, j, fd;
	__u64 all, differ = 0, last = 0;
	pthread_t thread;

	if (nr_cpus() < 2)
		SKIP(return, "one CPU");
	ASSERT_LT(0, row);
	ASSERT_EQ(0, count(&self->src, true));
	ASSERT_EQ(0, pthread_create(&thread, NULL, call_all_the_time, &self->src));
	ASSERT_EQ(0, pin_to_cpu(1));
	fd = source_open_file(&self->src, O_RDONLY, "counters/cpu0");
	ASSERT_LE(0, fd);
	/* The other CPU may not run for long */
	for (i = 0; i < NR_READS || differ < NR_CHANGES; i++) {
		ASSERT_LT(0, pread(fd, &self->is, sizeof(self->is), 0));
		for (j = 0, all = 0; j < self->is.head.nr_rows; j++)
			all += times_of(row_of(&self->is, j));
		EXPECT_EQ(all, self->is.head.done);
		EXPECT_EQ(self->is.head.begun, self->is.head.done);
		differ += times_of(row_of(&self->is, row)) != last;
		last = times_of(row_of(&self->is, row));
	}
	close(fd);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

TEST_F(counters, can_be_mapped)
{
	int row = find_row(&self->src, "hypercall __hyp_trace_selftest"), fd, mem, i;
	long page = sysconf(_SC_PAGESIZE), size;
	const union counters *map;
	__u64 before;

	ASSERT_EQ(0, count(&self->src, true));
	size = take(&self->src, 0, &self->is);
	ASSERT_LT(0, size);
	size = (size + page - 1) / page * page;
	fd = source_open_file(&self->src, O_RDONLY, "counters/cpu0");
	ASSERT_LE(0, fd);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	before = times_of(row_of(map, row));
	for (i = 0; i < NR_CALLS; i++)
		ASSERT_EQ(0, source_write(&self->src, i));
	EXPECT_EQ(NR_CALLS, times_of(row_of(map, row)) - before);
	/* as a debugger reads it */
	mem = open("/proc/self/mem", O_RDONLY);
	ASSERT_LE(0, mem);
	EXPECT_EQ(page, pread(mem, &self->was, page, (unsigned long)map));
	EXPECT_EQ(self->is.head.nr_rows, self->was.head.nr_rows);
	close(mem);
	EXPECT_EQ(-1, mprotect((void *)map, size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect((void *)map, size, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	munmap((void *)map, size);

	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, size + page, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page, PROT_READ, MAP_SHARED, fd, size));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	EXPECT_EQ(EACCES, errno);	/* the file is open for reading only */
	close(fd);
}

/* A CPU that goes off and comes back goes on counting */
TEST_F(counters, go_on_after_hotplug)
{
	int row = find_row(&self->src, "hypercall __hyp_trace_selftest"), i;
	__u64 before;

	if (nr_cpus() < 2)
		SKIP(return, "one CPU");
	ASSERT_EQ(0, count(&self->src, true));
	ASSERT_EQ(0, cpu_set_online(1, false));
	ASSERT_LT(0, take(&self->src, 1, &self->is));
	before = times_of(row_of(&self->is, row));
	ASSERT_EQ(0, count(&self->src, false));
	ASSERT_EQ(0, count(&self->src, true));
	ASSERT_EQ(0, cpu_set_online(1, true));
	ASSERT_EQ(0, pin_to_cpu(1));
	for (i = 0; i < NR_CALLS; i++)
		ASSERT_EQ(0, source_write(&self->src, i));
	ASSERT_LT(0, take(&self->src, 1, &self->is));
	EXPECT_EQ(NR_CALLS, times_of(row_of(&self->is, row)) - before);
	EXPECT_GT(self->is.head.ticks_per_sec * 100, row_of(&self->is, 3)->max);
}

TEST_HARNESS_MAIN
