// SPDX-License-Identifier: GPL-2.0
/*
 * Distributions. See dist.h.
 */
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dist.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

/**
 * struct dist - a distribution
 * @key:	of dists_get()
 * @name:	for messages and tables, or NULL
 * @value:	the values
 * @nr:		how many
 * @room:	how many fit
 * @count:	number of values in each range; NULL if all values are kept
 * @min:	the smallest, if there are any
 * @max:	the largest
 * @total:	their sum
 * @rank:	for dists_sort_by()
 */
struct dist {
	u64 key;
	char *name;
	u64 *value;
	size_t nr;
	size_t room;
	u64 *count;
	u64 min;
	u64 max;
	u64 total;
	u64 rank;
};

/**
 * struct dists - distributions
 * @by_key:	a tree, of tsearch()
 * @by_name:	another, of those with a name; the first one of each name
 * @bounded:	they count in ranges
 * @dist:	all of them
 * @nr:		how many
 * @room:	how many fit
 */
struct dists {
	void *by_key;
	void *by_name;
	bool bounded;
	struct dist **dist;
	unsigned int nr;
	size_t room;
};

/*
 * Ranges: a value below 64 has its own, then each power of two has 32.
 */

#define RANGE_BITS	5
#define NR_RANGES	((64 - RANGE_BITS + 1) << RANGE_BITS)

static unsigned int range_of(u64 value)
{
	unsigned int shift = 0;

	if (value >> (RANGE_BITS + 1))
		shift = 63 - RANGE_BITS - __builtin_clzll(value);
	return (shift << RANGE_BITS) + (value >> shift);
}

/* The largest value of a range */
static u64 range_end(unsigned int range)
{
	unsigned int shift = 0;

	if (range >> (RANGE_BITS + 1))
		shift = (range >> RANGE_BITS) - 1;
	return ((range - (shift << RANGE_BITS) + 1ULL) << shift) - 1;
}

/* One distribution */

static int keep_value(struct dist *d, u64 value)
{
	if (array_room(&d->value, &d->room, d->nr + 1, sizeof(*d->value)))
		return log_oom();
	d->value[d->nr] = value;
	return 0;
}

int dist_add(struct dist *d, u64 value)
{
	if (d->count)
		d->count[range_of(value)]++;
	else if (keep_value(d, value))
		return -1;
	if (!d->nr || value < d->min)
		d->min = value;
	d->nr++;
	d->total += value;
	if (value > d->max)
		d->max = value;
	return 0;
}

u64 dist_key(const struct dist *d)
{
	return d->key;
}

u64 dist_count(const struct dist *d)
{
	return d->nr;
}

int dist_pool(struct dist *to, const struct dist *from)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < from->nr; i++)
		ret = dist_add(to, from->value[i]);
	return ret;
}

const char *dist_name(const struct dist *d)
{
	return d->name;
}

static int compare_values(const void *a, const void *b)
{
	return compare_u64(*(const u64 *)a, *(const u64 *)b);
}

/* The end of the range that has the value of a rank, from 1 on */
static u64 value_in_ranges(const struct dist *d, u64 rank)
{
	unsigned int i = 0;
	u64 seen = d->count[0], end;

	while (seen < rank)
		seen += d->count[++i];
	end = range_end(i);
	return end < d->max ? end : d->max;
}

/* How many of @nr values are @percent %, at least one; of that, three decimals count */
static size_t quantile_rank(size_t nr, double percent)
{
	u64 parts = llround(percent * 1000);
	size_t rank = nr / 100000 * parts + (nr % 100000 * parts + 99999) / 100000;

	return rank ?: 1;
}

u64 dist_quantile(const u64 *sorted, size_t nr, double percent)
{
	return sorted[quantile_rank(nr, percent) - 1];
}

double dist_middle_mean(const u64 *sorted, size_t nr)
{
	size_t cut = nr / 10, i;
	double sum = 0;

	for (i = cut; i < nr - cut; i++)
		sum += sorted[i];
	return sum / (nr - 2 * cut);
}

/* Of sorted values, or of ranges */
static u64 quantile(const struct dist *d, double percent)
{
	if (d->count)
		return value_in_ranges(d, quantile_rank(d->nr, percent));
	return dist_quantile(d->value, d->nr, percent);
}

double dist_part_mean(struct dist *d, unsigned int part, unsigned int parts)
{
	size_t from = d->nr * part / parts, nr = d->nr * (part + 1) / parts - from;

	qsort(d->value + from, nr, sizeof(*d->value), compare_values);
	return dist_middle_mean(d->value + from, nr);
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
	if (!d->nr)
		return;
	if (!d->count)
		dist_sorted(d, &nr);
	out->count = d->nr;
	out->total = d->total;
	out->mean = d->total / d->nr + (d->total % d->nr >= (d->nr + 1) / 2);
	out->p50 = quantile(d, 50);
	out->p90 = quantile(d, 90);
	out->p99 = quantile(d, 99);
	out->max = d->max;
	out->min = d->min;
	out->p999 = quantile(d, 99.9);
}

