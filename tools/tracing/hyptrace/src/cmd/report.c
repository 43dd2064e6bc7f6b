// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace report
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/account.h"
#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/report.h"
#include "lib/log.h"
#include "lib/visible.h"
#include "trace/corrupt.h"
#include "trace/datfile.h"
#include "trace/datr.h"
#include "trace/evdb.h"
#include "trace/eventjson.h"
#include "trace/merge.h"

#define MAX_CONTEXT	10000

/**
 * struct report - a report in progress
 * @d:		the file
 * @db:		its events
 * @account:	counts them
 * @selection:	chooses those to print
 * @sink:	prints those
 * @how:	what the user wants
 * @out:	where the text goes
 * @line:	how a line of text is printed
 * @begun:	something was printed
 * @guest_events: events of guests
 * @corrupt:	corrupt sub-buffers so far
 */
struct report {
	struct datr *d;
	struct evdb *db;
	struct account *account;
	struct selection *selection;
	struct selection_sink sink;
	const struct report_how *how;
	FILE *out;
	struct eventline line;
	bool begun;
	u64 guest_events;
	struct corrupt corrupt;
};

static enum side side_of(const struct report *r, const struct merged *ev)
{
	return merged_side(r->d, ev);
}

static void print_gap(const struct report *r, bool gap)
{
	if (gap && r->begun && r->how->rule.context && !r->how->json)
		fputs("--\n", r->out);
}

static void print_event(void *ctx, const struct merged *ev, bool gap)
{
	struct report *r = ctx;

	print_gap(r, gap);
	r->begun = true;
	if (r->how->json)
		eventjson_event(r->out, r->db, ev, side_of(r, ev));
	else
		eventline_event(&r->line, ev, side_of(r, ev));
}

static void print_loss(void *ctx, const struct merged *ev, bool gap)
{
	struct report *r = ctx;

	print_gap(r, gap);
	r->begun = true;
	if (r->how->json)
		eventjson_loss(r->out, ev, side_of(r, ev));
	else
		eventline_loss(&r->line, ev, side_of(r, ev));
}

static int take_event(void *ctx, const struct merged *ev)
{
	struct report *r = ctx;

	if (!ev->guest)
		account_feed(r->account, ev);
	else if (ev->ev.data)
		r->guest_events++;
	corrupt_take(&r->corrupt, ev);
	selection_feed(r->selection, ev);
	return ferror(r->out) ? cmdline_write_error() : 0;
}

static int print_events(struct report *r, const struct cpulist *cpus)
{
	int ret;

	eventline_restart(&r->line);
	ret = cpus ? merge_each(r->d, cpus, take_event, r) : merge_each_world(r->d, take_event, r);
	selection_end(r->selection);
	return ret;
}

static bool has_cpu(const struct report *r, unsigned int cpu)
{
	if (r->how->cpus && !cpulist_has(r->how->cpus, cpu))
		return false;
	return datr_has_cpu(r->d, cpu);
}

static int print_each_cpu(struct report *r)
{
	unsigned int cpu;
	struct cpulist one = { .nr = 1, .cpu = &cpu };
	int ret = 0;

	for (cpu = 0; !ret && cpu < MAX_CPUS; cpu++) {
		if (has_cpu(r, cpu))
			ret = print_events(r, &one);
	}
	return ret;
}

/* A file of "record --last-boot" has such texts: what follows @begin in the first one, or NULL */
static const char *last_boot_text(const struct datr *d, const char *begin)
{
	const char *text;
	unsigned int i;

	for (i = 0; (text = datr_text(d, i)); i++) {
		if (!strncmp(text, begin, strlen(begin)))
			return text + strlen(begin);
	}
	return NULL;
}

/* The file may have any bytes. Returns what follows the line */
static const char *print_line(FILE *out, const char *text)
{
	size_t len = strcspn(text, "\n");
	char *line = strndup(text, len);

	if (line)
		visible_put(out, line);
	fputc('\n', out);
	free(line);
	return text + len + !!text[len];
}

static void print_end_of_boot(const struct report *r)
{
	const char *end = last_boot_text(r->d, DAT_LAST_BOOT "ended: ");

	if (!end)
		return;
	fputs("the boot ended: ", r->out);
	print_line(r->out, end);
}

static int print_boot_log(const struct datr *d, FILE *out)
{
	const char *log = last_boot_text(d, DAT_LAST_LOG);

	if (!log)
		return log_error("%s: no log of a boot: only files of 'hyptrace record --last-boot' have one",
				 datr_name(d));
	while (*log)
		log = print_line(out, log);
	return ferror(out) ? cmdline_write_error() : 0;
}

static void print_totals(struct report *r)
{
	struct account_result a;

	print_end_of_boot(r);
	account_finish(r->account, r->how->cpus, NULL, &a);
	fprintf(r->out, "total: events=%llu host_events=%llu", a.seen[HYP], a.seen[HOST]);
	if (datr_nr_guests(r->d))
		fprintf(r->out, " guest_events=%llu", r->guest_events);
	fprintf(r->out, " lost=%llu%s corrupt=%llu\n", a.lost, lost_more(a.vague), r->corrupt.nr);
}

