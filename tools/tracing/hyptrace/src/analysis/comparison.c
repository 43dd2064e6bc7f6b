// SPDX-License-Identifier: GPL-2.0
/*
 * Compares sets of profiles. See comparison.h.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/comparison.h"
#include "analysis/ttest.h"
#include "lib/log.h"

/* The verdict is described in the command's help */
#define LEVEL		0.01
#define LEAST_EFFECT	0.06
#define LEAST_CHANGE	0.5
#define LEAST_COUNT	20
#define LEAST_RUNS	3

const char *verdict_name(enum verdict verdict)
{
	static const char * const names[] = {
		[VERDICT_NOISE]		= "noise",
		[VERDICT_FASTER]	= "faster",
		[VERDICT_SLOWER]	= "slower",
		[VERDICT_FEW]		= "few",
		[VERDICT_ONLY_A]	= "only in A",
		[VERDICT_ONLY_B]	= "only in B",
	};

	return names[verdict];
}

static struct dists *dists_of(const struct profile *s, enum comparison_kind kind)
{
	switch (kind) {
	case COMPARE_REASONS:
		return s->reasons;
	case COMPARE_HCALLS:
		return s->hcalls;
	case COMPARE_WAYS:
	case NR_COMPARE_KINDS:
		break;
	}
	return times_ways(s->times);
}

static void summarize(struct dist *d, struct dist_summary *s)
{
	static const struct dist_summary none;

	if (d)
		dist_summarize(d, s);
	else
		*s = none;
}

/* The durations of runs */

/* Of a distribution that has values */
static double middle_mean(struct dist *d)
{
	size_t nr;
	const u64 *value = dist_sorted(d, &nr);

	return dist_middle_mean(value, nr);
}

/**
 * struct runs - the typical duration of each run that has enough durations
 * @value:	the durations, in ns
 * @nr:		how many runs
 */
struct runs {
	double *value;
	unsigned int nr;
};

static int measure_runs(const struct comparison_side *side, enum comparison_kind kind,
			const char *name, struct runs *out)
{
	struct dist *d;
	unsigned int i;

	out->nr = 0;
	out->value = calloc(side->nr, sizeof(*out->value));
	if (!out->value)
		return log_oom();
	for (i = 0; i < side->nr; i++) {
		d = dists_find(dists_of(side->run[i], kind), name);
		if (d && dist_count(d) >= LEAST_COUNT)
			out->value[out->nr++] = middle_mean(d);
	}
	return 0;
}

static double typical(const struct runs *runs, struct dist *all)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < runs->nr; i++)
		sum += runs->value[i];
	return runs->nr ? sum / runs->nr : middle_mean(all);
}

/* Rows */

static enum verdict judge(const struct comparison *c, const struct comparison_row *r)
{
	double change = comparison_change(r), effect = r->rank.larger - 0.5;

	if (!r->s[1].count)
		return VERDICT_ONLY_A;
	if (!r->s[0].count)
		return VERDICT_ONLY_B;
	if (r->s[0].count < LEAST_COUNT || r->s[1].count < LEAST_COUNT)
		return VERDICT_FEW;
	if (r->p * c->tests >= LEVEL)
		return VERDICT_NOISE;
	if (r->by_runs ? fabs(change) < LEAST_CHANGE : fabs(effect) < LEAST_EFFECT)
		return VERDICT_NOISE;
	return (r->by_runs ? change : effect) > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
}

static void test_runs(const struct runs runs[2], struct dist *all[2], struct comparison_row *r)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		r->typical[i] = typical(&runs[i], all[i]);
	r->by_runs = runs[0].nr >= LEAST_RUNS && runs[1].nr >= LEAST_RUNS;
	if (r->by_runs)
		r->p = ttest(runs[0].value, runs[0].nr, runs[1].value, runs[1].nr);
}

/* Of what both sides have */
static int test(const struct comparison *c, struct dist *all[2], struct comparison_row *r)
{
	struct runs runs[2] = { 0 };
	const u64 *value[2];
	size_t nr[2];
	int ret = 0;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		value[i] = dist_sorted(all[i], &nr[i]);
		ret |= measure_runs(&c->side[i], r->kind, r->name, &runs[i]);
	}
	r->rank = ranksum(value[0], nr[0], value[1], nr[1]);
	r->p = r->rank.p;
	if (!ret)
		test_runs(runs, all, r);
	free(runs[0].value);
	free(runs[1].value);
	return ret;
}

