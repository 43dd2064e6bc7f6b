// SPDX-License-Identifier: GPL-2.0
/*
 * An incomplete recording. See part.h.
 *
 * A program that records into it, or makes a file from it, holds a lock on the
 * directory.
 *
 * The directory, when a file is made from it, is not trusted: it may come from another
 * user. Its files are opened relative to it, and links are not followed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "record/part.h"
#include "record/save.h"
#include "trace/datr.h"
#include "trace/rbpage.h"

#define HEAD		"head"

/**
 * struct part - the directory
 * @dir:	its path
 * @head:	path of its head
 * @advice:	see part_advice()
 * @fd:		the directory, locked
 * @created:	names of the files that were made in it
 */
struct part {
	char *dir;
	char *head;
	char *advice;
	int fd;
	struct strlist created;
};

static bool lock_dir(struct part *p)
{
	p->fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return p->fd >= 0 && !flock(p->fd, LOCK_EX | LOCK_NB);
}

static struct part *alloc_part(char *dir)
{
	struct part *p = calloc(1, sizeof(*p));

	if (!p || !dir) {
		free(dir);
		free(p);
		log_oom();
		return NULL;
	}
	p->fd = -1;
	p->dir = dir;
	p->head = xasprintf("%s/" HEAD, dir);
	p->advice = xasprintf("; the data recorded so far is in %s: free some space, then run 'hyptrace recover %s'",
			      dir, dir);
	if (p->head && p->advice)
		return p;
	part_free(p);
	return NULL;
}

static int is_there(struct part *p)
{
	if (!lock_dir(p))
		return p->fd >= 0 ?
			log_error("%s: another hyptrace is recording into it", p->dir) :
			log_error("%s exists and is not a directory of a recording: remove it",
				  p->dir);
	return log_error("%s exists, left behind by a recording that did not finish: run 'hyptrace recover %s', or remove it",
			 p->dir, p->dir);
}

struct part *part_new(const char *file)
{
	struct part *p = alloc_part(xasprintf("%s.part", file));
	int err;

	if (!p)
		return NULL;
	err = mkdir(p->dir, 0700) ? errno : 0;
	if (!err && lock_dir(p))
		return p;
	if (err == EEXIST)
		is_there(p);
	else
		log_error("cannot create %s: %s", p->dir, strerror(err ? err : errno));
	part_free(p);
	return NULL;
}

struct part *part_open(const char *dir)
{
	struct part *p = alloc_part(xasprintf("%s", dir));

	if (!p || lock_dir(p))
		return p;
	if (p->fd >= 0)
		log_error("%s: the recording is still running", dir);
	else
		log_error("cannot open %s: %s: expected the directory FILE.part of a recording",
			  dir, strerror(errno));
	part_free(p);
	return NULL;
}

const char *part_advice(const struct part *p)
{
	return p->advice;
}

/* Return: a name, to be freed; NULL with a message */
static char *spool_name(const struct part *p, const char *buffer, unsigned int cpu)
{
	if (!strchr(buffer, '/'))
		return xasprintf("%s.%u", *buffer ? buffer : "host", cpu);
	log_error("%s: corrupt: the name of a buffer has a '/'", p->head);
	return NULL;
}

static int new_file(struct part *p, const char *name, mode_t mode)
{
	int fd = openat(p->fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0)
		return log_error("cannot create %s/%s: %s", p->dir, name, strerror(errno));
	if (!strlist_add(&p->created, name))
		return fd;
	unlinkat(p->fd, name, 0);
	close(fd);
	return -1;
}

int part_save_head(struct part *p, const struct recording *r, const struct streams *s,
		   const struct packing *packing)
{
	int fd = new_file(p, HEAD, 0666);

	return fd < 0 ? -1 : save_head(fd, p->head, r, s, packing);
}

int part_spool(struct part *p, const char *buffer, unsigned int cpu)
{
	char *name = spool_name(p, buffer, cpu);
	int fd = name ? new_file(p, name, 0600) : -1;

	free(name);
	return fd;
}

#define NO_FILE		-2

static int check_regular(const struct part *p, const char *name, int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return log_error("%s/%s: expected a regular file", p->dir, name);
}

