/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slices of vCPUs in a Perfetto trace: when each was in the guest, at EL2 and in the
 * host, and why the guest was left.
 */
#ifndef HYPTRACE_PFVCPU_H
#define HYPTRACE_PFVCPU_H

#include "export/pftrack.h"
#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/merge.h"
#include "trace/side.h"

struct pfvcpu;

/**
 * pfvcpu_new - begin
 * @db:		what events mean
 * @tracks:	get the slices
 * @switches:	all of sched_switch was recorded; without it, it is not known when a
 *		vCPU was in the host
 *
 * @db and @tracks must outlive it. Return: NULL with a message.
 */
struct pfvcpu *pfvcpu_new(struct evdb *db, struct pftrack *tracks, bool switches);
void pfvcpu_free(struct pfvcpu *v);

/**
 * pfvcpu_event - take the next event, in the order of merge_next()
 * @v:		the vCPUs
 * @ev:		the event
 * @ts:		its time, on the boot clock
 * @side:	whose it is
 *
 * Return: 0, or -1 with a message.
 */
int pfvcpu_event(struct pfvcpu *v, const struct merged *ev, u64 ts, enum side side);

/** pfvcpu_lose - events of this side and CPU are missing; @ts is the time of the last event */
void pfvcpu_lose(struct pfvcpu *v, unsigned int cpu, u64 ts, enum side side);

/** pfvcpu_finish - end all slices: @ts is the time of the last event */
void pfvcpu_finish(struct pfvcpu *v, u64 ts);

#endif
