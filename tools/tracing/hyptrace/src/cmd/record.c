// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace record
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/filling.h"
#include "cmd/merge.h"
#include "cmd/sessionargs.h"
#include "lib/log.h"
#include "lib/outfile.h"
#include "lib/packing.h"
#include "record/capture.h"
#include "record/clock.h"
#include "record/counter.h"
#include "record/part.h"
#include "trace/counterpair.h"

#define DEFAULT_OUTPUT		"trace.dat"
#define PROGRESS_MS		500

static const char doc[] =
	"Records hypervisor events and host events until COMMAND ends, a duration is\n"
	"over, or Ctrl-C is pressed. The file has the trace.dat format, version 7.\n"
	"\vAt the end, record restores all settings that it has changed in tracefs. If it\n"
	"is killed, the next record, recover, live or top does. While record runs, the\n"
	"data is in the directory FILE.part. If record is killed or the disk is full,\n"
	"this directory is left behind, and hyptrace recover makes a file from it.\n"
	"\n"
	"With --guest or --host-only, the clock is " COUNTERPAIR_CLOCK ", by which the events of\n"
	"host and guest are put in order.\n"
	"\n"
	SESSION_END_DOC
	"\n"
	"Exit status: that of COMMAND; 127 if it cannot be run; 0 after Ctrl-C or the\n"
	"duration; 128 + n after signal n (SIGTERM, SIGHUP), with the file complete; 1\n"
	"on errors; 2 for a wrong command line.";

struct options {
	struct session_options session;
	struct strlist guests;		/* NAME=FILE, or FILE */
	const char *output;
	const struct packing *packing;
	bool quiet;
};

/**
 * struct recorder - a recording in progress
 * @opt:	what the user wants
 * @s:		its session
 * @file:	what it becomes
 * @part:	where the data goes
 * @c:		its capture
 * @keep:	what was recorded is worth keeping, also after an error
 */
struct recorder {
	const struct options *opt;
	struct session s;
	char *file;
	struct part *part;
	struct capture *c;
	bool keep;
};

/* Options */

enum { OPT_WHY = CMDLINE_KEYS, OPT_HOST_ONLY, OPT_GUEST, OPT_GRAPH, OPT_STACKS, OPT_COMPRESSION };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "output file [" DEFAULT_OUTPUT "]", 0 },
	{ "quiet", 'q', NULL, 0, "print no progress and no summary", 0 },
	{ "host-only", OPT_HOST_ONLY, NULL, 0,
	  "record host events only; in a guest, its own kernel is the host, and there may be no remote",
	  0 },
	{ "guest", OPT_GUEST, "FILE", 0,
	  "at the end, merge FILE, the recording that a guest has made meanwhile, or NAME=FILE with its name (see hyptrace merge); can be repeated",
	  0 },
	{ "why", OPT_WHY, NULL, 0, "record also all events that hyptrace why needs", 0 },
	{ "graph", OPT_GRAPH, "FUNCTION", OPTION_ARG_OPTIONAL,
	  "record also which functions EL2 calls, for hyptrace graph: all, or only FUNCTION, which can be a pattern, and what it calls; can be repeated",
	  0 },
	{ "stacks", OPT_STACKS, NULL, 0, "record also EL2's call chain with each of its events", 0 },
	{ "compression", OPT_COMPRESSION, "NAME", 0,
	  "compression of the file: " PACKING_NAMES ", none, or any (the best) [any]", 0 },
	{ 0 }
};

static int set_compression(struct options *o, const char *name)
{
	o->packing = strcmp(name, "any") ? packing_find(name) : packing_best();
	if (o->packing || !strcmp(name, "none"))
		return 0;
	return log_error("bad compression '%s': expected any, none, " PACKING_NAMES, name);
}

static int add_graph(struct session_options *s, const char *function)
{
	s->graph = true;
	return function ? strlist_add(&s->functions, function) : 0;
}

/* The clocks of host and guest are related by the counter */
static int set_clock(struct session_options *s, const char *option)
{
	if (!s->clock)
		s->clock = COUNTERPAIR_CLOCK;
	if (!strcmp(s->clock, COUNTERPAIR_CLOCK))
		return 0;
	return log_error("%s with --clock=%s: expected " COUNTERPAIR_CLOCK, option, s->clock);
}

