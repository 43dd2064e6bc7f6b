/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether two samples differ by more than chance: the test of Mann and Whitney
 * ("On a test of whether one of two random variables is stochastically larger than
 * the other", 1947), with the normal approximation, a correction for ties and one for
 * continuity.
 */
#ifndef HYPTRACE_RANKSUM_H
#define HYPTRACE_RANKSUM_H

#include "types.h"

/**
 * struct ranksum - what came out
 * @larger:	of all pairs of a value of each sample, the share in which the second
 *		one's is larger, with half of those in which they are equal: 0.5 for
 *		samples that do not differ
 * @p:		how likely a share so far from 0.5 is, if they do not: 0 to 1
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
