// SPDX-License-Identifier: GPL-2.0
/*
 * The trace.dat writer. See datw.h.
 *
 *	| initial header | section | ... | section OPTIONS |
 *
 * The options are collected in memory and written last; the initial header
 * has the offset of their section and is corrected at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "datw.h"
#include "log.h"
#include "util.h"

struct datw {
	char *path;
	FILE *out;
	bool failed;
	off_t options_ptr;	/* where the offset of OPTIONS goes */
	off_t section;		/* offset of the section being written */
	enum dat_id section_id;
	FILE *options;		/* in memory */
	char *options_buf;
	size_t options_size;
};

static void fail(struct datw *w, int err)
{
	if (!w->failed)
		log_error("cannot write %s: %s", w->path, strerror(err));
	w->failed = true;
}

void datw_bytes(struct datw *w, const void *data, size_t size)
{
	if (!w->failed && size && fwrite(data, size, 1, w->out) != 1)
		fail(w, errno);
}

void datw_string(struct datw *w, const char *text)
{
	datw_bytes(w, text, strlen(text) + 1);
}

static void put_u16(struct datw *w, u16 v)
{
	datw_bytes(w, &v, sizeof(v));
}

void datw_u32(struct datw *w, u32 v)
{
	datw_bytes(w, &v, sizeof(v));
}

void datw_u64(struct datw *w, u64 v)
{
	datw_bytes(w, &v, sizeof(v));
}

static void put_initial_header(struct datw *w)
{
	const u8 little_endian = 0, long_size = 8;

	datw_bytes(w, DAT_MAGIC, DAT_MAGIC_SIZE);
	datw_string(w, DAT_VERSION);
	datw_bytes(w, &little_endian, 1);
	datw_bytes(w, &long_size, 1);
	datw_u32(w, sysconf(_SC_PAGESIZE));
	datw_string(w, "none");
	datw_string(w, "");
	w->options_ptr = ftello(w->out);
	datw_u64(w, 0);
}

static int open_files(struct datw *w, const char *path)
{
	w->path = xasprintf("%s", path);
	if (!w->path)
		return -1;
	w->options = open_memstream(&w->options_buf, &w->options_size);
	if (!w->options)
		return log_oom();
	w->out = fopen(path, "w+e");
	if (!w->out)
		return log_error("cannot create %s: %s", path, strerror(errno));
	return 0;
}

struct datw *datw_open(const char *path)
{
	struct datw *w = calloc(1, sizeof(*w));

	if (!w) {
		log_oom();
		return NULL;
	}
	if (open_files(w, path)) {
		datw_abort(w);
		return NULL;
	}
	put_initial_header(w);
	return w;
}

void datw_begin(struct datw *w, enum dat_id id)
{
	w->section = ftello(w->out);
	w->section_id = id;
	put_u16(w, id);
	put_u16(w, 0);
	datw_u32(w, 0);
	datw_u64(w, 0);
}

static void patch_u64(struct datw *w, off_t pos, u64 v)
{
	off_t end = ftello(w->out);

	if (!w->failed && fseeko(w->out, pos, SEEK_SET))
		fail(w, errno);
	datw_u64(w, v);
	if (!w->failed && fseeko(w->out, end, SEEK_SET))
		fail(w, errno);
}

static void end_section(struct datw *w)
{
	u64 size = ftello(w->out) - w->section - DAT_SECTION_HEADER;

	patch_u64(w, w->section + 8, size);
}

void datw_end(struct datw *w)
{
	u64 offset = w->section;

	end_section(w);
	datw_option(w, w->section_id, &offset, sizeof(offset));
}

void datw_option(struct datw *w, enum dat_id id, const void *data, size_t size)
{
	u16 id16 = id;
	u32 size32 = size;

	fwrite(&id16, sizeof(id16), 1, w->options);
	fwrite(&size32, sizeof(size32), 1, w->options);
	if (size)
		fwrite(data, size, 1, w->options);
}

/* Zeros up to a multiple of @align */
static void pad(struct datw *w, u32 align)
{
	off_t pos = ftello(w->out);
	off_t end = (pos + align - 1) / align * align;

	for (; pos < end && !w->failed; pos++)
		datw_bytes(w, "", 1);
}

