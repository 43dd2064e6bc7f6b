// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace record
 *
 * The order of things:
 *
 *	look everything up	nothing is changed yet
 *	prepare both sides	each change goes into the undo journal
 *	map the buffers		the hypervisor's is loaded for that by switching
 *				it on without any event; mapped it stays loaded
 *	enable the events	while both sides are off, so that all of a side
 *				begin at once
 *	hypervisor on, host on	in this order, so that each host event has its
 *				hypervisor events
 *	COMMAND runs
 *	host off, hypervisor off
 *	drain, save, unmap, undo
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "capture.h"
#include "child.h"
#include "cmdline.h"
#include "commands.h"
#include "evset.h"
#include "log.h"
#include "save.h"
#include "tdir.h"
#include "undo.h"
#include "util.h"

#define DEFAULT_OUTPUT		"trace.dat"
#define DEFAULT_KB		"1024"
#define MAX_KB			BIT(30)
#define PROGRESS_MS		500

static const char doc[] =
	"Records hypervisor events and host events until COMMAND ends, Ctrl-C or a\n"
	"duration is over. The file is in trace.dat format, version 7.\n"
	"\vWhatever record changes in tracefs it puts back. The data goes to nameless\n"
	"files beside FILE first; FILE.part becomes FILE when it is complete.\n"
	"\n"
	"Exit status: that of COMMAND; 0 after Ctrl-C or the duration; 1 on errors; 2\n"
	"for a wrong command line; 128 + n after signal n (SIGTERM, SIGHUP), with the\n"
	"file complete; 127 if COMMAND cannot be run.";

struct options {
	const char *output;
	const char *remote;
	const char *clock;
	const char *size_kb;
	u64 duration_ms;
	bool quiet;
	struct strlist host_events;
	struct strlist hyp_events;
	struct cpulist cpus;
	char **command;
};

/**
 * struct session - a recording in progress
 * @opt:	what the user wants
 * @r:		what is recorded
 * @undo:	how to put things back
 * @child:	COMMAND, or NULL
 * @sigfd:	reads the signals
 * @status:	exit status so far
 * @signal:	the signal that ended it, or 0
 * @start:	when it began, ns
 */
struct session {
	const struct options *opt;
	struct recording r;
	struct undo *undo;
	struct child *child;
	int sigfd;
	int status;
	int signal;
	u64 start;
};

/* Options */

static int bad_option(const char *what, const char *value, const char *want)
{
	log_error("bad %s '%s': want %s", what, value, want);
	return -1;
}

static int set_size(struct options *o, const char *arg)
{
	u64 kb;

	if (parse_number(arg, MAX_KB, &kb))
		return bad_option("buffer size", arg,
				  "a number of kilobytes from 1 to 1073741824");
	o->size_kb = arg;
	return 0;
}

static int set_duration(struct options *o, const char *arg)
{
	if (parse_duration(arg, &o->duration_ms))
		return bad_option("duration", arg,
				  "a whole number with ms, s, m or h");
	return 0;
}

static int set_cpus(struct options *o, const char *arg)
{
	cpulist_free(&o->cpus);
	return cpulist_parse(arg, &o->cpus);
}

enum { OPT_REMOTE = CMDLINE_KEYS };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "file to write [" DEFAULT_OUTPUT "]", 0 },
	{ "event", 'e', "EVENT", 0,
	  "host event SYSTEM:NAME, SYSTEM:* or NAME [kvm:kvm_entry kvm:kvm_exit sched:sched_switch]",
	  0 },
	{ "hyp-event", 'E', "EVENT", 0, "hypervisor event [all]", 0 },
	{ "buffer-size", 'b', "KB", 0, "size of each buffer, per CPU [" DEFAULT_KB "]", 0 },
	{ "clock", 'C', "CLOCK", 0, "trace clock of both sides [the hypervisor's]", 0 },
	{ "cpus", 'P', "CPULIST", 0, "follow these CPUs only, as in 0,2-3 [online ones]", 0 },
	{ "duration", 'd', "TIME", 0, "stop after TIME: 500ms, 10s, 2m, 1h", 0 },
	{ "quiet", 'q', NULL, 0, "no progress and no summary", 0 },
	{ "remote", OPT_REMOTE, "REMOTE", 0,
	  "trace remote, or any trace directory [hypervisor]", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case 'e':
		return cmdline_told(strlist_add(&o->host_events, arg));
	case 'E':
		return cmdline_told(strlist_add(&o->hyp_events, arg));
	case 'b':
		return cmdline_told(set_size(o, arg));
	case 'C':
		o->clock = arg;
		return 0;
	case 'P':
		return cmdline_told(set_cpus(o, arg));
	case 'd':
		return cmdline_told(set_duration(o, arg));
	case 'q':
		o->quiet = true;
		return 0;
	case OPT_REMOTE:
		o->remote = arg;
		return 0;
	case ARGP_KEY_ARGS:
		o->command = state->argv + state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[COMMAND [ARG]...]",
	.doc = doc,
};

