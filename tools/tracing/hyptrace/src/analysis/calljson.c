// SPDX-License-Identifier: GPL-2.0
/*
 * A call graph as JSON. See calljson.h.
 */
#include "analysis/calljson.h"
#include "lib/json.h"

typedef const char *(*name_fn)(const struct callgraph *g, u32 what);

static void put_names(const struct callgraph *g, const char *key, u32 nr, name_fn name, FILE *out)
{
	u32 i;

	fprintf(out, "\"%s\": [", key);
	for (i = 0; i < nr; i++) {
		fputs(i ? ", " : "", out);
		json_string(out, name(g, i));
	}
	fputs("], ", out);
}

static void put_nodes(const struct calltree *t, FILE *out)
{
	const struct callnode *n;
	size_t i;

	fputs("\"nodes\": [", out);
	for (i = 1; i < t->nr; i++) {
		n = &t->node[i];
		fprintf(out, "%s[%u, %u, %llu, %llu, %llu]", i > 1 ? ", " : "", n->parent,
			n->what, n->calls, n->self, n->resumed);
	}
	fputs("]", out);
}

void calljson_print(const struct callgraph *g, const struct callgraph_result *r, FILE *out)
{
	fputs("{", out);
	put_names(g, "entries", callgraph_nr_entries(g), callgraph_entry_name, out);
	put_names(g, "functions", callgraph_nr_functions(g), callgraph_function_name, out);
	fprintf(out, "\"measured\": %llu, \"cut\": %llu, \"misnested\": %llu, \"too_deep\": %llu, ",
		r->entries, r->cut, r->misnested, r->overrun);
	put_nodes(callgraph_tree(g), out);
	fputs("}", out);
}
