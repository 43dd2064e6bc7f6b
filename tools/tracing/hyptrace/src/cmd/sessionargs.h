/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the command line that record, live and top share.
 */
#ifndef HYPTRACE_SESSIONARGS_H
#define HYPTRACE_SESSIONARGS_H

#include <argp.h>

#include "record/session.h"

/** session_args - for argp.children; the input is a struct session_options */
extern const struct argp_child session_args[];

#define SESSION_ARGS_DOC	"[COMMAND [ARG]...]"

/* Part of the help of each of these commands */
#define SESSION_END_DOC \
	"If COMMAND still runs when the duration is over, or after an error, it gets\n" \
	"SIGTERM, and SIGKILL if it has not ended 10 s later. If a signal such as that\n" \
	"of Ctrl-C ends hyptrace, COMMAND gets the same signal, and SIGTERM only if it\n" \
	"still runs 10 s later. While hyptrace waits for COMMAND, it says so, and\n" \
	"another signal kills COMMAND. A signal ends hyptrace even if its output is not\n" \
	"being read; the rest of the output is left out then.\n"

/**
 * session_main - the main function of a command that traces
 * @argp:	its options, session_args being the last
 * @argc:	number of @argv
 * @argv:	the arguments
 * @options:	what @argp parses into
 * @s:		the session's part of @options
 * @run:	runs the command with @options. Return: an exit status
 *
 * Return: an exit status.
 */
int session_main(const struct argp *argp, int argc, char **argv, void *options,
		 struct session_options *s, int (*run)(const void *options));

#endif
