/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output of a Perfetto trace, a sequence of packets.
 */
#ifndef HYPTRACE_PFOUT_H
#define HYPTRACE_PFOUT_H

#include <stdio.h>

#include "export/proto.h"

struct pfout;

/** pfout_new - begin a trace in @file. Return: NULL with a message. */
struct pfout *pfout_new(FILE *file);
void pfout_free(struct pfout *o);

/**
 * pfout_packet - add a TracePacket
 *
 * Return: 0, or -1 with a message if memory ran out.
 */
int pfout_packet(struct pfout *o, const struct proto *packet);

/**
 * pfout_finish - write all that was not written yet
 *
 * Return: as above. Errors of the file are left to ferror().
 */
int pfout_finish(struct pfout *o);

#endif
