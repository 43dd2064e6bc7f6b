/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_WAYS_H
#define _SELFTEST_HYPTRACE_WAYS_H
/*
 * The ways to consume the events of a CPU, for tests that try each of them.
 */
#include "reader.h"

enum way {
	WAY_PIPE,
	WAY_PIPE_ALL,
	WAY_RAW,
	WAY_RAW_PIECES,
	WAY_MAP,
	WAY_SPLICE,
	WAY_SPLICE_FILE,
	NR_WAYS,
};

extern const char *const way_names[NR_WAYS];

/* Consume all events of @cpu while nothing is written: 0 or an errno */
int source_consume(const struct source *src, int cpu, enum way way, struct events *ev);
/* The same without consuming them; for all CPUs if @cpu is negative */
int source_look(const struct source *src, int cpu, struct events *ev);
/* Sub-buffers in the ring, without the reader's */
unsigned int source_ring_subbufs(const struct source *src, int cpu);

#endif /* _SELFTEST_HYPTRACE_WAYS_H */
