// SPDX-License-Identifier: GPL-2.0
/*
 * The timestamps of a trace remote: for each clock, they lie between those of the
 * host's events before and after, they are right after any gap, and the text has them.
 *
 * Needs root. Runs on the remotes "hypervisor" and "test", and skips one that does
 * not exist. Suspending needs a wake-up timer; over_hours needs HYPTRACE_HOURS in the
 * environment, other_sched_clock the module fast_clock.ko.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/ways.h"
#include "variants.h"

static void expect_good(struct __test_metadata *_metadata, const struct events *ev)
{
	EXPECT_EQ(NULL, ev->error) TH_LOG("%s", ev->error);
	EXPECT_EQ(0, ev->backwards);
}

/* The largest adjustment: 500 ppm, in the units of adjtimex() */
#define MAX_FREQ	(500 << 16)

static int set_freq(long freq)
{
	struct timex tx = { .modes = ADJ_FREQUENCY, .freq = freq };

	return adjtimex(&tx) < 0 ? -errno : 0;
}

FIXTURE(time) {
	struct source	src;
	struct source	host;
	struct events	ev;
	struct events	marks;
	long		freq;
};

FIXTURE_FOR_REMOTES(time, 1024);

FIXTURE_SETUP(time)
{
	struct timex tx = {};

	events_init(&self->ev);
	events_init(&self->marks);
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	ASSERT_EQ(0, instance_open(&self->host, "hyptrace_clock"));
	ASSERT_EQ(0, source_put(&self->host, "local", "trace_clock"));
	ASSERT_EQ(0, source_set_size(&self->host, 2 * variant->size_kb));
	ASSERT_EQ(0, source_on(&self->host, true));
	ASSERT_EQ(0, source_on(&self->src, true));
	ASSERT_LE(0, adjtimex(&tx));
	self->freq = tx.freq;
}

FIXTURE_TEARDOWN(time)
{
	set_freq(self->freq);
	source_close(&self->host);
	source_close(&self->src);
	events_free(&self->ev);
	events_free(&self->marks);
}

/* Write a mark of the host, an event of the remote, and another mark */
static int write_between(const struct source *src, const struct source *host, __u64 id)
{
	return source_write(host, 2 * id) ?:
	       source_write(src, id) ?:
	       source_write(host, 2 * id + 1);
}

static int read_both(const struct source *src, struct events *ev, const struct source *host,
		     struct events *marks, int cpu)
{
	int ret = source_consume(src, cpu, WAY_RAW, ev);

	return ret ?: source_consume(host, cpu, WAY_RAW, marks);
}

/* Both lists are complete, and each event lies between its marks */
static void check_between(struct __test_metadata *_metadata, const struct events *ev,
			  const struct events *marks, __u64 nr)
{
	__u64 i;

	ASSERT_EQ(nr, ev->nr);
	ASSERT_EQ(nr, events_first_wrong(ev, 0));
	ASSERT_EQ(2 * nr, marks->nr);
	ASSERT_EQ(2 * nr, events_first_wrong(marks, 0));
	expect_good(_metadata, ev);
	for (i = 0; i < nr; i++) {
		ASSERT_LE(marks->list[2 * i].ts, ev->list[i].ts) TH_LOG("event %llu", i);
		ASSERT_GE(marks->list[2 * i + 1].ts, ev->list[i].ts) TH_LOG("event %llu", i);
	}
}

static void check_clock(struct __test_metadata *_metadata, const struct source *src,
			const struct source *host, __u64 nr)
{
	struct events ev, marks;
	__u64 i;
	int cpu;

	events_init(&ev);
	events_init(&marks);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		ASSERT_EQ(0, pin_to_cpu(cpu));
		events_clear(&ev);
		events_clear(&marks);
		for (i = 0; i < nr; i++)
			ASSERT_EQ(0, write_between(src, host, i));
		ASSERT_EQ(0, read_both(src, &ev, host, &marks, cpu));
		check_between(_metadata, &ev, &marks, nr);
	}
	events_free(&ev);
	events_free(&marks);
}

TEST_F(time, between_host_events)
{
	check_clock(_metadata, &self->src, &self->host, 3 * EVENTS_PER_SUBBUF + 10);
}

/* Each clock is the host's clock of that name */
TEST_F(time, every_clock)
{
	char clocks[256], *clock, *state;

	if (source_get(&self->src, clocks, sizeof(clocks), "trace_clock") < 0)
		SKIP(return, "there is no trace_clock");

	for (clock = strtok_r(clocks, " []\n", &state); clock;
	     clock = strtok_r(NULL, " []\n", &state)) {
		ASSERT_EQ(0, source_set_clock(&self->src, clock)) TH_LOG("%s", clock);
		ASSERT_EQ(0, source_set_clock(&self->host, clock)) TH_LOG("%s", clock);
		check_clock(_metadata, &self->src, &self->host, 300);
	}
}

