/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A time of tracing, as record, live and top have it: what is traced is looked up,
 * both sides are prepared, COMMAND runs, and everything is put back.
 *
 *	session_open()		looks everything up; nothing is changed yet
 *	session_prepare()	each change goes into the undo journal; the
 *				hypervisor's buffer is loaded by switching it on
 *				without any event
 *	the caller maps the buffers: mapped they stay loaded
 *	session_arm()		enables the events while both sides are off, so
 *				that all of a side begin at once
 *	session_start()		hypervisor on, host on, in this order, so that each
 *				host event has its hypervisor events; COMMAND runs
 *	session_wait()
 *	session_stop()		host off, hypervisor off
 *	the caller reads the rest, and unmaps: while mapped no size can be changed
 *	session_close()		undo
 */
#ifndef HYPTRACE_SESSION_H
#define HYPTRACE_SESSION_H

#include <argp.h>
#include <poll.h>

#include "child.h"
#include "recording.h"
#include "types.h"
#include "undo.h"
#include "util.h"

/**
 * struct choice - what follows one option -e or -E
 * @name:	the events
 * @filter:	their filter, "" for none
 */
struct choice {
	const char *name;
	const char *filter;
};

struct choices {
	unsigned int nr;
	struct choice *choice;
};

/**
 * struct session_options - what the user wants to trace
 * @remote:	name of the remote, or a path
 * @clock:	trace clock, or NULL for the remote's
 * @size_kb:	of each buffer
 * @duration_ms: end after so long; 0: do not
 * @overwrite:	a full buffer drops its oldest events, else new ones
 * @events:	the events that are named, of each side
 * @default_hyp: the hypervisor's events, ends with NULL, if none is named; NULL for all
 * @last:	where a filter belongs, or NULL
 * @cpus:	the CPUs; empty for all that are online
 * @command:	ends with NULL, or NULL for none
 */
struct session_options {
	const char *remote;
	const char *clock;
	const char *size_kb;
	u64 duration_ms;
	bool overwrite;
	struct choices events[NR_SIDES];
	const char * const *default_hyp;
	struct choice *last;
	struct cpulist cpus;
	char **command;
};

/** session_args - for argp.children; the input is a struct session_options */
extern const struct argp_child session_args[];

#define SESSION_ARGS_DOC	"[COMMAND [ARG]...]"

/* What the help of each of these commands says */
#define SESSION_END_DOC \
	"A COMMAND that still runs at the end gets SIGTERM, and SIGKILL 10 s later. If\n" \
	"a signal such as Ctrl-C is the end, COMMAND gets that, and 10 s before SIGTERM.\n"

/**
 * session_main - the main function of a command that traces
 * @argp:	its options, session_args being the last
 * @argc:	number of @argv
 * @argv:	what was given
 * @options:	what @argp parses into
 * @s:		the part of it that is here
 * @run:	does it, given @options. Return: an exit status
 *
 * Return: an exit status.
 */
int session_main(const struct argp *argp, int argc, char **argv, void *options,
		 struct session_options *s, int (*run)(const void *options));

/**
 * struct session - a time of tracing; all 0 at first
 * @opt:	what the user wants
 * @r:		what is traced
 * @undo:	how to put things back
 * @child:	COMMAND, or NULL
 * @sigfd:	reads the signals
 * @status:	exit status so far
 * @signal:	the signal that ended it, or 0
 * @start:	when it began, ns
 */
struct session {
	const struct session_options *opt;
	struct recording r;
	struct undo *undo;
	struct child *child;
	int sigfd;
	int status;
	int signal;
	u64 start;
};

/*
 * What fails returns -1 with a message; whatever happened, session_close() is
 * to be called after session_open().
 */
int session_open(struct session *s, const struct session_options *o);
int session_prepare(struct session *s);
int session_arm(struct session *s);
int session_start(struct session *s);

/**
 * session_wait - wait for something to happen
 * @s:		the session
 * @extra:	what else to wait for; revents are set
 * @nr:		how many, MAX_EXTRA at most
 * @ms:		for so long at most
 *
 * Return: true if the session ends: a signal, the end of COMMAND or of the time.
 */
bool session_wait(struct session *s, struct pollfd *extra, unsigned int nr, int ms);

#define MAX_EXTRA	2

/** session_elapsed_ms - since session_start() */
u64 session_elapsed_ms(const struct session *s);
int session_stop(struct session *s);
int session_close(struct session *s);

/** session_status - the exit status, where @ret is not 0 after errors */
int session_status(const struct session *s, int ret);

#endif
