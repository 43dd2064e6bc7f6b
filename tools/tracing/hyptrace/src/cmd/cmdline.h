/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Command lines, parsed by argp. Each error is one line, and options that several
 * commands share are here.
 */
#ifndef HYPTRACE_CMDLINE_H
#define HYPTRACE_CMDLINE_H

#include <argp.h>
#include <errno.h>

#include "lib/types.h"
#include "lib/util.h"
#include "trace/datr.h"

/* Returned by a parser after a message of its own */
#define CMDLINE_TOLD	ECANCELED

/* First key of options without a letter */
#define CMDLINE_KEYS	256
/* The same for sessionargs.h */
#define SESSION_KEYS	512
/* The same for scopeargs.h */
#define SCOPE_KEYS	768

/**
 * cmdline_parse - read the options of a command
 * @argp:	describes them; its parsers return 0, ARGP_ERR_UNKNOWN or CMDLINE_TOLD
 * @argc:	number of @argv
 * @argv:	the arguments; the first is the command's name
 * @flags:	of argp_parse()
 * @input:	for the parsers
 *
 * --help prints the help and ends the program.
 *
 * Return: 0, or -1 with a message.
 */
int cmdline_parse(const struct argp *argp, int argc, char **argv,
		  unsigned int flags, void *input);

/** cmdline_told - Return: CMDLINE_TOLD if @ret is not 0, else 0 */
error_t cmdline_told(int ret);

/**
 * cmdline_word - find the value of an option in a list of words
 * @what:	name of the option, for the message
 * @arg:	a word, or an unambiguous abbreviation of it
 * @words:	the words, terminated by NULL
 *
 * Return: its index, or -1 with a message.
 */
int cmdline_word(const char *what, const char *arg, const char *const *words);

/**
 * cmdline_number - read the value of an option that is a number
 * @what:	name of the option, for the message
 * @arg:	the value, in decimal
 * @max:	the largest one; the smallest is 1
 * @out:	gets it
 *
 * Return: 0, or -1 with a message, and @out as it was.
 */
int cmdline_number(const char *what, const char *arg, u64 max, u64 *out);

/* The largest number of files that a command takes */
#define MAX_INPUTS	2

/**
 * struct input - the files that a command reads
 * @want:	how many it takes; set before the command line is read. 0 if the command
 *		takes them itself
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

/** input_argp - FILE and --cpus; the input is a struct input */
extern const struct argp input_argp;

/** cmdline_input - for argp.children: only that */
extern const struct argp_child cmdline_input[];

/** input_cpus - the CPUs to look at, NULL for all */
const struct cpulist *input_cpus(const struct input *in);

/**
 * input_open - open one of the files
 * @in:		the files and CPUs
 * @i:		index of the file
 *
 * Return: NULL with a message, also if a CPU of @in was not recorded, or if standard
 * output is this file.
 */
struct datr *input_open(const struct input *in, unsigned int i);

/** input_open_path - the same for a file that is not in @in, but its CPUs are */
struct datr *input_open_path(const struct input *in, const char *path);
void input_free(struct input *in);

/**
 * input_with_suffix - the name of a file that is made from the first one
 *
 * Return: its name with @suffix instead of ".dat", for free(); NULL with a message.
 */
char *input_with_suffix(const struct input *in, const char *suffix);

/**
 * cmdline_output - check whether writing to stdout has failed, in a session
 * @gone:	set if stdout is not read any more, which is no error, or after an error
 *
 * Return: 0, or -1 with a message.
 */
int cmdline_output(bool *gone);

/**
 * cmdline_write_error - report that writing to stdout has just failed, once
 *
 * Return: -1 always.
 */
int cmdline_write_error(void);

/**
 * cmdline_exit - the exit status of a command that prints
 * @ret:	0, or not 0 if it failed with a message
 *
 * Context: all was written to stdout.
 */
int cmdline_exit(int ret);

/** typedef input_fn - prints something about a file. Return: not 0 after a message */
typedef int (*input_fn)(struct datr *d, const void *options);

/**
 * input_print - run a command that prints something about one file
 * @in:		the file
 * @print:	prints
 * @options:	passed to @print
 *
 * Return: an exit status.
 */
int input_print(const struct input *in, input_fn print, const void *options);

/**
 * input_main - the main function of a command that does only this
 * @argp:	its options, input_argp among them
 * @argc:	number of @argv
 * @argv:	the arguments
 * @options:	what @argp parses into
 * @in:		the part of @options for the file; freed
 * @print:	prints
 *
 * Return: an exit status.
 */
int input_main(const struct argp *argp, int argc, char **argv, void *options, struct input *in,
	       input_fn print);

#endif
