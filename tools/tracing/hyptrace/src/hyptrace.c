// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace - records and reports hypervisor events beside host events
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "log.h"
#include "util.h"

static const char usage[] =
	"usage: hyptrace COMMAND [OPTION]...\n"
	"\n"
	"commands:\n"
	"  record    record hypervisor and host events into a trace.dat file\n"
	"  report    print such a file, or check it\n"
	"  stat      say where time goes in it: host, EL2, guests\n"
	"  export    write such a file for another program: Perfetto\n"
	"\n"
	"  hyptrace COMMAND --help says more\n"
	"  hyptrace --version\n";

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "record", record_main },
	{ "report", report_main },
	{ "stat", stat_main },
	{ "export", export_main },
};

static int run(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(argv[0], commands[i].name))
			return commands[i].main(argc, argv);
	}
	log_error("unknown command '%s': want record, report, stat or export", argv[0]);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(usage, stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("hyptrace " VERSION);
		return EXIT_OK;
	}
	return run(argc - 1, argv + 1);
}
