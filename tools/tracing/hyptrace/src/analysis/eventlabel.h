/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Translates the events of a file for delays.h.
 */
#ifndef HYPTRACE_EVENTLABEL_H
#define HYPTRACE_EVENTLABEL_H

#include "analysis/delayevent.h"
#include "analysis/labels.h"
#include "trace/evdb.h"
#include "trace/merge.h"

struct eventlabel;

/** eventlabel_new - names go to @labels, which has to outlive it. Return: NULL with a message. */
struct eventlabel *eventlabel_new(struct evdb *db, struct labels *labels);
void eventlabel_free(struct eventlabel *e);

/**
 * eventlabel_read - what an event says
 * @e:		the translator
 * @ev:		an event
 * @out:	gets it
 * @side:	whose it is
 *
 * Return: 0, or -1 with a message.
 */
int eventlabel_read(struct eventlabel *e, const struct merged *ev, struct delay_event *out,
		    enum side side);

#endif
