// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of functions. See callrows.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/callrows.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

/* Order */

static u64 rank_of(const struct callrow *r, enum callrows_key key)
{
	switch (key) {
	case CALLROWS_TOTAL:
	case CALLROWS_NAME:
		return r->total;
	case CALLROWS_SELF:
		return r->self;
	case CALLROWS_CALLS:
		return r->calls;
	case CALLROWS_MEAN:
		return r->d.mean;
	case CALLROWS_MIN:
		return r->d.min;
	case CALLROWS_P50:
		return r->d.p50;
	case CALLROWS_P99:
		return r->d.p99;
	case CALLROWS_MAX:
		return r->d.max;
	}
	return 0;
}

static int compare_rows(const struct callrow *a, const struct callrow *b, enum callrows_key key)
{
	u64 x = rank_of(a, key), y = rank_of(b, key);

	if (key != CALLROWS_NAME && x != y)
		return compare_u64(y, x);
	return strcmp(a->name, b->name) ?: compare_u64(a->what, b->what);
}

static int in_order(const void *a, const void *b, void *key)
{
	return compare_rows(a, b, *(const enum callrows_key *)key);
}

static void sort(struct callrows *r, enum callrows_key key)
{
	if (r->nr)
		qsort_r(r->row, r->nr, sizeof(*r->row), in_order, &key);
}

/* Functions */

static bool is_entry(const struct calltree *t, u32 node)
{
	return t->node[node].parent == CALLTREE_ROOT;
}

static void add_node(const struct calltree *t, u32 node, struct callrow *r)
{
	const struct callnode *n = &t->node[node];

	r->calls += n->calls;
	r->resumed += n->resumed;
	r->self += n->self;
	if (calltree_is_outermost(t, node))
		r->total += n->total;
}

static void drop_empty(struct callrows *r)
{
	size_t i, nr = 0;

	for (i = 0; i < r->nr; i++) {
		if (r->row[i].calls || r->row[i].resumed)
			r->row[nr++] = r->row[i];
	}
	r->nr = nr;
}

int callrows_functions(const struct callgraph *g, enum callrows_key key, struct callrows *out)
{
	const struct calltree *t = callgraph_tree(g);
	size_t i;

	out->nr = callgraph_nr_functions(g);
	out->row = calloc(out->nr + 1, sizeof(*out->row));
	if (!out->row)
		return log_oom();
	for (i = 1; i < t->nr; i++) {
		if (!is_entry(t, i))
			add_node(t, i, &out->row[t->node[i].what]);
	}
	for (i = 0; i < out->nr; i++) {
		out->row[i].what = i;
		out->row[i].name = callgraph_function_name(g, i);
		dist_summarize(callgraph_durations(g, i), &out->row[i].d);
	}
	drop_empty(out);
	sort(out, key);
	return 0;
}

/* Callers and callees */

/* Rows being made; those of @map come in its order */
struct gathering {
	const struct callgraph *g;
	struct u64map map;
	size_t room;
	struct callrows *out;
};

static struct callrow *row_of(struct gathering *s, bool entry, u32 what)
{
	bool is_new;
	s32 i = u64map_get(&s->map, (u64)entry << 32 | what, &is_new);

	if (i < 0 || array_room(&s->out->row, &s->room, i + 1, sizeof(*s->out->row))) {
		log_oom();
		return NULL;
	}
	if (is_new) {
		s->out->nr = i + 1;
		s->out->row[i] = (struct callrow) {
			.is_entry = entry, .what = what,
			.name = entry ? callgraph_entry_name(s->g, what) :
					callgraph_function_name(s->g, what),
		};
	}
	return &s->out->row[i];
}

static int end_gathering(struct gathering *s, int ret, enum callrows_key key)
{
	u64map_free(&s->map);
	sort(s->out, key);
	return ret;
}

