// SPDX-License-Identifier: GPL-2.0
/*
 * trace.dat files of version 7. See datv7.h.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/log.h"
#include "trace/datv7.h"

/**
 * struct v7 - a file that is read
 * @c:		what is in it
 * @section:	offsets of sections, 0 for none
 */
struct v7 {
	struct datcontent *c;
	u64 section[DAT_NR_SECTIONS];
};

/**
 * struct section - a section
 * @body:	what is in it
 * @size:	bytes that it has in the file
 */
struct section {
	struct cursor body;
	u64 size;
};

static int open_section(struct datcontent *c, u64 offset, unsigned int want,
			struct section *s)
{
	struct cursor at = datbytes_at(&c->bytes, offset);
	unsigned int id, flags;

	id = cursor_int(&at, 2);
	flags = cursor_int(&at, 2);
	cursor_int(&at, 4);
	s->body = cursor_part(&at, cursor_int(&at, 8));
	if (s->body.bad)
		return datbytes_does_not_fit(&c->bytes, "a section", &s->body);
	if (id != want)
		return log_error("%s: corrupt: section %u at byte %llu, expected %u",
				 c->bytes.name, id, offset, want);
	s->size = DAT_SECTION_HEADER + s->body.left;
	if (!(flags & DAT_FLAG_COMPRESSED))
		return 0;
	at = s->body;
	return datbytes_section(&c->bytes, offset, &at, &s->body);
}

/* Options */

/* The section of the data is only needed for this flag. Return: -1 with a message */
static int is_compressed(const struct datcontent *c, u64 section)
{
	struct cursor at = datbytes_at(&c->bytes, section);
	unsigned int id, flags;

	if (!section)
		return 0;
	id = cursor_int(&at, 2);
	flags = cursor_int(&at, 2);
	if (at.bad)
		return datbytes_does_not_fit(&c->bytes, "the section of a buffer", &at);
	if (id != DAT_BUFFER)
		return log_error("%s: corrupt: section %u at byte %llu, expected %u",
				 c->bytes.name, id, section, DAT_BUFFER);
	return flags & DAT_FLAG_COMPRESSED;
}

static int take_buffer(struct datcontent *c, struct cursor *option)
{
	int compressed = is_compressed(c, cursor_int(option, 8));
	struct datr_buffer *b;
	struct datplace at;
	u32 page_size;

	if (compressed < 0)
		return -1;
	b = datcontent_buffer(c, cursor_string(option), option);
	if (!b)
		return -1;
	b->packed = compressed;
	b->clock = cursor_string(option);
	at = datbytes_place(option, option->offset);
	page_size = cursor_int(option, 4);
	b->nr_cpus = cursor_int(option, 4);
	if (option->bad)
		return datbytes_does_not_fit(&c->bytes, "the option BUFFER", option);
	if (datcontent_page_size(c, b, page_size, &at))
		return -1;
	/* how would more of it be compressed? */
	if (b->packed && !c->bytes.packing)
		c->grows = false;
	return datcontent_cpus(c, b, true, option);
}

static int take_guest(struct datcontent *c, struct cursor *option)
{
	u64 offset = cursor_int(option, 8);
	struct section s;
	struct datguest g;

	g.name = cursor_string(option);
	g.cntvoff = cursor_int(option, 8);
	g.shift = cursor_int(option, 8);
	g.error = cursor_int(option, 8);
	if (option->bad)
		return datbytes_does_not_fit(&c->bytes, "the option of a guest", option);
	if (open_section(c, offset, DAT_GUEST, &s))
		return -1;
	g.file = s.body;
	return datcontent_guest(c, &g, option);
}

static int take_option(struct v7 *f, unsigned int id, struct cursor *option)
{
	struct datcontent *c = f->c;

	switch (id) {
	case DAT_BUFFER:
		return take_buffer(c, option);
	case DAT_GUEST:
		return take_guest(c, option);
	case DAT_BUFFER_TEXT:
		return log_error("%s: latency trace at %s: expected a recording of events",
				 c->bytes.name, datbytes_place(option, option->offset).text);
	case DAT_HEADER_INFO ... DAT_CMDLINES:
		f->section[id] = cursor_int(option, 8);
		return option->bad ?
			datbytes_does_not_fit(&c->bytes, "an option", option) : 0;
	default:
		return datcontent_option(c, id, option);
	}
}

/* Return: 0 with the offset of the next section or 0 in @next, -1 */
static int take_options(struct v7 *f, struct cursor *options, u64 *next)
{
	struct cursor option;
	unsigned int id;
	u64 size;

	for (;;) {
		id = cursor_int(options, 2);
		size = cursor_int(options, 4);
		option = cursor_part(options, size);
		if (option.bad)
			return datbytes_does_not_fit(&f->c->bytes, "an option", &option);
		if (id == DAT_DONE) {
			f->c->link = option.offset;
			*next = cursor_int(&option, 8);
			return 0;
		}
		if (take_option(f, id, &option))
			return -1;
	}
}

static int take_option_sections(struct v7 *f, u64 offset)
{
	const struct datbytes *b = &f->c->bytes;
	struct section s;
	u64 total = 0;

	if (!offset)
		return log_error("%s: incomplete: it has no options; was the recording killed?",
				 b->name);
	while (offset) {
		if (open_section(f->c, offset, DAT_OPTIONS, &s))
			return -1;
		/* what is compressed cannot be changed in its place */
		if (s.body.section)
			f->c->grows = false;
		total += s.size;
		if (total > b->size)
			return log_error("%s: corrupt: loop in the list of options: again at byte %llu",
					 b->name, offset);
		if (take_options(f, &s.body, &offset))
			return -1;
	}
	return 0;
}

/* The others are found by options */
static int open_sections(struct v7 *f)
{
	struct section s;
	unsigned int id;

	for (id = DAT_HEADER_INFO; id < DAT_NR_SECTIONS; id++) {
		if (!f->section[id])
			continue;
		if (open_section(f->c, f->section[id], id, &s))
			return -1;
		f->c->section[id] = s.body;
	}
	return 0;
}

static int unknown_compression(const struct datbytes *b, const char *name, u64 offset)
{
	char shown[17];
	unsigned int i;

	snprintf(shown, sizeof(shown), "%s", name);
	for (i = 0; shown[i]; i++) {
		if (!isgraph((unsigned char)shown[i]))
			shown[i] = '?';
	}
	return log_error("%s: compressed by '%s', see byte %llu: expected " PACKING_NAMES,
			 b->name, shown, offset);
}

static int take_compression(struct datcontent *c, struct cursor *head)
{
	u64 at = head->offset;
	const char *name = cursor_string(head);

	cursor_string(head);	/* a version; newer ones read what older ones write */
	if (head->bad)
		return 0;
	c->bytes.packing = packing_find(name);
	if (!c->bytes.packing && strcmp(name, DAT_NOT_PACKED))
		return unknown_compression(&c->bytes, name, at);
	c->grows = true;
	return 0;
}

int datv7_take(struct datcontent *c, struct cursor *head)
{
	struct v7 f = { .c = c };
	u64 options;

	if (take_compression(c, head))
		return -1;
	options = cursor_int(head, 8);
	if (head->bad)
		return datbytes_does_not_fit(&c->bytes, "the header", head);
	return take_option_sections(&f, options) || open_sections(&f) ? -1 : 0;
}
