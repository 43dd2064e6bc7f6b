// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the functions of a remote: which are traced, and how; and their events.
 *
 * The lists are bitmaps of the remote's functions. What follows from them and from the tracer is
 * compared with how each function is traced, and the writer is told of the differences. A change
 * that fails is undone, as far as the writer lets it be.
 *
 * Locks: trace_remote::lock protects all of it.
 */
#include <linux/bitmap.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "trace_remote_functions.h"

/*
 * Events
 */

#define FIELD(t, n, s)	{ .type = t, .name = n, .size = sizeof(s), .align = 1,	\
			  .is_signed = is_signed_type(s) }

struct trace_event_fields trace_remote_function_fields[] = {
	FIELD("unsigned long", "ip", u64), FIELD("unsigned long", "parent_ip", u64),
	TRACE_REMOTE_ARGS_FIELD {}
};

struct trace_event_fields trace_remote_funcgraph_entry_fields[] = {
	FIELD("unsigned long", "func", u64),
	FIELD(TRACE_REMOTE_ENTRY_DEPTH, "depth", remote_entry_depth),
	TRACE_REMOTE_ARGS_FIELD {}
};

struct trace_event_fields trace_remote_funcgraph_exit_fields[] = {
	FIELD("unsigned long", "func", u64),
	FIELD(TRACE_REMOTE_EXIT_DEPTH, "depth", remote_exit_depth),
	FIELD("unsigned int", "overrun", u32),
	FIELD("unsigned long long", "calltime", u64), FIELD("unsigned long long", "rettime", u64),
	{}
};

/* Two columns for each caller. The writer is not trusted with the depth */
static void print_indent(struct trace_seq *s, int depth)
{
	trace_seq_printf(s, "%*s", 2 * clamp(depth, 0, 64), "");
}

void trace_remote_function_print(struct trace_seq *s, const void *data)
{
	const struct remote_function *rec = data;

	trace_seq_printf(s, "%ps <-- %ps", (void *)(unsigned long)rec->ip,
			 (void *)(unsigned long)rec->parent_ip);
}

void trace_remote_funcgraph_entry_print(struct trace_seq *s, const void *data)
{
	const struct remote_funcgraph_entry *rec = data;

	print_indent(s, rec->depth);
	trace_seq_printf(s, "--> %ps (%d)", (void *)(unsigned long)rec->func, (int)rec->depth);
}

void trace_remote_funcgraph_exit_print(struct trace_seq *s, const void *data)
{
	const struct remote_funcgraph_exit *rec = data;

	print_indent(s, rec->depth);
	trace_seq_printf(s, "<-- %ps (%d) (took: %llu) over: %u",
			 (void *)(unsigned long)rec->func, (int)rec->depth,
			 rec->rettime - rec->calltime, rec->overrun);
}

int remote_function_event(const struct trace_remote_event *event)
{
	if (event->print == trace_remote_function_print)
		return TRACE_FN;
	if (event->print == trace_remote_funcgraph_entry_print)
		return TRACE_GRAPH_ENT;
	if (event->print == trace_remote_funcgraph_exit_print)
		return TRACE_GRAPH_RET;
	return 0;
}

static bool tracer_uses(enum function_tracer tracer, const struct trace_remote_event *event)
{
	switch (tracer) {
	case TRACER_FUNCTION:
		return remote_function_event(event) == TRACE_FN;
	case TRACER_GRAPH:
		return remote_function_event(event) == TRACE_GRAPH_ENT ||
		       remote_function_event(event) == TRACE_GRAPH_RET;
	case TRACER_NOP:
	case NR_TRACERS:
		break;
	}
	return false;
}

/* Switch the events on that a tracer uses, or off */
static int enable_events(struct trace_remote *remote, enum function_tracer tracer, bool on)
{
	const struct trace_remote_desc *desc = remote->desc;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < desc->nr_events && !ret; i++) {
		if (tracer_uses(tracer, &desc->events[i]))
			ret = remote_enable_event(&desc->events[i], on);
	}
	return ret;
}

