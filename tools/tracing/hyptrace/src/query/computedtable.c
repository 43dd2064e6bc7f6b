// SPDX-License-Identifier: GPL-2.0
/*
 * Computed tables in SQLite. See computedtable.h.
 *
 * A condition on the recording is pushed down. All others are left to SQLite, as the rows
 * depend on events before them.
 */
#include <stdlib.h>
#include <string.h>

#include "query/computedtable.h"
#include "query/vtabs.h"

/**
 * struct computed_source - what a table is made of
 * @t:		the table
 * @r:		the recordings
 */
struct computed_source {
	const struct computed_table *t;
	struct recordings *r;
};

struct computed_vtab {
	sqlite3_vtab base;
	struct computed_source s;
};

/**
 * struct computed_scan - a scan
 * @base:	for SQLite
 * @next:	index of the recording that is read next
 * @to:		index behind the last one to read
 * @rows:	reads the current recording, or NULL
 * @more:	there may be more of it
 * @cells:	rows of it
 * @recording:	the current recording
 * @rowid:	number of the row
 */
struct computed_scan {
	sqlite3_vtab_cursor base;
	size_t next;
	size_t to;
	void *rows;
	bool more;
	struct cells cells;
	struct query_recording *recording;
	sqlite3_int64 rowid;
};

static unsigned int nr_columns(const struct computed_table *t)
{
	unsigned int nr = 0;

	while (t->column[nr].name)
		nr++;
	return nr;
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
		   sqlite3_vtab **out, char **error)
{
	const struct computed_source *s = aux;
	struct computed_vtab *v = sqlite3_malloc(sizeof(*v));
	sqlite3_str *sql = sqlite3_str_new(db);
	unsigned int i;
	int ret;

	(void)argc;
	(void)argv;
	(void)error;
	for (i = 0; s->t->column[i].name; i++)
		sqlite3_str_appendf(sql, "%s%s %s", i ? ", " : "CREATE TABLE x(",
				    s->t->column[i].name, s->t->column[i].type);
	sqlite3_str_appendall(sql, ")");
	ret = vtabs_declare(db, sql);
	if (!v || ret) {
		sqlite3_free(v);
		return ret ?: SQLITE_NOMEM;
	}
	memset(v, 0, sizeof(*v));
	v->s = *s;
	*out = &v->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *vtab)
{
	sqlite3_free(vtab);
	return SQLITE_OK;
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

static int open_scan(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	const struct computed_vtab *v = (const struct computed_vtab *)vtab;
	struct computed_scan *s = sqlite3_malloc(sizeof(*s));

	if (!s)
		return SQLITE_NOMEM;
	memset(s, 0, sizeof(*s));
	s->cells.width = nr_columns(v->s.t) - 1;
	*out = &s->base;
	return SQLITE_OK;
}

static const struct computed_source *source_of(const struct computed_scan *s)
{
	return &((const struct computed_vtab *)s->base.pVtab)->s;
}

static void end_recording(struct computed_scan *s)
{
	if (s->rows)
		source_of(s)->t->end(s->rows);
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
	const struct computed_source *src = source_of(s);

	s->recording = &src->r->recording[s->next++];
	s->rows = src->t->begin(src->t, s->recording, &s->cells);
	s->more = true;
	return s->rows;
}

/* Read on until there is a row, or nothing to read */
static int fill(struct computed_scan *s)
{
	int ret;

	while (!cells_row(&s->cells)) {
		if (s->rows && s->more) {
			ret = source_of(s)->t->step(s->rows);
			if (ret < 0 || s->cells.failed)
				return vtabs_told(s->base.pVtab);
			s->more = ret;
			continue;
		}
		end_recording(s);
		if (s->next >= s->to)
			return SQLITE_OK;
		if (!begin_recording(s))
			return vtabs_told(s->base.pVtab);
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
	s->rowid = 0;
	s->next = 0;
	s->to = source_of(s)->r->nr;
	if (argc)
		vtabs_recordings(source_of(s)->r, argv[0], &s->next, &s->to);
	return fill(s);
}

static int next(sqlite3_vtab_cursor *cursor)
{
	struct computed_scan *s = (struct computed_scan *)cursor;

	s->rowid++;
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
		sqlite3_result_int64(out, s->recording->id);
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

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = ((struct computed_scan *)cursor)->rowid;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = connect,
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xDestroy = disconnect,
	.xOpen = open_scan,
	.xClose = close_scan,
	.xFilter = filter,
	.xNext = next,
	.xEof = eof,
	.xColumn = column,
	.xRowid = rowid,
};

int computedtable_add(sqlite3 *db, const struct computed_table *t, struct recordings *r)
{
	struct computed_source *s = malloc(sizeof(*s));

	if (!s)
		return SQLITE_NOMEM;
	*s = (struct computed_source) { .t = t, .r = r };
	return vtabs_add(db, t->name, &module, s);
}
