// SPDX-License-Identifier: GPL-2.0
/*
 * The trace.dat reader. See datr.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/mapfile.h"
#include "lib/util.h"
#include "trace/cursor.h"
#include "trace/datr.h"
#include "trace/rbpage.h"

#define MAX_PAGE_SIZE		BIT(20)
#define MAX_BUFFERS		64
/* Kernels have 1,000 to 3,000 events */
#define MAX_FORMATS		8192
#define NR_SECTIONS		(DAT_CMDLINES + 1)

struct datr {
	char *name;
	const u8 *data;
	size_t size;
	u64 unclaimed;		/* bytes that are not yet a CPU's data */
	struct mapfile *map;	/* the file, or NULL */
	struct stat stat;	/* of the file */
	u64 section[NR_SECTIONS];	/* offsets, 0 for none */
	u64 link;
	struct datr_buffer *buffer;
	unsigned int nr_buffers;
	size_t buffer_room;
	const char **text;
	unsigned int nr_texts;
	size_t text_room;
	const char *uname;
};

static struct cursor cursor_at(const struct datr *d, u64 offset)
{
	struct cursor c = { .at = d->data, .offset = offset };

	if (offset > d->size) {
		cursor_set_bad(&c, 1);
		return c;
	}
	c.at += offset;
	c.left = d->size - offset;
	return c;
}

/* Messages */

static int does_not_fit(const struct datr *d, const char *what,
			const struct cursor *c)
{
	return log_error("%s: truncated or corrupt: %s needs %llu bytes at byte %llu, there are %llu",
			 d->name, what, c->wanted, c->offset, c->left);
}

static int foreign(const struct datr *d, const char *what, u64 offset)
{
	return log_error("%s: %s: byte %llu is 0x%02x: expected a trace.dat file of version 7, little-endian, 64-bit, not compressed",
			 d->name, what, offset, d->data[offset]);
}

/* Sections */

static int open_section(const struct datr *d, u64 offset,
			unsigned int want, struct cursor *body)
{
	struct cursor c = cursor_at(d, offset);
	unsigned int id, flags;

	id = cursor_int(&c, 2);
	flags = cursor_int(&c, 2);
	cursor_int(&c, 4);
	*body = cursor_part(&c, cursor_int(&c, 8));
	if (body->bad)
		return does_not_fit(d, "a section", body);
	if (id != want)
		return log_error("%s: corrupt: section %u at byte %llu, expected %u",
				 d->name, id, offset, want);
	if (flags & DAT_FLAG_COMPRESSED)
		return foreign(d, "compressed", offset + 2);
	return 0;
}

/* Options */

/* Data that several CPUs share could be read many times over */
static int claim(struct datr *d, const struct datr_cpu *cpu, u64 at)
{
	if (cpu->size > d->unclaimed)
		return log_error("%s: corrupt: %llu bytes for CPU %u at byte %llu, expected at most %llu: other CPUs have the rest",
				 d->name, cpu->size, cpu->cpu, at,
				 d->unclaimed);
	d->unclaimed -= cpu->size;
	return 0;
}

static int take_cpu(struct datr *d, struct cursor *c, u32 page_size,
		    struct datr_cpu *cpu)
{
	u64 at = c->offset, offset;
	struct cursor data;

	cpu->cpu = cursor_int(c, 4);
	cpu->place = c->at - d->data;
	offset = cursor_int(c, 8);
	cpu->size = cursor_int(c, 8);
	if (c->bad)
		return does_not_fit(d, "the option BUFFER", c);
	if (cpu->cpu >= MAX_CPUS)
		return log_error("%s: corrupt: CPU number %u at byte %llu, expected below %u",
				 d->name, cpu->cpu, at, MAX_CPUS);
	data = cursor_at(d, cpu->size ? offset : 0);
	cpu->data = cursor_bytes(&data, cpu->size);
	if (!cpu->data)
		return does_not_fit(d, "the data of a CPU", &data);
	if (cpu->size % page_size)
		return log_error("%s: corrupt: %llu bytes for CPU %u at byte %llu, expected a multiple of %u",
				 d->name, cpu->size, cpu->cpu, at, page_size);
	return claim(d, cpu, at);
}

