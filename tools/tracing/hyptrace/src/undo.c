// SPDX-License-Identifier: GPL-2.0
/*
 * The journal of changes. See undo.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "tdir.h"
#include "undo.h"

struct entry {
	struct entry *next;
	char *path;
	char *value;		/* NULL: remove the directory */
};

struct undo {
	struct entry *last;
};

struct undo *undo_new(void)
{
	struct undo *u = calloc(1, sizeof(*u));

	if (!u)
		log_oom();
	return u;
}

static void free_entry(struct entry *e)
{
	free(e->path);
	free(e->value);
	free(e);
}

static int push(struct undo *u, const char *path, const char *value)
{
	struct entry *e = calloc(1, sizeof(*e));

	if (!e)
		return log_oom();
	e->path = strdup(path);
	e->value = value ? strdup(value) : NULL;
	if (!e->path || (value && !e->value)) {
		free_entry(e);
		return log_oom();
	}
	e->next = u->last;
	u->last = e;
	return 0;
}

int undo_write(struct undo *u, const char *path, const char *value)
{
	return push(u, path, value);
}

int undo_rmdir(struct undo *u, const char *path)
{
	return push(u, path, NULL);
}

static int revert(const struct entry *e)
{
	if (e->value)
		return tracefs_write(e->path, e->value) ?
			log_error("cannot put '%s' back into %s: %s", e->value,
				  e->path, strerror(errno)) : 0;
	if (rmdir(e->path))
		return log_error("cannot remove %s: %s", e->path,
				 strerror(errno));
	return 0;
}

int undo_run(struct undo *u)
{
	struct entry *e;
	int ret = 0;

	if (!u)
		return 0;
	while ((e = u->last)) {
		if (revert(e))
			ret = -1;
		u->last = e->next;
		free_entry(e);
	}
	free(u);
	return ret;
}
