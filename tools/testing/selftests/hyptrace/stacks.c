// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks of the hypervisor: the call chains of events whose callers are known, what a stack may
 * have, and that none is missing or lost.
 *
 * Needs root, and a kernel with CONFIG_NVHE_EL2_STACKS.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/reader.h"
#include "lib/text.h"
#include "variants.h"

#define PREFIX		"__kvm_nvhe_"
#define CALLER		" => " PREFIX
#define TEST_KB		4096
#define OPTION		"options/stacktrace"

/* From the kernel: TRACE_STACK, REMOTE_STACK_MAX, and debugfs's hyp_bench */
#define STACK_ID	4
#define MAX_CALLERS	32
#define BENCH		"/sys/kernel/debug/hyp_bench"
#define BENCH_DEEP	8

/* How often each CPU switches the option, and how many events it writes in between */
#define TIMES		200
#define STEP		100
#define STORM_EVENTS	(TIMES * STEP)

static char buf[1 << 16];

/* A record of ftrace/kernel_stack */
struct stack {
	struct record	head;
	__s32		size;
	__u32		padding;
	__u64		caller[];
};

/**
 * struct seen - what is in the buffer of a CPU
 * @start:	first address of EL2's text
 * @end:	end of that
 * @events:	records that are not stacks
 * @stacks:	records that are
 * @bare:	events without a stack
 * @deepest:	largest number of callers
 * @wrong:	what is wrong first, or NULL
 * @was_event:	the last record was an event
 */
struct seen {
	__u64		start;
	__u64		end;
	unsigned int	events;
	unsigned int	stacks;
	unsigned int	bare;
	int		deepest;
	const char	*wrong;
	bool		was_event;
};

FIXTURE(stacks) {
	struct source	src;
	struct text	text;
	struct events	ev;
	struct seen	seen;
	bool		with_graph;	/* the test has switched the tracer on */
};

static void find_text(struct seen *seen)
{
	unsigned long long addr;
	char name[256];
	FILE *f;

	file_write("/proc/sys/kernel/kptr_restrict", "0", 1);
	f = fopen("/proc/kallsyms", "r");
	while (f && fscanf(f, "%llx %*c %255s%*[^\n]", &addr, name) == 2) {
		if (!strcmp(name, PREFIX "__hyp_text_start"))
			seen->start = addr;
		if (!strcmp(name, PREFIX "__hyp_text_end"))
			seen->end = addr;
	}
	if (f)
		fclose(f);
}

static void note(struct seen *seen, bool is, const char *what)
{
	if (is && !seen->wrong)
		seen->wrong = what;
}

static void see_stack(struct seen *seen, const struct stack *stack, size_t len)
{
	int i;

	note(seen, !seen->was_event, "a stack that follows no event");
	note(seen, len < sizeof(*stack) || stack->size < 1 || stack->size > MAX_CALLERS,
	     "a number of callers");
	if (seen->wrong)
		return;
	note(seen, len != sizeof(*stack) + stack->size * sizeof(*stack->caller), "a length");
	note(seen, stack->padding, "something in the padding");
	note(seen, stack->head.flags || stack->head.preempt_count, "flags");
	for (i = 0; i < stack->size && !seen->wrong; i++)
		note(seen, stack->caller[i] < seen->start || stack->caller[i] >= seen->end,
		     "an address that is not of EL2's text");
	if (stack->size > seen->deepest)
		seen->deepest = stack->size;
}

static void see(void *arg, const struct record *rec, size_t len)
{
	struct seen *seen = arg;

	if (rec->type == STACK_ID) {
		see_stack(seen, (const struct stack *)rec, len);
		seen->stacks++;
		seen->was_event = false;
		return;
	}
	seen->bare += seen->was_event;
	seen->was_event = true;
	seen->events++;
}

FIXTURE_SETUP(stacks)
{
	events_init(&self->ev);
	if (!setup_source(_metadata, &self->src, HYPERVISOR, TEST_KB))
		return;
	if (source_get(&self->src, buf, sizeof(buf), OPTION) < 0)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_STACKS");
	ASSERT_EQ(0, pin_to_cpu(0));
	find_text(&self->seen);
	ASSERT_NE(0, self->seen.start);
	ASSERT_LT(self->seen.start, self->seen.end);
	ASSERT_EQ(0, source_put(&self->src, "1", OPTION));
}

FIXTURE_TEARDOWN(stacks)
{
	source_put(&self->src, "0", OPTION);
	if (self->with_graph)
		source_put(&self->src, "nop", "current_tracer");
	source_put(&self->src, "0", "events/%s/selftest/filter", HYPERVISOR);
	source_close(&self->src);
	events_free(&self->ev);
	text_free(&self->text);
}

