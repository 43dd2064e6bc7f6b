// SPDX-License-Identifier: GPL-2.0
/*
 * The longest delays. See worst.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/worst.h"
#include "lib/array.h"
#include "lib/log.h"

struct worst {
	struct worst_rule rule;
	struct worst_vcpu *vcpu;
	size_t nr;
	size_t room;
};

struct worst *worst_new(const struct worst_rule *rule)
{
	struct worst *w = calloc(1, sizeof(*w));

	if (w)
		w->rule = *rule;
	else
		log_oom();
	return w;
}

static bool same_vcpu(const struct delay_vcpu *a, const struct delay_vcpu *b)
{
	return a->task == b->task && a->named == b->named && a->vm == b->vm &&
	       a->vcpu == b->vcpu;
}

static struct worst_vcpu *get_vcpu(struct worst *w, const struct delay_vcpu *whose)
{
	size_t i;

	for (i = 0; i < w->nr; i++) {
		if (same_vcpu(&w->vcpu[i].whose, whose))
			return &w->vcpu[i];
	}
	if (array_room(&w->vcpu, &w->room, w->nr + 1, sizeof(*w->vcpu))) {
		log_oom();
		return NULL;
	}
	w->vcpu[w->nr] = (struct worst_vcpu) { .whose = *whose };
	return &w->vcpu[w->nr++];
}

static bool counts(const struct worst_rule *r, const struct delay *d)
{
	return d->end - d->start >= r->over && d->end >= r->from && d->start <= r->to &&
	       (!r->cpus || cpulist_has(r->cpus, d->cpu));
}

/* Of delays of the same length, the first one is kept */
static size_t place_of(const struct worst_vcpu *v, const struct delay *d)
{
	u64 ns = d->end - d->start;
	size_t i = v->nr;

	while (i && v->worst[i - 1].end - v->worst[i - 1].start < ns)
		i--;
	return i;
}

static int keep(struct worst_vcpu *v, struct delay *d, size_t at, u64 most)
{
	if (v->nr < most) {
		if (array_room(&v->worst, &v->room, v->nr + 1, sizeof(*v->worst)))
			return log_oom();
		v->nr++;
	} else {
		pieces_free(&v->worst[v->nr - 1].pieces);
	}
	memmove(&v->worst[at + 1], &v->worst[at], (v->nr - 1 - at) * sizeof(*v->worst));
	v->worst[at] = *d;
	d->pieces = (struct pieces) { 0 };
	return 0;
}

int worst_feed(struct worst *w, struct delay *d)
{
	struct worst_vcpu *v;
	size_t at;

	if (!counts(&w->rule, d))
		return 0;
	v = get_vcpu(w, &d->whose);
	if (!v)
		return -1;
	v->count++;
	v->ns += d->end - d->start;
	at = place_of(v, d);
	return at < w->rule.nr ? keep(v, d, at, w->rule.nr) : 0;
}

static int by_worst(const void *a, const void *b)
{
	const struct worst_vcpu *x = a, *y = b;
	u64 ns[2] = {
		x->worst[0].end - x->worst[0].start, y->worst[0].end - y->worst[0].start,
	};

	if (ns[0] != ns[1])
		return compare_u64(ns[1], ns[0]);
	return compare_u64(x->worst[0].start, y->worst[0].start);
}

void worst_sort(struct worst *w)
{
	if (w->nr)
		qsort(w->vcpu, w->nr, sizeof(*w->vcpu), by_worst);
}

const struct worst_vcpu *worst_vcpu(const struct worst *w, size_t i)
{
	return i < w->nr ? &w->vcpu[i] : NULL;
}

void worst_free(struct worst *w)
{
	size_t i, j;

	if (!w)
		return;
	for (i = 0; i < w->nr; i++) {
		for (j = 0; j < w->vcpu[i].nr; j++)
			pieces_free(&w->vcpu[i].worst[j].pieces);
		free(w->vcpu[i].worst);
	}
	free(w->vcpu);
	free(w);
}
