/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HYP_BENCH_SETUP_H
#define _HYP_BENCH_SETUP_H
/*
 * The remote, as the measurements want it; on CPU 0.
 */
#include <stdbool.h>
#include <unistd.h>
#include <asm/unistd.h>

#include "measure.h"
#include "remote.h"

#define CPU	0
/* What a buffer has by default; and the smallest that all measurements fit in */
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
/* Off, empty, with buffers of @kb */
void bench_resize(struct bench *b, unsigned long kb);
/* Forget all events */
void bench_clear(struct bench *b);
/* From cleared: one event of the kind that is on, so that the next is nothing special */
void bench_clear_and_start(void *bench);

struct stats bench_stats(struct bench *b);

/* One write() that does what echo 1 > write_event does, with nothing around it */
static inline void bench_write(struct bench *b)
{
	register long x0 asm("x0") = b->src.event_fd;
	register const char *x1 asm("x1") = "1";
	register long x2 asm("x2") = 1;
	register long x8 asm("x8") = __NR_write;

	asm volatile("svc #0" : "+r" (x0) : "r" (x1), "r" (x2), "r" (x8) : "memory");
}

/* The same as a call to measure */
void bench_write_call(void *bench);

#endif /* _HYP_BENCH_SETUP_H */
