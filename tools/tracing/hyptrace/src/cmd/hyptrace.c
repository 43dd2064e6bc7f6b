// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace - record and analyze what the arm64 KVM hypervisor does
 */
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "lib/log.h"
#include "lib/util.h"

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *brief;
} commands[] = {
	{ "record", record_main, "record hypervisor and host events into a file" },
	{ "recover", recover_main, "finish a recording after its record was killed" },
	{ "live", live_main, "print hypervisor and host events as they happen" },
	{ "report", report_main, "print the events of a recording" },
	{ "stat", stat_main, "statistics of where time went: host, EL2 and guests" },
	{ "graph", graph_main, "where time goes inside of EL2, function by function" },
	{ "why", why_main, "the worst delays of vCPUs, and what caused them" },
	{ "top", top_main, "live view of where time goes" },
	{ "metrics", metrics_main, "print EL2's counters in the format of Prometheus" },
	{ "pages", pages_main, "which pages changed hands between host, EL2 and guests" },
	{ "compare", compare_main, "show what changed between two recordings" },
	{ "query", query_main, "answer a question about recordings, in SQL" },
	{ "merge", merge_main, "add the recording of a guest to that of its host" },
	{ "check", check_main, "check that a recording is in order and complete" },
	{ "export", export_main,
	  "convert a recording for Perfetto, browsers, flame graphs and databases" },
};

static void print_usage(FILE *out)
{
	unsigned int i;

	fputs("Usage: hyptrace COMMAND [OPTION...]\n"
	      "Record and analyze what the arm64 KVM hypervisor does.\n"
	      "\n"
	      "Commands:\n", out);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].brief);
	fputs("\n"
	      "\"hyptrace COMMAND --help\" lists the options of a command,\n"
	      "\"hyptrace --version\" prints the version.\n", out);
}

static int run_command(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(argv[0], commands[i].name))
			return commands[i].main(argc, argv);
	}
	log_error("unknown command '%s': see hyptrace --help", argv[0]);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("hyptrace " VERSION);
		return EXIT_OK;
	}
	return run_command(argc - 1, argv + 1);
}
