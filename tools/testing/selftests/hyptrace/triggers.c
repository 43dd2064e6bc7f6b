// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers of the hypervisor's events: what each command does, counts, filters, what is refused,
 * that traceoff stops all CPUs, and the field duration of hyp_exit.
 *
 * Needs root, and a kernel with CONFIG_NVHE_EL2_TRIGGERS.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <asm/kvm_hypbench.h>

#include "kselftest_harness.h"
#include "lib/text.h"
#include "lib/ways.h"
#include "variants.h"

#define TEST_KB		1024
#define MAX_CPUS	64
/* Each waits for all CPUs, which takes a tenth of a second */
#define STORM_STEPS	20
/* From the kernel: triggers of an event at most */
#define MAX_TRIGGERS	7

#define SELFTEST	"hypervisor/selftest"
#define STACKS		"options/stacktrace"

FIXTURE(triggers) {
	struct source	src;
	struct events	ev;
	struct text	text;
	int		bench_fd;
};

/* Remove all triggers of an event that has them, as the file shows them */
static void clear_triggers(const struct source *src, const char *event)
{
	char buf[4096], line[512], *next, *rest = buf, *end;

	if (source_get(src, buf, sizeof(buf), "events/%s/trigger", event) < 0)
		return;
	while ((next = strsep(&rest, "\n")) && *next) {
		if (*next == '#')
			continue;
		end = strstr(next, ":unlimited") ?: strstr(next, ":count=");
		if (end)
			*end = '\0';
		snprintf(line, sizeof(line), "!%s", next);
		source_put(src, line, "events/%s/trigger", event);
	}
}

static const char *const used_events[] = {
	SELFTEST, "hypervisor/host_hcall", "hypervisor/host_hcall_ret", "hypervisor/hyp_exit",
};

static void clear_all(const struct source *src)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(used_events); i++) {
		clear_triggers(src, used_events[i]);
		source_put(src, "0", "events/%s/filter", used_events[i]);
	}
}

FIXTURE_SETUP(triggers)
{
	char buf[4096];

	events_init(&self->ev);
	self->bench_fd = open("/sys/kernel/debug/hyp_bench_write", O_RDONLY | O_CLOEXEC);
	if (!setup_source(_metadata, &self->src, HYPERVISOR, TEST_KB))
		return;
	if (source_get(&self->src, buf, sizeof(buf), "events/" SELFTEST "/trigger") < 0)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_TRIGGERS");
	ASSERT_EQ(0, pin_to_cpu(0));
	clear_all(&self->src);
}

FIXTURE_TEARDOWN(triggers)
{
	clear_all(&self->src);
	if (self->bench_fd >= 0)
		close(self->bench_fd);
	source_close(&self->src);
	events_free(&self->ev);
	text_free(&self->text);
}

static int trigger(const struct source *src, const char *event, const char *text)
{
	return source_put(src, text, "events/%s/trigger", event);
}

#define EXPECT_FILE(text, ...)							\
	do {									\
		char __buf[4096];						\
										\
		ASSERT_LE(0, source_get(&self->src, __buf, sizeof(__buf), __VA_ARGS__));\
		EXPECT_STREQ(text, __buf);					\
	} while (0)

static bool has_stacks(const struct source *src)
{
	char buf[4];

	return source_get(src, buf, sizeof(buf), STACKS) >= 0;
}

/* What is shown of an event without triggers */
static const char *none(const struct source *src)
{
	return has_stacks(src) ?
	       "# Available triggers:\n# traceon traceoff stacktrace enable_event disable_event\n" :
	       "# Available triggers:\n# traceon traceoff enable_event disable_event\n";
}

#define EXPECT_TRIGGER(event, text)	EXPECT_FILE(text, "events/" event "/trigger")
#define EXPECT_ON(on)			EXPECT_FILE(on ? "1\n" : "0\n", "tracing_on")

