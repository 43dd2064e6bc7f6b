// SPDX-License-Identifier: GPL-2.0
/*
 * The journal of changes. See undo.h.
 *
 * Its file is DIRECTORY/PID, which the program keeps locked while it runs. Each line is
 * PATH TAB VALUE, or PATH alone for a directory to be removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/util.h"
#include "record/tracefs.h"
#include "record/undo.h"

struct change {
	struct change *next;
	char *path;
	char *value;		/* NULL: remove the directory */
};

#define PARENT		"/run"
#define DIRECTORY	PARENT "/hyptrace"

struct undo {
	struct change *last;
	int fd;			/* of the file, -1 if there is none */
};

struct undo *undo_new(void)
{
	struct undo *u = calloc(1, sizeof(*u));

	if (u)
		u->fd = -1;
	else
		log_oom();
	return u;
}

/* Without the file, all works except restoring after the program was killed */

static char *file_name(const char *before)
{
	return xasprintf(DIRECTORY "/%s%d", before, getpid());
}

/* It gets its name after it is locked: one without a lock counts as left behind */
static int make_file(void)
{
	char *hidden = file_name("."), *name = file_name("");
	int fd = -1;

	mkdir(PARENT, 0755);
	mkdir(DIRECTORY, 0700);
	if (hidden && name) {
		unlink(hidden);
		fd = open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	}
	if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) || rename(hidden, name))) {
		close(fd);
		fd = -1;
	}
	free(hidden);
	free(name);
	return fd;
}

static void remove_file(struct undo *u)
{
	char *name = file_name("");

	if (u->fd >= 0 && name)
		unlink(name);
	if (u->fd >= 0)
		close(u->fd);
	free(name);
}

static void note_change(struct undo *u, const struct change *c)
{
	if (u->fd < 0)
		u->fd = make_file();
	if (u->fd >= 0)
		dprintf(u->fd, c->value ? "%s\t%s\n" : "%s\n", c->path, c->value);
}

static void free_change(struct change *c)
{
	free(c->path);
	free(c->value);
	free(c);
}

static int add_change(struct undo *u, const char *path, const char *value)
{
	struct change *c = calloc(1, sizeof(*c));

	if (!c)
		return log_oom();
	c->path = strdup(path);
	c->value = value ? strdup(value) : NULL;
	if (!c->path || (value && !c->value)) {
		free_change(c);
		return log_oom();
	}
	c->next = u->last;
	u->last = c;
	note_change(u, c);
	return 0;
}

int undo_write(struct undo *u, const char *path, const char *value)
{
	return add_change(u, path, value);
}

int undo_rmdir(struct undo *u, const char *path)
{
	return add_change(u, path, NULL);
}

void undo_drop(struct undo *u)
{
	struct change *c = u->last;

	u->last = c->next;
	free_change(c);
}

static int revert(const struct change *c)
{
	if (c->value)
		return tracefs_write(c->path, c->value) ?
			log_error("cannot restore '%s' in %s: %s", c->value,
				  c->path, strerror(errno)) : 0;
	if (rmdir(c->path))
		return log_error("cannot remove %s: %s", c->path,
				 strerror(errno));
	return 0;
}

int undo_run(struct undo *u)
{
	struct change *c;
	int ret = 0;

	if (!u)
		return 0;
	while ((c = u->last)) {
		if (revert(c))
			ret = -1;
		u->last = c->next;
		free_change(c);
	}
	remove_file(u);
	free(u);
	return ret;
}

/* Journals of other programs */

/* A file that does not exist any more need not be restored */
static void revert_line(char *line)
{
	struct change c = { .path = strsep(&line, "\t"), .value = line };

	if (!access(c.path, F_OK))
		revert(&c);
}

/* Last change first */
static void revert_text(char *text)
{
	char *line;

	while (*text) {
		text[strlen(text) - 1] = '\0';
		line = strrchr(text, '\n');
		line = line ? line + 1 : text;
		revert_line(line);
		*line = '\0';
	}
}

static void revert_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		text = read_file(path, NULL);
	if (text) {
		log_note("restoring the tracefs settings that a killed hyptrace had changed");
		revert_text(text);
		unlink(path);
	}
	free(text);
	close(fd);
}

void undo_leftovers(void)
{
	DIR *dir = opendir(DIRECTORY);
	struct dirent *e;
	char *path;

	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		path = xasprintf(DIRECTORY "/%s", e->d_name);
		if (path)
			revert_file(path);
		free(path);
	}
	if (dir)
		closedir(dir);
}
