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
#include "trace/filekind.h"
#include "trace/datv6.h"
#include "trace/datv7.h"

/* Kernels have 1,000 to 3,000 events */
#define MAX_FORMATS		8192

struct datr {
	struct datcontent c;
	struct datr_guest *guest;	/* those of @c, and then those attached */
	unsigned int nr_guests;
	size_t guest_room;
	struct mapfile *map;	/* the file, or NULL */
	struct stat stat;	/* of the file */
};

#define EXPECTED	"expected a trace.dat file of version 6 or 7, little-endian, 64-bit"

static int foreign(const struct datr *d, const char *what, u64 offset)
{
	const struct datbytes *b = &d->c.bytes;

	return log_error("%s: %s: byte %llu is 0x%02x: " EXPECTED, b->name, what, offset,
			 b->data[offset]);
}

/* Not even the first bytes are those of a recording; @offset: of the first that is wrong */
static int no_recording(const struct datr *d, u64 offset)
{
	const struct datbytes *b = &d->c.bytes;
	const char *kind = filekind(b->data, b->size);

	if (!kind)
		return foreign(d, "bad magic", offset);
	return log_error("%s: this is %s: " EXPECTED, b->name, kind);
}

static int take_magic(const struct datr *d, struct cursor *c)
{
	const u8 *magic = cursor_bytes(c, DAT_MAGIC_SIZE);
	u64 i;

	for (i = 0; magic && i < DAT_MAGIC_SIZE; i++) {
		if (magic[i] != (u8)DAT_MAGIC[i])
			return no_recording(d, i);
	}
	return 0;
}

/**
 * struct header - what begins a file of each version
 * @version:	the version, or another text if the file ends here
 * @page_size:	the page size
 */
struct header {
	const char *version;
	u32 page_size;
};

static int take_header(const struct datr *d, struct cursor *c, struct header *h)
{
	unsigned int endian, long_size;

	if (take_magic(d, c))
		return -1;
	h->version = cursor_string(c);
	if (!c->bad && strcmp(h->version, DAT_VERSION) && strcmp(h->version, DAT_VERSION_6))
		return foreign(d, "other version", DAT_MAGIC_SIZE);
	endian = cursor_int(c, 1);
	long_size = cursor_int(c, 1);
	if (!c->bad && endian)
		return foreign(d, "big-endian", c->offset - 2);
	if (!c->bad && long_size != 8)
		return foreign(d, "not 64-bit", c->offset - 1);
	h->page_size = cursor_int(c, 4);
	return 0;
}

static int take_file(struct datr *d)
{
	struct cursor head = datbytes_at(&d->c.bytes, 0);
	struct header h = { 0 };
	int ret;

	if (take_header(d, &head, &h))
		return -1;
	if (strcmp(h.version, DAT_VERSION_6))
		ret = datv7_take(&d->c, &head);
	else
		ret = datv6_take(&d->c, &head, h.page_size);
	return ret ? -1 : datcontent_finish(&d->c);
}

static struct datr *parse(const void *data, size_t size, const char *name)
{
	struct datr *d = calloc(1, sizeof(*d));

	if (!d) {
		log_oom();
		return NULL;
	}
	if (datbytes_init(&d->c.bytes, data, size, name) || take_file(d)) {
		datr_free(d);
		return NULL;
	}
	return d;
}

/* Guests */

static int has_no_guests(const struct datr *d)
{
	return d->c.nr_guests ?
		log_error("%s: corrupt: expected no guest in the recording of a guest",
			  d->c.bytes.name) : 0;
}

static int take_guest(struct datr *d, const struct datguest *from)
{
	char *name = xasprintf("%s: guest %s", d->c.bytes.name, from->name);
	struct datr_guest g = {
		.name = from->name, .cntvoff = from->cntvoff, .shift = from->shift,
		.error = from->error, .offset = from->file.offset,
	};

	if (name)
		g.d = parse(from->file.at, from->file.left, name);
	free(name);
	if (!g.d)
		return -1;
	if (!has_no_guests(g.d) && !datr_attach(d, &g))
		return 0;
	datr_free(g.d);
	return -1;
}

static int take_guests(struct datr *d)
{
	int ret = 0;

	while (!ret && d->nr_guests < d->c.nr_guests)
		ret = take_guest(d, &d->c.guest[d->nr_guests]);
	return ret;
}

struct datr *datr_parse(const void *data, size_t size, const char *name)
{
	struct datr *d = parse(data, size, name);

