// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of many recordings. See fleet.h.
 */
#include <errno.h>
#include <string.h>

#include "export/sqlcomputed.h"
#include "export/sqlfleet.h"
#include "lib/log.h"

#define FNV_BASIS	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

static const char about[] =
	"-- The tables of \"hyptrace export --rows\", for ClickHouse.\n"
	"--\n"
	"-- A row of NAME_times says how many rows of NAME took ns; one of NAME_sums, how long\n"
	"-- those of a machine took together. What is inserted into NAME is added there as well,\n"
	"-- and remains when old partitions of NAME are dropped.\n";

static const struct query_column common[] = {
	{ "day", "Date", "when the recording was changed last, in UTC" },
	{ "release", "String", "release of the kernel" },
	{ "host", "String", "name of the machine" },
	{ "recording", "Int64", "the recording, the same in all tables" },
};

const struct query_column *fleet_common(unsigned int i)
{
	return i < ARRAY_SIZE(common) ? &common[i] : NULL;
}

static bool is_common(const char *column)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(common); i++) {
		if (!strcmp(common[i].name, column))
			return true;
	}
	return false;
}

const struct query_column *fleet_column(const struct computed_table *t, unsigned int i)
{
	/* the first one is the number of the recording */
	const struct query_column *c = t->column + 1;

	for (; c->name; c++) {
		if (!is_common(c->name) && !i--)
			return c;
	}
	return NULL;
}

/* What rows are ordered by cannot be NULL: it is '' instead */
static const char *type_of(const struct computed_table *t, const struct query_column *c)
{
	if (t->by && !strcmp(c->name, t->by))
		return "String";
	return strcmp(c->type, "TEXT") ? "Nullable(Int64)" : "Nullable(String)";
}

static void put_table(FILE *out, const struct computed_table *t)
{
	const struct query_column *c;
	unsigned int i;

	fprintf(out, "\n-- %s\nCREATE TABLE %s\n(\n", t->what, t->name);
	for (i = 0; (c = fleet_common(i)); i++)
		fprintf(out, "\t%s %s,\t-- %s\n", c->name, c->type, c->what);
	for (i = 0; (c = fleet_column(t, i)); i++)
		fprintf(out, "\t%s %s%s\t-- %s\n", c->name, type_of(t, c),
			fleet_column(t, i + 1) ? "," : "", c->what);
	fprintf(out, ")\nENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (%s%srelease, host, recording);\n",
		t->by ?: "", t->by ? ", " : "");
}

/* A table that ClickHouse adds to whenever @t gets rows, and adds up in the background */
static void put_times(FILE *out, const struct computed_table *t)
{
	fprintf(out,
		"\nCREATE TABLE %s_times (month Date, release String, %s String, ns Int64, count UInt64)\n"
		"ENGINE = SummingMergeTree PARTITION BY month ORDER BY (%s, release, ns);\n",
		t->name, t->by, t->by);
	fprintf(out,
		"\nCREATE MATERIALIZED VIEW %s_to_times TO %s_times AS\n"
		"SELECT toStartOfMonth(day) AS month, release, %s, assumeNotNull(%s.ns) AS ns, count() AS count\n"
		"FROM %s GROUP BY month, release, %s, ns;\n",
		t->name, t->name, t->by, t->name, t->name, t->by);
}

static void put_sums(FILE *out, const struct computed_table *t)
{
	fprintf(out,
		"\nCREATE TABLE %s_sums (day Date, release String, host String, %s String, ns Int64, count UInt64)\n"
		"ENGINE = SummingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (%s, release, host, day);\n",
		t->name, t->by, t->by);
	fprintf(out,
		"\nCREATE MATERIALIZED VIEW %s_to_sums TO %s_sums AS\n"
		"SELECT day, release, host, %s, sum(assumeNotNull(%s.ns)) AS ns, count() AS count\n"
		"FROM %s GROUP BY day, release, host, %s;\n",
		t->name, t->name, t->by, t->name, t->name, t->by);
}

void fleet_print_schema(FILE *out)
{
	const struct computed_table *t;
	unsigned int i;

	fputs(about, out);
	for (i = 0; (t = computed_table(i)); i++) {
		put_table(out, t);
		if (t->rollup == ROLLUP_TIMES)
			put_times(out, t);
		else if (t->rollup == ROLLUP_SUMS)
			put_sums(out, t);
	}
}

int fleet_id(const char *path, u64 *out)
{
	FILE *in = fopen(path, "re");
	u64 hash = FNV_BASIS;
	u8 part[65536];
	size_t nr, i;
	bool bad;

	if (!in)
		return log_error("cannot open %s: %s", path, strerror(errno));
	while ((nr = fread(part, 1, sizeof(part), in))) {
		for (i = 0; i < nr; i++)
			hash = (hash ^ part[i]) * FNV_PRIME;
	}
	bad = ferror(in);
	fclose(in);
	if (bad)
		return log_error("cannot read %s: %s", path, strerror(errno));
	*out = hash & INT64_MAX;
	return 0;
}
