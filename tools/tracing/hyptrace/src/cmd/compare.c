// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace compare
 */
#include <limits.h>
#include <stdio.h>

#include "analysis/comparison.h"
#include "analysis/fileprofile.h"
#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/compare.h"
#include "lib/json.h"
#include "lib/visible.h"

#define NAME_WIDTH	30

/**
 * struct printer - a comparison being printed
 * @c:		the comparison
 * @out:	where the text goes
 * @json:	as JSON
 * @key:	heading of the rows
 * @nr:		how many it has so far
 */
struct printer {
	const struct comparison *c;
	FILE *out;
	bool json;
	const char *key;
	unsigned int nr;
};

/* As text */

static void text_ratio(const struct printer *p, const struct comparison_row *r,
		       double value)
{
	if (comparison_both(r))
		fprintf(p->out, " %6.2f", value);
	else
		fprintf(p->out, " %6s", "-");
}

static void text_pair(const struct printer *p, const struct comparison_row *r, u64 a,
		      u64 b)
{
	fprintf(p->out, "  %11.3f %11.3f", a / 1e3, b / 1e3);
	text_ratio(p, r, comparison_ratio(b, a));
}

static void text_row(const struct printer *p, const struct comparison_row *r)
{
	visible_cell(p->out, r->name, -NAME_WIDTH, INT_MAX);
	fprintf(p->out, " %9llu %9llu", r->s[0].count, r->s[1].count);
	text_ratio(p, r, comparison_rate_ratio(p->c, r));
	text_pair(p, r, r->s[0].p50, r->s[1].p50);
	text_pair(p, r, r->s[0].p99, r->s[1].p99);
	if (comparison_both(r))
		fprintf(p->out, "  %6.3f %8.1e  %s\n", r->rank.larger, r->rank.p,
			verdict_name(r->verdict));
	else
		fprintf(p->out, "  %6s %8s  %s\n", "-", "-", verdict_name(r->verdict));
}

static void text_head(const struct printer *p, const char *what)
{
	fprintf(p->out, "\n%-*s %9s %9s %6s  %11s %11s %6s  %11s %11s %6s  %6s %8s  %s\n",
		NAME_WIDTH, what, "count A", "B", "per s", "p50 A", "B", "ratio",
		"p99 A", "B", "ratio", "larger", "p", "verdict");
}

/* As JSON */

static void json_side(const struct printer *p, char side,
		      const struct dist_summary *s)
{
	fprintf(p->out, ", \"%c\": {\"count\": %llu, \"total\": %llu, \"mean\": %llu, \"p50\": %llu, \"p90\": %llu, \"p99\": %llu, \"max\": %llu}",
		side, s->count, s->total, s->mean, s->p50, s->p90, s->p99, s->max);
}

static void json_row(const struct printer *p, const struct comparison_row *r)
{
	fputs("{\"name\": ", p->out);
	json_string(p->out, r->name);
	json_side(p, 'a', &r->s[0]);
	json_side(p, 'b', &r->s[1]);
	fprintf(p->out, ", \"rate_ratio\": %.6g, \"larger\": %.6g, \"p\": %.6g, \"verdict\": \"%s\"}",
		comparison_rate_ratio(p->c, r), r->rank.larger, r->rank.p,
		verdict_name(r->verdict));
}

/* Tables of rows */

static void put_row(void *ctx, const struct comparison_row *r)
{
	struct printer *p = ctx;

	if (p->json)
		fputs(p->nr ? ",\n  " : "\n  ", p->out);
	else if (!p->nr)
		text_head(p, p->key);
	p->nr++;
	if (p->json)
		json_row(p, r);
	else
		text_row(p, r);
}

typedef void (*table_fn)(const struct comparison *c, comparison_row_fn fn, void *ctx);

static void put_table(struct printer *p, const char *key, table_fn each_row)
{
	p->key = key;
	p->nr = 0;
	each_row(p->c, put_row, p);
}

static const char * const places[NR_PLACES] = {
	[PLACE_HOST]	= "host",
	[PLACE_EL2]	= "el2",
	[PLACE_GUEST]	= "guest",
	[PLACE_UNKNOWN]	= "unknown",
};