/* The ids of the selftest events that CPU 0 has, and no others; they stay there */
#define EXPECT_IDS(...)								\
	do {									\
		static const __u64 __ids[] = { __VA_ARGS__ };			\
		size_t __i;							\
										\
		events_clear(&self->ev);					\
		ASSERT_EQ(0, source_look(&self->src, 0, &self->ev));		\
		EXPECT_EQ(ARRAY_SIZE(__ids), self->ev.nr);			\
		for (__i = 0; __i < self->ev.nr && __i < ARRAY_SIZE(__ids); __i++)\
			EXPECT_EQ(__ids[__i], self->ev.list[__i].id);		\
	} while (0)

/* The event that stops tracing is written; tracing_on starts it again, also if it never was off */
TEST_F(triggers, traceoff)
{
	const struct source *src = &self->src;

	EXPECT_TRIGGER(SELFTEST, none(src));
	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff if id == 3"));
	EXPECT_TRIGGER(SELFTEST, "traceoff:unlimited if id == 3\n");
	ASSERT_EQ(0, source_on(src, true));
	EXPECT_FILE("none\n", "stopped_by");
	ASSERT_EQ(0, source_write_many(src, 1, 5));
	EXPECT_ON(false);
	EXPECT_FILE("0\n", "stopped_by");
	EXPECT_IDS(1, 2, 3);
	ASSERT_EQ(0, source_on(src, true));
	EXPECT_ON(true);
	EXPECT_FILE("none\n", "stopped_by");
	ASSERT_EQ(0, source_write_many(src, 2, 4));
	EXPECT_ON(false);
	EXPECT_IDS(1, 2, 3, 2, 3);

	/* Off for good, and on: it goes on */
	ASSERT_EQ(0, source_on(src, false));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 4));
	EXPECT_ON(true);
	EXPECT_IDS(1, 2, 3, 2, 3, 4);

	ASSERT_EQ(0, trigger(src, SELFTEST, "!traceoff"));
	EXPECT_TRIGGER(SELFTEST, none(src));
	ASSERT_EQ(0, source_write_many(src, 3, 2));
	EXPECT_ON(true);
	EXPECT_IDS(1, 2, 3, 2, 3, 4, 3, 4);
}

/* Without a trigger, other events stop, too, and trace_off is not written afterwards */
TEST_F(triggers, traceoff_is_last)
{
	const struct source *src = &self->src;
	const struct text *t = &self->text;

	ASSERT_EQ(0, source_put(src, "1", "events/enable"));
	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff if id == 3"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 1, 5));
	ASSERT_EQ(0, source_on(src, false));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	ASSERT_LT(0, t->nr);
	EXPECT_STREQ("selftest id=3", t->lines[t->nr - 1]);
	EXPECT_EQ(3, text_count(t, "selftest"));
	EXPECT_EQ(0, text_count(t, "trace_off"));
}

TEST_F(triggers, counts)
{
	const struct source *src = &self->src;
	unsigned int i;

	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff:2"));
	EXPECT_TRIGGER(SELFTEST, "traceoff:count=2\n");
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, source_on(src, true));
		ASSERT_EQ(0, source_write_many(src, 1, 2));
		EXPECT_ON(i >= 2);
	}
	EXPECT_TRIGGER(SELFTEST, "traceoff:count=0\n");
	EXPECT_IDS(1, 1, 1, 2, 1, 2);

	/* A count stays what it is when another trigger comes and goes, and without a buffer */
	ASSERT_EQ(0, trigger(src, SELFTEST, "!traceoff"));
	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff:3 if id == 7"));
	ASSERT_EQ(0, source_write(src, 7));
	ASSERT_EQ(0, trigger(src, SELFTEST, "enable_event:hypervisor:host_hcall:5 if id == 9"));
	EXPECT_TRIGGER(SELFTEST, "enable_event:hypervisor:host_hcall:count=5 if id == 9\n"
		       "traceoff:count=2 if id == 7\n");
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 7));
	ASSERT_EQ(0, trigger(src, SELFTEST, "!enable_event:hypervisor:host_hcall"));
	EXPECT_TRIGGER(SELFTEST, "traceoff:count=1 if id == 7\n");
	ASSERT_EQ(0, source_reset(src));
	ASSERT_EQ(0, source_loaded(src));
	EXPECT_TRIGGER(SELFTEST, "traceoff:count=1 if id == 7\n");
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 7));
	EXPECT_ON(false);
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 7));
	EXPECT_ON(true);
	EXPECT_TRIGGER(SELFTEST, "traceoff:count=0 if id == 7\n");
	EXPECT_IDS(7, 7);
}

