// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace export
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "export/html.h"
#include "export/perfetto.h"
#include "lib/log.h"
#include "lib/util.h"
#include "trace/datr.h"

static const char doc[] =
	"Writes the events of a recording as a trace for Perfetto, or as a page for a\n"
	"web browser.\n"
	"\vIn Perfetto, each visit to EL2 is a slice on the track \"pkVM Hypervisor CPU\n"
	"n\". Events that Perfetto does not know are in its table of ftrace events, with\n"
	"names and values (generic). Timestamps are in boot time.\n"
	"\n"
	"The page shows when the host, EL2 and guests ran on each CPU and where events\n"
	"were lost, all events, and the tables of hyptrace stat. It needs neither a\n"
	"network nor another file.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, or if FILE is corrupt in places; 2 for\n"
	"a wrong command line.";

enum { OPT_PERFETTO = CMDLINE_KEYS, OPT_HTML };

static const struct argp_option options[] = {
	{ "perfetto", OPT_PERFETTO, NULL, 0,
	  "write a trace for Perfetto (ui.perfetto.dev)", 0 },
	{ "html", OPT_HTML, NULL, 0, "write a page for a web browser", 0 },
	{ "output", 'o', "OUT", 0,
	  "output file [FILE with .pftrace or .html instead of .dat]",
	  0 },
	{ "quiet", 'q', NULL, 0, "print no summary", 0 },
	{ 0 }
};

struct options {
	struct input in;
	const char *output;
	bool perfetto;
	bool html;
	bool quiet;
};

static error_t check_format(const struct options *o)
{
	if (!o->perfetto && !o->html)
		return cmdline_told(log_error("no output format: expected --perfetto or --html"));
	if (o->perfetto && o->html && o->output)
		return cmdline_told(log_error("--output with two formats: expected one of them"));
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case OPT_PERFETTO:
		o->perfetto = true;
		return 0;
	case OPT_HTML:
		o->html = true;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_END:
		return check_format(o);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = doc,
	.children = cmdline_input,
};

struct output;

/**
 * struct format - a format
 * @suffix:	of files
 * @write:	writes the file. Return: 0; -1 with a message; 1 if FILE is corrupt
 *		in places
 * @tell:	says what was written
 */
struct format {
	const char *suffix;
	int (*write)(struct output *f);
	void (*tell)(const struct output *f);
};

/**
 * struct output - a file being written
 * @o:		what is wanted
 * @d:		the file that is read
 * @name:	of the output
 * @out:	the output
 * @shift:	to boot time
 * @perfetto:	what was written
 * @html:	the same
 */
struct output {
	const struct options *o;
	struct datr *d;
	char *name;
	FILE *out;
	u64 shift;
	struct perfetto_result perfetto;
	struct htmldata_counts html;
};

static int write_perfetto(struct output *f)
{
	const char *path = f->o->in.path[0];

	if (perfetto_shift(f->d, path, &f->shift) ||
	    perfetto_export(f->d, input_cpus(&f->o->in), f->shift, f->out,
			    &f->perfetto))
		return -1;
	return datr_corrupt(f->d, f->perfetto.corrupt);
}

static void tell_perfetto(const struct output *f)
{
	const struct perfetto_result *r = &f->perfetto;

	log_note("%s: %llu events, %llu of them generic, %llu added, %llu losses, shifted by %lld ns; %llu unknown events left out",
		 f->name, r->events, r->generic, r->added, r->losses,
		 (long long)f->shift, r->left_out);
}

static int write_html(struct output *f)
{
	return html_export(f->d, input_cpus(&f->o->in), f->out, &f->html);
}

static void tell_html(const struct output *f)
{
	log_note("%s: %llu events, %llu losses, %llu time spans",
		 f->name, f->html.events, f->html.losses, f->html.spans);
}

static const struct format perfetto = {
	".pftrace", write_perfetto, tell_perfetto,
};

static const struct format html = { ".html", write_html, tell_html };

/* The file gets its final name when it is complete */
static int write_part(struct output *f, const char *part,
		      const struct format *format)
{
	int ret;

	f->out = fopen(part, "we");
	if (!f->out)
		return log_error("cannot create %s: %s", part, strerror(errno));
	ret = format->write(f);
	if (ret >= 0 && (fflush(f->out) || ferror(f->out)))
		ret = log_error("cannot write %s: %s", part, strerror(errno));
	fclose(f->out);
	if (ret >= 0 && rename(part, f->name))
		ret = log_error("cannot rename %s to %s: %s", part, f->name,
				strerror(errno));
	if (ret < 0)
		unlink(part);
	return ret;
}

/* Return: the name of the output, to be freed; NULL after a message */
static char *output_name(const struct options *o, const char *suffix)
{
	size_t len = strlen(o->in.path[0]);
	char *name, *path;

	if (o->output)
		return output_path(o->output);
	if (len > 4 && !strcmp(o->in.path[0] + len - 4, ".dat"))
		len -= 4;
	name = xasprintf("%.*s%s", (int)len, o->in.path[0], suffix);
	path = name ? output_path(name) : NULL;
	free(name);
	return path;
}

/* The recording would be lost */
static int check_name(const struct output *f)
{
	struct stat st;

	if (stat(f->name, &st) || !datr_is_file(f->d, &st))
		return 0;
	return log_error("%s is the file that is read: expected another output file",
			 f->o->output ? f->o->output : f->name);
}

static int export_file(const struct options *o, struct datr *d,
		       const struct format *format)
{
	struct output f = { .o = o, .d = d };
	char *part;
	int ret = -1;

	f.name = output_name(o, format->suffix);
	part = f.name && !check_name(&f) ? xasprintf("%s.part", f.name) : NULL;
	if (part)
		ret = write_part(&f, part, format);
	if (ret >= 0 && !o->quiet)
		format->tell(&f);
	free(part);
	free(f.name);
	return ret;
}

static int run(const struct options *o)
{
	struct datr *d = input_open(&o->in, 0);
	int ret = 0;

	if (!d)
		return EXIT_ERROR;
	if (o->perfetto)
		ret = export_file(o, d, &perfetto);
	if (ret >= 0 && o->html)
		ret |= export_file(o, d, &html);
	datr_free(d);
	return ret ? EXIT_ERROR : EXIT_OK;
}

int export_main(int argc, char **argv)
{
	struct options o = { .in.want = 1 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &o))
		ret = run(&o);
	input_free(&o.in);
	return ret;
}
