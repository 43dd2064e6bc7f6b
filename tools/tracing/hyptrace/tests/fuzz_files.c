// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes the commands that read files: whatever the bytes are, report, check, why, pages,
 * compare, stat, graph and export end, without an invalid access to memory.
 *
 * The first byte is not part of the file: it selects the command.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/filedelays.h"
#include "analysis/fileprofile.h"
#include "cmd/check.h"
#include "cmd/compare.h"
#include "cmd/graph.h"
#include "cmd/pages.h"
#include "cmd/report.h"
#include "cmd/stat.h"
#include "cmd/whyjson.h"
#include "cmd/whytext.h"
#include "export/folded.h"
#include "export/html.h"
#include "export/perfetto.h"
#include "lib/log.h"
#include "trace/datr.h"
#include "fuzz.h"
#include "image.h"

#define MAX_SIZE	BIT(20)

static FILE *null;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	null = fopen("/dev/null", "w");
	log_set_sink(NULL, NULL);
	return null ? 0 : -1;
}

static void export(struct datr *d)
{
	struct perfetto_result result;
	u64 shift;

	if (!perfetto_shift(d, "input", &shift))
		perfetto_export(d, NULL, shift, null, &result);
}

static void export_page(struct datr *d)
{
	struct htmldata_counts counts;

	html_export(d, NULL, null, &counts);
}

static void export_folded(struct datr *d)
{
	struct folded_result result;

	folded_export(d, NULL, null, &result);
}

static void graph(struct datr *d, u8 how)
{
	const struct graph_how h = {
		.table = { .json = how % 3 == 1, .top = how % 4 },
		.joined = how % 2, .key = how % 9, .depth = how % 5, .pattern = how % 7 ? NULL : "h*",
		.function = how % 5 ? NULL : "walk",
	};

	graph_file(d, NULL, &h, null);
}

static void report(struct datr *d, u8 how)
{
	struct report_how h = {
		.time = how % 3, .json = how & 4, .per_cpu = how & 8,
	};

	report_file(d, &h, null);
}

static void compare(struct datr *d, unsigned int runs)
{
	struct profiler *s = fileprofile_read(d, NULL, NULL);
	const struct profile *run[3];
	struct comparison c = {
		.side = { { .run = run, .nr = runs }, { .run = run, .nr = runs } },
		.independent = runs == 1, .limited = true,
	};
	unsigned int i;

	for (i = 0; s && i < ARRAY_SIZE(run); i++)
		run[i] = profiler_profile(s);
	if (s && !comparison_init(&c))
		compare_print(&c, runs == 2, null);
	comparison_free(&c);
	fileprofile_free(s);
}

static void pages(struct datr *d, u8 how)
{
	struct page_range all = { 0, UINT64_MAX };
	struct pages_how h = { .heat = how % 3 == 1, .json = how & 4 };

	if (how % 3 == 2)
		h.pages = (struct page_ranges) { .range = &all, .nr = 1 };
	pages_file(d, &h, null);
}

static void print_stat(struct datr *d, u8 how)
{
	struct stat_how h = {
		.table = {
			.json = how % 6 == 3, .unit = how / 6 % 5, .width = how / 6 % 3 * 40,
			.top = how / 6 % 4,
		},
		.slowest = how / 6 % 5, .sorted = how / 6 % 2, .sort = how / 6 % 15,
	};

	if (how / 6 % 7 == 6)
		h.table.part = (struct scopeargs) {
			.scope = { .from = 1, .by_vm = true, .vm = 1 }, .since_first = { true },
		};
	stat_file(d, NULL, &h, null);
}

static void why(struct datr *d, bool json)
{
	const struct worst_rule rule = { .nr = 3, .to = UINT64_MAX };
	const struct why_how how = { .timeline = true, .page = "page" };
	struct filedelays *f = filedelays_read(d, &rule);

	if (f && json)
		why_json(f, &how, null);
	else if (f)
		why_text(f, &how, null);
	filedelays_free(f);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct datr *d;

	if (!size)
		return 0;
	d = datr_parse(data + 1, size - 1, "input");
	if (!d)
		return 0;
	switch (data[0] % 6) {
	case 0:
		report(d, data[0] / 6);
		break;
	case 1:
		if (data[0] / 6 % 2)
			pages(d, data[0] / 12);
		else if (data[0] / 12 % 2)
			why(d, data[0] / 24 % 2);
		else
			check_file(d, NULL, null);
		break;
	case 2:
	case 3:
		print_stat(d, data[0]);
		break;
	case 4:
		if (data[0] / 6 % 2)
			compare(d, 1 + data[0] / 12 % 3);
		else if (data[0] / 12 % 3)
			graph(d, data[0] / 12);
		else
			stat_file(d, NULL, &(struct stat_how){ .histogram = true }, null);
		break;
	default:
		if (data[0] / 6 % 2)
			export_page(d);
		else if (data[0] / 12 % 2)
			export_folded(d);
		else
			export(d);
		break;
	}
	datr_free(d);
	return 0;
}

/* Mutations of one part; the rest of the file stays valid */

static unsigned int below(unsigned int n)
{
	return n ? (unsigned int)rand() % n : 0;
}

