// SPDX-License-Identifier: GPL-2.0
/*
 * A tracefs directory. See tdir.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "record/tdir.h"
#include "record/tracefs.h"

/**
 * struct tdir - a tracefs directory
 * @path:	its path
 * @lock:	the directory, open while it is locked, or -1
 */
struct tdir {
	char *path;
	int lock;
};

static struct tdir *new_tdir(char *path)
{
	struct tdir *d = calloc(1, sizeof(*d));

	if (!d) {
		log_oom();
		free(path);
		return NULL;
	}
	d->path = path;
	d->lock = -1;
	return d;
}

static int no_remote(const char *root, const char *name)
{
	char *remotes = xasprintf("%s/remotes", root);
	int have;

	if (!remotes)
		return -1;
	have = !access(remotes, F_OK);
	free(remotes);
	if (have && strstr(name, "_last_boot"))
		return log_error("no remote '%s' in %s/remotes: the kernel has nothing of an earlier boot; see trace_remote_mem= in Documentation/trace/remotes.rst",
				 name, root);
	if (have) {
		log_error("no remote '%s' in %s/remotes: was the kernel booted with kvm-arm.mode=protected or kvm-arm.mode=nvhe?",
			  name, root);
		return -1;
	}
	log_error("no %s/remotes: needs a kernel with CONFIG_NVHE_EL2_TRACING",
		  root);
	return -1;
}

static char *remote_path(const char *name)
{
	const char *root;
	char *path;

	if (strchr(name, '/'))
		return xasprintf("%s", name);
	root = tracefs_root();
	if (!root)
		return NULL;
	path = xasprintf("%s/remotes/%s", root, name);
	if (path && access(path, F_OK)) {
		no_remote(root, name);
		free(path);
		return NULL;
	}
	return path;
}

struct tdir *tdir_find_remote(const char *name)
{
	char *path = remote_path(name);

	return path ? new_tdir(path) : NULL;
}

struct tdir *tdir_open_remote(const char *name)
{
	struct tdir *d = tdir_find_remote(name);

	if (!d || tdir_has(d, "tracing_on"))
		return d;
	log_error("%s is not a trace directory: it has no file tracing_on",
		  d->path);
	tdir_free(d);
	return NULL;
}

struct tdir *tdir_open_host(void)
{
	const char *root = tracefs_root();
	char *path = root ? xasprintf("%s", root) : NULL;

	return path ? new_tdir(path) : NULL;
}

struct tdir *tdir_new_instance(struct undo *undo)
{
	const char *root = tracefs_root();
	char *path;

	if (!root)
		return NULL;
	path = xasprintf("%s/instances/hyptrace-%d", root, getpid());
	if (!path)
		return NULL;
	if (undo_rmdir(undo, path)) {
		free(path);
		return NULL;
	}
	if (!mkdir(path, 0700))
		return new_tdir(path);
	log_error("cannot create the instance %s: %s", path, strerror(errno));
	undo_drop(undo);
	free(path);
	return NULL;
}

