// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace export
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/exportrows.h"
#include "export/folded.h"
#include "export/html.h"
#include "export/perfetto.h"
#include "lib/log.h"
#include "lib/outfile.h"
#include "lib/util.h"
#include "trace/datr.h"

static const char doc[] =
	"Writes the events of a recording as a trace for Perfetto, or as a page for a\n"
	"web browser; where time goes inside of EL2 for a flame graph; or the tables of\n"
	"hyptrace query for a database.\n"
	"\vIn Perfetto, each visit to EL2 is a slice on the track \"pkVM Hypervisor CPU\n"
	"n\". Each vCPU has a track that says when it was in the guest, and why it left\n"
	"it. If functions of EL2 were traced, each CPU has a track of them. Events that\n"
	"Perfetto does not know are in its table of ftrace events, with names and\n"
	"values (generic). Timestamps are in boot time.\n"
	"\n"
	"The page shows when the host, EL2 and guests ran on each CPU and where events\n"
	"were lost, all events, and the tables of hyptrace stat. It needs neither a\n"
	"network nor another file.\n"
	"\n"
	"Folded stacks have a line for each stack of EL2's functions: the kind of EL2\n"
	"entry and the functions, with ';' between, and the ns in the last one. See\n"
	"hyptrace graph.\n"
	"\n"
	"Rows are values separated by tabs, in DIR/TABLE/ID.tsv, with the names of the\n"
	"columns in the first line. ID is computed from the recording, so that\n"
	"recordings of many machines can use the same DIR. DIR/schema.sql makes the\n"
	"tables in ClickHouse.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, or if FILE is corrupt in places; 2 for\n"
	"a wrong command line.";

enum { OPT_PERFETTO = CMDLINE_KEYS, OPT_HTML, OPT_FOLDED, OPT_ROWS, OPT_TABLES };

static const struct argp_option options[] = {
	{ "perfetto", OPT_PERFETTO, NULL, 0,
	  "write a trace for Perfetto (ui.perfetto.dev)", 0 },
	{ "html", OPT_HTML, NULL, 0, "write a page for a web browser", 0 },
	{ "folded", OPT_FOLDED, NULL, 0,
	  "write folded stacks of EL2's functions, for programs that draw flame graphs", 0 },
	{ "rows", OPT_ROWS, "DIR", 0, "write the tables of hyptrace query, for a database", 0 },
	{ "tables", OPT_TABLES, "TABLES", 0,
	  "with --rows: only these, such as recording,hypercall,cpu_time [all tables but those of events]",
	  0 },
	{ "output", 'o', "OUT", 0,
	  "output file [FILE with .pftrace, .html or .folded instead of .dat]",
	  0 },
	{ "quiet", 'q', NULL, 0, "print no summary", 0 },
	{ 0 }
};

struct options {
	struct input in;
	const char *output;
	bool perfetto;
	bool html;
	bool folded;
	bool quiet;
	struct exportrows rows;
};

static error_t check_rows(const struct options *o)
{
	int ret = 0;

	if (!o->rows.directory && o->rows.tables.nr)
		ret = log_error("--tables without --rows");
	else if (o->rows.directory && o->in.cpus.nr)
		ret = log_error("--rows with --cpus: rows of all CPUs are written");
	return cmdline_told(ret);
}

