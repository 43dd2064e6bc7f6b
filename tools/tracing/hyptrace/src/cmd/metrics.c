// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace metrics
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "lib/log.h"
#include "lib/outfile.h"
#include "record/visitcount.h"

static const char doc[] =
	"Prints how often EL2 was visited, why, and how long that took, in the text\n"
	"format of Prometheus. EL2 counts that itself for as long as it is switched on,\n"
	"without events or buffers: --enable switches it on, and counting goes on after\n"
	"the command has ended.\n"
	"\vnode_exporter's textfile collector reads FILE if its name ends with .prom.\n"
	"FILE is replaced in one step, so that it is complete whenever it is read.\n"
	"\n"
	"A visit is from EL2's entry to its exit. A hypercall that runs a guest ends\n"
	"when the guest is entered; the way back is a visit with the reason guest_exit.\n"
	"The reason hvc without a hypercall is for those that EL2 refused.\n"
	"\n"
	"Exit status: 0 on success, also if nothing was counted; 1 on errors; 2 for a\n"
	"wrong command line.";

enum { OPT_ENABLE = CMDLINE_KEYS, OPT_DISABLE, OPT_REMOTE };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "replace FILE [standard output]", 0 },
	{ "enable", OPT_ENABLE, NULL, 0, "switch counting on first", 0 },
	{ "disable", OPT_DISABLE, NULL, 0, "switch counting off first", 0 },
	{ "remote", OPT_REMOTE, "REMOTE", 0,
	  "name of a trace remote, or path of a trace directory [hypervisor]", 0 },
	{ 0 }
};

struct options {
	const char *output;
	const char *remote;
	bool enable;
	bool disable;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case OPT_ENABLE:
		o->enable = true;
		return 0;
	case OPT_DISABLE:
		o->disable = true;
		return 0;
	case OPT_REMOTE:
		o->remote = arg;
		return 0;
	case ARGP_KEY_ARG:
		return cmdline_told(log_error("expected options only, got '%s': see %s --help", arg,
					      state->name));
	case ARGP_KEY_END:
		if (!o->enable || !o->disable)
			return 0;
		return cmdline_told(log_error("--enable with --disable: expected one of them"));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = doc,
};

/* Values */

/* The shortest text that is the same number again when it is read */
static void put_number(FILE *out, double number)
{
	char text[32];
	int digits = 15;

	do {
		snprintf(text, sizeof(text), "%.*g", digits, number);
	} while (strtod(text, NULL) != number && digits++ < 17);
	fputs(text, out);
}

static void put_seconds(FILE *out, const struct visitcounts *v, u64 ticks)
{
	put_number(out, (double)ticks / v->ticks_per_sec);
}

/* The value of a label */
static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* Metrics */

#define EL2		"hyptrace_el2_"

static void put_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP " EL2 "%s %s\n# TYPE " EL2 "%s %s\n", name, help, name, type);
}

/* The name of a metric of visits of one kind, with the labels that all of them have */
static void put_kind(FILE *out, const char *name, const struct visitcount *k)
{
	fprintf(out, EL2 "%s{reason=", name);
	put_text(out, k->hypercall ? "hvc" : k->name);
	fputs(",hypercall=", out);
	put_text(out, k->hypercall ? k->name : "");
}

static void put_buckets(FILE *out, const struct visitcounts *v, const struct visitcount *k)
{
	u64 number = 0;
	unsigned int i;

	for (i = 0; i < VISITCOUNT_BUCKETS; i++) {
		number += k->bucket[i];
		put_kind(out, "visit_seconds_bucket", k);
		fputs(",le=\"", out);
		if (i < VISITCOUNT_BUCKETS - 1)
			put_seconds(out, v, visitcount_bound(i));
		else
			fputs("+Inf", out);
		fprintf(out, "\"} %llu\n", number);
	}
}

static void put_histogram(FILE *out, const struct visitcounts *v, const struct visitcount *k)
{
	put_buckets(out, v, k);
	put_kind(out, "visit_seconds_sum", k);
	fputs("} ", out);
	put_seconds(out, v, k->ticks);
	fputc('\n', out);
	put_kind(out, "visit_seconds_count", k);
	fprintf(out, "} %llu\n", k->number);
}

static void put_max(FILE *out, const struct visitcounts *v, const struct visitcount *k)
{
	put_kind(out, "visit_max_seconds", k);
	fputs("} ", out);
	put_seconds(out, v, k->max);
	fputc('\n', out);
}

typedef void (*put_fn)(FILE *out, const struct visitcounts *v, const struct visitcount *k);

/* The kinds that have happened */
static void put_kinds(FILE *out, const struct visitcounts *v, put_fn put)
{
	unsigned int i;

	for (i = 0; i < v->nr; i++) {
		if (v->kind[i].number)
			put(out, v, &v->kind[i]);
	}
}

static void put_cpus(FILE *out, const struct visitcounts *v)
{
	unsigned int i;

	for (i = 0; i < v->nr_cpus; i++) {
		fprintf(out, EL2 "seconds_total{cpu=\"%u\"} ", v->cpu[i].cpu);
		put_seconds(out, v, v->cpu[i].ticks);
		fputc('\n', out);
	}
}

static void put_all(FILE *out, const struct visitcounts *v)
{
	put_head(out, "counting", "gauge", "Whether visits to EL2 are counted at this time.");
	fprintf(out, EL2 "counting %d\n", v->on);
	if (!v->nr_cpus)
		return;
	put_head(out, "seconds_total", "counter",
		 "Time that the CPU was at EL2 while it was counted.");
	put_cpus(out, v);
	put_head(out, "visit_seconds", "histogram", "How long visits to EL2 took, on all CPUs.");
	put_kinds(out, v, put_histogram);
	put_head(out, "visit_max_seconds", "gauge",
		 "The longest visit to EL2 since the system was booted.");
	put_kinds(out, v, put_max);
}

/* All */

static int write_all(FILE *out, void *ctx)
{
	put_all(out, ctx);
	return 0;
}

static int print(const struct options *o, struct visitcounts *v)
{
	return o->output ? outfile_write(o->output, write_all, v) : write_all(stdout, v);
}

static int run(const struct options *o)
{
	struct visitcounts v = { 0 };
	int ret = visitcounts_open(&v, o->remote);

	if (!ret && (o->enable || o->disable))
		ret = visitcounts_switch(&v, o->enable);
	if (!ret)
		ret = visitcounts_read(&v);
	if (!ret)
		ret = print(o, &v);
	visitcounts_close(&v);
	return cmdline_exit(ret);
}

int metrics_main(int argc, char **argv)
{
	struct options o = { 0 };

	if (cmdline_parse(&argp, argc, argv, 0, &o))
		return EXIT_USAGE;
	return run(&o);
}
