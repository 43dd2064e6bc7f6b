/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the events mean while they are written.
 */
#ifndef HYPTRACE_DESCRIBE_H
#define HYPTRACE_DESCRIBE_H

#include "evdb.h"
#include "recording.h"
#include "types.h"

/** describe_events - as evdb_load(), for what is recorded now */
struct evdb *describe_events(const struct recording *r);

struct comms;

/** comms_new - names of tasks that run now. Return: NULL with a message. */
struct comms *comms_new(void);

/**
 * comms_learn - find out what a task is called
 * @c:		the names
 * @db:		is told
 * @pid:	the task; one that is gone keeps its last name
 */
void comms_learn(struct comms *c, struct evdb *db, s32 pid);
void comms_free(struct comms *c);

#endif