/* What trace has of the events of CPU 0 */
static void look(struct __test_metadata *_metadata, const struct source *src, char *buf,
		 size_t size)
{
	size_t len = 0;
	ssize_t ret;
	int fd;

	fd = source_open_file(src, O_RDONLY, "per_cpu/cpu0/trace");
	ASSERT_LE(0, fd);
	while ((ret = read(fd, buf + len, size - 1 - len)) > 0)
		len += ret;
	EXPECT_EQ(0, ret);
	close(fd);
	buf[len] = '\0';
}

#define TEXT_EVENTS	15

/* The text has the times of the records, with all zeroes and spaces */
static void check_text(struct __test_metadata *_metadata, const struct source *src,
		       struct events *ev, bool in_ns)
{
	char text[TEXT_EVENTS * 64], want[sizeof(text)];
	size_t i, len = 0;

	/* Over a second, so that some are in its first tenth */
	for (i = 0; i < TEXT_EVENTS; i++) {
		ASSERT_EQ(0, source_write(src, i));
		sleep_ms(80);
	}
	look(_metadata, src, text, sizeof(text));
	events_clear(ev);
	ASSERT_EQ(0, source_consume(src, 0, WAY_RAW, ev));
	ASSERT_EQ(TEXT_EVENTS, ev->nr);
	for (i = 0; i < TEXT_EVENTS; i++) {
		__u64 ts = ev->list[i].ts, us = (ts + 500) / 1000;

		len += in_ns ?
			sprintf(want + len, "[000]\t%5llu.%06llu: selftest id=%zu\n", us / 1000000,
				us % 1000000, i) :
			sprintf(want + len, "[000]\t%llu: selftest id=%zu\n", ts, i);
	}
	EXPECT_STREQ(want, text);
}

TEST_F(time, text)
{
	char clocks[256], *clock, *state;

	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_LT(0, source_get(&self->src, clocks, sizeof(clocks), "trace_clock"));
	for (clock = strtok_r(clocks, " []\n", &state); clock;
	     clock = strtok_r(NULL, " []\n", &state)) {
		ASSERT_EQ(0, source_set_clock(&self->src, clock)) TH_LOG("%s", clock);
		check_text(_metadata, &self->src, &self->ev, strcmp(clock, "counter"));
	}
}

/* A clock that misses the adjustment is 250 us off after half a second */
TEST_F(time, adjusted_clock)
{
	int i;

	if (source_set_clock(&self->src, "mono"))
		SKIP(return, "there is no other clock");

	ASSERT_EQ(0, source_set_clock(&self->host, "mono"));
	for (i = -1; i <= 1; i += 2) {
		ASSERT_EQ(0, set_freq(i * MAX_FREQ));
		sleep_ms(500);
		check_clock(_metadata, &self->src, &self->host, 50);
	}
}

#define LATCH_FUNC	"0x$(sed -n 's/ . sched_clock_latch$//p' /proc/kallsyms)"

/* While it is loaded, sched_clock() does not read the counter that EL2 can read */
static int load_fast_clock(void)
{
	return system("insmod fast_clock.ko latch_func=" LATCH_FUNC);
}

/* The default clock is sched_clock() */
static void check_without_default(struct __test_metadata *_metadata, const struct source *src,
				  const struct source *host)
{
	char clock[32];

	EXPECT_EQ(0, source_reset(src));
	EXPECT_EQ(-EOPNOTSUPP, source_on(src, true));
	EXPECT_EQ(0, source_loaded(src));
	EXPECT_EQ(0, source_set_clock(src, "mono"));
	EXPECT_EQ(-EOPNOTSUPP, source_set_clock(src, "local"));
	EXPECT_EQ(0, source_clock(src, clock, sizeof(clock)));
	EXPECT_STREQ("mono", clock);
	EXPECT_EQ(0, source_on(src, true));
	EXPECT_EQ(-EOPNOTSUPP, source_set_clock(src, "local"));
	EXPECT_EQ(0, source_set_clock(host, "mono"));
	check_clock(_metadata, src, host, 50);
}

/* EL2 can compute a clock only from the architected counter; the kernel can from any */
TEST_F(time, other_sched_clock)
{
	if (access("fast_clock.ko", R_OK))
		SKIP(return, "there is no fast_clock.ko");

	ASSERT_EQ(0, load_fast_clock());
	if (!strcmp(variant->remote, HYPERVISOR))
		check_without_default(_metadata, &self->src, &self->host);
	else
		check_clock(_metadata, &self->src, &self->host, 50);
	ASSERT_EQ(0, system("rmmod fast_clock"));
	ASSERT_EQ(0, source_set_clock(&self->src, "local"));
	ASSERT_EQ(0, source_set_clock(&self->host, "local"));
	check_clock(_metadata, &self->src, &self->host, 50);
}

#define WAKEUP_COUNT	"/sys/power/wakeup_count"

/* Suspend to idle until the alarm in @seconds; -EBUSY if that came too early */
static int suspend_for(int seconds)
{
	static const char alarm[] = "/sys/class/rtc/rtc0/wakealarm";
	char when[16], count[16];
	int ret = file_read(WAKEUP_COUNT, count, sizeof(count));

	if (ret < 0)
		return ret;
	ret = file_write(alarm, "0", 1) ?:
	      file_write(alarm, when, snprintf(when, sizeof(when), "+%d", seconds));
	if (ret)
		return ret;
	/* Also refused if the count has changed */
	if (file_write(WAKEUP_COUNT, count, strlen(count)))
		return -EBUSY;
	return file_write("/sys/power/state", "freeze", 6);
}

