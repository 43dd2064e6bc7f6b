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
#include "lib/unit.h"
#include "record/capture.h"
#include "record/clock.h"
#include "record/counter.h"
#include "record/part.h"
#include "record/send.h"
#include "record/stopon.h"
#include "trace/counterpair.h"

#define DEFAULT_OUTPUT		"trace.dat"
#define PROGRESS_MS		500
/* How often to look whether the event has happened */
#define LOOK_MS			10

static const char doc[] =
	"Records hypervisor events and host events until COMMAND ends, a duration is\n"
	"over, or Ctrl-C is pressed. The file has the trace.dat format, version 7.\n"
	"\vAt the end, record restores all settings that it has changed in tracefs. If it\n"
	"is killed, the next record, recover, live or top does. While record runs, the\n"
	"data is in the directory FILE.part. If record is killed or the disk is full,\n"
	"this directory is left behind, and hyptrace recover makes a file from it.\n"
	"\n"
	"With --stop-on, the buffers are a flight recorder: they are read only after\n"
	"EVENT has happened, which stops the hypervisor's tracing on all CPUs. If it\n"
	"does not happen before the end, nothing is written, and the exit status is 1.\n"
	"If COMMAND still runs when EVENT happens, it gets SIGTERM. With --why as well,\n"
	"record ends with the output of hyptrace why.\n"
	"\n"
	"With --to, trace-cmd listen on another machine gets the recording while it is\n"
	"made, and writes the file, in which the CPUs of the hypervisor follow those\n"
	"of the host. There is no FILE here then, except with --output, with both\n"
	"--stop-on and --why, or if the connection is lost: the recording goes on then,\n"
	"and the exit status is 1.\n"
	"\n"
	"With --last-boot, nothing is traced: the file has the events that the kernel\n"
	"has found in memory that an earlier boot has left, and how that boot ended.\n"
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
	struct address to;		/* text: NULL for nowhere */
	const char *output;
	bool sent_only;			/* no file here */
	const struct packing *packing;
	const char *stop_on;
	u64 keep_ns;			/* 0: all that the buffers hold */
	bool quiet;
};

/**
 * struct recorder - a recording in progress
 * @opt:	what the user wants
 * @s:		its session
 * @file:	what it becomes
 * @part:	where the data goes
 * @c:		its capture
 * @sender:	sends it, or NULL
 * @sent:	another machine has all
 * @stop:	the event that stops it, if there is one
 * @keep:	what was recorded is worth keeping, also after an error
 */
struct recorder {
	const struct options *opt;
	struct session s;
	char *file;
	struct part *part;
	struct capture *c;
	struct sender *sender;
	bool sent;
	struct stopon stop;
	bool keep;
};

/* Options */

enum {
	OPT_WHY = CMDLINE_KEYS, OPT_HOST_ONLY, OPT_GUEST, OPT_GRAPH, OPT_GRAPH_FUNCTION, OPT_STACKS,
	OPT_COMPRESSION, OPT_STOP_ON, OPT_KEEP, OPT_TO, OPT_FROM_BOOT, OPT_LAST_BOOT,
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "output file [" DEFAULT_OUTPUT "]", 0 },
	{ "quiet", 'q', NULL, 0, "print no progress and no summary", 0 },
	{ "to", OPT_TO, "HOST", 0,
	  "send the recording to trace-cmd listen on HOST or HOST:PORT [port " SEND_PORT "]", 0 },
	{ "from-boot", OPT_FROM_BOOT, NULL, 0,
	  "record what has been traced since the boot, and end that: see trace_remote= in Documentation/trace/hypervisor.rst",
	  0 },
	{ "host-only", OPT_HOST_ONLY, NULL, 0,
	  "record host events only; in a guest, its own kernel is the host, and there may be no remote",
	  0 },
	{ "last-boot", OPT_LAST_BOOT, NULL, 0,
	  "write what the hypervisor did before this boot, if the kernel has that, and end", 0 },
	{ "guest", OPT_GUEST, "FILE", 0,
	  "at the end, merge FILE, the recording that a guest has made meanwhile, or NAME=FILE with its name (see hyptrace merge); can be repeated",
	  0 },
	{ "why", OPT_WHY, NULL, 0,
	  "record also all events that hyptrace why needs; with --stop-on, print what it says", 0 },
	{ "graph", OPT_GRAPH, NULL, 0, "record also which functions EL2 calls, for hyptrace graph",
	  0 },
	{ "graph-function", OPT_GRAPH_FUNCTION, "FUNCTION", 0,
	  "the same for only FUNCTION, which can be a pattern, and what it calls; can be repeated",
	  0 },
	{ "stacks", OPT_STACKS, NULL, 0,
	  "record also EL2's call chain with each of its events", 0 },
	{ "stop-on", OPT_STOP_ON, "EVENT", 0,
	  "stop when this event of the hypervisor happens, and record what led to it: an event and a filter, such as 'hyp_exit duration > 50us'",
	  0 },
	{ "keep", OPT_KEEP, "TIME", 0,
	  "with --stop-on, keep the last TIME before EVENT, such as 100ms [all that the buffers hold]",
	  0 },
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

