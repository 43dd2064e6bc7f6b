/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks up what the user named: the remote, CPUs, events.
 */
#ifndef HYPTRACE_CHOOSE_H
#define HYPTRACE_CHOOSE_H

#include "recording.h"
#include "session.h"

/**
 * choose_all - fill in what can be known before anything is changed
 * @r:		gets the remote, the events of both sides, the CPUs
 * @o:		what the user wants
 *
 * Return: 0, or -1 with a message.
 */
int choose_all(struct recording *r, const struct session_options *o);

/** chosen_whole - whether "system/event" is recorded, without a filter */
bool chosen_whole(const struct recording *r, const char *event, enum side side);

#endif
