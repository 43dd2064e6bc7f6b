// SPDX-License-Identifier: GPL-2.0
/*
 * What the virtual tables have in common. See vtabs.h.
 */
#include <stdlib.h>

#include "query/vtabs.h"

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

int vtabs_add(sqlite3 *db, const char *name, const sqlite3_module *module, void *source)
{
	char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE main.\"%w\" USING \"%w\"", name, name);
	int ret = sqlite3_create_module_v2(db, name, module, source, free);

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

void vtabs_recordings(const struct recordings *r, sqlite3_value *value, size_t *from, size_t *to)
{
	sqlite3_int64 id = sqlite3_value_int64(value);

	*from = 0;
	*to = r->nr;
	if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER)
		return;
	if (id < 1 || id > (sqlite3_int64)r->nr) {
		*to = 0;
		return;
	}
	*from = id - 1;
	*to = id;
}
