/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether two means differ by more than chance: Welch's t-test ("The generalization of
 * 'Student's' problem when several different population variances are involved", 1947),
 * two-sided. The samples may differ in size and in variance. The degrees of freedom (Satterthwaite,
 * "An approximate distribution of estimates of variance components", 1946) are rounded down,
 * which makes p larger. The distribution function is then a finite sum (Abramowitz and
 * Stegun, 26.7.3 and 26.7.4).
 */
#ifndef HYPTRACE_TTEST_H
#define HYPTRACE_TTEST_H

#include "lib/types.h"

/**
 * struct estimate - a mean that was estimated by a sample
 * @mean:	the mean, in the unit of the values
 * @variance:	of @mean, in the square of that unit
 * @freedom:	degrees of freedom of @variance; 0 for a sample of one value, which has none
 */
struct estimate {
	double mean;
	double variance;
	double freedom;
};

/** estimate_mean - the mean of @nr independent values, at least 1 */
struct estimate estimate_mean(const double *value, size_t nr);

/**
 * estimate_middle - the mean of @nr independent values without the first and the last tenth
 * @sorted:	the values, ascending
 * @nr:		at least 1
 *
 * The variance is that of Yuen ("The two-sample trimmed t for unequal population variances",
 * 1974): of all values, where a value that is left out counts as its nearest neighbour that
 * is not.
 */
struct estimate estimate_middle(const u64 *sorted, size_t nr);

/** estimate_spread - standard deviation of the @nr values of an estimate_mean(), in % of it */
double estimate_spread(const struct estimate *e, size_t nr);

/**
 * ttest - compare two means
 * @a:		the first one
 * @b:		the second one
 *
 * Return: the probability of means that are at least as far apart, if only chance makes the
 * values differ. Without a degree of freedom, nothing is known of chance: 1.
 */
double ttest(const struct estimate *a, const struct estimate *b);

#endif
