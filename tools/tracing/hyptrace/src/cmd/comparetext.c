// SPDX-License-Identifier: GPL-2.0
/*
 * A comparison as text. See comparetext.h.
 */
#include <math.h>

#include "cmd/comparetext.h"
#include "cmd/table.h"
#include "lib/json.h"
#include "lib/unit.h"
#include "lib/util.h"
#include "lib/visible.h"

/* As text */

/* The last columns to be left out: a typical duration and what is known of its change */
static const struct column columns[] = {
	{ "count A", 4 }, { "B", 4 }, { "per s", 4 }, { "p50 A", 3 }, { "B", 3 }, { "ratio", 3 },
	{ "p99 A", 5 }, { "B", 5 }, { "ratio", 5 }, { "typical A", 0 }, { "B", 0 },
	{ "spread A", 2 }, { "B", 2 }, { "change", 0 }, { "p", 1 }, { "verdict", 0 },
};

/* A dash if it is not known */
static void add_number(struct table *t, const char *format, double value)
{
	char text[32];

	snprintf(text, sizeof(text), format, value);
	table_add(t, isnan(value) ? "-" : text);
}

/* The same if only one side has it */
static void add_relation(struct table *t, const struct comparison_row *r, const char *format,
			 double value)
{
	add_number(t, format, comparison_both(r) ? value : NAN);
}

static void add_times(struct table *t, double a, double b)
{
	table_add_time(t, llround(a), UNIT_AUTO);
	table_add_time(t, llround(b), UNIT_AUTO);
}

static void add_row(struct table *t, const struct comparison *c, const struct comparison_row *r)
{
	const struct dist_summary *a = &r->s[0], *b = &r->s[1];

	table_add(t, r->name);
	table_add_number(t, a->count);
	table_add_number(t, b->count);
	add_relation(t, r, "%.2f", comparison_rate_ratio(c, r));
	add_times(t, a->p50, b->p50);
	add_relation(t, r, "%.2f", comparison_ratio(b->p50, a->p50));
	add_times(t, a->p99, b->p99);
	add_relation(t, r, "%.2f", comparison_ratio(b->p99, a->p99));
	add_times(t, r->typical[0], r->typical[1]);
	add_number(t, "%.1f%%", r->spread[0]);
	add_number(t, "%.1f%%", r->spread[1]);
	add_relation(t, r, "%+.1f%%", comparison_change(r));
	add_number(t, "%.1e", r->tested ? r->p : NAN);
	table_add(t, verdict_name(r->verdict));
}

static void print_shares(const struct comparison *c, FILE *out)
{
	enum place i;

	fprintf(out, "%-30s %9s %9s\n", "TIME, %", "A", "B");
	for (i = 0; i < NR_PLACES; i++)
		fprintf(out, "%-30s %9.2f %9.2f\n", place_name(i),
			comparison_share(c, 0, i), comparison_share(c, 1, i));
}

static int print_table(const struct comparison *c, enum comparison_kind kind, unsigned int width,
		       FILE *out)
{
	static const char * const titles[] = {
		[COMPARE_REASONS]	= "EL2 ENTRY",
		[COMPARE_HCALLS]	= "HYPERCALL",
		[COMPARE_WAYS]		= "SWITCH",
	};
	struct table t = {
		.title = titles[kind], .column = columns, .nr = ARRAY_SIZE(columns),
	};
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		if (c->row[i].kind == kind)
			add_row(&t, c, &c->row[i]);
	}
	return table_end(&t, width, out);
}

static void print_failures(const struct comparison *c, FILE *out)
{
	const struct comparison_row *r;
	unsigned int i;

	fprintf(out, "\nslower by more than %g%%:%s\n", c->limit,
		comparison_doubt(c) ? " not known without a verdict" : c->failed ? "" : " none");
	for (i = 0; i < c->nr; i++) {
		r = &c->row[i];
		if (!comparison_fails(c, r))
			continue;
		fprintf(out, "%+.1f%% ", comparison_change(r));
		visible_put(out, r->name);
		fputc('\n', out);
	}
}

/* Before all figures */
static void print_differences(const struct comparison *c, FILE *out)
{
	bool any = false;
	unsigned int i;

	for (i = 0; c->differences && i < NR_CONDITIONS; i++) {
		if (!c->differences[i].text)
			continue;
		visible_put(out, c->differences[i].text);
		fputc('\n', out);
		any = true;
	}
	if (any)
		fputc('\n', out);
}

