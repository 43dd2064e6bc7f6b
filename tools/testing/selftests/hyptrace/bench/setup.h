/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HYP_BENCH_SETUP_H
#define _HYP_BENCH_SETUP_H
/*
 * Setting up the remote for the measurements, which run on CPU 0.
 */
#include <stdbool.h>
#include <unistd.h>
#include <asm/unistd.h>

#include "measure.h"
#include "lib/remote.h"

#define CPU	0
/* The default size of a buffer, and the smallest one that fits all measurements */
#define DEFAULT_KB	1408
#define SMALL_KB	64

/**
 * struct bench - what the measurements share
 * @src:	the remote
 * @per_subbuf:	selftest events that fit on a sub-buffer
 */
struct bench {
	struct source	src;
	unsigned int	per_subbuf;
};

/* Only the event @name, or none for NULL; tracing off and nothing recorded */
void bench_select(struct bench *b, const char *name);
void bench_enable(struct bench *b, const char *name, bool on);
/* Switch tracing off, clear, and set the size of the buffers to @kb */
void bench_resize(struct bench *b, unsigned long kb);
/* Forget all events */
void bench_clear(struct bench *b);
/* Clear, then write one event, so that the next one is a typical one */
void bench_clear_and_start(void *bench);

struct stats bench_stats(struct bench *b);

/* The write() of echo 1 > write_event, as a bare system call */
static inline void write_one(int event_fd)
{
	register long x0 asm("x0") = event_fd;
	register const char *x1 asm("x1") = "1";
	register long x2 asm("x2") = 1;
	register long x8 asm("x8") = __NR_write;

	asm volatile("svc #0" : "+r" (x0) : "r" (x1), "r" (x2), "r" (x8) : "memory");
}

static inline void bench_write(struct bench *b)
{
	write_one(b->src.event_fd);
}

/* The same, as a call that can be measured */
void bench_write_call(void *bench);

#endif /* _HYP_BENCH_SETUP_H */
