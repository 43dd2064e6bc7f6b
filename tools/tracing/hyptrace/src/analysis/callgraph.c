// SPDX-License-Identifier: GPL-2.0
/*
 * Where time goes inside of EL2. See callgraph.h.
 *
 * An EL2 entry is one of times.c, from hyp_enter to hyp_exit. Its time from one event of
 * the function graph tracer to the next belongs to the innermost function, or to the entry
 * itself where there is none. So the times of self of an entry add up to its duration. What
 * lies outside of an entry does not count, such as the time of a function before hyp_enter.
 *
 * An entry is counted at its end, when times.c knows what it was and that it is complete.
 * It is not counted if the stack is not known in all of it, see callstack.c; or if it returns
 * to the host before a function that was called in an entry: tracing ended before its return.
 *
 * A function that enters a guest is part of several entries. The duration of a call is the
 * time at EL2 from its begin to its end, over all of them.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/callgraph.h"
#include "analysis/callstack.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

/**
 * struct step - a call or a return in an entry
 * @ts:		its time
 * @returns:	which it is
 * @counted:	of a return: the call was made in this entry
 * @what:	the function
 * @ns:		of a return: the duration of the call
 */
struct step {
	u64 ts;
	bool returns;
	bool counted;
	u32 what;
	u64 ns;
};

/**
 * struct cpu_calls - a CPU
 * @stack:	functions that run
 * @el2:	time at EL2 up to the last hyp_exit
 * @inside:	hyp_enter was seen
 * @ended:	and hyp_exit, by the last event
 * @known:	the stack was known in all of the entry
 * @wrong:	a call or a return in it did not fit
 * @start:	timestamp of hyp_enter
 * @end:	of hyp_exit
 * @stay:	number of the entry, or the next one
 * @path:	the stack at @start
 * @nr_path:	its length
 * @fresh:	the first one that was called since the entry before
 * @step:	calls and returns in the entry
 * @nr_steps:	how many
 * @room:	of @step
 * @overrun:	of the last event that had it
 */
struct cpu_calls {
	struct callstack stack;
	u64 el2;
	bool inside;
	bool ended;
	bool known;
	bool wrong;
	u64 start;
	u64 end;
	u64 stay;
	u32 path[CALLSTACK_DEPTH];
	unsigned int nr_path;
	unsigned int fresh;
	struct step *step;
	size_t nr_steps;
	size_t room;
	u64 overrun;
};

/**
 * struct callgraph - all
 * @pattern:	of the entries that are wanted, or NULL
 * @cpu:	the CPUs
 * @tree:	all calls
 * @functions:	numbers of functions, by where they begin
 * @addresses:	numbers of addresses
 * @function_at: the number of the function, by that of the address
 * @address_room: of @function_at
 * @durations:	of functions, by their number, with their names
 * @dists:	numbers of reasons and hypercalls
 * @entries:	numbers of kinds of entries, by two of these
 * @entry_names: their names
 * @wanted:	they are
 * @wanted_room: of @wanted
 * @failed:	memory ran out
 * @result:	the numbers so far
 */
struct callgraph {
	const char *pattern;
	struct cpu_calls *cpu[MAX_CPUS];
	struct calltree tree;
	struct u64map functions;
	struct u64map addresses;
	u32 *function_at;
	size_t address_room;
	struct dists *durations;
	struct u64map dists;
	struct u64map entries;
	struct strlist entry_names;
	bool *wanted;
	size_t wanted_room;
	bool failed;
	struct callgraph_result result;
};

/* Functions */

static int name_function(struct callgraph *g, u32 what, const char *name, u64 addr)
{
	struct dist *d = dists_get(g->durations, what);
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", addr);
	return d ? dists_set_name(g->durations, d, name ? name : text) : -1;
}

static s32 learn_function(struct callgraph *g, struct evdb *db, u64 addr)
{
	bool is_new;
	u64 start;
	const char *name = evdb_function(db, addr, &start);
	s32 what = u64map_get(&g->functions, start, &is_new);

	if (what < 0)
		return log_oom();
	return is_new && name_function(g, what, name, start) ? -1 : what;
}

/* Return: its number, or -1 with a message */
static s32 function_of(struct callgraph *g, struct evdb *db, u64 addr)
{
	bool is_new;
	s32 i = u64map_get(&g->addresses, addr, &is_new), what;

	if (i < 0)
		return log_oom();
	if (!is_new)
		return g->function_at[i];
	if (array_room(&g->function_at, &g->address_room, i + 1, sizeof(*g->function_at)))
		return log_oom();
	what = learn_function(g, db, addr);
	g->function_at[i] = what;
	return what;
}

