// SPDX-License-Identifier: GPL-2.0
/*
 * Compares two profiles. See comparison.h.
 */
#include "analysis/comparison.h"

/* The verdict is described in the command's help */
#define LEVEL		0.01
#define LEAST_EFFECT	0.06
#define LEAST_COUNT	20

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

static void summarize(struct dist *d, struct dist_summary *s)
{
	static const struct dist_summary none;

	if (d)
		dist_summarize(d, s);
	else
		*s = none;
}

static enum verdict judge(const struct comparison *c, const struct comparison_row *r)
{
	double effect = r->rank.larger - 0.5;

	if (!r->s[1].count)
		return VERDICT_ONLY_A;
	if (!r->s[0].count)
		return VERDICT_ONLY_B;
	if (r->s[0].count < LEAST_COUNT || r->s[1].count < LEAST_COUNT)
		return VERDICT_FEW;
	if (r->rank.p * c->tests >= LEVEL ||
	    (effect < LEAST_EFFECT && effect > -LEAST_EFFECT))
		return VERDICT_NOISE;
	return effect > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
}

/* Return: false if it is in neither recording */
static bool fill_row(const struct comparison *c, const char *name,
		     struct dist *a, struct dist *b, struct comparison_row *r)
{
	const u64 *value[2];
	size_t nr[2];

	*r = (struct comparison_row) { .name = name, .rank.p = 1, .rank.larger = 0.5 };
	summarize(a, &r->s[0]);
	summarize(b, &r->s[1]);
	if (!r->s[0].count && !r->s[1].count)
		return false;
	if (r->s[0].count && r->s[1].count) {
		value[0] = dist_sorted(a, &nr[0]);
		value[1] = dist_sorted(b, &nr[1]);
		r->rank = ranksum(value[0], nr[0], value[1], nr[1]);
	}
	r->verdict = judge(c, r);
	return true;
}

double comparison_ratio(double b, double a)
{
	return a > 0 ? b / a : 0;
}

bool comparison_both(const struct comparison_row *r)
{
	return r->s[0].count && r->s[1].count;
}

double comparison_rate_ratio(const struct comparison *c, const struct comparison_row *r)
{
	return comparison_ratio(comparison_ratio(r->s[1].count, c->s[1]->result.wall),
				comparison_ratio(r->s[0].count, c->s[0]->result.wall));
}

/* Rows */

static void each_dist(const struct comparison *c, const struct dists *a,
		      const struct dists *b, comparison_row_fn fn, void *ctx)
{
	struct comparison_row r;
	struct dist *d;
	unsigned int i;

	for (i = 0; (d = dists_at(a, i)); i++) {
		if (fill_row(c, dist_name(d), d, dists_find(b, dist_name(d)), &r))
			fn(ctx, &r);
	}
	for (i = 0; (d = dists_at(b, i)); i++) {
		if (!dists_find(a, dist_name(d)) &&
		    fill_row(c, dist_name(d), NULL, d, &r))
			fn(ctx, &r);
	}
}

void comparison_reasons(const struct comparison *c, comparison_row_fn fn, void *ctx)
{
	each_dist(c, c->s[0]->reasons, c->s[1]->reasons, fn, ctx);
}

void comparison_hcalls(const struct comparison *c, comparison_row_fn fn, void *ctx)
{
	each_dist(c, c->s[0]->hcalls, c->s[1]->hcalls, fn, ctx);
}

void comparison_ways(const struct comparison *c, comparison_row_fn fn, void *ctx)
{
	struct comparison_row r;
	enum way way;

	for (way = 0; way < NR_WAYS; way++) {
		if (fill_row(c, way_name(way), times_way(c->s[0]->times, way),
			     times_way(c->s[1]->times, way), &r))
			fn(ctx, &r);
	}
}

/* The number of tests */

/* Rows that both recordings have enough of */
static unsigned int count_tested(struct dist *a, struct dist *b)
{
	struct dist_summary s[2];

	summarize(a, &s[0]);
	summarize(b, &s[1]);
	return s[0].count >= LEAST_COUNT && s[1].count >= LEAST_COUNT;
}

static unsigned int count_tests(const struct dists *a, const struct dists *b)
{
	unsigned int i, nr = 0;
	struct dist *d;

	for (i = 0; (d = dists_at(a, i)); i++)
		nr += count_tested(d, dists_find(b, dist_name(d)));
	return nr;
}

static void count_all_tests(struct comparison *c)
{
	unsigned int i;

	c->tests = count_tests(c->s[0]->reasons, c->s[1]->reasons) +
		   count_tests(c->s[0]->hcalls, c->s[1]->hcalls);
	for (i = 0; i < NR_WAYS; i++)
		c->tests += count_tested(times_way(c->s[0]->times, i),
					 times_way(c->s[1]->times, i));
}

void comparison_init(struct comparison *c, const struct profile *a,
		     const struct profile *b)
{
	c->s[0] = a;
	c->s[1] = b;
	count_all_tests(c);
}

double comparison_share(const struct comparison *c, unsigned int i, enum place place)
{
	const struct profile *s = c->s[i];
	const struct times_row *r;
	double part = 0, all = 0;
	unsigned int cpu;

	for (cpu = 0; (r = times_cpu(s->times, cpu)); cpu++) {
		part += r->ns[place];
		all += s->result.wall;
	}
	return 100 * comparison_ratio(part, all);
}
