// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of events: those of the hypervisor, and an ordinary one of the kernel.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "benches.h"

#define REPEATS		41
/* Events of any kind that fit on a sub-buffer */
#define CALLS		60

/* The cost in the current state, from a cleared buffer, so that no event crosses a page */
static struct cost path(struct bench *b)
{
	struct batch batch = {
		.prepare = bench_clear_and_start, .call = bench_write_call, .arg = b,
		.calls = CALLS, .repeats = REPEATS,
	};

	return measure(&batch);
}

/* The mean over as many as fill @subbufs sub-buffers, so that it includes crossings */
static struct cost path_mean(struct bench *b, unsigned int subbufs)
{
	struct batch batch = {
		.prepare = bench_clear_and_start, .call = bench_write_call, .arg = b,
		.calls = subbufs * b->per_subbuf, .repeats = 21,
	};

	return measure(&batch);
}

/* Start so close to the end of a sub-buffer that half of the calls are on the next one */
static void clear_and_approach(void *arg)
{
	struct bench *b = arg;
	unsigned int i;

	bench_clear(b);
	for (i = 0; i < b->per_subbuf - CALLS / 2; i++)
		bench_write(b);
}

static struct cost path_crossing(struct bench *b)
{
	struct batch batch = {
		.prepare = clear_and_approach, .call = bench_write_call, .arg = b,
		.calls = CALLS, .repeats = REPEATS,
	};

	return measure(&batch);
}

/* Fail unless a call makes @events events: otherwise this measures something else */
static void check_events(struct bench *b, unsigned int events)
{
	unsigned long long before;

	bench_clear_and_start(b);
	before = bench_stats(b).entries;
	bench_write(b);
	if (bench_stats(b).entries != before + events)
		fail("a call made %llu events, %u expected",
		     bench_stats(b).entries - before, events);
}

static struct cost path_with(struct bench *b, const char *event)
{
	bench_select(b, event);
	need(source_on(&b->src, true), "tracing_on");
	check_events(b, !!event);
	return path(b);
}

double bench_bytes(struct bench *b)
{
	struct stats s;
	int i;

	bench_clear(b);
	for (i = 0; i < CALLS; i++)
		bench_write(b);
	s = bench_stats(b);
	if (s.entries != CALLS)
		fail("%d events became %llu", CALLS, s.entries);
	return (double)s.bytes / s.entries;
}

/* The event is on, but tracing is off */
static struct cost path_tracing_off(struct bench *b)
{
	bench_select(b, "selftest");
	need(source_on(&b->src, true), "tracing_on");
	/* Something to read keeps the buffer loaded */
	bench_write(b);
	need(source_on(&b->src, false), "tracing_on");
	return measure(&(struct batch){ .call = bench_write_call, .arg = b, .calls = CALLS,
					.repeats = REPEATS });
}

/* The event is on, with a filter of one comparison that no event passes */
static struct cost path_filtered(struct bench *b)
{
	static const char filter[] = "events/hypervisor/selftest/filter";
	struct cost cost;

	bench_select(b, "selftest");
	need(source_put(&b->src, "id > 1000000", filter), filter);
	need(source_on(&b->src, true), "tracing_on");
	check_events(b, 0);
	cost = path(b);
	need(source_put(&b->src, "0", filter), filter);
	return cost;
}

/* The event, and the stack of its three callers: fewer fit on a sub-buffer */
static void bench_stack(struct bench *b, struct cost off)
{
	static const char option[] = "options/stacktrace";
	struct batch batch = {
		.prepare = bench_clear_and_start, .call = bench_write_call, .arg = b,
		.calls = CALLS / 2, .repeats = REPEATS,
	};

	/* The kernel may have no stacks */
	if (source_put(&b->src, "1", option))
		return;
	bench_select(b, "selftest");
	need(source_on(&b->src, true), "tracing_on");
	check_events(b, 2);
	report("selftest.stack", cost_less(measure(&batch), off), "instructions");
	need(source_put(&b->src, "0", option), option);
}

static const char trigger[] = "events/hypervisor/selftest/trigger";

/* The event is on, with a trigger that a filter of one comparison keeps from acting */
static struct cost path_triggered(struct bench *b)
{
	struct cost cost;

	bench_select(b, "selftest");
	need(source_put(&b->src, "traceoff if id > 1000000", trigger), trigger);
	need(source_on(&b->src, true), "tracing_on");
	check_events(b, 1);
	cost = path(b);
	need(source_put(&b->src, "!traceoff", trigger), trigger);
	return cost;
}

static unsigned long long write_ns(struct bench *b)
{
	struct timespec start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	bench_write(b);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - start.tv_sec) * 1000000000ULL + end.tv_nsec - start.tv_nsec;
}

