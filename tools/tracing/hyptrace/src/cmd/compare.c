// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace compare
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/comparison.h"
#include "analysis/conditions.h"
#include "analysis/fileprofile.h"
#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/compare.h"
#include "cmd/comparetext.h"
#include "cmd/table.h"
#include "export/html.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/outfile.h"

/* Exit status: something became slower by more than --fail-over */
#define EXIT_SLOWER	3

int compare_print(const struct comparison *c, bool json, FILE *out)
{
	int ret = 0;

	if (json)
		comparison_print_json(c, out);
	else
		ret = comparison_print_text(c, table_width(), out);
	return ret ?: c->failed > 0;
}

/* The command line */

static const char doc[] =
	"Compares the statistics of two recordings, A before and B after a change, or\n"
	"of several recordings of each, with '--' between them:\n"
	"  * the shares of tasks, EL2, guests, interrupts, softirqs and idle in the\n"
	"    time of all CPUs;\n"
	"  * for each reason to enter EL2, each hypercall and each direction of a world\n"
	"    switch: their counts, the ratio of the counts a second ('per s'), the\n"
	"    medians and the 99th percentiles with their ratios, a typical duration,\n"
	"    how much that differs between the recordings of a side ('spread'), its\n"
	"    change, and a verdict. Ratios are B to A. A typical duration is the mean\n"
	"    without the shortest and the longest tenth.\n"
	"\vThe verdict takes three or more recordings of each. Their typical durations\n"
	"are compared by Welch's t-test. p is the probability of a difference at least\n"
	"as large if nothing changed, corrected for the number of tests. The verdict is\n"
	"'slower' or 'faster' if p is below 0.01 and the change is at least 0.5%. It is\n"
	"'few' if fewer than three recordings of A or B have 20 durations. Otherwise it\n"
	"is 'noise'.\n"
	"\n"
	"With fewer recordings there is no verdict: the events of a recording depend on\n"
	"each other. If they do not, use --independent, or record on virtual time.\n"
	"Durations are tested then in place of recordings. The spread of a recording\n"
	"that is alone is that of its fifths.\n"
	"\n"
	"The first lines say in what the recordings differ, such as the events. If\n"
	"figures cannot be compared for that reason, the exit status is 1.\n"
	"\n"
	"With --fail-over, the last lines list what is slower by more than PERCENT.\n"
	"\n"
	"Exit status: 0 on success, and if there is no verdict; 1 on errors, or if a\n"
	"file is corrupt in places; 2 for a wrong command line; 3 if something is\n"
	"slower by more than --fail-over.";

enum { OPT_FAIL_OVER = CMDLINE_KEYS, OPT_FORCE, OPT_HTML, OPT_INDEPENDENT };

static const struct argp_option options[] = {
	{ "fail-over", OPT_FAIL_OVER, "PERCENT", 0,
	  "exit with status 3 if a verdict is 'slower' and the change is more than this, such as 3%; never without a verdict",
	  0 },
	{ "force", OPT_FORCE, NULL, 0,
	  "compare also recordings that differ in functions, stacks, clock, or real and virtual time",
	  0 },
	{ "html", OPT_HTML, "FILE", 0,
	  "also write a page for a web browser, with the timelines of A and B, aligned at whatever is compared; needs one recording of each",
	  0 },
	{ "independent", OPT_INDEPENDENT, NULL, 0,
	  "the events of a recording do not depend on each other, as on virtual time: judge fewer than 3 recordings of each by their durations",
	  0 },
	{ "json", 'j', NULL, 0, "print one JSON document, all times in ns", 0 },
	{ 0 }
};

/**
 * struct options - the command line
 * @in:		the CPUs
 * @json:	as JSON
 * @html:	the page, or NULL
 * @force:	whatever the recordings differ in
 * @independent: events are independent of each other
 * @limited:	@limit was given
 * @limit:	in percent
 * @path:	all files
 * @nr:		how many
 * @room:	how many fit
 * @nr_a:	how many of them are before a '--'
 */
struct options {
	struct input in;
	bool json;
	const char *html;
	bool force;
	bool independent;
	bool limited;
	double limit;
	const char **path;
	unsigned int nr;
	size_t room;
	unsigned int nr_a;
};

