/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Distributions of durations. Either all values are kept, and summaries are exact, or
 * they are counted in ranges.
 */
#ifndef HYPTRACE_DIST_H
#define HYPTRACE_DIST_H

#include "lib/types.h"

/* Bucket 0 has the value 0, bucket n those from 2^(n-1) to 2^n - 1 */
#define DIST_BUCKETS	65

struct dist;

/* Distributions by a number that stands for what was measured */
struct dists;

/**
 * struct dist_summary - summary of a distribution; all 0 if it has no value
 * @count:	values
 * @total:	their sum
 * @mean:	to the nearest integer
 * @p50:	the smallest value that 50 % of all values do not exceed
 * @p90:	90 %
 * @p99:	99 %
 * @max:	the largest one
 * @min:	the smallest one
 * @p999:	99.9 %
 */
struct dist_summary {
	u64 count;
	u64 total;
	u64 mean;
	u64 p50;
	u64 p90;
	u64 p99;
	u64 max;
	u64 min;
	u64 p999;
};

/* What dists_sort_by() sorts by: the members of a summary, and the name */
enum dist_column {
	DIST_NAME,
	DIST_COUNT,
	DIST_TOTAL,
	DIST_MEAN,
	DIST_MIN,
	DIST_P50,
	DIST_P90,
	DIST_P99,
	DIST_P999,
	DIST_MAX,
	NR_DIST_KEYS
};

/**
 * dists_new - begin
 * @bounded:	count values in ranges, which takes 15 KB for each distribution;
 *		percentiles are then too large by at most 1/32
 *
 * Return: NULL with a message.
 */
struct dists *dists_new(bool bounded);

/** dists_clear - remove all values, but keep keys and names */
void dists_clear(struct dists *s);
void dists_free(struct dists *s);

/** dists_get - the one for @key, made if there is none. Return: NULL with a message. */
struct dist *dists_get(struct dists *s, u64 key);

/**
 * dists_set_name - name one of them that has no name yet, by a copy of @name
 *
 * Return: 0, or -1 with a message.
 */
int dists_set_name(struct dists *s, struct dist *d, const char *name);

/** dists_find - the first one with that name, NULL if there is none */
struct dist *dists_find(const struct dists *s, const char *name);

/** dists_sort - by the total, descending; sets the order of dists_at() */
void dists_sort(struct dists *s);

/** dists_sort_by - sort by the name, ascending, or by a number, descending */
void dists_sort_by(struct dists *s, enum dist_column key);

/** dists_nr - how many there are */
unsigned int dists_nr(const struct dists *s);

/** dists_at - the i-th one, or NULL behind the last */
struct dist *dists_at(const struct dists *s, unsigned int i);

/** dist_add - add a value. Return: 0, or -1 with a message. */
int dist_add(struct dist *d, u64 value);

/** dist_key - what was passed to dists_get() */
u64 dist_key(const struct dist *d);

/** dist_name - its name, NULL until dists_set_name() */
const char *dist_name(const struct dist *d);

/** dist_count - how many values it has */
u64 dist_count(const struct dist *d);

/** dist_pool - add all values of @from, which must keep them. Return: 0, -1 with a message. */
int dist_pool(struct dist *to, const struct dist *from);

/** dist_quantile - the smallest of @nr values, ascending, that @percent % do not exceed */
u64 dist_quantile(const u64 *sorted, size_t nr, double percent);

/** dist_middle_mean - the mean of @nr values, ascending, without the first and last tenth */
double dist_middle_mean(const u64 *sorted, size_t nr);

/**
 * dist_part_mean - dist_middle_mean() of a part of the values, in the order of dist_add()
 * @d:		one that keeps its values, at least @parts of them; each part loses its order
 * @part:	which one, from 0 on
 * @parts:	how many there are
 */
double dist_part_mean(struct dist *d, unsigned int part, unsigned int parts);

void dist_summarize(struct dist *d, struct dist_summary *out);

/**
 * dist_sorted - the values, ascending; not of one that counts them in ranges
 *
 * Return: @nr values, until the next dist_add().
 */
const u64 *dist_sorted(struct dist *d, size_t *nr);

/** dist_histogram - count the values by powers of two */
void dist_histogram(const struct dist *d, u64 bucket[DIST_BUCKETS]);

#endif
