// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of hyptrace record: its CPU time while 100,000 selftest events are written
 * each second, in bursts of a millisecond's worth. The CPU time of all its threads
 * counts, including their system calls.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "benches.h"

#define RATE		100000
#define BURSTS		1000	/* a second */
#define WARM_SECONDS	1
#define SECONDS		2

static pid_t start_record(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork: %s", strerror(errno));
	if (pid)
		return pid;

	execlp("hyptrace", "hyptrace", "record", "-q", "-o", "/tmp/hyp_bench.dat",
	       "-E", HYPERVISOR ":selftest", "-e", "task:task_rename", NULL);
	_exit(127);
}

/* A recording is on when both its event and tracing are */
static void wait_for_record(struct bench *b)
{
	char on[8], event[8];
	int i;

	for (i = 0; i < 1000; i++) {
		sleep_ms(10);
		need(source_get(&b->src, on, sizeof(on), "tracing_on"), "tracing_on");
		need(source_get(&b->src, event, sizeof(event), "events/%s/selftest/enable",
				HYPERVISOR), "enable");
		if (on[0] == '1' && event[0] == '1')
			return;
	}
	fail("hyptrace record does not start");
}

static void write_for(struct bench *b, unsigned int seconds)
{
	struct timespec next;
	unsigned int i, j;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (i = 0; i < seconds * BURSTS; i++) {
		for (j = 0; j < RATE / BURSTS; j++)
			bench_write(b);
		next.tv_nsec += 1000000000 / BURSTS;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

static double cpu_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		fail("CPU time of hyptrace: %s", strerror(errno));
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

void bench_record(struct bench *b)
{
	pid_t pid = start_record();
	clockid_t clock;
	double ns;
	int status;

	need(-clock_getcpuclockid(pid, &clock), "CPU time of hyptrace");
	wait_for_record(b);
	write_for(b, WARM_SECONDS);
	ns = cpu_ns(clock);
	write_for(b, SECONDS);
	ns = cpu_ns(clock) - ns;

	kill(pid, SIGINT);
	if (waitpid(pid, &status, 0) != pid || status)
		fail("hyptrace record ended with status %#x", status);
	report_value("record.event", ns / (SECONDS * RATE), "instructions");
	report_value("record.cpu_at_100k", 100 * ns / (SECONDS * 1e9), "percent");
	unlink("/tmp/hyp_bench.dat");
}
