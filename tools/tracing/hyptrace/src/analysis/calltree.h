/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree of calls: one node for all calls of a function that came about the same way.
 */
#ifndef HYPTRACE_CALLTREE_H
#define HYPTRACE_CALLTREE_H

#include <stddef.h>

#include "lib/types.h"
#include "lib/u64map.h"

/* The root, which is its own parent, and whose @what has no meaning */
#define CALLTREE_ROOT	0

/**
 * struct callnode - a node
 * @parent:	index of the node that it is called from, a smaller one
 * @what:	what is called, for the user of the tree
 * @calls:	how often
 * @resumed:	how often such a call went on there
 * @self:	time in it, ns, but not in its children
 * @total:	after calltree_sum(): and in these
 */
struct callnode {
	u32 parent;
	u32 what;
	u64 calls;
	u64 resumed;
	u64 self;
	u64 total;
};

/**
 * struct calltree - the tree
 * @node:	its nodes
 * @nr:		how many
 * @room:	of @node
 * @map:	finds a node by its parent and what it is
 */
struct calltree {
	struct callnode *node;
	size_t nr;
	size_t room;
	struct u64map map;
};

/** calltree_init - make the root. Return: 0, or -1 with a message. */
int calltree_init(struct calltree *t);
void calltree_free(struct calltree *t);

/**
 * calltree_child - the node of a call
 * @t:		the tree
 * @parent:	where it is called
 * @what:	what is called
 *
 * Return: its index, or -1 with a message.
 */
s32 calltree_child(struct calltree *t, u32 parent, u32 what);

/** calltree_sum - set the totals */
void calltree_sum(struct calltree *t);

/** calltree_join - make in @to, which is empty, the tree without the nodes below the root */
int calltree_join(const struct calltree *t, struct calltree *to);

/** calltree_is_outermost - whether no node above, below those of the root, is the same call */
bool calltree_is_outermost(const struct calltree *t, u32 node);

/** calltree_is_outermost_pair - whether no call above has the same function and caller */
bool calltree_is_outermost_pair(const struct calltree *t, u32 node);

#endif
