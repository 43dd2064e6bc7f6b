// SPDX-License-Identifier: GPL-2.0
/*
 * Counting instructions; see measure.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "lib/remote.h"

#define MAX_REPEATS	128

void fail(const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

void need(int ret, const char *what)
{
	if (ret < 0)
		fail("%s: %s", what, strerror(-ret));
}

#ifndef __aarch64__
#error "instructions are counted on arm64 only"
#endif

uint64_t ticks(void)
{
	uint64_t val;

	asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r" (val) : : "memory");
	return val;
}

double ticks_to_ns(uint64_t val)
{
	uint64_t hz;

	asm volatile("mrs %0, cntfrq_el0" : "=r" (hz));
	return val * (1e9 / hz);
}

/* Instructions in a round of the loop in edge() */
#define EDGE_ROUND	5

/* Wait for the counter to tick; returns its value, and sets @rounds of the loop */
static uint64_t edge(uint64_t *rounds)
{
	uint64_t now = ticks(), val;

	*rounds = 0;
	asm volatile("1:	isb\n"
	"	mrs	%[val], cntvct_el0\n"
	"	add	%[rounds], %[rounds], #1\n"
	"	cmp	%[val], %[now]\n"
	"	b.eq	1b\n"
	: [val] "=&r" (val), [rounds] "+r" (*rounds) : [now] "r" (now) : "cc", "memory");
	return val;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double quantile(double *values, unsigned int nr, double q)
{
	unsigned int i = q * (nr - 1) + 0.5;

	qsort(values, nr, sizeof(*values), compare);
	return values[i];
}

/* From one tick to another, less the rounds spent waiting for the second one */
static double run_once(const struct batch *b)
{
	uint64_t start, end, rounds;
	unsigned int i;

	if (b->prepare)
		b->prepare(b->arg);

	start = edge(&rounds);
	for (i = 0; i < b->calls; i++)
		b->call(b->arg);
	end = edge(&rounds);
	return (ticks_to_ns(end - start) - rounds * EDGE_ROUND) / b->calls;
}

static struct cost measure_gross(const struct batch *b)
{
	double values[MAX_REPEATS];
	unsigned int i;

	if (!b->calls || !b->repeats || b->repeats > MAX_REPEATS)
		fail("a batch of %u calls, %u times", b->calls, b->repeats);

	run_once(b);
	for (i = 0; i < b->repeats; i++)
		values[i] = run_once(b);

	return (struct cost){
		.median = quantile(values, b->repeats, 0.5),
		.spread = quantile(values, b->repeats, 0.9) - quantile(values, b->repeats, 0.1),
	};
}

static void nothing(void *arg)
{
	asm volatile("" : : "r" (arg) : "memory");
}

struct cost measure(const struct batch *batch)
{
	struct batch empty = { .call = nothing, .calls = batch->calls, .repeats = 9 };

	return cost_less(measure_gross(batch), measure_gross(&empty));
}

struct cost cost_less(struct cost a, struct cost b)
{
	return (struct cost){ a.median - b.median, a.spread + b.spread };
}

struct cost cost_scale(struct cost a, double factor)
{
	return (struct cost){ a.median * factor, a.spread * factor };
}

void report(const char *name, struct cost cost, const char *unit)
{
	printf("%s\t%.1f\t%s\t%.1f\n", name, cost.median, unit, cost.spread);
	fflush(stdout);
}

void report_value(const char *name, double value, const char *unit)
{
	report(name, (struct cost){ .median = value }, unit);
}

double free_bytes(void)
{
	static char text[64 * 1024];
	double pages = 0, val;
	char *line;

	need(file_read("/proc/zoneinfo", text, sizeof(text)), "/proc/zoneinfo");
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (sscanf(line, " pages free %lf", &val) == 1 ||
		    sscanf(line, " count: %lf", &val) == 1)
			pages += val;
	}
	return pages * sysconf(_SC_PAGESIZE);
}
