// SPDX-License-Identifier: GPL-2.0
/*
 * The trace.dat writer. See datw.h.
 *
 *	| initial header | section | ... | section OPTIONS | data | ... |
 *
 * A section is collected in memory, and compressed as a whole. The data of a CPU, which may be
 * large, is compressed in chunks. The options are never compressed, as they are corrected in
 * their place later. They are collected in memory and written last; the initial header has the
 * offset of their section and is corrected at the end. The file is whole then, and stays so at
 * each moment while more is appended:
 *
 *	data		is written behind the end; then the option BUFFER, which had
 *			nothing for this CPU, gets its offset, then its size
 *	sections	follow in the same way; then their options, and then the
 *			last option section gets the offset of these
 *
 * Version 6 has the same content of sections without their headers, see datv6.c.
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

/**
 * struct memory - what is collected in memory
 * @out:	writes it, or NULL
 * @buf:	the content, after fflush()
 * @size:	its size
 */
struct memory {
	FILE *out;
	char *buf;
	size_t size;
};

struct datw {
	char *path;
	FILE *out;
	bool failed;
	bool v6;
	const char *advice;	/* what to do after an error */
	const struct packing *packing;	/* NULL: not compressed */
	off_t options_ptr;	/* where the offset of OPTIONS goes */
	enum dat_id section_id;	/* of the section being written */
	struct memory section;	/* what is in it */
	struct memory options;
};

static void fail(struct datw *w, int err)
{
	if (!w->failed)
		log_error("cannot write %s: %s%s", w->path, strerror(err),
			  w->advice ? w->advice : "");
	w->failed = true;
}

static int memory_open(struct memory *m)
{
	m->out = open_memstream(&m->buf, &m->size);
	return m->out ? 0 : -1;
}

static int memory_flush(struct memory *m)
{
	return !m->out || fflush(m->out) || ferror(m->out) ? -1 : 0;
}

static void memory_free(struct memory *m)
{
	if (m->out)
		fclose(m->out);
	free(m->buf);
	*m = (struct memory) { 0 };
}

static void put(struct datw *w, const void *data, size_t size)
{
	if (!w->failed && size && fwrite(data, size, 1, w->out) != 1)
		fail(w, errno);
}

static void put_string(struct datw *w, const char *text)
{
	put(w, text, strlen(text) + 1);
}

static void put_u16(struct datw *w, u16 v)
{
	put(w, &v, sizeof(v));
}

static void put_u32(struct datw *w, u32 v)
{
	put(w, &v, sizeof(v));
}

static void put_u64(struct datw *w, u64 v)
{
	put(w, &v, sizeof(v));
}

static void put_version(struct datw *w, const char *version, u32 page_size)
{
	const u8 little_endian = 0, long_size = 8;

	put(w, DAT_MAGIC, DAT_MAGIC_SIZE);
	put_string(w, version);
	put(w, &little_endian, 1);
	put(w, &long_size, 1);
	put_u32(w, page_size);
}

static void put_initial_header(struct datw *w)
{
	put_version(w, DAT_VERSION, sysconf(_SC_PAGESIZE));
	put_string(w, w->packing ? w->packing->name : DAT_NOT_PACKED);
	put_string(w, w->packing ? w->packing->version() : "");
	w->options_ptr = ftello(w->out);
	put_u64(w, 0);
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
	return memory_open(&w->options) ? log_oom() : 0;
}

static struct datw *new_datw(int fd, const char *path, const struct packing *packing)
{
	struct datw *w = calloc(1, sizeof(*w));

	if (!w) {
		close(fd);
		log_oom();
		return NULL;
	}
	w->packing = packing;
	if (!open_files(w, fd, path))
		return w;
	datw_abort(w);
	return NULL;
}

struct datw *datw_open(int fd, const char *path, const struct packing *packing)
{
	struct datw *w = new_datw(fd, path, packing);

	if (w)
		put_initial_header(w);
	return w;
}

struct datw *datw_open_v6(int fd, const char *path, u32 page_size)
{
	struct datw *w = new_datw(fd, path, NULL);

	if (w) {
		w->v6 = true;
		put_version(w, DAT_VERSION_6, page_size);
	}
	return w;
}

