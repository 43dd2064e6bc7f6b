// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of record, live and top. See sessionargs.h.
 */
#include <stdlib.h>

#include "cmd/cmdline.h"
#include "cmd/sessionargs.h"
#include "lib/array.h"
#include "lib/log.h"

#define DEFAULT_KB		"1024"
#define MAX_KB			BIT(30)

static int bad_option(const char *what, const char *value, const char *want)
{
	log_error("bad %s '%s': expected %s", what, value, want);
	return -1;
}

static int set_size(struct session_options *o, const char *arg)
{
	u64 kb;

	if (parse_number(arg, MAX_KB, &kb))
		return bad_option("buffer size", arg,
				  "a number of kilobytes from 1 to 1073741824");
	o->size_kb = arg;
	return 0;
}

static int set_duration(struct session_options *o, const char *arg)
{
	if (parse_duration(arg, &o->duration_ms))
		return bad_option("duration", arg,
				  "a whole number followed by ms, s, m or h");
	return 0;
}

static int set_cpus(struct session_options *o, const char *arg)
{
	cpulist_free(&o->cpus);
	return cpulist_parse(arg, &o->cpus);
}

static int add_choice(struct session_options *o, enum side side, const char *name)
{
	struct choices *c = &o->events[side];

	if (array_room(&c->choice, &c->room, c->nr + 1, sizeof(*c->choice)))
		return log_oom();
	o->last = &c->choice[c->nr++];
	*o->last = (struct choice) { .name = name, .filter = "" };
	return 0;
}

static int add_filter(struct session_options *o, const char *filter)
{
	if (!o->last)
		return log_error("no event before the filter '%s': expected -e EVENT or -E EVENT first",
				 filter);
	if (*o->last->filter)
		return log_error("two filters for '%s': combine them with &&",
				 o->last->name);
	o->last->filter = filter;
	return 0;
}

enum { OPT_REMOTE = SESSION_KEYS, OPT_OVERWRITE, OPT_NO_OVERWRITE };

static const struct argp_option session_options[] = {
	{ "event", 'e', "EVENT", 0,
	  "host event to trace: SYSTEM:NAME, SYSTEM or NAME; can be repeated [kvm:kvm_entry kvm:kvm_exit sched:sched_switch]",
	  0 },
	{ "hyp-event", 'E', "EVENT", 0,
	  "hypervisor event to trace; can be repeated [all; for top, those it needs]", 0 },
	{ "filter", 'f', "FILTER", 0,
	  "filter the event of the preceding -e or -E, such as 'vcpu == 0 && reason != 2'", 0 },
	{ "buffer-size", 'b', "KB", 0,
	  "size of each ring buffer per CPU, in KB [" DEFAULT_KB "]", 0 },
	{ "overwrite", OPT_OVERWRITE, NULL, 0,
	  "when a buffer is full, overwrite its oldest events [default]", 0 },
	{ "no-overwrite", OPT_NO_OVERWRITE, NULL, 0, "when a buffer is full, drop new events", 0 },
	{ "clock", 'C', "CLOCK", 0,
	  "trace clock of host and hypervisor [the hypervisor's current one]", 0 },
	{ "cpus", 'P', "CPULIST", 0,
	  "read the events of these CPUs only, such as 0,2-3 [all that are online]", 0 },
	{ "duration", 'd', "TIME", 0, "stop after TIME, such as 500ms, 10s, 2m or 1h", 0 },
	{ "remote", OPT_REMOTE, "REMOTE", 0,
	  "name of a trace remote, or path of a trace directory [hypervisor]", 0 },
	{ 0 }
};

static error_t parse_session(int key, char *arg, struct argp_state *state)
{
	struct session_options *o = state->input;

	switch (key) {
	case 'e':
		return cmdline_told(add_choice(o, HOST, arg));
	case 'E':
		return cmdline_told(add_choice(o, HYP, arg));
	case 'f':
		return cmdline_told(add_filter(o, arg));
	case 'b':
		return cmdline_told(set_size(o, arg));
	case 'C':
		o->clock = arg;
		return 0;
	case 'P':
		return cmdline_told(set_cpus(o, arg));
	case 'd':
		return cmdline_told(set_duration(o, arg));
	case OPT_OVERWRITE:
	case OPT_NO_OVERWRITE:
		o->overwrite = key == OPT_OVERWRITE;
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

static const struct argp session_argp = {
	.options = session_options,
	.parser = parse_session,
};

const struct argp_child session_args[] = {
	{ &session_argp, 0, NULL, 0 },
	{ 0 }
};

int session_main(const struct argp *argp, int argc, char **argv, void *options,
		 struct session_options *s, int (*run)(const void *options))
{
	int ret = EXIT_USAGE;

	s->size_kb = DEFAULT_KB;
	s->overwrite = true;
	/* Arguments after COMMAND belong to COMMAND */
	if (!cmdline_parse(argp, argc, argv, ARGP_IN_ORDER, options))
		ret = run(options);
	free(s->events[HOST].choice);
	free(s->events[HYP].choice);
	cpulist_free(&s->cpus);
	strlist_free(&s->functions);
	return ret;
}