/* Kinds of entries */

static char *name_entry(const struct times_stay *stay)
{
	const char *reason = stay->reason ? dist_name(stay->reason) : "?";

	if (stay->call)
		return xasprintf("%s %s", reason, dist_name(stay->call));
	return xasprintf("%s", reason);
}

static bool is_wanted(const struct callgraph *g, const struct times_stay *stay,
		      const char *name)
{
	if (!g->pattern || !fnmatch(g->pattern, name, 0))
		return true;
	if (stay->call && !fnmatch(g->pattern, dist_name(stay->call), 0))
		return true;
	return stay->reason && !fnmatch(g->pattern, dist_name(stay->reason), 0);
}

static int learn_entry(struct callgraph *g, const struct times_stay *stay, u32 i)
{
	char *name = name_entry(stay);
	int ret = -1;

	if (name && !strlist_add(&g->entry_names, name))
		ret = array_room(&g->wanted, &g->wanted_room, i + 1, sizeof(*g->wanted)) ?
		      log_oom() : 0;
	if (!ret)
		g->wanted[i] = is_wanted(g, stay, name);
	free(name);
	return ret;
}

static s32 dist_number(struct callgraph *g, const struct dist *d)
{
	bool is_new;

	return u64map_get(&g->dists, (uintptr_t)d, &is_new);
}

/* Return: its number, or -1 with a message */
static s32 entry_of(struct callgraph *g, const struct times_stay *stay)
{
	s32 reason = dist_number(g, stay->reason), call = dist_number(g, stay->call), i;
	bool is_new;

	if (reason < 0 || call < 0)
		return log_oom();
	i = u64map_get(&g->entries, (u64)reason << 32 | call, &is_new);
	if (i < 0)
		return log_oom();
	return is_new && learn_entry(g, stay, i) ? -1 : i;
}

/* The end of an entry that is counted */

static struct callnode *node_of(struct callgraph *g, u32 node)
{
	return &g->tree.node[node];
}

/* Return: the node of the innermost function of the stack at hyp_enter, -1 with a message */
static s32 begin_path(struct callgraph *g, const struct cpu_calls *c, s32 node)
{
	unsigned int i;

	for (i = 0; i < c->nr_path; i++) {
		node = calltree_child(&g->tree, node, c->path[i]);
		if (node < 0)
			return -1;
		if (i < c->fresh)
			node_of(g, node)->resumed++;
		else
			node_of(g, node)->calls++;
	}
	return node;
}

static s32 take_step(struct callgraph *g, const struct step *s, s32 node)
{
	if (s->returns) {
		if (s->counted &&
		    dist_add(dists_get(g->durations, s->what), s->ns))
			return -1;
		return node_of(g, node)->parent;
	}
	node = calltree_child(&g->tree, node, s->what);
	if (node >= 0)
		node_of(g, node)->calls++;
	return node;
}

static int count_steps(struct callgraph *g, const struct cpu_calls *c, s32 node)
{
	u64 at = c->start;
	size_t i;

	for (i = 0; node >= 0 && i < c->nr_steps; i++) {
		node_of(g, node)->self += c->step[i].ts - at;
		at = c->step[i].ts;
		node = take_step(g, &c->step[i], node);
	}
	if (node < 0)
		return -1;
	node_of(g, node)->self += c->end - at;
	return 0;
}

static int count_entry(struct callgraph *g, struct cpu_calls *c, const struct times_stay *stay)
{
	s32 i = entry_of(g, stay), node;
	unsigned int j;

	if (i < 0)
		return -1;
	if (!g->wanted[i]) {
		g->result.other++;
		return 0;
	}
	node = calltree_child(&g->tree, CALLTREE_ROOT, i);
	if (node < 0)
		return -1;
	node_of(g, node)->calls++;
	g->result.entries++;
	g->result.ns += c->end - c->start;
	for (j = 0; j < c->stack.nr; j++)
		c->stack.frame[j].counted |= c->stack.frame[j].stay == c->stay;
	return count_steps(g, c, begin_path(g, c, node));
}

void callgraph_stay(struct callgraph *g, const struct times_stay *stay)
{
	struct cpu_calls *c = g->cpu[stay->cpu];

	if (g->failed)
		return;
	if (c->wrong)
		g->result.misnested++;
	else if (!c->ended || !c->known || stay->start != c->start || stay->end != c->end)
		g->result.cut++;
	else
		g->failed = count_entry(g, c, stay);
}

