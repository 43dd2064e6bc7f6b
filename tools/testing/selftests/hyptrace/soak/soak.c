// SPDX-License-Identifier: GPL-2.0
/*
 * soak - everything at once, for a long time, with each event accounted for
 *
 *   -t SECONDS   duration [30]; longer if something has not happened by then
 *   -s SEED      seed of all choices [from the clock]
 *   -i           end as soon as there is input on standard input
 *
 * All CPUs write at full rate at EL2. Readers of each kind are started, killed and
 * started again; buffers are reset, clocks changed, CPUs switched off and on, guests
 * run. If EL2 has function tracers, its functions are traced. Each round has another
 * size of buffer. At its end, when nothing is written and nothing is left to read, the
 * accounts are balanced (ledger.h).
 *
 * Exit status: 0, 1 if something failed, 2 for a wrong command line, 4 (skip) if
 * there is no remote or no hyp_bench_write.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "disturb.h"
#include "reading.h"
#include "writing.h"

#define MAX_CPUS	64
#define MAX_READINGS	(2 * MAX_CPUS + 2)
#define EXIT_USAGE	2

#define ROUND_MS	5000
#define TICK_MS		10
#define PROGRESS_MS	5000
/* For what has not happened within the duration, as on a busy machine */
#define EXTRA_MS	240000

/* Counts of readers of one kind */
struct kind_count {
	unsigned long	started;
	unsigned long	killed;
	unsigned long	in_take;
	__u64		events;
	__u64		recovered;
};

/**
 * struct soak - the state of the program
 * @src:	the remote
 * @nr_cpus:	number of its CPUs
 * @seed:	seed of the choices of this file
 * @seconds:	duration
 * @on_input:	end on standard input
 * @start_ms:	time of the start
 * @shown_ms:	time of the last progress line
 * @round:	number of this round
 * @bench_fd:	hyp_bench_write
 * @guests:	the process that runs guests
 * @d:		disturbances
 * @readings:	readers: two for each CPU, and two for all
 * @nr_readings: how many
 * @writers:	one for each CPU
 * @ledgers:	ledgers of this round, one for each CPU
 * @sums:	sums of the rounds before, one for each CPU
 * @kinds:	counts for each kind of reader
 * @wrong:	the first error, or empty
 */
struct soak {
	struct source		src;
	int			nr_cpus;
	unsigned int		seed;
	unsigned long		seconds;
	bool			on_input;
	__u64			start_ms;
	__u64			shown_ms;
	unsigned int		round;
	int			bench_fd;
	pid_t			guests;
	struct disturb		d;
	struct reading		*readings;
	unsigned int		nr_readings;
	struct writing		writers[MAX_CPUS];
	struct ledger		ledgers[MAX_CPUS];
	struct tally		sums[MAX_CPUS];
	struct kind_count	kinds[NR_KINDS];
	char			wrong[400];
};

static volatile sig_atomic_t interrupted;

static bool __printf(2, 3) wrong(struct soak *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!s->wrong[0])
		vsnprintf(s->wrong, sizeof(s->wrong), fmt, args);
	va_end(args);
	return false;
}

static void on_signal(int sig)
{
	interrupted = sig;
}

static bool told_to_stop(struct soak *s)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	if (s->on_input && poll(&fd, 1, 0) > 0 && fd.revents & POLLIN)
		interrupted = SIGINT;
	return interrupted;
}

/* What must have happened, or it was not tested, and has not. NULL if there is no such thing */
static const char *missing(const struct soak *s)
{
	int kind;

	for (kind = 0; kind < NR_KINDS; kind++) {
		const struct kind_count *k = &s->kinds[kind];

		if (!k->killed || (!k->events && !kind_looks(kind)))
			return kind_names[kind];
	}
	if (!s->d.resets)
		return "a reset";
	if (!s->d.clocks)
		return "a change of the clock";
	if (!s->d.modes)
		return "a change of overwrite";
	if (!s->d.offs && s->nr_cpus > 1)
		return "a CPU that goes off";
	if (s->d.traces && !s->d.patches)
		return "functions that are patched";
	return NULL;
}

