// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that calls are nested. See callcheck.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/callcheck.h"
#include "analysis/callstack.h"
#include "lib/log.h"
#include "lib/util.h"

struct callcheck {
	struct evdb *db;
	struct violations *violations;
	struct callstack *cpu[MAX_CPUS];
	u64 calls;
};

struct callcheck *callcheck_new(struct evdb *db, struct violations *v)
{
	struct callcheck *c = calloc(1, sizeof(*c));

	if (!c) {
		log_oom();
		return NULL;
	}
	c->db = db;
	c->violations = v;
	return c;
}

static void misnested(struct callcheck *c, const struct merged *ev, const struct call *call)
{
	const char *name = evdb_function(c->db, call->func, NULL);
	char address[32];

	snprintf(address, sizeof(address), "0x%llx", call->func);
	violations_add(c->violations, ev->cpu, ev->ev.ts,
		       "%s of %s at depth %llu does not fit the calls before",
		       evdb_name(c->db, &ev->ev), name ? name : address, call->depth);
}

static void take_function(struct callcheck *c, struct callstack *s, const struct merged *ev,
			  enum ev_kind kind)
{
	enum callstack_step step;
	struct frame frame;
	struct call call;

	if (!evdb_call(c->db, &ev->ev, &call))
		return;
	c->calls += kind == EV_FUNC_ENTRY;
	if (kind == EV_FUNC_ENTRY)
		step = callstack_call(s, &call);
	else
		step = callstack_return(s, &call, &frame);
	if (step == STEP_WRONG)
		misnested(c, ev, &call);
}

static void take_event(struct callcheck *c, struct callstack *s, const struct merged *ev)
{
	enum ev_reason reason;
	enum ev_kind kind = evdb_kind(c->db, &ev->ev, &reason);

	if (kind == EV_FUNC_ENTRY || kind == EV_FUNC_EXIT)
		take_function(c, s, ev, kind);
	else if (kind == EV_HYP_ENTER && reason != REASON_GUEST_EXIT)
		callstack_enter(s);
	else if (kind == EV_HYP_EXIT && reason != REASON_ERET_GUEST)
		callstack_leave(s);
	else if (kind == EV_TRACE_ON || kind == EV_TRACE_OFF)
		callstack_lose(s);
}

int callcheck_feed(struct callcheck *c, const struct merged *ev)
{
	struct callstack **s = &c->cpu[ev->cpu];

	if (!*s)
		*s = calloc(1, sizeof(**s));
	if (!*s)
		return log_oom();
	if (ev->lost || !ev->ev.data)
		callstack_lose(*s);
	if (ev->ev.data)
		take_event(c, *s, ev);
	return 0;
}

u64 callcheck_calls(const struct callcheck *c)
{
	return c->calls;
}

void callcheck_free(struct callcheck *c)
{
	unsigned int i;

	if (!c)
		return;
	for (i = 0; i < MAX_CPUS; i++)
		free(c->cpu[i]);
	free(c);
}
