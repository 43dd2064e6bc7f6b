// SPDX-License-Identifier: GPL-2.0
/*
 * hyp_peer - what tracing the hypervisor costs, on any kernel that does it
 *
 * Uses only files that mainline Linux has as well, so that two kernels can be compared:
 * tracing_on, trace, trace_pipe, write_event, buffer_size_kb, and the files of the events
 * selftest, hyp_enter and hyp_exit. Prints a line for each metric, as hyp_bench does. Runs
 * as root in a guest whose instructions each take a nanosecond; see
 * qemu-scripts/bench-peer.sh.
 *
 * Exit status: 0, or 1 if something failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "setup.h"

#define REMOTE		TRACEFS "/remotes/hypervisor/"
#define EVENTS		"events/hypervisor/"
#define CALLS		60
#define REPEATS		41
/* Events that are read as text */
#define NR_TEXT		200
#define ROUNDS		100
/* Size of the buffer whose memory is measured, in KiB */
#define LARGE		"4096"

static int event_fd;

static void put(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), REMOTE "%s", file);
	need(file_write(path, text, strlen(text)), file);
}

static int open_file(const char *file, int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), REMOTE "%s", file);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		fail("%s: %s", file, strerror(errno));
	return fd;
}

/* As "echo > trace" does: one kernel clears when it is opened, the other one by the write */
static void clear(void *unused)
{
	int fd = open_file("trace", O_WRONLY | O_TRUNC);

	(void)unused;
	if (write(fd, "\n", 1) != 1)
		fail("trace: %s", strerror(errno));
	close(fd);
}

static void switch_event(const char *event, bool on)
{
	char file[64];

	snprintf(file, sizeof(file), EVENTS "%s/enable", event);
	put(file, on ? "1" : "0");
}

static void write_event(void *unused)
{
	(void)unused;
	write_one(event_fd);
}

static void clear_and_start(void *unused)
{
	clear(unused);
	write_event(unused);
}

static struct cost path(unsigned int calls, unsigned int repeats)
{
	return measure(&(struct batch){ .prepare = clear_and_start, .call = write_event,
					.calls = calls, .repeats = repeats });
}

/* Read lines of text, as trace_pipe would wait for more */
static void read_text(int fd, unsigned long lines)
{
	static char buf[65536];
	ssize_t ret, i;

	while (lines) {
		ret = read(fd, buf, sizeof(buf));
		if (ret <= 0)
			fail("%lu lines are missing", lines);
		for (i = 0; i < ret && lines; i++)
			lines -= buf[i] == '\n';
	}
}

/* Of a loop with nothing between the calls; on a page, and with the changes of pages */
static void bench_events(void)
{
	struct cost off, on, mean;

	off = path(CALLS, REPEATS);
	switch_event("selftest", true);
	on = path(CALLS, REPEATS);
	mean = path(NR_TEXT, 9);
	report("event", cost_less(on, off), "instructions");
	report("event.mean", cost_less(mean, off), "instructions");
	report("path", on, "instructions");
	switch_event("selftest", false);

	switch_event("hyp_enter", true);
	switch_event("hyp_exit", true);
	report("pair", cost_less(path(CALLS, REPEATS), off), "instructions");
	switch_event("hyp_enter", false);
	switch_event("hyp_exit", false);
}

/* What it costs to change the page: what whole pages cost more than their events */
static void bench_crossing(void)
{
	/* A page begins with 16 bytes; an event has 4 and the record, of 16 on both kernels */
	const unsigned int per_page = (getpagesize() - 16) / 20;
	struct cost on, mean;

	switch_event("selftest", true);
	on = path(CALLS, REPEATS);
	mean = path(4 * per_page, 21);
	switch_event("selftest", false);
	report("crossing", cost_scale(cost_less(mean, on), per_page), "instructions");
}

static uint64_t now_ns(void)
{
	return ticks_to_ns(ticks());
}

static void fill(unsigned int nr)
{
	clear(NULL);
	while (nr--)
		write_event(NULL);
}

static double text_cost(const char *file)
{
	double costs[5];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		uint64_t start;
		int fd;

		fill(NR_TEXT);
		fd = open_file(file, O_RDONLY);
		start = now_ns();
		read_text(fd, NR_TEXT);
		costs[i] = (double)(now_ns() - start) / NR_TEXT;
		close(fd);
	}
	return quantile(costs, ARRAY_SIZE(costs), 0.5);
}

static void bench_text(void)
{
	switch_event("selftest", true);
	report_value("text.trace", text_cost("trace"), "instructions");
	report_value("text.trace_pipe", text_cost("trace_pipe"), "instructions");
	switch_event("selftest", false);
}

static double wake_delays[ROUNDS];
static uint64_t written;
static unsigned int rounds_done;

static void *reader(void *unused)
{
	int fd = open_file("trace_pipe", O_RDONLY);
	char buf[4096];
	uint64_t start;

	(void)unused;
	while (rounds_done < ROUNDS) {
		if (read(fd, buf, sizeof(buf)) <= 0)
			fail("trace_pipe: %s", strerror(errno));
		start = LOAD(written);
		if (!start)
			continue;
		wake_delays[rounds_done] = now_ns() - start;
		STORE(written, 0);
		STORE(rounds_done, rounds_done + 1);
	}
	close(fd);
	return NULL;
}

/* From an event to a reader that sleeps, in times that are not in step with any timer */
static void bench_wake(void)
{
	pthread_t thread;
	uint32_t seed = 1;
	unsigned int i;

	clear(NULL);
	switch_event("selftest", true);
	prctl(PR_SET_TIMERSLACK, 1);
	need(-pthread_create(&thread, NULL, reader, NULL), "a thread");
	for (i = 0; i < ROUNDS; i++) {
		struct timespec pause;

		seed = seed * 1664525 + 1013904223;
		pause = (struct timespec){ .tv_nsec = 100000000 + seed / 16 };
		nanosleep(&pause, NULL);
		STORE(written, now_ns());
		write_event(NULL);
		while (LOAD(rounds_done) == i)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	pthread_join(thread, NULL);
	switch_event("selftest", false);
	report_value("wake.median", quantile(wake_delays, ROUNDS, 0.5), "ns");
	report_value("wake.p99", quantile(wake_delays, ROUNDS, 0.99), "ns");
}

/* What a buffer takes that is to have 4096 KiB, the only one as there is one CPU */
static void bench_memory(void)
{
	double before;

	put("tracing_on", "0");
	clear(NULL);
	put("buffer_size_kb", LARGE);
	before = free_bytes();
	put("tracing_on", "1");
	report_value("memory.4096KiB", (before - free_bytes()) / 1024, "KiB");
}

int main(void)
{
	need(pin_to_cpu(0), "CPU 0");
	event_fd = open_file("write_event", O_WRONLY);
	put("tracing_on", "0");
	put("events/enable", "0");
	put("tracing_on", "1");
	bench_events();
	bench_crossing();
	bench_text();
	bench_wake();
	bench_memory();
	put("tracing_on", "0");
	clear(NULL);
	return 0;
}
