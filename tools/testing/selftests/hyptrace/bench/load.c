// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of the buffer: to load it, to unload it, its statistics, and its memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "benches.h"

#define SMALL		1024		/* KiB */
#define LARGE		(16 * 1024)
/* Of buffers that are filled */
#define SMALL_FULL	512
#define LARGE_FULL	2048
#define REPEATS		7
#define SUBBUF		4096
#define SUBBUF_DATA	4080

static void set_on(void *arg)
{
	struct bench *b = arg;

	need(source_on(&b->src, true), "tracing_on");
}

/* Also unloads the buffer, as there is nothing to read */
static void set_off(void *arg)
{
	struct bench *b = arg;

	need(source_on(&b->src, false), "tracing_on");
}

/* When tracing is soon on again, the kernel waits for the end of what it has switched off */
static void set_off_and_wait(void *arg)
{
	set_off(arg);
	sleep_ms(200);
}

static double subbufs(unsigned long kb)
{
	return (kb * 1024 + SUBBUF_DATA - 1) / SUBBUF_DATA + 1;
}

static struct cost once(struct bench *b, void (*prepare)(void *), void (*call)(void *))
{
	return measure(&(struct batch){ .prepare = prepare, .call = call, .arg = b, .calls = 1,
					.repeats = REPEATS });
}

static void report_per_page(const char *name, struct cost small, struct cost large)
{
	double pages = nr_cpus() * (subbufs(LARGE) - subbufs(SMALL));

	report(name, cost_scale(cost_less(large, small), 1 / pages), "instructions");
}

static void read_stats(void *fd)
{
	char text[512];

	if (pread(*(int *)fd, text, sizeof(text), 0) <= 0)
		fail("stats: %s", strerror(errno));
}

/* To read the statistics of a full buffer */
static struct cost stats_cost(struct bench *b, unsigned long kb)
{
	unsigned long nr = subbufs(kb) * b->per_subbuf, i;
	struct batch batch = { .call = read_stats, .calls = 1, .repeats = REPEATS };
	struct cost cost;
	int fd;

	bench_resize(b, kb);
	set_on(b);
	for (i = 0; i < nr; i++)
		bench_write(b);
	fd = source_open_file(&b->src, O_RDONLY, "per_cpu/cpu%d/stats", CPU);
	need(fd, "stats");
	batch.arg = &fd;
	cost = measure(&batch);
	close(fd);
	return cost;
}

static void bench_stats_cost(struct bench *b)
{
	struct cost small = stats_cost(b, SMALL_FULL), large = stats_cost(b, LARGE_FULL);
	double pages = subbufs(LARGE_FULL) - subbufs(SMALL_FULL);

	report("stats.read", small, "instructions");
	report("stats.page", cost_scale(cost_less(large, small), 1 / pages), "instructions");
}

/* The memory that is missing while the buffer is loaded, less its sub-buffers */
static double overhead(struct bench *b)
{
	double before, bytes;

	set_on(b);
	set_off(b);
	before = free_bytes();
	set_on(b);
	bytes = before - free_bytes();
	set_off(b);
	return bytes;
}

static void bench_memory(struct bench *b)
{
	double data = nr_cpus() * subbufs(LARGE) * SUBBUF, beyond;

	bench_resize(b, LARGE);
	bench_select(b, NULL);
	beyond = overhead(b) - data;
	report_value("memory.beyond_data", 100 * beyond / data, "percent");
	report_value("memory.beyond_16MiB", beyond / nr_cpus() / 1024, "KiB/CPU");
}

void bench_load(struct bench *b)
{
	struct cost load_small, unload_small, load_large, unload_large;

	bench_resize(b, SMALL);
	bench_select(b, NULL);
	load_small = once(b, set_off_and_wait, set_on);
	unload_small = once(b, set_on, set_off);
	set_off(b);
	bench_resize(b, LARGE);
	bench_select(b, NULL);
	load_large = once(b, set_off_and_wait, set_on);
	unload_large = once(b, set_on, set_off);
	set_off(b);

	report_per_page("load.page", load_small, load_large);
	report_per_page("unload.page", unload_small, unload_large);
	bench_memory(b);
	bench_stats_cost(b);
	bench_resize(b, DEFAULT_KB);
	bench_select(b, NULL);
}