/* As briefly as possible, which depends on the kernel */
static int suspend(void)
{
	int seconds = 2, ret;

	do {
		ret = suspend_for(seconds);
		seconds *= 2;
	} while (ret == -EBUSY && seconds < 100);
	return ret;
}

/*
 * Some of the host's clocks stop while it is suspended, others do not. EL2 is entered up
 * to the last moment before and from the first moment after.
 */
TEST_F(time, suspended)
{
	static const char *const clocks[] = { "local", "mono", "boot" };
	const __u64 nr = 20;
	unsigned int i;
	__u64 id;

	if (access("/sys/class/rtc/rtc0/wakealarm", W_OK) || access("/sys/power/state", W_OK))
		SKIP(return, "there is no suspend to idle, or nothing to wake up by");

	ASSERT_EQ(0, pin_to_cpu(0));
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (source_set_clock(&self->src, clocks[i]) == -ENOENT && i)
			break;
		ASSERT_EQ(0, source_set_clock(&self->host, clocks[i]));
		ASSERT_EQ(0, source_put(&self->src, "1", "events/enable"));
		for (id = 0; id < nr; id++) {
			if (id == nr / 2)
				ASSERT_EQ(0, suspend());
			ASSERT_EQ(0, write_between(&self->src, &self->host, id));
		}
		events_clear(&self->ev);
		events_clear(&self->marks);
		ASSERT_EQ(0, read_both(&self->src, &self->ev, &self->host, &self->marks, 0));
		check_between(_metadata, &self->ev, &self->marks, nr);
	}
}

#define HOUR_S		3600
#define HOURS_TIMEOUT_S	(1000 * HOUR_S)

/* Events around hours in which the clock runs fast, slow and at the right rate */
static void check_hours(struct __test_metadata *_metadata, const struct source *src,
			const struct source *host, int hours)
{
	struct events ev, marks;
	__u64 id = 0, end;
	int hour;

	events_init(&ev);
	events_init(&marks);
	for (hour = 0; hour <= hours; hour++) {
		if (hour) {
			ASSERT_EQ(0, set_freq((hour % 3 - 1) * MAX_FREQ));
			sleep_ms(HOUR_S * 1000);
		}
		for (end = id + 20; id < end; id++)
			ASSERT_EQ(0, write_between(src, host, id));
	}
	ASSERT_EQ(0, read_both(src, &ev, host, &marks, 0));
	check_between(_metadata, &ev, &marks, id);
	events_free(&ev);
	events_free(&marks);
}

/* Each clock, for HYPTRACE_HOURS hours: only for virtual time */
TEST_F_TIMEOUT(time, over_hours, HOURS_TIMEOUT_S)
{
	const char *hours = getenv("HYPTRACE_HOURS");
	char clocks[256], *clock, *state;

	if (!hours)
		SKIP(return, "there is no HYPTRACE_HOURS");

	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_LT(0, source_get(&self->src, clocks, sizeof(clocks), "trace_clock"));
	for (clock = strtok_r(clocks, " []\n", &state); clock;
	     clock = strtok_r(NULL, " []\n", &state)) {
		TH_LOG("%s", clock);
		ASSERT_EQ(0, source_set_clock(&self->src, clock));
		ASSERT_EQ(0, source_set_clock(&self->host, clock));
		check_hours(_metadata, &self->src, &self->host, atoi(hours));
	}
}

/* Gaps that do not fit into 27 bits of ns, within a page and across its end */
TEST_F(time, long_gaps)
{
	const __u64 nr = 3 * EVENTS_PER_SUBBUF, gap = 150000000;
	__u64 i;
	int j;
	/* The time extend of the first takes up the room of one event */
	const __u64 gaps_before[] = {
		10, EVENTS_PER_SUBBUF - 1, 2 * EVENTS_PER_SUBBUF - 1,
		2 * EVENTS_PER_SUBBUF + 50, 2 * EVENTS_PER_SUBBUF + 51,
	};

	ASSERT_EQ(0, pin_to_cpu(0));
	for (i = 0, j = 0; i < nr; i++) {
		if (j < ARRAY_SIZE(gaps_before) && i == gaps_before[j]) {
			sleep_ms(200);
			j++;
		}
		ASSERT_EQ(0, write_between(&self->src, &self->host, i));
	}

	ASSERT_EQ(0, read_both(&self->src, &self->ev, &self->host, &self->marks, 0));
	check_between(_metadata, &self->ev, &self->marks, nr);
	for (j = 0; j < ARRAY_SIZE(gaps_before); j++) {
		i = gaps_before[j];
		EXPECT_LT(gap, self->ev.list[i].ts - self->ev.list[i - 1].ts) TH_LOG("%llu", i);
	}
}

TEST_HARNESS_MAIN
