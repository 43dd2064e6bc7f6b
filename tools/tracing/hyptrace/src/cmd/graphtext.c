// SPDX-License-Identifier: GPL-2.0
/*
 * The graph of EL2's functions as text. See graphtext.h.
 */
#include <stdlib.h>
#include <sys/param.h>

#include "cmd/graphtext.h"
#include "cmd/table.h"
#include "lib/visible.h"

#define CALLS_TEXT	44

/**
 * struct printer - a graph being printed
 * @v:		the graph
 * @how:	what of it
 * @out:	where the text goes
 */
struct printer {
	const struct graph_view *v;
	const struct graph_how *how;
	FILE *out;
};

static double share(const struct printer *p, u64 ns)
{
	u64 all = p->v->f->result.ns;

	return all ? 100.0 * ns / all : 0;
}

/* What the numbers are based on, and what is missing */
static void print_summary(const struct printer *p)
{
	const struct callgraph_result *r = &p->v->f->result;
	const struct profile *s = profiler_profile(p->v->f->profiler);
	char total[UNIT_TEXT], rest[UNIT_TEXT];

	fprintf(p->out, "EL2 entries: measured=%llu time=%s in_no_function=%s other=%llu\n",
		r->entries, unit_text(total, r->ns, p->how->table.unit),
		unit_text(rest, r->untraced, p->how->table.unit), r->other);
	fprintf(p->out, "not measured: cut=%llu misnested=%llu entries_without_exit=%llu exits_without_entry=%llu\n",
		r->cut, r->misnested, s->result.no_exit, s->result.no_entry);
	fprintf(p->out, "calls: recorded=%llu too_deep=%llu without_return=%llu\n", r->calls,
		r->overrun, r->unreturned);
	fprintf(p->out, "events: lost=%llu%s losses=%llu misplaced=%llu\n", s->events.lost,
		lost_more(s->events.vague), s->result.losses, s->result.misplaced);
	if (s->corrupt.nr)
		fprintf(p->out, "corrupt: %llu sub-buffers, " CORRUPT_PLACE "\n", s->corrupt.nr,
			s->corrupt.first);
	if (s->events.unmarked)
		fprintf(p->out, "inexact: %llu events were dropped at unknown places: record with a larger --buffer-size\n",
			s->events.unmarked);
	if (p->how->table.unit != UNIT_AUTO)
		fprintf(p->out, "all times are in %s\n", unit_words[p->how->table.unit]);
}

/* Of a "+", how many calls went on there */
static const char *calls_text(char *text, u64 calls, u64 resumed)
{
	if (resumed)
		snprintf(text, CALLS_TEXT, "%llu+%llu", calls, resumed);
	else
		snprintf(text, CALLS_TEXT, "%llu", calls);
	return text;
}

/* The tree */

static void print_numbers(const struct printer *p, const struct callnode *n)
{
	char calls[CALLS_TEXT], total[UNIT_TEXT], self[UNIT_TEXT];

	fprintf(p->out, "%10s %12s %12s %7.2f  ", calls_text(calls, n->calls, n->resumed),
		unit_text(total, n->total, p->how->table.unit),
		unit_text(self, n->self, p->how->table.unit), share(p, n->total));
}

static void print_others(const struct printer *p, const u32 *node, size_t nr, unsigned int level)
{
	struct callnode others = { 0 };
	size_t i;

	for (i = 0; i < nr; i++) {
		others.calls += p->v->tree->node[node[i]].calls;
		others.resumed += p->v->tree->node[node[i]].resumed;
		others.total += p->v->tree->node[node[i]].total;
	}
	others.self = others.total;
	print_numbers(p, &others);
	fprintf(p->out, "%*sothers (%zu)\n", 2 * level, "", nr);
}

static void print_children(const struct printer *p, u32 parent, unsigned int level)
{
	const u32 *child = p->v->order.node + p->v->order.first[parent];
	size_t nr = p->v->order.first[parent + 1] - p->v->order.first[parent], i;
	size_t shown = p->how->table.top ? MIN(nr, p->how->table.top) : nr;
	unsigned int functions = level + p->how->joined;	/* levels of them, with this one */

	if (p->how->depth && functions > p->how->depth)
		return;
	for (i = 0; i < shown; i++) {
		print_numbers(p, &p->v->tree->node[child[i]]);
		fprintf(p->out, "%*s", 2 * level, "");
		visible_put(p->out, graph_node_name(p->v, p->how, child[i]));
		fputc('\n', p->out);
		print_children(p, child[i], level + 1);
	}
	if (shown < nr)
		print_others(p, child + shown, nr - shown, level);
}

static void print_tree(const struct printer *p)
{
	struct callnode all = p->v->tree->node[CALLTREE_ROOT];

	fprintf(p->out, "\n%10s %12s %12s %7s  %s\n", "CALLS", "TOTAL", "SELF", "%",
		p->how->joined ? "FUNCTION" : "EL2 ENTRY, FUNCTION");
	print_children(p, CALLTREE_ROOT, 0);
	if (p->how->joined) {
		all.calls = p->v->f->result.entries;
		all.total = all.self;
		print_numbers(p, &all);
		fputs("[in no function]\n", p->out);
	}
}

/* Functions */

