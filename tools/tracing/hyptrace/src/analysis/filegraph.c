// SPDX-License-Identifier: GPL-2.0
/*
 * Where time goes inside of EL2, in a file. See filegraph.h.
 */
#include <stdlib.h>

#include "analysis/filegraph.h"
#include "lib/log.h"

struct reading {
	const struct datr *d;
	struct callgraph *graph;
};

static int take_event(void *ctx, struct evdb *db, const struct merged *ev)
{
	struct reading *r = ctx;

	return merged_side(r->d, ev) == HYP ? callgraph_feed(r->graph, db, ev) : 0;
}

static void take_stay(void *ctx, const struct times_stay *stay)
{
	struct reading *r = ctx;

	callgraph_stay(r->graph, stay);
}

static int read_graph(struct filegraph *f, struct datr *d, const struct filegraph_rule *rule)
{
	struct reading r = { .d = d };
	const struct profile_watch watch = {
		.event = take_event, .times = { .ctx = &r, .stay = take_stay },
	};

	f->graph = callgraph_new(rule->pattern);
	if (!f->graph)
		return -1;
	r.graph = f->graph;
	f->profiler = fileprofile_read_scope(d, rule->cpus, rule->scope, &watch);
	if (!f->profiler || callgraph_finish(f->graph, &f->result))
		return -1;
	times_set_watch(profiler_profile(f->profiler)->times, NULL);
	if (f->result.calls)
		return 0;
	return log_error("%s: EL2 has recorded no calls of functions: expected a recording with the tracer function_graph",
			 datr_name(d));
}

struct filegraph *filegraph_read(struct datr *d, const struct filegraph_rule *rule)
{
	struct filegraph *f = calloc(1, sizeof(*f));

	if (!f)
		log_oom();
	if (!f || !read_graph(f, d, rule))
		return f;
	filegraph_free(f);
	return NULL;
}

void filegraph_free(struct filegraph *f)
{
	if (!f)
		return;
	fileprofile_free(f->profiler);
	callgraph_free(f->graph);
	free(f);
}
