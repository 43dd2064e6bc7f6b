// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace report
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "cmdline.h"
#include "commands.h"
#include "datr.h"
#include "evdb.h"
#include "eventline.h"
#include "json.h"
#include "log.h"
#include "merge.h"
#include "report.h"

#define MAX_CONTEXT	10000

/**
 * struct report - a report in progress
 * @d:		the file
 * @db:		its events
 * @account:	counts them
 * @how:	what the user wants
 * @out:	where the text goes
 * @line:	how a line of text is printed
 * @kept:	a ring of the events that may yet be printed as context
 * @nr_kept:	how many there are
 * @next_kept:	where the next one goes
 * @follow:	so many events will be printed as context
 * @left_out:	events were left out since the last line
 * @corrupt:	corrupt places so far
 */
struct report {
	struct datr *d;
	struct evdb *db;
	struct account *account;
	const struct report_how *how;
	FILE *out;
	struct eventline line;
	struct merged *kept;
	u64 nr_kept;
	u64 next_kept;
	u64 follow;
	bool left_out;
	u64 corrupt;
};

static bool is_hyp(const struct report *r, const struct merged *ev)
{
	return buffer_is_hyp(datr_buffer(r->d, ev->buffer));
}

/* As JSON */

static void json_place(struct report *r, const struct merged *ev)
{
	fprintf(r->out, "{\"ts\": %llu, \"cpu\": %u, \"side\": \"%s\"",
		ev->ev.ts, ev->cpu, is_hyp(r, ev) ? "hyp" : "host");
}

static void json_lost(struct report *r, const struct merged *ev)
{
	json_place(r, ev);
	if (ev->lost == RBPAGE_LOST_UNKNOWN)
		fputs(", \"lost\": null}\n", r->out);
	else
		fprintf(r->out, ", \"lost\": %llu}\n", ev->lost);
}

struct json_fields {
	FILE *out;
	unsigned int nr;
};

static void json_field(void *ctx, const struct evdb_value *v)
{
	struct json_fields *f = ctx;

	fputs(f->nr++ ? ", " : "", f->out);
	json_string(f->out, v->name);
	fputs(": ", f->out);
	if (v->string)
		json_bytes(f->out, v->string, v->length);
	else if (v->is_signed)
		fprintf(f->out, "%lld", (long long)v->integer);
	else
		fprintf(f->out, "%llu", v->integer);
}

static void json_event(struct report *r, const struct merged *ev,
		       const struct evdb_head *h)
{
	struct json_fields f = { .out = r->out };

	fputs(", \"system\": ", r->out);
	json_string(r->out, h->system);
	fputs(", \"event\": ", r->out);
	json_string(r->out, h->name);
	fprintf(r->out, ", \"pid\": %d, \"comm\": ", h->pid);
	json_string(r->out, evdb_comm(r->db, h->pid));
	fputs(", \"fields\": {", r->out);
	evdb_values(r->db, &ev->ev, json_field, &f);
	fputs("}, \"text\": ", r->out);
	json_string(r->out, evdb_text(r->db, &ev->ev, ev->cpu));
	fputs("}\n", r->out);
}

static void print_json(struct report *r, const struct merged *ev)
{
	struct evdb_head h;

	json_place(r, ev);
	if (!ev->ev.data)
		fprintf(r->out, ", \"corrupt_at\": %llu}\n", ev->offset);
	else if (evdb_head(r->db, &ev->ev, &h))
		json_event(r, ev, &h);
	else
		fprintf(r->out, ", \"unknown_bytes\": %u}\n", ev->ev.size);
}

/* What is printed */

static bool wanted_side(const struct report *r, const struct merged *ev)
{
	return is_hyp(r, ev) ? !r->how->no_hyp : !r->how->no_host;
}

static bool matches(const char *pattern, const struct evdb_head *h)
{
	const char *colon = strchr(pattern, ':');
	char system[64];

	if (!colon)
		return !fnmatch(pattern, h->name, 0);
	snprintf(system, sizeof(system), "%.*s", (int)(colon - pattern), pattern);
	return !fnmatch(system, h->system, 0) && !fnmatch(colon + 1, h->name, 0);
}