/* host_hcall comes before the selftest event of its call, and is off */
TEST_F(triggers, traceon)
{
	const struct source *src = &self->src;

	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff if id == 3"));
	ASSERT_EQ(0, trigger(src, "hypervisor/host_hcall", "traceon:1 if a1 == 5"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 1, 6));
	EXPECT_ON(true);
	EXPECT_IDS(1, 2, 3, 5, 6);
	ASSERT_EQ(0, source_write_many(src, 1, 6));
	EXPECT_ON(false);
	EXPECT_IDS(1, 2, 3, 5, 6, 1, 2, 3);

	/* What was stopped by hand is not started */
	ASSERT_EQ(0, trigger(src, "hypervisor/host_hcall", "!traceon"));
	ASSERT_EQ(0, trigger(src, "hypervisor/host_hcall", "traceon"));
	ASSERT_EQ(0, source_on(src, false));
	ASSERT_EQ(0, source_write(src, 5));
	EXPECT_ON(false);
}

/* An event that is off triggers as well, and nothing is recorded of it */
TEST_F(triggers, event_is_off)
{
	const struct source *src = &self->src;

	ASSERT_EQ(0, source_put(src, "0", "events/" SELFTEST "/enable"));
	ASSERT_EQ(0, source_put(src, "1", "events/hypervisor/host_hcall/enable"));
	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff if id == 3"));
	EXPECT_FILE("0*\n", "events/" SELFTEST "/enable");
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 1, 5));
	EXPECT_ON(false);
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_EQ(0, text_count(&self->text, "selftest"));
	EXPECT_LE(0, text_find(&self->text, "host_hcall", "args=0x3,"));
	EXPECT_EQ(-1, text_find(&self->text, "host_hcall", "args=0x4,"));

	/* It is on or off as before when the trigger goes */
	ASSERT_EQ(0, trigger(src, SELFTEST, "!traceoff"));
	EXPECT_FILE("0\n", "events/" SELFTEST "/enable");
	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff if id == 3"));
	ASSERT_EQ(0, source_put(src, "1", "events/" SELFTEST "/enable"));
	EXPECT_FILE("1*\n", "events/" SELFTEST "/enable");
	ASSERT_EQ(0, trigger(src, SELFTEST, "!traceoff"));
	EXPECT_FILE("1\n", "events/" SELFTEST "/enable");
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 3, 2));
	EXPECT_IDS(3, 4);
}

/* A stack follows the event, or stands alone if that is off. There is one for each event at most */
TEST_F(triggers, stacktrace)
{
	const struct source *src = &self->src;
	const struct text *t = &self->text;
	long at;

	if (!has_stacks(src))
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_STACKS");

	ASSERT_EQ(0, trigger(src, SELFTEST, "stacktrace:2 if id > 1"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 1, 4));
	EXPECT_TRIGGER(SELFTEST, "stacktrace:count=0 if id > 1\n");
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_EQ(4, text_count(t, "selftest"));
	EXPECT_EQ(2, text_count(t, "kernel_stack"));
	at = text_find(t, "selftest", "id=2");
	ASSERT_LE(0, at);
	EXPECT_EQ(at + 1, text_find(t, "kernel_stack", ""));
	at = text_find(t, "selftest", "id=3");
	ASSERT_LE(0, at);
	EXPECT_EQ(at + 1, text_find_from(t, at, "kernel_stack", ""));

	ASSERT_EQ(0, trigger(src, SELFTEST, "!stacktrace"));
	ASSERT_EQ(0, trigger(src, SELFTEST, "stacktrace"));
	ASSERT_EQ(0, source_put(src, "0", "events/" SELFTEST "/enable"));
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, source_write(src, 5));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_EQ(0, text_count(t, "selftest"));
	EXPECT_EQ(1, text_count(t, "kernel_stack"));

	ASSERT_EQ(0, source_put(src, "1", "events/" SELFTEST "/enable"));
	ASSERT_EQ(0, source_put(src, "1", STACKS));
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, source_write(src, 6));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_EQ(1, text_count(t, "selftest"));
	EXPECT_EQ(1, text_count(t, "kernel_stack"));

	/* The stack belongs to the event that stops tracing; there is none of what is stopped */
	ASSERT_EQ(0, source_put(src, "0", STACKS));
	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff if id == 8"));
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, source_write_many(src, 7, 3));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_EQ(2, text_count(t, "selftest"));
	EXPECT_EQ(2, text_count(t, "kernel_stack"));
}

