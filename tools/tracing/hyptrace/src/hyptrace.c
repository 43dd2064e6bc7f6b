// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace - records and reports hypervisor events beside host events
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "log.h"
#include "util.h"

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *brief;
} commands[] = {
	{ "record", record_main, "record hypervisor and host events into a trace.dat file" },
	{ "recover", recover_main, "make such a file of what a killed record has left" },
	{ "live", live_main, "print hypervisor and host events as they happen" },
	{ "report", report_main, "print such a file" },
	{ "stat", stat_main, "say where time goes in it: host, EL2, guests" },
	{ "top", top_main, "say it over and over while it goes there" },
	{ "compare", compare_main, "say what changed from one such file to another" },
	{ "check", check_main, "check the order of its events, and that none is missing" },
	{ "export", export_main, "write such a file for another program" },
};

static void print_usage(FILE *out)
{
	unsigned int i;

	fputs("Usage: hyptrace COMMAND [OPTION...]\n"
	      "Records and explains what an arm64 KVM hypervisor does, beside the host's events.\n"
	      "\n"
	      "Commands:\n", out);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].brief);
	fputs("\n"
	      "  hyptrace COMMAND --help says more\n"
	      "  hyptrace --version\n", out);
}

static int run(int argc, char **argv)
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
	return run(argc - 1, argv + 1);
}