/* What is corrupt is always wanted */
static bool wanted_event(const struct report *r, const struct merged *ev)
{
	const struct strlist *events = &r->how->events;
	struct evdb_head h;
	unsigned int i;

	if (!events->nr || !ev->ev.data)
		return true;
	if (!evdb_head(r->db, &ev->ev, &h))
		return false;
	for (i = 0; i < events->nr; i++) {
		if (matches(events->str[i], &h))
			return true;
	}
	return false;
}

/* A loss is told by itself, before it may be decided that its event is left out */
static void print_event(struct report *r, const struct merged *ev)
{
	if (r->left_out && r->line.nr && r->how->context && !r->how->json)
		fputs("--\n", r->out);
	r->left_out = false;
	if (r->how->json)
		print_json(r, ev);
	else
		eventline_event(&r->line, ev, is_hyp(r, ev));
}

static void keep(struct report *r, const struct merged *ev)
{
	u64 context = r->how->context;

	if (r->nr_kept == context)
		r->left_out = true;
	if (!context)
		return;
	r->kept[r->next_kept] = *ev;
	r->next_kept = (r->next_kept + 1) % context;
	if (r->nr_kept < context)
		r->nr_kept++;
}

static void print_kept(struct report *r)
{
	u64 context = r->how->context, i;

	for (i = 0; i < r->nr_kept; i++)
		print_event(r, &r->kept[(r->next_kept + context - r->nr_kept + i) %
					context]);
	r->nr_kept = 0;
}

static void take_event(struct report *r, const struct merged *ev)
{
	if (!wanted_side(r, ev))
		return;
	if (ev->lost && r->how->json)
		json_lost(r, ev);
	else if (ev->lost)
		eventline_loss(&r->line, ev, is_hyp(r, ev));
	if (wanted_event(r, ev)) {
		print_kept(r);
		print_event(r, ev);
		r->follow = r->how->events.nr ? r->how->context : 0;
	} else if (r->follow) {
		print_event(r, ev);
		r->follow--;
	} else {
		keep(r, ev);
	}
}

static int walk_events(struct report *r, const struct cpulist *cpus)
{
	struct merge *m = merge_new(r->d, cpus);
	struct merged ev;

	if (!m)
		return -1;
	while (merge_next(m, &ev)) {
		account_feed(r->account, &ev);
		r->corrupt += !ev.ev.data;
		take_event(r, &ev);
	}
	merge_free(m);
	r->nr_kept = 0;
	r->follow = 0;
	return 0;
}

static bool has_cpu(const struct report *r, unsigned int cpu)
{
	if (r->how->cpus && !cpulist_has(r->how->cpus, cpu))
		return false;
	return datr_has_cpu(r->d, cpu);
}

static int walk_each_cpu(struct report *r)
{
	unsigned int cpu;
	struct cpulist one = { .nr = 1, .cpu = &cpu };
	int ret = 0;

	for (cpu = 0; !ret && cpu < MAX_CPUS; cpu++) {
		if (has_cpu(r, cpu))
			ret = walk_events(r, &one);
	}
	return ret;
}

static void print_totals(struct report *r)
{
	struct account_result a;

	account_finish(r->account, r->how->cpus, NULL, &a);
	fprintf(r->out, "total: events=%llu host_events=%llu lost=%llu%s corrupt=%llu\n",
		a.seen[1], a.seen[0], a.lost, lost_more(a.vague), r->corrupt);
}

static void find_pattern(void *ctx, const struct evdb_head *h)
{
	const char **pattern = ctx;

	if (*pattern && matches(*pattern, h))
		*pattern = NULL;
}

/* A pattern that can match nothing is a mistake */
static int check_patterns(const struct report *r)
{
	const struct strlist *events = &r->how->events;
	const char *pattern;
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		pattern = events->str[i];
		evdb_each(r->db, find_pattern, &pattern);
		if (pattern)
			return log_error("%s: no event '%s': want EVENT or SYSTEM:EVENT of the recorded systems",
					 datr_name(r->d), pattern);
	}
	return 0;
}

static int begin(struct report *r)
{
	r->line.out = r->out;
	r->line.time = r->how->time;
	r->db = evdb_load(r->d);
	r->line.db = r->db;
	r->account = account_new(r->d);
	if (!r->db || !r->account || check_patterns(r))
		return -1;
	if (r->how->context)
		r->kept = calloc(r->how->context, sizeof(*r->kept));
	if (r->how->context && !r->kept)
		return log_oom();
	return merge_first(r->d, &r->line.first);
}