static int set_limit(struct options *o, const char *arg)
{
	char *rest;

	o->limited = true;
	o->limit = strtod(arg, &rest);
	if (rest != arg && (!*rest || !strcmp(rest, "%")) && isfinite(o->limit) && o->limit >= 0)
		return 0;
	return log_error("bad limit '%s': expected a number of percent, such as 3%%", arg);
}

static int add_file(struct options *o, const char *path, bool before)
{
	if (array_room(&o->path, &o->room, o->nr + 1, sizeof(*o->path)))
		return log_oom();
	o->path[o->nr++] = path;
	o->nr_a += before;
	return 0;
}

/* Without a '--' between files, they are A and B */
static int check_files(struct options *o, const char *name)
{
	bool two = !o->nr_a || o->nr_a == o->nr;

	if (two && o->nr != 2)
		return log_error("expected two files, or several with '--' between those of A and of B, got %u: see %s --help",
				 o->nr, name);
	if (two)
		o->nr_a = 1;
	if (o->html && o->nr != 2)
		return log_error("--html with %u recordings: expected one of each", o->nr);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case OPT_HTML:
		o->html = arg;
		return 0;
	case OPT_FORCE:
		o->force = true;
		return 0;
	case OPT_INDEPENDENT:
		o->independent = true;
		return 0;
	case OPT_FAIL_OVER:
		return cmdline_told(set_limit(o, arg));
	case ARGP_KEY_ARG:
		return cmdline_told(add_file(o, arg, !state->quoted));
	case ARGP_KEY_END:
		return cmdline_told(check_files(o, state->name));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "A B\nA... -- B...",
	.doc = doc,
	.children = cmdline_input,
};

/**
 * struct compared - a file
 * @d:		the file
 * @h:		what the page has of it; NULL without a page
 * @s:		its profile
 */
struct compared {
	struct datr *d;
	struct htmldata *h;
	struct profiler *s;
};

static int read_recording(const struct options *o, struct compared *r)
{
	struct profile_watch watch;

	if (o->html) {
		r->h = htmldata_new(r->d);
		if (!r->h)
			return -1;
		watch = html_watch(r->h);
	}
	r->s = fileprofile_read(r->d, input_cpus(&o->in), r->h ? &watch : NULL);
	return r->s ? 0 : -1;
}

/* The page */

static const char *clock_of(const struct datr *d)
{
	return datr_nr_buffers(d) ? datr_buffer(d, 0)->clock : "";
}

static int check_pair(const struct options *o, const struct compared *r)
{
	const char *a = clock_of(r[0].d), *b = clock_of(r[1].d);
	struct stat st;

	if (!stat(o->path[1], &st) && datr_is_file(r[0].d, &st))
		return log_error("%s and %s are the same recording: expected two",
				 o->path[0], o->path[1]);
	if (strcmp(a, b))
		return log_error("%s has the clock '%s', and %s '%s': expected the same, as with record --clock",
				 o->path[0], a, o->path[1], b);
	return 0;
}

/* A recording would be lost */
static int check_page(const char *path, const struct compared *r)
{
	struct stat st;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!stat(path, &st) && datr_is_file(r[i].d, &st))
			return log_error("%s is a file that is read: expected another output file",
					 path);
	}
	return 0;
}

/* Before anything is read, which may take long. Return: the path to be freed, or NULL */
static char *page_path(const struct options *o, const struct compared *r)
{
	char *path = check_pair(o, r) ? NULL : output_path(o->html);

	if (!path || !check_page(path, r))
		return path;
	free(path);
	return NULL;
}

static int write_page(const char *path, const struct compared *r, const char *json, size_t size)
{
	const struct html_part part[] = {
		{ .data = r[0].h, .profile = profiler_profile(r[0].s) },
		{ .data = r[1].h, .profile = profiler_profile(r[1].s) },
	};
	struct outfile *out = outfile_new(path);
	int ret = out ? html_compare(part, json, size, outfile_stream(out)) : -1;

	if (!ret)
		ret = outfile_finish(out);
	outfile_free(out);
	return ret;
}

static int make_page(const char *path, const struct compared *r, const struct comparison *c)
{
	char *json = NULL;
	size_t size;
	FILE *out = open_memstream(&json, &size);
	int ret;

	if (!out)
		return log_oom();
	comparison_print_json(c, out);
	ret = fclose(out) ? log_oom() : write_page(path, r, json, size);
	free(json);
	return ret;
}

