// SPDX-License-Identifier: GPL-2.0
/*
 * Formats of events. What hyptrace prints of a record is what libtraceevent prints, unless
 * libtraceevent would crash: then it is the fields.
 *
 *	format_test FILE		see the head of tests/formats.txt
 *	format_test --kernel FILE	all formats of a kernel, none of them marked
 *
 * The records are made up: each integer is the same number, so that those that are lengths
 * and indices are valid, and all dynamic fields share some bytes at the end. Prints TAP.
 */
#include <event-parse.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#include "image.h"
#include "lib/log.h"
#include "lib/util.h"
#include "trace/evcall.h"
#include "trace/evdb.h"
#include "trace/evplan.h"
#include "trace/evstack.h"
#include "trace/fmtcheck.h"
#include "trace/printcheck.h"

#define RECORD_SIZE	4096
#define SLACK		64
#define TAIL		"abcdefg\0ABCDEFG\0000123456\0\1\2\3\4\5\6\7\0"
#define TAIL_SIZE	32

static unsigned int nr_tests;
static unsigned int nr_failed;
static unsigned int nr_wrong;

static void wrong(const char *name, const char *what, const char *got, const char *want)
{
	printf("# %s: %s: '%s', expected '%s'\n", name, what, got, want);
	nr_wrong++;
}

static void result(const char *name, unsigned int nr)
{
	if (!nr)
		nr_wrong++;
	printf("%s %u %s: %u\n", nr_wrong ? "not ok" : "ok", ++nr_tests, name, nr);
	nr_failed += !!nr_wrong;
	nr_wrong = 0;
}

/**
 * struct sample - one of the formats
 * @system:	its system
 * @event:	the event's name
 * @text:	the text
 * @size:	its size
 * @fields:	libtraceevent cannot print it: it has to be shown field by field
 * @plan:	it is printed by a plan: see trace/evplan.h
 */
struct sample {
	char system[64];
	char event[64];
	const char *text;
	size_t size;
	bool fields;
	bool plan;
};

/* Made-up records */

static unsigned int end_of(const struct tep_format_field *f)
{
	unsigned int end = 0;

	for (; f; f = f->next) {
		if ((unsigned int)(f->offset + f->size) > end)
			end = f->offset + f->size;
	}
	return end;
}

static void fill_field(const struct tep_format_field *f, u8 *data, unsigned int tail,
		       u64 number)
{
	u32 word = tail | TAIL_SIZE << 16;

	if (f->flags & TEP_FIELD_IS_RELATIVE)
		word -= f->offset + f->size;
	if (f->flags & TEP_FIELD_IS_DYNAMIC)
		memcpy(data + f->offset, &word, sizeof(word));
	else if (f->flags & TEP_FIELD_IS_ARRAY)
		memset(data + f->offset, 'a' + number, f->size);
	else if (f->size <= 8)
		memcpy(data + f->offset, &number, f->size);
}

/* Return: the size of the record */
static u32 fill(const struct tep_event *e, u8 *data, u64 number)
{
	const struct tep_format_field *f;
	u32 tail = end_of(e->format.fields);
	u16 id = e->id;

	if (tail < end_of(e->format.common_fields))
		tail = end_of(e->format.common_fields);
	memset(data, 0, RECORD_SIZE + SLACK);
	for (f = e->format.fields; f; f = f->next)
		fill_field(f, data, tail, number);
	memcpy(data, &id, sizeof(id));
	memcpy(data + tail, TAIL, TAIL_SIZE);
	return tail + TAIL_SIZE;
}

/* What both print */

static struct tep_handle *parse(const struct sample *s, bool fields)
{
	struct tep_handle *tep = tep_alloc();
	size_t size = s->size;
	char *text;

	if (fields && fmt_check(s->text, s->size, &size) == FMT_BAD)
		size = 0;
	text = xasprintf("%.*s%s", (int)size, s->text, fields ? "print fmt: \"\"\n" : "");
	if (!tep || !text)
		exit(1);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, 8);
	/* The library loses memory when it does not know what is in a format */
	__lsan_disable();
	tep_parse_event(tep, text, strlen(text), s->system);
	__lsan_enable();
	free(text);
	return tep;
}

static void print_fields(const struct tep_event *e, const struct tep_record *rec,
			 struct trace_seq *seq)
{
	struct rbevent ev = { .data = rec->data, .size = rec->size };
	struct trace_seq array;

	trace_seq_init(&array);
	evfield_print(e, &ev, &array, seq);
	trace_seq_destroy(&array);
}

