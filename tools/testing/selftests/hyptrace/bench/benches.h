/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HYP_BENCH_BENCHES_H
#define _HYP_BENCH_BENCHES_H
/*
 * The measurements. Each starts with a remote that is off, leaves it off, and reports
 * its results.
 */
#include "setup.h"

/* cost.c: events at EL2 and on the host */
/* Returns what the selftest event costs */
double bench_events(struct bench *b);
double bench_bytes(struct bench *b);
struct cost bench_event_mean(struct bench *b);
void bench_host_events(void);

/* hypercall.c: trace points of all sizes; @b is NULL for a kernel that has no remote */
void bench_hypercalls(struct bench *b);
/* Functions of EL2; the kernel has CONFIG_NVHE_EL2_FUNCTION_TRACER */
void bench_functions(struct bench *b);

/* consume.c: readers. @suffix is added to the names; of pages only, or of events as well */
void bench_pages(struct bench *b, const char *suffix);
void bench_readers(struct bench *b);
/* The part of a swap that runs at EL2; an event there costs @event */
void bench_swap(struct bench *b, double event);

/* load.c: loading and unloading the buffer, and its memory */
void bench_load(struct bench *b);

/* wake.c: from an event to its reader */
void bench_wake(struct bench *b);

/* kvm.c: a guest; @b is NULL for a kernel that has no remote */
void bench_kvm(struct bench *b);

/* record.c: hyptrace record at work */
void bench_record(struct bench *b);

#endif /* _HYP_BENCH_BENCHES_H */
