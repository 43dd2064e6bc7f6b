/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event as a line of JSON.
 */
#ifndef HYPTRACE_EVENTJSON_H
#define HYPTRACE_EVENTJSON_H

#include <stdio.h>

#include "trace/evdb.h"
#include "trace/merge.h"
#include "trace/side.h"

/**
 * eventjson_event - print an event, or a corrupt place
 * @out:	where to
 * @db:		knows the events
 * @ev:		the event
 * @side:	whose event it is
 */
void eventjson_event(FILE *out, struct evdb *db, const struct merged *ev, enum side side);

/** eventjson_fields - print the fields of an event, as one JSON object */
void eventjson_fields(FILE *out, struct evdb *db, const struct rbevent *ev);

/** eventjson_loss - print what was lost before @ev */
void eventjson_loss(FILE *out, const struct merged *ev, enum side side);

#endif
