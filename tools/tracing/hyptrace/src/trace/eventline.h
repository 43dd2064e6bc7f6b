/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event as a line of text.
 */
#ifndef HYPTRACE_EVENTLINE_H
#define HYPTRACE_EVENTLINE_H

#include <stdio.h>

#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/merge.h"
#include "trace/side.h"

/* What the time of a line counts from */
enum line_time {
	TIME_ABSOLUTE,		/* the trace clock's zero */
	TIME_RELATIVE,		/* eventline.first */
	TIME_DELTA,		/* the previous line */
};

/**
 * struct eventline - how lines are printed
 * @out:	where to
 * @db:		knows the events
 * @color:	with colours, for a terminal
 * @time:	the timestamps
 * @ticks:	they are no ns, and are printed as they are: see eventline_is_time()
 * @first:	what relative ones are relative to
 * @follows:	@before is set
 * @before:	timestamp of the previous line that is not about a corrupt place
 */
struct eventline {
	FILE *out;
	struct evdb *db;
	bool color;
	enum line_time time;
	bool ticks;
	u64 first;
	bool follows;
	u64 before;
};

/** eventline_is_time - whether the timestamps of a trace clock, such as "boot", are in ns */
bool eventline_is_time(const char *clock);

/**
 * eventline_event - "[CPU] SECONDS host|hyp|guest COMM-PID EVENT: FIELDS"
 * @l:		how
 * @ev:		the event, or a corrupt place
 * @side:	whose event it is
 */
void eventline_event(struct eventline *l, const struct merged *ev, enum side side);

/** eventline_loss - a line that says what was lost before @ev */
void eventline_loss(struct eventline *l, const struct merged *ev, enum side side);

/** eventline_restart - the next line has no previous one */
void eventline_restart(struct eventline *l);

/** eventline_print - both, if there was a loss */
void eventline_print(struct eventline *l, const struct merged *ev, enum side side);

#endif