/* Events */

/* What was kept of an entry is not needed any more */
static void forget_entry(struct cpu_calls *c)
{
	if (!c->ended)
		return;
	c->ended = false;
	c->stay++;
	c->nr_steps = 0;
}

static void lose(struct cpu_calls *c)
{
	callstack_lose(&c->stack);
	c->known = false;
	c->inside = false;
}

static void enter(struct cpu_calls *c, u64 ts, enum ev_reason reason)
{
	unsigned int i;

	if (c->inside) {	/* the hyp_exit before is missing */
		lose(c);
		c->stay++;
	}
	if (reason != REASON_GUEST_EXIT)
		callstack_enter(&c->stack);
	c->inside = true;
	c->start = ts;
	c->known = c->stack.known;
	c->wrong = false;
	c->nr_steps = 0;
	c->nr_path = c->stack.nr;
	c->fresh = c->nr_path;
	for (i = 0; i < c->nr_path; i++) {
		c->path[i] = c->stack.frame[i].what;
		if (c->stack.frame[i].stay == c->stay && c->fresh == c->nr_path)
			c->fresh = i;
	}
}

/* A function that was called before hyp_enter may return after hyp_exit, others not */
static bool has_returned(const struct cpu_calls *c)
{
	unsigned int i;

	for (i = 0; i < c->stack.nr; i++) {
		if (c->stack.frame[i].inside)
			return false;
	}
	return true;
}

static void leave(struct cpu_calls *c, u64 ts, enum ev_reason reason)
{
	if (reason != REASON_ERET_GUEST) {
		c->known &= has_returned(c);
		callstack_leave(&c->stack);
	}
	if (!c->inside) {	/* the hyp_enter is missing */
		c->stay++;
		return;
	}
	c->inside = false;
	c->ended = true;
	c->end = ts;
	c->el2 += ts - c->start;
}

static int add_step(struct cpu_calls *c, const struct step *s)
{
	if (!c->inside || !c->known)
		return 0;
	if (array_room(&c->step, &c->room, c->nr_steps + 1, sizeof(*c->step)))
		return log_oom();
	c->step[c->nr_steps++] = *s;
	return 0;
}

/* Time at EL2 so far */
static u64 el2_now(const struct cpu_calls *c, u64 ts)
{
	return c->el2 + (c->inside ? ts - c->start : 0);
}

static void see(struct cpu_calls *c, enum callstack_step step)
{
	if (step == STEP_TAKEN)
		return;
	c->wrong |= step == STEP_WRONG && c->inside;
	c->known = false;
}

static int take_call(struct callgraph *g, struct cpu_calls *c, struct evdb *db, u64 ts,
		     const struct call *call)
{
	enum callstack_step taken = callstack_call(&c->stack, call);
	struct step s = { .ts = ts };
	struct frame *f;
	s32 what;

	g->result.calls++;
	see(c, taken);
	if (taken != STEP_TAKEN)
		return 0;
	what = function_of(g, db, call->func);
	if (what < 0)
		return -1;
	f = callstack_top(&c->stack);
	f->what = what;
	f->since = el2_now(c, ts);
	f->stay = c->stay;
	f->inside = c->inside;
	s.what = what;
	return add_step(c, &s);
}

/* By the count of each CPU */
static void take_overrun(struct callgraph *g, struct cpu_calls *c, u64 overrun)
{
	if (overrun > c->overrun)
		g->result.overrun += overrun - c->overrun;
	c->overrun = overrun;
}

static int take_return(struct callgraph *g, struct cpu_calls *c, u64 ts, const struct call *call)
{
	struct frame f;
	enum callstack_step taken = callstack_return(&c->stack, call, &f);
	struct step s = { .ts = ts, .returns = true };

	take_overrun(g, c, call->overrun);
	see(c, taken);
	if (taken != STEP_TAKEN)
		return 0;
	s.what = f.what;
	s.ns = el2_now(c, ts) - f.since;
	s.counted = f.stay == c->stay;
	if (f.counted && dist_add(dists_get(g->durations, s.what), s.ns))
		return -1;
	return add_step(c, &s);
}