static int prepare(struct report *r)
{
	r->line.out = r->out;
	r->line.time = r->how->time;
	r->line.ticks = datr_nr_buffers(r->d) &&
			!eventline_is_time(datr_buffer(r->d, 0)->clock);
	r->sink = (struct selection_sink) { r, print_event, print_loss };
	r->db = evdb_load(r->d);
	r->line.db = r->db;
	r->account = account_new(r->d);
	if (!r->db || !r->account)
		return -1;
	r->selection = selection_new(r->d, r->db, &r->how->rule, &r->sink);
	return r->selection ? merge_first(r->d, &r->line.first) : -1;
}

int report_file(struct datr *d, const struct report_how *how, FILE *out)
{
	struct report r = { .d = d, .how = how, .out = out };
	int ret = prepare(&r);

	if (!ret)
		ret = how->per_cpu ? print_each_cpu(&r) :
				     print_events(&r, how->cpus);
	if (!ret && !how->json)
		print_totals(&r);
	if (r.db)
		evdb_tell(r.db, datr_name(d));
	ret = corrupt_tell(&r.corrupt, d) ?: ret;
	selection_free(r.selection);
	account_free(r.account);
	evdb_free(r.db);
	return ret;
}

/* The command line */

static const char doc[] =
	"Prints the events of host and hypervisor in order of time, and lost events at\n"
	"the place where they were lost. Each event is one line:\n"
	"    [CPU] SECONDS host|hyp|guest COMM-PID EVENT: FIELDS\n"
	"Events of guests are there after hyptrace merge. The CPU of such an event is\n"
	"that of the guest, so they are left out with --cpus and --per-cpu.\n"
	"\vEach line of --json is one object with ts (in ns), cpu and side (host, hyp or\n"
	"guest). The other members depend on what it stands for: an event has system,\n"
	"event, pid, comm, fields and text; a loss has lost, the number of events, or\n"
	"null if it is not known; a corrupt sub-buffer has corrupt_at, its offset in\n"
	"the file; an event that the file does not describe has unknown_bytes, its\n"
	"size, and no system.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, or if FILE is corrupt in places; 2 for\n"
	"a wrong command line.";

enum { OPT_HOST_ONLY = CMDLINE_KEYS, OPT_HYP_ONLY, OPT_GUEST_ONLY, OPT_PER_CPU, OPT_BOOT_LOG };

static const struct argp_option options[] = {
	{ "time", 't', "WHICH", 0,
	  "timestamps: absolute (seconds of the trace clock), relative (since the recording's first event) or delta (since the previous line, with --per-cpu of the same CPU) [absolute]",
	  0 },
	{ "host-only", OPT_HOST_ONLY, NULL, 0, "host events only", 0 },
	{ "hyp-only", OPT_HYP_ONLY, NULL, 0, "hypervisor events only", 0 },
	{ "guest-only", OPT_GUEST_ONLY, NULL, 0, "events of guests only", 0 },
	{ "event", 'e', "PATTERN", 0,
	  "only events whose EVENT or SYSTEM:EVENT matches PATTERN, such as 'kvm:*'; can be repeated",
	  0 },
	{ "context", 'C', "N", 0,
	  "with --event: also print N events before and after each match", 0 },
	{ "per-cpu", OPT_PER_CPU, NULL, 0, "print one CPU after the other", 0 },
	{ "json", 'j', NULL, 0, "print each event as a JSON document on one line", 0 },
	{ "boot-log", OPT_BOOT_LOG, NULL, 0,
	  "print no events, but the end of the kernel's log of the boot that record --last-boot has recorded, with the stack of a panic",
	  0 },
	{ 0 }
};

struct options {
	struct input in;
	struct report_how how;
	const char *only[2];
	bool boot_log;
};

/* The second one is kept for a message: with two of them, no side is left */
static error_t take_only(struct options *o, enum side only, const char *option)
{
	enum side side;

	for (side = HOST; side < NR_ALL_SIDES; side++)
		o->how.rule.no[side] |= side != only;
	o->only[o->only[0] ? 1 : 0] = option;
	return 0;
}

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

static error_t check_options(const struct options *o)
{
	int ret = 0;

	if (o->how.rule.no[HOST] && o->how.rule.no[HYP] && o->how.rule.no[GUEST])
		ret = log_error("%s and %s exclude all events: expected one of them",
				o->only[0], o->only[1]);
	else if (o->how.rule.context && !o->how.rule.events.nr)
		ret = log_error("--context without --event: expected the events to print the context of");
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
		return take_only(o, HOST, "--host-only");
	case OPT_HYP_ONLY:
		return take_only(o, HYP, "--hyp-only");
	case OPT_GUEST_ONLY:
		return take_only(o, GUEST, "--guest-only");
	case 'e':
		return cmdline_told(strlist_add(&o->how.rule.events, arg));
	case 'C':
		return cmdline_told(cmdline_number("context", arg, MAX_CONTEXT,
						   &o->how.rule.context));
	case OPT_PER_CPU:
		o->how.per_cpu = true;
		return 0;
	case 'j':
		o->how.json = true;
		return 0;
	case OPT_BOOT_LOG:
		o->boot_log = true;
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
	struct report_how how = o->how;

	if (o->boot_log)
		return print_boot_log(d, stdout);
	how.cpus = input_cpus(&o->in);
	return report_file(d, &how, stdout);
}

int report_main(int argc, char **argv)
{
	struct options o = { .in.want = 1 };
	int ret = input_main(&argp, argc, argv, &o, &o.in, print);

	strlist_free(&o.how.rule.events);
	return ret;
}