/* The bytes in a copy of at most twice the size; one change at a time */
static void mutate(struct blob *b)
{
	static u8 copy[MAX_SIZE];
	size_t max = 2 * b->size + 64;

	if (max > sizeof(copy))
		return;
	if (b->size)
		memcpy(copy, b->data, b->size);
	b->size = LLVMFuzzerMutate(copy, b->size, max);
	b->data = copy;
}

static struct image_format *some_format(struct image *img)
{
	return img->nr_formats ? &img->format[below(img->nr_formats)] : NULL;
}

static void mutate_format(struct image *img)
{
	struct image_format *f = some_format(img);

	if (f)
		mutate(&f->text);
}

static void exchange_formats(struct image *img)
{
	struct image_format *a = some_format(img), *b = some_format(img);
	struct blob text;

	if (!a)
		return;
	text = a->text;
	a->text = b->text;
	b->text = text;
}

static void drop_format(struct image *img)
{
	unsigned int i = below(img->nr_formats);

	if (!img->nr_formats--) {
		img->nr_formats = 0;
		return;
	}
	memmove(&img->format[i], &img->format[i + 1],
		(img->nr_formats - i) * sizeof(img->format[i]));
}

static void mutate_text(struct image *img)
{
	if (img->nr_texts)
		mutate(&img->text[below(img->nr_texts)]);
}

static void mutate_section(struct image *img)
{
	struct blob *const sections[] = {
		&img->printk, &img->kallsyms, &img->cmdlines, &img->header_page,
	};

	mutate(sections[below(ARRAY_SIZE(sections))]);
}

static struct image_buffer *some_buffer(struct image *img)
{
	return img->nr_buffers ? &img->buffer[below(img->nr_buffers)] : NULL;
}

static struct image_cpu *some_cpu(struct image *img)
{
	struct image_buffer *b = some_buffer(img);

	return b && b->nr_cpus ? &b->cpu[below(b->nr_cpus)] : NULL;
}

/* One sub-buffer, or all from there on; the result is a number of whole sub-buffers */
static void mutate_data(struct image *img)
{
	struct image_buffer *b = some_buffer(img);
	struct image_cpu *c;
	static u8 data[MAX_SIZE];
	struct blob page;
	size_t at;

	if (!b || !b->nr_cpus)
		return;
	c = &b->cpu[below(b->nr_cpus)];
	if (!c->data.size || c->data.size > sizeof(data))
		return;
	at = below(c->data.size / b->page_size) * b->page_size;
	page = (struct blob) { c->data.data + at, b->page_size };
	mutate(&page);
	memcpy(data, c->data.data, c->data.size);
	memcpy(data + at, page.data,
	       page.size < b->page_size ? page.size : b->page_size);
	c->data.data = data;
}

static void change_cpu(struct image *img)
{
	struct image_cpu *c = some_cpu(img);

	if (c)
		c->cpu = below(2) ? below(4) : below(5000);
}

/* Fewer sub-buffers of a CPU, or those of another one */
static void change_data(struct image *img)
{
	struct image_buffer *b = some_buffer(img);
	struct image_cpu *c, *from = some_cpu(img);

	if (!b || !b->nr_cpus || !from)
		return;
	c = &b->cpu[below(b->nr_cpus)];
	if (below(2))
		c->data = from->data;
	c->data.size = below(c->data.size / b->page_size + 1) * b->page_size;
}

static void add_cpu(struct image *img)
{
	struct image_buffer *b = some_buffer(img);
	struct image_cpu *from = some_cpu(img);

	if (b && from && b->nr_cpus < IMAGE_CPUS)
		b->cpu[b->nr_cpus++] = *from;
}

static void change_buffer(struct image *img)
{
	static const char *const names[] = { "", "hypervisor", "other" };
	static const char *const clocks[] = { "boot", "local", "mono", "" };
	struct image_buffer *b = some_buffer(img);

	if (!b)
		return;
	if (below(2))
		b->name = names[below(ARRAY_SIZE(names))];
	else
		b->clock = clocks[below(ARRAY_SIZE(clocks))];
}

static void change_system(struct image *img)
{
	struct image_format *a = some_format(img), *b = some_format(img);

	if (a)
		a->system = b->system;
}

static void (*const mutations[])(struct image *img) = {
	mutate_data, mutate_data, mutate_data, mutate_data, mutate_format,
	mutate_format, mutate_format, exchange_formats, drop_format, mutate_text,
	mutate_section, change_cpu, change_data, add_cpu, change_buffer,
	change_system,
};

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max,
			       unsigned int seed)
{
	static struct image img;
	static u8 out[MAX_SIZE];
	size_t made;

	srand(seed);
	if (max > sizeof(out))
		max = sizeof(out);
	if (size < 2 || !below(8) || image_take(&img, data + 1, size - 1))
		return LLVMFuzzerMutate(data, size, max);
	mutations[below(ARRAY_SIZE(mutations))](&img);
	made = image_make(&img, out, max - 1);
	if (!made)
		return LLVMFuzzerMutate(data, size, max);
	if (!below(4))
		data[0] = below(256);
	memcpy(data + 1, out, made);
	return made + 1;
}