int tdir_lock(struct tdir *d)
{
	d->lock = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->lock < 0)
		return log_error("cannot open %s: %s", d->path, strerror(errno));
	if (!flock(d->lock, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		return log_error("another hyptrace is using %s: stop it, or wait until it ends",
				 d->path);
	return log_error("cannot lock %s: %s", d->path, strerror(errno));
}

void tdir_free(struct tdir *d)
{
	if (!d)
		return;
	if (d->lock >= 0)
		close(d->lock);
	free(d->path);
	free(d);
}

char *tdir_path(const struct tdir *d, const char *file)
{
	return xasprintf("%s/%s", d->path, file);
}

bool tdir_has(const struct tdir *d, const char *file)
{
	char *path = tdir_path(d, file);
	bool has = path && !access(path, F_OK);

	free(path);
	return has;
}

int tdir_need(const struct tdir *d, const char *file, const char *option)
{
	char *path;

	if (tdir_has(d, file))
		return 0;
	path = tdir_path(d, file);
	if (path)
		log_error("no %s: needs a kernel with %s", path, option);
	free(path);
	return -1;
}

char *tdir_read(const struct tdir *d, const char *file, size_t *size)
{
	char *path = tdir_path(d, file), *text;

	if (!path)
		return NULL;
	text = read_file(path, size);
	if (!text)
		log_error("cannot read %s: %s", path, strerror(errno));
	free(path);
	return text;
}

char *tdir_read_word(const struct tdir *d, const char *file)
{
	char *text = tdir_read(d, file, NULL);

	if (text)
		text[strcspn(text, " \t\n")] = '\0';
	return text;
}

static int write_failed(const char *path, const char *value, int err)
{
	if (err == EACCES || err == EPERM)
		return log_error("no permission to write %s: run as root", path);
	if (err == EBUSY) {
		log_error("cannot write '%s' to %s: the buffer is in use; stop its other readers",
			  value, path);
		return -1;
	}
	return log_error("cannot write '%s' to %s: %s", value, path,
			 strerror(err));
}

int tdir_write(const struct tdir *d, const char *file, const char *value)
{
	char *path = tdir_path(d, file);
	int ret;

	if (!path)
		return -1;
	ret = tracefs_write(path, value);
	if (ret)
		write_failed(path, value, errno);
	free(path);
	return ret;
}

/* A filter is one line, and to restore "none", 0 is written */
static char *current_filter(const struct tdir *d, const char *file)
{
	char *text = tdir_read(d, file, NULL);

	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	if (strcmp(text, "none"))
		return text;
	free(text);
	return xasprintf("0");
}

/* The names of a list of functions, on one line. One that is empty shows a comment */
static char *current_list(const struct tdir *d, const char *file)
{
	char *text = tdir_read(d, file, NULL), *end;

	if (!text)
		return NULL;
	if (*text == '#')
		*text = '\0';
	for (end = text; (end = strchr(end, '\n')); )
		*end = ' ';
	return text;
}

/* "0*" or "1*" if the event has triggers, or a trigger may switch it */
static char *current_enable(const struct tdir *d, const char *file)
{
	char *text = tdir_read_word(d, file);

	if (text)
		text[strcspn(text, "*")] = '\0';
	return text;
}

/* The value that can be written back */
static char *current_value(const struct tdir *d, const char *file)
{
	const char *name = strrchr(file, '/');

	if (!strcmp(file, "trace_clock"))
		return tdir_clock(d);
	if (name && !strcmp(name, "/filter"))
		return current_filter(d, file);
	if (!strcmp(file, "set_graph_function"))
		return current_list(d, file);
	if (name && !strcmp(name, "/enable"))
		return current_enable(d, file);
	return tdir_read_word(d, file);
}

int tdir_try(const struct tdir *d, struct undo *undo, const char *file,
	     const char *value)
{
	char *old = current_value(d, file), *path = tdir_path(d, file);
	int ret = -1;

	if (!old || !path)
		goto out;
	/* noted even if it is the same: writing has other effects, such as loading */
	if (undo && undo_write(undo, path, old))
		goto out;
	ret = 0;
	if (tracefs_write(path, value)) {
		ret = errno == EPERM ? -EACCES : -errno;
		if (undo)
			undo_drop(undo);
	}
out:
	free(path);
	free(old);
	return ret;
}

int tdir_change(const struct tdir *d, struct undo *undo, const char *file,
		const char *value)
{
	int ret = tdir_try(d, undo, file, value);
	char *path;

	if (ret >= -1)
		return ret;
	path = tdir_path(d, file);
	if (path)
		write_failed(path, value, -ret);
	free(path);
	return -1;
}

int tdir_clear(const struct tdir *d)
{
	return tdir_write(d, "trace", "\n");
}

/* "local [global] mono": the word in brackets */
static char *bracketed(const char *text)
{
	const char *start = strchr(text, '[');
	const char *end = start ? strchr(start, ']') : NULL;

	if (!end)
		return NULL;
	return strndup(start + 1, end - start - 1);
}

char *tdir_clock(const struct tdir *d)
{
	char *text, *clock;

	if (!tdir_has(d, "trace_clock"))
		return xasprintf("local");
	text = tdir_read(d, "trace_clock", NULL);
	if (!text)
		return NULL;
	clock = bracketed(text);
	if (!clock)
		log_error("no clock in brackets in trace_clock: '%s'", text);
	free(text);
	return clock;
}

/* The names of the subdirectories that have a file @mark */
static int subdirs(const struct tdir *d, const char *dir, const char *mark,
		   struct strlist *list)
{
	char *path = tdir_path(d, dir), *file;
	struct dirent *e;
	int ret = 0;
	DIR *dp;

	if (!path)
		return -1;
	dp = opendir(path);
	if (!dp)
		ret = log_error("cannot read %s: %s", path, strerror(errno));
	while (dp && !ret && (e = readdir(dp))) {
		if (e->d_name[0] == '.')
			continue;
		file = xasprintf("%s/%s/%s", dir, e->d_name, mark);
		if (!file)
			ret = -1;
		else if (tdir_has(d, file))
			ret = strlist_add(list, e->d_name);
		free(file);
	}
	if (dp)
		closedir(dp);
	free(path);
	return ret;
}

int tdir_systems(const struct tdir *d, struct strlist *list)
{
	return subdirs(d, "events", "enable", list);
}

int tdir_events(const struct tdir *d, const char *system,
		struct strlist *list)
{
	char *dir = xasprintf("events/%s", system);
	int ret = dir ? subdirs(d, dir, "format", list) : -1;

	free(dir);
	return ret;
}
