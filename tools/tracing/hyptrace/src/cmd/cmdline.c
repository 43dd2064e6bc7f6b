// SPDX-License-Identifier: GPL-2.0
/*
 * Command lines. See cmdline.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmdline.h"
#include "lib/log.h"
#include "lib/output.h"

/* An error is one line: the one of getopt, without argp's hint about --help */
static error_t parse_all(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->err_stream = NULL;
		state->child_inputs[0] = state->input;
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options_of_all[] = {
	{ "help", 'h', NULL, 0, "print this help", -1 },
	{ 0 }
};

int cmdline_parse(const struct argp *argp, int argc, char **argv,
		  unsigned int flags, void *input)
{
	const struct argp_child children[] = { { argp, 0, NULL, 0 }, { 0 } };
	const struct argp all = {
		.options = options_of_all,
		.parser = parse_all,
		.children = children,
	};
	char *command = argv[0], *name = xasprintf("hyptrace %s", command);
	error_t err;

	if (!name)
		return -1;
	argv[0] = name;		/* what messages and --help call it */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
	err = argp_parse(&all, argc, argv, flags | ARGP_NO_HELP, NULL, input);
	argv[0] = command;
	free(name);
	return err == ENOMEM ? log_oom() : err ? -1 : 0;
}

error_t cmdline_told(int ret)
{
	return ret ? CMDLINE_TOLD : 0;
}

int cmdline_word(const char *what, const char *arg, const char *const *words)
{
	unsigned int i, begin = 0;
	char list[128] = "";
	size_t len = 0;
	int index = -1;

	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], arg))
			return i;
		if (*arg && !strncmp(words[i], arg, strlen(arg))) {
			begin++;
			index = i;
		}
		if (len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s%s",
					!i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	return begin == 1 ? index : log_error("bad %s '%s': expected %s", what, arg, list);
}

int cmdline_number(const char *what, const char *arg, u64 max, u64 *out)
{
	u64 number;

	if (parse_number(arg, max, &number))
		return log_error("bad %s '%s': expected a number from 1 to %llu", what, arg, max);
	*out = number;
	return 0;
}

/* What is read */

static error_t take_file(struct input *in, const char *path)
{
	if (in->nr < in->want)
		in->path[in->nr] = path;
	in->nr++;
	return 0;
}

static error_t check_files(const struct input *in, const struct argp_state *state)
{
	static const char * const number[] = { "no file", "one file", "two files" };

	if (in->nr == in->want)
		return 0;
	return cmdline_told(log_error("expected %s, got %u: see %s --help",
				      number[in->want], in->nr, state->name));
}

static error_t parse_input(int key, char *arg, struct argp_state *state)
{
	struct input *in = state->input;

	switch (key) {
	case 'P':
		cpulist_free(&in->cpus);
		return cmdline_told(cpulist_parse(arg, &in->cpus));
	case ARGP_KEY_ARG:
		return take_file(in, arg);
	case ARGP_KEY_END:
		return check_files(in, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option input_options[] = {
	{ "cpus", 'P', "CPULIST", 0, "only these CPUs, such as 0,2-3", 0 },
	{ 0 }
};

const struct argp input_argp = {
	.options = input_options,
	.parser = parse_input,
};

const struct argp_child cmdline_input[] = {
	{ &input_argp, 0, NULL, 0 },
	{ 0 }
};

const struct cpulist *input_cpus(const struct input *in)
{
	return in->cpus.nr ? &in->cpus : NULL;
}

static int check_cpus(const struct input *in, const struct datr *d)
{
	unsigned int i;

	for (i = 0; i < in->cpus.nr; i++) {
		if (!datr_has_cpu(d, in->cpus.cpu[i]))
			return log_error("%s: CPU %u was not recorded", datr_name(d),
					 in->cpus.cpu[i]);
	}
	return 0;
}

/* As with >>FILE; the shell has emptied it if it was >FILE */
static int check_stdout(const struct datr *d)
{
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) || !datr_is_file(d, &st))
		return 0;
	return log_error("%s: standard output is this file: expected another one",
			 datr_name(d));
}

struct datr *input_open_path(const struct input *in, const char *path)
{
	struct datr *d = datr_open(path);

	if (!d || (!check_cpus(in, d) && !check_stdout(d)))
		return d;
	datr_free(d);
	return NULL;
}

struct datr *input_open(const struct input *in, unsigned int i)
{
	return input_open_path(in, in->path[i]);
}

void input_free(struct input *in)
{
	cpulist_free(&in->cpus);
}

char *input_with_suffix(const struct input *in, const char *suffix)
{
	size_t len = strlen(in->path[0]);

	if (len > 4 && !strcmp(in->path[0] + len - 4, ".dat"))
		len -= 4;
	return xasprintf("%.*s%s", (int)len, in->path[0], suffix);
}

int cmdline_output(bool *gone)
{
	if (!ferror(stdout))
		return 0;
	*gone = true;
	switch (output_error()) {
	case EPIPE:
		return 0;
	case ECANCELED:
		log_note("standard output is not read: its end is missing");
		return 0;
	default:
		return log_error("cannot write the output: %s", strerror(output_error()));
	}
}

int cmdline_write_error(void)
{
	static bool told;

	if (!told)
		log_error("cannot write the output: %s", strerror(errno));
	told = true;
	return -1;
}

int cmdline_exit(int ret)
{
	if (fflush(stdout) || ferror(stdout))
		ret = cmdline_write_error();
	return ret ? EXIT_ERROR : EXIT_OK;
}

int input_print(const struct input *in, input_fn print, const void *options)
{
	struct datr *d = input_open(in, 0);
	int ret;

	if (!d)
		return EXIT_ERROR;
	ret = print(d, options);
	datr_free(d);
	return cmdline_exit(ret);
}

int input_main(const struct argp *argp, int argc, char **argv, void *options, struct input *in,
	       input_fn print)
{
	int ret = EXIT_USAGE;

	if (!cmdline_parse(argp, argc, argv, 0, options))
		ret = input_print(in, print, options);
	input_free(in);
	return ret;
}