TEST_F(triggers, enable_event)
{
	static const char file[] = "events/hypervisor/host_hcall/enable";
	const struct source *src = &self->src;
	const struct text *t = &self->text;

	ASSERT_EQ(0, trigger(src, SELFTEST, "enable_event:hypervisor:host_hcall:2 if id == 3"));
	ASSERT_EQ(0, trigger(src, "hypervisor/host_hcall",
			     "disable_event:hypervisor:host_hcall if a1 == 6"));
	EXPECT_FILE("0*\n", file);
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 1, 5));
	EXPECT_FILE("1*\n", file);
	/* A second 3 changes nothing, so it does not count */
	ASSERT_EQ(0, source_write_many(src, 1, 7));
	EXPECT_FILE("0*\n", file);
	EXPECT_TRIGGER(SELFTEST, "enable_event:hypervisor:host_hcall:count=1 if id == 3\n");
	ASSERT_EQ(0, source_write_many(src, 1, 5));
	EXPECT_FILE("1*\n", file);
	ASSERT_EQ(0, source_write_many(src, 1, 7));
	ASSERT_EQ(0, source_write_many(src, 1, 5));
	EXPECT_FILE("0*\n", file);
	EXPECT_TRIGGER(SELFTEST, "enable_event:hypervisor:host_hcall:count=0 if id == 3\n");

	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_LE(0, text_find(t, "host_hcall", "id=__hyp_trace_selftest invalid=0 args=0x4,"));
	EXPECT_EQ(-1, text_find(t, "host_hcall", "id=__hyp_trace_selftest invalid=0 args=0x6,"));
	EXPECT_LE(0, text_find(t, "host_hcall", "id=__hyp_trace_selftest invalid=0 args=0x5,"));
}

/* What was switched by hand is switched, whatever the trigger did before */
TEST_F(triggers, enable_by_hand)
{
	static const char file[] = "events/hypervisor/host_hcall/enable";
	const struct source *src = &self->src;

	ASSERT_EQ(0, trigger(src, SELFTEST, "enable_event:hypervisor:host_hcall if id == 3"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 3));
	ASSERT_EQ(0, source_put(src, "0", file));
	EXPECT_FILE("0*\n", file);
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, source_write(src, 4));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_EQ(0, text_count(&self->text, "host_hcall"));
	ASSERT_EQ(0, source_write(src, 3));
	EXPECT_FILE("1*\n", file);
	/* It stays on without the trigger */
	ASSERT_EQ(0, trigger(src, SELFTEST, "!enable_event:hypervisor:host_hcall"));
	EXPECT_FILE("1\n", file);
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, source_write(src, 4));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_LE(0, text_find(&self->text, "host_hcall", "args=0x4,"));
}

/* The filter of the event does not keep its triggers from acting */
TEST_F(triggers, filter_and_trigger)
{
	const struct source *src = &self->src;

	ASSERT_EQ(0, source_put(src, "id & 1", "events/" SELFTEST "/filter"));
	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff if id == 4"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 1, 7));
	EXPECT_ON(false);
	EXPECT_IDS(1, 3);
	ASSERT_EQ(0, trigger(src, SELFTEST, "!traceoff"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 4, 4));
	EXPECT_IDS(1, 3, 5, 7);
}

