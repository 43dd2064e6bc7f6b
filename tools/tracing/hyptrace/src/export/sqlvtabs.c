// SPDX-License-Identifier: GPL-2.0
/*
 * What the virtual tables have in common. See vtabs.h.
 */
#include <stdlib.h>
#include <string.h>

#include "export/sqlvtabs.h"

int vtabs_told(sqlite3_vtab *v)
{
	sqlite3_free(v->zErrMsg);
	v->zErrMsg = sqlite3_mprintf("%s", VTABS_TOLD);
	return SQLITE_ERROR;
}

int vtabs_declare(sqlite3 *db, sqlite3_str *sql)
{
	char *text = sqlite3_str_finish(sql);
	int ret = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;

	sqlite3_free(text);
	return ret;
}

/* A table */
struct vtab {
	sqlite3_vtab base;
	const struct vtabs_source *source;
};

const struct vtabs_source *vtabs_source(const sqlite3_vtab *v)
{
	return ((const struct vtab *)v)->source;
}

int vtabs_connect(sqlite3 *db, void *source, int argc, const char *const *argv,
		  sqlite3_vtab **out, char **error)
{
	const struct vtabs_source *s = source;
	struct vtab *v = sqlite3_malloc(sizeof(*v));
	int ret = s->declare(db, s->of);

	(void)argc;
	(void)argv;
	(void)error;
	if (!v || ret) {
		sqlite3_free(v);
		return ret ?: SQLITE_NOMEM;
	}
	memset(v, 0, sizeof(*v));
	v->source = s;
	*out = &v->base;
	return SQLITE_OK;
}

int vtabs_disconnect(sqlite3_vtab *v)
{
	sqlite3_free(v);
	return SQLITE_OK;
}

int vtabs_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
	size_t size = vtabs_source(v)->scan_size;
	struct vtabs_scan *s = sqlite3_malloc(size);

	if (!s)
		return SQLITE_NOMEM;
	memset(s, 0, size);
	*out = &s->base;
	return SQLITE_OK;
}

int vtabs_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = ((struct vtabs_scan *)cursor)->rowid;
	return SQLITE_OK;
}

int vtabs_add(sqlite3 *db, const char *name, const sqlite3_module *module,
	      const struct vtabs_source *source)
{
	char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE main.\"%w\" USING \"%w\"", name, name);
	struct vtabs_source *copy = malloc(sizeof(*copy));
	int ret = SQLITE_NOMEM;

	if (copy) {
		*copy = *source;
		ret = sqlite3_create_module_v2(db, name, module, copy, free);
	}
	if (!ret)
		ret = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return ret;
}

void vtabs_push(struct vtabs_plan *p, int i, char letter)
{
	if (p->nr == sizeof(p->text) - 1)
		return;
	p->text[p->nr++] = letter;
	p->info->aConstraintUsage[i].argvIndex = p->nr;
}

int vtabs_plan_end(struct vtabs_plan *p)
{
	p->info->idxStr = sqlite3_mprintf("%s", p->text);
	p->info->needToFreeIdxStr = 1;
	return p->info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

void vtabs_restart(struct vtabs_scan *s)
{
	s->next = 0;
	s->end = vtabs_source(s->base.pVtab)->r->nr;
	s->rowid = 0;
}

void vtabs_limit(struct vtabs_scan *s, sqlite3_value *value)
{
	sqlite3_int64 id = sqlite3_value_int64(value);

	/* SQLite checks the condition as well */
	if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER)
		return;
	if (id < 1 || id > (sqlite3_int64)s->end) {
		s->next = s->end;
		return;
	}
	s->next = id - 1;
	s->end = id;
}