static void add_time(const struct printer *p, struct table *t, u64 ns)
{
	table_add_time(t, ns, p->how->table.unit);
}

static void add_share(const struct printer *p, struct table *t, u64 ns)
{
	table_add_percent(t, share(p, ns));
}

static void add_others(struct table *t, size_t nr)
{
	char name[32];

	snprintf(name, sizeof(name), "others (%zu)", nr);
	table_add(t, name);
}

static void add_calls(struct table *t, u64 calls, u64 resumed)
{
	char text[CALLS_TEXT];

	table_add(t, calls_text(text, calls, resumed));
}

static void add_durations(const struct printer *p, struct table *t, const struct dist_summary *d)
{
	const u64 ns[] = { d->mean, d->min, d->p50, d->p99, d->max };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ns); i++) {
		if (d->count)
			add_time(p, t, ns[i]);
		else
			table_add(t, "-");
	}
}

static void add_function(const struct printer *p, struct table *t, const struct callrow *r)
{
	table_add(t, r->name);
	add_calls(t, r->calls, r->resumed);
	add_time(p, t, r->total);
	add_share(p, t, r->total);
	add_time(p, t, r->self);
	add_share(p, t, r->self);
	add_durations(p, t, &r->d);
}

/* Totals contain each other: only those of self are added */
static void add_other_functions(const struct printer *p, struct table *t, size_t from)
{
	const struct callrows *f = &p->v->functions;
	u64 calls = 0, resumed = 0, self = 0;
	size_t i;

	for (i = from; i < f->nr; i++) {
		calls += f->row[i].calls;
		resumed += f->row[i].resumed;
		self += f->row[i].self;
	}
	add_others(t, f->nr - from);
	add_calls(t, calls, resumed);
	table_add(t, "");
	table_add(t, "");
	add_time(p, t, self);
	add_share(p, t, self);
	for (i = 0; i < 5; i++)
		table_add(t, "");
}

static const struct column function_columns[] = {
	{ "calls", 0 }, { "total", 1 }, { "%", 0 }, { "self", 2 }, { "%self", 0 },
	{ "mean", 4 }, { "min", 6 }, { "p50", 3 }, { "p99", 5 }, { "max", 0 },
};

static int print_functions(const struct printer *p)
{
	struct table t = {
		.title = "FUNCTION", .column = function_columns,
		.nr = ARRAY_SIZE(function_columns),
	};
	const struct callrows *f = &p->v->functions;
	size_t i, shown = p->how->table.top ? MIN(f->nr, p->how->table.top) : f->nr;

	if (p->v->function) {
		add_function(p, &t, p->v->function);
		return table_end(&t, p->how->table.width, p->out);
	}
	for (i = 0; i < shown; i++)
		add_function(p, &t, &f->row[i]);
	if (shown < f->nr)
		add_other_functions(p, &t, shown);
	return table_end(&t, p->how->table.width, p->out);
}

/* Callers and callees */

static void add_cells(const struct printer *p, struct table *t, const struct callrow *r, u64 ns)
{
	u64 all = p->v->function->total;

	add_calls(t, r->calls, r->resumed);
	add_time(p, t, ns);
	table_add_percent(t, all ? 100.0 * ns / all : 0);
}

/* Totals of a recursive function contain each other: they are not added */
static void add_other_related(const struct printer *p, struct table *t, const struct callrows *r,
			      size_t from)
{
	struct callrow others = { 0 };
	u64 all = 0;
	size_t i;

	for (i = 0; i < r->nr; i++)
		all += r->row[i].total;
	for (i = from; i < r->nr; i++) {
		others.calls += r->row[i].calls;
		others.resumed += r->row[i].resumed;
		others.total += r->row[i].total;
	}
	add_others(t, r->nr - from);
	if (all <= p->v->function->total) {
		add_cells(p, t, &others, others.total);
		return;
	}
	add_calls(t, others.calls, others.resumed);
	table_add(t, "");
	table_add(t, "");
}

static int print_related(const struct printer *p, const char *title, const struct callrows *r,
			 const struct callrow *self)
{
	static const struct column columns[] = { { "calls", 0 }, { "total", 0 }, { "%", 0 } };
	struct table t = { .title = title, .column = columns, .nr = ARRAY_SIZE(columns) };
	size_t i, shown = p->how->table.top ? MIN(r->nr, p->how->table.top) : r->nr;

	for (i = 0; i < shown; i++) {
		table_add(&t, r->row[i].name);
		add_cells(p, &t, &r->row[i], r->row[i].total);
	}
	if (shown < r->nr)
		add_other_related(p, &t, r, shown);
	if (self) {
		table_add(&t, "[self]");
		add_cells(p, &t, self, self->self);
	}
	return table_end(&t, p->how->table.width, p->out);
}

int graph_text(const struct graph_view *v, const struct graph_how *how, FILE *out)
{
	const struct printer p = { .v = v, .how = how, .out = out };

	print_summary(&p);
	if (!v->function)
		print_tree(&p);
	if (print_functions(&p))
		return -1;
	if (!v->function)
		return 0;
	if (print_related(&p, "CALLER", &v->callers, NULL))
		return -1;
	return print_related(&p, "CALLS", &v->callees, v->function);
}
