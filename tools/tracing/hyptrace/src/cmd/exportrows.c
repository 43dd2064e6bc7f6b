// SPDX-License-Identifier: GPL-2.0
/*
 * Tables as files. See exportrows.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/exportrows.h"
#include "export/sqlcomputed.h"
#include "export/sqlfleet.h"
#include "export/sqlquery.h"
#include "lib/log.h"
#include "lib/outfile.h"
#include "lib/util.h"

/* The values of the common columns but the last, in their order; one that is NULL is '' there */
static const char common_values[] =
	"SELECT ifnull(date(modified), '1970-01-01'), release, host FROM recording";

/**
 * struct rowsfile - the files being written
 * @e:		what is wanted
 * @q:		has the tables
 * @id:		of the recording
 * @common:	the values of the common columns, as they are in each row
 * @size:	their size
 * @table:	the current table
 * @out:	its file
 * @rows:	rows in all files
 * @tables:	tables
 */
struct rowsfile {
	const struct exportrows *e;
	struct query *q;
	u64 id;
	char *common;
	size_t size;
	const struct computed_table *table;
	FILE *out;
	unsigned long long rows;
	unsigned int tables;
};

static bool is_wanted(const struct exportrows *e, const struct computed_table *t)
{
	return !e->tables.nr || strlist_has(&e->tables, t->name);
}

int exportrows_add(struct exportrows *e, char *names)
{
	const struct computed_table *t;
	char *name;

	while ((name = strsep(&names, ","))) {
		t = computed_find(name);
		if (!t || strcmp(t->name, name))
			return log_error("no table '%s' of which rows can be written: see hyptrace-query(1)",
					 name);
		if (strlist_add(&e->tables, name))
			return -1;
	}
	return 0;
}

/* Values: what would end a value is escaped, all else is written as it is */

static void put_text(FILE *out, const char *text)
{
	static const char special[] = "\t\n\r\\", letter[] = "tnr\\";
	size_t plain;

	for (;;) {
		plain = strcspn(text, special);
		fwrite(text, 1, plain, out);
		text += plain;
		if (!*text)
			return;
		fputc('\\', out);
		fputc(letter[strchr(special, *text++) - special], out);
	}
}

static void put_value(FILE *out, sqlite3_stmt *row, int i)
{
	const char *text = (const char *)sqlite3_column_text(row, i);

	if (text)
		put_text(out, text);
	else
		fputs("\\N", out);
}

static int take_common(void *ctx, sqlite3_stmt *row)
{
	struct rowsfile *f = ctx;
	FILE *out = open_memstream(&f->common, &f->size);
	int i;

	if (!out)
		return log_oom();
	for (i = 0; i < sqlite3_column_count(row); i++) {
		put_text(out, (const char *)sqlite3_column_text(row, i) ?: "");
		fputc('\t', out);
	}
	fprintf(out, "%llu\t", f->id);
	return fclose(out) ? log_oom() : 0;
}

static int put_names(void *ctx, sqlite3_stmt *row)
{
	struct rowsfile *f = ctx;
	const struct query_column *c;
	int i, nr = sqlite3_column_count(row);

	for (i = 0; (c = fleet_common(i)); i++)
		fprintf(f->out, "%s\t", c->name);
	for (i = 0; i < nr; i++)
		fprintf(f->out, "%s%c", sqlite3_column_name(row, i), i == nr - 1 ? '\n' : '\t');
	return 0;
}

static int put_row(void *ctx, sqlite3_stmt *row)
{
	struct rowsfile *f = ctx;
	int i, nr = sqlite3_column_count(row);

	fwrite(f->common, 1, f->size, f->out);
	for (i = 0; i < nr; i++) {
		put_value(f->out, row, i);
		fputc(i == nr - 1 ? '\n' : '\t', f->out);
	}
	f->rows++;
	return ferror(f->out) ? -1 : 0;
}

/* Return: "SELECT the columns FROM @t", for sqlite3_free(); NULL if memory ran out */
static char *select_of(const struct computed_table *t)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);
	const struct query_column *c;
	unsigned int i;

	for (i = 0; (c = fleet_column(t, i)); i++)
		sqlite3_str_appendf(sql, "%s%s", i ? ", " : "SELECT ", c->name);
	sqlite3_str_appendf(sql, " FROM %s", t->name);
	return sqlite3_str_finish(sql);
}

static int write_rows(FILE *out, void *ctx)
{
	struct rowsfile *f = ctx;
	const struct query_sink sink = { .begin = put_names, .row = put_row, .ctx = f };
	char *sql = select_of(f->table);
	int ret;

	f->out = out;
	ret = sql ? query_run(f->q, sql, &sink) : log_oom();
	sqlite3_free(sql);
	return ret;
}

static int write_schema(FILE *out, void *ctx)
{
	(void)ctx;
	fleet_print_schema(out);
	return 0;
}

/* Files */

static int make_directory(const char *path)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return 0;
	return log_error("cannot make %s: %s", path, strerror(errno));
}

/* As outfile_write(); frees @name, which is NULL after a message */
static int write_file(struct rowsfile *f, char *name, int (*write)(FILE *out, void *ctx))
{
	int ret = name ? outfile_write(name, write, f) : -1;

	free(name);
	return ret;
}

static int write_table(struct rowsfile *f, const struct computed_table *t)
{
	char *directory = xasprintf("%s/%s", f->e->directory, t->name);
	int ret = directory ? make_directory(directory) : -1;

	f->table = t;
	if (!ret)
		ret = write_file(f, xasprintf("%s/%llu.tsv", directory, f->id), write_rows);
	free(directory);
	f->tables++;
	return ret;
}

static int write_all(struct rowsfile *f)
{
	const struct query_sink common = { .row = take_common, .ctx = f };
	const struct computed_table *t;
	unsigned int i;
	int ret = query_run(f->q, common_values, &common);

	if (!ret)
		ret = make_directory(f->e->directory);
	if (!ret)
		ret = write_file(f, xasprintf("%s/schema.sql", f->e->directory), write_schema);
	for (i = 0; !ret && (t = computed_table(i)); i++) {
		if (is_wanted(f->e, t))
			ret = write_table(f, t);
	}
	return ret;
}

int exportrows_write(const struct exportrows *e, const char *path, struct datr *d)
{
	struct rowsfile f = { .e = e };
	struct recordings r = { 0 };
	int ret = recordings_add(&r, path, d);

	if (!ret)
		ret = fleet_id(path, &f.id);
	if (!ret) {
		f.q = query_new(&r);
		ret = f.q ? write_all(&f) : -1;
	}
	if (!ret && !e->quiet)
		log_note("%s: %llu rows of %u tables of recording %llu", e->directory, f.rows,
			 f.tables, f.id);
	query_free(f.q);
	free(f.common);
	ret = ret ?: recordings_check(&r);
	recordings_free(&r);
	return ret;
}
