// SPDX-License-Identifier: GPL-2.0
/*
 * A tracing session. See session.h.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/output.h"
#include "record/choose.h"
#include "record/endsignals.h"
#include "record/evset.h"
#include "record/filter.h"
#include "record/functions.h"
#include "record/session.h"

/* Changes of settings */

static int set_hyp_clock(struct session *s)
{
	struct tdir *d = s->r.dir[HYP];
	const char *clock = s->opt->clock;

	if (clock && tdir_has(d, "trace_clock") &&
	    tdir_change(d, s->undo, "trace_clock", clock))
		return -1;
	s->r.clock[HYP] = tdir_clock(d);
	if (!s->r.clock[HYP])
		return -1;
	if (clock && strcmp(clock, s->r.clock[HYP]))
		return log_error("cannot use the clock '%s': the hypervisor has only '%s'",
				 clock, s->r.clock[HYP]);
	return 0;
}

/* The host's follows the hypervisor's */
static int set_clock(struct session *s)
{
	const char *clock = s->opt->clock;

	if (s->r.dir[HYP]) {
		if (set_hyp_clock(s))
			return -1;
		clock = s->r.clock[HYP];
	}
	if (clock && tdir_write(s->r.dir[HOST], "trace_clock", clock))
		return -1;
	s->r.clock[HOST] = tdir_clock(s->r.dir[HOST]);
	return s->r.clock[HOST] ? 0 : -1;
}

/* The host's instance is removed as a whole */
static struct undo *undo_of(struct session *s, enum side side)
{
	return side == HYP ? s->undo : NULL;
}

/* A remote without this option does what the default is */
static int set_overwrite(struct session *s, enum side side)
{
	static const char file[] = "options/overwrite";
	const char *value = s->opt->overwrite ? "1" : "0";

	if (s->opt->overwrite && !tdir_has(s->r.dir[side], file))
		return 0;
	return tdir_change(s->r.dir[side], undo_of(s, side), file, value);
}

static int set_stacks(struct session *s)
{
	static const char file[] = "options/stacktrace";

	return s->opt->stacks ? tdir_change(s->r.dir[HYP], s->undo, file, "1") : 0;
}

static int set_filters(struct session *s, enum side side)
{
	return filters_set(s->r.dir[side], undo_of(s, side),
			   &s->r.events[side], &s->r.filters[side]);
}

static int prepare_host(struct session *s)
{
	struct tdir *d = s->r.dir[HOST];

	if (tdir_write(d, "tracing_on", "0") ||
	    tdir_write(d, "buffer_size_kb", s->opt->size_kb) ||
	    set_overwrite(s, HOST) || set_filters(s, HOST))
		return -1;
	/* wake the reader when 10 % of the buffer is full, not at half of it */
	if (tdir_has(d, "buffer_percent") &&
	    tdir_write(d, "buffer_percent", "10"))
		return -1;
	return evset_enable(&s->r.events[HOST], d, NULL);
}

/* When this is undone the buffer is empty, so its old size can be restored */
static int clear_on_undo(struct session *s)
{
	char *path = tdir_path(s->r.dir[HYP], "trace");
	int ret = path ? undo_write(s->undo, path, "0") : -1;

	free(path);
	return ret;
}

/* Leaves it switched on, which loads it, but without any event */
static int prepare_hyp(struct session *s)
{
	struct tdir *d = s->r.dir[HYP];

	if (tdir_change(d, s->undo, "tracing_on", "0") ||
	    tdir_clear(d) ||
	    tdir_change(d, s->undo, "buffer_size_kb", s->opt->size_kb) ||
	    clear_on_undo(s) ||
	    evset_disable_all(d, s->undo) ||
	    set_overwrite(s, HYP) || set_stacks(s) || set_filters(s, HYP))
		return -1;
	/* as for the host: wake the reader early */
	if (tdir_has(d, "buffer_percent") &&
	    tdir_change(d, s->undo, "buffer_percent", "10"))
		return -1;
	return tdir_change(d, s->undo, "tracing_on", "1");
}

/* Before anything is changed */
static int check_features(const struct session *s)
{
	const struct tdir *d = s->r.dir[HYP];

	if (s->opt->stacks && tdir_need(d, "options/stacktrace", "CONFIG_NVHE_EL2_STACKS"))
		return -1;
	if (!s->opt->graph)
		return 0;
	return tdir_need(d, "current_tracer", "CONFIG_NVHE_EL2_FUNCTION_TRACER");
}

/* What an earlier boot has left can only be read, and what was traced from the boot on is set */
static bool changes_hyp(const struct session *s)
{
	return s->r.dir[HYP] && !s->opt->last_boot && !s->opt->from_boot;
}

static int check_traced(const struct tdir *d)
{
	char *text = tdir_read(d, "buffer_size_kb", NULL);
	int ret = text ? 0 : -1;

	if (text && !strstr(text, "(loaded)"))
		ret = log_error("the hypervisor has not been traced: expected a boot with trace_remote=hypervisor");
	free(text);
	return ret;
}

/* All is set already. Both sides have to have one clock */
static int prepare_from_boot(struct session *s)
{
	if (tdir_lock(s->r.dir[HYP]) || check_traced(s->r.dir[HYP]))
		return -1;
	s->r.clock[HYP] = tdir_clock(s->r.dir[HYP]);
	s->r.clock[HOST] = tdir_clock(s->r.dir[HOST]);
	if (!s->r.clock[HYP] || !s->r.clock[HOST])
		return -1;
	if (strcmp(s->r.clock[HYP], s->r.clock[HOST]))
		return log_error("the hypervisor was traced by the clock '%s', the host by '%s': boot with trace_remote_clock= and trace_clock= that are the same",
				 s->r.clock[HYP], s->r.clock[HOST]);
	return 0;
}

