/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long the steps of EL2's start take: each lasts from its event hyp_boot to the next one of
 * its CPU, or to hyp_exit. One that ends in the host is not measured.
 */
#ifndef HYPTRACE_BOOTSTEPS_H
#define HYPTRACE_BOOTSTEPS_H

#include "analysis/dist.h"
#include "lib/types.h"
#include "trace/evdb.h"

struct bootsteps;

/** bootsteps_new - begin. Return: NULL with a message. */
struct bootsteps *bootsteps_new(void);

/**
 * bootsteps_feed - take the next event of the hypervisor
 * @b:		the steps
 * @cpu:	its CPU
 * @ts:		its timestamp
 * @kind:	what it is
 * @dist:	of EV_HYP_BOOT, what takes the duration of the step; must outlive @b
 *
 * Return: 0, or -1 with a message.
 */
int bootsteps_feed(struct bootsteps *b, unsigned int cpu, u64 ts, enum ev_kind kind,
		   struct dist *dist);

/** bootsteps_lose - events of this CPU were lost before the next one */
void bootsteps_lose(struct bootsteps *b, unsigned int cpu);
void bootsteps_free(struct bootsteps *b);

#endif