/* Return: the fd, NO_FILE if there is none, or -1 with a message */
static int open_file(const struct part *p, const char *name, int mode)
{
	/* a FIFO must not block either */
	int fd = openat(p->fd, name, mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		return check_regular(p, name, fd);
	if (errno == ENOENT)
		return NO_FILE;
	if (errno == ELOOP || errno == EISDIR)
		return log_error("%s/%s: expected a regular file", p->dir, name);
	return log_error("cannot open %s/%s: %s", p->dir, name, strerror(errno));
}

static int open_head(const struct part *p, int mode)
{
	int fd = open_file(p, HEAD, mode);

	return fd != NO_FILE ? fd : log_error("cannot open %s: %s", p->head, strerror(ENOENT));
}

/* Finishing */

/* If the recorder was killed, the last sub-buffer may be incomplete */
static bool last_is_whole(int fd, u64 size, u32 page_size)
{
	u8 *page = malloc(page_size);
	struct rbpage p;
	struct rbevent ev;
	int ret = -1;

	if (page && pread(fd, page, page_size, size - page_size) == (ssize_t)page_size)
		ret = rbpage_init(&p, page, page_size);
	while (!ret) {
		ret = rbpage_next(&p, &ev);
		if (!ret)
			break;
		ret = ret > 0 ? 0 : -1;
	}
	free(page);
	return !ret;
}

/* Bytes of a spool that can be used */
static u64 usable(const struct part *p, const char *name, int fd, u32 page_size)
{
	struct stat st;
	u64 size;

	if (fstat(fd, &st))
		return 0;
	size = st.st_size / page_size * page_size;
	if (size && !last_is_whole(fd, size, page_size)) {
		size -= page_size;
		st.st_size = 0;
	}
	if (size != (u64)st.st_size)
		log_note("%s/%s: the last sub-buffer is incomplete and was left out",
			 p->dir, name);
	return size;
}

/**
 * struct finish - a file in the making
 * @p:		what it is made from
 * @w:		adds to the head
 * @watch:	see part_finish()
 */
struct finish {
	const struct part *p;
	struct datw *w;
	const struct datwatch *watch;
};

static int place_fd(const struct finish *f, const char *name, int fd,
		    const struct datr_buffer *b, const struct datr_cpu *cpu)
{
	struct datcopy data = {
		.from = fd,
		.size = usable(f->p, name, fd, b->page_size),
		.page_size = b->page_size,
		.watch = f->watch,
	};

	return data.size ? datw_place(f->w, &data, b->packed, cpu->place) : 0;
}

/* Move the data of a CPU into the head, if it is not there */
static int place_cpu(const struct finish *f, const struct datr_buffer *b,
		     const struct datr_cpu *cpu)
{
	const struct part *p = f->p;
	char *name = spool_name(p, b->name, cpu->cpu);
	int fd = name ? open_file(p, name, O_RDONLY) : -1, ret = fd == -1 ? -1 : 0;

	if (fd >= 0 && !cpu->size)
		ret = place_fd(f, name, fd, b, cpu);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !ret)
		unlinkat(p->fd, name, 0);
	free(name);
	return ret;
}

static int place_all(const struct finish *f, const struct datr *d)
{
	const struct datr_buffer *b;
	unsigned int i, j;

	for (i = 0; i < datr_nr_buffers(d); i++) {
		b = datr_buffer(d, i);
		for (j = 0; j < b->nr_cpus; j++) {
			if (place_cpu(f, b, &b->cpu[j]))
				return -1;
		}
	}
	return 0;
}

static struct datw *append(const struct part *p, const struct datr *d)
{
	int fd = open_head(p, O_RDWR);

	return fd < 0 ? NULL : datw_append(fd, p->head, d, p->advice);
}

/* First, since it takes little space */
static int add_end(const struct part *p, const struct datr *d,
		   const struct strlist *texts)
{
	struct datw *w;

	if (save_has_end(d))
		return 0;
	w = append(p, d);
	if (!w)
		return -1;
	save_end(w, d, texts);
	return datw_finish(w);
}

static int add_data(const struct part *p, const struct datr *d, const struct datwatch *watch)
{
	struct finish f = { .p = p, .w = append(p, d), .watch = watch };
	int ret = f.w ? place_all(&f, d) : -1;

	datw_abort(f.w);
	return ret;
}

static int complete_head(const struct part *p, const struct strlist *texts,
			 const struct datwatch *watch)
{
	int fd = open_head(p, O_RDONLY), ret = -1;
	struct datr *d = fd < 0 ? NULL : datr_open_fd(fd, p->head);

	if (d && !datr_grows(d))
		log_error("%s: not written by hyptrace: expected version 7, with options that are not compressed",
			  p->head);
	else if (d && !add_end(p, d, texts))
		ret = add_data(p, d, watch);
	datr_free(d);
	return ret;
}

/* Files of others may be in it: they are not ours to remove */
static int remove_dir(const struct part *p)
{
	if (!rmdir(p->dir))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return log_error("cannot remove %s: %s", p->dir, strerror(errno));
	log_note("%s is kept: there are other files in it", p->dir);
	return 0;
}

int part_finish(const struct part *p, const char *file, const struct strlist *texts,
		const struct datwatch *watch)
{
	if (complete_head(p, texts, watch))
		return -1;
	if (renameat(p->fd, HEAD, AT_FDCWD, file))
		return log_error("cannot rename %s to %s: %s", p->head, file,
				 strerror(errno));
	return remove_dir(p);
}

void part_remove(const struct part *p)
{
	unsigned int i;

	for (i = 0; i < p->created.nr; i++)
		unlinkat(p->fd, p->created.str[i], 0);
	remove_dir(p);
}

void part_free(struct part *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	strlist_free(&p->created);
	free(p->advice);
	free(p->head);
	free(p->dir);
	free(p);
}