/* Do @what while it traces, and keep the text of this CPU */
#define TRACED(what)								\
	do {									\
		ASSERT_EQ(0, source_clear(&self->src));				\
		ASSERT_EQ(0, source_on(&self->src, true));			\
		ASSERT_EQ(0, what);						\
		ASSERT_EQ(0, source_on(&self->src, false));			\
		ASSERT_EQ(0, text_read(&self->src, 0, &self->text));		\
	} while (0)

/* Look at all records of a CPU, which is emptied by that */
static void see_cpu(struct __test_metadata *_metadata, const struct source *src,
		    struct events *ev, struct seen *seen, int cpu)
{
	int fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw", cpu);

	ASSERT_LE(0, fd);
	events_clear(ev);
	ev->each = see;
	ev->arg = seen;
	seen->events = 0;
	seen->stacks = 0;
	EXPECT_EQ(-EAGAIN, events_read_raw(ev, src, cpu, fd));
	close(fd);
	EXPECT_EQ(NULL, ev->error) TH_LOG("%s", ev->error);
	EXPECT_EQ(NULL, seen->wrong) TH_LOG("%s", seen->wrong);
	EXPECT_EQ(0, ev->backwards);
}

/* The callers in lines of text from @at on */
static unsigned int nr_callers(const struct text *t, long at)
{
	unsigned int nr = 0;

	while (at + nr < t->nr && !strncmp(t->lines[at + nr], CALLER, strlen(CALLER)))
		nr++;
	return nr;
}

TEST_F(stacks, of_a_hypercall)
{
	const struct text *t = &self->text;
	long at;

	TRACED(source_write(&self->src, 42));
	at = text_find(t, "selftest", "id=42");
	ASSERT_LE(0, at);
	ASSERT_LT(at + 4, t->nr);
	EXPECT_STREQ("kernel_stack <stack trace>", t->lines[at + 1]);
	EXPECT_STREQ(CALLER "handle___hyp_trace_selftest", t->lines[at + 2]);
	EXPECT_STREQ(CALLER "handle_trap", t->lines[at + 3]);
	/* The vector has no frame; what it calls was called by it */
	EXPECT_EQ(t->lines[at + 4], strstr(t->lines[at + 4], CALLER "__host_"));
	EXPECT_EQ(3, nr_callers(t, at + 2));
	EXPECT_EQ(1, text_count(t, "kernel_stack"));
}

TEST_F(stacks, only_while_it_is_on)
{
	const struct text *t = &self->text;

	ASSERT_LT(0, source_get(&self->src, buf, sizeof(buf), OPTION));
	EXPECT_STREQ("1\n", buf);
	ASSERT_EQ(0, source_put(&self->src, "0", OPTION));
	ASSERT_LT(0, source_get(&self->src, buf, sizeof(buf), OPTION));
	EXPECT_STREQ("0\n", buf);
	TRACED(source_write(&self->src, 42));
	EXPECT_EQ(1, text_count(t, "selftest"));
	EXPECT_EQ(0, text_count(t, "kernel_stack"));

	/* While it traces, too, and for an event that is switched on later */
	ASSERT_EQ(0, source_put(&self->src, "0", "events/enable"));
	ASSERT_EQ(0, source_put(&self->src, "1", OPTION));
	ASSERT_EQ(0, source_put(&self->src, "1", "events/%s/selftest/enable", HYPERVISOR));
	TRACED(source_write(&self->src, 43) ?: source_put(&self->src, "0", OPTION) ?:
	       source_write(&self->src, 44) ?: source_put(&self->src, "1", OPTION) ?:
	       source_write(&self->src, 45));
	EXPECT_EQ(3, text_count(t, "selftest"));
	EXPECT_EQ(2, text_count(t, "kernel_stack"));
	EXPECT_EQ(text_find(t, "selftest", "id=43") + 1, text_find(t, "kernel_stack", ""));
	EXPECT_EQ(text_find(t, "selftest", "id=45") + 1,
		  text_find_from(t, text_find(t, "selftest", "id=44"), "kernel_stack", ""));
}

