// SPDX-License-Identifier: GPL-2.0
/*
 * Disturbances of writing and reading; see disturb.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disturb.h"

bool chance(unsigned int *seed, unsigned int n)
{
	return rand_r(seed) % n == 0;
}

static bool done(struct disturb *d, const char *what, int ret, unsigned long *count)
{
	if (ret)
		snprintf(d->wrong, sizeof(d->wrong), "%s: %s", what, strerror(-ret));
	else
		++*count;
	return !ret;
}

/* Pause the readers of @cpu, or those of all CPUs if it is negative */
static void pause_readers(struct disturb *d, int cpu)
{
	unsigned int i;

	d->ticket++;
	for (i = 0; i < d->nr_readings; i++) {
		if (cpu < 0 || d->readings[i].cpu == cpu)
			reading_pause(&d->readings[i], d->ticket);
	}
}

static void resume_readers(struct disturb *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_readings; i++)
		reading_resume(&d->readings[i]);
}

/* Open with O_TRUNC, and close */
static int truncate_file(const struct source *src, const char *file)
{
	int fd = source_open_file(src, O_WRONLY | O_TRUNC, "%s", file);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int clear(const struct source *src, int cpu)
{
	char file[64];

	if (cpu < 0)
		return source_clear(src);
	snprintf(file, sizeof(file), "per_cpu/cpu%d/trace", cpu);
	return truncate_file(src, file);
}

static bool reset(struct disturb *d)
{
	int cpu = chance(&d->seed, 4) ? -1 : rand_r(&d->seed) % d->nr_cpus, ret;

	pause_readers(d, cpu);
	ret = clear(d->src, cpu);
	resume_readers(d);
	return done(d, "reset", ret, &d->resets);
}

/* Refused only while a buffer is mapped */
static bool set_clock(struct disturb *d)
{
	static const char *const clocks[] = { "local", "boot", "mono", "mono_raw", "tai" };
	const char *clock = clocks[rand_r(&d->seed) % ARRAY_SIZE(clocks)];
	bool mapped = false;
	unsigned int i;
	int ret;

	pause_readers(d, -1);
	for (i = 0; i < d->nr_readings; i++)
		mapped |= d->readings[i].pid && d->readings[i].kind == KIND_MAP;
	ret = source_set_clock(d->src, clock);
	resume_readers(d);
	if (ret == -EBUSY && mapped)
		return done(d, clock, 0, &d->busy);
	return done(d, clock, ret, &d->clocks);
}

/* All but the first */
static bool plug(struct disturb *d)
{
	if (d->off)
		return disturb_pause(d);
	if (d->nr_cpus == 1)
		return true;

	d->off = 1 + rand_r(&d->seed) % (d->nr_cpus - 1);
	return done(d, "CPU off", cpu_set_online(d->off, false), &d->offs);
}

bool disturb_pause(struct disturb *d)
{
	unsigned long ons = 0;
	int cpu = d->off;

	d->off = 0;
	return !cpu || done(d, "CPU on", cpu_set_online(cpu, true), &ons);
}

static bool switch_mode(struct disturb *d)
{
	d->keep = !d->keep;
	return done(d, "overwrite", source_set_overwrite(d->src, !d->keep), &d->modes);
}

static bool set_tracer(struct disturb *d, const char *tracer)
{
	unsigned long set = 0;

	return done(d, tracer, source_put(d->src, tracer, "current_tracer"), &set);
}

bool disturb_begin(struct disturb *d)
{
	int ret = source_put(d->src, "bench_deep", "set_graph_function");
	unsigned long set = 0;

	d->traces = ret != -ENOENT;
	return !d->traces || (done(d, "set_graph_function", ret, &set) &&
			      set_tracer(d, "function_graph"));
}

static bool patch(struct disturb *d)
{
	d->patches++;
	return set_tracer(d, "nop") && set_tracer(d, "function_graph");
}

bool disturb_end(struct disturb *d)
{
	unsigned long set = 0;
	bool ok = disturb_pause(d);

	if (!d->traces)
		return ok;
	ok &= set_tracer(d, "nop");
	return done(d, "set_graph_function", truncate_file(d->src, "set_graph_function"), &set) &&
	       ok;
}

bool disturb(struct disturb *d)
{
	if (chance(&d->seed, 8) && !reset(d))
		return false;
	if (chance(&d->seed, 16) && !set_clock(d))
		return false;
	if (chance(&d->seed, 16) && !switch_mode(d))
		return false;
	if (d->traces && chance(&d->seed, 16) && !patch(d))
		return false;
	return !chance(&d->seed, 8) || plug(d);
}
