/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether two samples differ by more than chance: the Mann-Whitney test
 * ("On a test of whether one of two random variables is stochastically larger than
 * the other", 1947), with the normal approximation, a correction for ties and one for
 * continuity.
 */
#ifndef HYPTRACE_RANKSUM_H
#define HYPTRACE_RANKSUM_H

#include "lib/types.h"

/**
 * struct ranksum - the result
 * @larger:	of all pairs of a value of each sample, the share in which that of the
 *		second one is larger; pairs of equal values count half. 0.5 for
 *		samples that do not differ
 * @p:		probability of a share at least as far from 0.5 if they do not differ
 */
struct ranksum {
	double larger;
	double p;
};

/**
 * ranksum - compare two samples
 * @a:		the first one, ascending
 * @nr_a:	how many values, at least 1
 * @b:		the second one
 * @nr_b:	the same
 */
struct ranksum ranksum(const u64 *a, size_t nr_a, const u64 *b, size_t nr_b);

#endif
