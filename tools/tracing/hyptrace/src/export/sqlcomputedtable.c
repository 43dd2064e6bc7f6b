// SPDX-License-Identifier: GPL-2.0
/*
 * Computed tables in SQLite. See computedtable.h.
 *
 * A condition on the recording is pushed down. All others are left to SQLite, as the rows
 * depend on events before them.
 */
#include "export/sqlcomputedtable.h"
#include "export/sqlvtabs.h"

/**
 * struct computed_scan - a scan
 * @scan:	what all scans have
 * @rows:	reads the current recording, or NULL
 * @more:	there may be more of it
 * @cells:	rows of it
 */
struct computed_scan {
	struct vtabs_scan scan;
	void *rows;
	bool more;
	struct cells cells;
};

static unsigned int nr_columns(const struct computed_table *t)
{
	unsigned int nr = 0;

	while (t->column[nr].name)
		nr++;
	return nr;
}

static int declare(sqlite3 *db, const void *of)
{
	const struct computed_table *t = of;
	sqlite3_str *sql = sqlite3_str_new(db);
	unsigned int i;

	for (i = 0; t->column[i].name; i++)
		sqlite3_str_appendf(sql, "%s%s %s", i ? ", " : "CREATE TABLE x(",
				    t->column[i].name, t->column[i].type);
	sqlite3_str_appendall(sql, ")");
	return vtabs_declare(db, sql);
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	struct vtabs_plan p = { .info = info };
	int i;

	(void)vtab;
	for (i = 0; i < info->nConstraint && !p.nr; i++) {
		if (info->aConstraint[i].usable && !info->aConstraint[i].iColumn &&
		    info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
			vtabs_push(&p, i, 'r');
	}
	/* all of a recording is read for it: better once than for each row of another table */
	info->estimatedCost = p.nr ? 1e8 : 1e9;
	info->estimatedRows = p.nr ? 100000 : 1000000;
	return vtabs_plan_end(&p);
}

static const struct computed_table *table_of(const struct computed_scan *s)
{
	return vtabs_source(s->scan.base.pVtab)->of;
}

static void end_recording(struct computed_scan *s)
{
	if (s->rows)
		table_of(s)->end(s->rows);
	s->rows = NULL;
	s->cells.nr = 0;
	cells_row(&s->cells);
}

static int close_scan(sqlite3_vtab_cursor *cursor)
{
	struct computed_scan *s = (struct computed_scan *)cursor;

	end_recording(s);
	cells_free(&s->cells);
	sqlite3_free(s);
	return SQLITE_OK;
}

static bool begin_recording(struct computed_scan *s)
{
	const struct vtabs_source *src = vtabs_source(s->scan.base.pVtab);
	const struct computed_table *t = src->of;

	s->scan.recording = &src->r->recording[s->scan.next++];
	s->rows = t->begin(t, s->scan.recording, &s->cells);
	s->more = true;
	return s->rows;
}

/* Read on until there is a row, or nothing to read */
static int fill(struct computed_scan *s)
{
	int ret;

	while (!cells_row(&s->cells)) {
		if (s->rows && s->more) {
			ret = table_of(s)->step(s->rows);
			if (ret < 0 || s->cells.failed)
				return vtabs_told(s->scan.base.pVtab);
			s->more = ret;
			continue;
		}
		end_recording(s);
		if (s->scan.next >= s->scan.end)
			return SQLITE_OK;
		if (!begin_recording(s))
			return vtabs_told(s->scan.base.pVtab);
	}
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct computed_scan *s = (struct computed_scan *)cursor;

	(void)number;
	(void)plan;
	end_recording(s);
	s->cells.width = nr_columns(table_of(s)) - 1;
	vtabs_restart(&s->scan);
	if (argc)
		vtabs_limit(&s->scan, argv[0]);
	return fill(s);
}

static int next(sqlite3_vtab_cursor *cursor)
{
	struct computed_scan *s = (struct computed_scan *)cursor;

	s->scan.rowid++;
	cells_next(&s->cells);
	return fill(s);
}

static int eof(sqlite3_vtab_cursor *cursor)
{
	return !cells_row(&((struct computed_scan *)cursor)->cells);
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int i)
{
	struct computed_scan *s = (struct computed_scan *)cursor;
	const struct cell *c;

	if (!i) {
		sqlite3_result_int64(out, s->scan.recording->id);
		return SQLITE_OK;
	}
	c = &cells_row(&s->cells)[i - 1];
	switch (c->type) {
	case CELL_NULL:
		break;
	case CELL_INTEGER:
		sqlite3_result_int64(out, c->integer);
		break;
	case CELL_TEXT:
		sqlite3_result_text(out, c->text, -1, SQLITE_TRANSIENT);
		break;
	}
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = vtabs_connect,
	.xConnect = vtabs_connect,
	.xBestIndex = best_index,
	.xDisconnect = vtabs_disconnect,
	.xDestroy = vtabs_disconnect,
	.xOpen = vtabs_open,
	.xClose = close_scan,
	.xFilter = filter,
	.xNext = next,
	.xEof = eof,
	.xColumn = column,
	.xRowid = vtabs_rowid,
};

int computedtable_add(sqlite3 *db, const struct computed_table *t, struct recordings *r)
{
	return vtabs_add(db, t->name, &module, &(struct vtabs_source) {
		.r = r, .of = t, .declare = declare, .scan_size = sizeof(struct computed_scan),
	});
}
