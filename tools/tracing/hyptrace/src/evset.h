/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A choice of events of one trace directory, as "system/event" strings.
 */
#ifndef HYPTRACE_EVSET_H
#define HYPTRACE_EVSET_H

#include "tdir.h"
#include "undo.h"
#include "util.h"

/**
 * evset_add - add what the user named
 * @set:	the choice
 * @d:		where the events live
 * @name:	"system:event", "system:*" or just "system", or just "event"; a system
 *		if there are both
 *
 * Return: 0, or -1 with a message (no such event).
 */
int evset_add(struct strlist *set, const struct tdir *d, const char *name);

/** evset_add_if - add "system:event" if it exists. Return: 0, -1 on errors. */
int evset_add_if(struct strlist *set, const struct tdir *d,
		 const char *system, const char *event);

/** evset_add_all - add every event. Return: 0, or -1 with a message. */
int evset_add_all(struct strlist *set, const struct tdir *d);

/**
 * evset_enable - enable exactly these events, and disable all others
 * @set:	the choice
 * @d:		where the events live
 * @undo:	notes what is changed; NULL if it need not be undone
 *
 * Return: 0, or -1 with a message.
 */
int evset_enable(const struct strlist *set, const struct tdir *d,
		 struct undo *undo);

/** evset_disable_all - as evset_enable() of an empty choice */
int evset_disable_all(const struct tdir *d, struct undo *undo);

#endif
