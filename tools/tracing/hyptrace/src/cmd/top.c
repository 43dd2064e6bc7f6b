// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace top
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/profilejson.h"
#include "analysis/profiler.h"
#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/screen.h"
#include "cmd/sessionargs.h"
#include "cmd/toptext.h"
#include "cmd/topvisits.h"
#include "lib/log.h"
#include "record/choose.h"
#include "record/clock.h"
#include "record/describe.h"
#include "record/tail.h"

/* How often the buffers are read */
#define ROUND_MS	100
#define MAX_NUMBER	BIT(30)
/* More have a common row, so that the memory is bounded */
#define MAX_TASKS	4096

static const char doc[] =
	"Shows the statistics of hyptrace stat live, by default once a second: the\n"
	"shares of tasks, EL2, guests, interrupts with softirqs (irq) and idle in the\n"
	"time of each CPU, vCPU and task, and how often and for how long EL2 was\n"
	"entered, by reason and by hypercall. It ends when COMMAND ends, a duration is\n"
	"over, or q or Ctrl-C is pressed.\n"
	"\vOn a terminal, new tables replace the previous ones, and rows that do not fit\n"
	"are cut. Elsewhere, and with TERM=dumb, tables are printed one after the\n"
	"other. Shares are relative to the interval. Where only the next event would\n"
	"tell in which state a CPU is, the state at the end of the interval is assumed.\n"
	"Percentiles are exact in intervals of a minute or less. In longer ones, and\n"
	"with --cumulative, they are too large by at most 3.2 %.\n"
	"\n"
	"With --counters, tracing stays off. A table shows what EL2 counts itself, if\n"
	"hyptrace metrics --enable has switched that on.\n"
	"\n"
	SESSION_END_DOC
	"\n"
	"Exit status: that of COMMAND; 127 if it cannot be run; 0 after q, Ctrl-C, the\n"
	"duration or the iterations, or if the reader of the output has ended; 128 + n\n"
	"after signal n (SIGTERM, SIGHUP); 1 on errors; 2 for a wrong command line.";

struct options {
	struct session_options session;
	u64 interval_ms;
	u64 iterations;
	u64 rows;
	bool cumulative;
	bool json;
	bool counters;
};

/**
 * struct top - what is shown
 * @opt:	what the user wants
 * @s:		its session
 * @tail:	its events
 * @db:		what they mean
 * @profiler:	computes the statistics
 * @comms:	names of tasks
 * @screen:	shows it
 * @lost_before: lost events that earlier tables have shown
 * @shown:	number of tables so far
 * @quit:	the user has quit, or the reader of stdout has ended
 */
struct top {
	const struct options *opt;
	struct session s;
	struct tail *tail;
	struct evdb *db;
	struct profiler *profiler;
	struct comms *comms;
	struct screen *screen;
	u64 lost_before;
	u64 shown;
	bool quit;
};

/* Options */

enum { OPT_COUNTERS = CMDLINE_KEYS };

static const struct argp_option options[] = {
	{ "interval", 'i', "TIME", 0, "time between updates, such as 500ms or 2s [1s]", 0 },
	{ "iterations", 'n', "N", 0, "stop after N updates", 0 },
	{ "cumulative", 'c', NULL, 0,
	  "show all the time since the start, not only the last interval", 0 },
	{ "rows", 'r', "N", 0,
	  "print at most N rows of each table, but all CPUs [8 on a terminal, else all rows]", 0 },
	{ "json", 'j', NULL, 0, "print each update as a JSON document, as hyptrace stat does, all times in ns",
	  0 },
	{ "counters", OPT_COUNTERS, NULL, 0,
	  "show visits to EL2 by its counters, without any event", 0 },
	{ 0 }
};

static int set_interval(struct options *o, const char *arg)
{
	if (parse_duration(arg, &o->interval_ms))
		return log_error("bad interval '%s': expected a whole number followed by ms, s, m or h",
				 arg);
	return 0;
}

