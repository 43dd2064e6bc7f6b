// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that EL2 runs. See callstack.h.
 *
 * A call has the depth of the calls before it that have not returned, and a return is that
 * of the innermost call, with its depth. All else is wrong: an event is missing.
 *
 * The stack stays as it is while a guest runs. A function that handles an entry from the
 * host can be called before hyp_enter, and return after hyp_exit. So from hyp_exit to the
 * host until the next hyp_enter, the calls that are there may return. If they do not, the
 * functions never return, and the calls are dropped. The depth of the first call of an
 * entry is then 0, or counts on from them.
 *
 * After a loss, the stack is known from hyp_exit to the host, or from a call of depth 0.
 * hyp_enter does not tell: a call before it may have been lost.
 */
#include <string.h>

#include "analysis/callstack.h"

void callstack_lose(struct callstack *s)
{
	s->known = false;
	s->below = false;
	s->base = 0;
	s->nr = 0;
	s->leaving = 0;
}

void callstack_enter(struct callstack *s)
{
	s->below = false;
	if (!s->leaving)
		return;
	s->unreturned += s->leaving;
	s->base += s->leaving;
	s->nr -= s->leaving;
	memmove(s->frame, s->frame + s->leaving, s->nr * sizeof(*s->frame));
	s->leaving = 0;
}

void callstack_leave(struct callstack *s)
{
	if (!s->known) {
		callstack_lose(s);
		s->known = true;
		s->below = true;
	}
	s->leaving = s->nr;
}

/* EL2 began anew at this depth: what was there when it was left will not return */
static void drop_left(struct callstack *s, u64 depth)
{
	while (s->nr && s->nr == s->leaving && depth < s->base + s->nr) {
		s->nr--;
		s->leaving--;
		s->unreturned++;
	}
}

static enum callstack_step wrong(struct callstack *s)
{
	callstack_lose(s);
	return STEP_WRONG;
}

enum callstack_step callstack_call(struct callstack *s, const struct call *c)
{
	if (!s->known && c->depth)
		return STEP_UNKNOWN;
	s->known = true;
	drop_left(s, c->depth);
	if (!s->nr && !c->depth)
		s->base = 0;
	if (s->below && c->depth) {
		callstack_lose(s);
		return STEP_UNKNOWN;
	}
	s->below = false;
	if (c->depth != s->base + s->nr || s->nr == CALLSTACK_DEPTH)
		return wrong(s);
	s->frame[s->nr++] = (struct frame) { .func = c->func };
	return STEP_TAKEN;
}

enum callstack_step callstack_return(struct callstack *s, const struct call *c,
				     struct frame *out)
{
	const struct frame *top = callstack_top(s);

	if (!s->known || (!top && s->below))
		return STEP_UNKNOWN;
	if (!top || top->func != c->func || c->depth != s->base + s->nr - 1)
		return wrong(s);
	*out = *top;
	s->nr--;
	if (s->leaving > s->nr)
		s->leaving = s->nr;
	return STEP_TAKEN;
}
