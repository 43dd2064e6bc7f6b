// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of trace points in place: debugfs's hyp_bench makes a hypercall that passes
 * no trace point, one of some size, or many; see asm/kvm_hypbench.h. The one that passes none
 * calls bench_null(), which can be traced as a function.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "benches.h"

#define FILE_NAME	"/sys/kernel/debug/hyp_bench"
/* Even the largest events fit on a sub-buffer */
#define CALLS		40
#define REPEATS		41
#define SITES		16
/* An invalid kind: it is refused right before the hypercall, and costs all but that */
#define KIND_REFUSED	'9'
#define KIND_NULL	'1'
#define KIND_MANY	'7'

/**
 * struct point - a write to hyp_bench
 * @b:		the remote, or NULL
 * @fd:		hyp_bench
 * @kind:	what is written
 */
struct point {
	struct bench	*b;
	int		fd;
	char		kind;
};

static const struct {
	const char	*event;
	const char	*metric;
	char		kind;
} sizes[] = {
	{ "bench_0", "point.0bytes", '2' },
	{ "bench_8", "point.8bytes", '3' },
	{ "bench_11", "point.11bytes", '4' },
	{ "bench_32", "point.32bytes", '5' },
	{ "bench_64", "point.64bytes", '6' },
};

/* A system call without the C library's code around it */
static inline void write_byte(int fd, const char *byte)
{
	register long x0 asm("x0") = fd;
	register const char *x1 asm("x1") = byte;
	register long x2 asm("x2") = 1;
	register long x8 asm("x8") = __NR_write;

	asm volatile("svc #0" : "+r" (x0) : "r" (x1), "r" (x2), "r" (x8) : "memory");
}

static void call_point(void *arg)
{
	struct point *p = arg;

	write_byte(p->fd, &p->kind);
}

/* The first event after clearing is not typical */
static void clear_and_start(void *arg)
{
	struct point *p = arg;

	if (!p->b)
		return;
	bench_clear(p->b);
	call_point(p);
}

static struct cost run(struct point *p, char kind)
{
	p->kind = kind;
	return measure(&(struct batch){ .prepare = clear_and_start, .call = call_point, .arg = p,
					.calls = CALLS, .repeats = REPEATS });
}

static void open_points(struct point *p, struct bench *b)
{
	p->b = b;
	p->fd = open(FILE_NAME, O_WRONLY);
	if (p->fd < 0)
		fail("%s (CONFIG_NVHE_EL2_TRACING_BENCH): %s", FILE_NAME, strerror(errno));
	if (write(p->fd, "9", 1) != -1 || errno != EINVAL)
		fail("%s accepts an invalid kind", FILE_NAME);
}

/* The hypercall alone, without the host's path to it */
static struct cost hypercall(struct point *p)
{
	return cost_less(run(p, KIND_NULL), run(p, KIND_REFUSED));
}

static void check_events(struct point *p, unsigned int events)
{
	unsigned long long before = bench_stats(p->b).entries;

	call_point(p);
	if (bench_stats(p->b).entries != before + events)
		fail("kind %c made %llu events, %u expected", p->kind,
		     bench_stats(p->b).entries - before, events);
}

/* The cost of the event less that while it is off, as for other events */
static void bench_size(struct point *p, int i)
{
	struct cost off, on;

	bench_select(p->b, NULL);
	need(source_on(&p->b->src, true), "tracing_on");
	off = run(p, sizes[i].kind);
	bench_select(p->b, sizes[i].event);
	need(source_on(&p->b->src, true), "tracing_on");
	on = run(p, sizes[i].kind);
	report(sizes[i].metric, cost_less(on, off), "instructions");
	check_events(p, 1);
}

/* An event that is off: alone, and with others next to it */
static void bench_off(struct point *p, struct cost null)
{
	report("point.off", cost_less(run(p, sizes[0].kind), null), "instructions");
	report("point.off_of_many", cost_scale(cost_less(run(p, KIND_MANY), null), 1.0 / SITES),
	       "instructions");
	check_events(p, 0);
}

/* An event that is on, while tracing is off */
static void bench_tracing_off(struct point *p, struct cost null)
{
	struct batch batch = {
		.call = call_point, .arg = p, .calls = CALLS, .repeats = REPEATS,
	};

	bench_select(p->b, sizes[1].event);
	need(source_on(&p->b->src, true), "tracing_on");
	/* Something to read keeps the buffer loaded */
	p->kind = sizes[1].kind;
	call_point(p);
	need(source_on(&p->b->src, false), "tracing_on");
	report("point.tracing_off", cost_less(measure(&batch), null), "instructions");
}

static void bench_hypercall_on(struct point *p)
{
	bench_select(p->b, NULL);
	bench_enable(p->b, "hyp_enter", true);
	bench_enable(p->b, "hyp_exit", true);
	need(source_on(&p->b->src, true), "tracing_on");
	report("hypercall.on", hypercall(p), "instructions");
}

/* EL2 counts, and no event is on */
static void bench_counted(struct point *p)
{
	bench_select(p->b, NULL);
	if (source_put(&p->b->src, "1", "counters/enable"))
		return;
	report("hypercall.counted", hypercall(p), "instructions");
	need(source_put(&p->b->src, "0", "counters/enable"), "counters/enable");
}

void bench_hypercalls(struct bench *b)
{
	struct cost null;
	struct point p;
	int i;

	open_points(&p, b);
	if (!b) {
		report("hypercall.compiled_out", hypercall(&p), "instructions");
		close(p.fd);
		return;
	}

	bench_select(b, NULL);
	need(source_on(&b->src, true), "tracing_on");
	report("hypercall.off", hypercall(&p), "instructions");
	null = run(&p, KIND_NULL);
	bench_off(&p, null);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_size(&p, i);
	bench_tracing_off(&p, null);
	bench_hypercall_on(&p);
	bench_counted(&p);
	bench_select(b, NULL);
	close(p.fd);
}

/* The call and the return of a function that does nothing, less the same while it is not traced */
void bench_functions(struct bench *b)
{
	static const struct {
		const char	*tracer;
		const char	*metric;
		unsigned int	events;
	} tracers[] = {
		{ "function", "function.call", 1 },
		{ "function_graph", "function.graph", 2 },
	};
	struct cost off;
	struct point p;
	int i;

	open_points(&p, b);
	bench_select(b, NULL);
	need(source_put(&b->src, "bench_null", "set_ftrace_filter"), "set_ftrace_filter");
	need(source_on(&b->src, true), "tracing_on");
	off = run(&p, KIND_NULL);
	for (i = 0; i < ARRAY_SIZE(tracers); i++) {
		need(source_put(&b->src, tracers[i].tracer, "current_tracer"), "current_tracer");
		report(tracers[i].metric, cost_less(run(&p, KIND_NULL), off), "instructions");
		check_events(&p, tracers[i].events);
	}
	need(source_put(&b->src, "nop", "current_tracer"), "current_tracer");
	need(source_put(&b->src, "!bench_null", "set_ftrace_filter"), "set_ftrace_filter");
	bench_select(b, NULL);
	close(p.fd);
}
