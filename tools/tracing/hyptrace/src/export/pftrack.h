/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracks of a Perfetto trace, with the slices and instants on them.
 *
 * Each track, and each name, is described in the trace when it is used first. Errors
 * stick: after memory ran out, pftrack_finish() returns -1.
 */
#ifndef HYPTRACE_PFTRACK_H
#define HYPTRACE_PFTRACK_H

#include "export/pfout.h"
#include "lib/types.h"
#include "trace/evdb.h"

struct pftrack;

/** pftrack_new - packets go to @out. Return: NULL with a message. */
struct pftrack *pftrack_new(struct pfout *out);
void pftrack_free(struct pftrack *t);

/** pftrack_finish - Return: 0, or -1 if memory had run out, with a message. */
int pftrack_finish(const struct pftrack *t);

/* Return: the track's number, not 0 */
u64 pftrack_vm(struct pftrack *t, u32 vm);

/**
 * pftrack_vcpu - the track of a vCPU
 * @t:		the tracks
 * @vm:		the track of its VM, 0 for none
 * @task:	which runs it
 * @name:	of the vCPU
 */
u64 pftrack_vcpu(struct pftrack *t, u64 vm, s32 task, const char *name);

/** pftrack_thread - the track of a task of the host; its first @name counts, NULL for none */
u64 pftrack_thread(struct pftrack *t, s32 task, const char *name);

/** pftrack_cpu - the track of EL2's functions on a CPU */
u64 pftrack_cpu(struct pftrack *t, unsigned int cpu);

/** pftrack_el2_name - the name of a slice for an EL2 entry */
const char *pftrack_el2_name(enum ev_reason reason);

/* What pftrack_event() begins: numbers of TrackEvent.Type */
enum pf_type {
	PF_BEGIN	= 1,
	PF_END		= 2,
	PF_INSTANT	= 3,
};

/** pftrack_event - begin an event; what follows is about it */
void pftrack_event(struct pftrack *t, enum pf_type type, u64 track, u64 ts);

/** pftrack_name - its name, and its category; both texts stay as they are */
void pftrack_name(struct pftrack *t, const char *name, const char *category);

/**
 * pftrack_argument - an argument of it
 * @ctx:	the struct pftrack, as for evdb_values()
 * @v:		the argument; its name stays as it is
 */
void pftrack_argument(void *ctx, const struct evdb_value *v);

/* A step of a flow, or its last one: numbers of fields of TrackEvent */
enum pf_flow {
	PF_STEP		= 47,
	PF_LAST		= 48,
};

/** pftrack_new_flow - the number of a new flow */
u64 pftrack_new_flow(struct pftrack *t);

/** pftrack_flow - it is a step of a flow, after those that were earlier */
void pftrack_flow(struct pftrack *t, enum pf_flow step, u64 flow);

/** pftrack_send - it is complete */
void pftrack_send(struct pftrack *t);

#endif
