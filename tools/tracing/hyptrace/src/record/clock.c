// SPDX-License-Identifier: GPL-2.0
/*
 * The time on a trace clock. See clock.h.
 *
 * The kernel prints the time of a trace clock in per_cpu/cpuN/stats, as "now ts",
 * with six decimal places.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <time.h>

#include "lib/log.h"
#include "lib/util.h"
#include "record/clock.h"
#include "trace/clocksnap.h"

/* The shortest one of this many attempts is used */
#define ATTEMPTS	8

/* No boot takes longer before the kernel keeps time */
#define BOOT_AHEAD	(60ULL * NSEC_PER_SEC)

struct snap {
	struct clocksnap at;
	u64 took;
};

static u64 boot_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/* Return: 0, or -1 if there is no such time in nanoseconds */
static int parse_now(const char *stats, u64 *now)
{
	const char *line = stats ? strstr(stats, "\nnow ts:") : NULL;
	u64 sec, usec;

	if (!line || sscanf(line, " now ts: %llu.%6llu", &sec, &usec) != 2)
		return -1;
	*now = sec * NSEC_PER_SEC + usec * 1000;
	return 0;
}

static int attempt(const struct tdir *d, const char *file, struct snap *s)
{
	u64 before = boot_ns();
	char *stats = tdir_read(d, file, NULL);
	int ret;

	s->took = boot_ns() - before;
	s->at.boot = before + s->took / 2;
	ret = parse_now(stats, &s->at.now);
	free(stats);
	return ret;
}

static int take_best(const struct tdir *d, const char *file, struct snap *best)
{
	unsigned int i;
	struct snap s;

	*best = (struct snap) { .took = UINT64_MAX };
	for (i = 0; i < ATTEMPTS; i++) {
		if (attempt(d, file, &s))
			return -1;
		if (s.took < best->took)
			*best = s;
	}
	return 0;
}

/* Boot time stands still at first, so other clocks that begin with the boot are ahead of it */
static void go_to_boot(struct clocksnap *s)
{
	u64 ns = MIN(s->now, s->boot + BOOT_AHEAD);

	s->now -= ns;
	s->boot -= MIN(s->boot, ns);
}

char *clock_snap(const struct tdir *d, unsigned int cpu, const char *clock, bool of_boot)
{
	char *file = xasprintf("per_cpu/cpu%u/stats", cpu);
	struct snap s;
	int ret = file ? take_best(d, file, &s) : -1;

	free(file);
	if (ret)
		return NULL;
	if (of_boot)
		go_to_boot(&s.at);
	return clocksnap_format(clock, &s.at);
}

int clock_now(const struct tdir *d, unsigned int cpu, u64 *now)
{
	char *file = xasprintf("per_cpu/cpu%u/stats", cpu);
	char *stats = file ? tdir_read(d, file, NULL) : NULL;
	const char *line = stats ? strstr(stats, "\nnow ts:") : NULL;
	int ret = 0;

	/* a clock that does not count time has no decimal point */
	if (stats && parse_now(stats, now) &&
	    (!line || sscanf(line, " now ts: %llu", now) != 1))
		ret = log_error("no line 'now ts' in %s", file);
	free(file);
	free(stats);
	return stats ? ret : -1;
}
