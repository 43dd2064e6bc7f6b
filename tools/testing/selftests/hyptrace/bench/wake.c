// SPDX-License-Identifier: GPL-2.0
/*
 * The latency from an event to a reader that sleeps.
 *
 * A thread waits in the ioctl of the mapping. The main thread sleeps for a time that
 * differs from round to round, so that it is never in step with a timer of the reader.
 * Then it reads the counter, writes an event, and sleeps again, so that the CPU is
 * free. The reader reads the same counter when the ioctl has returned. Guest time
 * counts instructions while the CPU runs, and jumps from timer to timer while it idles.
 * So the delay is that of a CPU of 1 GHz without cache misses, whatever else the host
 * machine does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>

#include "benches.h"
#include "lib/reader.h"

#define ROUNDS		400

/**
 * struct waiting - what the threads share
 * @b:		the remote
 * @written:	counter before the event of this round; 0 while there is none
 * @delays:	the delay of each round, in ns
 * @nr:		number of rounds done
 */
struct waiting {
	struct bench		*b;
	uint64_t		written;
	double			delays[ROUNDS];
	unsigned int		nr;
};

static void wait_once(struct waiting *w, struct mapping *map)
{
	uint64_t written, now;

	if (ioctl(map->fd, TRACE_MMAP_IOCTL_GET_READER))
		fail("TRACE_MMAP_IOCTL_GET_READER: %s", strerror(errno));
	now = ticks();
	written = LOAD(w->written);
	if (!written)
		return;

	w->delays[w->nr] = ticks_to_ns(now - written);
	STORE(w->written, 0);
	STORE(w->nr, w->nr + 1);
}

static void *reader(void *arg)
{
	struct waiting *w = arg;
	struct mapping map;

	need(mapping_open(&map, &w->b->src, CPU, 0), "mapping of trace_pipe_raw");
	while (w->nr < ROUNDS)
		wait_once(w, &map);
	mapping_close(&map);
	return NULL;
}

static void sleep_ns(long ns)
{
	struct timespec ts = { .tv_nsec = ns };

	nanosleep(&ts, NULL);
}

/* From 5 to 13 ms, in an order that is always the same */
static long next_pause(void)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return 5000000 + seed / 537;
}

static void write_round(struct waiting *w)
{
	unsigned int nr = LOAD(w->nr), i;

	sleep_ns(next_pause());
	STORE(w->written, ticks());
	bench_write(w->b);
	for (i = 0; LOAD(w->nr) == nr; i++) {
		if (i > 1000)
			fail("in round %u the reader did not wake up for a second", nr);
		sleep_ns(1000000);
	}
}

void bench_wake(struct bench *b)
{
	static struct waiting w;
	pthread_t thread;
	int i;

	w = (struct waiting){ .b = b };
	bench_select(b, "selftest");
	/* Wait for an event, not for a buffer that is half full */
	need(source_put(&b->src, "0", "buffer_percent"), "buffer_percent");
	need(source_on(&b->src, true), "tracing_on");
	/* Otherwise timers may be late by 50 us */
	prctl(PR_SET_TIMERSLACK, 1);
	need(-pthread_create(&thread, NULL, reader, &w), "a thread");
	for (i = 0; i < ROUNDS; i++)
		write_round(&w);
	pthread_join(thread, NULL);

	report_value("wake.median", quantile(w.delays, ROUNDS, 0.5), "ns");
	report_value("wake.p99", quantile(w.delays, ROUNDS, 0.99), "ns");
	bench_select(b, NULL);
}