static int take_cpus(struct datr *d, struct cursor *c, struct datr_buffer *b)
{
	u32 i;

	/* 20 bytes each: bounds the allocation by the file's size */
	if (b->nr_cpus > c->left / 20)
		cursor_set_bad(c, 20ULL * b->nr_cpus);
	if (c->bad)
		return does_not_fit(d, "the option BUFFER", c);
	if (b->page_size <= RBPAGE_HEADER || b->page_size > MAX_PAGE_SIZE)
		return log_error("%s: corrupt: sub-buffers of %u bytes at byte %llu, expected more than %u and at most %u",
				 d->name, b->page_size, c->offset - 8,
				 RBPAGE_HEADER, MAX_PAGE_SIZE);
	b->cpu = calloc(b->nr_cpus ? b->nr_cpus : 1, sizeof(*b->cpu));
	if (!b->cpu)
		return log_oom();
	for (i = 0; i < b->nr_cpus; i++) {
		if (take_cpu(d, c, b->page_size, &b->cpu[i]))
			return -1;
	}
	return 0;
}

static int take_buffer(struct datr *d, struct cursor *c)
{
	struct datr_buffer *b;

	if (d->nr_buffers == MAX_BUFFERS)
		return log_error("%s: corrupt: buffer %u at byte %llu, expected at most %u",
				 d->name, MAX_BUFFERS + 1, c->offset,
				 MAX_BUFFERS);
	if (array_room(&d->buffer, &d->buffer_room, d->nr_buffers + 1, sizeof(*b)))
		return log_oom();
	b = &d->buffer[d->nr_buffers++];
	memset(b, 0, sizeof(*b));
	cursor_int(c, 8);
	b->name = cursor_string(c);
	b->clock = cursor_string(c);
	b->page_size = cursor_int(c, 4);
	b->nr_cpus = cursor_int(c, 4);
	return take_cpus(d, c, b);
}

static int take_text(struct datr *d, struct cursor *c)
{
	const char *text = cursor_string(c);

	if (c->bad)
		return 0;
	if (array_room(&d->text, &d->text_room, d->nr_texts + 1, sizeof(*d->text)))
		return log_oom();
	d->text[d->nr_texts++] = text;
	return 0;
}

static int take_option(struct datr *d, unsigned int id, struct cursor *c)
{
	switch (id) {
	case DAT_BUFFER:
		return take_buffer(d, c);
	case DAT_CPUSTAT:
		return take_text(d, c);
	case DAT_UNAME:
		d->uname = cursor_string(c);
		return c->bad ? does_not_fit(d, "the option UNAME", c) : 0;
	case DAT_HEADER_INFO ... DAT_CMDLINES:
		d->section[id] = cursor_int(c, 8);
		return c->bad ? does_not_fit(d, "an option", c) : 0;
	default:
		return 0;
	}
}

/* Return: 0 with the offset of the next section or 0 in @next, -1 */
static int take_options(struct datr *d, struct cursor *c, u64 *next)
{
	struct cursor body;
	unsigned int id;
	u64 size;

	for (;;) {
		id = cursor_int(c, 2);
		size = cursor_int(c, 4);
		body = cursor_part(c, size);
		if (body.bad)
			return does_not_fit(d, "an option", &body);
		if (id == DAT_DONE) {
			d->link = body.at - d->data;
			*next = cursor_int(&body, 8);
			return 0;
		}
		if (take_option(d, id, &body))
			return -1;
	}
}

static int take_option_sections(struct datr *d, u64 offset)
{
	u64 total = 0;
	struct cursor c;

	if (!offset)
		return log_error("%s: incomplete: it has no options; was the recording killed?",
				 d->name);
	while (offset) {
		if (open_section(d, offset, DAT_OPTIONS, &c))
			return -1;
		total += DAT_SECTION_HEADER + c.left;
		if (total > d->size)
			return log_error("%s: corrupt: loop in the list of options: again at byte %llu",
					 d->name, offset);
		if (take_options(d, &c, &offset))
			return -1;
	}
	return 0;
}

