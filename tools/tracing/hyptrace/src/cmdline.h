/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Command lines: argp's, but each error is one line, and what several commands take
 * is here once.
 */
#ifndef HYPTRACE_CMDLINE_H
#define HYPTRACE_CMDLINE_H

#include <argp.h>
#include <errno.h>

#include "datr.h"
#include "types.h"
#include "util.h"

/* Returned by a parser after a message of its own */
#define CMDLINE_TOLD	ECANCELED

/* Keys of options without a letter begin here */
#define CMDLINE_KEYS	256
/* And those that commands share */
#define SESSION_KEYS	512

/**
 * cmdline_parse - read the options of a command
 * @argp:	describes them; its parsers return 0, ARGP_ERR_UNKNOWN or CMDLINE_TOLD
 * @argc:	number of @argv
 * @argv:	what was given; the first is the command's name
 * @flags:	of argp_parse()
 * @input:	the parser's
 *
 * --help prints, and ends the program.
 *
 * Return: 0, or -1 with a message.
 */
int cmdline_parse(const struct argp *argp, int argc, char **argv,
		  unsigned int flags, void *input);

/** cmdline_told - Return: CMDLINE_TOLD if @ret is not 0, else 0 */
error_t cmdline_told(int ret);

/**
 * cmdline_word - which of some words the value of an option is
 * @what:	what it is, for the message
 * @arg:	a word, or its beginning if only one begins so
 * @words:	NULL behind the last one
 *
 * Return: its index, or -1 with a message.
 */
int cmdline_word(const char *what, const char *arg, const char *const *words);

/* As many files as a command can take */
#define MAX_INPUTS	2

/**
 * struct input - the files that a command reads
 * @want:	how many it takes; set before the command line is read
 * @nr:		how many there are
 * @path:	their names
 * @cpus:	the CPUs to look at; empty for all
 */
struct input {
	unsigned int want;
	unsigned int nr;
	const char *path[MAX_INPUTS];
	struct cpulist cpus;
};

/** cmdline_input - for argp.children: FILE and --cpus; the input is a struct input */
extern const struct argp_child cmdline_input[];

/** input_cpus - the CPUs to look at, NULL for all */
const struct cpulist *input_cpus(const struct input *in);

/**
 * input_open - read one of the files
 * @in:		what the user wants
 * @i:		which of them
 *
 * Return: NULL with a message, also if a CPU of @in was not recorded.
 */
struct datr *input_open(const struct input *in, unsigned int i);
void input_free(struct input *in);

/**
 * cmdline_output - whether what was written to stdout could be written
 * @gone:	set if what reads it has ended, which is no error, or after an error
 *
 * Return: 0, or -1 with a message.
 */
int cmdline_output(bool *gone);

/**
 * cmdline_exit - the exit status of a command that prints
 * @ret:	0, or not if it failed, with a message
 *
 * Context: all was written to stdout.
 */
int cmdline_exit(int ret);

/** typedef input_fn - prints something of a file. Return: not 0 after a message */
typedef int (*input_fn)(struct datr *d, const void *options);

/**
 * input_print - what a command does that prints something of one file
 * @in:		which file
 * @print:	prints
 * @options:	handed to @print
 *
 * Return: an exit status.
 */
int input_print(const struct input *in, input_fn print, const void *options);

#endif