static int take_function(struct callgraph *g, struct cpu_calls *c, struct evdb *db,
			 const struct rbevent *ev, enum ev_kind kind)
{
	struct call call;

	if (!evdb_call(db, ev, &call))
		return 0;
	if (kind == EV_FUNC_ENTRY)
		return take_call(g, c, db, ev->ts, &call);
	return take_return(g, c, ev->ts, &call);
}

static int take_event(struct callgraph *g, struct cpu_calls *c, struct evdb *db,
		      const struct rbevent *ev)
{
	enum ev_reason reason;
	enum ev_kind kind = evdb_kind(db, ev, &reason);

	switch (kind) {
	case EV_FUNC_ENTRY:
	case EV_FUNC_EXIT:
		return take_function(g, c, db, ev, kind);
	case EV_HYP_ENTER:
		enter(c, ev->ts, reason);
		return 0;
	case EV_HYP_EXIT:
		leave(c, ev->ts, reason);
		return 0;
	case EV_TRACE_ON:
	case EV_TRACE_OFF:
		lose(c);
		return 0;
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
	case EV_HOST_HCALL:
	case EV_VCPU_ENTER:
	case EV_VCPU_EXIT:
	case EV_HOST_MEM_ABORT:
	case EV_MEM_TRANSITION:
	case EV_GUEST_MEM:
	case EV_HYP_BOOT:
	case EV_SCHED_SWITCH:
	case EV_IRQ_ENTRY:
	case EV_IRQ_EXIT:
	case EV_SOFTIRQ_ENTRY:
	case EV_SOFTIRQ_EXIT:
	case EV_FUNCTION:
	case EV_STACK:
	case EV_OTHER:
		break;
	}
	return 0;
}

static struct cpu_calls *cpu_of(struct callgraph *g, unsigned int cpu)
{
	if (!g->cpu[cpu])
		g->cpu[cpu] = calloc(1, sizeof(**g->cpu));
	if (!g->cpu[cpu])
		log_oom();
	return g->cpu[cpu];
}

int callgraph_feed(struct callgraph *g, struct evdb *db, const struct merged *ev)
{
	struct cpu_calls *c = cpu_of(g, ev->cpu);

	if (!c || g->failed)
		return -1;
	forget_entry(c);
	if (ev->lost || !ev->ev.data)
		lose(c);
	return ev->ev.data ? take_event(g, c, db, &ev->ev) : 0;
}

/* Beginning and end */

struct callgraph *callgraph_new(const char *pattern)
{
	struct callgraph *g = calloc(1, sizeof(*g));

	if (!g) {
		log_oom();
		return NULL;
	}
	g->pattern = pattern;
	g->durations = dists_new(false);
	if (g->durations && !calltree_init(&g->tree))
		return g;
	callgraph_free(g);
	return NULL;
}

int callgraph_finish(struct callgraph *g, struct callgraph_result *result)
{
	unsigned int i;
	size_t j;

	for (i = 0; i < MAX_CPUS; i++) {
		if (g->cpu[i])
			g->result.unreturned += g->cpu[i]->stack.unreturned;
	}
	calltree_sum(&g->tree);
	for (j = 1; j < g->tree.nr; j++) {
		if (g->tree.node[j].parent == CALLTREE_ROOT)
			g->result.untraced += g->tree.node[j].self;
	}
	*result = g->result;
	return g->failed ? -1 : 0;
}

void callgraph_free(struct callgraph *g)
{
	unsigned int i;

	if (!g)
		return;
	for (i = 0; i < MAX_CPUS; i++) {
		if (g->cpu[i])
			free(g->cpu[i]->step);
		free(g->cpu[i]);
	}
	calltree_free(&g->tree);
	u64map_free(&g->functions);
	u64map_free(&g->addresses);
	free(g->function_at);
	dists_free(g->durations);
	u64map_free(&g->dists);
	u64map_free(&g->entries);
	strlist_free(&g->entry_names);
	free(g->wanted);
	free(g);
}

const struct calltree *callgraph_tree(const struct callgraph *g)
{
	return &g->tree;
}

const char *callgraph_entry_name(const struct callgraph *g, u32 what)
{
	return g->entry_names.str[what];
}

struct dist *callgraph_durations(const struct callgraph *g, u32 what)
{
	return dists_get(g->durations, what);
}

const char *callgraph_function_name(const struct callgraph *g, u32 what)
{
	return dist_name(callgraph_durations(g, what));
}

u32 callgraph_nr_functions(const struct callgraph *g)
{
	return g->functions.nr;
}

u32 callgraph_nr_entries(const struct callgraph *g)
{
	return g->entries.nr;
}
