// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace compare
 */
#include <stdio.h>

#include "cmdline.h"
#include "commands.h"
#include "compare.h"
#include "json.h"
#include "log.h"
#include "ranksum.h"
#include "statread.h"

/* The test: see the command's help */
#define LEVEL		0.01
#define LEAST_EFFECT	0.06
#define LEAST_COUNT	20

#define NAME_WIDTH	30

enum verdict {
	VERDICT_NOISE,
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_FEW,
	VERDICT_ONLY_A,
	VERDICT_ONLY_B,
};

static const char * const verdicts[] = {
	[VERDICT_NOISE]		= "noise",
	[VERDICT_FASTER]	= "faster",
	[VERDICT_SLOWER]	= "slower",
	[VERDICT_FEW]		= "few",
	[VERDICT_ONLY_A]	= "only in A",
	[VERDICT_ONLY_B]	= "only in B",
};

/**
 * struct row - one thing whose durations are compared
 * @name:	what it is
 * @s:		what is said of each recording's durations
 * @rank:	the test, if both have some
 * @verdict:	what comes of it
 */
struct row {
	const char *name;
	struct dist_summary s[2];
	struct ranksum rank;
	enum verdict verdict;
};

/**
 * struct comparison - a comparison in progress
 * @s:		both recordings
 * @tests:	how many rows are tested
 * @out:	where the text goes
 * @json:	as JSON
 */
struct comparison {
	const struct stat_data *s[2];
	unsigned int tests;
	FILE *out;
	bool json;
};

/* The rows */

static void summarize(struct dist *d, struct dist_summary *s)
{
	static const struct dist_summary none;

	if (d)
		dist_summarize(d, s);
	else
		*s = none;
}

static enum verdict judge(const struct comparison *c, const struct row *r)
{
	double effect = r->rank.larger - 0.5;

	if (!r->s[1].count)
		return VERDICT_ONLY_A;
	if (!r->s[0].count)
		return VERDICT_ONLY_B;
	if (r->s[0].count < LEAST_COUNT || r->s[1].count < LEAST_COUNT)
		return VERDICT_FEW;
	if (r->rank.p * c->tests >= LEVEL ||
	    (effect < LEAST_EFFECT && effect > -LEAST_EFFECT))
		return VERDICT_NOISE;
	return effect > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
}

/* Return: false if it is in neither recording */
static bool fill_row(const struct comparison *c, const char *name,
		     struct dist *a, struct dist *b, struct row *r)
{
	const u64 *value[2];
	size_t nr[2];

	*r = (struct row) { .name = name, .rank.p = 1, .rank.larger = 0.5 };
	summarize(a, &r->s[0]);
	summarize(b, &r->s[1]);
	if (!r->s[0].count && !r->s[1].count)
		return false;
	if (r->s[0].count && r->s[1].count) {
		value[0] = dist_sorted(a, &nr[0]);
		value[1] = dist_sorted(b, &nr[1]);
		r->rank = ranksum(value[0], nr[0], value[1], nr[1]);
	}
	r->verdict = judge(c, r);
	return true;
}

static double ratio(double b, double a)
{
	return a > 0 ? b / a : 0;
}

/* Of times a second, as recordings are of different lengths */
static double rate_ratio(const struct comparison *c, const struct row *r)
{
	return ratio(ratio(r->s[1].count, c->s[1]->result.wall),
		     ratio(r->s[0].count, c->s[0]->result.wall));
}

/* As text */

static void text_ratio(const struct comparison *c, const struct row *r,
		       double value)
{
	if (r->s[0].count && r->s[1].count)
		fprintf(c->out, " %6.2f", value);
	else
		fprintf(c->out, " %6s", "-");
}

static void text_pair(const struct comparison *c, const struct row *r, u64 a,
		      u64 b)
{
	fprintf(c->out, "  %11.3f %11.3f", a / 1e3, b / 1e3);
	text_ratio(c, r, ratio(b, a));
}

static void text_row(const struct comparison *c, const struct row *r)
{
	fprintf(c->out, "%-*s %9llu %9llu", NAME_WIDTH, r->name, r->s[0].count,
		r->s[1].count);
	text_ratio(c, r, rate_ratio(c, r));
	text_pair(c, r, r->s[0].p50, r->s[1].p50);
	text_pair(c, r, r->s[0].p99, r->s[1].p99);
	if (r->s[0].count && r->s[1].count)
		fprintf(c->out, "  %6.3f %8.1e  %s\n", r->rank.larger, r->rank.p,
			verdicts[r->verdict]);
	else
		fprintf(c->out, "  %6s %8s  %s\n", "-", "-", verdicts[r->verdict]);
}

