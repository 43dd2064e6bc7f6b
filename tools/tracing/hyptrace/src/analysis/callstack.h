/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that EL2 runs on a CPU, by the events of the function graph tracer. The
 * rules: callstack.c.
 */
#ifndef HYPTRACE_CALLSTACK_H
#define HYPTRACE_CALLSTACK_H

#include "lib/types.h"
#include "trace/evcall.h"

/* The kernel's tracers record fewer */
#define CALLSTACK_DEPTH	128

/**
 * struct frame - a call that has not returned
 * @func:	the function, as the events have it
 * @what:	for the user of the stack
 * @since:	the same
 * @stay:	the same
 * @inside:	the same
 * @counted:	the same
 */
struct frame {
	u64 func;
	u32 what;
	u64 since;
	u64 stay;
	bool inside;
	bool counted;
};

/**
 * struct callstack - the stack of a CPU; all 0 at first
 * @known:	it is known
 * @below:	functions may return that were called before it was known
 * @base:	depth of the first frame
 * @nr:		frames
 * @leaving:	so many of the first frames were there when EL2 was left to the host
 * @unreturned:	calls that ended without an event
 * @frame:	the frames, the innermost last
 */
struct callstack {
	bool known;
	bool below;
	u64 base;
	unsigned int nr;
	unsigned int leaving;
	u64 unreturned;
	struct frame frame[CALLSTACK_DEPTH];
};

enum callstack_step {
	STEP_TAKEN,	/* the stack has changed */
	STEP_UNKNOWN,	/* the stack is not known here */
	STEP_WRONG,	/* the event does not fit: the stack is not known any more */
};

/** callstack_lose - events were lost, or the CPU was off */
void callstack_lose(struct callstack *s);

/** callstack_enter - at hyp_enter from the host */
void callstack_enter(struct callstack *s);

/** callstack_leave - at hyp_exit to the host */
void callstack_leave(struct callstack *s);

/** callstack_call - at funcgraph_entry. The new frame is the last one, with @func only. */
enum callstack_step callstack_call(struct callstack *s, const struct call *c);

/** callstack_return - at funcgraph_exit, with the frame in @out if it was taken */
enum callstack_step callstack_return(struct callstack *s, const struct call *c,
				     struct frame *out);

/** callstack_top - the innermost call, or NULL */
static inline struct frame *callstack_top(struct callstack *s)
{
	return s->nr ? &s->frame[s->nr - 1] : NULL;
}

#endif
