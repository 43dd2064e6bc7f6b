// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace why
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/filedelays.h"
#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/whyjson.h"
#include "cmd/whytext.h"
#include "lib/log.h"

#define DEFAULT_WORST	5
#define MAX_WORST	1000

static const char doc[] =
	"Prints the worst delays of each vCPU, and what was to blame for each. A delay\n"
	"is from an exit of the guest to the entry after it; or, if the guest was idle,\n"
	"from the wake-up of the vCPU's task to the entry. Its parts are what the vCPU\n"
	"waited for:\n"
	"  * another task, or nothing, ran where the vCPU's task could run;\n"
	"  * the host's kernel, by system call, interrupt, softirq or lock; its sleep;\n"
	"  * user space of the VMM;\n"
	"  * EL2, by reason and hypercall, with TLB flushes, and firmware.\n"
	"The parts add up to the delay exactly. A part that cannot be known is shown as\n"
	"unknown.\n"
	"\vMost parts need events that record has off by default: use record --why. The\n"
	"first lines say what is not known without them. --cpus chooses delays that end\n"
	"on one of these CPUs. The last line has the number of times that a vCPU was\n"
	"idle, of delays in which events of the hypervisor were lost, and of delays\n"
	"that the end of the recording cut; these are not measured.\n"
	"\n"
	"With each delay, there is a link to its place in the page that hyptrace export\n"
	"--html writes for FILE.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, or if FILE is corrupt in places; 2 for\n"
	"a wrong command line.";

enum { OPT_VCPU = CMDLINE_KEYS, OPT_TASK, OPT_OVER, OPT_TIME, OPT_TIMELINE };

static const struct argp_option options[] = {
	{ "worst", 'n', "N", 0, "print N delays of each vCPU [5]", 0 },
	{ "vcpu", OPT_VCPU, "VCPU", 0,
	  "only vCPUs with this number, or VM:NUMBER, such as 1 or 0x1003:0", 0 },
	{ "task", OPT_TASK, "TASK", 0, "only vCPUs that this task runs, a PID or a name", 0 },
	{ "over", OPT_OVER, "TIME", 0, "only delays of at least TIME, such as 500us or 2ms", 0 },
	{ "time", OPT_TIME, "TIMES", 0,
	  "only delays between FROM,TO, timestamps in seconds, such as 12.5,13 or 12.5,",
	  0 },
	{ "timeline", OPT_TIMELINE, NULL, 0, "also print the pieces of each delay", 0 },
	{ "json", 'j', NULL, 0, "print one JSON document, all times in ns", 0 },
	{ 0 }
};

struct options {
	struct input in;
	struct worst_rule rule;
	struct why_how how;
};

static int set_vcpu(struct options *o, const char *arg)
{
	const char *at = arg;

	o->how.has_vm = strchr(arg, ':');
	o->how.has_vcpu = true;
	if (o->how.has_vm) {
		at = parse_id(at, UINT32_MAX, &o->how.vm);
		at = at && *at == ':' ? at + 1 : NULL;
	}
	if (at)
		at = parse_id(at, UINT32_MAX, &o->how.vcpu);
	if (at && !*at)
		return 0;
	return log_error("bad vCPU '%s': expected its number, or VM:NUMBER as report prints vm and vcpu",
			 arg);
}

static int set_over(struct options *o, const char *arg)
{
	if (!parse_ns(arg, &o->rule.over))
		return 0;
	return log_error("bad time '%s': expected a whole number followed by ns, us, ms or s",
			 arg);
}

static int set_time(struct options *o, const char *arg)
{
	const char *at = arg;

	o->rule.from = 0;
	o->rule.to = UINT64_MAX;
	if (*at != ',')
		at = parse_stamp(at, &o->rule.from);
	if (at && *at == ',' && at[1])
		at = parse_stamp(at + 1, &o->rule.to);
	else if (at)
		at = *at == ',' && at != arg ? at + 1 : NULL;
	if (at && !*at && o->rule.from <= o->rule.to)
		return 0;
	return log_error("bad times '%s': expected FROM,TO in seconds, as report prints them",
			 arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 'n':
		return cmdline_told(cmdline_number("number of delays", arg, MAX_WORST,
						   &o->rule.nr));
	case OPT_VCPU:
		return cmdline_told(set_vcpu(o, arg));
	case OPT_TASK:
		o->how.task = arg;
		return 0;
	case OPT_OVER:
		return cmdline_told(set_over(o, arg));
	case OPT_TIME:
		return cmdline_told(set_time(o, arg));
	case OPT_TIMELINE:
		o->how.timeline = true;
		return 0;
	case 'j':
		o->how.json = true;
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
	struct filedelays *f = filedelays_read(d, &o->rule);
	int ret;

	if (!f)
		return -1;
	ret = o->how.json ? why_json(f, &o->how, stdout) : why_text(f, &o->how, stdout);
	ret = corrupt_tell(&f->corrupt, d) ?: ret;
	filedelays_free(f);
	return ret;
}

static int run(struct options *o)
{
	char *page = input_with_suffix(&o->in, ".html");
	int ret = EXIT_ERROR;

	o->rule.cpus = input_cpus(&o->in);
	o->how.page = page;
	if (page)
		ret = input_print(&o->in, print, o);
	free(page);
	return ret;
}

int why_main(int argc, char **argv)
{
	struct options o = {
		.in.want = 1, .rule.nr = DEFAULT_WORST, .rule.to = UINT64_MAX,
	};
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &o))
		ret = run(&o);
	input_free(&o.in);
	return ret;
}
