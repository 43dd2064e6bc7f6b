// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes event formats: whatever a format and a record are, libtraceevent gets only
 * input that it can handle.
 *
 *	input:	u8, which chooses the system, text of the format, 0, lines of
 *		printk_formats, 0, record
 *
 * libtraceevent is built without a sanitizer. So the texts and records that evdb passes
 * to it end at a page without access rights.
 */
#include <event-parse.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz.h"

/* Memory that is followed by a page without access rights */

#define NR_FENCED	8
#define FENCED_SIZE	(BIT(18) - 4096)

struct fenced {
	u8 *map;
	u8 *in_use;		/* what was allocated of it, or NULL */
};

static struct fenced fenced[NR_FENCED];

static int fence_init(void)
{
	unsigned int i;
	u8 *map;

	for (i = 0; i < NR_FENCED; i++) {
		map = mmap(NULL, FENCED_SIZE + 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED || mprotect(map + FENCED_SIZE, 4096, PROT_NONE))
			return -1;
		fenced[i].map = map;
	}
	return 0;
}

/* If it does not fit, or none is free, malloc() is used */
static void *fence_malloc(size_t size)
{
	unsigned int i;

	for (i = 0; size && size <= FENCED_SIZE && i < NR_FENCED; i++) {
		if (fenced[i].in_use)
			continue;
		fenced[i].in_use = fenced[i].map + FENCED_SIZE - size;
		return fenced[i].in_use;
	}
	return malloc(size);
}

static void *fence_calloc(size_t n, size_t size)
{
	void *p = fence_malloc(n * size);

	return p ? memset(p, 0, n * size) : NULL;
}

static void fence_free(void *p)
{
	unsigned int i;

	for (i = 0; p && i < NR_FENCED; i++) {
		if (fenced[i].in_use == p) {
			fenced[i].in_use = NULL;
			return;
		}
	}
	free(p);
}

/* The only caller is about to overwrite all */
static void *fence_realloc(void *p, size_t size)
{
	fence_free(p);
	return fence_malloc(size);
}

static enum tep_errno fence_parse(struct tep_handle *tep, const char *text,
				  unsigned long size, const char *system)
{
	char *copy = fence_malloc(size);
	enum tep_errno ret;

	must(copy);
	memcpy(copy, text, size);
	ret = tep_parse_event(tep, copy, size, system);
	fence_free(copy);
	return ret;
}

#define calloc		fence_calloc
#define realloc		fence_realloc
#define free		fence_free
#define tep_parse_event	fence_parse
#include "trace/evdb.c"
#include "trace/evload.c"
#undef calloc
#undef realloc
#undef free
#undef tep_parse_event

/* An event of the format */

#include "image.h"

#define MAX_SIZE	65536

static FILE *null;

static struct image img = {
	.nr_formats = 1,
	.kallsyms = { (const u8 *)"ffff800080010000 T start\tmod\n"
				  "ffff800080020000 t end\n", 52 },
	.cmdlines = { (const u8 *)"1 init\n", 7 },
};

/**
 * struct input - the parts of an input
 * @text:	of the format
 * @printk:	lines of printk_formats
 * @record:	the event
 */
struct input {
	struct blob text;
	struct blob printk;
	struct blob record;
};

/* Take the part up to a 0 byte. Return: the rest behind it; NULL if there is no 0. */
static const u8 *take_part(struct blob *part, const u8 *at, const u8 *end)
{
	const u8 *zero = at < end ? memchr(at, 0, end - at) : NULL;

	*part = (struct blob) { at, zero ? zero - at : 0 };
	return zero ? zero + 1 : NULL;
}

static int take_input(struct input *in, const u8 *data, size_t size)
{
	const u8 *at = data + 1, *end = data + size;

	if (!size)
		return -1;
	at = take_part(&in->text, at, end);
	if (at)
		at = take_part(&in->printk, at, end);
	if (!at)
		return -1;
	in->record = (struct blob) { at, end - at };
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	null = fopen("/dev/null", "w");
	log_set_sink(NULL, NULL);
	return null && !fence_init() ? 0 : -1;
}