static void text_head(const struct comparison *c, const char *what)
{
	fprintf(c->out, "\n%-*s %9s %9s %6s  %11s %11s %6s  %11s %11s %6s  %6s %8s  %s\n",
		NAME_WIDTH, what, "count A", "B", "per s", "p50 A", "B", "ratio",
		"p99 A", "B", "ratio", "larger", "p", "verdict");
}

/* As JSON */

static void json_side(const struct comparison *c, char side,
		      const struct dist_summary *s)
{
	fprintf(c->out, ", \"%c\": {\"count\": %llu, \"total\": %llu, \"mean\": %llu, \"p50\": %llu, \"p90\": %llu, \"p99\": %llu, \"max\": %llu}",
		side, s->count, s->total, s->mean, s->p50, s->p90, s->p99, s->max);
}

static void json_row(const struct comparison *c, const struct row *r)
{
	fputs("{\"name\": ", c->out);
	json_string(c->out, r->name);
	json_side(c, 'a', &r->s[0]);
	json_side(c, 'b', &r->s[1]);
	fprintf(c->out, ", \"rate_ratio\": %.6g, \"larger\": %.6g, \"p\": %.6g, \"verdict\": \"%s\"}",
		rate_ratio(c, r), r->rank.larger, r->rank.p, verdicts[r->verdict]);
}

/* Tables of rows */

static void put_row(const struct comparison *c, const char *key, unsigned int *nr,
		    const struct row *r)
{
	if (c->json)
		fputs(*nr ? ",\n  " : "\n  ", c->out);
	else if (!*nr)
		text_head(c, key);
	(*nr)++;
	if (c->json)
		json_row(c, r);
	else
		text_row(c, r);
}

static void compare_dists(const struct comparison *c, const char *head,
			  const struct dists *a, const struct dists *b)
{
	unsigned int i, nr = 0;
	struct row r;
	struct dist *d;

	for (i = 0; (d = dists_at(a, i)); i++) {
		if (fill_row(c, dist_name(d), d, dists_find(b, dist_name(d)), &r))
			put_row(c, head, &nr, &r);
	}
	for (i = 0; (d = dists_at(b, i)); i++) {
		if (!dists_find(a, dist_name(d)) &&
		    fill_row(c, dist_name(d), NULL, d, &r))
			put_row(c, head, &nr, &r);
	}
}

static void compare_ways(const struct comparison *c)
{
	unsigned int i, nr = 0;
	struct row r;

	for (i = 0; i < NR_WAYS; i++) {
		if (fill_row(c, stat_way_name(i), times_way(c->s[0]->times, i),
			     times_way(c->s[1]->times, i), &r))
			put_row(c, "SWITCH", &nr, &r);
	}
}

/* Rows that both recordings have enough of */
static unsigned int count_tested(struct dist *a, struct dist *b)
{
	struct dist_summary s[2];

	summarize(a, &s[0]);
	summarize(b, &s[1]);
	return s[0].count >= LEAST_COUNT && s[1].count >= LEAST_COUNT;
}

static unsigned int count_tests(const struct dists *a, const struct dists *b)
{
	unsigned int i, nr = 0;
	struct dist *d;

	for (i = 0; (d = dists_at(a, i)); i++)
		nr += count_tested(d, dists_find(b, dist_name(d)));
	return nr;
}

static void count_all_tests(struct comparison *c)
{
	unsigned int i;

	c->tests = count_tests(c->s[0]->reasons, c->s[1]->reasons) +
		   count_tests(c->s[0]->hcalls, c->s[1]->hcalls);
	for (i = 0; i < NR_WAYS; i++)
		c->tests += count_tested(times_way(c->s[0]->times, i),
					 times_way(c->s[1]->times, i));
}

/* Where the time of all CPUs went, in percent */
static double share(const struct stat_data *s, enum place place)
{
	const struct times_row *r;
	double part = 0, all = 0;
	unsigned int i;

	for (i = 0; (r = times_cpu(s->times, i)); i++) {
		part += r->ns[place];
		all += s->result.wall;
	}
	return 100 * ratio(part, all);
}

