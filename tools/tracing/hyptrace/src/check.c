// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace check
 */
#include <stdio.h>

#include "account.h"
#include "check.h"
#include "checker.h"
#include "cmdline.h"
#include "commands.h"
#include "evdb.h"
#include "log.h"
#include "merge.h"

/**
 * struct check - a check in progress
 * @d:		the file
 * @db:		its events
 * @account:	counts them
 * @checker:	looks at their order
 * @out:	where the findings go
 * @corrupt:	corrupt places so far
 */
struct check {
	struct datr *d;
	struct evdb *db;
	struct account *account;
	struct checker *checker;
	FILE *out;
	u64 corrupt;
};

static int check_event(const struct check *k, const struct merged *ev)
{
	struct check_event c = {
		.cpu = ev->cpu, .ts = ev->ev.ts, .lost = ev->lost,
		.hyp = buffer_is_hyp(datr_buffer(k->d, ev->buffer)),
	};

	if (!ev->ev.data) {
		checker_violation(k->checker, ev->cpu, ev->ev.ts,
				  "corrupt sub-buffer at file offset %llu",
				  ev->offset);
		return 0;
	}
	c.kind = evdb_kind(k->db, &ev->ev, &c.reason);
	c.name = evdb_name(k->db, &ev->ev);
	return checker_feed(k->checker, &c);
}

static int walk_events(struct check *k, const struct cpulist *cpus)
{
	struct merge *m = merge_new(k->d, cpus);
	struct merged ev;
	int ret = m ? 0 : -1;

	while (!ret && merge_next(m, &ev)) {
		account_feed(k->account, &ev);
		k->corrupt += !ev.ev.data;
		ret = check_event(k, &ev);
	}
	merge_free(m);
	return ret;
}

/* Return: 0 if all is well */
static int print_verdict(struct check *k, const struct cpulist *cpus)
{
	struct check_result c;
	struct account_result a;

	account_finish(k->account, cpus, k->out, &a);
	checker_finish(k->checker, a.no_counters, &c);
	fprintf(k->out, "skipped: windows=%llu cut=%llu\n", c.skipped, c.cut);
	if (a.no_counters)
		log_error("no counters for %llu buffers in the file: want one made by hyptrace record",
			  a.no_counters);
	fprintf(k->out,
		"check: events=%llu host_events=%llu windows=%llu violations=%llu lost=%llu%s unaccounted=%llu max_skew_ns=%llu\n",
		a.seen[1], a.seen[0], c.windows, c.violations, a.lost,
		lost_more(a.vague), a.unaccounted, c.max_skew);
	return c.violations || a.unaccounted || a.no_counters ? -1 : 0;
}

static int open_checker(struct check *k)
{
	bool host = datr_enabled(k->d, "kvm/kvm_entry") &&
		    datr_enabled(k->d, "kvm/kvm_exit");
	bool hyp = datr_enabled(k->d, "hypervisor/hyp_enter") &&
		   datr_enabled(k->d, "hypervisor/hyp_exit");

	if (!hyp)
		fprintf(k->out,
			"turns of EL2 not checked: that takes all of hyp_enter and hyp_exit\n");
	if (!host || !hyp)
		fprintf(k->out,
			"windows not checked: that takes all of kvm_entry, kvm_exit, hyp_enter and hyp_exit\n");
	k->checker = checker_new(host, hyp, k->out);
	return k->checker ? 0 : -1;
}

int check_file(struct datr *d, const struct cpulist *cpus, FILE *out)
{
	struct check k = { .d = d, .out = out };
	int ret = -1;

	k.db = evdb_load(d);
	k.account = account_new(d);
	if (k.db && k.account && !open_checker(&k))
		ret = walk_events(&k, cpus);
	if (!ret)
		ret = print_verdict(&k, cpus);
	ret = datr_corrupt(d, k.corrupt) ?: ret;
	checker_free(k.checker);
	account_free(k.account);
	evdb_free(k.db);
	return ret;
}

/* The command line */

static const char doc[] =
	"Checks a recording: on each CPU, time goes forward, EL2 is entered and left\n"
	"in turn, and each guest run at EL2 lies inside of the host's kvm_entry and\n"
	"kvm_exit; no event is missing or there twice by the kernel's counters.\n"
	"\vWhat breaks a rule is told, at most 20 times. The last line has the numbers:\n"
	"windows are pairs of kvm_entry and kvm_exit; those in which events were lost\n"
	"are skipped, those that the ends of the recording cut are not looked at;\n"
	"unaccounted events are neither in the file nor counted as lost; max_skew_ns\n"
	"is how far a guest run reaches out of its window.\n"
	"\n"
	"Exit status: 0; 1 if a rule is broken, or on errors; 2 for a wrong command\n"
	"line.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "FILE",
	.doc = doc,
	.children = cmdline_input,
};

static int print(struct datr *d, const void *in)
{
	return check_file(d, input_cpus(in), stdout);
}

int check_main(int argc, char **argv)
{
	struct input in = { .want = 1 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &in))
		ret = input_print(&in, print, &in);
	input_free(&in);
	return ret;
}