/* Up to the name of the compression, which does not matter: sections have a flag */
static int take_header(struct datr *d, struct cursor *c)
{
	const u8 *magic = cursor_bytes(c, DAT_MAGIC_SIZE);
	unsigned int endian, long_size;
	const char *version;
	u64 i;

	for (i = 0; magic && i < DAT_MAGIC_SIZE; i++) {
		if (magic[i] != (u8)DAT_MAGIC[i])
			return foreign(d, "bad magic", i);
	}
	version = cursor_string(c);
	if (!c->bad && strcmp(version, DAT_VERSION))
		return foreign(d, "other version", DAT_MAGIC_SIZE);
	endian = cursor_int(c, 1);
	long_size = cursor_int(c, 1);
	if (!c->bad && endian)
		return foreign(d, "big-endian", c->offset - 2);
	if (!c->bad && long_size != 8)
		return foreign(d, "not 64-bit", c->offset - 1);
	cursor_int(c, 4);
	cursor_string(c);
	cursor_string(c);
	return 0;
}

static int take_file(struct datr *d)
{
	struct cursor c = cursor_at(d, 0);
	u64 options;

	if (take_header(d, &c))
		return -1;
	options = cursor_int(&c, 8);
	if (c.bad)
		return does_not_fit(d, "the header", &c);
	return take_option_sections(d, options);
}

struct datr *datr_parse(const void *data, size_t size, const char *name)
{
	struct datr *d = calloc(1, sizeof(*d));

	if (!d) {
		log_oom();
		return NULL;
	}
	d->data = data;
	d->size = size;
	d->unclaimed = size;
	d->name = xasprintf("%s", name);
	if (!d->name || take_file(d)) {
		datr_free(d);
		return NULL;
	}
	return d;
}