struct datw *datw_append(int fd, const char *path, const struct datr *d, const char *advice)
{
	struct datw *w = new_datw(fd, path, datr_packing(d));

	if (w) {
		w->options_ptr = datr_link(d);
		w->advice = advice;
	}
	return w;
}

static void patch_u64(struct datw *w, off_t pos, u64 v)
{
	off_t end = ftello(w->out);

	if (!w->failed && fseeko(w->out, pos, SEEK_SET))
		fail(w, errno);
	put_u64(w, v);
	if (!w->failed && fseeko(w->out, end, SEEK_SET))
		fail(w, errno);
}

/* Sections */

/* Return: the offset of the section */
static u64 put_section_header(struct datw *w, enum dat_id id, bool packed, u64 size)
{
	u64 offset = ftello(w->out);

	put_u16(w, id);
	put_u16(w, packed ? DAT_FLAG_COMPRESSED : 0);
	put_u32(w, 0);
	put_u64(w, size);
	return offset;
}

/* Return: as above */
static u64 put_section(struct datw *w, enum dat_id id, bool packed, const void *data, size_t size)
{
	u64 offset = put_section_header(w, id, packed, size);

	put(w, data, size);
	return offset;
}

static u64 put_packed(struct datw *w, enum dat_id id, const struct memory *m)
{
	void *chunk = malloc(datchunk_room(w->packing, m->size));
	size_t size = chunk ? datchunk_pack(w->packing, m->buf, m->size, chunk) : 0;
	u64 offset = put_section(w, id, true, chunk, size);

	if (!size)
		fail(w, ENOMEM);
	free(chunk);
	return offset;
}

void datw_begin(struct datw *w, enum dat_id id)
{
	w->section_id = id;
	if (memory_open(&w->section))
		fail(w, ENOMEM);
}

void datw_bytes(struct datw *w, const void *data, size_t size)
{
	if (!w->failed && size)
		fwrite(data, size, 1, w->section.out);
}

void datw_string(struct datw *w, const char *text)
{
	datw_bytes(w, text, strlen(text) + 1);
}

void datw_u32(struct datw *w, u32 v)
{
	datw_bytes(w, &v, sizeof(v));
}

void datw_u64(struct datw *w, u64 v)
{
	datw_bytes(w, &v, sizeof(v));
}

void datw_end(struct datw *w)
{
	struct memory *m = &w->section;
	u64 offset = 0;

	if (memory_flush(m))
		fail(w, ENOMEM);
	else if (w->v6)
		put(w, m->buf, m->size);
	else if (w->packing)
		offset = put_packed(w, w->section_id, m);
	else
		offset = put_section(w, w->section_id, false, m->buf, m->size);
	if (!w->v6)
		datw_option(w, w->section_id, &offset, sizeof(offset));
	memory_free(m);
}

void datw_option(struct datw *w, enum dat_id id, const void *data, size_t size)
{
	u16 id16 = id;
	u32 size32 = size;

	fwrite(&id16, sizeof(id16), 1, w->options.out);
	fwrite(&size32, sizeof(size32), 1, w->options.out);
	if (size)
		fwrite(data, size, 1, w->options.out);
}

/* Zeros up to a multiple of @align */
static void pad(struct datw *w, u32 align)
{
	off_t pos = ftello(w->out);
	off_t end = (pos + align - 1) / align * align;

	for (; pos < end && !w->failed; pos++)
		put(w, "", 1);
}

/* Data of CPUs */

void datw_flush(struct datw *w)
{
	if (!w->failed && fflush(w->out))
		fail(w, errno);
}

static int copy(struct datw *w, const struct datcopy *c, bool packed, u64 *size)
{
	if (packed)
		return datcopy_packed(c, fileno(w->out), w->packing, size);
	*size = c->size;
	return datcopy_plain(c, fileno(w->out));
}

