// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace stat
 */
#include <stdio.h>

#include "analysis/fileprofile.h"
#include "analysis/profilejson.h"
#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/profiletext.h"
#include "cmd/stat.h"
#include "cmd/statsort.h"
#include "cmd/table.h"

/* At most so many of the longest durations */
#define MAX_SLOWEST	100000

static int print_profile(const struct profile *s, const struct stat_how *how,
			 const struct slowest *slowest, FILE *out)
{
	const struct profilejson json = {
		.histogram = how->histogram, .top = how->table.top,
		.slowest = how->slowest ? slowest : NULL,
	};
	const struct profiletext text = {
		.unit = how->table.unit, .width = how->table.width, .histogram = how->histogram,
		.part = scopeargs_given(&how->table.part), .top = how->table.top,
		.slowest = json.slowest,
	};

	if (!how->table.json)
		return profile_print_text(s, &text, out);
	profile_print_json(s, &json, out);
	return 0;
}

static int print_part(struct datr *d, struct profiler *s, const struct stat_how *how,
		      const struct slowest *slowest, FILE *out)
{
	struct profile *profile = profiler_profile(s);

	if (scopeargs_given(&how->table.part) && scopeargs_check(&how->table.part, d, profile))
		return -1;
	if (how->sorted)
		statsort(profile, how->sort);
	if (print_profile(profile, how, slowest, out))
		return -1;
	return fileprofile_check(s, d);
}

static struct profiler *read_part(struct datr *d, const struct cpulist *cpus,
				  const struct stat_how *how, struct slowest *slowest)
{
	const struct profile_watch watch = {
		.times = { .ctx = slowest, .stay = slowest_stay, .way = slowest_way },
	};
	struct scope scope;

	if ((how->slowest && slowest_init(slowest, how->slowest)) ||
	    scopeargs_resolve(&how->table.part, d, &scope))
		return NULL;
	return fileprofile_read_scope(d, cpus, scopeargs_given(&how->table.part) ? &scope : NULL,
				      how->slowest ? &watch : NULL);
}

int stat_file(struct datr *d, const struct cpulist *cpus, const struct stat_how *how,
	      FILE *out)
{
	struct slowest slowest = { 0 };
	struct profiler *s = read_part(d, cpus, how, &slowest);
	int ret = s ? print_part(d, s, how, &slowest, out) : -1;

	fileprofile_free(s);
	slowest_free(&slowest);
	return ret;
}

/* The command line */

static const char doc[] =
	"Prints where time went in a recording: the host, EL2 and guests. Shares, in %,\n"
	"are relative to the recording's time, from its first event to its last, or to\n"
	"that of --time: 100 is one CPU all the time. Each table ends with its total,\n"
	"whose shares are of the time of all CPUs together.\n"
	"\n"
	"  CPU        the time of each CPU at EL2, in guests, and in the host: in\n"
	"             tasks, in handlers of interrupts (irq) and of softirqs, and idle\n"
	"  TASK       the same for each task; the host's part needs sched_switch\n"
	"  VCPU       the same for each vCPU, as VM:VCPU, with the task that runs it;\n"
	"             needs vcpu_enter\n"
	"  EL2 ENTRY  the durations from hyp_enter to hyp_exit, by reason; after a\n"
	"             guest's run, by what ended the run, which needs vcpu_exit\n"
	"  HYPERCALL  the durations of each hypercall, without the time in a guest;\n"
	"             needs host_hcall\n"
	"  SWITCH     the latency of a world switch: from the host's kvm_entry to the\n"
	"             guest, and from the guest to kvm_exit\n"
	"\vPercentiles are exact: the smallest duration that the given share of all\n"
	"durations does not exceed. EL2's time includes that of the firmware which it\n"
	"calls for the host. Where events were lost, time is unknown, and a duration\n"
	"that the loss interrupts is counted but not measured.\n"
	"\n"
	"With --time, EL2 entries and switches count if they begin in that time. The\n"
	"events and lost events of the first line are always those of the recording.\n"
	"On a terminal, columns that do not fit are left out; a pipe gets all.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, or if FILE is corrupt in places; 2 for\n"
	"a wrong command line.";

static const struct argp_option options[] = {
	{ "histogram", 'H', NULL, 0,
	  "also print histograms of durations, by powers of two of ns", 0 },
	{ "sort", 's', "COLUMN", 0,
	  "sort the tables that have this column by it: name, count, total, mean, min, p50, p90, p99, p99.9, max, entries, task, EL2, guest, irq, softirq, idle or unknown",
	  0 },
	{ "slowest", 'S', "N", 0,
	  "also list the N longest EL2 entries and switches, with their timestamps", 0 },
	{ 0 }
};

struct options {
	struct input in;
	struct stat_how how;
};

static int set_sort(struct stat_how *how, const char *arg)
{
	int key = statsort_key(arg);

	how->sorted = true;
	how->sort = key;
	return key < 0 ? -1 : 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->how.table;
		state->child_inputs[1] = &o->in;
		return 0;
	case 'H':
		o->how.histogram = true;
		return 0;
	case 's':
		return cmdline_told(set_sort(&o->how, arg));
	case 'S':
		return cmdline_told(cmdline_number("slowest", arg, MAX_SLOWEST, &o->how.slowest));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &table_argp, 0, NULL, 0 },
	{ &input_argp, 0, NULL, 0 },
	{ 0 }
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = doc,
	.children = children,
};

static int print(struct datr *d, const void *options)
{
	const struct options *o = options;

	return stat_file(d, input_cpus(&o->in), &o->how, stdout);
}

int stat_main(int argc, char **argv)
{
	struct options o = { .in.want = 1, .how.table.width = table_width() };

	return input_main(&argp, argc, argv, &o, &o.in, print);
}