static void free_options(struct options *o)
{
	strlist_free(&o->host_events);
	strlist_free(&o->hyp_events);
	cpulist_free(&o->cpus);
}

/* Looking things up */

static int add_events(struct strlist *set, const struct tdir *d,
		      const struct strlist *names)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		if (evset_add(set, d, names->str[i]))
			return -1;
	}
	return 0;
}

static int add_default_events(struct strlist *set, const struct tdir *d)
{
	return evset_add_if(set, d, "kvm", "kvm_entry") ||
	       evset_add_if(set, d, "kvm", "kvm_exit") ||
	       evset_add_if(set, d, "sched", "sched_switch") ? -1 : 0;
}

/* In the top directory: the instance will have the same ones */
static int choose_host_events(struct session *s)
{
	struct strlist *set = &s->r.events[HOST];
	struct tdir *d = tdir_open_host();
	int ret;

	if (!d)
		return -1;
	ret = s->opt->host_events.nr ?
		add_events(set, d, &s->opt->host_events) :
		add_default_events(set, d);
	tdir_free(d);
	return ret;
}

static int choose_hyp_events(struct session *s)
{
	if (s->opt->hyp_events.nr)
		return add_events(&s->r.events[HYP], s->r.dir[HYP],
				  &s->opt->hyp_events);
	return evset_add_all(&s->r.events[HYP], s->r.dir[HYP]);
}

static int check_cpus(const struct cpulist *want)
{
	struct cpulist online;
	unsigned int i;
	int ret = 0;

	if (cpulist_online(&online))
		return -1;
	for (i = 0; !ret && i < want->nr; i++) {
		if (!cpulist_has(&online, want->cpu[i]))
			ret = log_error("CPU %u is not online", want->cpu[i]);
	}
	cpulist_free(&online);
	return ret;
}

static int choose_cpus(struct session *s)
{
	const struct cpulist *want = &s->opt->cpus;

	if (!want->nr)
		return cpulist_online(&s->r.cpus);
	if (check_cpus(want))
		return -1;
	s->r.cpus.cpu = calloc(want->nr, sizeof(*want->cpu));
	if (!s->r.cpus.cpu)
		return log_oom();
	memcpy(s->r.cpus.cpu, want->cpu, want->nr * sizeof(*want->cpu));
	s->r.cpus.nr = want->nr;
	return 0;
}

/* Changing things */

static int set_clock(struct session *s)
{
	struct tdir **dir = s->r.dir;
	const char *clock = s->opt->clock;

	if (clock && tdir_has(dir[HYP], "trace_clock") &&
	    tdir_change(dir[HYP], s->undo, "trace_clock", clock))
		return -1;
	s->r.clock[HYP] = tdir_clock(dir[HYP]);
	if (!s->r.clock[HYP])
		return -1;
	if (clock && strcmp(clock, s->r.clock[HYP]))
		return log_error("cannot use the clock '%s': the hypervisor has only '%s'",
				 clock, s->r.clock[HYP]);
	if (tdir_write(dir[HOST], "trace_clock", s->r.clock[HYP]))
		return -1;
	s->r.clock[HOST] = tdir_clock(dir[HOST]);
	return s->r.clock[HOST] ? 0 : -1;
}

