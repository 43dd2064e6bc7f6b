/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of EL2 as slices of Perfetto. The rules: pfcalls.c.
 */
#ifndef HYPTRACE_PFCALLS_H
#define HYPTRACE_PFCALLS_H

#include "export/pftrack.h"
#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/merge.h"

struct pfcalls;

/** pfcalls_new - begin; both must outlive it. Return: NULL with a message. */
struct pfcalls *pfcalls_new(struct evdb *db, struct pftrack *tracks);

/** pfcalls_event - take the next event of EL2, at the time @ts. 0, or -1 with a message. */
int pfcalls_event(struct pfcalls *p, const struct merged *ev, u64 ts);

/** pfcalls_lose - events of a CPU's EL2 were lost */
void pfcalls_lose(struct pfcalls *p, unsigned int cpu);

/** pfcalls_finish - at the end of the recording */
void pfcalls_finish(struct pfcalls *p);

/** pfcalls_free - @p may be NULL */
void pfcalls_free(struct pfcalls *p);

#endif
