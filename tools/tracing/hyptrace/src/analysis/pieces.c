// SPDX-License-Identifier: GPL-2.0
/*
 * Pieces of a delay. See pieces.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/pieces.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

bool label_equal(const struct label *a, const struct label *b)
{
	return a->part == b->part && a->id == b->id;
}

int pieces_add(struct pieces *p, const struct piece *one)
{
	struct piece *last = p->nr ? &p->piece[p->nr - 1] : NULL;

	if (last && last->cpu == one->cpu && label_equal(&last->label, &one->label)) {
		last->end = one->end;
		return 0;
	}
	if (array_room(&p->piece, &p->room, p->nr + 1, sizeof(*p->piece)))
		return log_oom();
	p->piece[p->nr++] = *one;
	return 0;
}

static bool is_meant(const struct piece *one, const struct relabel *r)
{
	if (!r->any_cpu && one->cpu != r->cpu)
		return false;
	return !r->old || label_equal(&one->label, r->old);
}

/* The piece that @ts is inside of becomes two. Return: 0, -1 with a message. */
static int split(struct pieces *p, size_t i, u64 ts)
{
	if (p->piece[i].start >= ts)
		return 0;
	if (array_room(&p->piece, &p->room, p->nr + 1, sizeof(*p->piece)))
		return log_oom();
	memmove(&p->piece[i + 1], &p->piece[i], (p->nr - i) * sizeof(*p->piece));
	p->nr++;
	p->piece[i].end = ts;
	p->piece[i + 1].start = ts;
	return 0;
}

int pieces_relabel(struct pieces *p, const struct relabel *r)
{
	size_t i;

	for (i = p->nr; i-- && p->piece[i].end > r->since;) {
		if (!is_meant(&p->piece[i], r))
			continue;
		if (p->piece[i].start >= r->since) {
			p->piece[i].label = r->label;
			continue;
		}
		if (split(p, i, r->since))
			return -1;
		p->piece[i + 1].label = r->label;
	}
	return 0;
}

bool pieces_since(const struct pieces *p, unsigned int cpu, u64 since)
{
	size_t i;

	for (i = p->nr; i-- && p->piece[i].end > since;) {
		if (p->piece[i].cpu == cpu)
			return true;
	}
	return false;
}

void pieces_free(struct pieces *p)
{
	free(p->piece);
}

static int by_label(const void *a, const void *b)
{
	const struct total *x = a, *y = b;

	if (x->label.part != y->label.part)
		return x->label.part < y->label.part ? -1 : 1;
	return compare_u64(x->label.id, y->label.id);
}

static int by_ns(const void *a, const void *b)
{
	const struct total *x = a, *y = b;

	return x->ns != y->ns ? compare_u64(y->ns, x->ns) : by_label(a, b);
}

static void add_total(struct total *to, const struct total *one)
{
	to->ns += one->ns;
	to->nr += one->nr;
	if (one->longest->end - one->longest->start > to->longest->end - to->longest->start)
		to->longest = one->longest;
}

struct total *pieces_totals(const struct pieces *p, size_t *nr)
{
	struct total *t = calloc(p->nr + 1, sizeof(*t));
	const struct piece *one;
	size_t i;

	if (!t) {
		log_oom();
		return NULL;
	}
	for (i = 0; i < p->nr; i++) {
		one = &p->piece[i];
		t[i] = (struct total) { one->label, one->end - one->start, 1, one };
	}
	qsort(t, p->nr, sizeof(*t), by_label);
	*nr = 0;
	for (i = 0; i < p->nr; i++) {
		if (*nr && label_equal(&t[*nr - 1].label, &t[i].label))
			add_total(&t[*nr - 1], &t[i]);
		else
			t[(*nr)++] = t[i];
	}
	qsort(t, *nr, sizeof(*t), by_ns);
	return t;
}