/* All of the events that a hypercall has */
TEST_F(stacks, of_each_event)
{
	const struct text *t = &self->text;
	unsigned int i;

	ASSERT_EQ(0, source_put(&self->src, "1", "events/%s/enable", HYPERVISOR));
	TRACED(source_write(&self->src, 42));
	for (i = 0; i + 1 < t->nr; i++) {
		if (!strncmp(t->lines[i], "hyp_enter ", 10) ||
		    !strncmp(t->lines[i], "host_hcall ", 11) ||
		    !strncmp(t->lines[i], "hyp_exit ", 9)) {
			EXPECT_STREQ("kernel_stack <stack trace>", t->lines[i + 1]);
			EXPECT_LE(1, nr_callers(t, i + 2)) TH_LOG("%s", t->lines[i]);
		}
	}
	see_cpu(_metadata, &self->src, &self->ev, &self->seen, 0);
	EXPECT_LT(3, self->seen.events);
	EXPECT_EQ(self->seen.events, self->seen.stacks);
	EXPECT_EQ(0, self->seen.bare);
}

/* A function calls itself more often than a stack has room for */
TEST_F(stacks, too_deep)
{
	const struct text *t = &self->text;
	long at;
	int i;

	if (file_put_number(BENCH, BENCH_DEEP))
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_TRACING_BENCH");
	ASSERT_EQ(0, source_put(&self->src, "1", "events/%s/bench_0/enable", HYPERVISOR));
	TRACED(file_put_number(BENCH, BENCH_DEEP));
	at = text_find(t, "bench_0", "");
	ASSERT_LE(0, at);
	EXPECT_EQ(MAX_CALLERS, nr_callers(t, at + 2));
	for (i = 0; i < MAX_CALLERS; i++)
		EXPECT_STREQ(CALLER "bench_deeper", t->lines[at + 2 + i]);
	see_cpu(_metadata, &self->src, &self->ev, &self->seen, 0);
	EXPECT_EQ(MAX_CALLERS, self->seen.deepest);
}

/* Which events are written does not change */
TEST_F(stacks, filtered)
{
	const struct text *t = &self->text;

	ASSERT_EQ(0, source_put(&self->src, "id == 7", "events/%s/selftest/filter", HYPERVISOR));
	TRACED(source_write_many(&self->src, 0, 10));
	EXPECT_EQ(1, text_count(t, "selftest"));
	EXPECT_EQ(1, text_count(t, "kernel_stack"));
	EXPECT_EQ(0, text_find(t, "selftest", "id=7"));

	ASSERT_EQ(0, source_put(&self->src, "0", OPTION));
	TRACED(source_write_many(&self->src, 0, 10));
	EXPECT_EQ(1, text_count(t, "selftest"));
	EXPECT_EQ(0, text_count(t, "kernel_stack"));

	/* Without the filter again, of which EL2 keeps the page while it traces */
	TRACED(source_put(&self->src, "1", OPTION) ?:
	       source_put(&self->src, "0", "events/%s/selftest/filter", HYPERVISOR) ?:
	       source_write_many(&self->src, 0, 10));
	EXPECT_EQ(10, text_count(t, "selftest"));
	EXPECT_EQ(10, text_count(t, "kernel_stack"));
}

struct storm {
	const struct source	*src;
	int			cpu;
	int			ret;
	pthread_t		thread;
};

static void *write_storm(void *arg)
{
	struct storm *s = arg;
	int i;

	s->ret = pin_to_cpu(s->cpu);
	for (i = 0; i < TIMES && !s->ret; i++)
		s->ret = source_write_many(s->src, i * STEP, STEP) ?:
			 source_put(s->src, i & 1 ? "1" : "0", OPTION);
	return NULL;
}

/* Each record of a CPU is there or was reported as lost, and each stack follows its event */
static void check_storm(struct __test_metadata *_metadata, const struct source *src,
			struct events *ev, struct seen *seen, int cpu, bool lossy)
{
	struct stats stats;
	__u64 next = 0;

	/* The event of the first stack may be lost */
	seen->was_event = lossy;
	ASSERT_EQ(0, source_stats(src, cpu, &stats));
	see_cpu(_metadata, src, ev, seen, cpu);
	EXPECT_EQ(stats.entries, seen->events + seen->stacks);
	EXPECT_EQ(ev->nr, seen->events);
	EXPECT_EQ(ev->nr, events_first_unexplained(ev, &next, false));
	if (!lossy) {
		EXPECT_LT(0, seen->stacks);
		EXPECT_LT(seen->stacks, seen->events);
		EXPECT_EQ(STORM_EVENTS, ev->nr);
		EXPECT_EQ(0, stats.overrun + stats.dropped);
	} else if (!ev->uncounted) {
		/* The number has room on most pages */
		EXPECT_EQ(stats.overrun + stats.dropped, ev->lost);
	}
}

