// SPDX-License-Identifier: GPL-2.0
/*
 * trace.dat files of version 6. See datv6.h.
 *
 *	| header | what version 7 has in sections | number of CPUs | options | data of top |
 *
 * The data is a list of CPUs, with the offsets of what was recorded. That of "top" is of the
 * buffer without a name. The option BUFFER has the offset of the list of another one. The
 * content of trace_clock is behind a list, but not in files of old programs.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "trace/datv6.h"
#include "trace/sidecpus.h"

/* Of a word that says what follows */
#define TYPE_SIZE	10

/**
 * struct v6 - a file that is read
 * @c:		what is in it
 * @page_size:	sub-buffer size
 * @page_at:	where the header has it
 * @nr_cpus:	of each buffer
 * @offset:	of the lists of the other buffers
 */
struct v6 {
	struct datcontent *c;
	u32 page_size;
	struct datplace page_at;
	u32 nr_cpus;
	u64 offset[DATCONTENT_MAX_BUFFERS];
};

/* What is in sections in version 7 */

static void skip_text32(struct cursor *c)
{
	cursor_bytes(c, cursor_int(c, 4));
}

static void skip_text64(struct cursor *c)
{
	cursor_bytes(c, cursor_int(c, 8));
}

static void skip_header_info(struct cursor *c)
{
	cursor_string(c);
	skip_text64(c);
	cursor_string(c);
	skip_text64(c);
}

static void skip_formats(struct cursor *c)
{
	u32 nr = cursor_int(c, 4);

	while (nr-- && !c->bad)
		skip_text64(c);
}

static void skip_systems(struct cursor *c)
{
	u32 nr = cursor_int(c, 4);

	while (nr-- && !c->bad) {
		cursor_string(c);
		skip_formats(c);
	}
}

static int take_sections(struct datcontent *c, struct cursor *head)
{
	static const struct {
		enum dat_id id;
		const char *what;
		void (*skip)(struct cursor *c);
	} part[] = {
		{ DAT_HEADER_INFO, "the format of sub-buffers", skip_header_info },
		{ DAT_FTRACE_EVENTS, "the event formats of ftrace", skip_formats },
		{ DAT_EVENT_FORMATS, "the event formats", skip_systems },
		{ DAT_KALLSYMS, "the symbols", skip_text32 },
		{ DAT_PRINTK, "the strings of trace_printk()", skip_text32 },
		{ DAT_CMDLINES, "the names of tasks", skip_text64 },
	};
	struct cursor *section;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(part); i++) {
		section = &c->section[part[i].id];
		*section = *head;
		part[i].skip(head);
		if (head->bad)
			return datbytes_does_not_fit(&c->bytes, part[i].what, head);
		section->left = head->offset - section->offset;
	}
	return 0;
}

/* Options */

static int add_buffer(struct v6 *f, const char *name, u64 offset, const struct cursor *at)
{
	struct datr_buffer *b = datcontent_buffer(f->c, name, at);

	if (!b)
		return -1;
	b->nr_cpus = f->nr_cpus;
	f->offset[f->c->nr_buffers - 1] = offset;
	return datcontent_page_size(f->c, b, f->page_size, &f->page_at);
}

static int take_buffer_option(struct v6 *f, struct cursor *option)
{
	u64 offset = cursor_int(option, 8);
	const char *name = cursor_string(option);

	if (option->bad)
		return datbytes_does_not_fit(&f->c->bytes, "the option BUFFER", option);
	return add_buffer(f, name, offset, option);
}

static int take_option(struct v6 *f, unsigned int id, struct cursor *option)
{
	return id == DAT_BUFFER ? take_buffer_option(f, option) :
				  datcontent_option(f->c, id, option);
}

static int take_options(struct v6 *f, struct cursor *c)
{
	struct cursor option;
	unsigned int id;

	while ((id = cursor_int(c, 2))) {
		option = cursor_part(c, cursor_int(c, 4));
		if (option.bad)
			return datbytes_does_not_fit(&f->c->bytes, "an option", &option);
		if (take_option(f, id, &option))
			return -1;
	}
	return c->bad ? datbytes_does_not_fit(&f->c->bytes, "an option", c) : 0;
}

/* Buffers */