static unsigned int bucket_of(u64 value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

void dist_histogram(const struct dist *d, u64 bucket[DIST_BUCKETS])
{
	size_t i;

	memset(bucket, 0, DIST_BUCKETS * sizeof(*bucket));
	/* no range lies in two buckets */
	for (i = 0; d->count && i < NR_RANGES; i++)
		bucket[bucket_of(range_end(i))] += d->count[i];
	for (i = 0; !d->count && i < d->nr; i++)
		bucket[bucket_of(d->value[i])]++;
}

/* Many */

struct dists *dists_new(bool bounded)
{
	struct dists *s = calloc(1, sizeof(*s));

	if (s)
		s->bounded = bounded;
	else
		log_oom();
	return s;
}

static int compare_keys(const void *a, const void *b)
{
	return compare_u64(((const struct dist *)a)->key,
			   ((const struct dist *)b)->key);
}

static void free_dist(struct dist *d)
{
	if (!d)
		return;
	free(d->value);
	free(d->count);
	free(d->name);
	free(d);
}

static struct dist *new_dist(u64 key, bool bounded)
{
	struct dist *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->key = key;
	if (!bounded)
		return d;
	d->count = calloc(NR_RANGES, sizeof(*d->count));
	if (d->count)
		return d;
	free(d);
	return NULL;
}

static struct dist *add_dist(struct dists *s, u64 key)
{
	struct dist *d;

	if (array_room(&s->dist, &s->room, s->nr + 1, sizeof(*s->dist))) {
		log_oom();
		return NULL;
	}
	d = new_dist(key, s->bounded);
	if (!d || !tsearch(d, &s->by_key, compare_keys)) {
		free_dist(d);
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

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct dist *)a)->name,
		      ((const struct dist *)b)->name);
}

int dists_set_name(struct dists *s, struct dist *d, const char *name)
{
	d->name = xasprintf("%s", name);
	if (!d->name)
		return -1;
	return tsearch(d, &s->by_name, compare_names) ? 0 : log_oom();
}

struct dist *dists_find(const struct dists *s, const char *name)
{
	const struct dist wanted = { .name = (char *)name };
	struct dist **found = tfind(&wanted, &s->by_name, compare_names);

	return found ? *found : NULL;
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

static u64 rank_of(struct dist *d, enum dist_column key)
{
	struct dist_summary s;

	dist_summarize(d, &s);
	switch (key) {
	case DIST_COUNT:
		return s.count;
	case DIST_TOTAL:
		return s.total;
	case DIST_MEAN:
		return s.mean;
	case DIST_MIN:
		return s.min;
	case DIST_P50:
		return s.p50;
	case DIST_P90:
		return s.p90;
	case DIST_P99:
		return s.p99;
	case DIST_P999:
		return s.p999;
	case DIST_MAX:
		return s.max;
	case DIST_NAME:
	case NR_DIST_KEYS:
		break;
	}
	return 0;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct dist *x = *(struct dist * const *)a;
	const struct dist *y = *(struct dist * const *)b;

	return compare_u64(y->rank, x->rank) ?: compare_totals(a, b);
}

static int compare_by_name(const void *a, const void *b)
{
	return compare_names(*(struct dist * const *)a, *(struct dist * const *)b);
}

void dists_sort_by(struct dists *s, enum dist_column key)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		s->dist[i]->rank = rank_of(s->dist[i], key);
	if (s->nr)
		qsort(s->dist, s->nr, sizeof(*s->dist),
		      key == DIST_NAME ? compare_by_name : compare_ranks);
}

unsigned int dists_nr(const struct dists *s)
{
	return s->nr;
}

struct dist *dists_at(const struct dists *s, unsigned int i)
{
	return i < s->nr ? s->dist[i] : NULL;
}

void dists_clear(struct dists *s)
{
	struct dist *d;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		d = s->dist[i];
		if (d->count)
			memset(d->count, 0, NR_RANGES * sizeof(*d->count));
		d->nr = 0;
		d->total = 0;
		d->min = 0;
		d->max = 0;
	}
}

void dists_free(struct dists *s)
{
	unsigned int i;

	if (!s)
		return;
	for (i = 0; i < s->nr; i++) {
		tdelete(s->dist[i], &s->by_key, compare_keys);
		if (s->dist[i]->name)
			tdelete(s->dist[i], &s->by_name, compare_names);
		free_dist(s->dist[i]);
	}
	free(s->dist);
	free(s);
}
