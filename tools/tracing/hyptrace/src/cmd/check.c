// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace check
 */
#include <stdio.h>

#include "analysis/filecheck.h"
#include "cmd/check.h"
#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "lib/log.h"
#include "lib/visible.h"

static void print_scope(const struct filecheck *k, const struct cpulist *cpus, FILE *out)
{
	if (!filecheck_entries(k))
		fprintf(out,
			"EL2 entries and exits not checked: needs hyp_enter and hyp_exit, without a filter\n");
	if (!filecheck_windows(k))
		fprintf(out,
			"windows not checked: needs kvm_entry, kvm_exit, hyp_enter and hyp_exit, without a filter\n");
	if (!filecheck_pages(k, cpus))
		fprintf(out,
			"transitions of pages not checked: needs mem_transition, and guest_mem if the kernel has it, without a filter, of all CPUs\n");
}

/* Return: 0 if all of its events are there */
static int print_guest(struct filecheck *k, const struct datr *d, unsigned int i, FILE *out)
{
	const struct datr_guest *g = datr_guest(d, i);
	struct guestcheck_result t;
	struct account_result a;

	filecheck_guest(k, i, &t, &a);
	fputs("guest ", out);
	visible_put(out, g->name);
	fprintf(out,
		": events=%llu violations=%llu skipped=%llu cut=%llu lost=%llu%s unaccounted=%llu max_skew_ns=%llu clock_error_ns=%llu\n",
		t.events, t.violations, t.skipped, t.cut, a.lost, lost_more(a.vague),
		a.unaccounted, t.max_skew, g->error);
	return a.unaccounted ? -1 : 0;
}

static int print_guests(struct filecheck *k, const struct datr *d, FILE *out)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < datr_nr_guests(d); i++) {
		if (print_guest(k, d, i, out))
			ret = -1;
	}
	return ret;
}

/* Return: 0 if all is well */
static int print_verdict(const struct filecheck_result *r, bool pages, FILE *out)
{
	const struct account_result *a = &r->account;
	const struct check_result *c = &r->order;

	if (r->calls)
		fprintf(out, "functions: calls=%llu\n", r->calls);
	if (pages)
		fprintf(out, "pages: transitions=%llu unknown=%llu refused=%llu\n",
			r->pages.done, r->pages.unknown, r->pages.refused);
	fprintf(out, "skipped: windows=%llu cut=%llu\n", c->skipped, c->cut);
	if (a->no_counters)
		log_error("no counters for %llu buffers in the file: expected a file that hyptrace record completed",
			  a->no_counters);
	fprintf(out,
		"check: events=%llu host_events=%llu windows=%llu violations=%llu lost=%llu%s unaccounted=%llu max_skew_ns=%llu\n",
		a->seen[HYP], a->seen[HOST], c->windows, r->violations, a->lost,
		lost_more(a->vague), a->unaccounted, c->max_skew);
	return r->violations || a->unaccounted || a->no_counters ? -1 : 0;
}

int check_file(struct datr *d, const struct cpulist *cpus, FILE *out)
{
	struct filecheck *k = filecheck_new(d, out);
	struct filecheck_result r;
	int ret;

	if (!k)
		return -1;
	print_scope(k, cpus, out);
	ret = filecheck_run(k, cpus, &r);
	if (!ret) {
		ret = cpus ? 0 : print_guests(k, d, out);
		ret |= print_verdict(&r, filecheck_pages(k, cpus), out);
	}
	filecheck_free(k);
	return corrupt_tell(&r.corrupt, d) ?: ret;
}

/* The command line */

static const char doc[] =
	"Checks that a recording is in order and complete, by these rules on each CPU:\n"
	"  * time goes forward, on the host's side and on the hypervisor's;\n"
	"  * EL2 is entered and left in turn, and all other hypervisor events are in\n"
	"    between, but for those of functions;\n"
	"  * calls of functions are nested: each return is that of the innermost call;\n"
	"  * kvm_entry and kvm_exit of the host alternate; the time between is a\n"
	"    window;\n"
	"  * each guest run at EL2 lies inside of one window, and each window has one;\n"
	"  * all events that the kernel counted are in the file, or reported as lost.\n"
	"Of each guest (see hyptrace merge):\n"
	"  * its events lie between a vcpu_enter and the vcpu_exit of their vCPU, up to\n"
	"    the error of its clock.\n"
	"On all CPUs together:\n"
	"  * each page that changes hands is in a state in which EL2 may do that.\n"
	"\vA rule is skipped, with a message, if it needs events that were not recorded,\n"
	"or were recorded with a filter. Violations are printed with their CPU and\n"
	"time, at most 20 of them. The last lines have the numbers:\n"
	"\n"
	"  guest    a line for each guest: its events; those that were not checked\n"
	"           since hypervisor events were lost there (skipped), or since they\n"
	"           are outside of the recording of the host (cut)\n"
	"  pages    pages that changed hands; those whose state before was not known;\n"
	"           those for which EL2 refused it\n"
	"  skipped  windows that were not checked since events were lost in them, or\n"
	"           since the start or the end of the recording cut them\n"
	"  check    windows that were checked; unaccounted events, which are neither in\n"
	"           the file nor counted as lost; max_skew_ns, how far a guest run\n"
	"           extends beyond its window\n"
	"\n"
	"Exit status: 0 if there is no violation; 1 for a violation or an error; 2 for\n"
	"a wrong command line.";

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

	return input_main(&argp, argc, argv, &in, &in, print);
}
