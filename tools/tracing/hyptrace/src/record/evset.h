/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A choice of events of one trace directory, as "system/event" strings.
 */
#ifndef HYPTRACE_EVSET_H
#define HYPTRACE_EVSET_H

#include "lib/util.h"
#include "record/tdir.h"
#include "record/undo.h"

/**
 * evset_add - add the events that the user gave
 * @set:	the choice
 * @d:		directory of the events
 * @name:	"system:event", "system:*" or just "system", or just "event"; if both
 *		a system and an event have the name, it is the system
 *
 * Return: 0, or -1 with a message (no such event).
 */
int evset_add(struct strlist *set, const struct tdir *d, const char *name);

/** evset_add_if - add "system:event" if it exists. Return: 0, -1 on errors. */
int evset_add_if(struct strlist *set, const struct tdir *d,
		 const char *system, const char *event);

/** evset_add_all - add every event. Return: 0, or -1 with a message. */
int evset_add_all(struct strlist *set, const struct tdir *d);

/** evset_add_enabled - add every event that is on now. Return: 0, or -1 with a message. */
int evset_add_enabled(struct strlist *set, const struct tdir *d);

/**
 * evset_enable - enable exactly these events, and disable all others
 * @set:	the choice
 * @d:		directory of the events
 * @undo:	journal of the changes; NULL if they need not be undone
 *
 * Return: 0, or -1 with a message.
 */
int evset_enable(const struct strlist *set, const struct tdir *d,
		 struct undo *undo);

/** evset_disable_all - as evset_enable() of an empty choice */
int evset_disable_all(const struct tdir *d, struct undo *undo);

#endif