static bool over(struct soak *s)
{
	__u64 ms = now_ms() - s->start_ms, duration = 1000 * s->seconds;

	return told_to_stop(s) ||
	       (ms >= duration && (!missing(s) || ms >= duration + EXTRA_MS));
}

/*
 * Guests
 */

static bool start_guests(struct soak *s)
{
	s->guests = fork();
	if (s->guests)
		return s->guests > 0 || wrong(s, "guests: %s", strerror(errno));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The writers should have most of the CPU time */
	if (nice(10) < 0 || !freopen("/tmp/guests.log", "w", stdout) || dup2(1, 2) < 0)
		_exit(EXIT_FAILURE);
	execlp("hyp_workload", "hyp_workload", "-t", "100000000", "-r", "16", NULL);
	_exit(EXIT_FAILURE);
}

/* It ends by itself only if something went wrong */
static bool stop_guests(struct soak *s)
{
	int status, ret = waitpid(s->guests, &status, WNOHANG);

	if (ret)
		return wrong(s, "the guests have ended, see /tmp/guests.log: %#x", status);
	kill(s->guests, SIGKILL);
	waitpid(s->guests, &status, 0);
	return true;
}

/*
 * Readers. In two of three rounds, the buffers of every other CPU are each mapped by one
 * reader, which then is the only one that consumes there. A CPU's pipe can be open once,
 * its own or that of all CPUs.
 */

static bool is_mapped(const struct soak *s, int cpu)
{
	return s->round % 3 && (s->round + cpu) % 2;
}

static bool any_mapped(const struct soak *s)
{
	int cpu;

	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (is_mapped(s, cpu))
			return true;
	}
	return false;
}

/* Has a reader the pipe of @cpu, or of any CPU if that is negative? */
static bool pipe_is_open(const struct soak *s, int cpu)
{
	unsigned int i;

	for (i = 0; i < s->nr_readings; i++) {
		const struct reading *r = &s->readings[i];

		if (r->pid && (r->kind == KIND_PIPE_ALL ||
			       (r->kind == KIND_PIPE && (cpu < 0 || r->cpu == cpu))))
			return true;
	}
	return false;
}

static enum kind choose_kind(struct soak *s, unsigned int i)
{
	static const enum kind kinds[] = {
		KIND_RAW, KIND_SPLICE, KIND_PIPE, KIND_RAW, KIND_SPLICE, KIND_TRACE,
	};
	int cpu = i % s->nr_cpus;
	enum kind kind;

	if (i >= 2 * s->nr_cpus)
		return i & 1 || any_mapped(s) || pipe_is_open(s, -1) ? KIND_TRACE_ALL :
								       KIND_PIPE_ALL;
	if (is_mapped(s, cpu))
		return i < s->nr_cpus ? KIND_MAP : KIND_TRACE;
	kind = kinds[rand_r(&s->seed) % ARRAY_SIZE(kinds)];
	/* A pipe of a CPU keeps that of all CPUs away, which has to have its turn */
	if (kind == KIND_PIPE && (pipe_is_open(s, cpu) || !s->kinds[KIND_PIPE_ALL].started))
		return KIND_RAW;
	return kind;
}

static bool start_reading(struct soak *s, unsigned int i)
{
	struct reading *r = &s->readings[i];
	int ret;

	r->kind = choose_kind(s, i);
	r->cpu = kind_is_all(r->kind) ? 0 : i % s->nr_cpus;
	r->blocks = chance(&s->seed, 2);
	ret = reading_start(r, &s->src, s->nr_cpus);
	if (ret)
		return wrong(s, "%s: %s", kind_names[r->kind], strerror(-ret));
	s->kinds[r->kind].started++;
	return true;
}