/* The one that is marked in the content of trace_clock: "[local] global"; NULL if none is */
static const char *take_clock(struct v6 *f, struct cursor *c)
{
	u64 size = cursor_int(c, 8);
	const char *text = (const char *)cursor_bytes(c, size), *begin, *end;

	begin = text ? memchr(text, '[', size) : NULL;
	end = text ? memchr(text, ']', size) : NULL;
	if (!begin || end <= begin + 1 || end > begin + DAT_MAX_CLOCK)
		return NULL;
	return datbytes_copy(&f->c->bytes, begin + 1, end - begin - 1);
}

static void set_clock(struct v6 *f, unsigned int i, struct cursor *c)
{
	const char *clock = take_clock(f, c);

	if (!clock)
		clock = i ? f->c->buffer[0].clock : "local";
	f->c->buffer[i].clock = clock;
}

static bool is_type(const u8 *type, const char *want)
{
	return !memcmp(type, want, TYPE_SIZE);
}

static int take_data(struct v6 *f, unsigned int i, struct cursor *c)
{
	const struct datbytes *b = &f->c->bytes;
	u64 at = c->offset;
	const u8 *type = cursor_bytes(c, TYPE_SIZE);

	if (type && is_type(type, DAT_OPTIONS_6)) {
		if (take_options(f, c))
			return -1;
		at = c->offset;
		type = cursor_bytes(c, TYPE_SIZE);
	}
	if (!type)
		return datbytes_does_not_fit(b, "the type of data", c);
	if (is_type(type, DAT_LATENCY_6))
		return log_error("%s: latency trace at byte %llu: expected a recording of events",
				 b->name, at);
	if (!is_type(type, DAT_FLYRECORD_6))
		return log_error("%s: corrupt: unknown type of data at byte %llu, expected %s",
				 b->name, at, DAT_FLYRECORD_6);
	if (datcontent_cpus(f->c, &f->c->buffer[i], false, c))
		return -1;
	set_clock(f, i, c);
	return 0;
}

/* A recording that was sent */

/* Return: 1; 0 if it was not, -1 if what says so is corrupt */
static int was_sent(const struct v6 *f, struct sidecpus *s)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < f->c->nr_texts; i++)
		ret = sidecpus_parse(f->c->text[i], s);
	return ret > 0 && s->host > f->nr_cpus ? -1 : ret;
}

/* The last CPUs become a buffer of their own */
static int split(struct v6 *f, u32 host, const struct cursor *at)
{
	struct datr_buffer *from, *to = datcontent_buffer(f->c, side_buffer(HYP), at);
	u32 i, nr;

	if (!to)
		return -1;
	from = &f->c->buffer[0];
	nr = from->nr_cpus - host;
	to->cpu = calloc(nr, sizeof(*to->cpu));
	if (!to->cpu)
		return log_oom();
	to->nr_cpus = nr;
	to->page_size = from->page_size;
	to->clock = from->clock;
	memcpy(to->cpu, from->cpu + host, nr * sizeof(*to->cpu));
	for (i = 0; i < nr; i++)
		to->cpu[i].cpu = i;
	from->nr_cpus = host;
	return 0;
}

static int take_sides(struct v6 *f, const struct cursor *at)
{
	struct datr_buffer *b = &f->c->buffer[0];
	struct sidecpus sides;
	int sent = was_sent(f, &sides);

	if (!sent)
		return 0;
	if (sent < 0)
		return log_error("%s: corrupt: which CPUs are the host's, expected at most %u",
				 f->c->bytes.name, f->nr_cpus);
	b->clock = datbytes_copy(&f->c->bytes, sides.clock, strlen(sides.clock));
	if (!b->clock)
		return -1;
	return sides.host < b->nr_cpus ? split(f, sides.host, at) : 0;
}

static int take_other_buffers(struct v6 *f)
{
	struct cursor c;
	unsigned int i;

	for (i = 1; i < f->c->nr_buffers; i++) {
		c = datbytes_at(&f->c->bytes, f->offset[i]);
		if (take_data(f, i, &c))
			return -1;
	}
	return 0;
}

int datv6_take(struct datcontent *c, struct cursor *head, u32 page_size)
{
	struct v6 f = { .c = c, .page_size = page_size };

	f.page_at = datbytes_place(head, head->offset - 4);
	if (take_sections(c, head))
		return -1;
	f.nr_cpus = cursor_int(head, 4);
	if (head->bad)
		return datbytes_does_not_fit(&c->bytes, "the number of CPUs", head);
	if (add_buffer(&f, "", 0, head) || take_data(&f, 0, head) || take_other_buffers(&f))
		return -1;
	return take_sides(&f, head);
}
