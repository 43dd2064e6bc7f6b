/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selects events: of one side, by their names, and those around them.
 */
#ifndef HYPTRACE_SELECTION_H
#define HYPTRACE_SELECTION_H

#include "lib/types.h"
#include "lib/util.h"
#include "trace/datr.h"
#include "trace/evdb.h"
#include "trace/merge.h"
#include "trace/side.h"

/**
 * struct selection_rule - which events are wanted
 * @no:		none of this side
 * @events:	patterns of "EVENT" or "SYSTEM:EVENT"; empty for all events
 * @context:	also this many events before and after each of @events
 */
struct selection_rule {
	bool no[NR_ALL_SIDES];
	struct strlist events;
	u64 context;
};

/**
 * struct selection_sink - takes what was selected, in the order in which it was fed
 * @ctx:	handed to both
 * @event:	takes an event, or a corrupt sub-buffer, which is always selected;
 *		@gap says that events were left out before it
 * @loss:	takes the event before which others were lost, whether it is selected
 *		itself or not; @gap as above
 */
struct selection_sink {
	void *ctx;
	void (*event)(void *ctx, const struct merged *ev, bool gap);
	void (*loss)(void *ctx, const struct merged *ev, bool gap);
};

struct selection;

/**
 * selection_new - begin
 * @d:		the file
 * @db:		its events
 * @rule:	which of them
 * @sink:	takes them; like all others, it must outlive the selection
 *
 * Return: NULL with a message, also if a pattern can match no event.
 */
struct selection *selection_new(const struct datr *d, struct evdb *db,
				const struct selection_rule *rule,
				const struct selection_sink *sink);

/** selection_feed - take the next event, and the loss before it */
void selection_feed(struct selection *s, const struct merged *ev);

/** selection_end - no event after this is the context of one before */
void selection_end(struct selection *s);

/** selection_free - @s may be NULL */
void selection_free(struct selection *s);

#endif
