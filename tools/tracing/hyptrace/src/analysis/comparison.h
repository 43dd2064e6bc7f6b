/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares two sets of profiles, of one run or of several: which durations differ, and which
 * differences are noise.
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

/* What durations are of */
enum comparison_kind {
	COMPARE_REASONS,	/* EL2 entries, by their reason */
	COMPARE_HCALLS,		/* hypercalls */
	COMPARE_WAYS,		/* world switches, by their direction */
	NR_COMPARE_KINDS
};

/**
 * struct comparison_side - the runs before the change, or those after it
 * @run:	their profiles
 * @nr:		how many, at least 1
 * @all:	the durations of all of them, by name
 */
struct comparison_side {
	const struct profile **run;
	unsigned int nr;
	struct dists *all[NR_COMPARE_KINDS];
};

/**
 * struct comparison - both sides
 * @side:	the sides; @run and @nr are set by the caller
 * @limited:	a row fails that became slower by more than @limit; set by the caller
 * @limit:	in percent
 * @tests:	how many rows are tested
 */
struct comparison {
	struct comparison_side side[2];
	bool limited;
	double limit;
	unsigned int tests;
};

/**
 * struct comparison_row - one thing whose durations are compared
 * @kind:	of which kind it is
 * @name:	what it is
 * @s:		summary of each side's durations
 * @typical:	what a typical duration of each side is, in ns: the mean of its runs, each of
 *		which has the mean without its shortest and its longest tenth
 * @rank:	result of the Mann-Whitney test, if both have some
 * @by_runs:	@p is of the t-test of runs, else of @rank
 * @p:		the probability of a difference at least as large by chance
 * @verdict:	the verdict
 */
struct comparison_row {
	enum comparison_kind kind;
	const char *name;
	struct dist_summary s[2];
	double typical[2];
	struct ranksum rank;
	bool by_runs;
	double p;
	enum verdict verdict;
};

/** typedef comparison_row_fn - takes one row */
typedef void (*comparison_row_fn)(void *ctx, const struct comparison_row *r);

/**
 * comparison_init - compare
 * @c:		the runs of both sides, which must outlive the comparison; else 0
 *
 * Return: 0, or -1 with a message; comparison_free() is needed in either case.
 */
int comparison_init(struct comparison *c);
void comparison_free(struct comparison *c);

/**
 * comparison_each - call @fn for each row of a kind
 *
 * In the order of the first side's totals, then those only on the second side.
 *
 * Return: 0, or -1 with a message.
 */
int comparison_each(const struct comparison *c, enum comparison_kind kind, comparison_row_fn fn,
		    void *ctx);

/** comparison_both - whether both sides have what a row is about */
bool comparison_both(const struct comparison_row *r);

/** comparison_ratio - @b to @a; 0 if @a is 0 */
double comparison_ratio(double b, double a);

/** comparison_change - how much longer it takes on the second side, in percent */
double comparison_change(const struct comparison_row *r);

/** comparison_fails - whether it became slower by more than the limit */
bool comparison_fails(const struct comparison *c, const struct comparison_row *r);

/** comparison_rate_ratio - of counts a second, since recordings differ in length */
double comparison_rate_ratio(const struct comparison *c, const struct comparison_row *r);

/** comparison_share - the share of a place in the time of all CPUs of a side, in percent */
double comparison_share(const struct comparison *c, unsigned int side, enum place place);

/** comparison_wall - the time of all runs of a side, in ns */
u64 comparison_wall(const struct comparison *c, unsigned int side);

#endif