/* The page first, as it may not be possible */
static int print_all(const struct options *o, const struct compared *r, struct comparison *c,
		     const char *page)
{
	int ret = comparison_init(c);

	if (!ret && page)
		ret = make_page(page, r, c);
	if (!ret)
		ret = compare_print(c, o->json, stdout);
	comparison_free(c);
	return ret;
}

/* How they were made */

/* Return: 0, or -1 with a message if the figures cannot be compared */
static int check_differences(const struct options *o, const struct difference *d)
{
	unsigned int i;

	for (i = 0; !o->force && i < NR_CONDITIONS; i++) {
		if (d[i].grave)
			return log_error("%s: expected the same, or --force", d[i].text);
	}
	return 0;
}

static bool are_virtual(const struct conditions *how, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!conditions_virtual(&how[i]))
			return false;
	}
	return true;
}

/* Return: as compare_print() */
static int compare_conditions(const struct options *o, const struct compared *r,
			      const struct conditions *how, struct comparison *c, const char *page)
{
	struct difference d[NR_CONDITIONS] = { 0 };
	int ret = differences_find(d, how, o->nr_a, o->nr);

	if (!ret)
		ret = check_differences(o, d);
	c->differences = d;
	c->independent = o->independent || are_virtual(how, o->nr);
	if (!ret)
		ret = print_all(o, r, c, page);
	differences_free(d);
	return ret;
}

static int with_conditions(const struct options *o, const struct compared *r,
			   struct comparison *c, const char *page)
{
	struct conditions *how = calloc(o->nr, sizeof(*how));
	unsigned int i;
	int ret = how ? 0 : log_oom();

	for (i = 0; !ret && i < o->nr; i++)
		ret = conditions_read(&how[i], r[i].d, profiler_profile(r[i].s));
	if (!ret)
		ret = compare_conditions(o, r, how, c, page);
	for (i = 0; how && i < o->nr; i++)
		conditions_free(&how[i]);
	free(how);
	return ret;
}

/* All */

static int compare(const struct options *o, struct compared *r, const struct profile **run,
		   const char *page)
{
	struct comparison c = {
		.side = { { .run = run, .nr = o->nr_a },
			  { .run = run + o->nr_a, .nr = o->nr - o->nr_a } },
		.limited = o->limited, .limit = o->limit,
	};
	unsigned int i;

	for (i = 0; i < o->nr; i++) {
		if (read_recording(o, &r[i]))
			return -1;
		run[i] = profiler_profile(r[i].s);
	}
	return with_conditions(o, r, &c, page);
}

static int open_and_compare(const struct options *o, struct compared *r,
			    const struct profile **run)
{
	char *page = NULL;
	unsigned int i;
	int ret;

	for (i = 0; i < o->nr; i++) {
		r[i].d = input_open_path(&o->in, o->path[i]);
		if (!r[i].d)
			return -1;
	}
	if (o->html) {
		page = page_path(o, r);
		if (!page)
			return -1;
	}
	ret = compare(o, r, run, page);
	free(page);
	return ret;
}

/* Return: not 0 if one of them is corrupt in places */
static int free_recordings(const struct options *o, struct compared *r)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < o->nr; i++) {
		if (r[i].s && fileprofile_check(r[i].s, r[i].d))
			ret = -1;
		fileprofile_free(r[i].s);
		htmldata_free(r[i].h);
		datr_free(r[i].d);
	}
	return ret;
}

static int run(const struct options *o)
{
	const struct profile **run = calloc(o->nr, sizeof(*run));
	struct compared *r = calloc(o->nr, sizeof(*r));
	int ret = run && r ? open_and_compare(o, r, run) : log_oom(), status;

	if (r && free_recordings(o, r))
		ret = -1;
	free(r);
	free(run);
	status = cmdline_exit(ret < 0 ? ret : 0);
	return status == EXIT_OK && ret ? EXIT_SLOWER : status;
}

int compare_main(int argc, char **argv)
{
	struct options o = { 0 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, ARGP_IN_ORDER, &o))
		ret = run(&o);
	free(o.path);
	input_free(&o.in);
	return ret;
}
