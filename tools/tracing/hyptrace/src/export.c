// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace export
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmdline.h"
#include "commands.h"
#include "datr.h"
#include "log.h"
#include "perfetto.h"
#include "util.h"

#define SUFFIX		".pftrace"

static const char doc[] =
	"Writes the events of FILE in the format of another program.\n"
	"\vPerfetto shows hyp_enter, hyp_exit and what is between them on its tracks\n"
	"\"pkVM Hypervisor CPU n\". Events that it does not know it keeps with their\n"
	"names and values (generic).\n"
	"\n"
	"Exit status: 0; 1 on errors, or if FILE is corrupt in places; 2 for a wrong\n"
	"command line.";

enum { OPT_PERFETTO = CMDLINE_KEYS };

static const struct argp_option options[] = {
	{ "perfetto", OPT_PERFETTO, NULL, 0,
	  "a trace for Perfetto (ui.perfetto.dev), on boot time", 0 },
	{ "output", 'o', "OUT", 0,
	  "the file to write, by default FILE with " SUFFIX " in place of .dat", 0 },
	{ "quiet", 'q', NULL, 0, "no summary", 0 },
	{ 0 }
};

struct options {
	struct input in;
	const char *output;
	bool perfetto;
	bool quiet;
};

static error_t check_format(const struct options *o)
{
	if (!o->perfetto)
		return cmdline_told(log_error("no format to export to: want --perfetto"));
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

/* Return: the name of the output, to be freed; NULL after a message */
static char *output_name(const struct options *o)
{
	size_t len = strlen(o->in.path[0]);

	if (o->output)
		return xasprintf("%s", o->output);
	if (len > 4 && !strcmp(o->in.path[0] + len - 4, ".dat"))
		len -= 4;
	return xasprintf("%.*s" SUFFIX, (int)len, o->in.path[0]);
}

static int summary(const struct options *o, const char *name,
		   const struct perfetto_result *r, u64 shift)
{
	if (!o->quiet)
		log_note("%s: %llu events, %llu of them generic, %llu added, %llu losses, shifted by %lld ns; left out: %llu unknown events",
			 name, r->events, r->generic, r->added, r->losses,
			 (long long)shift, r->left_out);
	if (r->corrupt)
		return log_error("%s: %llu corrupt sub-buffers", o->in.path[0],
				 r->corrupt);
	return 0;
}

/* Into a file of another name, which gets its own when it is complete */
static int write_file(const struct options *o, const struct datr *d, u64 shift,
		      const char *name, const char *part)
{
	struct perfetto_result r;
	FILE *out = fopen(part, "we");
	int ret;

	if (!out)
		return log_error("cannot create %s: %s", part, strerror(errno));
	ret = perfetto_export(d, input_cpus(&o->in), shift, out, &r);
	if (!ret && (fflush(out) || ferror(out)))
		ret = log_error("cannot write %s: %s", part, strerror(errno));
	fclose(out);
	if (!ret && rename(part, name))
		ret = log_error("cannot rename %s to %s: %s", part, name,
				strerror(errno));
	if (ret)
		unlink(part);
	return ret ? ret : summary(o, name, &r, shift);
}

static int export_file(const struct options *o, const struct datr *d)
{
	char *name = output_name(o);
	char *part = name ? xasprintf("%s.part", name) : NULL;
	int ret = -1;
	u64 shift;

	if (part && !perfetto_shift(d, o->in.path[0], &shift))
		ret = write_file(o, d, shift, name, part);
	free(part);
	free(name);
	return ret;
}

static int run(const struct options *o)
{
	struct datr *d = datr_open(o->in.path[0]);
	int ret;

	if (!d)
		return EXIT_ERROR;
	ret = export_file(o, d);
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