/* A string does not lie outside of the record; the text of an array is not in there */
static void check_value(void *ctx, const struct evdb_value *v)
{
	const struct rbevent *ev = ctx;
	const char *begin = (const char *)ev->data, *end = begin + ev->size;

	must(v->name);
	if (!v->string)
		return;
	if (v->string >= begin && v->string <= end)
		must(v->length <= (size_t)(end - v->string));
	else
		must(strlen(v->string) == v->length);
}

static void use(struct evdb *db, struct rbevent *ev)
{
	static const char *const names[] = { "reason", "id", "code", "vcpu" };
	enum ev_reason reason;
	struct evdb_head h;
	unsigned int i;
	u64 value;

	evdb_print(db, null, ev, 0);
	evdb_kind(db, ev, &reason);
	evdb_values(db, ev, check_value, ev);
	if (evdb_head(db, ev, &h))
		must(h.system && h.name);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		evdb_word(db, ev, names[i]);
		evdb_number(db, ev, names[i], &value);
	}
	must(evdb_text(db, ev, 0));
}

/* The record has the id of the format */
static void set_id(u8 *record, size_t size, const struct blob *text)
{
	const char *at = memmem(text->data, text->size, "\nID: ", 5);
	u16 id;

	if (!at || size < sizeof(id))
		return;
	id = strtoul(at + 5, NULL, 10);	/* there is a 0 behind the text */
	memcpy(record, &id, sizeof(id));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const systems[] = {
		"hypervisor", "kvm", "sched", "ftrace",
	};
	static u8 file[MAX_SIZE + 4096], record[MAX_SIZE];
	struct rbevent ev = { .ts = 1, .data = record };
	struct input in;
	struct evdb *db;
	struct datr *d;

	if (size > MAX_SIZE || take_input(&in, data, size))
		return 0;
	img.format[0].system = systems[data[0] % ARRAY_SIZE(systems)];
	img.format[0].text = in.text;
	img.printk = in.printk;
	ev.size = in.record.size;
	memcpy(record, in.record.data, ev.size);
	set_id(record, ev.size, &in.text);
	d = datr_parse(file, image_make(&img, file, sizeof(file)), "input");
	must(d);
	db = evdb_load(d);
	must(db);
	use(db, &ev);
	evdb_free(db);
	datr_free(d);
	return 0;
}

/* Mutate one part in a buffer, without the 0 that would end it early */
static void mutate(struct blob *part, size_t max, bool text)
{
	static u8 copy[MAX_SIZE];

	if (part->size > sizeof(copy) || max > sizeof(copy) || max < part->size)
		return;
	memcpy(copy, part->data, part->size);
	part->size = LLVMFuzzerMutate(copy, part->size, max);
	if (text)
		part->size = strnlen((char *)copy, part->size);
	part->data = copy;
}

static size_t put_part(u8 *out, size_t at, const struct blob *part)
{
	memcpy(out + at, part->data, part->size);
	out[at + part->size] = 0;
	return at + part->size + 1;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max,
			       unsigned int seed)
{
	static u8 out[MAX_SIZE];
	struct input in;

	if (size >= max || max > MAX_SIZE || seed % 16 == 0 ||
	    take_input(&in, data, size))
		return LLVMFuzzerMutate(data, size, max);
	max -= size;
	if (seed % 8 == 1)
		mutate(&in.printk, in.printk.size + max, true);
	else if (seed % 4 == 2)
		mutate(&in.record, in.record.size + max, false);
	else
		mutate(&in.text, in.text.size + max, true);
	size = put_part(out, 1, &in.text);
	size = put_part(out, size, &in.printk);
	memcpy(out + size, in.record.data, in.record.size);
	size += in.record.size;
	memcpy(data + 1, out + 1, size - 1);
	return size;
}