static bool kill_reading(struct soak *s, unsigned int i)
{
	struct reading *r = &s->readings[i];
	struct kind_count *k = &s->kinds[r->kind];
	__u64 recovered = 0;
	long long sum;

	sum = reading_kill(r, &s->src, s->nr_cpus, s->ledgers, &recovered);
	if (sum < 0)
		return wrong(s, "%s of CPU %d: %s", kind_names[r->kind], r->cpu, r->wrong);
	k->killed++;
	k->events += sum;
	k->recovered += recovered;
	k->in_take += recovered != 0;
	return true;
}

/* Start some readers, kill some, and fetch the events of the others */
static bool tend_readings(struct soak *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_readings; i++) {
		struct reading *r = &s->readings[i];
		bool ok = true;

		if (!r->pid) {
			if (chance(&s->seed, 4))
				ok = start_reading(s, i);
		} else if (LOAD(r->wrong[0]) || chance(&s->seed, 15)) {
			ok = kill_reading(s, i);
		} else {
			s->kinds[r->kind].events += reading_drain(r, s->ledgers);
		}
		if (!ok)
			return false;
	}
	return true;
}

static bool kill_readings(struct soak *s)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < s->nr_readings; i++) {
		if (s->readings[i].pid && !kill_reading(s, i))
			ok = false;
	}
	return ok;
}

/*
 * Rounds
 */

static bool start_round(struct soak *s)
{
	static const unsigned long sizes_kb[] = { 64, 1, 512, 16, 4096 };
	bool paced = s->round % 4 == 3;
	int cpu, ret;

	s->d.keep = s->round & 1;
	ret = source_reset(&s->src) ?:
	      source_set_size(&s->src, sizes_kb[s->round % ARRAY_SIZE(sizes_kb)]) ?:
	      source_set_overwrite(&s->src, !s->d.keep) ?:
	      source_on(&s->src, true);
	if (ret)
		return wrong(s, "start of round %u: %s", s->round, strerror(-ret));

	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct writing *w = &s->writers[cpu];

		ledger_init(&s->ledgers[cpu], w->next);
		*w = (struct writing){
			.cpu = cpu,
			.fd = s->bench_fd,
			.l = &s->ledgers[cpu],
			.seed = rand_r(&s->seed),
			.pace_ms = paced ? 5 : 0,
			.next = w->next,
		};
		ret = writing_start(w);
		if (ret)
			return wrong(s, "no thread: %s", strerror(-ret));
	}
	return true;
}

static __u64 written_so_far(const struct soak *s)
{
	__u64 sum = 0;
	int cpu;

	for (cpu = 0; cpu < s->nr_cpus; cpu++)
		sum += LOAD(s->ledgers[cpu].end);
	return sum;
}

static unsigned long kills_so_far(const struct soak *s)
{
	unsigned long sum = 0;
	int kind;

	for (kind = 0; kind < NR_KINDS; kind++)
		sum += s->kinds[kind].killed;
	return sum;
}

static void show_progress(struct soak *s)
{
	__u64 now = now_ms();

	if (now - s->shown_ms < PROGRESS_MS)
		return;
	s->shown_ms = now;
	printf("%4llu s, round %u: %.1f million events, %lu readers killed, %lu resets, %lu clocks, %lu CPUs off\n",
	       (now - s->start_ms) / 1000, s->round + 1, written_so_far(s) / 1e6,
	       kills_so_far(s), s->d.resets, s->d.clocks, s->d.offs);
	fflush(stdout);
}

static bool run_round(struct soak *s)
{
	__u64 end = now_ms() + ROUND_MS;
	int cpu;

	do {
		if (!tend_readings(s))
			return false;
		if (!disturb(&s->d))
			return wrong(s, "%s", s->d.wrong);
		for (cpu = 0; cpu < s->nr_cpus; cpu++) {
			if (LOAD(s->writers[cpu].wrong[0]))
				return wrong(s, "%s", s->writers[cpu].wrong);
		}
		show_progress(s);
		sleep_ms(TICK_MS);
	} while (now_ms() < end && !over(s));
	return true;
}