int report_file(struct datr *d, const struct report_how *how, FILE *out)
{
	struct report r = { .d = d, .how = how, .out = out };
	int ret = begin(&r);

	if (!ret)
		ret = how->per_cpu ? walk_each_cpu(&r) :
				     walk_events(&r, how->cpus);
	if (!ret && !how->json)
		print_totals(&r);
	ret = datr_corrupt(d, r.corrupt) ?: ret;
	free(r.kept);
	account_free(r.account);
	evdb_free(r.db);
	return ret;
}

/* The command line */

static const char doc[] =
	"Prints the events of FILE by time, one line each:\n"
	"    [CPU] SECONDS host|hyp COMM-PID EVENT: FIELDS\n"
	"and losses where they happened.\n"
	"\vA line of --json has ts (ns), cpu, side (host or hyp), and of an event\n"
	"system, event, pid, comm, fields and text; of a loss lost, a number or null;\n"
	"of a corrupt sub-buffer corrupt_at, the offset in the file; of an event that\n"
	"the file does not describe unknown_bytes.\n"
	"\n"
	"Exit status: 0; 1 on errors, or if FILE is corrupt in places; 2 for a wrong\n"
	"command line.";

enum { OPT_HOST_ONLY = CMDLINE_KEYS, OPT_HYP_ONLY, OPT_PER_CPU };

static const struct argp_option options[] = {
	{ "time", 't', "WHICH", 0,
	  "absolute: seconds of the trace clock; relative: since the recording's first event; delta: since the line before [absolute]",
	  0 },
	{ "host-only", OPT_HOST_ONLY, NULL, 0, "the host's events only", 0 },
	{ "hyp-only", OPT_HYP_ONLY, NULL, 0, "the hypervisor's events only", 0 },
	{ "event", 'e', "PATTERN", 0,
	  "only events whose EVENT, or SYSTEM:EVENT, matches, as in 'kvm:*'; can be given several times",
	  0 },
	{ "context", 'C', "N", 0, "with -e: also N events before and after each", 0 },
	{ "per-cpu", OPT_PER_CPU, NULL, 0, "one CPU after the other", 0 },
	{ "json", 'j', NULL, 0, "a JSON document a line, for scripts", 0 },
	{ 0 }
};

struct options {
	struct input in;
	struct report_how how;
};

static int set_time(struct options *o, const char *arg)
{
	static const char * const words[] = {
		[TIME_ABSOLUTE] = "absolute",
		[TIME_RELATIVE] = "relative",
		[TIME_DELTA]	= "delta",
		NULL
	};
	int word = cmdline_word("time", arg, words);

	o->how.time = word;
	return word < 0 ? -1 : 0;
}

static error_t set_context(struct options *o, const char *arg)
{
	if (!parse_number(arg, MAX_CONTEXT, &o->how.context))
		return 0;
	return cmdline_told(log_error("bad context '%s': want a number from 1 to %u",
				      arg, MAX_CONTEXT));
}

static error_t check_options(const struct options *o)
{
	int ret = 0;

	if (o->how.no_host && o->how.no_hyp)
		ret = log_error("--host-only and --hyp-only leave nothing to print: want one of them");
	else if (o->how.context && !o->how.events.nr)
		ret = log_error("--context without --event: want the events that it is around");
	return cmdline_told(ret);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 't':
		return cmdline_told(set_time(o, arg));
	case OPT_HOST_ONLY:
		o->how.no_hyp = true;
		return 0;
	case OPT_HYP_ONLY:
		o->how.no_host = true;
		return 0;
	case 'e':
		return cmdline_told(strlist_add(&o->how.events, arg));
	case 'C':
		return set_context(o, arg);
	case OPT_PER_CPU:
		o->how.per_cpu = true;
		return 0;
	case 'j':
		o->how.json = true;
		return 0;
	case ARGP_KEY_END:
		return check_options(o);
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

	return report_file(d, &o->how, stdout);
}

int report_main(int argc, char **argv)
{
	struct options o = { .in.want = 1 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &o)) {
		o.how.cpus = input_cpus(&o.in);
		ret = input_print(&o.in, print, &o);
	}
	strlist_free(&o.how.events);
	input_free(&o.in);
	return ret;
}
