// SPDX-License-Identifier: GPL-2.0
/*
 * Folded stacks. See folded.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/callstack.h"
#include "analysis/filegraph.h"
#include "export/folded.h"
#include "lib/log.h"
#include "lib/visible.h"

/* Return: 0, or -1 with a message */
static int put_name(FILE *out, const char *name)
{
	char *copy = strdup(name), *at;

	if (!copy)
		return log_oom();
	for (at = copy; (at = strchr(at, ';')); )
		*at = ':';
	visible_put(out, copy);
	free(copy);
	return 0;
}

static const char *name_of(const struct callgraph *g, u32 node)
{
	const struct callnode *n = &callgraph_tree(g)->node[node];

	return n->parent == CALLTREE_ROOT ? callgraph_entry_name(g, n->what) :
					    callgraph_function_name(g, n->what);
}

static int put_stack(const struct callgraph *g, u32 node, FILE *out)
{
	const struct calltree *t = callgraph_tree(g);
	u32 path[CALLSTACK_DEPTH + 1];
	unsigned int nr = 0;
	u64 self = t->node[node].self;

	for (; node != CALLTREE_ROOT; node = t->node[node].parent)
		path[nr++] = node;
	while (nr--) {
		if (put_name(out, name_of(g, path[nr])))
			return -1;
		if (nr)
			fputc(';', out);
	}
	fprintf(out, " %llu\n", self);
	return 0;
}

static int put_stacks(const struct filegraph *f, FILE *out, struct folded_result *result)
{
	const struct calltree *t = callgraph_tree(f->graph);
	size_t i;

	result->calls = f->result;
	for (i = 1; i < t->nr && !ferror(out); i++) {
		if (!t->node[i].self)
			continue;
		result->stacks++;
		if (put_stack(f->graph, i, out))
			return -1;
	}
	return 0;
}

int folded_export(struct datr *d, const struct cpulist *cpus, FILE *out,
		  struct folded_result *result)
{
	const struct filegraph_rule rule = { .cpus = cpus };
	struct filegraph *f = filegraph_read(d, &rule);
	int ret;

	*result = (struct folded_result) { 0 };
	if (!f)
		return -1;
	ret = put_stacks(f, out, result) ?: fileprofile_check(f->profiler, d);
	filegraph_free(f);
	return ret;
}