int session_prepare(struct session *s)
{
	if (s->opt->from_boot)
		return prepare_from_boot(s);
	if (check_features(s))
		return -1;
	if (s->r.dir[HYP] && tdir_lock(s->r.dir[HYP]))
		return -1;
	s->r.dir[HOST] = tdir_new_instance(s->undo);
	if (!s->r.dir[HOST] || set_clock(s) || prepare_host(s))
		return -1;
	return changes_hyp(s) ? prepare_hyp(s) : 0;
}

int session_arm(struct session *s)
{
	struct tdir *d = s->r.dir[HYP];

	if (!changes_hyp(s))
		return 0;
	if (tdir_write(d, "tracing_on", "0") || evset_enable(&s->r.events[HYP], d, s->undo))
		return -1;
	return s->opt->graph ? functions_graph(d, s->undo, &s->opt->functions) : 0;
}

int session_start(struct session *s)
{
	s->start = now_ns();
	if ((s->r.dir[HYP] && tdir_write(s->r.dir[HYP], "tracing_on", "1")) ||
	    tdir_write(s->r.dir[HOST], "tracing_on", "1"))
		return -1;
	if (s->child)
		child_go(s->child);
	return 0;
}

/* These were not followed, although their events were enabled as well */
static void tell_new_cpus(const struct session *s)
{
	struct cpulist online;
	unsigned int i;

	if (s->opt->cpus.nr || cpulist_online(&online))
		return;
	for (i = 0; i < online.nr; i++) {
		if (!cpulist_has(&s->r.cpus, online.cpu[i]))
			log_note("CPU %u came online while tracing: its events are missing",
				 online.cpu[i]);
	}
	cpulist_free(&online);
}

/* Waiting for the end */

/*
 * Return: whether there was one. A second one, such as by another Ctrl-C, is not read, so
 * that child_free() sees it.
 */
static bool take_signal(struct session *s)
{
	struct signalfd_siginfo si;

	if (s->signal)
		return true;
	if (read(s->sigfd, &si, sizeof(si)) != sizeof(si))
		return false;
	output_end();
	s->signal = si.ssi_signo;
	/* signals of the terminal went to COMMAND as well */
	if (s->child && si.ssi_code != SI_KERNEL)
		child_signal(s->child, si.ssi_signo);
	return true;
}

static bool command_ended(struct session *s)
{
	return s->child && child_ended(s->child, &s->status);
}

u64 session_elapsed_ms(const struct session *s)
{
	return (now_ns() - s->start) / NSEC_PER_MSEC;
}

static bool time_is_up(const struct session *s)
{
	return s->opt->duration_ms &&
	       session_elapsed_ms(s) >= s->opt->duration_ms;
}

static int timeout(const struct session *s, int ms)
{
	u64 elapsed = session_elapsed_ms(s), left;

	if (!s->opt->duration_ms)
		return ms;
	left = s->opt->duration_ms - MIN(elapsed, s->opt->duration_ms);
	return left < (u64)ms ? (int)left + 1 : ms;
}

bool session_wait(struct session *s, struct pollfd *extra, unsigned int nr, int ms)
{
	struct pollfd p[2 + MAX_EXTRA] = {
		{ .fd = s->sigfd, .events = POLLIN },
		{ .fd = s->child ? child_fd(s->child) : -1, .events = POLLIN },
	};
	int ready;

	memcpy(&p[2], extra, nr * sizeof(*p));
	ready = poll(p, nr + 2, timeout(s, ms));
	if (ready < 0)
		return false;
	memcpy(extra, &p[2], nr * sizeof(*p));
	return take_signal(s) || command_ended(s) || time_is_up(s);
}

int session_stop(struct session *s)
{
	int ret = tdir_write(s->r.dir[HOST], "tracing_on", "0");

	/* what happened while the output was written */
	take_signal(s);
	command_ended(s);
	if (s->r.dir[HYP] && tdir_write(s->r.dir[HYP], "tracing_on", "0"))
		return -1;
	tell_new_cpus(s);
	return ret;
}

/* Beginning and end */

int session_open(struct session *s, const struct session_options *o)
{
	s->opt = o;
	s->sigfd = -1;
	undo_leftovers();
	s->undo = undo_new();
	if (!s->undo)
		return -1;
	/* they are unblocked for COMMAND only */
	s->sigfd = endsignals_open();
	if (s->sigfd < 0)
		return -1;
	if (o->command) {
		s->child = child_fork(o->command);
		if (!s->child)
			return -1;
	}
	return output_start(s->sigfd) ? -1 : choose_all(&s->r, o);
}

bool session_in_vain(const struct session *s)
{
	return s->child && child_not_run(s->child);
}

int session_close(struct session *s)
{
	int ret = undo_run(s->undo);
	enum side side;

	if (s->sigfd >= 0)
		take_signal(s);
	child_free(s->child, s->signal, s->sigfd);
	s->child = NULL;
	if (s->sigfd >= 0)
		take_signal(s);
	for (side = HOST; side < NR_SIDES; side++) {
		tdir_free(s->r.dir[side]);
		strlist_free(&s->r.events[side]);
		strlist_free(&s->r.filters[side]);
		free(s->r.clock[side]);
	}
	cpulist_free(&s->r.cpus);
	free(s->r.last_boot);
	free(s->r.last_log);
	/* sigfd stays open, for what is still printed: see output_start() */
	return ret;
}

int session_status(const struct session *s, int ret)
{
	if (ret)
		return EXIT_ERROR;
	if (s->signal && s->signal != SIGINT)
		return 128 + s->signal;
	return s->signal ? EXIT_OK : s->status;
}
