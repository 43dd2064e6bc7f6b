// SPDX-License-Identifier: GPL-2.0
/*
 * What is in a trace.dat file. See datcontent.h.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"
#include "trace/datcontent.h"
#include "trace/rbpage.h"

#define MAX_PAGE_SIZE		BIT(20)

void datcontent_free(struct datcontent *c)
{
	while (c->nr_buffers)
		free(c->buffer[--c->nr_buffers].cpu);
	free(c->buffer);
	free(c->text);
	free(c->guest);
	datbytes_free(&c->bytes);
}

static int take_text(struct datcontent *c, struct cursor *option)
{
	const char *text = cursor_string(option);

	if (option->bad)
		return 0;
	if (array_room(&c->text, &c->text_room, c->nr_texts + 1, sizeof(*c->text)))
		return log_oom();
	c->text[c->nr_texts++] = text;
	return 0;
}

int datcontent_option(struct datcontent *c, enum dat_id id, struct cursor *option)
{
	switch (id) {
	case DAT_CPUSTAT:
		return take_text(c, option);
	case DAT_UNAME:
		c->uname = cursor_string(option);
		return option->bad ?
			datbytes_does_not_fit(&c->bytes, "the option UNAME", option) : 0;
	default:
		return 0;
	}
}

int datcontent_guest(struct datcontent *c, const struct datguest *g, const struct cursor *at)
{
	if (c->nr_guests == DATCONTENT_MAX_GUESTS)
		return log_error("%s: corrupt: guest %u at %s, expected at most %u", c->bytes.name,
				 DATCONTENT_MAX_GUESTS + 1, datbytes_place(at, at->offset).text,
				 DATCONTENT_MAX_GUESTS);
	if (g->file.left > c->bytes.unclaimed)
		return log_error("%s: corrupt: %llu bytes for the guest at %s, expected at most %llu: others have the rest",
				 c->bytes.name, g->file.left, datbytes_place(at, at->offset).text,
				 c->bytes.unclaimed);
	c->bytes.unclaimed -= g->file.left;
	if (array_room(&c->guest, &c->guest_room, c->nr_guests + 1, sizeof(*g)))
		return log_oom();
	c->guest[c->nr_guests++] = *g;
	return 0;
}

struct datr_buffer *datcontent_buffer(struct datcontent *c, const char *name,
				      const struct cursor *at)
{
	struct datr_buffer *b;

	if (c->nr_buffers == DATCONTENT_MAX_BUFFERS) {
		log_error("%s: corrupt: buffer %u at %s, expected at most %u", c->bytes.name,
			  DATCONTENT_MAX_BUFFERS + 1, datbytes_place(at, at->offset).text,
			  DATCONTENT_MAX_BUFFERS);
		return NULL;
	}
	if (array_room(&c->buffer, &c->buffer_room, c->nr_buffers + 1, sizeof(*b))) {
		log_oom();
		return NULL;
	}
	b = &c->buffer[c->nr_buffers++];
	memset(b, 0, sizeof(*b));
	b->name = name;
	b->side = side_of_buffer(name);
	b->clock = "";
	return b;
}

int datcontent_page_size(const struct datcontent *c, struct datr_buffer *b, u32 size,
			 const struct datplace *at)
{
	if (size <= RBPAGE_HEADER || size > MAX_PAGE_SIZE)
		return log_error("%s: corrupt: sub-buffers of %u bytes at %s, expected more than %u and at most %u",
				 c->bytes.name, size, at->text, RBPAGE_HEADER, MAX_PAGE_SIZE);
	b->page_size = size;
	return 0;
}

/* If it is compressed, the data itself is there later: see datcontent_finish() */
static int take_data(struct datcontent *c, const struct datr_buffer *b,
		     struct datr_cpu *cpu, struct datspan *s, const struct datplace *at)
{
	if (datbytes_cpu(&c->bytes, s, at))
		return -1;
	if (s->size % b->page_size)
		return log_error("%s: corrupt: %llu bytes for CPU %u at %s, expected a multiple of %u",
				 c->bytes.name, s->size, cpu->cpu, at->text, b->page_size);
	cpu->size = s->size;
	cpu->data = s->data;
	cpu->at = s->at;
	return 0;
}

static int take_cpu(struct datcontent *c, const struct datr_buffer *b, bool numbers,
		    struct cursor *list, struct datr_cpu *cpu)
{
	struct datplace at = datbytes_place(list, list->offset);
	struct datspan s = { .compressed = b->packed };

	cpu->cpu = numbers ? cursor_int(list, 4) : (u64)(cpu - b->cpu);
	cpu->place = list->offset;
	s.offset = cursor_int(list, 8);
	s.size = cursor_int(list, 8);
	s.cpu = cpu->cpu;
	if (list->bad)
		return datbytes_does_not_fit(&c->bytes, "the CPUs of a buffer", list);
	if (cpu->cpu >= MAX_CPUS)
		return log_error("%s: corrupt: CPU number %u at %s, expected below %u",
				 c->bytes.name, cpu->cpu, at.text, MAX_CPUS);
	return take_data(c, b, cpu, &s, &at);
}

int datcontent_cpus(struct datcontent *c, struct datr_buffer *b, bool numbers,
		    struct cursor *list)
{
	const u32 size = numbers ? 20 : 16;
	u32 i;

	/* bounds the allocation by the file's size */
	if (b->nr_cpus > list->left / size)
		cursor_set_bad(list, (u64)size * b->nr_cpus);
	if (list->bad)
		return datbytes_does_not_fit(&c->bytes, "the CPUs of a buffer", list);
	b->cpu = calloc(b->nr_cpus ? b->nr_cpus : 1, sizeof(*b->cpu));
	if (!b->cpu)
		return log_oom();
	for (i = 0; i < b->nr_cpus; i++) {
		if (take_cpu(c, b, numbers, list, &b->cpu[i]))
			return -1;
	}
	return 0;
}

/* Of CPUs whose data is compressed */
static void set_data(struct datr_buffer *b, const u8 *mapped)
{
	struct datr_cpu *cpu;

	for (cpu = b->cpu; cpu < b->cpu + b->nr_cpus; cpu++) {
		if (!cpu->data)
			cpu->data = mapped + cpu->at;
	}
}

int datcontent_finish(struct datcontent *c)
{
	unsigned int i;

	if (datbytes_finish(&c->bytes))
		return -1;
	for (i = 0; i < c->nr_buffers; i++)
		set_data(&c->buffer[i], c->bytes.mapped);
	return 0;
}