static const char * const places[NR_PLACES] = {
	[PLACE_HOST]	= "host",
	[PLACE_EL2]	= "el2",
	[PLACE_GUEST]	= "guest",
	[PLACE_UNKNOWN]	= "unknown",
};

static void text_shares(const struct comparison *c)
{
	enum place p;

	fprintf(c->out, "%-*s %9s %9s\n", NAME_WIDTH, "TIME, %", "A", "B");
	for (p = 0; p < NR_PLACES; p++)
		fprintf(c->out, "%-*s %9.2f %9.2f\n", NAME_WIDTH, places[p],
			share(c->s[0], p), share(c->s[1], p));
}

static void json_shares(const struct comparison *c)
{
	enum place p;

	for (p = 0; p < NR_PLACES; p++)
		fprintf(c->out, "%s\"%s\": [%.6g, %.6g]", p ? ", " : "",
			places[p], share(c->s[0], p), share(c->s[1], p));
}

static void print_text(const struct comparison *c)
{
	text_shares(c);
	compare_dists(c, "EL2 ENTRY", c->s[0]->reasons, c->s[1]->reasons);
	compare_dists(c, "HYPERCALL", c->s[0]->hcalls, c->s[1]->hcalls);
	compare_ways(c);
}

static void print_json(const struct comparison *c)
{
	fprintf(c->out, "{\"wall\": [%llu, %llu], \"tests\": %u, \"percent\": {",
		c->s[0]->result.wall, c->s[1]->result.wall, c->tests);
	json_shares(c);
	fputs("},\n\"entries\": [", c->out);
	compare_dists(c, NULL, c->s[0]->reasons, c->s[1]->reasons);
	fputs("],\n\"hypercalls\": [", c->out);
	compare_dists(c, NULL, c->s[0]->hcalls, c->s[1]->hcalls);
	fputs("],\n\"switches\": [", c->out);
	compare_ways(c);
	fputs("]}\n", c->out);
}

void compare_print(const struct stat_data *a, const struct stat_data *b,
		   bool json, FILE *out)
{
	struct comparison c = { .s = { a, b }, .out = out, .json = json };

	count_all_tests(&c);
	if (json)
		print_json(&c);
	else
		print_text(&c);
}

/* The command line */

static const char doc[] =
	"Says what changed from recording A to recording B: the shares of time; for\n"
	"each reason to enter EL2, each hypercall and each way between host and guest\n"
	"how often it happened, its median and its 99th percentile in microseconds,\n"
	"and whether its durations differ or that is noise.\n"
	"\vRatios are B to A; 'per s' is that of the times a second.\n"
	"\n"
	"The verdict is that of the test of Mann and Whitney: 'larger' is the share of\n"
	"pairs of a duration of each in which B's is larger (equal ones count half), p\n"
	"how likely it is to be as far from 0.5 if nothing changed. It is 'slower' or\n"
	"'faster' if p, times the number of tests made, is below 0.01, and 'larger' is\n"
	"0.06 or more away from 0.5; else 'noise'. Durations that follow each other\n"
	"are not independent, so that p alone is too small: hence the second\n"
	"condition. With less than 20 durations on a side there is no verdict ('few').\n"
	"\n"
	"Exit status: 0; 1 on errors, or if a file is corrupt in places; 2 for a wrong\n"
	"command line.";

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "one JSON document, all times in ns", 0 },
	{ 0 }
};

struct options {
	struct input in;
	bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "A B",
	.doc = doc,
	.children = cmdline_input,
};

static int read_both(const struct input *in, struct datr *d[2],
		     struct statread *s[2])
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		d[i] = input_open(in, i);
		s[i] = d[i] ? stat_read(d[i], input_cpus(in), NULL) : NULL;
		if (!s[i])
			return -1;
	}
	return 0;
}

static int run(const struct options *o)
{
	struct statread *s[2] = { NULL };
	struct datr *d[2] = { NULL };
	int ret = read_both(&o->in, d, s), i;

	if (!ret)
		compare_print(statread_data(s[0]), statread_data(s[1]), o->json,
			      stdout);
	for (i = 0; i < 2; i++) {
		if (s[i] && stat_check(s[i], d[i]))
			ret = -1;
		stat_free(s[i]);
		datr_free(d[i]);
	}
	return cmdline_exit(ret);
}

int compare_main(int argc, char **argv)
{
	struct options o = { .in.want = 2 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &o))
		ret = run(&o);
	input_free(&o.in);
	return ret;
}
