// SPDX-License-Identifier: GPL-2.0
/*
 * A tree of calls. See calltree.h.
 */
#include <stdlib.h>

#include "analysis/calltree.h"
#include "lib/array.h"
#include "lib/log.h"

static int add_node(struct calltree *t, u32 parent, u32 what)
{
	if (array_room(&t->node, &t->room, t->nr + 1, sizeof(*t->node)))
		return log_oom();
	t->node[t->nr++] = (struct callnode) { .parent = parent, .what = what };
	return 0;
}

int calltree_init(struct calltree *t)
{
	*t = (struct calltree) { 0 };
	return add_node(t, CALLTREE_ROOT, 0);
}

void calltree_free(struct calltree *t)
{
	free(t->node);
	u64map_free(&t->map);
}

s32 calltree_child(struct calltree *t, u32 parent, u32 what)
{
	bool is_new;
	s32 i = u64map_get(&t->map, (u64)parent << 32 | what, &is_new);

	if (i < 0)
		return log_oom();
	if (is_new && add_node(t, parent, what))
		return -1;
	return i + 1;	/* behind the root */
}

void calltree_sum(struct calltree *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		t->node[i].total = t->node[i].self;
	for (i = t->nr - 1; i > 0; i--)
		t->node[t->node[i].parent].total += t->node[i].total;
}

static s32 join_node(const struct callnode *n, const s32 *index, struct calltree *to)
{
	s32 i = CALLTREE_ROOT;

	if (n->parent != CALLTREE_ROOT)
		i = calltree_child(to, index[n->parent], n->what);
	if (i < 0)
		return -1;
	to->node[i].calls += n->calls;
	to->node[i].resumed += n->resumed;
	to->node[i].self += n->self;
	return i;
}

int calltree_join(const struct calltree *t, struct calltree *to)
{
	s32 *index = calloc(t->nr, sizeof(*index));
	size_t i;
	int ret = 0;

	if (!index)
		return log_oom();
	for (i = 1; !ret && i < t->nr; i++) {
		index[i] = join_node(&t->node[i], index, to);
		ret = index[i] < 0 ? -1 : 0;
	}
	free(index);
	return ret;
}

static bool is_entry(const struct calltree *t, u32 node)
{
	return t->node[node].parent == CALLTREE_ROOT;
}

bool calltree_is_outermost(const struct calltree *t, u32 node)
{
	u32 what = t->node[node].what, i;

	for (i = t->node[node].parent; !is_entry(t, i); i = t->node[i].parent) {
		if (t->node[i].what == what)
			return false;
	}
	return true;
}

bool calltree_is_outermost_pair(const struct calltree *t, u32 node)
{
	u32 what = t->node[node].what, i = t->node[node].parent, above;
	u32 caller = t->node[i].what;

	for (; !is_entry(t, i) && !is_entry(t, t->node[i].parent); i = above) {
		above = t->node[i].parent;
		if (t->node[i].what == what && t->node[above].what == caller)
			return false;
	}
	return true;
}