static error_t check_format(const struct options *o)
{
	unsigned int nr = o->perfetto + o->html + o->folded;
	int ret = 0;

	if (!nr && !o->rows.directory)
		ret = log_error("no output format: expected --perfetto, --html, --folded or --rows");
	else if (!nr && o->output)
		ret = log_error("--output with --rows, which has a directory of its own");
	else if (nr > 1 && o->output)
		ret = log_error("--output with %s formats: expected one of them",
				nr == 2 ? "two" : "three");
	return ret ? cmdline_told(ret) : check_rows(o);
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
	case OPT_FOLDED:
		o->folded = true;
		return 0;
	case OPT_ROWS:
		o->rows.directory = arg;
		return 0;
	case OPT_TABLES:
		return cmdline_told(exportrows_add(&o->rows, arg));
	case 'o':
		o->output = arg;
		return 0;
	case 'q':
		o->quiet = true;
		o->rows.quiet = true;
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

struct exporting;

/**
 * struct format - a format
 * @suffix:	of files
 * @write:	writes the file. Return: 0; -1 with a message; 1 if FILE is corrupt
 *		in places
 * @tell:	says what was written
 */
struct format {
	const char *suffix;
	int (*write)(struct exporting *f);
	void (*tell)(const struct exporting *f);
};

/**
 * struct exporting - a file being written
 * @o:		what is wanted
 * @d:		the file that is read
 * @format:	of the output; NULL for none
 * @name:	of the output
 * @out:	the output
 * @shift:	to boot time
 * @perfetto:	what was written
 * @html:	the same
 * @folded:	the same
 */
struct exporting {
	const struct options *o;
	struct datr *d;
	const struct format *format;
	char *name;
	FILE *out;
	u64 shift;
	struct perfetto_result perfetto;
	struct htmldata_counts html;
	struct folded_result folded;
};

static int write_perfetto(struct exporting *f)
{
	const char *path = f->o->in.path[0];

	if (perfetto_shift(f->d, path, &f->shift) ||
	    perfetto_export(f->d, input_cpus(&f->o->in), f->shift, f->out,
			    &f->perfetto))
		return -1;
	return corrupt_tell(&f->perfetto.corrupt, f->d);
}

static void tell_perfetto(const struct exporting *f)
{
	const struct perfetto_result *r = &f->perfetto;

	log_note("%s: %llu events, %llu of them generic, %llu added, %llu losses, shifted by %lld ns; %llu unknown events left out",
		 f->name, r->events, r->generic, r->added, r->losses,
		 (long long)f->shift, r->left_out);
}

static int write_html(struct exporting *f)
{
	return html_export(f->d, input_cpus(&f->o->in), f->out, &f->html);
}

static void tell_html(const struct exporting *f)
{
	log_note("%s: %llu events, %llu losses, %llu time spans",
		 f->name, f->html.events, f->html.losses, f->html.spans);
	if (f->html.outside)
		log_note("%s: %llu events of guests left out: not recorded on which CPU they were",
			 f->name, f->html.outside);
}

static const struct format perfetto = {
	".pftrace", write_perfetto, tell_perfetto,
};

static const struct format html = { ".html", write_html, tell_html };

static int write_folded(struct exporting *f)
{
	return folded_export(f->d, input_cpus(&f->o->in), f->out, &f->folded);
}

static void tell_folded(const struct exporting *f)
{
	const struct callgraph_result *r = &f->folded.calls;

	log_note("%s: %llu stacks, %llu ns in %llu EL2 entries; not measured: cut=%llu misnested=%llu",
		 f->name, f->folded.stacks, r->ns, r->entries, r->cut, r->misnested);
}

static const struct format folded = { ".folded", write_folded, tell_folded };

/* Return: the name of the output, to be freed; NULL after a message */
static char *output_name(const struct options *o, const char *suffix)
{
	char *name, *path;

	if (o->output)
		return output_path(o->output);
	name = input_with_suffix(&o->in, suffix);
	path = name ? output_path(name) : NULL;
	free(name);
	return path;
}

/* The recording would be lost */
static int check_name(const struct exporting *f)
{
	struct stat st;

	if (stat(f->name, &st) || !datr_is_file(f->d, &st))
		return 0;
	return log_error("%s is the file that is read: expected another output file",
			 f->o->output ? f->o->output : f->name);
}

static int set_name(struct exporting *f)
{
	f->name = output_name(f->o, f->format->suffix);
	return f->name ? check_name(f) : -1;
}

/* Return: as struct format's @write */
static int write_output(struct exporting *f)
{
	struct outfile *file = outfile_new(f->name);
	int ret;

	if (!file)
		return -1;
	f->out = outfile_stream(file);
	ret = f->format->write(f);
	if (ret >= 0 && outfile_finish(file))
		ret = -1;
	outfile_free(file);
	if (ret >= 0 && !f->o->quiet)
		f->format->tell(f);
	return ret;
}

/* All names are checked before a file is written. Return: not 0 after a message */
static int export_file(const struct options *o, struct datr *d)
{
	struct exporting f[] = {
		{ .o = o, .d = d, .format = o->perfetto ? &perfetto : NULL },
		{ .o = o, .d = d, .format = o->html ? &html : NULL },
		{ .o = o, .d = d, .format = o->folded ? &folded : NULL },
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(f); i++) {
		if (f[i].format)
			ret = set_name(&f[i]);
	}
	for (i = 0; ret >= 0 && i < ARRAY_SIZE(f); i++) {
		if (f[i].format)
			ret |= write_output(&f[i]);
	}
	for (i = 0; i < ARRAY_SIZE(f); i++)
		free(f[i].name);
	return ret;
}

static int run(const struct options *o)
{
	struct datr *d = input_open(&o->in, 0);
	int ret;

	if (!d)
		return EXIT_ERROR;
	ret = export_file(o, d);
	if (o->rows.directory && ret >= 0)
		ret |= exportrows_write(&o->rows, o->in.path[0], d);
	else
		datr_free(d);
	return ret ? EXIT_ERROR : EXIT_OK;
}

int export_main(int argc, char **argv)
{
	struct options o = { .in.want = 1 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &o))
		ret = run(&o);
	strlist_free(&o.rows.tables);
	input_free(&o.in);
	return ret;
}
