// SPDX-License-Identifier: GPL-2.0
/*
 * The trace.dat writer. See datw.h.
 *
 *	| initial header | section | ... | section OPTIONS | data | ... |
 *
 * The options are collected in memory and written last; the initial header has the
 * offset of their section and is corrected at the end. The file is whole then, and
 * stays so at each moment while more is appended:
 *
 *	data		is written behind the end; then the option BUFFER, which had
 *			nothing for this CPU, gets its offset, then its size
 *	sections	follow in the same way; then their options, and then the
 *			last option section gets the offset of these
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/util.h"
#include "trace/datw.h"

struct datw {
	char *path;
	FILE *out;
	bool failed;
	const char *advice;	/* what to do after an error */
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
		log_error("cannot write %s: %s%s", w->path, strerror(err),
			  w->advice ? w->advice : "");
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

static int open_files(struct datw *w, int fd, const char *path)
{
	w->out = fdopen(fd, "r+");
	if (!w->out || fseeko(w->out, 0, SEEK_END)) {
		log_error("cannot write %s: %s", path, strerror(errno));
		if (!w->out)
			close(fd);
		return -1;
	}
	w->path = xasprintf("%s", path);
	if (!w->path)
		return -1;
	w->options = open_memstream(&w->options_buf, &w->options_size);
	return w->options ? 0 : log_oom();
}

static struct datw *new_datw(int fd, const char *path)
{
	struct datw *w = calloc(1, sizeof(*w));

	if (!w) {
		close(fd);
		log_oom();
		return NULL;
	}
	if (!open_files(w, fd, path))
		return w;
	datw_abort(w);
	return NULL;
}

struct datw *datw_open(int fd, const char *path)
{
	struct datw *w = new_datw(fd, path);

	if (w)
		put_initial_header(w);
	return w;
}

struct datw *datw_append(int fd, const char *path, u64 link, const char *advice)
{
	struct datw *w = new_datw(fd, path);

	if (w) {
		w->options_ptr = link;
		w->advice = advice;
	}
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

/* If the kernel cannot copy between the two files itself */
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

/* Write what is pending, before what follows */
static void settle(struct datw *w)
{
	if (!w->failed && fflush(w->out))
		fail(w, errno);
}

int datw_place(struct datw *w, const struct datw_data *data)
{
	off_t start;
	int err;

	pad(w, data->page_size);
	settle(w);
	if (w->failed)
		return -1;
	start = ftello(w->out);
	err = copy_data(data->fd, fileno(w->out), data->size);
	if (!err && fseeko(w->out, 0, SEEK_END))
		err = errno;
	if (err) {
		fail(w, err);
		if (ftruncate(fileno(w->out), start))
			log_error("cannot truncate %s: %s", w->path, strerror(errno));
		return -1;
	}
	patch_u64(w, data->place, start);
	settle(w);
	patch_u64(w, data->place + sizeof(u64), data->size);
	settle(w);
	return w->failed ? -1 : 0;
}

/* The fixed part of the option BUFFER */
static FILE *begin_option(char **buf, size_t *size, u64 section,
			  const struct datw_buffer *b)
{
	FILE *m = open_memstream(buf, size);

	if (!m)
		return NULL;
	fwrite(&section, sizeof(section), 1, m);
	fwrite(b->name, strlen(b->name) + 1, 1, m);
	fwrite(b->clock, strlen(b->clock) + 1, 1, m);
	fwrite(&b->page_size, sizeof(b->page_size), 1, m);
	fwrite(&b->cpus->nr, sizeof(b->cpus->nr), 1, m);
	return m;
}

static void put_cpus(FILE *option, const struct cpulist *cpus)
{
	static const u64 nothing;
	unsigned int i;

	for (i = 0; i < cpus->nr; i++) {
		fwrite(&cpus->cpu[i], sizeof(cpus->cpu[i]), 1, option);
		fwrite(&nothing, sizeof(nothing), 1, option);
		fwrite(&nothing, sizeof(nothing), 1, option);
	}
}

/* The section is needed for its flags; the data need not be in it */
void datw_buffer(struct datw *w, const struct datw_buffer *b)
{
	char *buf = NULL;
	size_t size;
	FILE *option;

	datw_begin(w, DAT_BUFFER);
	end_section(w);
	option = begin_option(&buf, &size, w->section, b);
	if (!option) {
		fail(w, ENOMEM);
		return;
	}
	put_cpus(option, b->cpus);
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
	settle(w);
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