/* To be freed */
static char *library_prints(const struct sample *s, u8 *data, u64 number, u32 *size)
{
	struct tep_handle *tep = parse(s, s->fields);
	struct tep_event *e = tep_get_event(tep, 0);
	struct tep_record rec = { .data = data };
	struct trace_seq seq;

	if (!e)
		exit(1);
	trace_seq_init(&seq);
	*size = fill(e, data, number);
	rec.size = *size;
	if (s->fields)
		print_fields(e, &rec, &seq);
	else
		tep_print_event(tep, &seq, &rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	tep_free(tep);
	return seq.buffer;
}

static struct evdb *load(const struct sample *s, unsigned int nr)
{
	static u8 file[1 << 20];
	struct image img = { .nr_formats = nr };
	struct evdb *db;
	struct datr *d;
	unsigned int i;

	for (i = 0; i < nr; i++)
		img.format[i] = (struct image_format) {
			s[i].system, { (const u8 *)s[i].text, s[i].size }
		};
	d = datr_parse(file, image_make(&img, file, sizeof(file)), "formats");
	db = d ? evdb_load(d) : NULL;
	if (!db)
		exit(1);
	datr_free(d);
	return db;
}

static void compare(const struct sample *s, u64 number)
{
	static u8 data[RECORD_SIZE + SLACK];
	struct rbevent ev = { .data = data };
	struct evdb *db = load(s, 1);
	char *want = library_prints(s, data, number, &ev.size);
	const char *got = evdb_text(db, &ev, 0);
	size_t len = strlen(want);

	if (len && want[len - 1] == '\n')
		want[len - 1] = '\0';
	if (strcmp(got, want))
		wrong(s->event, "a record", got, want);
	free(want);
	evdb_free(db);
}

/* The file: "@ SYSTEM", "@ SYSTEM fields" or "@ SYSTEM plan", and a format behind it */

static const char *next_sample(const char *at, struct sample *s)
{
	const char *end;
	char how[16] = "";

	at = at ? strstr(at, "\n@ ") : NULL;
	if (!at)
		return NULL;
	memset(s, 0, sizeof(*s));
	if (sscanf(at, "\n@ %63s%*[ ]%15[a-z]", s->system, how) < 1)
		exit(1);
	s->fields = !strcmp(how, "fields");
	s->plan = !strcmp(how, "plan");
	s->text = strstr(at, "\nname: ");
	if (!s->text || sscanf(s->text, "\nname: %63s", s->event) != 1)
		exit(1);
	s->text++;
	end = strstr(s->text, "\n@ ");
	s->size = end ? (size_t)(end + 1 - s->text) : strlen(s->text);
	return s->text;
}

static void test_accepted(const char *text)
{
	unsigned int nr = 0;
	struct sample s;
	const char *at;
	size_t end;

	for (at = text; (at = next_sample(at, &s)); nr++) {
		if (!s.fields && fmt_check(s.text, s.size, &end) != FMT_FULL)
			wrong(s.event, "the format", "not accepted", "accepted");
	}
	result("formats are accepted", nr);
}

static void test_printed(const char *text, u64 number)
{
	unsigned int nr = 0;
	struct sample s;
	const char *at;

	for (at = text; (at = next_sample(at, &s)); nr++)
		compare(&s, number);
	result("records are printed as libtraceevent does", nr);
}

static bool has_plan(const struct sample *s)
{
	struct tep_handle *tep = parse(s, false);
	struct tep_event *e = tep_get_event(tep, 0);
	struct evplan *plan = NULL;

	if (e && printcheck_event(e) != PRINT_NONE)
		plan = evplan_new(e, end_of(e->format.fields));
	evplan_free(plan);
	tep_free(tep);
	return plan;
}

/* Whether a record with @number in its fields is printed as libtraceevent does */
static bool is_printed(struct tep_event *e, u64 number)
{
	static u8 data[RECORD_SIZE + SLACK];
	enum print_safety safety = printcheck_event(e);

	return safety == PRINT_ALL ||
	       (safety == PRINT_SOME && printcheck_record(e, data, fill(e, data, number)));
}

/* Of the events of function tracers, hyptrace prints what those do; see graph_test.py */
static bool is_tracers(struct tep_event *e)
{
	struct evcall *call = NULL;
	bool is;

	if (evstack_callers(e))
		return true;
	evcall_new(e, &call);
	is = call;
	evcall_free(call);
	return is;
}

/* The text of such a record is in printk_formats, which is not here; then its fields are printed */
static bool is_trace_printk(const struct sample *s)
{
	return !strcmp(s->event, "bprint") || !strcmp(s->event, "bputs");
}

/*
 * Of all formats of a kernel, what libtraceevent parses is printed as it does, or field by field
 * if it cannot be printed safely and as the kernel does, which is rare
 */
static void test_kernel(const char *text)
{
	unsigned int nr = 0, nr_unknown = 0, nr_fields = 0;
	struct sample s;
	const char *at;
	size_t end;

	for (at = text; (at = next_sample(at, &s)); ) {
		struct tep_handle *tep = parse(&s, false);
		struct tep_event *e = tep_get_event(tep, 0);

		if (!e || e->flags & TEP_EVENT_FL_FAILED) {
			nr_unknown++;
		} else {
			s.fields = fmt_check(s.text, s.size, &end) != FMT_FULL || !is_printed(e, 1);
			if (s.fields)
				printf("# %s: by its fields\n", s.event);
			nr_fields += s.fields;
			s.fields |= is_trace_printk(&s);
			if (!is_tracers(e))
				compare(&s, 1);
			nr++;
		}
		tep_free(tep);
	}
	printf("# libtraceevent does not parse %u\n", nr_unknown);
	if (nr_fields > nr / 50)
		wrong("formats", "printed by their fields", "many", "few");
	if (nr_unknown > nr / 10)
		wrong("formats", "not parsed", "many", "few");
	result("all formats of a kernel", nr);
}

/* Without one, it would only be slower */
static void test_plans(const char *text)
{
	unsigned int nr = 0;
	struct sample s;
	const char *at;

	for (at = text; (at = next_sample(at, &s)); nr += s.plan) {
		if (has_plan(&s) != s.plan)
			wrong(s.event, "printed by a plan", s.plan ? "no" : "yes",
			      s.plan ? "yes" : "no");
	}
	result("records are printed by a plan", nr);
}

/* Expressions that are not from a kernel */

#define SIGNED(type, name, offset, size, sign)						\
	"\tfield:" type " " name ";\toffset:" offset ";\tsize:" size ";\tsigned:" sign ";\n"
#define FIELD(type, name, offset, size)	SIGNED(type, name, offset, size, "0")
#define COMMON	FIELD("unsigned short", "common_type", "0", "2")		\
		FIELD("unsigned char", "common_flags", "2", "1")		\
		FIELD("unsigned char", "common_preempt_count", "3", "1")	\
		FIELD("int", "common_pid", "4", "4") "\n"
#define FORMAT	"name: made_up\nID: 7\nformat:\n" COMMON			\
		FIELD("u32", "a", "8", "4") FIELD("u32", "zero", "12", "4")	\
		FIELD("u8", "array[8]", "16", "8")				\
		FIELD("__data_loc char[]", "text", "24", "4")			\
		FIELD("__rel_loc u8[]", "near", "28", "4")			\
		FIELD("__data_loc cpumask_t", "cpus", "32", "4")		\
		SIGNED("s64", "minus", "40", "8", "1") FIELD("u32", "large", "48", "4") \
		"\nprint fmt: %s\n"

struct made_up {
	u16 id;
	u8 flags, preempt_count;
	s32 pid;
	u32 a, zero;
	u8 array[8];
	u32 text, near, cpus;
	long long minus;
	u32 large;
	char tail[12];
};

static const struct made_up made_up = {
	.id = 7, .pid = 1, .a = 2, .array = { 1, 2, 3, 4, 5, 6, 7, 8 },
	.text = 52 | 8 << 16, .near = (52 - 32) | 4 << 16, .cpus = 60, .minus = -2,
	.large = 1 << 30, .tail = "textual",
};

#define BY_FIELD "a=2 zero=0 array=01 02 03 04 05 06 07 08 text=textual "		\
		 "near=74 65 78 74 cpus= minus=-2 large=1073741824"

/* Return: what is printed of the record, to be freed */
static char *print_made_up(const struct sample *s)
{
	struct rbevent ev = { .data = (const u8 *)&made_up, .size = sizeof(made_up) };
	struct evdb *db = load(s, 1);
	char *printed = xasprintf("%s", evdb_text(db, &ev, 0));

	evdb_free(db);
	return printed;
}

/**
 * struct expression - a "print fmt"
 * @text:	the text
 * @want:	what is printed; NULL: the fields, as libtraceevent would crash
 */
struct expression {
	const char *text;
	const char *want;
};

#define MINUS		"REC->minus"
#define NAMES(value)	"__print_symbolic(" value \
			", { 4, \"four\" }, { 0x2, \"two\" }, { 2, \"no\" })"

static const struct expression planned[] = {
	{ "\"%d|%u|%i|%x|%li|%lld|%lu\", " MINUS "," MINUS "," MINUS "," MINUS "," MINUS ","
	  MINUS "," MINUS, "-2|4294967294|-2|fffffffe|-2|-2|18446744073709551614" },
	{ "\"0x%llx %016llx %05lld %03u%01d\", " MINUS "," MINUS "," MINUS ", REC->a, REC->a",
	  "0xfffffffffffffffe fffffffffffffffe -0002 0022" },
	{ "\"%s+%s\", " NAMES("REC->a") "," NAMES("REC->zero"), "two+0x0" },
	{ "\"%s=%u\", " NAMES("REC->large >> 28 & 7 & ~(1UL << 31)") ", (REC->large >> 26) >> 2",
	  "four=4" },
	{ "\"%lu l%ld\", REC->a, REC->a", "2 l2" },
	{ "\"no value\"", "no value" },
};

static const struct expression not_planned[] = {
	{ "\"%5u\", REC->a", "    2" },
	{ "\"%-5u|\", REC->a", "2    |" },
	{ "\"%u%%\", REC->a", "2%" },
	{ "\"%s\", __print_symbolic(REC->a, { HI_SOFTIRQ, \"x\" })", "0x2" },
	{ "\"%d\" \" %s\", REC->a, \"x\" \"y\"", "2 xy" },
	{ "\"%d\", REC->a ? REC->zero ? 1 : 2 : 3", "2" },
	{ "\"%d\", (REC)->a + REC->array[1]", "4" },
	{ "\"%d\", REC->array[WORD]", "1" },
	{ "\"%d\", 1000 / REC->a", "500" },
	{ "\"%d\", (4000 >> 2) / REC->a", "500" },
	{ "\"%d\", REC->a == 2 && REC->large > 5 ? 1 : 0", NULL },
	{ "\"%d\", REC->a + 1 << 1", "6" },
	{ "\"%d\", REC->a | REC->a & 1 | 8", "10" },
	{ "\"%lld\", REC->minus + REC->a", "0" },
	{ "\"%d\", 0 - REC->a", "-2" },
	{ "\"%lld\", REC->large - 2 * REC->large", NULL },
	{ "\"%d\", REC->minus < 0", NULL },
	{ "\"%lld\", REC->minus / 2", NULL },
	{ "\"%s\", __print_symbolic(REC->minus, { -2, \"two\" })", NULL },
	{ "\"%d\", 4000 / ((1UL) << 2)", NULL },
	{ "\"%d\", 8 - 1 - 1", NULL },
	{ "\"%d\", REC->a * (3 + 2)", NULL },
	{ "\"%d\", REC->a & (1 | 2)", NULL },
	{ "\"%d\", REC->a - 2 == 0 ? 1 : 2", NULL },
	{ "\"%d\", REC->a ? 1 : 0 + 5", NULL },
	{ "\"%d\", REC->a ^ 1", NULL },
	{ "\"%d\", 'A'", NULL },
	{ "\"%s\", __print_array(REC->array, 3, 1)", NULL },
	{ "\"%d\", REC->zero ? 1 / REC->zero : 7", "7" },
	{ "\"%.*s\", REC->a, __get_str(text)", "te" },
	{ "\"%s\", __print_hex(REC->array, REC->a + 1)", "01 02 03" },
	{ "\"%s\", __get_rel_str(near)", "textual" },
	{ "\"%d\", 1 / REC->zero", NULL },
	{ "\"%d\", 1 % REC->zero", NULL },
	{ "\"%d\", REC->zero && 1 / REC->zero", NULL },
	{ "\"%d\", REC->a / -1", NULL },
	{ "\"%d\", 1 / 0", NULL },
	{ "\"%d\", 1 / WORD", NULL },
	{ "\"%d\", REC->a / 2 * 0", NULL },
	{ "\"%d\", 5 / (1 - 1)", NULL },
	{ "\"%d\", 5 / (4294967296 * 4294967296)", NULL },
	{ "\"%d\", REC->array[0][1]", NULL },
	{ "\"%d\", REC->a ? 1 : REC->array[1]", NULL },
	{ "\"%d\", REC->array[REC->large]", NULL },
	{ "\"%d\", REC->array[(REC->minus)]", NULL },
	{ "\"%d\", ((u8 *)__get_dynamic_array(text))[REC->large]", NULL },
	{ "\"%d\", __get_rel_dynamic_array_len(near)", NULL },
	{ "\"%s\", __get_str(a)", NULL },
	{ "\"%s\", __get_cpumask(missing)", NULL },
	{ "\"%s\", __get_cpumask(cpus)", NULL },
	{ "\"%s\", __print_hex(REC->array + 1, 4)", NULL },
	{ "\"%s\", __print_hex(REC->array, REC->large)", NULL },
	{ "\"%s\", __print_array(REC->array, REC->large, 4)", NULL },
	{ "\"%s\", __print_array(REC->array, 10, 8)", NULL },
	{ "\"%s\", __print_flags(REC->missing, 0, { 1, \"x\" })", NULL },
	{ "\"%*d\", REC->large, REC->a", NULL },
	{ "\"%.*s\", REC->minus, __get_str(text)", NULL },
	{ "\"%1000d\", REC->a", NULL },
	{ "\"%ls\", __get_str(text)", NULL },
	{ "\"%d\", sizeof(", NULL },
};

static void test_expression(const struct expression *e, bool plan)
{
	const char *want = e->want ?: BY_FIELD;
	char *text = xasprintf(FORMAT, e->text), *got;
	struct sample s = { .system = "sys", .text = text };

	if (!text)
		exit(1);
	s.size = strlen(text);
	got = print_made_up(&s);
	if (!got || strcmp(got, want))
		wrong(e->text, "printed", got ?: "nothing", want);
	if (e->want && has_plan(&s) != plan)
		wrong(e->text, "printed by a plan", plan ? "no" : "yes", plan ? "yes" : "no");
	free(got);
	free(text);
}

static void test_expressions(const char *name, const struct expression *e, unsigned int nr,
			     bool plan)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		test_expression(&e[i], plan);
	result(name, nr);
}

