// SPDX-License-Identifier: GPL-2.0
/*
 * The graph of EL2's functions as JSON. See graphjson.h.
 */
#include "cmd/graphjson.h"
#include "lib/json.h"

static void put_numbers(FILE *out, u64 calls, u64 resumed, u64 total)
{
	fprintf(out, ", \"calls\": %llu, \"resumed\": %llu, \"total\": %llu", calls, resumed,
		total);
}

static void put_children(const struct graph_view *v, const struct graph_how *how, u32 parent,
			 FILE *out)
{
	const struct callnode *n;
	size_t i;

	fputs("[", out);
	for (i = v->order.first[parent]; i < v->order.first[parent + 1]; i++) {
		n = &v->tree->node[v->order.node[i]];
		fputs(i > v->order.first[parent] ? ",\n {" : "\n {", out);
		fputs(!how->joined && parent == CALLTREE_ROOT ? "\"entry\": " :
		      "\"function\": ", out);
		json_string(out, graph_node_name(v, how, v->order.node[i]));
		put_numbers(out, n->calls, n->resumed, n->total);
		fprintf(out, ", \"self\": %llu, \"children\": ", n->self);
		put_children(v, how, v->order.node[i], out);
		fputs("}", out);
	}
	fputs("]", out);
}

static void put_durations(const struct dist_summary *d, FILE *out)
{
	static const char * const key[] = { "mean", "min", "p50", "p99", "max" };
	const u64 ns[] = { d->mean, d->min, d->p50, d->p99, d->max };
	unsigned int i;

	fprintf(out, ", \"measured\": %llu", d->count);
	for (i = 0; i < ARRAY_SIZE(key); i++) {
		fprintf(out, ", \"%s\": ", key[i]);
		if (d->count)
			fprintf(out, "%llu", ns[i]);
		else
			fputs("null", out);
	}
	fputs("}", out);
}

static void put_functions(const struct callrows *r, FILE *out)
{
	const struct callrow *row;
	size_t i;

	fputs(",\n\"functions\": [", out);
	for (i = 0; i < r->nr; i++) {
		row = &r->row[i];
		fputs(i ? ",\n {\"function\": " : "\n {\"function\": ", out);
		json_string(out, row->name);
		put_numbers(out, row->calls, row->resumed, row->total);
		fprintf(out, ", \"self\": %llu", row->self);
		put_durations(&row->d, out);
	}
	fputs("]", out);
}

static void put_related(const char *key, const struct callrows *r, FILE *out)
{
	size_t i;

	fprintf(out, ",\n\"%s\": [", key);
	for (i = 0; i < r->nr; i++) {
		fprintf(out, "%s{\"%s\": ", i ? ",\n " : "\n ",
			r->row[i].is_entry ? "entry" : "function");
		json_string(out, r->row[i].name);
		put_numbers(out, r->row[i].calls, r->row[i].resumed, r->row[i].total);
		fputs("}", out);
	}
	fputs("]", out);
}

void graph_json(const struct graph_view *v, const struct graph_how *how, FILE *out)
{
	const struct callgraph_result *r = &v->f->result;
	const struct profile *s = profiler_profile(v->f->profiler);

	fprintf(out, "{\"entries\": %llu, \"ns\": %llu, \"untraced\": %llu, \"other\": %llu, \"cut\": %llu, \"misnested\": %llu, \"entries_without_exit\": %llu, \"exits_without_entry\": %llu,\n",
		r->entries, r->ns, r->untraced, r->other, r->cut, r->misnested, s->result.no_exit,
		s->result.no_entry);
	fprintf(out, "\"calls\": %llu, \"too_deep\": %llu, \"without_return\": %llu, \"lost\": ",
		r->calls, r->overrun, r->unreturned);
	if (s->events.vague)
		fputs("null", out);
	else
		fprintf(out, "%llu", s->events.lost);
	fprintf(out, ", \"dropped\": %llu, \"losses\": %llu, \"misplaced\": %llu, \"corrupt\": %llu,\n",
		s->events.unmarked, s->result.losses, s->result.misplaced, s->corrupt.nr);
	fputs("\"tree\": ", out);
	put_children(v, how, CALLTREE_ROOT, out);
	put_functions(&v->functions, out);
	if (v->function) {
		put_related("callers", &v->callers, out);
		put_related("callees", &v->callees, out);
	}
	fputs("}\n", out);
}
