// SPDX-License-Identifier: GPL-2.0
/*
 * An incomplete recording. See part.h.
 *
 * A program that records into it, or makes a file from it, holds a lock on the
 * directory.
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
#include "record/part.h"
#include "record/save.h"
#include "trace/datr.h"
#include "trace/rbpage.h"

struct part {
	char *dir;
	char *head;
	char *advice;
	int fd;
};

static bool lock_dir(struct part *p)
{
	p->fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
	p->head = xasprintf("%s/head", dir);
	p->advice = xasprintf("; the data recorded so far is in %s: free some space, then run 'hyptrace recover %s'",
			      dir, dir);
	if (p->head && p->advice)
		return p;
	part_free(p);
	return NULL;
}

static int is_there(struct part *p)
{
	if (!lock_dir(p) && p->fd >= 0)
		return log_error("%s: another hyptrace is recording into it", p->dir);
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

const char *part_head(const struct part *p)
{
	return p->head;
}

const char *part_advice(const struct part *p)
{
	return p->advice;
}

static char *spool_name(const char *buffer, unsigned int cpu)
{
	return xasprintf("%s.%u", *buffer ? buffer : "host", cpu);
}

int part_spool(const struct part *p, const char *buffer, unsigned int cpu)
{
	char *name = spool_name(buffer, cpu);
	int fd;

	if (!name)
		return -1;
	fd = openat(p->fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		log_error("cannot create %s/%s: %s", p->dir, name, strerror(errno));
	free(name);
	return fd;
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

static int place_fd(const struct part *p, const char *name, int fd,
		    const struct datr_buffer *b, const struct datr_cpu *cpu,
		    struct datw *w)
{
	struct datw_data data = {
		.fd = fd, .page_size = b->page_size, .place = cpu->place,
	};

	data.size = usable(p, name, fd, b->page_size);
	return data.size ? datw_place(w, &data) : 0;
}

/* Move the data of a CPU into the head, if it is not there */
static int place_cpu(const struct part *p, const struct datr_buffer *b,
		     const struct datr_cpu *cpu, struct datw *w)
{
	char *name = spool_name(b->name, cpu->cpu);
	int fd, ret = 0;

	if (!name)
		return -1;
	fd = openat(p->fd, name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !cpu->size)
		ret = place_fd(p, name, fd, b, cpu, w);
	if (fd >= 0)
		close(fd);
	if (!ret)
		unlinkat(p->fd, name, 0);
	free(name);
	return ret;
}

static int place_all(const struct part *p, const struct datr *d, struct datw *w)
{
	const struct datr_buffer *b;
	unsigned int i, j;

	for (i = 0; i < datr_nr_buffers(d); i++) {
		b = datr_buffer(d, i);
		for (j = 0; j < b->nr_cpus; j++) {
			if (place_cpu(p, b, &b->cpu[j], w))
				return -1;
		}
	}
	return 0;
}

/* First, since it takes little space */
static int add_end(const struct part *p, const struct datr *d,
		   const struct strlist *texts)
{
	struct datw *w;

	if (save_has_end(d))
		return 0;
	w = datw_append(p->head, datr_link(d), p->advice);
	if (!w)
		return -1;
	save_end(w, d, texts);
	return datw_finish(w);
}

static int add_data(const struct part *p, const struct datr *d)
{
	struct datw *w = datw_append(p->head, 0, p->advice);
	int ret = w ? place_all(p, d, w) : -1;

	datw_abort(w);
	return ret;
}

static int complete_head(const struct part *p, const struct strlist *texts)
{
	struct datr *d = datr_open(p->head);
	int ret = -1;

	if (d && !add_end(p, d, texts))
		ret = add_data(p, d);
	datr_free(d);
	return ret;
}

int part_finish(const struct part *p, const char *file, const struct strlist *texts)
{
	if (complete_head(p, texts))
		return -1;
	if (rename(p->head, file))
		return log_error("cannot rename %s to %s: %s", p->head, file,
				 strerror(errno));
	if (rmdir(p->dir))
		return log_error("cannot remove %s: %s", p->dir, strerror(errno));
	return 0;
}

void part_remove(const struct part *p)
{
	struct dirent *e;
	DIR *dir = opendir(p->dir);

	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] != '.')
			unlinkat(p->fd, e->d_name, 0);
	}
	if (dir)
		closedir(dir);
	rmdir(p->dir);
}

void part_free(struct part *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	free(p->advice);
	free(p->head);
	free(p->dir);
	free(p);
}