/* Formats that make libtraceevent misread the records of others */
static void test_others(void)
{
	struct sample s[] = {
		{ .system = "ftrace", .text = "name: bprint\nID: 5\nformat:\n" COMMON
			FIELD("unsigned long", "ip", "8", "8") FIELD("u32", "fmt", "16", "4")
			FIELD("u32", "buf[]", "20", "0")
			"\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n" },
		{ .system = "ftrace", .text = "name: bprint\nID: 6\nformat:\n" COMMON
			FIELD("unsigned long", "ip", "8", "8") FIELD("u32", "fmt", "60000", "4")
			FIELD("u32", "buf[]", "60004", "0")
			"\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n" },
		{ .system = "sys", .text = "name: far\nID: 1\nformat:\n"
			FIELD("unsigned short", "common_type", "60000", "2")
			"\n" FIELD("u32", "a", "8", "4") "\nprint fmt: \"%d\", REC->a\n" },
		{ .system = "sys", .text = "name: made_up\nID: 7\nformat:\n" COMMON
			FIELD("u32", "a", "8", "4") "\nprint fmt: \"a is %d\", REC->a\n" },
	};
	struct rbevent ev = { .data = (const u8 *)&made_up, .size = sizeof(made_up) };
	struct rbevent second = { .data = (const u8 *)"\6\0\0\0\1\0\0", .size = 8 };
	struct evdb *db;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s); i++)
		s[i].size = strlen(s[i].text);
	db = load(s, ARRAY_SIZE(s));
	if (strcmp(evdb_text(db, &ev, 0), "a is 2"))
		wrong("made_up", "printed", evdb_text(db, &ev, 0), "a is 2");
	if (strcmp(evdb_name(db, &second), "event 6"))
		wrong("second bprint", "its name", evdb_name(db, &second), "event 6");
	evdb_free(db);
	result("events that have no influence on others", 2);
}

static void test_samples(const char *text)
{
	test_accepted(text);
	test_printed(text, 1);
	test_printed(text, 4);
	test_plans(text);
	test_expressions("expressions", not_planned, ARRAY_SIZE(not_planned), false);
	test_expressions("expressions of a plan", planned, ARRAY_SIZE(planned), true);
	test_others();
}

int main(int argc, char **argv)
{
	bool kernel = argc == 3 && !strcmp(argv[1], "--kernel");
	char *text = argc == 2 + kernel ? read_file(argv[argc - 1], NULL) : NULL;

	if (!text) {
		fprintf(stderr, "Usage: format_test [--kernel] FILE\n");
		return 1;
	}
	puts("TAP version 13");
	if (kernel)
		test_kernel(text);
	else
		test_samples(text);
	printf("1..%u\n", nr_tests);
	free(text);
	return nr_failed ? 1 : 0;
}