static int check_options(struct options *o)
{
	struct session_options *s = &o->session;

	if (o->guests.nr && set_clock(s, "--guest"))
		return -1;
	if (s->host_only && !s->clock)
		s->clock = COUNTERPAIR_CLOCK;
	if (s->host_only && o->guests.nr)
		return log_error("--host-only with --guest: expected one of them");
	if (s->host_only && s->events[HYP].nr)
		return log_error("--host-only with --hyp-event %s: expected one of them",
				 s->events[HYP].choice->name);
	if (s->host_only && s->stacks)
		return log_error("--host-only with --stacks: expected one of them");
	if (s->host_only && s->graph)
		return log_error("--host-only with --graph: expected one of them");
	if (s->host_only && s->remote)
		return log_error("--host-only with --remote %s: expected one of them", s->remote);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->session;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case OPT_HOST_ONLY:
		o->session.host_only = true;
		return 0;
	case OPT_GUEST:
		return cmdline_told(strlist_add(&o->guests, arg));
	case OPT_WHY:
		o->session.why = true;
		return 0;
	case OPT_GRAPH:
		return cmdline_told(add_graph(&o->session, arg));
	case OPT_STACKS:
		o->session.stacks = true;
		return 0;
	case OPT_COMPRESSION:
		return cmdline_told(set_compression(o, arg));
	case ARGP_KEY_END:
		return cmdline_told(check_options(o));
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

/* Progress */

/**
 * struct pace - for rates
 * @at:		when the totals were taken, ms
 * @t:		the totals
 */
struct pace {
	u64 at;
	struct streams_totals t;
};

static bool shows_progress(const struct recorder *r)
{
	return !r->opt->quiet && isatty(STDERR_FILENO);
}

/* The lost events of each CPU that has any */
static void show_lost(const struct streams *s)
{
	const char *before = " (";
	unsigned int i;
	u64 lost;

	for (i = 0; i < s->nr_cpus; i++) {
		lost = streams_lost(s, i);
		if (!lost)
			continue;
		fprintf(stderr, "%sCPU %u: %llu", before, s->cpu[i][HYP].cpu, lost);
		before = ", ";
	}
	if (*before == ',')
		fputc(')', stderr);
}

static void progress(const struct recorder *r, struct pace *before)
{
	struct pace now = { .at = session_elapsed_ms(&r->s) };
	double per_s;

	if (!shows_progress(r) || now.at == before->at)
		return;
	per_s = 1000.0 / (now.at - before->at);
	streams_totals(capture_streams(r->c), &now.t);
	fprintf(stderr, "\r\033[K%6.1f s  hyp %.0f/s  host %.0f/s  %.1f MB  lost %llu",
		now.at / 1e3,
		(now.t.written[HYP] - before->t.written[HYP]) * per_s,
		(now.t.written[HOST] - before->t.written[HOST]) * per_s,
		now.t.bytes / 1e6, now.t.lost);
	if (now.t.lost)
		show_lost(capture_streams(r->c));
	*before = now;
}

static void wait_for_end(struct recorder *r)
{
	struct pollfd failed = {
		.fd = capture_failed_fd(r->c), .events = POLLIN,
	};
	struct pace before = { 0 };

	while (!session_wait(&r->s, &failed, 1, PROGRESS_MS) &&
	       !failed.revents)
		progress(r, &before);
	if (shows_progress(r))
		fprintf(stderr, "\r\033[K");
}

static void summary(const struct recorder *r)
{
	if (!r->opt->quiet)
		streams_tell(capture_streams(r->c), r->opt->output);
}

/* All */

static int prepare(struct recorder *r)
{
	if (session_open(&r->s, &r->opt->session))
		return -1;
	r->file = output_path(r->opt->output);
	r->part = r->file ? part_new(r->file) : NULL;
	if (!r->part || session_prepare(&r->s))
		return -1;
	r->c = capture_open(&r->s.r, r->part);
	if (!r->c || part_save_head(r->part, &r->s.r, capture_streams(r->c),
				    r->opt->packing))
		return -1;
	return session_arm(&r->s);
}

static int run(struct recorder *r)
{
	int ret;

	if (capture_start(r->c) || session_start(&r->s)) {
		capture_stop(r->c);
		return -1;
	}
	r->keep = true;
	wait_for_end(r);
	ret = session_stop(&r->s);
	r->keep = !session_in_vain(&r->s);
	return capture_stop(r->c) ? -1 : ret;
}

static int add_text(struct strlist *texts, char *text)
{
	int ret = text ? strlist_add(texts, text) : 0;

	free(text);
	return ret;
}

/* No event is later than this */
static int add_end(const struct recording *r, struct strlist *texts)
{
	const char *clock = r->clock[HOST];
	int ret = add_text(texts, clock_snap(r->dir[HOST], r->cpus.cpu[0], clock));

	return ret ? -1 : add_text(texts, counter_snap(clock));
}

/* Signals are not read meanwhile, so the file gets complete */
static int fill(const struct recorder *r, const struct strlist *texts)
{
	struct streams_totals t;
	struct filling filling;
	int ret;

	streams_totals(capture_streams(r->c), &t);
	filling_begin(&filling, r->opt->output, t.bytes, r->opt->quiet);
	ret = part_finish(r->part, r->file, texts, &filling.watch);
	filling_end(&filling);
	return ret;
}

static int finish(const struct recorder *r)
{
	struct strlist texts = { 0 };
	int ret = capture_counters(r->c, &texts);

	if (!ret)
		ret = add_end(&r->s.r, &texts);
	if (!ret)
		ret = fill(r, &texts);
	strlist_free(&texts);
	return ret;
}

static int add_guest(const struct recorder *r, const char *guest)
{
	const char *equals = strchr(guest, '=');
	char *name = equals ? xasprintf("%.*s", (int)(equals - guest), guest) : NULL;
	int ret = -1;

	if (name || !equals)
		ret = merge_files(&(struct merge_options) {
			.host = r->file, .guest = equals ? equals + 1 : guest,
			.output = r->file, .name = name, .quiet = r->opt->quiet,
		});
	free(name);
	return ret;
}

/* The recording stays as it is if this fails */
static int add_guests(const struct recorder *r)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < r->opt->guests.nr; i++)
		ret = add_guest(r, r->opt->guests.str[i]);
	return ret;
}

static int record(const void *options)
{
	const struct options *o = options;
	struct recorder r = { .opt = o };
	int ret = prepare(&r);
	bool finished;

	if (!ret)
		ret = run(&r);
	if (!ret && r.keep)
		ret = finish(&r);
	if (!ret && r.keep)
		summary(&r);
	finished = !ret && r.keep;
	capture_close(r.c);
	if (session_close(&r.s))
		ret = -1;
	if (r.part && !r.keep)
		part_remove(r.part);
	part_free(r.part);
	if (finished && add_guests(&r))
		ret = -1;
	free(r.file);
	return session_status(&r.s, ret);
}

int record_main(int argc, char **argv)
{
	struct options o = { .output = DEFAULT_OUTPUT, .packing = packing_best() };
	int ret = session_main(&argp, argc, argv, &o, &o.session, record);

	strlist_free(&o.guests);
	return ret;
}
