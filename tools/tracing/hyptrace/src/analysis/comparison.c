// SPDX-License-Identifier: GPL-2.0
/*
 * Compares sets of profiles. See comparison.h.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/comparison.h"
#include "analysis/ttest.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

/* The verdict is described in the command's help */
#define LEVEL		0.01
#define LEAST_CHANGE	0.5
#define LEAST_COUNT	20
#define LEAST_RUNS	3

/* Of a recording that is alone */
#define PARTS		5

const char *verdict_name(enum verdict verdict)
{
	static const char * const names[] = {
		[VERDICT_NONE]		= "-",
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

/* The durations of a row, on one side */

/**
 * struct measured - the durations
 * @all:	of all recordings, or NULL
 * @value:	a typical duration of each recording that has enough of them, or of the fifths of
 *		one that is alone, in ns
 * @nr:		how many
 */
struct measured {
	struct dist *all;
	double *value;
	unsigned int nr;
};

static bool has_enough(const struct dist *d)
{
	return d && dist_count(d) >= LEAST_COUNT;
}

static int measure(const struct comparison_side *side, const struct comparison_row *r,
		   struct measured *m)
{
	unsigned int i, parts = side->nr > 1 ? 1 : PARTS, part;
	struct dist *d;

	m->all = dists_find(side->all[r->kind], r->name);
	m->value = calloc(side->nr * parts, sizeof(*m->value));
	if (!m->value)
		return log_oom();
	for (i = 0; i < side->nr; i++) {
		d = dists_find(dists_of(side->run[i], r->kind), r->name);
		for (part = 0; has_enough(d) && part < parts; part++)
			m->value[m->nr++] = dist_part_mean(d, part, parts);
	}
	return 0;
}

static double spread(const struct measured *m)
{
	struct estimate e;

	if (m->nr < 2)
		return NAN;
	e = estimate_mean(m->value, m->nr);
	return estimate_spread(&e, m->nr);
}

static bool by_runs(const struct comparison *c)
{
	return c->side[0].nr >= LEAST_RUNS && c->side[1].nr >= LEAST_RUNS;
}

const char *comparison_judged_by(const struct comparison *c)
{
	if (by_runs(c))
		return "recordings";
	return c->independent ? "durations" : NULL;
}

const char *comparison_doubt(const struct comparison *c)
{
	return comparison_judged_by(c) ? NULL :
	       "only 3 or more recordings of each show what chance does";
}

static bool is_testable(const struct comparison *c, const struct measured *m)
{
	return by_runs(c) ? m->nr >= LEAST_RUNS : c->independent && has_enough(m->all);
}

static struct estimate estimate(const struct comparison *c, const struct measured *m)
{
	const u64 *sorted;
	size_t nr = 0;

	if (by_runs(c) && m->nr)
		return estimate_mean(m->value, m->nr);
	sorted = m->all ? dist_sorted(m->all, &nr) : NULL;
	return nr ? estimate_middle(sorted, nr) : (struct estimate) { 0 };
}

/* Rows */

static void fill_row(const struct comparison *c, const struct measured m[2],
		     struct comparison_row *r)
{
	struct estimate e[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (m[i].all)
			dist_summarize(m[i].all, &r->s[i]);
		e[i] = estimate(c, &m[i]);
		r->typical[i] = e[i].mean;
		r->spread[i] = spread(&m[i]);
	}
	r->tested = is_testable(c, &m[0]) && is_testable(c, &m[1]);
	r->p = r->tested ? ttest(&e[0], &e[1]) : 1;
}

static int measure_row(const struct comparison *c, struct comparison_row *r)
{
	struct measured m[2] = { 0 };
	int ret = measure(&c->side[0], r, &m[0]) || measure(&c->side[1], r, &m[1]) ? -1 : 0;

	if (!ret)
		fill_row(c, m, r);
	free(m[0].value);
	free(m[1].value);
	return ret;
}

static int add_row(struct comparison *c, enum comparison_kind kind, const struct dist *d)
{
	struct comparison_row *r;

	if (!dist_count(d))
		return 0;
	if (array_room(&c->row, &c->room, c->nr + 1, sizeof(*c->row)))
		return log_oom();
	r = &c->row[c->nr++];
	*r = (struct comparison_row) { .kind = kind, .name = dist_name(d) };
	return measure_row(c, r);
}

static int add_rows(struct comparison *c, enum comparison_kind kind)
{
	const struct dists *a = c->side[0].all[kind], *b = c->side[1].all[kind];
	struct dist *d, *other;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && (d = dists_at(a, i)); i++)
		ret = add_row(c, kind, d);
	for (i = 0; !ret && (d = dists_at(b, i)); i++) {
		other = dists_find(a, dist_name(d));
		if (!other || !dist_count(other))
			ret = add_row(c, kind, d);
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

/* Verdicts */

static int compare_p(const void *a, const void *b)
{
	double x = (*(struct comparison_row * const *)a)->p;
	double y = (*(struct comparison_row * const *)b)->p;

	return (x > y) - (x < y);
}

/*
 * For the number of tests, as in Holm, "A simple sequentially rejective multiple test
 * procedure", 1979
 */
static int correct(struct comparison *c)
{
	struct comparison_row **sorted = calloc(c->nr + 1, sizeof(*sorted));
	unsigned int i;
	double p = 0;

	if (!sorted)
		return log_oom();
	for (i = 0; i < c->nr; i++) {
		if (c->row[i].tested)
			sorted[c->tests++] = &c->row[i];
	}
	qsort(sorted, c->tests, sizeof(*sorted), compare_p);
	for (i = 0; i < c->tests; i++) {
		p = fmax(p, fmin(1, sorted[i]->p * (c->tests - i)));
		sorted[i]->p = p;
	}
	free(sorted);
	return 0;
}

static enum verdict judge(const struct comparison *c, const struct comparison_row *r)
{
	double change = comparison_change(r);

	if (!r->s[1].count)
		return VERDICT_ONLY_A;
	if (!r->s[0].count)
		return VERDICT_ONLY_B;
	if (!comparison_judged_by(c))
		return VERDICT_NONE;
	if (!r->tested)
		return VERDICT_FEW;
	if (r->p >= LEVEL || fabs(change) < LEAST_CHANGE)
		return VERDICT_NOISE;
	return change > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
}

static int judge_all(struct comparison *c)
{
	unsigned int i;

	if (correct(c))
		return -1;
	for (i = 0; i < c->nr; i++) {
		c->row[i].verdict = judge(c, &c->row[i]);
		c->failed += comparison_fails(c, &c->row[i]);
	}
	return 0;
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

	for (kind = 0; kind < NR_COMPARE_KINDS; kind++) {
		if (add_runs(&c->side[0], kind) || add_runs(&c->side[1], kind) ||
		    add_rows(c, kind))
			return -1;
	}
	return judge_all(c);
}

void comparison_free(struct comparison *c)
{
	enum comparison_kind kind;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		for (kind = 0; kind < NR_COMPARE_KINDS; kind++)
			dists_free(c->side[i].all[kind]);
	}
	free(c->row);
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
