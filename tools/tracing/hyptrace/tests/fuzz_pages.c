// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes sub-buffers: whatever the bytes are, each event from rbpage and merge lies in
 * its sub-buffer, events are in order, and the walk ends.
 *
 * The first byte selects the size of a sub-buffer, the second one how many belong to
 * the first CPU. Bytes that do not fill a sub-buffer are not used.
 */
#include <string.h>

#include "lib/log.h"
#include "trace/datr.h"
#include "trace/merge.h"
#include "trace/rbpage.h"
#include "fuzz.h"
#include "image.h"

#define MAX_SIZE	65536
#define CPUS		2

/* Limits of the next events of a CPU */
struct cpu {
	const u8 *at;		/* lowest address of its next event */
	const u8 *end;
	size_t left;		/* events, and corrupt sub-buffers */
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log_set_sink(NULL, NULL);
	return 0;
}

/* rbpage_skip_to() accepts each event boundary, and gives the same time as a walk */
static void check_skip(const u8 *subbuf, u32 page_size)
{
	struct rbpage all, part;
	struct rbevent a, b;
	int ret;

	if (rbpage_init(&all, subbuf, page_size))
		return;
	must(all.data == subbuf + RBPAGE_HEADER);
	must(all.size <= page_size - RBPAGE_HEADER);
	do {
		must(all.pos <= all.size);
		rbpage_init(&part, subbuf, page_size);
		must(!rbpage_skip_to(&part, all.pos) && part.ts == all.ts);
		ret = rbpage_next(&all, &a);
		must(ret == rbpage_next(&part, &b));
		if (ret > 0)
			must(a.ts == b.ts && a.data == b.data && a.size == b.size);
	} while (ret > 0 && all.pos < 256);
}

static void check_event(struct cpu *cpu, const struct merged *ev,
			const struct image_buffer *b, const u8 *file)
{
	const u8 *subbuf = file + ev->offset;

	must(cpu->left--);
	must(subbuf >= cpu->end - b->cpu[ev->cpu].data.size);
	must(subbuf + b->page_size <= cpu->end);
	if (!ev->ev.data) {
		must(!ev->ev.size);
		cpu->at = subbuf + b->page_size;
		return;
	}
	must(ev->ev.data >= cpu->at);
	must(ev->ev.data >= subbuf + RBPAGE_HEADER + 4);
	must(ev->ev.data + ev->ev.size <= subbuf + b->page_size);
	cpu->at = ev->ev.data + ev->ev.size;
}

static void check_merge(const struct datr *d, const struct image_buffer *b,
			const u8 *file)
{
	struct merge *m = merge_new(d, NULL);
	struct cpu cpu[CPUS];
	struct merged ev;
	u32 i;

	must(m);
	for (i = 0; i < CPUS; i++) {
		cpu[i].at = datr_buffer(d, 0)->cpu[i].data;
		cpu[i].end = cpu[i].at + b->cpu[i].data.size;
		cpu[i].left = b->cpu[i].data.size / 4;
	}
	while (merge_next(m, &ev))
		check_event(&cpu[ev.cpu], &ev, b, file);
	merge_free(m);
}

/* Return: how many sub-buffers there are */
static size_t fill(struct image_buffer *b, const u8 *data, size_t size)
{
	static const u32 page_sizes[] = { 17, 32, 64, 256, 1024, 4096 };
	size_t nr, first;

	b->name = "";
	b->clock = "";
	b->page_size = page_sizes[data[0] % ARRAY_SIZE(page_sizes)];
	nr = (size - 2) / b->page_size;
	first = data[1] % (nr + 1);
	b->nr_cpus = CPUS;
	b->cpu[0].data = (struct blob) { data + 2, first * b->page_size };
	b->cpu[1].data = (struct blob) { data + 2 + first * b->page_size,
					 (nr - first) * b->page_size };
	b->cpu[1].cpu = 1;
	return nr;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct image img = { .nr_buffers = 1 };
	struct image_buffer *b = &img.buffer[0];
	static u8 file[MAX_SIZE + 4096];
	struct datr *d;
	size_t nr, i;

	if (size < 2 || size > MAX_SIZE)
		return 0;
	nr = fill(b, data, size);
	d = datr_parse(file, image_make(&img, file, sizeof(file)), "input");
	must(d);
	check_merge(d, b, file);
	for (i = 0; i < nr; i++)
		check_skip(data + 2 + i * b->page_size, b->page_size);
	datr_free(d);
	return 0;
}
