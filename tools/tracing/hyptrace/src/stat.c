// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace stat
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"
#include "commands.h"
#include "log.h"
#include "merge.h"
#include "stat.h"
#include "statread.h"

/**
 * struct reading - a file being read
 * @d:		the file
 * @cpus:	the CPUs to look at, NULL for all
 * @watch:	who looks on, or NULL
 * @account:	counts events
 * @stats:	what is made of them
 * @out:	what comes out
 */
struct reading {
	struct datr *d;
	const struct cpulist *cpus;
	const struct stat_watch *watch;
	struct account *account;
	struct statread *stats;
	struct stat_data *out;
};

static bool is_chosen(const struct reading *r, unsigned int cpu)
{
	return !r->cpus || cpulist_has(r->cpus, cpu);
}

static int take_event(struct reading *r, const struct merged *ev)
{
	bool hyp = buffer_is_hyp(datr_buffer(r->d, ev->buffer));
	bool chosen = is_chosen(r, ev->cpu);

	if (chosen && r->watch &&
	    r->watch->event(r->watch->times.ctx, r->out->db, ev))
		return -1;
	return statread_feed(r->stats, ev, hyp, chosen);
}

/* All CPUs' events, as the first and the last one give the time */
static int walk_events(struct reading *r)
{
	struct merge *m = merge_new(r->d, NULL);
	struct merged ev;
	int ret = m ? 0 : -1;

	while (!ret && merge_next(m, &ev)) {
		account_feed(r->account, &ev);
		ret = take_event(r, &ev);
	}
	merge_free(m);
	return ret;
}

static int add_all_cpus(struct reading *r)
{
	const struct datr_buffer *b;
	unsigned int i, j;

	for (i = 0; i < datr_nr_buffers(r->d); i++) {
		b = datr_buffer(r->d, i);
		for (j = 0; j < b->nr_cpus; j++) {
			if (times_add_cpu(r->out->times, b->cpu[j].cpu))
				return -1;
		}
	}
	return 0;
}

static int add_cpus(struct reading *r)
{
	unsigned int i;

	if (!r->cpus)
		return add_all_cpus(r);
	for (i = 0; i < r->cpus->nr; i++) {
		if (times_add_cpu(r->out->times, r->cpus->cpu[i]))
			return -1;
	}
	return 0;
}

static int begin(struct reading *r)
{
	bool switches = datr_enabled(r->d, "sched/sched_switch");
	struct evdb *db = evdb_load(r->d);

	if (!db)
		return -1;
	r->stats = statread_new(db, switches, false);
	if (!r->stats) {
		evdb_free(db);
		return -1;
	}
	r->out = statread_data(r->stats);
	r->account = account_new(r->d);
	if (!r->account)
		return -1;
	if (r->watch)
		times_set_watch(r->out->times, &r->watch->times);
	return add_cpus(r);
}

static int finish(struct reading *r)
{
	if (statread_finish(r->stats))
		return -1;
	account_finish(r->account, r->cpus, NULL, &r->out->events);
	return 0;
}

static int check_events(const struct datr *d)
{
	static const char enter[] = "hypervisor/hyp_enter", leave[] = "hypervisor/hyp_exit";

	if (datr_enabled(d, enter) && datr_enabled(d, leave))
		return 0;
	return log_error("%s: hyp_enter and hyp_exit were %s: want a file of hyptrace record with all of both",
			 datr_name(d), datr_filtered(d, enter) || datr_filtered(d, leave) ?
			 "filtered" : "not recorded");
}

static int read_events(struct reading *r)
{
	if (check_events(r->d))
		return -1;
	if (begin(r) || walk_events(r))
		return -1;
	return finish(r);
}

struct statread *stat_read(struct datr *d, const struct cpulist *cpus,
			   const struct stat_watch *watch)
{
	struct reading r = { .d = d, .cpus = cpus, .watch = watch };
	int ret = read_events(&r);

	account_free(r.account);
	if (!ret)
		return r.stats;
	stat_free(r.stats);
	return NULL;
}

void stat_free(struct statread *s)
{
	struct evdb *db = s ? statread_data(s)->db : NULL;

	statread_free(s);
	evdb_free(db);
}

int stat_check(struct statread *s, const struct datr *d)
{
	return datr_corrupt(d, statread_data(s)->corrupt);
}

int stat_file(struct datr *d, const struct cpulist *cpus, bool json,
	      bool histogram, FILE *out)
{
	struct statread *s = stat_read(d, cpus, NULL);
	int ret;

	if (!s)
		return -1;
	if (json)
		stat_print_json(statread_data(s), histogram, out);
	else
		stat_print_text(statread_data(s), histogram, out);
	ret = stat_check(s, d);
	stat_free(s);
	return ret;
}

/* The command line */

static const char doc[] =
	"Says where time went while FILE was recorded: in the host, at EL2 or in\n"
	"guests. All times are microseconds, to the nanosecond; all shares are of the\n"
	"recording's time, from its first event to its last.\n"
	"\n"
	"  CPU        these times of each CPU; they add up to the recording's time\n"
	"  TASK       of each task; the host's part takes sched_switch\n"
	"  VCPU       of each vCPU, as VM:VCPU, and of the task that runs it\n"
	"  EL2 ENTRY  durations, from hyp_enter to hyp_exit, by reason; after a\n"
	"             guest's run by what ended it, if vcpu_exit was recorded\n"
	"  HYPERCALL  durations of the host's calls, without the time in a guest;\n"
	"             takes host_hcall\n"
	"  SWITCH     host kvm_entry to the guest, guest to kvm_exit\n"
	"\vPercentiles are exact: the least value that so many do not exceed. EL2's\n"
	"time has that of the firmware which it calls for the host. Where events were\n"
	"lost, time is 'unknown', and what they interrupt is not measured.\n"
	"\n"
	"Exit status: 0; 1 on errors; 2 for a wrong command line.";

static const struct argp_option options[] = {
	{ "histogram", 'H', NULL, 0, "also count durations by powers of two of ns", 0 },
	{ "json", 'j', NULL, 0, "one JSON document, all times in ns", 0 },
	{ 0 }
};

struct options {
	struct input in;
	bool histogram;
	bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 'H':
		o->histogram = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = doc,
	.children = cmdline_input,
};

static int print(struct datr *d, const void *options)
{
	const struct options *o = options;

	return stat_file(d, input_cpus(&o->in), o->json, o->histogram, stdout);
}

int stat_main(int argc, char **argv)
{
	struct options o = { .in.want = 1 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &o))
		ret = input_print(&o.in, print, &o);
	input_free(&o.in);
	return ret;
}