/* The calls of a node count in the row of its function, or in that of its caller */
static int add_pair(struct gathering *s, const struct calltree *t, u32 node, u32 row)
{
	const struct callnode *n = &t->node[node];
	struct callrow *r = row_of(s, is_entry(t, row), t->node[row].what);

	if (!r)
		return -1;
	r->calls += n->calls;
	r->resumed += n->resumed;
	if (calltree_is_outermost_pair(t, node))
		r->total += n->total;
	return 0;
}

int callrows_callers(const struct callgraph *g, u32 what, enum callrows_key key,
		     struct callrows *out)
{
	const struct calltree *t = callgraph_tree(g);
	struct gathering s = { .g = g, .out = out };
	size_t i;
	int ret = 0;

	*out = (struct callrows) { 0 };
	for (i = 1; !ret && i < t->nr; i++) {
		if (!is_entry(t, i) && t->node[i].what == what)
			ret = add_pair(&s, t, i, t->node[i].parent);
	}
	return end_gathering(&s, ret, key);
}

int callrows_callees(const struct callgraph *g, u32 what, enum callrows_key key,
		     struct callrows *out)
{
	const struct calltree *t = callgraph_tree(g);
	struct gathering s = { .g = g, .out = out };
	size_t i;
	u32 caller;
	int ret = 0;

	*out = (struct callrows) { 0 };
	for (i = 1; !ret && i < t->nr; i++) {
		caller = t->node[i].parent;
		if (!is_entry(t, i) && !is_entry(t, caller) && t->node[caller].what == what)
			ret = add_pair(&s, t, i, i);
	}
	return end_gathering(&s, ret, key);
}

void callrows_free(struct callrows *r)
{
	free(r->row);
	*r = (struct callrows) { 0 };
}

/* The order of nodes */

struct ordering {
	const struct callgraph *g;
	const struct calltree *t;
	bool joined;
	enum callrows_key key;
};

static struct callrow row_of_node(const struct ordering *o, u32 node)
{
	const struct callnode *n = &o->t->node[node];
	bool entry = !o->joined && n->parent == CALLTREE_ROOT;

	return (struct callrow) {
		.name = entry ? callgraph_entry_name(o->g, n->what) :
				callgraph_function_name(o->g, n->what),
		.what = n->what, .calls = n->calls, .total = n->total, .self = n->self,
	};
}

static int nodes_in_order(const void *a, const void *b, void *ctx)
{
	const struct ordering *o = ctx;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	struct callrow p = row_of_node(o, x), q = row_of_node(o, y);

	return compare_u64(o->t->node[x].parent, o->t->node[y].parent) ?:
	       compare_rows(&p, &q, o->key);
}

static void sort_nodes(const struct ordering *o, struct callorder *out)
{
	size_t i, at = 0;

	for (i = 1; i < o->t->nr; i++)
		out->node[i - 1] = i;
	if (o->t->nr > 1)
		qsort_r(out->node, o->t->nr - 1, sizeof(*out->node), nodes_in_order, (void *)o);
	for (i = 0; i < o->t->nr; i++) {
		out->first[i] = at;
		while (at < o->t->nr - 1 && o->t->node[out->node[at]].parent == i)
			at++;
	}
	out->first[o->t->nr] = at;
}

int callorder_new(const struct callgraph *g, const struct calltree *t, bool joined,
		  enum callrows_key key, struct callorder *out)
{
	const struct ordering o = {
		.g = g, .t = t, .joined = joined,
		.key = key < CALLROWS_MEAN ? key : CALLROWS_TOTAL,
	};

	out->node = calloc(t->nr, sizeof(*out->node));
	out->first = calloc(t->nr + 1, sizeof(*out->first));
	if (!out->node || !out->first) {
		callorder_free(out);
		return log_oom();
	}
	sort_nodes(&o, out);
	return 0;
}

void callorder_free(struct callorder *o)
{
	free(o->node);
	free(o->first);
	*o = (struct callorder) { 0 };
}
