// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of EL2 as slices. See pfcalls.h.
 *
 * From the entry with the first call of a function on, a CPU has a track with a slice for each
 * EL2 entry, and in it one for each call. A call that lasts over several entries has a slice in
 * each. If the stack is not known when an entry begins, the entry has no slice. What is open
 * when events are missing ends at the last event before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/callstack.h"
#include "export/pfcalls.h"
#include "lib/log.h"
#include "lib/u64map.h"
#include "lib/util.h"

/**
 * struct cpu_slices - a CPU
 * @stack:	functions that run
 * @track:	the number of the track, 0 if there is none yet
 * @open:	slices that have not ended
 * @waiting:	an entry has no slice since there is no track yet
 * @entered:	when it began
 * @reason:	and why
 * @last:	time of the last event
 */
struct cpu_slices {
	struct callstack stack;
	u64 track;
	unsigned int open;
	bool waiting;
	u64 entered;
	enum ev_reason reason;
	u64 last;
};

/**
 * struct pfcalls - all
 * @db:		the names of functions
 * @tracks:	get the slices
 * @cpu:	the CPUs
 * @map:	numbers of addresses
 * @names:	of the functions, by these
 */
struct pfcalls {
	struct evdb *db;
	struct pftrack *tracks;
	struct cpu_slices *cpu[MAX_CPUS];
	struct u64map map;
	struct strlist names;
};

struct pfcalls *pfcalls_new(struct evdb *db, struct pftrack *tracks)
{
	struct pfcalls *p = calloc(1, sizeof(*p));

	if (!p) {
		log_oom();
		return NULL;
	}
	p->db = db;
	p->tracks = tracks;
	return p;
}

/* Return: the number of the name of a function; -1 with a message */
static s32 name_function(struct pfcalls *p, u64 addr)
{
	const char *name;
	char text[32];
	bool is_new;
	s32 i = u64map_get(&p->map, addr, &is_new);

	if (i < 0)
		return log_oom();
	if (!is_new)
		return i;
	name = evdb_function(p->db, addr, NULL);
	snprintf(text, sizeof(text), "0x%llx", addr);
	return strlist_add(&p->names, name ? name : text) ? -1 : i;
}

static void begin(struct pfcalls *p, struct cpu_slices *c, u64 ts, const char *name)
{
	pftrack_event(p->tracks, PF_BEGIN, c->track, ts);
	pftrack_name(p->tracks, name, "EL2");
	pftrack_send(p->tracks);
	c->open++;
}

static void end(struct pfcalls *p, struct cpu_slices *c, u64 ts)
{
	pftrack_event(p->tracks, PF_END, c->track, ts);
	pftrack_send(p->tracks);
	c->open--;
}

static void end_all(struct pfcalls *p, struct cpu_slices *c, u64 ts)
{
	while (c->open)
		end(p, c, ts);
}

static void lose(struct pfcalls *p, struct cpu_slices *c)
{
	end_all(p, c, c->last);
	c->waiting = false;
	callstack_lose(&c->stack);
}

static void enter(struct pfcalls *p, struct cpu_slices *c, u64 ts, enum ev_reason reason)
{
	unsigned int i;

	if (c->open)	/* the hyp_exit before is missing */
		lose(p, c);
	if (reason != REASON_GUEST_EXIT)
		callstack_enter(&c->stack);
	c->waiting = c->stack.known && !c->track;
	c->entered = ts;
	c->reason = reason;
	if (!c->stack.known || !c->track)
		return;
	begin(p, c, ts, pftrack_el2_name(reason));
	for (i = 0; i < c->stack.nr; i++)
		begin(p, c, ts, p->names.str[c->stack.frame[i].what]);
}

static void leave(struct pfcalls *p, struct cpu_slices *c, u64 ts, enum ev_reason reason)
{
	end_all(p, c, ts);
	c->waiting = false;
	if (reason != REASON_ERET_GUEST)
		callstack_leave(&c->stack);
}

static int call(struct pfcalls *p, struct cpu_slices *c, const struct merged *ev, u64 ts,
		const struct call *what)
{
	s32 name;

	if (!c->track)
		c->track = pftrack_cpu(p->tracks, ev->cpu);
	if (c->waiting)
		begin(p, c, c->entered, pftrack_el2_name(c->reason));
	c->waiting = false;
	if (callstack_call(&c->stack, what) != STEP_TAKEN) {
		end_all(p, c, c->last);
		return 0;
	}
	name = name_function(p, what->func);
	if (name < 0)
		return -1;
	callstack_top(&c->stack)->what = name;
	if (c->open)
		begin(p, c, ts, p->names.str[name]);
	return 0;
}

static void give_back(struct pfcalls *p, struct cpu_slices *c, u64 ts, const struct call *what)
{
	struct frame frame;

	if (callstack_return(&c->stack, what, &frame) != STEP_TAKEN)
		end_all(p, c, c->last);
	else if (c->open)
		end(p, c, ts);
}

static int take_event(struct pfcalls *p, struct cpu_slices *c, const struct merged *ev, u64 ts)
{
	enum ev_reason reason;
	enum ev_kind kind = evdb_kind(p->db, &ev->ev, &reason);
	struct call what;

	if (kind == EV_HYP_ENTER)
		enter(p, c, ts, reason);
	else if (kind == EV_HYP_EXIT)
		leave(p, c, ts, reason);
	else if (kind == EV_TRACE_ON || kind == EV_TRACE_OFF)
		lose(p, c);
	else if (kind == EV_FUNC_ENTRY && evdb_call(p->db, &ev->ev, &what))
		return call(p, c, ev, ts, &what);
	else if (kind == EV_FUNC_EXIT && evdb_call(p->db, &ev->ev, &what))
		give_back(p, c, ts, &what);
	return 0;
}

int pfcalls_event(struct pfcalls *p, const struct merged *ev, u64 ts)
{
	struct cpu_slices **c = &p->cpu[ev->cpu];
	int ret;

	if (!*c)
		*c = calloc(1, sizeof(**c));
	if (!*c)
		return log_oom();
	ret = take_event(p, *c, ev, ts);
	(*c)->last = ts;
	return ret;
}

void pfcalls_lose(struct pfcalls *p, unsigned int cpu)
{
	if (p->cpu[cpu])
		lose(p, p->cpu[cpu]);
}

void pfcalls_finish(struct pfcalls *p)
{
	unsigned int i;

	for (i = 0; i < MAX_CPUS; i++)
		pfcalls_lose(p, i);
}

void pfcalls_free(struct pfcalls *p)
{
	unsigned int i;

	if (!p)
		return;
	for (i = 0; i < MAX_CPUS; i++)
		free(p->cpu[i]);
	u64map_free(&p->map);
	strlist_free(&p->names);
	free(p);
}