/* Read the rest in this process */
static bool drain_cpu(struct soak *s, int cpu)
{
	struct events ev;
	struct run run;
	size_t i = 0;
	int fd, ret;

	events_init(&ev);
	fd = source_open_file(&s->src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw",
			      cpu);
	ret = fd < 0 ? fd : events_read_raw(&ev, &s->src, cpu, fd);
	close(fd);
	while (runs_of(&ev, cpu, &i, &run))
		ledger_add_run(&s->ledgers[cpu], &run);
	events_free(&ev);
	return ret == -EAGAIN || wrong(s, "what is left on CPU %d: %s", cpu, strerror(-ret));
}

static bool close_cpu(struct soak *s, int cpu)
{
	struct ledger *l = &s->ledgers[cpu];
	struct stats stats;
	int ret;

	if (!drain_cpu(s, cpu))
		return false;
	ret = source_stats(&s->src, cpu, &stats);
	if (ret)
		return wrong(s, "stats of CPU %d: %s", cpu, strerror(-ret));
	return ledger_close(l, &stats, &s->sums[cpu]) ||
	       wrong(s, "round %u, CPU %d: %s", s->round, cpu, l->wrong);
}

static bool end_round(struct soak *s, bool ok)
{
	int cpu;

	if (!disturb_pause(&s->d))
		ok = wrong(s, "%s", s->d.wrong);
	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (!writing_stop(&s->writers[cpu]))
			ok = wrong(s, "%s", s->writers[cpu].wrong);
	}
	if (!kill_readings(s))
		ok = false;
	for (cpu = 0; ok && cpu < s->nr_cpus; cpu++)
		ok = close_cpu(s, cpu);
	if (!ok)
		return false;

	if (source_on(&s->src, false) || source_loaded(&s->src))
		return wrong(s, "round %u: an empty buffer without readers stays loaded", s->round);
	s->round++;
	return true;
}

static bool soak(struct soak *s)
{
	bool ok = start_guests(s) && (disturb_begin(&s->d) || wrong(s, "%s", s->d.wrong));

	/* Writers and readers must not keep this thread from disturbing them */
	setpriority(PRIO_PROCESS, 0, -15);
	s->start_ms = now_ms();
	s->shown_ms = s->start_ms;
	while (ok && !over(s))
		ok = start_round(s) && end_round(s, run_round(s));
	if (!disturb_end(&s->d))
		ok = wrong(s, "%s", s->d.wrong);
	return stop_guests(s) && ok;
}

/*
 * The end
 */

static void print_accounts(const struct soak *s, struct tally *all)
{
	int cpu;

	printf("\n%-8s %14s %14s %14s %14s %14s %14s\n", "CPU", "written", "seen", "lost",
	       "lost, some", "reset", "dropped last");
	for (cpu = 0; cpu <= s->nr_cpus; cpu++) {
		const struct tally *t = cpu < s->nr_cpus ? &s->sums[cpu] : all;
		char name[16] = "all";

		if (cpu < s->nr_cpus)
			snprintf(name, sizeof(name), "%d", cpu);
		printf("%-8s %14llu %14llu %14llu %14llu %14llu %14llu\n", name, t->written,
		       t->seen, t->lost, t->uncounted, t->discarded, t->last);
		all->written += cpu < s->nr_cpus ? t->written : 0;
		all->seen += cpu < s->nr_cpus ? t->seen : 0;
		all->lost += cpu < s->nr_cpus ? t->lost : 0;
		all->uncounted += cpu < s->nr_cpus ? t->uncounted : 0;
		all->discarded += cpu < s->nr_cpus ? t->discarded : 0;
		all->last += cpu < s->nr_cpus ? t->last : 0;
	}
}

