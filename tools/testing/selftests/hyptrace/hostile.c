// SPDX-License-Identifier: GPL-2.0
/*
 * Usage: hostile [-s SEED] [-n CALLS] [-k KIND] [-r ROUND] [-c CALLS-A-ROUND] MODULE
 *
 * Attacks the hypervisor with the module hostile.ko, in rounds, until CALLS hypercalls
 * were made. After each round EL2 has to work as before: a buffer loads and unloads
 * through tracefs, every event arrives, the counts add up, and the kernel's log has no
 * warning. The same seed makes the same rounds, except for the timing between CPUs; -r
 * runs only round ROUND of a seed, -k only those of one kind: model, storm, ring or
 * fields.
 *
 * Prints TAP, and a line with its kind before each round. Needs root and protected mode.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/reader.h"
#include "lib/ways.h"

#define ROUND_FILE	"/sys/kernel/debug/hostile/round"

/* In the order of the module */
static const char *const kinds[] = { "model", "storm", "ring", "fields" };

#define NR_KINDS	ARRAY_SIZE(kinds)

/* Events that a new buffer has to take; they fill several sub-buffers */
#define NR_EVENTS	500

static unsigned long long seed = 1, want = 50000;
static long only_round = -1, only_kind = -1;
static unsigned int calls_a_round = 1000;

/* The first error */
static char why[512];

__printf(1, 2)
static int wrong(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return -1;
}

/*
 * The module
 */

static unsigned long long symbol(const char *name)
{
	unsigned long long addr;
	char line[256], sym[128];
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %127s", &addr, sym) == 2 && !strcmp(sym, name)) {
			fclose(f);
			return addr;
		}
	}
	if (f)
		fclose(f);
	return 0;
}

/* Where the first memory ends: at a hole, if the machine has one */
static unsigned long long memory_end(void)
{
	unsigned long long end, first = 0;
	char line[128], name[64];
	FILE *f = fopen("/proc/iomem", "r");

	while (f && !first && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*x-%llx : %63[^\n]", &end, name) == 2 &&
		    !strcmp(name, "System RAM"))
			first = end + 1;
	}
	if (f)
		fclose(f);
	return first;
}

static int load_module(const char *path)
{
	char params[384];
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	snprintf(params, sizeof(params),
		 "mem_end=0x%llx sym_mem=0x%llx sym_mem_size=0x%llx sym_text=0x%llx sym_text_end=0x%llx sym_tag=0x%llx sym_tag_lsb=0x%llx",
		 memory_end(), symbol("hyp_mem_base"), symbol("hyp_mem_size"),
		 symbol("__hyp_text_start"), symbol("__hyp_text_end"), symbol("tag_val"),
		 symbol("tag_lsb"));
	if (syscall(SYS_finit_module, fd, params, 0))
		ret = -errno;
	close(fd);
	return ret;
}

/* Rounds of all kinds in turn, each with a seed of its own */
static int attack(unsigned long round, unsigned long long *calls)
{
	char text[256];
	int len, ret;

	len = snprintf(text, sizeof(text), "%lu %llu %u", round % NR_KINDS,
		       seed * 1000003 + round, calls_a_round);
	ret = file_write(ROUND_FILE, text, len);
	if (file_read(ROUND_FILE, text, sizeof(text)) < 0)
		return wrong("%s cannot be read", ROUND_FILE);
	text[strcspn(text, "\n")] = '\0';
	if (ret)
		return wrong("%s: %s", strerror(-ret), text);
	*calls += strtoull(text, NULL, 10);
	return 0;
}

/*
 * Does EL2 work as before?
 */

static int kmsg = -1;

/* Skip what the kernel's log has already */
static void open_log(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	lseek(kmsg, 0, SEEK_END);
}

static int check_log(void)
{
	static const char *const bad[] = { "WARNING:", "BUG:", "Oops", "hyp panic", "hyp BUG" };
	char line[1024];
	ssize_t len;
	size_t i;

	while ((len = read(kmsg, line, sizeof(line) - 1)) > 0) {
		line[len] = '\0';
		for (i = 0; i < ARRAY_SIZE(bad); i++) {
			if (strstr(line, bad[i]))
				return wrong("the kernel's log: %s", line);
		}
	}
	return 0;
}

static int check_counts(const struct source *src, unsigned long long written)
{
	unsigned long long sum = 0;
	struct stats stats;
	int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		if (source_stats(src, cpu, &stats))
			return wrong("no stats of CPU %d", cpu);
		sum += stats.entries + stats.overrun + stats.dropped + stats.read;
	}
	return sum == written ? 0 : wrong("%llu events written, %llu accounted for", written, sum);
}