static void text_shares(const struct printer *p)
{
	enum place i;

	fprintf(p->out, "%-*s %9s %9s\n", NAME_WIDTH, "TIME, %", "A", "B");
	for (i = 0; i < NR_PLACES; i++)
		fprintf(p->out, "%-*s %9.2f %9.2f\n", NAME_WIDTH, places[i],
			comparison_share(p->c, 0, i), comparison_share(p->c, 1, i));
}

static void json_shares(const struct printer *p)
{
	enum place i;

	for (i = 0; i < NR_PLACES; i++)
		fprintf(p->out, "%s\"%s\": [%.6g, %.6g]", i ? ", " : "",
			places[i], comparison_share(p->c, 0, i),
			comparison_share(p->c, 1, i));
}

static void print_text(struct printer *p)
{
	text_shares(p);
	put_table(p, "EL2 ENTRY", comparison_reasons);
	put_table(p, "HYPERCALL", comparison_hcalls);
	put_table(p, "SWITCH", comparison_ways);
}

static void print_json(struct printer *p)
{
	const struct comparison *c = p->c;

	fprintf(p->out, "{\"wall\": [%llu, %llu], \"tests\": %u, \"percent\": {",
		c->s[0]->result.wall, c->s[1]->result.wall, c->tests);
	json_shares(p);
	fputs("},\n\"entries\": [", p->out);
	put_table(p, NULL, comparison_reasons);
	fputs("],\n\"hypercalls\": [", p->out);
	put_table(p, NULL, comparison_hcalls);
	fputs("],\n\"switches\": [", p->out);
	put_table(p, NULL, comparison_ways);
	fputs("]}\n", p->out);
}

void compare_print(const struct profile *a, const struct profile *b,
		   bool json, FILE *out)
{
	struct comparison c;
	struct printer p = { .c = &c, .out = out, .json = json };

	comparison_init(&c, a, b);
	if (json)
		print_json(&p);
	else
		print_text(&p);
}

/* The command line */

static const char doc[] =
	"Compares the statistics of two recordings, A before and B after a change:\n"
	"  * the shares of host, EL2 and guest in the time of all CPUs;\n"
	"  * for each reason to enter EL2, each hypercall and each direction of a world\n"
	"    switch: their counts, the ratio of the counts a second ('per s'), the\n"
	"    medians and the 99th percentiles in microseconds with their ratios, and a\n"
	"    verdict. Ratios are B to A.\n"
	"\vDurations are compared by the Mann-Whitney test. Each duration of A is paired\n"
	"with each of B. 'larger' is the share of pairs in which that of B is larger;\n"
	"pairs of equal durations count half. p is the probability that 'larger' is at\n"
	"least as far from 0.5 if nothing changed. The verdict is 'slower' or 'faster'\n"
	"if p times the number of tests made is below 0.01, and 'larger' is at least\n"
	"0.06 away from 0.5; otherwise it is 'noise'. It is 'few' if one recording has\n"
	"fewer than 20 durations. Successive durations are not independent: with p\n"
	"alone, the verdict would be 'slower' too often. The second condition avoids\n"
	"that.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, or if a file is corrupt in places; 2\n"
	"for a wrong command line.";

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "print one JSON document, all times in ns", 0 },
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
		     struct profiler *s[2])
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		d[i] = input_open(in, i);
		s[i] = d[i] ? fileprofile_read(d[i], input_cpus(in), NULL) : NULL;
		if (!s[i])
			return -1;
	}
	return 0;
}

static int run(const struct options *o)
{
	struct profiler *s[2] = { NULL };
	struct datr *d[2] = { NULL };
	int ret = read_both(&o->in, d, s), i;

	if (!ret)
		compare_print(profiler_profile(s[0]), profiler_profile(s[1]), o->json,
			      stdout);
	for (i = 0; i < 2; i++) {
		if (s[i] && fileprofile_check(s[i], d[i]))
			ret = -1;
		fileprofile_free(s[i]);
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