TEST_F(triggers, refused)
{
	static const struct {
		const char	*text;
		int		ret;
	} wrong[] = {
		{ "nosuch", -EINVAL },
		{ "snapshot", -EINVAL },
		{ "hist:keys=id", -EINVAL },
		{ "enable_hist:hypervisor:host_hcall", -EINVAL },
		{ "traceoff:x", -EINVAL },
		{ "traceoff:1x", -EINVAL },
		{ "traceoff if", -EINVAL },
		{ "traceoff if nosuch == 1", -EINVAL },
		{ "traceoff if duration > 1", -EINVAL },
		{ "traceoff if comm == \"triggers\"", -EINVAL },
		{ "enable_event", -EINVAL },
		{ "enable_event:hypervisor", -EINVAL },
		{ "enable_event:hypervisor:nosuch", -EINVAL },
		{ "enable_event:sched:sched_switch", -EINVAL },
		{ "enable_event:hypervisor:host_hcall:x", -EINVAL },
		{ "enable_event:hypervisor:host_hcall if comm == \"x\"", -EINVAL },
		{ "traceoff", -EEXIST },
		{ "traceon", -EEXIST },
		{ "disable_event:hypervisor:vcpu_enter", -EEXIST },
	};
	static const char all[] = "enable_event:hypervisor:vcpu_enter:unlimited\n"
				  "traceoff:unlimited if id == 3\n";
	const struct source *src = &self->src;
	unsigned int i;

	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff if id == 3"));
	ASSERT_EQ(0, trigger(src, SELFTEST, "enable_event:hypervisor:vcpu_enter"));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(wrong[i].ret, trigger(src, SELFTEST, wrong[i].text))
			TH_LOG("'%s'", wrong[i].text);
		EXPECT_TRIGGER(SELFTEST, all);
	}
	EXPECT_FILE("0\n", "events/hypervisor/host_hcall/enable");
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 1, 4));
	EXPECT_IDS(1, 2, 3);

	/* Events without filters have no triggers */
	EXPECT_EQ(-ENOENT, trigger(src, "ftrace/bprint", "traceoff"));
	/* One that is not there can be removed, as everywhere */
	EXPECT_EQ(0, trigger(src, SELFTEST, "!disable_event:hypervisor:vcpu_exit"));
	EXPECT_TRIGGER(SELFTEST, all);
}