/* All CPUs write events and switch the option; the buffers have room for all, or not */
static void run_storm(struct __test_metadata *_metadata, const struct source *src,
		      struct events *ev, struct seen *seen, bool lossy)
{
	struct storm storms[16];
	int cpu, nr = nr_cpus() < 16 ? nr_cpus() : 16;

	ASSERT_EQ(0, source_on(src, true));
	for (cpu = 0; cpu < nr; cpu++) {
		storms[cpu] = (struct storm){ .src = src, .cpu = cpu };
		ASSERT_EQ(0, pthread_create(&storms[cpu].thread, NULL, write_storm, &storms[cpu]));
	}
	for (cpu = 0; cpu < nr; cpu++) {
		pthread_join(storms[cpu].thread, NULL);
		ASSERT_EQ(0, storms[cpu].ret);
	}
	ASSERT_EQ(0, source_on(src, false));
	for (cpu = 0; cpu < nr; cpu++)
		check_storm(_metadata, src, ev, seen, cpu, lossy);
}

TEST_F(stacks, switched_in_a_storm)
{
	run_storm(_metadata, &self->src, &self->ev, &self->seen, false);
}

TEST_F(stacks, switched_in_a_storm_that_loses)
{
	ASSERT_EQ(0, source_set_size(&self->src, 16));
	run_storm(_metadata, &self->src, &self->ev, &self->seen, true);
}

/* The function graph tracer replaces return addresses: the true ones are in a stack */
TEST_F(stacks, with_the_graph)
{
	static char callers[4][128];
	const struct text *t = &self->text;
	unsigned int i, nr;
	long at;

	if (source_get(&self->src, buf, sizeof(buf), "current_tracer") < 0)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_FUNCTION_TRACER");
	TRACED(source_write(&self->src, 42));
	at = text_find(t, "kernel_stack", "");
	ASSERT_LE(0, at);
	nr = nr_callers(t, at + 1);
	ASSERT_EQ(3, nr);
	for (i = 0; i < nr; i++)
		snprintf(callers[i], sizeof(callers[i]), "%s", t->lines[at + 1 + i]);

	self->with_graph = true;
	ASSERT_EQ(0, source_put(&self->src, "function_graph", "current_tracer"));
	TRACED(source_write(&self->src, 42));
	ASSERT_LE(0, text_find(t, "funcgraph_entry", ""));
	at = text_find_from(t, text_find(t, "selftest", "id=42"), "kernel_stack", "");
	ASSERT_LE(0, at);
	EXPECT_EQ(nr, nr_callers(t, at + 1));
	for (i = 0; i < nr; i++)
		EXPECT_STREQ(callers[i], t->lines[at + 1 + i]);
	/* Records of functions have none */
	EXPECT_EQ(text_count(t, "selftest"), text_count(t, "kernel_stack"));
}

TEST_F(stacks, refused)
{
	static const char *const bad[] = { "2", "-1", "x" };
	struct source other;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, source_put(&self->src, bad[i], OPTION)) TH_LOG("'%s'", bad[i]);
	ASSERT_LT(0, source_get(&self->src, buf, sizeof(buf), OPTION));
	EXPECT_STREQ("1\n", buf);
	EXPECT_EQ(-ENOENT, source_put(&self->src, "1", "options/userstacktrace"));
	EXPECT_EQ(-ENOENT, source_put(&self->src, "1", "events/ftrace/kernel_stack/enable"));
	EXPECT_EQ(-ENOENT, source_put(&self->src, "1", "events/ftrace/kernel_stack/filter"));

	/* A remote without stacks */
	ret = source_open(&other, SOFTWARE);
	if (!ret) {
		EXPECT_EQ(-ENOENT, source_put(&other, "1", OPTION));
		source_close(&other);
	}
}

/* The format is that of the kernel's own event, with the same id */
TEST_F(stacks, format)
{
	static char theirs[8192];
	char *line, *rest;

	ASSERT_LT(0, file_read(TRACEFS "/events/ftrace/kernel_stack/format", theirs,
			       sizeof(theirs)));
	ASSERT_LT(0, source_get(&self->src, buf, sizeof(buf), "events/ftrace/kernel_stack/format"));
	for (rest = theirs; (line = strsep(&rest, "\n"));)
		EXPECT_NE(NULL, strstr(buf, line)) TH_LOG("no '%s'", line);
	ASSERT_LT(0, source_get(&self->src, buf, sizeof(buf), "events/ftrace/kernel_stack/id"));
	EXPECT_EQ(STACK_ID, atoi(buf));
}

TEST_HARNESS_MAIN
