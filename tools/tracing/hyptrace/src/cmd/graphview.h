/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_GRAPHVIEW_H
#define HYPTRACE_GRAPHVIEW_H

#include "analysis/callrows.h"
#include "analysis/filegraph.h"
#include "cmd/tableargs.h"
#include "lib/types.h"

/**
 * struct graph_how - what is printed
 * @table:	of what, and how it looks. As text, the rows below a row are a table, too
 * @joined:	one tree for all EL2 entries, else one for each kind
 * @function:	callers and callees of this function only, or NULL
 * @pattern:	only EL2 entries that match it, or NULL
 * @key:	order of rows
 * @depth:	as text, at most so many functions below an EL2 entry; 0 for all
 */
struct graph_how {
	struct tableargs table;
	bool joined;
	const char *function;
	const char *pattern;
	enum callrows_key key;
	u64 depth;
};

/**
 * struct graph_view - what there is to print
 * @f:		all
 * @tree:	the tree, with or without kinds of EL2 entries
 * @order:	of it
 * @functions:	all functions
 * @function:	of --function: the one, or NULL
 * @callers:	of that
 * @callees:	of that
 */
struct graph_view {
	const struct filegraph *f;
	const struct calltree *tree;
	struct callorder order;
	struct callrows functions;
	const struct callrow *function;
	struct callrows callers;
	struct callrows callees;
};

/** graph_node_name - the name of a node that is not the root */
const char *graph_node_name(const struct graph_view *v, const struct graph_how *how, u32 node);

#endif