int datw_place(struct datw *w, const struct datcopy *data, bool packed, u64 place)
{
	off_t start;
	u64 size;
	int err;

	if (!packed)
		pad(w, data->page_size);
	datw_flush(w);
	if (w->failed)
		return -1;
	start = ftello(w->out);
	err = copy(w, data, packed, &size);
	if (!err && fseeko(w->out, 0, SEEK_END))
		err = errno;
	if (err) {
		fail(w, err);
		if (ftruncate(fileno(w->out), start))
			log_error("cannot truncate %s: %s", w->path, strerror(errno));
		return -1;
	}
	patch_u64(w, place, start);
	datw_flush(w);
	patch_u64(w, place + sizeof(u64), size);
	datw_flush(w);
	return w->failed ? -1 : 0;
}

/* The fixed part of the option BUFFER */
static void put_buffer(FILE *option, u64 section, const struct datw_buffer *b)
{
	fwrite(&section, sizeof(section), 1, option);
	fwrite(b->name, strlen(b->name) + 1, 1, option);
	fwrite(b->clock, strlen(b->clock) + 1, 1, option);
	fwrite(&b->page_size, sizeof(b->page_size), 1, option);
	fwrite(&b->cpus->nr, sizeof(b->cpus->nr), 1, option);
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
	u64 section = put_section(w, DAT_BUFFER, w->packing, NULL, 0);
	struct memory option = { 0 };

	if (!memory_open(&option)) {
		put_buffer(option.out, section, b);
		put_cpus(option.out, b->cpus);
	}
	if (memory_flush(&option))
		fail(w, ENOMEM);
	else
		datw_option(w, DAT_BUFFER, option.buf, option.size);
	memory_free(&option);
}

/* The section of a guest, whose content begins at an aligned place. Return: its offset. */
static u64 put_file(struct datw *w, const struct datcopy *file)
{
	u64 offset;
	int err;

	pad(w, DAT_SECTION_HEADER);
	offset = put_section_header(w, DAT_GUEST, false, file->size);
	datw_flush(w);
	err = w->failed ? 0 : datcopy_plain(file, fileno(w->out));
	if (!err && fseeko(w->out, 0, SEEK_END))
		err = errno;
	if (err)
		fail(w, err);
	return offset;
}

static void put_guest(FILE *option, u64 section, const struct datr_guest *g)
{
	fwrite(&section, sizeof(section), 1, option);
	fwrite(g->name, strlen(g->name) + 1, 1, option);
	fwrite(&g->cntvoff, sizeof(g->cntvoff), 1, option);
	fwrite(&g->shift, sizeof(g->shift), 1, option);
	fwrite(&g->error, sizeof(g->error), 1, option);
}

void datw_guest(struct datw *w, const struct datr_guest *g, const struct datcopy *file)
{
	u64 section = put_file(w, file);
	struct memory option = { 0 };

	if (!memory_open(&option))
		put_guest(option.out, section, g);
	if (memory_flush(&option))
		fail(w, ENOMEM);
	else
		datw_option(w, DAT_GUEST, option.buf, option.size);
	memory_free(&option);
}

static void put_options(struct datw *w)
{
	u64 no_more = 0, section;

	datw_option(w, DAT_DONE, &no_more, sizeof(no_more));
	if (memory_flush(&w->options))
		fail(w, ENOMEM);
	section = put_section(w, DAT_OPTIONS, false, w->options.buf, w->options.size);
	datw_flush(w);
	patch_u64(w, w->options_ptr, section);
}

static void free_datw(struct datw *w)
{
	if (w->out)
		fclose(w->out);
	memory_free(&w->section);
	memory_free(&w->options);
	free(w->path);
	free(w);
}

static int finish(struct datw *w)
{
	bool failed;

	if (!w->failed && fflush(w->out))
		fail(w, errno);
	failed = w->failed;
	free_datw(w);
	return failed ? -1 : 0;
}

int datw_finish(struct datw *w)
{
	put_options(w);
	return finish(w);
}

int datw_finish_v6(struct datw *w, u32 nr_cpus)
{
	put_u32(w, nr_cpus);
	put_string(w, DAT_OPTIONS_6);
	if (memory_flush(&w->options))
		fail(w, ENOMEM);
	put(w, w->options.buf, w->options.size);
	put_u16(w, DAT_DONE);
	return finish(w);
}

void datw_abort(struct datw *w)
{
	if (w)
		free_datw(w);
}
