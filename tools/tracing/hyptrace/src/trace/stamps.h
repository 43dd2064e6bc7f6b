/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds corrupt timestamps among the sub-buffers of one buffer and CPU.
 *
 * The kernel writes them in order of time. So a timestamp is corrupt if it is before that of
 * an earlier event, or after that of a later sub-buffer. Of two sub-buffers that contradict
 * each other, it is the one that contradicts a third one as well; if there is none, the first
 * one, as a wrong bit makes most timestamps larger. Besides, all of them are within the time
 * of the recording, if the file has it, and none is FAR after the one before.
 */
#ifndef HYPTRACE_STAMPS_H
#define HYPTRACE_STAMPS_H

#include "lib/types.h"
#include "trace/datr.h"

/* So many sub-buffers are compared: one and those behind it */
#define STAMPS_PAGES	3

/**
 * struct stamps - what is known so far
 * @last:	no later timestamp is before this
 * @begun:	@last is of an event, or the recording's begin
 * @end:	no timestamp is after this: the recording's end
 * @limit:	the same for those of the current sub-buffer
 */
struct stamps {
	u64 last;
	bool begun;
	u64 end;
	u64 limit;
};

/**
 * stamps_init - begin
 * @s:		to be set up
 * @d:		the file, which may have the time of the recording
 * @clock:	trace clock of the buffer
 */
void stamps_init(struct stamps *s, const struct datr *d, const char *clock);

/**
 * stamps_page - begin a sub-buffer that has events
 * @s:		what is known
 * @ts:		its timestamp, and those of the next ones that have events
 * @nr:		of @ts, 1 to STAMPS_PAGES
 *
 * Return: false if its timestamp is corrupt.
 */
bool stamps_page(struct stamps *s, const u64 *ts, unsigned int nr);

/** stamps_event - take the next event's timestamp. Return: false if it is corrupt. */
bool stamps_event(struct stamps *s, u64 ts);

#endif
