// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace live
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/sessionargs.h"
#include "lib/log.h"
#include "record/describe.h"
#include "record/tail.h"
#include "trace/eventline.h"

/* An event is printed one to two rounds after it was written */
#define ROUND_MS	50

static const char doc[] =
	"Prints hypervisor events and host events in order of time as they happen,\n"
	"until COMMAND ends, a duration is over, or Ctrl-C is pressed. Lines have the\n"
	"format of hyptrace report:\n"
	"    [CPU] SECONDS host|hyp COMM-PID EVENT: FIELDS\n"
	"\vAn event is printed a tenth of a second after it happened, so that the events\n"
	"of all CPUs can be merged. Lost events are reported at the place where they\n"
	"were lost. However live ends, it restores all settings that it has changed\n"
	"below /sys/kernel/tracing.\n"
	"\n"
	SESSION_END_DOC
	"\n"
	"Exit status: that of COMMAND; 127 if it cannot be run; 0 after Ctrl-C, the\n"
	"duration, or if the reader of the output has ended; 128 + n after signal n\n"
	"(SIGTERM, SIGHUP); 1 on errors; 2 for a wrong command line.";

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
	struct session_options session;
	bool hide[NR_SIDES];
	enum color color;
	bool quiet;
};

/**
 * struct live - printing in progress
 * @opt:	what the user wants
 * @s:		its session
 * @tail:	its events
 * @comms:	names of tasks
 * @line:	how they are printed
 */
struct live {
	const struct options *opt;
	struct session s;
	struct tail *tail;
	struct comms *comms;
	struct eventline line;
};

/* Options */

enum { OPT_HYP_ONLY = CMDLINE_KEYS, OPT_HOST_ONLY, OPT_COLOR };

static const struct argp_option options[] = {
	{ "hyp-only", OPT_HYP_ONLY, NULL, 0, "hypervisor events only", 0 },
	{ "host-only", OPT_HOST_ONLY, NULL, 0, "host events only", 0 },
	{ "color", OPT_COLOR, "WHEN", 0,
	  "use color: always, never or auto (on a terminal, unless NO_COLOR is set) [auto]",
	  0 },
	{ "quiet", 'q', NULL, 0, "print no summary at the end", 0 },
	{ 0 }
};

static int set_color(struct options *o, const char *arg)
{
	static const char * const words[] = { "auto", "always", "never", NULL };
	int word = cmdline_word("color", arg, words);

	o->color = word;
	return word < 0 ? -1 : 0;
}

static int hide(struct options *o, enum side side)
{
	o->hide[side] = true;
	return o->hide[HOST] && o->hide[HYP] ?
		log_error("--hyp-only and --host-only exclude all events: expected one of them") :
		0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->session;
		return 0;
	case OPT_HYP_ONLY:
		return cmdline_told(hide(o, HOST));
	case OPT_HOST_ONLY:
		return cmdline_told(hide(o, HYP));
	case OPT_COLOR:
		return cmdline_told(set_color(o, arg));
	case 'q':
		o->quiet = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = SESSION_ARGS_DOC,
	.doc = doc,
	.children = session_args,
};

static bool use_color(const struct options *o)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
	       term && strcmp(term, "dumb");
}

/* Printing */

static void print_ripe(struct live *l)
{
	struct merged ev;

	while (!ferror(stdout) && tail_next(l->tail, &ev)) {
		if (ev.ev.data)
			comms_learn(l->comms, l->line.db, evdb_pid(&ev.ev));
		eventline_print(&l->line, &ev, ev.buffer);
	}
	fflush(stdout);
}

static int follow(struct live *l)
{
	struct pollfd out = { .fd = STDOUT_FILENO };
	bool end = false;
	int ret = 0;

	while (!ret && !end) {
		end = session_wait(&l->s, &out, 1, ROUND_MS) || out.revents & POLLERR;
		ret = tail_round(l->tail);
		if (ret)
			break;
		print_ripe(l);
		ret = cmdline_output(&end);
	}
	return ret;
}

static int print_rest(struct live *l)
{
	bool end;

	if (ferror(stdout))
		return 0;
	if (tail_last_round(l->tail))
		return -1;
	print_ripe(l);
	return cmdline_output(&end);
}

/* All */

/* Its events are not enabled at all */
static void hide_side(struct recording *r, enum side side)
{
	strlist_free(&r->events[side]);
	strlist_free(&r->filters[side]);
}

static int prepare(struct live *l)
{
	enum side side;

	if (session_open(&l->s, &l->opt->session))
		return -1;
	for (side = HOST; side < NR_SIDES; side++) {
		if (l->opt->hide[side])
			hide_side(&l->s.r, side);
	}
	l->comms = comms_new();
	if (!l->comms || session_prepare(&l->s))
		return -1;
	l->tail = tail_open(&l->s.r);
	if (!l->tail)
		return -1;
	l->line.out = stdout;	/* after session_open(), which replaces it */
	l->line.db = describe_events(&l->s.r);
	return l->line.db ? session_arm(&l->s) : -1;
}

static int run(struct live *l)
{
	int ret = session_start(&l->s);

	if (!ret)
		ret = follow(l);
	if (session_stop(&l->s))
		ret = -1;
	if (!ret)
		ret = print_rest(l);
	if (!ret && !l->opt->quiet && !session_in_vain(&l->s))
		streams_tell(tail_streams(l->tail), "live");
	return ret;
}

static int live(const void *options)
{
	const struct options *o = options;
	struct live l = {
		.opt = o,
		.line = { .color = use_color(o) },
	};
	int ret = prepare(&l);

	if (!ret)
		ret = run(&l);
	tail_close(l.tail);
	if (session_close(&l.s))
		ret = -1;
	evdb_free(l.line.db);
	comms_free(l.comms);
	return session_status(&l.s, ret);
}

int live_main(int argc, char **argv)
{
	struct options o = { .color = COLOR_AUTO };

	return session_main(&argp, argc, argv, &o, &o.session, live);
}