static int prepare_host(struct session *s)
{
	struct tdir *d = s->r.dir[HOST];

	if (tdir_write(d, "tracing_on", "0") ||
	    tdir_write(d, "buffer_size_kb", s->opt->size_kb))
		return -1;
	/* wake the reader when a part of the buffer is full, not at the half */
	if (tdir_has(d, "buffer_percent") &&
	    tdir_write(d, "buffer_percent", "10"))
		return -1;
	return evset_enable(&s->r.events[HOST], d, NULL);
}

/* When this is undone the buffer is empty, and so gets its old size back */
static int clear_on_undo(struct session *s)
{
	char *path = tdir_path(s->r.dir[HYP], "trace");
	int ret = path ? undo_write(s->undo, path, "\n") : -1;

	free(path);
	return ret;
}

/* Leaves it switched on, which loads it, but with no event */
static int prepare_hyp(struct session *s)
{
	struct tdir *d = s->r.dir[HYP];

	if (tdir_change(d, s->undo, "tracing_on", "0") ||
	    tdir_clear(d) ||
	    tdir_change(d, s->undo, "buffer_size_kb", s->opt->size_kb) ||
	    clear_on_undo(s) ||
	    evset_disable_all(d, s->undo))
		return -1;
	/* as for the host: what fills quickly wakes the reader */
	if (tdir_has(d, "buffer_percent") &&
	    tdir_change(d, s->undo, "buffer_percent", "10"))
		return -1;
	return tdir_change(d, s->undo, "tracing_on", "1");
}

static int look_up(struct session *s)
{
	s->r.dir[HYP] = tdir_open_remote(s->opt->remote);
	if (!s->r.dir[HYP] || choose_cpus(s) || choose_hyp_events(s))
		return -1;
	return choose_host_events(s);
}

static int prepare(struct session *s)
{
	if (look_up(s))
		return -1;
	s->r.dir[HOST] = tdir_new_instance(s->undo);
	if (!s->r.dir[HOST] || set_clock(s) || prepare_host(s) ||
	    prepare_hyp(s))
		return -1;
	s->r.capture = capture_open(s->r.dir, &s->r.cpus, s->opt->output);
	if (!s->r.capture || tdir_write(s->r.dir[HYP], "tracing_on", "0"))
		return -1;
	return evset_enable(&s->r.events[HYP], s->r.dir[HYP], s->undo);
}

static int switch_on(struct session *s)
{
	if (tdir_write(s->r.dir[HYP], "tracing_on", "1"))
		return -1;
	return tdir_write(s->r.dir[HOST], "tracing_on", "1");
}

static int switch_off(struct session *s)
{
	int ret = tdir_write(s->r.dir[HOST], "tracing_on", "0");

	return tdir_write(s->r.dir[HYP], "tracing_on", "0") ? -1 : ret;
}

/* Waiting for the end */

static void progress(struct session *s, struct capture_totals *before)
{
	struct capture_totals t;
	double rate = 1000.0 / PROGRESS_MS;

	if (s->opt->quiet || !isatty(STDERR_FILENO))
		return;
	capture_totals(s->r.capture, &t);
	fprintf(stderr, "\r\033[K%6.1f s  hyp %.0f/s  host %.0f/s  %.1f MB  lost %llu",
		(now_ns() - s->start) / 1e9,
		(t.written[HYP] - before->written[HYP]) * rate,
		(t.written[HOST] - before->written[HOST]) * rate,
		t.bytes / 1e6, t.lost[HYP] + t.lost[HOST]);
	*before = t;
}

/* Return: true if the recording ends */
static bool take_signal(struct session *s)
{
	struct signalfd_siginfo si;

	if (read(s->sigfd, &si, sizeof(si)) != sizeof(si))
		return false;
	if (si.ssi_signo == SIGCHLD)
		return s->child && child_ended(s->child, &s->status);
	s->signal = si.ssi_signo;
	if (s->child)
		child_signal(s->child, s->signal);
	return true;
}

static u64 elapsed_ms(const struct session *s)
{
	return (now_ns() - s->start) / 1000000;
}