static int put_row(const struct comparison *c, enum comparison_kind kind, const char *name,
		   comparison_row_fn fn, void *ctx)
{
	struct comparison_row r = {
		.kind = kind, .name = name, .rank = { .larger = 0.5, .p = 1 }, .p = 1,
	};
	struct dist *all[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		all[i] = dists_find(c->side[i].all[kind], name);
		summarize(all[i], &r.s[i]);
	}
	if (!r.s[0].count && !r.s[1].count)
		return 0;
	if (comparison_both(&r) && test(c, all, &r))
		return -1;
	r.verdict = judge(c, &r);
	fn(ctx, &r);
	return 0;
}

int comparison_each(const struct comparison *c, enum comparison_kind kind, comparison_row_fn fn,
		    void *ctx)
{
	struct dists *a = c->side[0].all[kind], *b = c->side[1].all[kind];
	struct dist *d;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && (d = dists_at(a, i)); i++)
		ret = put_row(c, kind, dist_name(d), fn, ctx);
	for (i = 0; !ret && (d = dists_at(b, i)); i++) {
		if (!dists_find(a, dist_name(d)))
			ret = put_row(c, kind, dist_name(d), fn, ctx);
	}
	return ret;
}

bool comparison_both(const struct comparison_row *r)
{
	return r->s[0].count && r->s[1].count;
}

double comparison_ratio(double b, double a)
{
	return a > 0 ? b / a : 0;
}

double comparison_change(const struct comparison_row *r)
{
	return r->typical[0] > 0 ? 100 * (r->typical[1] / r->typical[0] - 1) : 0;
}

bool comparison_fails(const struct comparison *c, const struct comparison_row *r)
{
	/* 5 % are not more than 5 %, even if they are rounded up */
	return c->limited && r->verdict == VERDICT_SLOWER &&
	       comparison_change(r) > c->limit + 0.000000001;
}

double comparison_rate_ratio(const struct comparison *c, const struct comparison_row *r)
{
	return comparison_ratio(comparison_ratio(r->s[1].count, comparison_wall(c, 1)),
				comparison_ratio(r->s[0].count, comparison_wall(c, 0)));
}

/* The number of tests: of rows that both sides have enough of */

static unsigned int count_tests(const struct dists *a, const struct dists *b)
{
	unsigned int i, nr = 0;
	struct dist *d, *other;

	for (i = 0; (d = dists_at(a, i)); i++) {
		other = dists_find(b, dist_name(d));
		nr += other && dist_count(d) >= LEAST_COUNT && dist_count(other) >= LEAST_COUNT;
	}
	return nr;
}

/* All runs of a side */

/* The key is the place in the list */
static struct dist *by_name(struct dists *all, const char *name)
{
	struct dist *d = dists_find(all, name);

	if (d)
		return d;
	d = dists_get(all, dists_nr(all));
	return d && !dists_set_name(all, d, name) ? d : NULL;
}

static int add_run(struct dists *all, const struct dists *run)
{
	struct dist *from, *to;
	unsigned int i;

	for (i = 0; (from = dists_at(run, i)); i++) {
		to = by_name(all, dist_name(from));
		if (!to || dist_pool(to, from))
			return -1;
	}
	return 0;
}

static int add_runs(struct comparison_side *side, enum comparison_kind kind)
{
	unsigned int i;

	side->all[kind] = dists_new(false);
	if (!side->all[kind])
		return -1;
	for (i = 0; i < side->nr; i++) {
		if (add_run(side->all[kind], dists_of(side->run[i], kind)))
			return -1;
	}
	if (kind != COMPARE_WAYS)
		dists_sort(side->all[kind]);
	return 0;
}

int comparison_init(struct comparison *c)
{
	enum comparison_kind kind;

	c->tests = 0;
	for (kind = 0; kind < NR_COMPARE_KINDS; kind++) {
		if (add_runs(&c->side[0], kind) || add_runs(&c->side[1], kind))
			return -1;
		c->tests += count_tests(c->side[0].all[kind], c->side[1].all[kind]);
	}
	return 0;
}

void comparison_free(struct comparison *c)
{
	enum comparison_kind kind;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		for (kind = 0; kind < NR_COMPARE_KINDS; kind++)
			dists_free(c->side[i].all[kind]);
	}
}

u64 comparison_wall(const struct comparison *c, unsigned int side)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < c->side[side].nr; i++)
		sum += c->side[side].run[i]->result.wall;
	return sum;
}

double comparison_share(const struct comparison *c, unsigned int side, enum place place)
{
	const struct comparison_side *s = &c->side[side];
	const struct times_row *r;
	double part = 0, all = 0;
	unsigned int i, cpu;

	for (i = 0; i < s->nr; i++) {
		for (cpu = 0; (r = times_cpu(s->run[i]->times, cpu)); cpu++) {
			part += r->ns[place];
			all += s->run[i]->result.wall;
		}
	}
	return 100 * comparison_ratio(part, all);
}
