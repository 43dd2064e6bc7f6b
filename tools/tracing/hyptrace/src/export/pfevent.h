/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events as Perfetto has them: the message FtraceEvent.
 */
#ifndef HYPTRACE_PFEVENT_H
#define HYPTRACE_PFEVENT_H

#include "export/proto.h"
#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/rbpage.h"

/* How an event is exported */
enum pf_kind {
	PF_UNKNOWN,	/* not at all: the file does not describe it */
	PF_GENERIC,	/* as names and values */
	PF_MESSAGE,	/* as a message of its own */
	PF_REASON,	/* the same, and it says why EL2 was entered */
};

/* Events that are added without one in the file, so without fields */
enum pf_bare {
	PF_HOST_HCALL		= 582,
	PF_HOST_SMC		= 583,
	PF_HYP_EXIT		= 584,
	PF_HOST_MEM_ABORT	= 587,
};

struct pfevent;

/** pfevent_new - Return: NULL with a message. @db must outlive it. */
struct pfevent *pfevent_new(struct evdb *db);
void pfevent_free(struct pfevent *e);

/**
 * pfevent_translate - make a FtraceEvent
 * @e:		the translator
 * @ev:		the event
 * @cpu:	its CPU
 * @ts:		its time, on the boot clock
 * @out:	the message until the next call; not changed if there is none
 */
enum pf_kind pfevent_translate(struct pfevent *e, const struct rbevent *ev,
			       unsigned int cpu, u64 ts,
			       const struct proto **out);

/** pfevent_bare - make one that is not in the file */
const struct proto *pfevent_bare(struct pfevent *e, enum pf_bare id, u64 ts,
				 s32 pid);

#endif
