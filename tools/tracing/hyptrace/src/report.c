// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace report
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "check.h"
#include "cmdline.h"
#include "commands.h"
#include "datr.h"
#include "evdb.h"
#include "log.h"
#include "merge.h"
#include "report.h"

/**
 * struct report - a report in progress
 * @d:		the file
 * @db:		its events
 * @account:	counts them
 * @checker:	for --check, else NULL
 * @out:	where the text goes
 * @corrupt:	corrupt places so far
 */
struct report {
	struct datr *d;
	struct evdb *db;
	struct account *account;
	struct checker *checker;
	FILE *out;
	u64 corrupt;
};

static bool is_hyp(const struct report *r, const struct merged *ev)
{
	return buffer_is_hyp(datr_buffer(r->d, ev->buffer));
}

static void print_place(const struct report *r, const struct merged *ev)
{
	fprintf(r->out, "[%03u] %5llu.%09llu %-4s ", ev->cpu,
		ev->ev.ts / NSEC_PER_SEC,
		ev->ev.ts % NSEC_PER_SEC,
		is_hyp(r, ev) ? "hyp" : "host");
}

static void print_lost(const struct report *r, const struct merged *ev)
{
	print_place(r, ev);
	if (ev->lost == RBPAGE_LOST_UNKNOWN)
		fprintf(r->out, "*** events lost, their number is not known\n");
	else
		fprintf(r->out, "*** %llu events lost\n", ev->lost);
}

static void print_event(const struct report *r, const struct merged *ev)
{
	if (ev->lost)
		print_lost(r, ev);
	print_place(r, ev);
	if (ev->ev.data)
		evdb_print(r->db, r->out, &ev->ev, ev->cpu);
	else
		fprintf(r->out, "*** corrupt sub-buffer at file offset %llu",
			ev->offset);
	fputc('\n', r->out);
}

static int check_event(const struct report *r, const struct merged *ev)
{
	struct check_event c = {
		.cpu = ev->cpu, .hyp = is_hyp(r, ev), .ts = ev->ev.ts,
		.lost = ev->lost,
	};

	if (!ev->ev.data) {
		checker_violation(r->checker, ev->cpu, ev->ev.ts,
				  "corrupt sub-buffer at file offset %llu",
				  ev->offset);
		return 0;
	}
	c.kind = evdb_kind(r->db, &ev->ev, &c.reason);
	c.name = evdb_name(r->db, &ev->ev);
	return checker_feed(r->checker, &c);
}

static int walk_events(struct report *r, const struct cpulist *cpus)
{
	struct merge *m = merge_new(r->d, cpus);
	struct merged ev;
	int ret = m ? 0 : -1;

	while (!ret && merge_next(m, &ev)) {
		account_feed(r->account, &ev);
		r->corrupt += !ev.ev.data;
		if (r->checker)
			ret = check_event(r, &ev);
		else
			print_event(r, &ev);
	}
	merge_free(m);
	return ret;
}

static void print_totals(struct report *r, const struct cpulist *cpus)
{
	struct account_result a;

	account_finish(r->account, cpus, NULL, &a);
	fprintf(r->out, "total: events=%llu host_events=%llu lost=%llu corrupt=%llu\n",
		a.seen[1], a.seen[0], a.lost, r->corrupt);
}

/* Return: 0 if all is well */
static int print_verdict(struct report *r, const struct cpulist *cpus)
{
	struct check_result c;
	struct account_result a;

	if (checker_finish(r->checker, &c))
		return -1;
	account_finish(r->account, cpus, r->out, &a);
	fprintf(r->out, "skipped: windows=%llu cut=%llu\n", c.skipped, c.cut);
	if (a.no_counters)
		log_error("no counters for %llu buffers in the file: want one made by hyptrace record",
			  a.no_counters);
	fprintf(r->out,
		"check: events=%llu host_events=%llu windows=%llu violations=%llu lost=%llu unaccounted=%llu max_skew_ns=%llu\n",
		a.seen[1], a.seen[0], c.windows, c.violations, a.lost,
		a.unaccounted, c.max_skew);
	return c.violations || a.unaccounted || a.no_counters ? -1 : 0;
}

static int open_checker(struct report *r)
{
	bool host = datr_enabled(r->d, "kvm/kvm_entry") &&
		    datr_enabled(r->d, "kvm/kvm_exit");
	bool hyp = datr_enabled(r->d, "hypervisor/hyp_enter") &&
		   datr_enabled(r->d, "hypervisor/hyp_exit");

	if (!host || !hyp)
		fprintf(r->out,
			"windows not checked: that takes kvm_entry, kvm_exit, hyp_enter and hyp_exit\n");
	r->checker = checker_new(host, hyp, r->out);
	return r->checker ? 0 : -1;
}

int report_file(struct datr *d, const struct cpulist *cpus, bool check,
		FILE *out)
{
	struct report r = { .d = d, .out = out };
	int ret = -1;

	r.db = evdb_load(d);
	r.account = account_new(d);
	if (!r.db || !r.account || (check && open_checker(&r)))
		goto out;
	ret = walk_events(&r, cpus);
	if (!ret && check)
		ret = print_verdict(&r, cpus);
	else if (!ret)
		print_totals(&r, cpus);
	if (r.corrupt)
		ret = log_error("%llu corrupt sub-buffers", r.corrupt);
out:
	checker_free(r.checker);
	account_free(r.account);
	evdb_free(r.db);
	return ret;
}

/* The command line */

static const char doc[] =
	"Prints the events of FILE by time, one line each:\n"
	"    [CPU] SECONDS host|hyp COMM-PID EVENT: FIELDS\n"
	"\vExit status: 0; 1 on errors, or if --check found something; 2 for a wrong\n"
	"command line.";

static const struct argp_option options[] = {
	{ "check", 'c', NULL, 0,
	  "print no events, but check their order, their nesting and that none is missing",
	  0 },
	{ 0 }
};

struct options {
	struct input in;
	bool check;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 'c':
		o->check = true;
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

static int run(const struct options *o)
{
	struct datr *d = datr_open(o->in.path[0]);
	int ret;

	if (!d)
		return EXIT_ERROR;
	ret = report_file(d, input_cpus(&o->in), o->check, stdout);
	datr_free(d);
	return cmdline_exit(ret);
}

int report_main(int argc, char **argv)
{
	struct options o = { .in.want = 1 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &o))
		ret = run(&o);
	input_free(&o.in);
	return ret;
}