TEST_F(triggers, limit)
{
	static const char *const targets[MAX_TRIGGERS] = {
		"hyp_enter", "hyp_exit", "host_hcall", "host_hcall_ret", "vcpu_enter", "vcpu_exit",
		"tlb_flush",
	};
	const struct source *src = &self->src;
	char text[128];
	unsigned int i;

	for (i = 0; i < MAX_TRIGGERS; i++) {
		snprintf(text, sizeof(text), "enable_event:hypervisor:%s", targets[i]);
		EXPECT_EQ(0, trigger(src, SELFTEST, text));
	}
	EXPECT_EQ(-ENOSPC, trigger(src, SELFTEST, "traceoff"));
	EXPECT_EQ(-ENOSPC, trigger(src, SELFTEST, "enable_event:hypervisor:mem_transition"));
	EXPECT_FILE("0\n", "events/hypervisor/mem_transition/enable");
	EXPECT_EQ(0, trigger(src, SELFTEST, "!enable_event:hypervisor:vcpu_enter"));
	EXPECT_FILE("0\n", "events/hypervisor/vcpu_enter/enable");
	EXPECT_EQ(0, trigger(src, SELFTEST, "traceoff"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write_many(src, 1, 2));
	EXPECT_ON(false);
	EXPECT_FILE("1*\n", "events/hypervisor/tlb_flush/enable");
}

/*
 * The field duration. A call that writes many events lasts at least as long as its events say
 */

static int bench_write(int fd, int cpu, __u64 first, __u32 nr, __u64 *written)
{
	struct hyp_bench_write call = { .first = first, .nr = nr, .cpu = cpu };

	if (ioctl(fd, HYP_BENCH_IOCTL_WRITE, &call))
		return -errno;
	if (written)
		*written = call.written;
	return 0;
}

/*
 * How long a visit takes at least in which EL2 writes 4096 events. Any other one may take longer,
 * as the machine may stop the CPU at any moment. Returns an errno
 */
static int least_duration(const struct source *src, int bench_fd, struct events *ev, __u64 *ns)
{
	unsigned int i;
	int ret;

	*ns = ~0ULL;
	for (i = 0; i < 5; i++) {
		events_clear(ev);
		ret = source_clear(src) ?: bench_write(bench_fd, 0, 1, 4096, NULL) ?:
		      source_look(src, 0, ev);
		if (ret)
			return ret;
		if (ev->nr != 4096)
			return -ENODATA;
		if (*ns > ev->list[4095].ts - ev->list[0].ts)
			*ns = ev->list[4095].ts - ev->list[0].ts;
	}
	return 0;
}

TEST_F(triggers, duration_filter)
{
	static const char filter[] = "events/hypervisor/hyp_exit/filter";
	const struct source *src = &self->src;
	const struct text *t = &self->text;
	char buf[4096], text[64];
	__u64 ns;

	if (self->bench_fd < 0)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_TRACING_BENCH");
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "events/hypervisor/hyp_exit/format"));
	EXPECT_EQ(NULL, strstr(buf, "duration"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, least_duration(src, self->bench_fd, &self->ev, &ns));

	/* Longer than any visit, and hyp_enter is off */
	ASSERT_EQ(0, source_put(src, "duration > 3600000000000", filter));
	EXPECT_FILE("duration > 3600000000000\n", filter);
	ASSERT_EQ(0, source_put(src, "1", "events/hypervisor/hyp_exit/enable"));
	ASSERT_EQ(0, source_write_many(src, 1, 10));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_EQ(0, text_count(t, "hyp_exit"));

	/* Nearly all visits are shorter than half of that, and one is not */
	snprintf(text, sizeof(text), "duration >= %llu", ns / 2);
	ASSERT_EQ(0, source_put(src, text, filter));
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, bench_write(self->bench_fd, 0, 1, 4096, NULL));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_LE(1, text_count(t, "hyp_exit"));
	EXPECT_LE(4096, text_find_from(t, 4096, "hyp_exit", ""));

	/* Each clock: it is always in ns */
	ASSERT_EQ(0, source_set_clock(src, "counter"));
	ASSERT_EQ(0, bench_write(self->bench_fd, 0, 1, 4096, NULL));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_LE(1, text_count(t, "hyp_exit"));
	ASSERT_EQ(0, source_put(src, "duration > 3600000000000", filter));
	ASSERT_EQ(0, source_clear(src));
	ASSERT_EQ(0, source_write_many(src, 1, 10));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_EQ(0, text_count(t, "hyp_exit"));

	/* Other fields of the event, and none */
	ASSERT_EQ(0, source_put(src, "duration <= 3600000000000 && vcpu == 0", filter));
	ASSERT_EQ(0, source_write_many(src, 1, 10));
	ASSERT_EQ(0, text_read(src, 0, &self->text));
	EXPECT_LE(10, text_count(t, "hyp_exit"));
	EXPECT_EQ(-EINVAL, source_put(src, "duration > 1", "events/hypervisor/hyp_enter/filter"));
	EXPECT_EQ(-EINVAL, source_put(src, "duration > 1", "events/" SELFTEST "/filter"));
}