/* How much longer the event takes that stops all CPUs. The best of some: it is only once each */
static double bench_traceoff(struct bench *b)
{
	unsigned long long goes_on = ~0ULL, stops = ~0ULL, ns;
	int i;

	bench_select(b, "selftest");
	for (i = 0; i < 32; i++) {
		need(source_put(&b->src, i & 1 ? "traceoff" : "traceoff if id > 1000000", trigger),
		     trigger);
		need(source_on(&b->src, true), "tracing_on");
		bench_write(b);
		need(source_on(&b->src, true), "tracing_on");
		ns = write_ns(b);
		if (i & 1)
			stops = ns < stops ? ns : stops;
		else
			goes_on = ns < goes_on ? ns : goes_on;
		need(source_put(&b->src, "!traceoff", trigger), trigger);
	}
	return (double)stops - goes_on;
}

static bool has_triggers(struct bench *b)
{
	char text[4096];

	return source_get(&b->src, text, sizeof(text), trigger) >= 0;
}

static struct cost bench_pair(struct bench *b, struct cost off)
{
	bench_select(b, NULL);
	bench_enable(b, "hyp_enter", true);
	bench_enable(b, "hyp_exit", true);
	need(source_on(&b->src, true), "tracing_on");
	check_events(b, 2);
	return cost_less(path(b), off);
}

double bench_events(struct bench *b)
{
	struct cost off = path_with(b, NULL), on = path_with(b, "selftest");
	struct cost event = cost_less(on, off), mean;

	report("selftest.event", event, "instructions");
	report_value("selftest.bytes", bench_bytes(b), "bytes");
	report("selftest.path", on, "instructions");
	report("selftest.path_off", off, "instructions");

	mean = cost_less(path_mean(b, 4), off);
	report("selftest.event_mean", mean, "instructions");
	report("selftest.crossing", cost_scale(cost_less(path_crossing(b), on), CALLS),
	       "instructions");
	report("selftest.tracing_off", cost_less(path_tracing_off(b), off), "instructions");
	report("selftest.filtered", cost_less(path_filtered(b), off), "instructions");
	bench_stack(b, off);
	if (has_triggers(b)) {
		report("selftest.triggered", cost_less(path_triggered(b), off), "instructions");
		report_value("trigger.traceoff", bench_traceoff(b), "instructions");
	}
	report("hyp_pair.event", bench_pair(b, off), "instructions");
	return event.median;
}

/* The cost of an event, as the mean over whole sub-buffers */
struct cost bench_event_mean(struct bench *b)
{
	struct cost off = path_with(b, NULL), on;

	bench_select(b, "selftest");
	need(source_on(&b->src, true), "tracing_on");
	on = path_mean(b, 4);
	return cost_less(on, off);
}

/*
 * The host's own events. sys_exit is the smallest that a loop can trigger exactly once.
 * Both measurements have sys_enter on, since the first of the two events that is enabled
 * sends system calls through another path.
 */
static int host_put(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), TRACEFS "/%s", file);
	return file_write(path, text, strlen(text));
}

static void host_clear(void *arg)
{
	(void)arg;
	need(host_put("trace", "\n"), "the host's trace");
}

static void sys_call(void *arg)
{
	register long x0 asm("x0") = -1;
	register long x8 asm("x8") = __NR_close;

	asm volatile("svc #0" : "+r" (x0) : "r" (x8), "r" (arg) : "memory");
}

static void set_name(void *arg)
{
	register long x0 asm("x0") = PR_SET_NAME;
	register const char *x1 asm("x1") = "hyp_bench";
	register long x8 asm("x8") = __NR_prctl;

	asm volatile("svc #0" : "+r" (x0) : "r" (x1), "r" (x8), "r" (arg) : "memory");
}

static struct cost host_path(void (*call)(void *))
{
	return measure(&(struct batch){ .prepare = host_clear, .call = call, .calls = 30,
					.repeats = REPEATS });
}

static struct cost host_event(const char *file, void (*call)(void *))
{
	struct cost off = host_path(call), on;

	need(host_put(file, "1"), file);
	on = host_path(call);
	need(host_put(file, "0"), file);
	return cost_less(on, off);
}

void bench_host_events(void)
{
	struct cost cost;

	need(host_put("tracing_on", "1"), "the host's tracing_on");
	need(host_put("events/enable", "0"), "the host's events/enable");
	report("host.task_rename", host_event("events/task/task_rename/enable", set_name),
	       "instructions");
	need(host_put("events/raw_syscalls/sys_enter/enable", "1"), "sys_enter");
	cost = host_event("events/raw_syscalls/sys_exit/enable", sys_call);
	need(host_put("events/raw_syscalls/sys_enter/enable", "0"), "sys_enter");
	report("host.sys_exit", cost, "instructions");
}
