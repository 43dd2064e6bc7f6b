// SPDX-License-Identifier: GPL-2.0
/*
 * Files in parts. See image.h.
 */
#include <string.h>

#include "trace/datfile.h"
#include "trace/datr.h"
#include "image.h"

/**
 * struct writer - a file being made
 * @data:	its bytes
 * @size:	how many
 * @room:	and how many fit
 * @full:	something did not fit; sticks
 */
struct writer {
	u8 *data;
	size_t size;
	size_t room;
	bool full;
};

/* Making one */

static void put(struct writer *w, const void *data, size_t size)
{
	if (w->full || size > w->room - w->size) {
		w->full = true;
		return;
	}
	if (size)
		memcpy(w->data + w->size, data, size);
	w->size += size;
}

static void put_int(struct writer *w, u64 v, unsigned int size)
{
	put(w, &v, size);	/* both little-endian */
}

static void put_string(struct writer *w, const char *s)
{
	put(w, s, strlen(s) + 1);
}

static void put_blob(struct writer *w, const struct blob *b)
{
	put(w, b->data, b->size);
}

static void set_int(struct writer *w, size_t at, u64 v)
{
	if (!w->full)
		memcpy(w->data + at, &v, sizeof(v));
}

/* Return: where its size is, for end_section() */
static size_t begin_section(struct writer *w, enum dat_id id)
{
	put_int(w, id, 2);
	put_int(w, 0, 2);
	put_int(w, 0, 4);
	put_int(w, 0, 8);
	return w->size - 8;
}

static void end_section(struct writer *w, size_t at)
{
	set_int(w, at, w->size - at - 8);
}

static void put_header_page(struct writer *w, const struct blob *text)
{
	size_t at = begin_section(w, DAT_HEADER_INFO);

	put_string(w, "header_page");
	put_int(w, text->size, 8);
	put_blob(w, text);
	put_string(w, "header_event");
	put_int(w, 0, 8);
	end_section(w, at);
}

/* Formats from @i on of one system. Return: the first of another. */
static unsigned int put_system(struct writer *w, const struct image *img,
			       unsigned int i)
{
	const char *system = img->format[i].system;
	size_t at = w->size;
	u32 nr = 0;

	put_int(w, 0, 4);
	for (; i < img->nr_formats && !strcmp(img->format[i].system, system); i++) {
		put_int(w, img->format[i].text.size, 8);
		put_blob(w, &img->format[i].text);
		nr++;
	}
	if (!w->full)
		memcpy(w->data + at, &nr, sizeof(nr));
	return i;
}

/* The first system is ftrace, if there is that one */
static unsigned int put_ftrace(struct writer *w, const struct image *img)
{
	unsigned int i;
	size_t at;

	if (!img->nr_formats || strcmp(img->format[0].system, "ftrace"))
		return 0;
	at = begin_section(w, DAT_FTRACE_EVENTS);
	i = put_system(w, img, 0);
	end_section(w, at);
	return i;
}

static void put_formats(struct writer *w, const struct image *img, unsigned int i)
{
	size_t at = begin_section(w, DAT_EVENT_FORMATS), nr_at = w->size;
	u32 nr = 0;

	put_int(w, 0, 4);
	for (; i < img->nr_formats; nr++) {
		put_string(w, img->format[i].system);
		i = put_system(w, img, i);
	}
	if (!w->full)
		memcpy(w->data + nr_at, &nr, sizeof(nr));
	end_section(w, at);
}

static void put_text_section(struct writer *w, enum dat_id id,
			     const struct blob *text)
{
	size_t at = begin_section(w, id);

	put_int(w, text->size, id == DAT_CMDLINES ? 8 : 4);
	put_blob(w, text);
	end_section(w, at);
}

static void put_offset_option(struct writer *w, enum dat_id id, u64 offset)
{
	put_int(w, id, 2);
	put_int(w, 8, 4);
	put_int(w, offset, 8);
}

/* Return: where the data of the buffer's first CPU begins */
static u64 put_data(struct writer *w, const struct image_buffer *b)
{
	u64 at = w->size;
	u32 i;

	for (i = 0; i < b->nr_cpus; i++)
		put_blob(w, &b->cpu[i].data);
	return at;
}

static void put_buffer(struct writer *w, const struct image_buffer *b, u64 at)
{
	u32 i;

	put_int(w, DAT_BUFFER, 2);
	put_int(w, 8 + strlen(b->name) + 1 + strlen(b->clock) + 1 + 8 +
		20 * b->nr_cpus, 4);
	put_int(w, 0, 8);
	put_string(w, b->name);
	put_string(w, b->clock);
	put_int(w, b->page_size, 4);
	put_int(w, b->nr_cpus, 4);
	for (i = 0; i < b->nr_cpus; i++) {
		put_int(w, b->cpu[i].cpu, 4);
		put_int(w, at, 8);
		put_int(w, b->cpu[i].data.size, 8);
		at += b->cpu[i].data.size;
	}
}

static void put_texts(struct writer *w, const struct image *img)
{
	unsigned int i;

	for (i = 0; i < img->nr_texts; i++) {
		put_int(w, DAT_CPUSTAT, 2);
		put_int(w, img->text[i].size + 1, 4);
		put_blob(w, &img->text[i]);
		put_int(w, 0, 1);
	}
}