/* Where the kernel cannot copy between the two files itself */
static int copy_by_hand(int from, int to, u64 left)
{
	char buf[65536];
	ssize_t n;

	while (left) {
		n = read(from, buf, left < sizeof(buf) ? left : sizeof(buf));
		if (n <= 0)
			return n ? errno : EIO;
		if (write(to, buf, n) != n)
			return errno ? errno : ENOSPC;
		left -= n;
	}
	return 0;
}

static int copy_data(int from, int to, u64 left)
{
	ssize_t n;

	if (lseek(from, 0, SEEK_SET) < 0)
		return errno;
	while (left) {
		errno = 0;
		n = copy_file_range(from, NULL, to, NULL, left, 0);
		if (n < 0 && errno != EINTR && errno != ENOSPC)
			return copy_by_hand(from, to, left);
		if (n < 0 && errno == ENOSPC)
			return errno;
		if (!n)
			return copy_by_hand(from, to, left);
		left -= n > 0 ? n : 0;
	}
	return 0;
}

/* Return: where the data begins */
static u64 put_cpu(struct datw *w, const struct datw_cpu *c, u32 page_size)
{
	off_t start;
	int err = 0;

	pad(w, page_size);
	start = ftello(w->out);
	if (w->failed)
		return start;
	if (fflush(w->out))
		err = errno;
	if (!err)
		err = copy_data(c->fd, fileno(w->out), c->size);
	if (!err && (fseeko(w->out, 0, SEEK_END) || ftruncate(c->fd, 0)))
		err = errno;
	if (err)
		fail(w, err);
	return start;
}

/* The fixed part of the option BUFFER */
static FILE *begin_option(char **buf, size_t *size, u64 section,
			  const char *name, const char *clock)
{
	FILE *m = open_memstream(buf, size);

	if (!m)
		return NULL;
	fwrite(&section, sizeof(section), 1, m);
	fwrite(name, strlen(name) + 1, 1, m);
	fwrite(clock, strlen(clock) + 1, 1, m);
	return m;
}

static void put_cpus(struct datw *w, FILE *option, u32 page_size,
		     const struct datw_cpu *cpu, u32 nr_cpus)
{
	u64 offset;
	u32 i;

	fwrite(&page_size, sizeof(page_size), 1, option);
	fwrite(&nr_cpus, sizeof(nr_cpus), 1, option);
	for (i = 0; i < nr_cpus; i++) {
		offset = put_cpu(w, &cpu[i], page_size);
		fwrite(&cpu[i].cpu, sizeof(cpu[i].cpu), 1, option);
		fwrite(&offset, sizeof(offset), 1, option);
		fwrite(&cpu[i].size, sizeof(cpu[i].size), 1, option);
	}
}

void datw_buffer(struct datw *w, const char *name, const char *clock,
		 u32 page_size, const struct datw_cpu *cpu,
		 u32 nr_cpus)
{
	char *buf = NULL;
	size_t size;
	FILE *option;

	datw_begin(w, DAT_BUFFER);
	option = begin_option(&buf, &size, w->section, name, clock);
	if (!option) {
		fail(w, ENOMEM);
		return;
	}
	put_cpus(w, option, page_size, cpu, nr_cpus);
	end_section(w);
	if (fclose(option))
		fail(w, ENOMEM);
	else
		datw_option(w, DAT_BUFFER, buf, size);
	free(buf);
}

static void put_options(struct datw *w)
{
	u64 no_more = 0;

	datw_option(w, DAT_DONE, &no_more, sizeof(no_more));
	if (fflush(w->options) || ferror(w->options))
		fail(w, ENOMEM);
	datw_begin(w, DAT_OPTIONS);
	datw_bytes(w, w->options_buf, w->options_size);
	end_section(w);
	patch_u64(w, w->options_ptr, w->section);
}

static void free_datw(struct datw *w)
{
	if (w->out)
		fclose(w->out);
	if (w->options)
		fclose(w->options);
	free(w->options_buf);
	free(w->path);
	free(w);
}

int datw_finish(struct datw *w)
{
	bool failed;

	put_options(w);
	if (!w->failed && fflush(w->out))
		fail(w, errno);
	failed = w->failed;
	free_datw(w);
	return failed ? -1 : 0;
}

void datw_abort(struct datw *w)
{
	if (w)
		free_datw(w);
}
