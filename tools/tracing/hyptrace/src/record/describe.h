/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptions of events, while these are being traced.
 */
#ifndef HYPTRACE_DESCRIBE_H
#define HYPTRACE_DESCRIBE_H

#include "lib/types.h"
#include "record/recording.h"
#include "trace/evdb.h"

/** describe_events - as evdb_load(), for the events that are being traced */
struct evdb *describe_events(const struct recording *r);

struct comms;

/** comms_new - names of running tasks. Return: NULL with a message. */
struct comms *comms_new(void);

/**
 * comms_learn - look up the name of a task
 * @c:		the names
 * @db:		gets the name
 * @pid:	the task; if it has ended, it keeps its last name
 */
void comms_learn(struct comms *c, struct evdb *db, s32 pid);
void comms_free(struct comms *c);

#endif
