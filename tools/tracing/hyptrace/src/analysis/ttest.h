/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the means of two samples differ by more than chance: Student's t-test ("The
 * probable error of a mean", 1908), two-sided, for equal variances. The distribution function
 * is the finite sum for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
 */
#ifndef HYPTRACE_TTEST_H
#define HYPTRACE_TTEST_H

#include "lib/types.h"

/**
 * ttest - compare two samples
 * @a:		the first one
 * @nr_a:	how many values, at least 1; together at least 3
 * @b:		the second one
 * @nr_b:	the same
 *
 * Return: the probability of means that are at least as far apart, if only chance makes the
 * values differ.
 */
double ttest(const double *a, size_t nr_a, const double *b, size_t nr_b);

#endif
