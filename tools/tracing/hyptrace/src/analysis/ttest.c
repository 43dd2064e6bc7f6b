// SPDX-License-Identifier: GPL-2.0
/*
 * Student's t-test. See ttest.h.
 */
#include <math.h>

#include "analysis/ttest.h"

static double mean_of(const double *value, size_t nr)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += value[i];
	return sum / nr;
}

/* The sum of the squares of the deviations from the mean */
static double squares_of(const double *value, size_t nr, double mean)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += (value[i] - mean) * (value[i] - mean);
	return sum;
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

double ttest(const double *a, size_t nr_a, const double *b, size_t nr_b)
{
	double mean_a = mean_of(a, nr_a), mean_b = mean_of(b, nr_b);
	double squares = squares_of(a, nr_a, mean_a) + squares_of(b, nr_b, mean_b);
	size_t n = nr_a + nr_b - 2;
	double error = sqrt(squares / n * (1.0 / nr_a + 1.0 / nr_b));

	if (mean_a == mean_b)
		return 1;
	return error > 0 ? probability((mean_b - mean_a) / error, n) : 0;
}