/* As it is used: the flight recorder stops at the first slow visit. Both events may be off */
TEST_F(triggers, duration_trigger)
{
	const struct source *src = &self->src;
	char text[64];
	__u64 ns;

	if (self->bench_fd < 0)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_TRACING_BENCH");
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, least_duration(src, self->bench_fd, &self->ev, &ns));
	ASSERT_EQ(0, source_clear(src));

	ASSERT_EQ(0, trigger(src, "hypervisor/hyp_exit", "traceoff if duration > 3600000000000"));
	ASSERT_EQ(0, source_write_many(src, 1, 10));
	EXPECT_ON(true);
	ASSERT_EQ(0, trigger(src, "hypervisor/hyp_exit", "!traceoff"));
	snprintf(text, sizeof(text), "traceoff if duration >= %llu", ns / 2);
	ASSERT_EQ(0, trigger(src, "hypervisor/hyp_exit", text));
	ASSERT_EQ(0, bench_write(self->bench_fd, 0, 1, 4096, NULL));
	EXPECT_ON(false);
	ASSERT_EQ(0, source_on(src, true));
	/* The visit in which it starts again is not that one any more */
	ASSERT_EQ(0, source_write(src, 1));
	events_clear(&self->ev);
	ASSERT_EQ(0, source_look(src, 0, &self->ev));
	ASSERT_LE(1, self->ev.nr);
}

/*
 * All CPUs
 */

struct writer {
	struct source	src;
	int		cpu;
	int		*stop;
	pthread_t	tid;
};

static void *writer_main(void *data)
{
	struct writer *w = data;
	__u64 id = 1000;

	if (!pin_to_cpu(w->cpu)) {
		while (!LOAD(*w->stop))
			source_write(&w->src, id++);
	}
	close(w->src.event_fd);
	return NULL;
}

static int start_writers(struct writer *w, const struct source *src, int from, int nr, int *stop)
{
	int cpu, ret = 0;

	for (cpu = from; cpu < nr && !ret; cpu++) {
		w[cpu] = (struct writer){ .src = *src, .cpu = cpu, .stop = stop };
		w[cpu].src.event_fd = source_open_file(src, O_WRONLY, "write_event");
		ret = w[cpu].src.event_fd < 0 ? w[cpu].src.event_fd :
		      -pthread_create(&w[cpu].tid, NULL, writer_main, &w[cpu]);
	}
	return ret;
}

static void join_writers(struct writer *w, int from, int nr, int *stop)
{
	int cpu;

	STORE(*stop, 1);
	for (cpu = from; cpu < nr; cpu++)
		pthread_join(w[cpu].tid, NULL);
}

static __u64 total(const struct source *src, int cpu)
{
	struct stats stats;

	return source_stats(src, cpu, &stats) ? ~0ULL :
	       stats.entries + stats.overrun + stats.dropped + stats.read;
}

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Is time virtual, so that an instruction takes a nanosecond? */
static bool time_is_virtual(void)
{
	int i;

	for (i = 0; i < 8; i++) {
		__u64 start = now(), loops = 100000, ns;

		asm volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r" (loops) : : "cc");
		ns = now() - start;
		if (ns < 200000 || ns > 206000)
			return false;
	}
	return true;
}

static bool has_written(const struct source *src, int nr)
{
	int cpu;

	for (cpu = 1; cpu < nr; cpu++) {
		if (!total(src, cpu))
			return false;
	}
	return true;
}

