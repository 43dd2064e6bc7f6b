// SPDX-License-Identifier: GPL-2.0
/*
 * Distributions. See dist.h.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "dist.h"
#include "log.h"
#include "util.h"

/**
 * struct dist - a distribution
 * @key:	of dists_get()
 * @name:	for people, or NULL
 * @value:	the values
 * @nr:		how many
 * @room:	how many fit
 * @total:	their sum
 */
struct dist {
	u64 key;
	char *name;
	u64 *value;
	size_t nr;
	size_t room;
	u64 total;
};

/**
 * struct dists - distributions
 * @by_key:	a tree, of tsearch()
 * @dist:	all of them
 * @nr:		how many
 * @room:	how many fit
 */
struct dists {
	void *by_key;
	struct dist **dist;
	unsigned int nr;
	unsigned int room;
};

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* One distribution */

int dist_add(struct dist *d, u64 value)
{
	size_t room = d->room ? 2 * d->room : 16;
	u64 *bigger;

	if (d->nr == d->room) {
		bigger = realloc(d->value, room * sizeof(*bigger));
		if (!bigger)
			return log_oom();
		d->value = bigger;
		d->room = room;
	}
	d->value[d->nr++] = value;
	d->total += value;
	return 0;
}

const char *dist_name(const struct dist *d)
{
	return d->name;
}

int dist_set_name(struct dist *d, const char *name)
{
	char *copy = xasprintf("%s", name);

	if (!copy)
		return -1;
	free(d->name);
	d->name = copy;
	return 0;
}

static int compare_values(const void *a, const void *b)
{
	return compare_u64(*(const u64 *)a, *(const u64 *)b);
}

/* Of sorted values: the least that @percent of them do not exceed */
static u64 percentile(const struct dist *d, unsigned int percent)
{
	size_t rank = (d->nr / 100) * percent +
		      ((d->nr % 100) * percent + 99) / 100;

	return d->value[rank - 1];
}

const u64 *dist_sorted(struct dist *d, size_t *nr)
{
	if (d->nr)
		qsort(d->value, d->nr, sizeof(*d->value), compare_values);
	*nr = d->nr;
	return d->value;
}

void dist_summarize(struct dist *d, struct dist_summary *out)
{
	size_t nr;

	memset(out, 0, sizeof(*out));
	dist_sorted(d, &nr);
	if (!nr)
		return;
	out->count = d->nr;
	out->total = d->total;
	out->mean = d->total / d->nr + (d->total % d->nr >= (d->nr + 1) / 2);
	out->p50 = percentile(d, 50);
	out->p90 = percentile(d, 90);
	out->p99 = percentile(d, 99);
	out->max = d->value[d->nr - 1];
}

void dist_histogram(const struct dist *d, u64 bucket[DIST_BUCKETS])
{
	u64 value;
	size_t i;

	memset(bucket, 0, DIST_BUCKETS * sizeof(*bucket));
	for (i = 0; i < d->nr; i++) {
		value = d->value[i];
		bucket[value ? 64 - __builtin_clzll(value) : 0]++;
	}
}

/* Many */

struct dists *dists_new(void)
{
	struct dists *s = calloc(1, sizeof(*s));

	if (!s)
		log_oom();
	return s;
}

static int compare_keys(const void *a, const void *b)
{
	return compare_u64(((const struct dist *)a)->key,
			   ((const struct dist *)b)->key);
}

static int make_room(struct dists *s)
{
	unsigned int room = s->room ? 2 * s->room : 16;
	struct dist **bigger;

	if (s->nr < s->room)
		return 0;
	bigger = realloc(s->dist, room * sizeof(*bigger));
	if (!bigger)
		return log_oom();
	s->dist = bigger;
	s->room = room;
	return 0;
}

static struct dist *add_dist(struct dists *s, u64 key)
{
	struct dist *d;

	if (make_room(s))
		return NULL;
	d = calloc(1, sizeof(*d));
	if (d)
		d->key = key;
	if (!d || !tsearch(d, &s->by_key, compare_keys)) {
		free(d);
		log_oom();
		return NULL;
	}
	s->dist[s->nr++] = d;
	return d;
}

struct dist *dists_get(struct dists *s, u64 key)
{
	struct dist wanted = { .key = key }, **found;

	found = tfind(&wanted, &s->by_key, compare_keys);
	return found ? *found : add_dist(s, key);
}

struct dist *dists_find(const struct dists *s, const char *name)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (s->dist[i]->name && !strcmp(s->dist[i]->name, name))
			return s->dist[i];
	}
	return NULL;
}

/* The largest first; equal ones by their key */
static int compare_totals(const void *a, const void *b)
{
	const struct dist *x = *(struct dist * const *)a;
	const struct dist *y = *(struct dist * const *)b;

	if (x->total != y->total)
		return compare_u64(y->total, x->total);
	return compare_u64(x->key, y->key);
}

void dists_sort(struct dists *s)
{
	if (s->nr)
		qsort(s->dist, s->nr, sizeof(*s->dist), compare_totals);
}

struct dist *dists_at(const struct dists *s, unsigned int i)
{
	return i < s->nr ? s->dist[i] : NULL;
}

void dists_free(struct dists *s)
{
	unsigned int i;

	if (!s)
		return;
	for (i = 0; i < s->nr; i++) {
		tdelete(s->dist[i], &s->by_key, compare_keys);
		free(s->dist[i]->value);
		free(s->dist[i]->name);
		free(s->dist[i]);
	}
	free(s->dist);
	free(s);
}