static int set_number(u64 *number, const char *what, const char *arg)
{
	if (parse_number(arg, MAX_NUMBER, number))
		return log_error("bad number of %s '%s': expected 1 to %u", what, arg,
				 MAX_NUMBER);
	return 0;
}

/* What is of no use without events */
static int check_counters(const struct options *o)
{
	const struct session_options *s = &o->session;
	const struct {
		bool given;
		const char *name;
	} list[] = {
		{ s->events[HOST].nr, "--event" }, { s->events[HYP].nr, "--hyp-event" },
		{ s->clock, "--clock" }, { s->cpus.nr, "--cpus" },
		{ o->cumulative, "--cumulative" }, { o->json, "--json" },
		{ s->command, "COMMAND" },
	};
	unsigned int i;

	for (i = 0; o->counters && i < ARRAY_SIZE(list); i++) {
		if (list[i].given)
			return log_error("--counters with %s: expected one of them", list[i].name);
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->session;
		return 0;
	case 'i':
		return cmdline_told(set_interval(o, arg));
	case 'n':
		return cmdline_told(set_number(&o->iterations, "iterations", arg));
	case 'r':
		return cmdline_told(set_number(&o->rows, "rows", arg));
	case 'c':
		o->cumulative = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case OPT_COUNTERS:
		o->counters = true;
		return 0;
	case ARGP_KEY_END:
		return cmdline_told(check_counters(o));
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

/* Showing */

/* The tasks that the tables will name */
static void learn_comms(struct top *t, const struct profile *data)
{
	const struct times_row *r;
	unsigned int i;

	for (i = 0; (r = times_task(data->times, i)); i++) {
		if (!times_row_empty(r))
			comms_learn(t->comms, t->db, r->id);
	}
}

static u64 lost_since(struct top *t)
{
	struct streams_totals now;
	u64 before = t->lost_before;

	streams_totals(tail_streams(t->tail), &now);
	if (!t->opt->cumulative)
		t->lost_before = now.lost;
	return now.lost - before;
}

static unsigned int max_rows(const struct top *t)
{
	if (t->opt->rows)
		return t->opt->rows;
	return screen_in_place(t->screen) ? 8 : 0;
}

static int show(struct top *t, u64 until)
{
	struct profile *data = profiler_profile(t->profiler);
	FILE *out;

	if (profiler_tick(t->profiler, until))
		return -1;
	out = screen_begin(t->screen);
	if (!out)
		return -1;
	data->events.lost = lost_since(t);
	learn_comms(t, data);
	if (t->opt->json)
		profile_print_json(data, &(struct profilejson){ 0 }, out);
	else
		top_print(data, session_elapsed_ms(&t->s), max_rows(t), out);
	screen_end(t->screen);
	if (!t->opt->cumulative)
		profiler_restart(t->profiler);
	t->quit |= ++t->shown == t->opt->iterations;
	return cmdline_output(&t->quit);
}

/* Following */

static int feed(struct top *t)
{
	struct profile *data = profiler_profile(t->profiler);
	struct merged ev;
	int ret = 0;

	while (!ret && tail_next(t->tail, &ev)) {
		data->events.seen[ev.buffer] += !!ev.ev.data;
		ret = profiler_feed(t->profiler, &ev, true, ev.buffer);
	}
	return ret;
}

/* Return: true when it ends */
static bool wait_a_round(struct top *t)
{
	struct pollfd p[SCREEN_FDS];
	bool end;

	screen_poll(t->screen, p);
	end = session_wait(&t->s, p, SCREEN_FDS, ROUND_MS);
	t->quit = screen_quits(t->screen, p);
	return end || t->quit;
}

static int follow(struct top *t)
{
	u64 next = t->opt->interval_ms;
	int ret = 0;

	while (!ret && !wait_a_round(t)) {
		if (tail_round(t->tail) || feed(t))
			return -1;
		if (session_elapsed_ms(&t->s) < next)
			continue;
		next = session_elapsed_ms(&t->s) / t->opt->interval_ms *
		       t->opt->interval_ms + t->opt->interval_ms;
		ret = show(t, tail_time(t->tail));
		if (t->quit)
			break;
	}
	return ret;
}

/* On a terminal, the last full interval stays on the screen */
static bool shows_rest(const struct top *t)
{
	return !t->quit && (t->opt->cumulative || !t->shown ||
			    !screen_in_place(t->screen));
}

static int show_rest(struct top *t, u64 end)
{
	if (!shows_rest(t))
		return 0;
	return tail_last_round(t->tail) || feed(t) ? -1 : show(t, end);
}

/* All */

/* The events that the tables are made of */
static const char * const used_events[] = {
	"hyp_enter", "hyp_exit", "trace_on", "trace_off", "host_hcall",
	"vcpu_enter", "vcpu_exit", NULL
};

static int check_events(const struct recording *r)
{
	if (chosen_whole(r, "hypervisor/hyp_enter", HYP) &&
	    chosen_whole(r, "hypervisor/hyp_exit", HYP))
		return 0;
	return log_error("hyp_enter or hyp_exit is not among the events, or has a filter: top needs both without a filter");
}

static int open_profiler(struct top *t)
{
	const struct recording *r = &t->s.r;
	bool bounded = t->opt->cumulative || t->opt->interval_ms > 60000;
	unsigned int i;

	t->comms = comms_new();
	t->db = describe_events(r);
	if (!t->comms || !t->db)
		return -1;
	t->profiler = profiler_new(t->db, chosen_whole(r, "sched/sched_switch", HOST), bounded);
	if (t->profiler)
		times_limit_tasks(profiler_profile(t->profiler)->times, MAX_TASKS);
	for (i = 0; t->profiler && i < r->cpus.nr; i++) {
		if (times_add_cpu(profiler_profile(t->profiler)->times, r->cpus.cpu[i]))
			return -1;
	}
	return t->profiler ? 0 : -1;
}

static int prepare(struct top *t)
{
	if (session_open(&t->s, &t->opt->session) || check_events(&t->s.r) ||
	    session_prepare(&t->s))
		return -1;
	t->tail = tail_open(&t->s.r);
	if (!t->tail || open_profiler(t))
		return -1;
	t->screen = screen_new(t->opt->json, !t->opt->session.command);
	return t->screen ? session_arm(&t->s) : -1;
}

static int now(const struct top *t, u64 *ts)
{
	return clock_now(t->s.r.dir[HOST], t->s.r.cpus.cpu[0], ts);
}

static int run(struct top *t)
{
	u64 start, end = 0;
	int ret = now(t, &start);

	if (ret)
		return -1;
	times_see(profiler_profile(t->profiler)->times, start);
	ret = session_start(&t->s);
	if (!ret)
		ret = follow(t);
	if (!ret)
		ret = now(t, &end);
	if (session_stop(&t->s))
		ret = -1;
	return ret ? ret : show_rest(t, end);
}

static int top_counters(const struct options *o)
{
	const struct topvisits_options how = {
		.remote = o->session.remote,
		.interval_ms = o->interval_ms,
		.duration_ms = o->session.duration_ms,
		.iterations = o->iterations,
		.rows = o->rows,
	};

	return topvisits(&how);
}

static int top(const void *options)
{
	const struct options *o = options;
	struct top t = { .opt = o };
	int ret;

	if (o->counters)
		return top_counters(o);
	ret = prepare(&t);
	if (!ret)
		ret = run(&t);
	screen_free(t.screen);
	tail_close(t.tail);
	if (session_close(&t.s))
		ret = -1;
	profiler_free(t.profiler);
	evdb_free(t.db);
	comms_free(t.comms);
	return session_status(&t.s, ret);
}

int top_main(int argc, char **argv)
{
	struct options o = { .interval_ms = 1000, .session.default_hyp = used_events };

	return session_main(&argp, argc, argv, &o, &o.session, top);
}
