// SPDX-License-Identifier: GPL-2.0
/*
 * hyp_bench - measure the cost of hypervisor tracing
 *
 * Prints a line for each metric: name, value, unit and spread, between tabs. Runs
 * as root in a guest whose instructions each take a nanosecond; see
 * qemu-scripts/bench.sh.
 *
 *   --core      only metrics that count instructions and take seconds
 *   --scale     only metrics that must not grow with the number of CPUs
 *   --untraced  only metrics that a kernel without hypervisor tracing has as well
 *   --functions only metrics of functions of EL2
 *
 * Exit status: 0, 1 if something failed, 2 for a wrong command line.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "benches.h"
#include "lib/reader.h"

#define EXIT_USAGE	2

static void open_bench(struct bench *b)
{
	need(pin_to_cpu(CPU), "CPU 0");
	need(remote_open(&b->src, HYPERVISOR), "the remote " HYPERVISOR);
	need(source_on(&b->src, true), "tracing_on");
	b->per_subbuf = SUBBUF_DATA_SIZE / bench_bytes(b);
	bench_select(b, NULL);
}

/* Metrics that count instructions and take only seconds */
static void run_core(struct bench *b)
{
	double event = bench_events(b);

	bench_hypercalls(b);
	bench_pages(b, "");
	bench_swap(b, event);
	bench_readers(b);
	bench_load(b);
	bench_kvm(b);
	bench_wake(b);
	bench_record(b);
}

static void run_size(struct bench *b, unsigned long kb)
{
	char suffix[32], name[64];

	snprintf(suffix, sizeof(suffix), "@%luKiB", kb);
	snprintf(name, sizeof(name), "selftest.event_mean%s", suffix);
	bench_resize(b, kb);
	report(name, bench_event_mean(b), "instructions");
	bench_pages(b, suffix);
}

/* Neither an event nor a swap may cost more in a larger buffer */
static void run_growth(struct bench *b)
{
	static const unsigned long sizes[] = { SMALL_KB, 1024, 64 * 1024 };
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		run_size(b, sizes[i]);
	bench_resize(b, DEFAULT_KB);
}

/* With more than one CPU; all but this one are idle */
static void run_scale(struct bench *b)
{
	report("selftest.event_mean", bench_event_mean(b), "instructions");
	bench_pages(b, "");
	bench_swap(b, bench_event_mean(b).median);
	bench_load(b);
}

static void run_all(struct bench *b)
{
	run_core(b);
	bench_host_events();
	run_growth(b);
}

static void run_untraced(struct bench *unused)
{
	(void)unused;
	bench_hypercalls(NULL);
	bench_kvm(NULL);
}

static const struct {
	const char	*option;
	void		(*run)(struct bench *b);
	bool		traced;
} runs[] = {
	{ "", run_all, true },
	{ "--core", run_core, true },
	{ "--scale", run_scale, true },
	{ "--untraced", run_untraced, false },
	{ "--functions", bench_functions, true },
};

static void run(int i)
{
	static struct bench b;

	if (runs[i].traced)
		open_bench(&b);
	runs[i].run(&b);
	if (runs[i].traced)
		source_close(&b.src);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int i;

	for (i = 0; argc <= 2 && i < ARRAY_SIZE(runs); i++) {
		if (strcmp(what, runs[i].option))
			continue;
		run(i);
		return 0;
	}

	fprintf(stderr, "usage: hyp_bench [--core | --scale | --untraced | --functions]\n");
	return EXIT_USAGE;
}