static void print_readers(const struct soak *s)
{
	int kind;

	printf("\n%-24s %10s %10s %12s %14s %14s\n", "Readers", "started", "killed",
	       "in a take", "events", "of these takes");
	for (kind = 0; kind < NR_KINDS; kind++) {
		const struct kind_count *k = &s->kinds[kind];

		printf("%-24s %10lu %10lu %12lu %14llu %14llu\n", kind_names[kind], k->started,
		       k->killed, k->in_take, k->events, k->recovered);
	}
	printf("\n%u rounds, %lu resets, %lu changes of the clock (%lu refused while mapped), %lu CPUs off, %lu changes of overwrite",
	       s->round, s->d.resets, s->d.clocks, s->d.busy, s->d.offs, s->d.modes);
	if (s->d.traces)
		printf(", functions patched %lu times", 2 * s->d.patches);
	putchar('\n');
}

static int verdict(struct soak *s, bool ok, unsigned int seed)
{
	struct tally all = {};
	__u64 sum;

	print_accounts(s, &all);
	print_readers(s);
	sum = all.seen + all.lost + all.uncounted + all.discarded + all.last;
	if (ok && sum != all.written)
		ok = wrong(s, "%llu written, %llu accounted for", all.written, sum);
	if (ok && !interrupted && missing(s))
		ok = wrong(s, "has not happened: %s", missing(s));
	if (ok && !s->round)
		ok = wrong(s, "no round has ended");
	printf("\n%s: %llu events in %llu s with %d CPUs, seed %u%s\n", ok ? "PASS" : "FAIL",
	       all.written, (now_ms() - s->start_ms) / 1000, s->nr_cpus, seed,
	       interrupted ? ", ended early" : "");
	if (ok)
		printf("ok 1 soak: %llu events, seed %u\n", all.written, seed);
	else
		printf("not ok 1 soak: seed %u: %s\n", seed, s->wrong);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int set_up(struct soak *s)
{
	int ret = remote_open(&s->src, HYPERVISOR);

	if (!ret) {
		s->bench_fd = writing_open();
		ret = s->bench_fd < 0 ? s->bench_fd : 0;
	}
	if (skip_reason(ret)) {
		printf("1..0 # SKIP no remote, no hyp_bench_write or not root\n");
		exit(KSFT_SKIP);
	}
	s->nr_cpus = nr_cpus();
	s->nr_readings = 2 * s->nr_cpus + 2;
	s->readings = readings_alloc(s->nr_readings);
	if (ret || s->nr_cpus > MAX_CPUS || !s->readings)
		return wrong(s, "set-up: %s", strerror(-ret));

	s->d = (struct disturb){
		.src = &s->src,
		.nr_cpus = s->nr_cpus,
		.seed = rand_r(&s->seed),
		.readings = s->readings,
		.nr_readings = s->nr_readings,
	};
	return true;
}

static bool parse_number(const char *text, unsigned long *out)
{
	char *end;

	errno = 0;
	*out = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return true;
	fprintf(stderr, "soak: bad number '%s': want 0 or more\n", text);
	return false;
}

static bool parse_options(struct soak *s, int argc, char **argv)
{
	unsigned long seed = time(NULL) % 1000000;
	int c;

	s->seconds = 30;
	while ((c = getopt(argc, argv, "t:s:i")) != -1) {
		if (c == 'i')
			s->on_input = true;
		else if (c == '?' || !parse_number(optarg, c == 't' ? &s->seconds : &seed))
			return false;
	}
	s->seed = seed;
	return optind == argc;
}

int main(int argc, char **argv)
{
	static struct soak s;
	unsigned int seed;
	bool ok;
	int ret;

	if (!parse_options(&s, argc, argv)) {
		fprintf(stderr, "usage: soak [-t SECONDS] [-s SEED] [-i]\n");
		return EXIT_USAGE;
	}
	seed = s.seed;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	printf("soak: seed %u, %lu s\n", seed, s.seconds);
	fflush(stdout);
	ok = set_up(&s) && soak(&s);
	ret = verdict(&s, ok, seed);
	source_close(&s.src);
	return ret;
}
