// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace recover
 */
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/filling.h"
#include "lib/log.h"
#include "record/part.h"
#include "record/undo.h"

#define SUFFIX		".part"

static const char doc[] =
	"Makes a recording from FILE.part, the directory that hyptrace record leaves\n"
	"behind if it is killed or if the disk is full. Events that were still in the\n"
	"ring buffers are lost. The kernel's counters are lost as well, so their number\n"
	"is not known.\n"
	"\vThe directory may be moved to another machine first. On the machine where the\n"
	"recording ran, recover also restores the settings in tracefs that record had\n"
	"changed.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, after which the command can be\n"
	"repeated; 2 for a wrong command line.";

struct options {
	const char *output;
	const char *part;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "output file, in the same file system [FILE]", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->part)
			return cmdline_told(log_error("expected one FILE.part, got '%s' as well",
						      arg));
		o->part = arg;
		return 0;
	case ARGP_KEY_END:
		return o->part ? 0 : cmdline_told(log_error("expected one FILE.part, got none: see %s --help",
							    state->name));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE.part",
	.doc = doc,
};

/* FILE of FILE.part; to be freed, NULL after a message */
static char *output_of(const struct options *o)
{
	size_t len = strlen(o->part), end = strlen(SUFFIX);

	if (o->output)
		return xasprintf("%s", o->output);
	while (len && o->part[len - 1] == '/')
		len--;
	if (len > end && !strncmp(o->part + len - end, SUFFIX, end))
		return xasprintf("%.*s", (int)(len - end), o->part);
	log_error("%s is not named FILE" SUFFIX ": give the output file with --output",
		  o->part);
	return NULL;
}

static int finish(const struct part *p, const char *output)
{
	struct strlist texts = { 0 };
	int ret = strlist_add(&texts, "hyptrace: the end is missing: recovered\n");
	struct filling filling;

	filling_begin(&filling, output, 0, false);
	if (!ret)
		ret = part_finish(p, output, &texts, &filling.watch);
	filling_end(&filling);
	if (!ret)
		log_note("%s: recovered", output);
	strlist_free(&texts);
	return ret;
}

static int recover_to(const char *dir, const char *output)
{
	struct part *p;
	int ret;

	if (!access(output, F_OK))
		return log_error("%s exists already: give another output file with --output",
				 output);
	p = part_open(dir);
	if (!p)
		return -1;
	ret = finish(p, output);
	part_free(p);
	return ret;
}

static int recover(const struct options *o)
{
	char *output = output_of(o);
	int ret;

	if (!output)
		return EXIT_USAGE;
	undo_leftovers();
	ret = recover_to(o->part, output);
	free(output);
	return ret ? EXIT_ERROR : EXIT_OK;
}

int recover_main(int argc, char **argv)
{
	struct options o = { 0 };

	if (cmdline_parse(&argp, argc, argv, 0, &o))
		return EXIT_USAGE;
	return recover(&o);
}