static struct mapfile *map_file(int fd, const char *path, struct stat *st)
{
	if (fstat(fd, st)) {
		log_error("cannot read %s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st->st_mode) || !st->st_size) {
		log_error("%s: %s: expected a trace.dat file", path,
			  S_ISREG(st->st_mode) ? "empty" : "not a regular file");
		return NULL;
	}
	return mapfile_new(fd, st->st_size, path);
}

struct datr *datr_open(const char *path)
{
	/* a FIFO must not block until there is a writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		return datr_open_fd(fd, path);
	log_error("cannot open %s: %s", path, strerror(errno));
	return NULL;
}

struct datr *datr_open_fd(int fd, const char *name)
{
	struct stat st;
	struct mapfile *map = map_file(fd, name, &st);
	struct datr *d;

	close(fd);
	if (!map)
		return NULL;
	d = datr_parse(mapfile_data(map), st.st_size, name);
	if (!d) {
		mapfile_free(map);
		return NULL;
	}
	d->map = map;
	d->stat = st;
	return d;
}

void datr_free(struct datr *d)
{
	if (!d)
		return;
	while (d->nr_buffers)
		free(d->buffer[--d->nr_buffers].cpu);
	free(d->buffer);
	free(d->text);
	mapfile_free(d->map);
	free(d->name);
	free(d);
}

bool datr_is_file(const struct datr *d, const struct stat *st)
{
	return d->map && d->stat.st_dev == st->st_dev && d->stat.st_ino == st->st_ino;
}

const char *datr_name(const struct datr *d)
{
	return d->name;
}

int datr_corrupt(const struct datr *d, u64 nr)
{
	if (nr)
		log_error("%s: %llu corrupt sub-buffers", d->name, nr);
	return nr > 0;
}

unsigned int datr_nr_buffers(const struct datr *d)
{
	return d->nr_buffers;
}

const struct datr_buffer *datr_buffer(const struct datr *d, unsigned int i)
{
	return &d->buffer[i];
}

enum side datr_side(const struct datr *d, unsigned int i)
{
	return side_of_buffer(datr_buffer(d, i)->name);
}

static bool buffer_has_cpu(const struct datr_buffer *b, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < b->nr_cpus; i++) {
		if (b->cpu[i].cpu == cpu)
			return true;
	}
	return false;
}

bool datr_has_cpu(const struct datr *d, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < d->nr_buffers; i++) {
		if (buffer_has_cpu(&d->buffer[i], cpu))
			return true;
	}
	return false;
}

const char *datr_text(const struct datr *d, unsigned int i)
{
	return i < d->nr_texts ? d->text[i] : NULL;
}

const char *datr_uname(const struct datr *d)
{
	return d->uname;
}

static bool was(const struct datr *d, const char *how, const char *event)
{
	const char *text;
	unsigned int i;
	char want[64];

	snprintf(want, sizeof(want), "hyptrace: %s=%s\n", how, event);
	for (i = 0; (text = datr_text(d, i)); i++) {
		if (!strcmp(text, want))
			return true;
	}
	return false;
}

bool datr_enabled(const struct datr *d, const char *event)
{
	return was(d, "enabled", event);
}

bool datr_filtered(const struct datr *d, const char *event)
{
	return was(d, "filtered", event);
}

u64 datr_link(const struct datr *d)
{
	return d->link;
}

u64 datr_offset(const struct datr *d, const void *p)
{
	return (const u8 *)p - d->data;
}

const char *datr_blob(const struct datr *d, enum dat_id id, size_t *size)
{
	struct cursor c;

	if (!d->section[id] || open_section(d, d->section[id], id, &c))
		return NULL;
	*size = cursor_int(&c, id == DAT_CMDLINES ? 8 : 4);
	return (const char *)cursor_bytes(&c, *size);
}

const char *datr_header_page(const struct datr *d, size_t *size)
{
	struct cursor c;

	if (!d->section[DAT_HEADER_INFO] ||
	    open_section(d, d->section[DAT_HEADER_INFO], DAT_HEADER_INFO, &c))
		return NULL;
	if (strcmp(cursor_string(&c), "header_page"))
		return NULL;
	*size = cursor_int(&c, 8);
	return (const char *)cursor_bytes(&c, *size);
}

/**
 * struct format_walk - a walk through all event formats
 * @fn:		takes each
 * @ctx:	handed to it
 * @nr:		how many there were
 */
struct format_walk {
	datr_format_fn fn;
	void *ctx;
	u32 nr;
};

static int take_formats(const struct datr *d, struct cursor *c,
			const char *system, struct format_walk *w)
{
	u32 i, nr = cursor_int(c, 4);
	const char *text;
	u64 size;

	for (i = 0; i < nr && !c->bad; i++) {
		if (w->nr++ == MAX_FORMATS)
			return log_error("%s: corrupt: event format %u at byte %llu, expected at most %u",
					 d->name, w->nr, c->offset, MAX_FORMATS);
		size = cursor_int(c, 8);
		text = (const char *)cursor_bytes(c, size);
		if (text)
			w->fn(w->ctx, system, text, size);
	}
	return c->bad ? does_not_fit(d, "an event format", c) : 0;
}

static int take_systems(const struct datr *d, struct cursor *c,
			struct format_walk *w)
{
	u32 i, nr = cursor_int(c, 4);

	for (i = 0; i < nr && !c->bad; i++) {
		if (take_formats(d, c, cursor_string(c), w))
			return -1;
	}
	return c->bad ? does_not_fit(d, "the event formats", c) : 0;
}

int datr_formats(const struct datr *d, datr_format_fn fn, void *ctx)
{
	u64 ftrace = d->section[DAT_FTRACE_EVENTS];
	u64 events = d->section[DAT_EVENT_FORMATS];
	struct format_walk w = { .fn = fn, .ctx = ctx };
	struct cursor c;

	if (ftrace && (open_section(d, ftrace, DAT_FTRACE_EVENTS, &c) ||
		       take_formats(d, &c, "ftrace", &w)))
		return -1;
	if (!events)
		return 0;
	if (open_section(d, events, DAT_EVENT_FORMATS, &c))
		return -1;
	return take_systems(d, &c, &w);
}