static int check_events(const struct source *src, int cpu, struct events *ev)
{
	int ret = pin_to_cpu(cpu) ?: source_write_many(src, 0, NR_EVENTS);

	if (ret)
		return wrong("writing events on CPU %d: %s", cpu, strerror(-ret));
	ret = source_consume(src, cpu, WAY_RAW, ev);
	if (ret || ev->error || ev->nr != NR_EVENTS || ev->lost || ev->others ||
	    events_first_wrong(ev, 0) != ev->nr)
		return wrong("CPU %d: %zu events of %d, %zu others, %llu lost: %s", cpu, ev->nr,
			     NR_EVENTS, ev->others, (unsigned long long)ev->lost,
			     ev->error ?: strerror(-ret));
	return 0;
}

static int check_buffers(const struct source *src)
{
	struct events ev;
	int cpu, ret;

	/*
	 * The attack leaves EL2 without a clock; the load sets one. In memory that outlives the
	 * kernel, the size follows from that
	 */
	ret = source_set_size(src, 32);
	if (!ret || ret == -EPERM)
		ret = source_on(src, true);
	if (ret)
		return wrong("a fresh load: %s", strerror(-ret));

	events_init(&ev);
	for (cpu = 0; cpu < nr_cpus() && !ret; cpu++) {
		events_clear(&ev);
		ret = check_events(src, cpu, &ev);
	}
	events_free(&ev);
	ret = ret ?: check_counts(src, (unsigned long long)NR_EVENTS * nr_cpus());
	if (ret)
		return ret;
	if (source_reset(src) || source_loaded(src))
		return wrong("the buffers do not go");
	return 0;
}

static int check_el2(void)
{
	struct source src;
	int ret = remote_open(&src, HYPERVISOR);

	if (ret)
		return wrong("no remote: %s", strerror(-ret));
	ret = check_buffers(&src) ?: check_log();
	source_close(&src);
	return ret;
}

/*
 * Rounds
 */

static int run_round(unsigned long round, unsigned long long *calls)
{
	printf("# round %lu %s, %llu of %llu calls\n", round, kinds[round % NR_KINDS], *calls,
	       want);
	fflush(stdout);
	if (!attack(round, calls) && !check_el2())
		return 0;

	printf("# %s\n# again: hostile -s %llu -c %u -r %lu MODULE\n", why, seed, calls_a_round,
	       round);
	return -1;
}

/* One result for each kind; a round that fails is the last one */
static void report(unsigned long rounds, unsigned long long calls, int failed)
{
	unsigned long kind;

	for (kind = 0; kind < NR_KINDS; kind++)
		ksft_test_result(failed < 0 || (unsigned long)failed != kind, "%s rounds\n",
				 kinds[kind]);
	ksft_test_result(failed < 0 && (only_round >= 0 || calls >= want),
			 "seed %llu: %llu calls in %lu rounds\n", seed, calls, rounds);
}

static void run(void)
{
	unsigned long round = only_round < 0 ? 0 : only_round, rounds = 0;
	unsigned long long calls = 0;
	int failed = -1;

	if (only_kind >= 0)
		round = only_kind;
	do {
		if (run_round(round, &calls))
			failed = round % NR_KINDS;
		round += only_kind < 0 ? 1 : NR_KINDS;
		rounds++;
	} while (failed < 0 && only_round < 0 && calls < want);

	report(rounds, calls, failed);
}

static int parse_kind(const char *name)
{
	for (only_kind = 0; only_kind < (long)NR_KINDS; only_kind++) {
		if (!strcmp(name, kinds[only_kind]))
			return 0;
	}
	return -1;
}

static int parse_arguments(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "s:n:k:r:c:")) != -1) {
		switch (opt) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			want = strtoull(optarg, NULL, 0);
			break;
		case 'k':
			if (parse_kind(optarg))
				return -1;
			break;
		case 'r':
			only_round = strtol(optarg, NULL, 0);
			break;
		case 'c':
			calls_a_round = strtoul(optarg, NULL, 0);
			break;
		default:
			return -1;
		}
	}
	return argc - optind == 1 ? 0 : -1;
}

int main(int argc, char **argv)
{
	int ret;

	if (parse_arguments(argc, argv)) {
		fprintf(stderr,
			"Usage: hostile [-s SEED] [-n CALLS] [-k KIND] [-r ROUND] [-c CALLS-A-ROUND] MODULE\n");
		return KSFT_FAIL;
	}

	ksft_print_header();
	ret = load_module(argv[optind]);
	if (ret == -EOPNOTSUPP)
		ksft_exit_skip("the host is trusted: KVM is not protected\n");
	if (ret)
		ksft_exit_fail_msg("%s: %s\n", argv[optind], strerror(-ret));
	ksft_set_plan(NR_KINDS + 1);
	open_log();
	run();
	ksft_finished();
}