static bool time_is_up(const struct session *s)
{
	return s->opt->duration_ms && elapsed_ms(s) >= s->opt->duration_ms;
}

static int next_timeout(const struct session *s)
{
	u64 left;

	if (!s->opt->duration_ms)
		return PROGRESS_MS;
	left = s->opt->duration_ms - elapsed_ms(s);
	return left < PROGRESS_MS ? left + 1 : PROGRESS_MS;
}

static void wait_for_end(struct session *s)
{
	struct pollfd p[] = {
		{ .fd = s->sigfd, .events = POLLIN },
		{ .fd = capture_failed_fd(s->r.capture), .events = POLLIN },
	};
	struct capture_totals before = { 0 };
	bool end = false;
	int ready;

	while (!end && !time_is_up(s)) {
		ready = poll(p, ARRAY_SIZE(p), next_timeout(s));
		if (!ready)
			progress(s, &before);
		end = ready > 0 && (p[1].revents || take_signal(s));
	}
	if (!s->opt->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}

static int run(struct session *s)
{
	int ret;

	s->start = now_ns();
	if (capture_start(s->r.capture) || switch_on(s)) {
		capture_stop(s->r.capture);
		return -1;
	}
	if (s->child)
		child_go(s->child);
	wait_for_end(s);
	ret = switch_off(s);
	return capture_stop(s->r.capture) ? -1 : ret;
}

static void summary(const struct session *s)
{
	struct capture_totals t;

	if (s->opt->quiet)
		return;
	capture_totals(s->r.capture, &t);
	log_note("%s: %llu hypervisor events, %llu host events, %llu lost",
		 s->opt->output, t.written[HYP] - t.lost[HYP],
		 t.written[HOST] - t.lost[HOST], t.lost[HYP] + t.lost[HOST]);
}

/* Signals come through a descriptor; only COMMAND gets them in the raw form */
static int catch_signals(struct session *s)
{
	static const int list[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	sigset_t set;
	unsigned int i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(list); i++)
		sigaddset(&set, list[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	s->sigfd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->sigfd < 0 ? log_error("no signalfd: %s", strerror(errno)) : 0;
}

static int open_session(struct session *s)
{
	s->undo = undo_new();
	if (!s->undo || catch_signals(s))
		return -1;
	if (s->opt->command) {
		s->child = child_fork(s->opt->command);
		if (!s->child)
			return -1;
	}
	return 0;
}

/* The mappings go first: while they exist no size can be changed */
static int close_session(struct session *s)
{
	enum side side;
	int ret;

	capture_close(s->r.capture);
	ret = undo_run(s->undo);
	for (side = HOST; side < NR_SIDES; side++) {
		tdir_free(s->r.dir[side]);
		strlist_free(&s->r.events[side]);
		free(s->r.clock[side]);
	}
	cpulist_free(&s->r.cpus);
	child_free(s->child);
	if (s->sigfd >= 0)
		close(s->sigfd);
	return ret;
}

static int exit_status(const struct session *s, int ret)
{
	if (ret)
		return EXIT_ERROR;
	if (s->signal && s->signal != SIGINT)
		return 128 + s->signal;
	return s->signal ? EXIT_OK : s->status;
}

static int record(const struct options *o)
{
	struct session s = { .opt = o, .sigfd = -1 };
	int ret = open_session(&s);

	if (!ret)
		ret = prepare(&s);
	if (!ret)
		ret = run(&s);
	if (!ret)
		ret = save_recording(&s.r, o->output);
	if (!ret)
		summary(&s);
	if (close_session(&s))
		ret = -1;
	return exit_status(&s, ret);
}

int record_main(int argc, char **argv)
{
	struct options o = {
		.output = DEFAULT_OUTPUT,
		.remote = "hypervisor",
		.size_kb = DEFAULT_KB,
	};
	int ret = EXIT_USAGE;

	/* What follows COMMAND is COMMAND's */
	if (!cmdline_parse(&argp, argc, argv, ARGP_IN_ORDER, &o))
		ret = record(&o);
	free_options(&o);
	return ret;
}