static int add_function(struct session_options *s, const char *function)
{
	s->graph = true;
	return strlist_add(&s->functions, function);
}

static int set_keep(struct options *o, const char *arg)
{
	if (!parse_ns(arg, &o->keep_ns) && o->keep_ns)
		return 0;
	return log_error("bad time '%s': expected a whole number followed by ns, us, ms or s",
			 arg);
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

static bool hands_over(const struct options *o)
{
	return o->stop_on && o->session.why;
}

static void set_output(struct options *o)
{
	o->sent_only = o->to.text && !o->output && !hands_over(o);
	if (!o->output)
		o->output = DEFAULT_OUTPUT;
}

/* With @option there is nothing to run and nothing to choose: it has been traced already */
static int check_traced(const struct options *o, const char *option)
{
	const struct session_options *s = &o->session;
	const struct {
		bool given;
		const char *what;
	} others[] = {
		{ s->from_boot && s->last_boot, "--last-boot" },
		{ s->command, "COMMAND" },
		{ s->duration_ms, "--duration" },
		{ s->host_only, "--host-only" },
		{ s->clock, "--clock" },
		{ s->events[HOST].nr, "--event" },
		{ s->events[HYP].nr, "--hyp-event" },
		{ s->why, "--why" },
		{ s->stacks, "--stacks" },
		{ s->graph, "--graph" },
		{ !s->overwrite, "--no-overwrite" },
		{ o->stop_on, "--stop-on" },
		{ o->guests.nr, "--guest" },
		{ o->to.text, "--to" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (others[i].given)
			return log_error("%s with %s: expected one of them", option,
					 others[i].what);
	}
	return 0;
}

static int check_options(struct options *o)
{
	struct session_options *s = &o->session;

	set_output(o);
	if (s->from_boot)
		return check_traced(o, "--from-boot");
	if (s->last_boot)
		return check_traced(o, "--last-boot");
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
	if (o->to.text && o->guests.nr)
		return log_error("--to with --guest %s: expected one of them", o->guests.str[0]);
	if (o->keep_ns && !o->stop_on)
		return log_error("--keep without --stop-on: expected both");
	if (o->stop_on && s->host_only)
		return log_error("--host-only with --stop-on: expected one of them");
	if (o->stop_on && !s->overwrite)
		return log_error("--no-overwrite with --stop-on: expected one of them");
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
	case OPT_LAST_BOOT:
		o->session.last_boot = true;
		return 0;
	case OPT_GUEST:
		return cmdline_told(strlist_add(&o->guests, arg));
	case OPT_FROM_BOOT:
		o->session.from_boot = true;
		return 0;
	case OPT_WHY:
		o->session.why = true;
		return 0;
	case OPT_GRAPH:
		o->session.graph = true;
		return 0;
	case OPT_GRAPH_FUNCTION:
		return cmdline_told(add_function(&o->session, arg));
	case OPT_STACKS:
		o->session.stacks = true;
		return 0;
	case OPT_STOP_ON:
		o->stop_on = arg;
		return 0;
	case OPT_KEEP:
		return cmdline_told(set_keep(o, arg));
	case OPT_TO:
		return cmdline_told(address_parse(&o->to, arg, SEND_PORT));
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
	const char *last_boot = r->s.r.last_boot;

	if (r->opt->quiet)
		return;
	if (last_boot)
		log_note("the last boot %.*s", (int)strcspn(last_boot, "\n"), last_boot);
	if (r->sent)
		streams_tell(capture_streams(r->c), r->opt->to.text);
	if (!r->sent || !r->opt->sent_only)
		streams_tell(capture_streams(r->c), r->opt->output);
}

/* All */

static int choose_stop(struct recorder *r)
{
	if (!r->opt->stop_on)
		return 0;
	return stopon_parse(&r->stop, r->opt->stop_on) || stopon_choose(&r->stop, &r->s.r);
}

/* Times can be compared only by a clock that has some */
static int check_clock(const struct recorder *r)
{
	if (!r->opt->stop_on || strcmp(r->s.r.clock[HYP], "counter"))
		return 0;
	return log_error("--stop-on with the clock 'counter': choose another one with --clock");
}

static int prepare(struct recorder *r)
{
	if (session_open(&r->s, &r->opt->session) || choose_stop(r))
		return -1;
	r->file = output_path(r->opt->output);
	r->part = r->file ? part_new(r->file) : NULL;
	if (!r->part || session_prepare(&r->s) || check_clock(r))
		return -1;
	r->c = capture_open(&r->s.r, r->part);
	if (!r->c || part_save_head(r->part, &r->s.r, capture_streams(r->c),
				    r->opt->packing))
		return -1;
	if (r->opt->to.text) {
		r->sender = sender_new(&r->opt->to, &r->s.r, r->c, r->opt->output);
		if (!r->sender)
			return -1;
	}
	if (session_arm(&r->s))
		return -1;
	return r->opt->stop_on ? stopon_arm(&r->stop, r->s.r.dir[HYP], r->s.undo) : 0;
}

/* Return: whether the event has happened, -1 with a message */
static int wait_for_event(struct recorder *r)
{
	struct pollfd none = { .fd = -1 };
	int happened;

	do {
		happened = stopon_happened(r->s.r.dir[HYP]);
	} while (!happened && !session_wait(&r->s, &none, 1, LOOK_MS));
	/* It may have happened as COMMAND ended */
	return happened ?: stopon_happened(r->s.r.dir[HYP]);
}

static void tell_event(const struct recorder *r)
{
	u64 since = streams_since(capture_streams(r->c));
	char held[UNIT_TEXT], want[UNIT_TEXT];

	log_note("CPU %u has stopped tracing: %s", r->stop.cpu, r->stop.text);
	if (since && r->opt->keep_ns &&
	    (since > r->stop.ts || r->stop.ts - since < r->opt->keep_ns))
		log_note("the buffers held only the last %s before that, not %s: use a larger --buffer-size",
			 unit_text(held, since > r->stop.ts ? 0 : r->stop.ts - since, UNIT_AUTO),
			 unit_text(want, r->opt->keep_ns, UNIT_AUTO));
	if (!hands_over(r->opt) && !r->opt->sent_only)
		log_note("next: hyptrace why %s", r->opt->output);
}

/* The threads read only now. From here on, what they read is worth keeping */
static int take_buffers(struct recorder *r)
{
	r->keep = true;
	if (capture_start(r->c)) {
		capture_stop(r->c);
		return -1;
	}
	return capture_stop(r->c);
}

static int run_until_event(struct recorder *r)
{
	int happened, ret;

	if (session_start(&r->s))
		return -1;
	happened = wait_for_event(r);
	ret = session_stop(&r->s);
	if (ret || happened < 0)
		return -1;
	if (!happened)
		return log_error("'%s' has not happened: nothing was written", r->opt->stop_on);
	if (stopon_find(&r->stop, r->s.r.dir[HYP]))
		return -1;
	if (r->opt->keep_ns && r->opt->keep_ns < r->stop.ts)
		streams_keep_from(capture_streams(r->c), r->stop.ts - r->opt->keep_ns);
	ret = take_buffers(r);
	if (!ret && !r->opt->quiet)
		tell_event(r);
	return ret;
}

static int run(struct recorder *r)
{
	int ret;

	if (r->opt->stop_on)
		return run_until_event(r);
	if (r->opt->session.from_boot)
		return session_stop(&r->s) ?: take_buffers(r);
	if (r->opt->session.last_boot)
		return take_buffers(r);
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
	int ret = add_text(texts, clock_snap(r->dir[HOST], r->cpus.cpu[0], clock, false));

	return ret ? -1 : add_text(texts, counter_snap(clock));
}

/* Signals are not read meanwhile, so the file gets complete */
static int fill(const struct recorder *r, const struct strlist *texts, bool send)
{
	struct streams_totals t;
	struct filling filling;
	int ret;

	streams_totals(capture_streams(r->c), &t);
	filling_begin(&filling, send ? r->opt->to.text : r->opt->output, t.bytes, r->opt->quiet);
	if (send)
		ret = sender_finish(r->sender, texts, &filling.watch, r->s.sigfd);
	else
		ret = part_finish(r->part, r->file, texts, &filling.watch);
	filling_end(&filling);
	return ret;
}

static int finish(struct recorder *r)
{
	struct strlist texts = { 0 };
	int ret = capture_counters(r->c, &texts);

	if (!ret && !r->opt->session.last_boot)
		ret = add_end(&r->s.r, &texts);
	if (!ret)
		r->sent = r->sender && !fill(r, &texts, true);
	if (!ret && !(r->sent && r->opt->sent_only))
		ret = fill(r, &texts, false);
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

/* What led to the event, in words */
static int hand_over(const struct options *o)
{
	char why[] = "why", end[] = "--", *args[4] = { why, end, (char *)o->output };

	return why_main(3, args) ? -1 : 0;
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
	finished = !ret && r.keep;
	if (finished)
		summary(&r);
	if (finished && r.sender && !r.sent)
		ret = -1;
	sender_free(r.sender);
	capture_close(r.c);
	if (session_close(&r.s))
		ret = -1;
	if (r.part && (!r.keep || (finished && r.sent && o->sent_only)))
		part_remove(r.part);
	part_free(r.part);
	if (finished && (add_guests(&r) || (hands_over(o) && hand_over(o))))
		ret = -1;
	free(r.file);
	stopon_free(&r.stop);
	return session_status(&r.s, ret);
}

int record_main(int argc, char **argv)
{
	struct options o = { .packing = packing_best() };
	int ret = session_main(&argp, argc, argv, &o, &o.session, record);

	strlist_free(&o.guests);
	address_free(&o.to);
	return ret;
}
