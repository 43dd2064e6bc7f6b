// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace export
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "datr.h"
#include "log.h"
#include "perfetto.h"
#include "util.h"

static const char usage[] =
	"usage: hyptrace export --perfetto [OPTION]... FILE\n"
	"\n"
	"Writes the events of FILE in the format of another program.\n"
	"\n"
	"      --perfetto          a trace for Perfetto (ui.perfetto.dev), on boot time\n"
	"  -o, --output OUT        the file to write, by default FILE with .pftrace\n"
	"                          in place of .dat\n"
	"  -P, --cpus CPULIST      these CPUs only, as in 0,2-3\n"
	"  -q, --quiet             no summary\n"
	"  -h, --help\n"
	"\n"
	"Perfetto shows hyp_enter, hyp_exit and what is between them on its tracks\n"
	"\"pkVM Hypervisor CPU n\". Events that it does not know it keeps with their\n"
	"names and values (generic).\n"
	"\n"
	"Exit status: 0; 1 on errors, or if FILE is corrupt in places; 2 for a wrong\n"
	"command line.\n";

#define SUFFIX		".pftrace"

/* Options without a letter */
#define OPT_PERFETTO	256

struct options {
	const char *path;
	const char *output;
	struct cpulist cpus;
	bool perfetto;
	bool quiet;
	bool show_help;
};

static const struct option long_options[] = {
	{ "perfetto",	no_argument, NULL, OPT_PERFETTO },
	{ "output",	required_argument, NULL, 'o' },
	{ "cpus",	required_argument, NULL, 'P' },
	{ "quiet",	no_argument, NULL, 'q' },
	{ "help",	no_argument, NULL, 'h' },
	{ 0 }
};

static int take_option(struct options *o, int c, char **argv)
{
	switch (c) {
	case OPT_PERFETTO:
		o->perfetto = true;
		return 0;
	case 'o':
		o->output = optarg;
		return 0;
	case 'P':
		cpulist_free(&o->cpus);
		return cpulist_parse(optarg, &o->cpus);
	case 'q':
		o->quiet = true;
		return 0;
	case 'h':
		o->show_help = true;
		return 0;
	case ':':
		return log_error("option '%s' wants a value: see hyptrace export --help",
				 argv[optind - 1]);
	default:
		return log_error("unknown option '%s': see hyptrace export --help",
				 argv[optind - 1]);
	}
}

static int parse_options(struct options *o, int argc, char **argv)
{
	int c;

	memset(o, 0, sizeof(*o));
	while ((c = getopt_long(argc, argv, ":o:P:qh", long_options,
				NULL)) != -1) {
		if (take_option(o, c, argv))
			return -1;
	}
	if (o->show_help)
		return 0;
	if (!o->perfetto)
		return log_error("no format to export to: want --perfetto");
	if (argc - optind != 1)
		return log_error("want one FILE, got %d: see hyptrace export --help",
				 argc - optind);
	o->path = argv[optind];
	return 0;
}

/* Return: the name of the output, to be freed; NULL after a message */
static char *output_name(const struct options *o)
{
	size_t len = strlen(o->path);

	if (o->output)
		return xasprintf("%s", o->output);
	if (len > 4 && !strcmp(o->path + len - 4, ".dat"))
		len -= 4;
	return xasprintf("%.*s" SUFFIX, (int)len, o->path);
}

static int summary(const struct options *o, const char *name,
		   const struct perfetto_result *r, u64 shift)
{
	if (!o->quiet)
		log_note("%s: %llu events, %llu of them generic, %llu added, %llu losses, shifted by %lld ns; left out: %llu unknown events",
			 name, r->events, r->generic, r->added, r->losses,
			 (long long)shift, r->left_out);
	if (r->corrupt)
		return log_error("%s: %llu corrupt sub-buffers", o->path,
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
	ret = perfetto_export(d, o->cpus.nr ? &o->cpus : NULL, shift, out, &r);
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

	if (part && !perfetto_shift(d, o->path, &shift))
		ret = write_file(o, d, shift, name, part);
	free(part);
	free(name);
	return ret;
}

static int run(const struct options *o)
{
	struct datr *d = datr_open(o->path);
	int ret;

	if (!d)
		return EXIT_ERROR;
	ret = export_file(o, d);
	datr_free(d);
	return ret ? EXIT_ERROR : EXIT_OK;
}

int export_main(int argc, char **argv)
{
	struct options o;
	int ret = EXIT_OK;

	if (parse_options(&o, argc, argv))
		ret = EXIT_USAGE;
	else if (o.show_help)
		fputs(usage, stdout);
	else
		ret = run(&o);
	cpulist_free(&o.cpus);
	return ret;
}
