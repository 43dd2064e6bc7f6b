// SPDX-License-Identifier: GPL-2.0
/*
 * Setting up the remote for the measurements; see setup.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>

#include "setup.h"

void bench_enable(struct bench *b, const char *name, bool on)
{
	need(source_put(&b->src, on ? "1" : "0", "events/%s/%s/enable", HYPERVISOR, name), name);
}

void bench_select(struct bench *b, const char *name)
{
	need(source_on(&b->src, false), "tracing_on");
	need(source_put(&b->src, "0", "events/enable"), "events/enable");
	if (name)
		bench_enable(b, name, true);
	bench_clear(b);
}

void bench_clear(struct bench *b)
{
	int fd = source_open_file(&b->src, O_WRONLY | O_TRUNC, "trace");

	need(fd, "trace");
	close(fd);
}

void bench_resize(struct bench *b, unsigned long kb)
{
	bench_select(b, "selftest");
	need(source_set_size(&b->src, kb), "buffer_size_kb");
}

void bench_clear_and_start(void *bench)
{
	bench_clear(bench);
	bench_write(bench);
}

void bench_write_call(void *bench)
{
	bench_write(bench);
}

struct stats bench_stats(struct bench *b)
{
	struct stats stats;

	need(source_stats(&b->src, CPU, &stats), "stats");
	return stats;
}
