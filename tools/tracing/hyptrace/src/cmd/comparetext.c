// SPDX-License-Identifier: GPL-2.0
/*
 * A comparison as text. See comparetext.h.
 */
#include "cmd/comparetext.h"
#include "cmd/table.h"
#include "lib/json.h"
#include "lib/unit.h"
#include "lib/visible.h"

/**
 * struct compare_printer - a comparison being printed
 * @c:		the comparison
 * @out:	where the text goes
 * @width:	of text: how long a line may be
 * @table:	of text: the rows of a kind so far
 * @nr:		of JSON: how many rows a kind has so far
 * @failed:	how many of all rows fail
 */
struct compare_printer {
	const struct comparison *c;
	FILE *out;
	unsigned int width;
	struct table table;
	unsigned int nr;
	unsigned int failed;
};

/* As text */

static const struct column columns[] = {
	{ "count A", 3 }, { "B", 3 }, { "per s", 3 }, { "p50 A", 2 }, { "B", 2 }, { "ratio", 2 },
	{ "p99 A", 4 }, { "B", 4 }, { "ratio", 4 }, { "larger", 1 }, { "p", 1 }, { "change", 0 },
	{ "verdict", 0 },
};

static void add_number(struct compare_printer *p, const char *format, double value)
{
	char text[32];

	snprintf(text, sizeof(text), format, value);
	table_add(&p->table, text);
}

/* A dash if only one side has it */
static void add_relation(struct compare_printer *p, const struct comparison_row *r,
			 const char *format, double value)
{
	if (comparison_both(r))
		add_number(p, format, value);
	else
		table_add(&p->table, "-");
}

static void add_times(struct compare_printer *p, const struct comparison_row *r, u64 a, u64 b)
{
	char text[UNIT_TEXT];

	table_add(&p->table, unit_text(text, a, UNIT_AUTO));
	table_add(&p->table, unit_text(text, b, UNIT_AUTO));
	add_relation(p, r, "%.2f", comparison_ratio(b, a));
}

static void add_row(void *ctx, const struct comparison_row *r)
{
	struct compare_printer *p = ctx;

	table_add(&p->table, r->name);
	add_number(p, "%.0f", r->s[0].count);
	add_number(p, "%.0f", r->s[1].count);
	add_relation(p, r, "%.2f", comparison_rate_ratio(p->c, r));
	add_times(p, r, r->s[0].p50, r->s[1].p50);
	add_times(p, r, r->s[0].p99, r->s[1].p99);
	add_relation(p, r, "%.3f", r->rank.larger);
	add_relation(p, r, "%.1e", r->p);
	add_relation(p, r, "%+.1f%%", comparison_change(r));
	table_add(&p->table, verdict_name(r->verdict));
}

static void print_shares(const struct compare_printer *p)
{
	enum place i;

	fprintf(p->out, "%-30s %9s %9s\n", "TIME, %", "A", "B");
	for (i = 0; i < NR_PLACES; i++)
		fprintf(p->out, "%-30s %9.2f %9.2f\n", place_name(i),
			comparison_share(p->c, 0, i), comparison_share(p->c, 1, i));
}

static int print_table(struct compare_printer *p, enum comparison_kind kind, const char *title)
{
	int ret;

	p->table = (struct table) {
		.title = title, .column = columns, .nr = ARRAY_SIZE(columns),
	};
	ret = comparison_each(p->c, kind, add_row, p);
	return table_end(&p->table, p->width, p->out) ?: ret;
}

static void print_failure(void *ctx, const struct comparison_row *r)
{
	struct compare_printer *p = ctx;

	if (!comparison_fails(p->c, r))
		return;
	if (!p->failed++)
		fprintf(p->out, "\nslower by more than %g%%:\n", p->c->limit);
	fprintf(p->out, "%+.1f%% ", comparison_change(r));
	visible_put(p->out, r->name);
	fputc('\n', p->out);
}

static int print_failures(struct compare_printer *p)
{
	enum comparison_kind kind;

	for (kind = 0; kind < NR_COMPARE_KINDS; kind++) {
		if (comparison_each(p->c, kind, print_failure, p))
			return -1;
	}
	if (p->c->limited && !p->failed)
		fprintf(p->out, "\nslower by more than %g%%: none\n", p->c->limit);
	return 0;
}

int comparison_print_text(const struct comparison *c, unsigned int width, FILE *out,
			  unsigned int *failed)
{
	struct compare_printer p = { .c = c, .out = out, .width = width };

	print_shares(&p);
	if (print_table(&p, COMPARE_REASONS, "EL2 ENTRY") ||
	    print_table(&p, COMPARE_HCALLS, "HYPERCALL") ||
	    print_table(&p, COMPARE_WAYS, "SWITCH") || print_failures(&p))
		return -1;
	*failed = p.failed;
	return 0;
}

/* As JSON */

static void json_side(const struct compare_printer *p, char side, const struct dist_summary *s)
{
	fprintf(p->out, ", \"%c\": {\"count\": %llu, \"total\": %llu, \"mean\": %llu, \"p50\": %llu, \"p90\": %llu, \"p99\": %llu, \"max\": %llu}",
		side, s->count, s->total, s->mean, s->p50, s->p90, s->p99, s->max);
}

static void json_row(void *ctx, const struct comparison_row *r)
{
	struct compare_printer *p = ctx;
	bool fails = comparison_fails(p->c, r);

	p->failed += fails;
	fputs(p->nr++ ? ",\n  {\"name\": " : "\n  {\"name\": ", p->out);
	json_string(p->out, r->name);
	json_side(p, 'a', &r->s[0]);
	json_side(p, 'b', &r->s[1]);
	fprintf(p->out, ", \"rate_ratio\": %.6g, \"larger\": %.6g, \"p\": %.6g, \"verdict\": \"%s\"",
		comparison_rate_ratio(p->c, r), r->rank.larger, r->p,
		verdict_name(r->verdict));
	fprintf(p->out, ", \"change\": %.6g, \"by_runs\": %s, \"fails\": %s}",
		comparison_change(r), r->by_runs ? "true" : "false", fails ? "true" : "false");
}

static void json_shares(const struct compare_printer *p)
{
	enum place i;

	for (i = 0; i < NR_PLACES; i++)
		fprintf(p->out, "%s\"%s\": [%.6g, %.6g]", i ? ", " : "", place_name(i),
			comparison_share(p->c, 0, i), comparison_share(p->c, 1, i));
}

static int json_rows(struct compare_printer *p, enum comparison_kind kind, const char *member)
{
	fprintf(p->out, "%s\"%s\": [", kind ? ",\n" : "", member);
	p->nr = 0;
	if (comparison_each(p->c, kind, json_row, p))
		return -1;
	fputs("]", p->out);
	return 0;
}

int comparison_print_json(const struct comparison *c, FILE *out, unsigned int *failed)
{
	struct compare_printer p = { .c = c, .out = out };

	fprintf(out, "{\"wall\": [%llu, %llu], \"runs\": [%u, %u], \"tests\": %u, \"percent\": {",
		comparison_wall(c, 0), comparison_wall(c, 1), c->side[0].nr, c->side[1].nr,
		c->tests);
	json_shares(&p);
	fputs("},\n", out);
	if (json_rows(&p, COMPARE_REASONS, "entries") ||
	    json_rows(&p, COMPARE_HCALLS, "hypercalls") ||
	    json_rows(&p, COMPARE_WAYS, "switches"))
		return -1;
	fprintf(out, ",\n\"failed\": %u}\n", p.failed);
	*failed = p.failed;
	return 0;
}
