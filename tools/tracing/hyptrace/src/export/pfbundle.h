/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a Perfetto trace: packets with a FtraceEventBundle, which has events
 * of one CPU.
 */
#ifndef HYPTRACE_PFBUNDLE_H
#define HYPTRACE_PFBUNDLE_H

#include "export/pfout.h"
#include "export/proto.h"
#include "lib/types.h"

struct pfbundle;

/** pfbundle_new - begin; packets go to @out. Return: NULL with a message. */
struct pfbundle *pfbundle_new(struct pfout *out);
void pfbundle_free(struct pfbundle *b);

/**
 * pfbundle_add - add an event, the FtraceEvent @event, to those of @cpu
 *
 * Return: 0, or -1 with a message if memory ran out.
 */
int pfbundle_add(struct pfbundle *b, unsigned int cpu,
		 const struct proto *event);

/** pfbundle_lost - say that events of @cpu are missing here. Return: as above. */
int pfbundle_lost(struct pfbundle *b, unsigned int cpu);

/**
 * pfbundle_finish - write all that was not written yet
 *
 * Return: 0, or -1 with a message if memory ran out.
 */
int pfbundle_finish(struct pfbundle *b);

#endif
