// SPDX-License-Identifier: GPL-2.0
/*
 * The journal of changes. See undo.h.
 *
 * Its file is DIRECTORY/PID, which the program keeps locked as long as it lives. A
 * line of it is PATH TAB VALUE, or PATH alone for a directory that is to be removed.
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

#include "log.h"
#include "tdir.h"
#include "undo.h"

struct entry {
	struct entry *next;
	char *path;
	char *value;		/* NULL: remove the directory */
};

#define PARENT		"/run"
#define DIRECTORY	PARENT "/hyptrace"

struct undo {
	struct entry *last;
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

/* The file: without one, nothing is lost but the help for those who are killed */

static char *file_name(const char *before)
{
	return xasprintf(DIRECTORY "/%s%d", before, getpid());
}

/* It gets its name when it is locked, as who finds one that is not puts it back */
static int make_file(void)
{
	char *hidden = file_name("."), *name = file_name("");
	int fd = -1;

	mkdir(PARENT, 0755);
	mkdir(DIRECTORY, 0700);
	if (hidden && name)
		fd = open(hidden, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
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

static void put_entry(struct undo *u, const struct entry *e)
{
	if (u->fd < 0)
		u->fd = make_file();
	if (u->fd >= 0)
		dprintf(u->fd, e->value ? "%s\t%s\n" : "%s\n", e->path, e->value);
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
	put_entry(u, e);
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

void undo_drop(struct undo *u)
{
	struct entry *e = u->last;

	u->last = e->next;
	free_entry(e);
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
	remove_file(u);
	free(u);
	return ret;
}

/* Of others */

/* What is not there any more needs nothing */
static void revert_line(char *line)
{
	struct entry e = { .path = strsep(&line, "\t"), .value = line };

	if (!access(e.path, F_OK))
		revert(&e);
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
		log_note("putting back what a hyptrace that was killed had changed in tracefs");
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
