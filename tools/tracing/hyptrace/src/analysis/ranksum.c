// SPDX-License-Identifier: GPL-2.0
/*
 * The Mann-Whitney test. See ranksum.h.
 */
#include <math.h>

#include "analysis/ranksum.h"

/* Values from @at on that equal @value */
static size_t run_of(const u64 *values, size_t nr, size_t at, u64 value)
{
	size_t end = at;

	while (end < nr && values[end] == value)
		end++;
	return end - at;
}

struct ranksum ranksum(const u64 *a, size_t nr_a, const u64 *b, size_t nr_b)
{
	double u = 0, ties = 0, n = nr_a + nr_b, pairs = (double)nr_a * nr_b;
	double variance, z, run;
	size_t i = 0, j = 0, in_a, in_b;
	u64 value;

	while (i < nr_a || j < nr_b) {
		value = j == nr_b || (i < nr_a && a[i] < b[j]) ? a[i] : b[j];
		in_a = run_of(a, nr_a, i, value);
		in_b = run_of(b, nr_b, j, value);
		u += in_b * (i + in_a / 2.0);
		run = in_a + in_b;
		ties += run * run * run - run;
		i += in_a;
		j += in_b;
	}
	variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
	z = variance > 0 ? (fabs(u - pairs / 2) - 0.5) / sqrt(variance) : 0;
	return (struct ranksum) {
		.larger = u / pairs,
		.p = erfc(fmax(z, 0) / sqrt(2)),
	};
}