/* Return: where the offset of the options goes */
static size_t put_start(struct writer *w)
{
	put(w, DAT_MAGIC, DAT_MAGIC_SIZE);
	put_string(w, DAT_VERSION);
	put_int(w, 0, 1);
	put_int(w, 8, 1);
	put_int(w, 4096, 4);
	put_string(w, "none");
	put_string(w, "");
	put_int(w, 0, 8);
	return w->size - 8;
}

static void put_sections(struct writer *w, const struct image *img,
			 u64 at[DAT_CMDLINES + 2])
{
	unsigned int i;

	at[DAT_HEADER_INFO] = w->size;
	if (img->header_page.size)
		put_header_page(w, &img->header_page);
	at[DAT_FTRACE_EVENTS] = w->size;
	i = put_ftrace(w, img);
	at[DAT_EVENT_FORMATS] = w->size;
	put_formats(w, img, i);
	at[DAT_KALLSYMS] = w->size;
	if (img->kallsyms.size)
		put_text_section(w, DAT_KALLSYMS, &img->kallsyms);
	at[DAT_PRINTK] = w->size;
	if (img->printk.size)
		put_text_section(w, DAT_PRINTK, &img->printk);
	at[DAT_CMDLINES] = w->size;
	if (img->cmdlines.size)
		put_text_section(w, DAT_CMDLINES, &img->cmdlines);
	at[DAT_CMDLINES + 1] = w->size;
}

static void put_options(struct writer *w, const struct image *img,
			const u64 at[DAT_CMDLINES + 2], const u64 *data_at)
{
	size_t start = begin_section(w, DAT_OPTIONS);
	unsigned int i;

	for (i = DAT_HEADER_INFO; i <= DAT_CMDLINES; i++) {
		if (at[i + 1] > at[i])
			put_offset_option(w, i, at[i]);
	}
	for (i = 0; i < img->nr_buffers; i++)
		put_buffer(w, &img->buffer[i], data_at[i]);
	put_texts(w, img);
	put_offset_option(w, DAT_DONE, 0);
	end_section(w, start);
}

size_t image_make(const struct image *img, void *out, size_t room)
{
	u64 at[DAT_CMDLINES + 2], data_at[IMAGE_BUFFERS];
	struct writer w = { .data = out, .room = room };
	size_t options_at = put_start(&w);
	unsigned int i;

	put_sections(&w, img, at);
	for (i = 0; i < img->nr_buffers; i++)
		data_at[i] = put_data(&w, &img->buffer[i]);
	set_int(&w, options_at, w.size);
	put_options(&w, img, at, data_at);
	return w.full ? 0 : w.size;
}

/* Taking one apart */

static void take_format(void *ctx, const char *system, const char *text,
			size_t size)
{
	struct image *img = ctx;
	unsigned int i = img->nr_formats++;

	if (i < IMAGE_FORMATS)
		img->format[i] = (struct image_format) {
			system, { (const u8 *)text, size }
		};
}

static struct blob take_section(const struct datr *d, enum dat_id id)
{
	size_t size = 0;
	const char *text = datr_blob(d, id, &size);

	return (struct blob) { (const u8 *)text, text ? size : 0 };
}

static void take_sections(struct image *img, const struct datr *d)
{
	size_t size = 0;
	const char *text = datr_header_page(d, &size);

	img->header_page = (struct blob) { (const u8 *)text, text ? size : 0 };
	img->kallsyms = take_section(d, DAT_KALLSYMS);
	img->printk = take_section(d, DAT_PRINTK);
	img->cmdlines = take_section(d, DAT_CMDLINES);
}

static int take_texts(struct image *img, const struct datr *d)
{
	const char *text;

	while ((text = datr_text(d, img->nr_texts))) {
		if (img->nr_texts == IMAGE_TEXTS)
			return -1;
		img->text[img->nr_texts++] = (struct blob) {
			(const u8 *)text, strlen(text)
		};
	}
	return 0;
}

static int take_buffer(struct image_buffer *to, const struct datr_buffer *b)
{
	u32 i;

	if (b->nr_cpus > IMAGE_CPUS)
		return -1;
	to->name = b->name;
	to->clock = b->clock;
	to->page_size = b->page_size;
	to->nr_cpus = b->nr_cpus;
	for (i = 0; i < b->nr_cpus; i++)
		to->cpu[i] = (struct image_cpu) {
			b->cpu[i].cpu, { b->cpu[i].data, b->cpu[i].size }
		};
	return 0;
}

static int take_buffers(struct image *img, const struct datr *d)
{
	unsigned int i;

	img->nr_buffers = datr_nr_buffers(d);
	if (img->nr_buffers > IMAGE_BUFFERS)
		return -1;
	for (i = 0; i < img->nr_buffers; i++) {
		if (take_buffer(&img->buffer[i], datr_buffer(d, i)))
			return -1;
	}
	return 0;
}

int image_take(struct image *img, const void *data, size_t size)
{
	static struct datr *d;	/* what is compressed in the file is not in @data */
	int ret = -1;

	datr_free(d);
	d = datr_parse(data, size, "image");
	memset(img, 0, sizeof(*img));
	if (!d)
		return -1;
	if (!datr_formats(d, take_format, img) &&
	    img->nr_formats <= IMAGE_FORMATS && !take_texts(img, d))
		ret = take_buffers(img, d);
	take_sections(img, d);
	return ret;
}
