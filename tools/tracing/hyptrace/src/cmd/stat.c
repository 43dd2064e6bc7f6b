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

int stat_file(struct datr *d, const struct cpulist *cpus, bool json,
	      bool histogram, FILE *out)
{
	struct profiler *s = fileprofile_read(d, cpus, NULL);
	int ret;

	if (!s)
		return -1;
	if (json)
		profile_print_json(profiler_profile(s), histogram, out);
	else
		profile_print_text(profiler_profile(s), histogram, out);
	ret = fileprofile_check(s, d);
	fileprofile_free(s);
	return ret;
}

/* The command line */

static const char doc[] =
	"Prints where time went in a recording: the host, EL2 and guests. Times are in\n"
	"microseconds; shares are relative to the recording's time, from its first\n"
	"event to its last.\n"
	"\n"
	"  CPU        the time of each CPU in the host, at EL2 and in guests\n"
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
	"Exit status: 0 on success; 1 on errors, or if FILE is corrupt in places; 2 for\n"
	"a wrong command line.";

static const struct argp_option options[] = {
	{ "histogram", 'H', NULL, 0,
	  "also print histograms of durations, by powers of two of ns", 0 },
	{ "json", 'j', NULL, 0, "print one JSON document, all times in ns", 0 },
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
