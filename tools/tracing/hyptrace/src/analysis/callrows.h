/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of a call graph as rows: of each function, and of what calls it and what it
 * calls; and the order of a tree's nodes.
 */
#ifndef HYPTRACE_CALLROWS_H
#define HYPTRACE_CALLROWS_H

#include "analysis/callgraph.h"
#include "analysis/dist.h"
#include "lib/types.h"

/**
 * struct callrow - a row
 * @name:	of a function, or of a kind of EL2 entries
 * @is_entry:	it is such a kind
 * @what:	its number
 * @calls:	how many
 * @resumed:	how many went on in another EL2 entry, one for each of these
 * @total:	time in the calls, ns; each moment once, also of recursive ones
 * @self:	time in it, but not in functions that it calls
 * @d:		durations of complete calls, of callrows_functions()
 */
struct callrow {
	const char *name;
	bool is_entry;
	u32 what;
	u64 calls;
	u64 resumed;
	u64 total;
	u64 self;
	struct dist_summary d;
};

/**
 * struct callrows - rows; callrows_free()
 * @row:	the rows
 * @nr:		how many
 */
struct callrows {
	struct callrow *row;
	size_t nr;
};

/* What rows and nodes are sorted by: the name ascending, or a number descending */
enum callrows_key {
	CALLROWS_TOTAL,
	CALLROWS_SELF,
	CALLROWS_CALLS,
	CALLROWS_NAME,
	CALLROWS_MEAN,		/* from here on, rows only: nodes are sorted by the total */
	CALLROWS_MIN,
	CALLROWS_P50,
	CALLROWS_P99,
	CALLROWS_MAX,
};

/** callrows_functions - all functions that were counted. Return: 0, or -1 with a message. */
int callrows_functions(const struct callgraph *g, enum callrows_key key, struct callrows *out);

/**
 * callrows_callers - where a function is called
 * @g:		the graph
 * @what:	the function
 * @key:	the order
 * @out:	gets the rows: @calls, @resumed and @total are of the calls from there
 *
 * The sum of @calls is that of the function. That of @total is as well, unless the function is
 * recursive: then a moment can be in more than one row.
 *
 * Return: 0, or -1 with a message.
 */
int callrows_callers(const struct callgraph *g, u32 what, enum callrows_key key,
		     struct callrows *out);

/**
 * callrows_callees - what a function calls
 * @g:		the graph
 * @what:	the function
 * @key:	the order
 * @out:	gets the rows: @calls, @resumed and @total are of the calls by it
 *
 * callrows_callers() of the one called has the same numbers in the row of @what.
 *
 * The time of self and the sum of @total are the total of the function, unless it is recursive.
 *
 * Return: 0, or -1 with a message.
 */
int callrows_callees(const struct callgraph *g, u32 what, enum callrows_key key,
		     struct callrows *out);
void callrows_free(struct callrows *r);

/**
 * struct callorder - the children of each node, in order; callorder_free()
 * @node:	the nodes but the root, by their parent
 * @first:	of each node, where its children begin in @node; they end where those of the
 *		next one begin
 */
struct callorder {
	u32 *node;
	size_t *first;
};

/**
 * callorder_new - sort
 * @g:		has the names
 * @t:		its tree, or one made of it by calltree_join()
 * @joined:	it is such a one
 * @key:	the order
 * @out:	gets it
 *
 * Return: 0, or -1 with a message.
 */
int callorder_new(const struct callgraph *g, const struct calltree *t, bool joined,
		  enum callrows_key key, struct callorder *out);
void callorder_free(struct callorder *o);

#endif