int comparison_print_text(const struct comparison *c, unsigned int width, FILE *out)
{
	enum comparison_kind kind;

	print_differences(c, out);
	print_shares(c, out);
	for (kind = 0; kind < NR_COMPARE_KINDS; kind++) {
		if (print_table(c, kind, width, out))
			return -1;
	}
	if (comparison_doubt(c))
		fprintf(out, "\nno verdict: %s\n", comparison_doubt(c));
	if (c->limited)
		print_failures(c, out);
	return 0;
}

/* As JSON */

/* JSON has no number for what is not known */
static void json_number(FILE *out, double value)
{
	if (isnan(value))
		fputs("null", out);
	else
		fprintf(out, "%.6g", value);
}

static void json_text(FILE *out, const char *text)
{
	if (text)
		json_string(out, text);
	else
		fputs("null", out);
}

static void json_side(FILE *out, const struct comparison_row *r, unsigned int side)
{
	const struct dist_summary *s = &r->s[side];

	fprintf(out, ", \"%c\": {\"count\": %llu, \"total\": %llu, \"mean\": %llu, ", "ab"[side],
		s->count, s->total, s->mean);
	fprintf(out, "\"p50\": %llu, \"p90\": %llu, \"p99\": %llu, \"max\": %llu, ", s->p50, s->p90,
		s->p99, s->max);
	fprintf(out, "\"typical\": %.6g, \"spread\": ", r->typical[side]);
	json_number(out, r->spread[side]);
	fputs("}", out);
}

static void json_row(FILE *out, const struct comparison *c, const struct comparison_row *r)
{
	fputs("\n  {\"name\": ", out);
	json_string(out, r->name);
	json_side(out, r, 0);
	json_side(out, r, 1);
	fprintf(out, ", \"rate_ratio\": %.6g, \"change\": %.6g, \"p\": ",
		comparison_rate_ratio(c, r), comparison_change(r));
	json_number(out, r->tested ? r->p : NAN);
	fputs(", \"verdict\": ", out);
	json_text(out, r->verdict == VERDICT_NONE ? NULL : verdict_name(r->verdict));
	fprintf(out, ", \"fails\": %s}", comparison_fails(c, r) ? "true" : "false");
}

static void json_shares(FILE *out, const struct comparison *c)
{
	enum place i;

	for (i = 0; i < NR_PLACES; i++)
		fprintf(out, "%s\"%s\": [%.6g, %.6g]", i ? ", " : "", place_name(i),
			comparison_share(c, 0, i), comparison_share(c, 1, i));
}

static void json_rows(FILE *out, const struct comparison *c, enum comparison_kind kind)
{
	static const char * const members[] = {
		[COMPARE_REASONS]	= "entries",
		[COMPARE_HCALLS]	= "hypercalls",
		[COMPARE_WAYS]		= "switches",
	};
	const char *between = "";
	unsigned int i;

	fprintf(out, "\"%s\": [", members[kind]);
	for (i = 0; i < c->nr; i++) {
		if (c->row[i].kind != kind)
			continue;
		fputs(between, out);
		json_row(out, c, &c->row[i]);
		between = ",";
	}
	fputs("],\n", out);
}

static void json_differences(FILE *out, const struct comparison *c)
{
	const struct difference *d = c->differences;
	const char *between = "";
	unsigned int i;

	fputs("\"differences\": [", out);
	for (i = 0; d && i < NR_CONDITIONS; i++) {
		if (!d[i].text)
			continue;
		fprintf(out, "%s\n  {\"text\": ", between);
		json_string(out, d[i].text);
		fputs(", \"what\": ", out);
		json_string(out, d[i].what);
		fputs(", \"a\": ", out);
		json_string(out, d[i].side[0]);
		fputs(", \"b\": ", out);
		json_string(out, d[i].side[1]);
		fputs("}", out);
		between = ",";
	}
	fputs("],\n", out);
}

void comparison_print_json(const struct comparison *c, FILE *out)
{
	enum comparison_kind kind;

	fprintf(out, "{\"wall\": [%llu, %llu], \"runs\": [%u, %u], \"tests\": %u, ",
		comparison_wall(c, 0), comparison_wall(c, 1), c->side[0].nr, c->side[1].nr,
		c->tests);
	fputs("\"judged_by\": ", out);
	json_text(out, comparison_judged_by(c));
	fputs(", \"no_verdict\": ", out);
	json_text(out, comparison_doubt(c));
	fputs(", \"percent\": {", out);
	json_shares(out, c);
	fputs("},\n", out);
	json_differences(out, c);
	for (kind = 0; kind < NR_COMPARE_KINDS; kind++)
		json_rows(out, c, kind);
	fprintf(out, "\"failed\": %u}\n", c->failed);
}
