// SPDX-License-Identifier: GPL-2.0
/*
 * Welch's t-test. See ttest.h.
 */
#include <math.h>
#include <sys/param.h>

#include "analysis/dist.h"
#include "analysis/ttest.h"

/* So that equal variances do not lose a degree of freedom by rounding errors */
#define ROUNDING	0.000000001

struct estimate estimate_mean(const double *value, size_t nr)
{
	struct estimate e = { .freedom = nr - 1 };
	double squares = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		e.mean += value[i];
	e.mean /= nr;
	for (i = 0; i < nr; i++)
		squares += (value[i] - e.mean) * (value[i] - e.mean);
	if (nr > 1)
		e.variance = squares / e.freedom / nr;
	return e;
}

/* The i-th value, where those that are left out are those next to them */
static double winsorized(const u64 *sorted, size_t nr, size_t i)
{
	size_t cut = nr / 10;

	return sorted[MIN(MAX(i, cut), nr - cut - 1)];
}

struct estimate estimate_middle(const u64 *sorted, size_t nr)
{
	double left = nr - nr / 10 * 2, mean = 0, squares = 0, off;
	struct estimate e = { .mean = dist_middle_mean(sorted, nr), .freedom = left - 1 };
	size_t i;

	for (i = 0; i < nr; i++)
		mean += winsorized(sorted, nr, i);
	mean /= nr;
	for (i = 0; i < nr; i++) {
		off = winsorized(sorted, nr, i) - mean;
		squares += off * off;
	}
	if (e.freedom > 0)
		e.variance = squares / left / e.freedom;
	return e;
}

double estimate_spread(const struct estimate *e, size_t nr)
{
	return e->mean > 0 ? 100 * sqrt(e->variance * nr) / e->mean : 0;
}

/* The probability that |t| is exceeded, with @n degrees of freedom */
static double probability(double t, size_t n)
{
	double angle = atan2(fabs(t), sqrt(n)), c = cos(angle);
	double term = n % 2 ? c : 1, sum = n == 1 ? 0 : term;
	size_t k;

	for (k = n % 2 ? 3 : 2; k + 1 < n; k += 2) {
		term *= c * c * (k - 1) / k;
		sum += term;
	}
	sum *= sin(angle);
	return fmax(0, 1 - (n % 2 ? (angle + sum) * M_2_PI : sum));
}

/* What @e adds to the reciprocal of the degrees of freedom */
static double share(const struct estimate *e, double variance)
{
	return e->variance > 0 ? pow(e->variance / variance, 2) / e->freedom : 0;
}

double ttest(const struct estimate *a, const struct estimate *b)
{
	double variance = a->variance + b->variance, freedom;

	if (a->mean == b->mean || !a->freedom || !b->freedom)
		return 1;
	if (!(variance > 0))
		return 0;
	freedom = 1 / (share(a, variance) + share(b, variance)) + ROUNDING;
	return probability((b->mean - a->mean) / sqrt(variance), freedom);
}
