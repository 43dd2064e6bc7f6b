/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares two profiles: which durations differ, and which differences are noise.
 */
#ifndef HYPTRACE_COMPARISON_H
#define HYPTRACE_COMPARISON_H

#include "analysis/dist.h"
#include "analysis/profiler.h"
#include "analysis/ranksum.h"
#include "lib/types.h"

enum verdict {
	VERDICT_NOISE,
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_FEW,
	VERDICT_ONLY_A,
	VERDICT_ONLY_B,
};

/** verdict_name - the name that is printed */
const char *verdict_name(enum verdict verdict);

/**
 * struct comparison - two profiles
 * @s:		both
 * @tests:	how many rows are tested
 */
struct comparison {
	const struct profile *s[2];
	unsigned int tests;
};

/**
 * struct comparison_row - one thing whose durations are compared
 * @name:	what it is
 * @s:		summary of each recording's durations
 * @rank:	result of the test, if both have some
 * @verdict:	the verdict
 */
struct comparison_row {
	const char *name;
	struct dist_summary s[2];
	struct ranksum rank;
	enum verdict verdict;
};

/** typedef comparison_row_fn - takes one row */
typedef void (*comparison_row_fn)(void *ctx, const struct comparison_row *r);

/** comparison_init - compare @b to @a; both must outlive the comparison */
void comparison_init(struct comparison *c, const struct profile *a,
		     const struct profile *b);

/*
 * Call @fn for each reason to enter EL2, hypercall or direction of a world switch that
 * is in one of the profiles: in the order of the first, then those only in the second.
 */
void comparison_reasons(const struct comparison *c, comparison_row_fn fn, void *ctx);
void comparison_hcalls(const struct comparison *c, comparison_row_fn fn, void *ctx);
void comparison_ways(const struct comparison *c, comparison_row_fn fn, void *ctx);

/** comparison_both - whether both profiles have what a row is about */
bool comparison_both(const struct comparison_row *r);

/** comparison_ratio - @b to @a; 0 if @a is 0 */
double comparison_ratio(double b, double a);

/** comparison_rate_ratio - of counts a second, since recordings differ in length */
double comparison_rate_ratio(const struct comparison *c, const struct comparison_row *r);

/** comparison_share - the share of a place in the time of all CPUs of the i-th, in percent */
double comparison_share(const struct comparison *c, unsigned int i, enum place place);

#endif