/*
 * Functions
 */

static bool is_listed(const struct remote_functions *f, enum function_list list, unsigned int i)
{
	return test_bit(i, f->lists[list]);
}

static bool list_is_empty(const struct remote_functions *f, enum function_list list)
{
	return bitmap_empty(f->lists[list], f->nr);
}

static enum trace_remote_function wanted(const struct remote_functions *f, unsigned int i)
{
	if (f->tracer == TRACER_NOP || is_listed(f, LIST_NOTRACE, i) ||
	    (!list_is_empty(f, LIST_FILTER) && !is_listed(f, LIST_FILTER, i)))
		return TRACE_REMOTE_FUNCTION_OFF;
	if (f->tracer == TRACER_FUNCTION)
		return TRACE_REMOTE_FUNCTION_CALL;
	return list_is_empty(f, LIST_GRAPH) || is_listed(f, LIST_GRAPH, i) ?
	       TRACE_REMOTE_FUNCTION_ROOT : TRACE_REMOTE_FUNCTION_GRAPH;
}

/* If it fails, some functions have been switched */
static int switch_functions(struct trace_remote *remote)
{
	const struct trace_remote_desc *desc = remote->desc;
	struct remote_functions *f = remote->functions;
	unsigned int i;
	int ret;

	for (i = 0; i < f->nr; i++) {
		enum trace_remote_function how = wanted(f, i);

		if (how == f->how[i])
			continue;
		ret = desc->ops->set_function(i, how, desc->priv);
		if (ret)
			return ret;
		f->how[i] = how;
		cond_resched();
	}
	return 0;
}

/* The events first: a function that is traced while they are off costs time for nothing */
int remote_set_tracer(struct trace_remote *remote, enum function_tracer tracer)
{
	struct remote_functions *f = remote->functions;
	enum function_tracer old = f->tracer;
	int ret;

	lockdep_assert_held(&remote->lock);
	ret = enable_events(remote, tracer, true);
	if (!ret) {
		f->tracer = tracer;
		ret = switch_functions(remote);
	}
	if (ret) {
		f->tracer = old;
		switch_functions(remote);
		if (old != tracer)
			enable_events(remote, tracer, false);
		return ret;
	}
	return old == tracer ? 0 : enable_events(remote, old, false);
}

int remote_set_list(struct trace_remote *remote, enum function_list list,
		    const unsigned long *to, unsigned long *spare)
{
	struct remote_functions *f = remote->functions;
	int ret;

	lockdep_assert_held(&remote->lock);
	bitmap_copy(spare, f->lists[list], f->nr);
	bitmap_copy(f->lists[list], to, f->nr);
	ret = switch_functions(remote);
	if (ret) {
		bitmap_copy(f->lists[list], spare, f->nr);
		switch_functions(remote);
	}
	return ret;
}

/*
 * The life of a remote
 */

int remote_init_functions(struct trace_remote *remote)
{
	struct remote_functions *f;
	bool has_lists = true;
	int i;

	if (!remote->desc->ops->function || !remote_function_address(remote, 0))
		return 0;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	remote->functions = f;
	while (remote_function_address(remote, f->nr))
		f->nr++;
	for (i = 0; i < NR_LISTS; i++) {
		f->lists[i] = bitmap_zalloc(f->nr, GFP_KERNEL);
		has_lists = has_lists && f->lists[i];
	}
	f->how = kzalloc(f->nr, GFP_KERNEL);
	return f->how && has_lists ? 0 : -ENOMEM;
}

void remote_stop_functions(struct trace_remote *remote)
{
	int ret = remote->functions ? remote_set_tracer(remote, TRACER_NOP) : 0;

	if (ret)
		pr_warn("%s: functions are still traced: %d\n", remote->desc->name, ret);
}

void remote_free_functions(struct trace_remote *remote)
{
	struct remote_functions *f = remote->functions;
	int i;

	if (!f)
		return;
	for (i = 0; i < NR_LISTS; i++)
		bitmap_free(f->lists[i]);
	kfree(f->how);
	kfree(f);
}
