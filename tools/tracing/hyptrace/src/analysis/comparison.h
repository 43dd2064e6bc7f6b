/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares two sets of profiles, of one recording or of several: which durations differ, and
 * which differences are noise.
 *
 * The events of a recording are not independent of each other: a load, a cache or where a page
 * is makes many of them slower. So what is tested is one number of each recording, its typical
 * duration. With too few recordings, there is no verdict, unless the caller knows that events
 * are independent.
 */
#ifndef HYPTRACE_COMPARISON_H
#define HYPTRACE_COMPARISON_H

#include "analysis/conditions.h"
#include "analysis/dist.h"
#include "analysis/profiler.h"
#include "lib/types.h"

enum verdict {
	VERDICT_NONE,
	VERDICT_NOISE,
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_FEW,
	VERDICT_ONLY_A,
	VERDICT_ONLY_B,
};

/** verdict_name - the name that is printed: "-" for none */
const char *verdict_name(enum verdict verdict);

/* What durations are of */
enum comparison_kind {
	COMPARE_REASONS,	/* EL2 entries, by their reason */
	COMPARE_HCALLS,		/* hypercalls */
	COMPARE_WAYS,		/* world switches, by their direction */
	NR_COMPARE_KINDS
};

/**
 * struct comparison_side - the recordings before the change, or those after it
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
 * struct comparison_row - one thing whose durations are compared
 * @kind:	of which kind it is
 * @name:	what it is
 * @s:		summary of each side's durations
 * @typical:	what a typical duration of each side is, in ns: the mean without the shortest and
 *		the longest tenth; of three recordings or more each, the mean of those of each
 * @spread:	by how much it differs between the recordings of a side, in %: their standard
 *		deviation. If there is one recording, between its fifths. NAN if not known
 * @tested:	@typical of both sides are tested
 * @p:		the probability of a difference at least as large by chance, corrected for the
 *		number of tests; 1 without a test
 * @verdict:	the verdict
 */
struct comparison_row {
	enum comparison_kind kind;
	const char *name;
	struct dist_summary s[2];
	double typical[2];
	double spread[2];
	bool tested;
	double p;
	enum verdict verdict;
};

/**
 * struct comparison - both sides
 * @side:	the sides; @run and @nr are set by the caller
 * @differences: NR_CONDITIONS, of differences_find(); set by the caller, or NULL for none
 * @independent: the events of a recording are independent of each other; set by the caller
 * @limited:	a row fails that became slower by more than @limit; set by the caller
 * @limit:	in percent
 * @row:	the rows: kind by kind, in the order of the first side's totals, then those only
 *		on the second side
 * @nr:		how many
 * @room:	how many fit
 * @tests:	how many of them are tested
 * @failed:	how many of them fail
 */
struct comparison {
	struct comparison_side side[2];
	const struct difference *differences;
	bool independent;
	bool limited;
	double limit;
	struct comparison_row *row;
	unsigned int nr;
	size_t room;
	unsigned int tests;
	unsigned int failed;
};

/**
 * comparison_init - compare
 * @c:		what the caller sets, which must outlive the comparison; else 0
 *
 * Return: 0, or -1 with a message; comparison_free() is needed in either case.
 */
int comparison_init(struct comparison *c);
void comparison_free(struct comparison *c);

/** comparison_doubt - why there are no verdicts, for people; NULL if there are */
const char *comparison_doubt(const struct comparison *c);

/** comparison_judged_by - what is tested: "recordings" or "durations"; NULL if nothing is */
const char *comparison_judged_by(const struct comparison *c);

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
