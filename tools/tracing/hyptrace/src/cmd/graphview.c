// SPDX-License-Identifier: GPL-2.0
/*
 * The names in a graph of EL2's functions. See graphview.h.
 */
#include "cmd/graphview.h"

const char *graph_node_name(const struct graph_view *v, const struct graph_how *how, u32 node)
{
	const struct callnode *n = &v->tree->node[node];

	if (!how->joined && n->parent == CALLTREE_ROOT)
		return callgraph_entry_name(v->f->graph, n->what);
	return callgraph_function_name(v->f->graph, n->what);
}