/* Only what a CPU has begun is written later than the event that stops tracing */
TEST_F(triggers, traceoff_stops_all)
{
	const struct source *src = &self->src;
	__u64 before[MAX_CPUS], stopped, late;
	int cpu, nr = nr_cpus(), stop = 0, round;
	struct writer writers[MAX_CPUS];
	bool is_virtual = time_is_virtual();
	size_t i;

	if (nr == 1)
		SKIP(return, "there is only one CPU");
	ASSERT_EQ(0, trigger(src, SELFTEST, "traceoff if id == 42"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, start_writers(writers, src, 1, nr, &stop));
	for (round = 0; round < 10; round++) {
		ASSERT_EQ(0, source_clear(src));
		ASSERT_EQ(0, source_on(src, true));
		while (!has_written(src, nr))
			sleep_ms(1);
		ASSERT_EQ(0, source_write_many(src, 1, 3));
		ASSERT_EQ(0, source_write(src, 42));
		for (cpu = 0; cpu < nr; cpu++)
			before[cpu] = total(src, cpu);
		EXPECT_ON(false);
		ASSERT_EQ(0, source_write_many(src, 43, 3));
		sleep_ms(5);
		events_clear(&self->ev);
		ASSERT_EQ(0, source_look(src, 0, &self->ev));
		ASSERT_EQ(4, self->ev.nr);
		EXPECT_EQ(42, self->ev.list[3].id);
		stopped = self->ev.list[3].ts;
		EXPECT_EQ(before[0], total(src, 0));
		for (cpu = 1; cpu < nr; cpu++) {
			EXPECT_LE(total(src, cpu), before[cpu] + 1);
			events_clear(&self->ev);
			ASSERT_EQ(0, source_look(src, cpu, &self->ev));
			for (i = 0, late = 0; i < self->ev.nr; i++)
				late += self->ev.list[i].ts > stopped + 1000;
			if (is_virtual)
				EXPECT_LE(late, 1);
		}
	}
	join_writers(writers, 1, nr, &stop);
}

/* Triggers come and go, stop and start, while all CPUs write: each event is accounted for */
TEST_F_TIMEOUT(triggers, switched_all_the_time, 120)
{
	static const char *const steps[] = {
		"traceoff if id & 64", "!traceoff", "enable_event:hypervisor:host_hcall if id & 8",
		"traceoff:5", "disable_event:hypervisor:host_hcall_ret:3 if id & 16", "!traceoff",
		"!enable_event:hypervisor:host_hcall", "traceon if id & 32",
		"!disable_event:hypervisor:host_hcall_ret", "!traceon",
	};
	const struct source *src = &self->src;
	int cpu, nr = nr_cpus(), stop = 0;
	struct writer writers[MAX_CPUS];
	unsigned int i;
	__u64 written = 0;
	struct stats stats;

	if (self->bench_fd < 0)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_TRACING_BENCH");
	if (time_is_virtual())
		SKIP(return, "CPUs take turns, so nothing happens at once, and slowly");
	ASSERT_EQ(0, source_put(src, "1", "events/enable"));
	ASSERT_EQ(0, trigger(src, "hypervisor/host_hcall", "traceon if a1 & 2"));
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, start_writers(writers, src, 0, nr, &stop));
	for (i = 0; i < STORM_STEPS; i++) {
		ASSERT_EQ(0, trigger(src, SELFTEST, steps[i % ARRAY_SIZE(steps)]))
			TH_LOG("'%s'", steps[i % ARRAY_SIZE(steps)]);
		if (i % 7 == 3)
			ASSERT_EQ(0, source_on(src, false));
		/* It may have been stopped, and will be stopped again */
		ASSERT_EQ(0, source_on(src, true));
		if (i % 7 == 5) {
			ASSERT_EQ(0, trigger(src, "hypervisor/hyp_exit",
					     "traceoff if duration > 100000"));
			ASSERT_EQ(0, trigger(src, "hypervisor/hyp_exit", "!traceoff"));
		}
	}
	join_writers(writers, 0, nr, &stop);

	/* Nothing is written now, but what EL2 says of each CPU */
	clear_all(src);
	ASSERT_EQ(0, source_put(src, "0", "events/enable"));
	ASSERT_EQ(0, source_on(src, true));
	for (cpu = 0; cpu < nr; cpu++) {
		ASSERT_EQ(0, pin_to_cpu(cpu));
		ASSERT_EQ(0, bench_write(self->bench_fd, cpu, 0, 1, &written));
		EXPECT_EQ(written, total(src, cpu));
		/* Those in the buffer are there */
		ASSERT_EQ(0, source_stats(src, cpu, &stats));
		events_clear(&self->ev);
		ASSERT_EQ(0, source_look(src, cpu, &self->ev));
		EXPECT_EQ(stats.entries, self->ev.nr + self->ev.others);
	}
}

TEST_HARNESS_MAIN