	if (!d || !take_guests(d))
		return d;
	datr_free(d);
	return NULL;
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
	while (d->nr_guests)
		datr_free(d->guest[--d->nr_guests].d);
	free(d->guest);
	datcontent_free(&d->c);
	mapfile_free(d->map);
	free(d);
}

bool datr_is_file(const struct datr *d, const struct stat *st)
{
	return d->map && d->stat.st_dev == st->st_dev && d->stat.st_ino == st->st_ino;
}

const char *datr_name(const struct datr *d)
{
	return d->c.bytes.name;
}

unsigned int datr_nr_buffers(const struct datr *d)
{
	return d->c.nr_buffers;
}

const struct datr_buffer *datr_buffer(const struct datr *d, unsigned int i)
{
	return &d->c.buffer[i];
}

unsigned int datr_nr_guests(const struct datr *d)
{
	return d->nr_guests;
}

int datr_attach(struct datr *d, const struct datr_guest *g)
{
	if (array_room(&d->guest, &d->guest_room, d->nr_guests + 1, sizeof(*g)))
		return log_oom();
	d->guest[d->nr_guests++] = *g;
	return 0;
}

void datr_detach(struct datr *d)
{
	d->nr_guests--;
}

const struct datr_guest *datr_guest(const struct datr *d, unsigned int i)
{
	return &d->guest[i];
}

enum side datr_side(const struct datr *d, unsigned int i)
{
	return datr_buffer(d, i)->side;
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

	for (i = 0; i < d->c.nr_buffers; i++) {
		if (buffer_has_cpu(&d->c.buffer[i], cpu))
			return true;
	}
	return false;
}

const char *datr_text(const struct datr *d, unsigned int i)
{
	return i < d->c.nr_texts ? d->c.text[i] : NULL;
}

const char *datr_uname(const struct datr *d)
{
	return d->c.uname;
}

bool datr_has_text(const struct datr *d, const char *want)
{
	const char *text;
	unsigned int i;

	for (i = 0; (text = datr_text(d, i)); i++) {
		if (!strcmp(text, want))
			return true;
	}
	return false;
}

static bool was(const struct datr *d, const char *how, const char *event)
{
	char want[64];

	snprintf(want, sizeof(want), "hyptrace: %s=%s\n", how, event);
	return datr_has_text(d, want);
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
	return d->c.link;
}

bool datr_grows(const struct datr *d)
{
	return d->c.grows;
}

const struct packing *datr_packing(const struct datr *d)
{
	return d->c.bytes.packing;
}

u64 datr_offset(const struct datr *d, const void *p)
{
	return datbytes_offset(&d->c.bytes, p);
}

const char *datr_blob(const struct datr *d, enum dat_id id, size_t *size)
{
	struct cursor c = d->c.section[id];

	if (!c.at)
		return NULL;
	*size = cursor_int(&c, id == DAT_CMDLINES ? 8 : 4);
	return (const char *)cursor_bytes(&c, *size);
}

const char *datr_header_page(const struct datr *d, size_t *size)
{
	struct cursor c = d->c.section[DAT_HEADER_INFO];

	if (!c.at || strcmp(cursor_string(&c), "header_page"))
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
			return log_error("%s: corrupt: event format %u at %s, expected at most %u",
					 d->c.bytes.name, w->nr,
					 datbytes_place(c, c->offset).text, MAX_FORMATS);
		size = cursor_int(c, 8);
		text = (const char *)cursor_bytes(c, size);
		if (text)
			w->fn(w->ctx, system, text, size);
	}
	return c->bad ? datbytes_does_not_fit(&d->c.bytes, "an event format", c) : 0;
}

static int take_systems(const struct datr *d, struct cursor *c,
			struct format_walk *w)
{
	u32 i, nr = cursor_int(c, 4);

	for (i = 0; i < nr && !c->bad; i++) {
		if (take_formats(d, c, cursor_string(c), w))
			return -1;
	}
	return c->bad ? datbytes_does_not_fit(&d->c.bytes, "the event formats", c) : 0;
}

int datr_formats(const struct datr *d, datr_format_fn fn, void *ctx)
{
	struct cursor ftrace = d->c.section[DAT_FTRACE_EVENTS];
	struct cursor events = d->c.section[DAT_EVENT_FORMATS];
	struct format_walk w = { .fn = fn, .ctx = ctx };

	if (ftrace.at && take_formats(d, &ftrace, "ftrace", &w))
		return -1;
	return events.at ? take_systems(d, &events, &w) : 0;
}
