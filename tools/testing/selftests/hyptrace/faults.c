// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations and hypercalls fail, one at a time: each operation on a trace remote runs
 * with its first one failing, then with its second one, and so on; and then with all of
 * them failing. It either succeeds nevertheless, or returns the errno of the failure and
 * succeeds when it is repeated. No event is lost, and no memory.
 *
 * For a recording by hyptrace, only some allocations fail, evenly spread, unless
 * HYPTRACE_EACH_FAULT is in the environment.
 *
 * Needs root, and a kernel with fault injection, else the tests are skipped; see
 * Documentation/fault-injection/fault-injection.rst.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/memory.h"
#include "lib/ways.h"
#include "variants.h"

#define DEBUGFS		"/sys/kernel/debug/"
#define MAX_FAULTS	2000
/* More allocations, or calls, than there are */
#define FAR_OFF		1000000
/* In place of a number: each one */
#define ALL		0
#define TIMEOUT_S	600
/* For each allocation of a recording, which are thousands */
#define EACH_TIMEOUT_S	(10 * 3600)

FIXTURE(faults) {
	struct source	src;
	struct events	ev;
};

FIXTURE_FOR_REMOTES(faults, 16);

FIXTURE_SETUP(faults)
{
	events_init(&self->ev);
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	ASSERT_EQ(0, pin_to_cpu(0));
}

FIXTURE_TEARDOWN(faults)
{
	source_close(&self->src);
	events_free(&self->ev);
}

/*
 * What can fail
 */

/**
 * struct fault - a kind of failure
 * @err:	the errno that it causes
 * @or_err:	another errno that it may cause: a thread's hypercalls count as allocations
 * @prepare:	returns false if the kernel cannot inject it
 * @arm:	let the @nth one fail, of this thread only if the kernel can tell them apart
 * @disarm:	let no more fail; returns whether one has failed
 * @fail_all:	let all fail, of this thread only if the kernel can tell them apart; or none
 * @max_records: the most recordings to try, spread evenly over all that can fail
 */
struct fault {
	int	err;
	int	or_err;
	bool	(*prepare)(void);
	void	(*arm)(int nth);
	bool	(*disarm)(void);
	void	(*fail_all)(bool on);
	int	max_records;
};

static int get_number(const char *path)
{
	char text[16];

	return file_read(path, text, sizeof(text)) > 0 ? atoi(text) : -1;
}

#define FAIL_HYP_TRACE	DEBUGFS "fail_hyp_trace/"
#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define MAKE_IT_FAIL	"/proc/thread-self/make-it-fail"

static bool prepare_allocations(void)
{
	file_put_number(FAIL_HYP_TRACE "verbose", 0);
	return !file_write(DEBUGFS "failslab/ignore-gfp-wait", "N", 1) &&
	       !file_write(DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N", 1) &&
	       !file_put_number(DEBUGFS "fail_page_alloc/min-order", 0) &&
	       !file_put_number(DEBUGFS "failslab/verbose", 0) &&
	       !file_put_number(DEBUGFS "fail_page_alloc/verbose", 0) &&
	       !file_put_number(FAIL_NTH, 0);
}

/* Opened beforehand, because opening it takes memory */
static int fail_nth_fd = -1;

static void arm_allocation(int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", nth);

	if (fail_nth_fd < 0)
		fail_nth_fd = open(FAIL_NTH, O_RDWR);
	if (pwrite(fail_nth_fd, text, len, 0) != len)
		abort();
}

static bool disarm_allocation(void)
{
	char text[16] = "";
	bool failed = pread(fail_nth_fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;

	arm_allocation(0);
	return failed;
}

/* Let all allocations of tasks fail that are marked by make-it-fail */
static bool prepare_to_fail_all(const char *dir)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/task-filter", dir);
	if (file_write(path, "Y", 1))
		return false;
	snprintf(path, sizeof(path), "%s/probability", dir);
	if (file_put_number(path, 100))
		return false;
	snprintf(path, sizeof(path), "%s/times", dir);
	return !file_put_number(path, -1);
}

/* Memory of user space must not be among what fails, so it has to be there beforehand */
static void fail_all_allocations(bool on)
{
	static int mark_fd = -1;

	if (mark_fd < 0) {
		mark_fd = open(MAKE_IT_FAIL, O_WRONLY);
		if (!prepare_to_fail_all(DEBUGFS "failslab") ||
		    !prepare_to_fail_all(DEBUGFS "fail_page_alloc") ||
		    mlockall(MCL_CURRENT | MCL_FUTURE))
			abort();
	}
	if (pwrite(mark_fd, on ? "1" : "0", 1, 0) != 1)
		abort();
}

static bool prepare_hypercalls(void)
{
	return !file_put_number(FAIL_HYP_TRACE "times", 0) &&
	       !file_put_number(FAIL_HYP_TRACE "verbose", 0) &&
	       !file_put_number(FAIL_HYP_TRACE "probability", 100);
}

/* Counts the hypercalls of all CPUs */
static void arm_hypercall(int nth)
{
	if (file_put_number(FAIL_HYP_TRACE "space", nth) ||
	    file_put_number(FAIL_HYP_TRACE "times", 1))
		abort();
}

static bool disarm_hypercall(void)
{
	bool failed = get_number(FAIL_HYP_TRACE "times") == 0;

	file_put_number(FAIL_HYP_TRACE "times", 0);
	return failed;
}

static void fail_all_hypercalls(bool on)
{
	if (file_put_number(FAIL_HYP_TRACE "space", 0) ||
	    file_put_number(FAIL_HYP_TRACE "times", on ? -1 : 0))
		abort();
}

static const struct fault allocation = {
	-ENOMEM, -EIO, prepare_allocations, arm_allocation, disarm_allocation,
	fail_all_allocations,
	/* Most of the thousands of allocations are for copying formats of events */
	.max_records = 12,
};

static const struct fault hypercall = {
	-EIO, -EIO, prepare_hypercalls, arm_hypercall, disarm_hypercall,
	fail_all_hypercalls,
	.max_records = FAR_OFF,
};

/*
 * What is done
 */

/**
 * struct operation - an operation that has to survive faults
 * @name:	for messages
 * @run:	runs it, returns 0 or an errno; run again after it has failed
 * @off:	run with the buffer unloaded, else with nr_events() in it
 * @consumes:	lists all events in @ev
 * @calls:	makes hypercalls
 * @calls_only:	makes no allocations, or none of the trace remote's
 */
struct operation {
	const char	*name;
	int		(*run)(const struct source *src, struct events *ev);
	bool		off;
	bool		consumes;
	bool		calls;
	bool		calls_only;
};

static int do_load(const struct source *src, struct events *ev)
{
	return source_on(src, true);
}

static int do_unload(const struct source *src, struct events *ev)
{
	return source_on(src, false) ?: source_clear(src);
}

static int do_free_buffer(const struct source *src, struct events *ev)
{
	int fd = source_open_file(src, O_WRONLY, "free_buffer");

	return fd < 0 ? fd : close(fd);
}

static int do_raw(const struct source *src, struct events *ev)
{
	return source_consume(src, 0, WAY_RAW, ev);
}

static int do_raw_pieces(const struct source *src, struct events *ev)
{
	return source_consume(src, 0, WAY_RAW_PIECES, ev);
}

static int do_splice(const struct source *src, struct events *ev)
{
	int ret = source_consume(src, 0, WAY_SPLICE, ev);

	/* A pipe returns this if there is no memory for it */
	return ret == -ENFILE ? -ENOMEM : ret;
}

static int do_pipe(const struct source *src, struct events *ev)
{
	return source_consume(src, 0, WAY_PIPE_ALL, ev);
}

static int do_map(const struct source *src, struct events *ev)
{
	return source_consume(src, 0, WAY_MAP, ev);
}

static int do_look(const struct source *src, struct events *ev)
{
	events_clear(ev);
	return source_look(src, -1, ev);
}

static int do_reset(const struct source *src, struct events *ev)
{
	return source_clear(src);
}

static int do_events(const struct source *src, struct events *ev)
{
	return source_put(src, "1", "events/enable") ?: source_put(src, "0", "events/enable") ?:
	       source_put(src, "selftest", "set_event") ?:
	       source_put(src, "!selftest", "set_event");
}

static int do_filter(const struct source *src, struct events *ev)
{
	return source_put(src, "id > 2 && id != 7", "events/%s/selftest/filter", src->remote) ?:
	       source_put(src, "0", "events/%s/selftest/filter", src->remote);
}

static int do_clock(const struct source *src, struct events *ev)
{
	return source_set_clock(src, "boot") ?: source_on(src, true) ?:
	       source_set_clock(src, "local") ?: source_on(src, true);
}

/* The remote may have no stacks */
static int do_options(const struct source *src, struct events *ev)
{
	int ret = source_set_overwrite(src, false) ?: source_set_overwrite(src, true) ?:
		  source_put(src, "1", "options/stacktrace") ?:
		  source_put(src, "0", "options/stacktrace");

	return ret == -ENOENT ? 0 : ret;
}

static int do_write_event(const struct source *src, struct events *ev)
{
	return source_write(src, 1);
}

static int do_stats(const struct source *src, struct events *ev)
{
	struct stats stats;

	return source_stats(src, 0, &stats);
}

/* A CPU cannot change state if the hypercall to its writer fails */
static int do_hotplug(const struct source *src, struct events *ev)
{
	const char *path = "/sys/devices/system/cpu/cpu1/online";

	return file_put_number(path, 0) ?: file_put_number(path, 1);
}

static const struct operation operations[] = {
	{ "load",		do_load,	.off = true,		.calls = true },
	{ "unload",		do_unload,				.calls = true },
	{ "free_buffer",	do_free_buffer,				.calls = true },
	{ "read",		do_raw,		.consumes = true,	.calls = true },
	{ "read pieces",	do_raw_pieces,	.consumes = true,	.calls = true },
	{ "splice",		do_splice,	.consumes = true,	.calls = true },
	{ "trace_pipe",		do_pipe,	.consumes = true,	.calls = true },
	{ "map",		do_map,		.consumes = true,	.calls = true },
	{ "trace",		do_look,	.consumes = true },
	{ "reset",		do_reset,				.calls = true },
	{ "enable events",	do_events,				.calls = true },
	{ "filter",		do_filter,				.calls = true },
	{ "clock",		do_clock,				.calls = true },
	{ "options",		do_options,				.calls = true },
	{ "write_event",	do_write_event,		.calls = true,	.calls_only = true },
	{ "hotplug",		do_hotplug,		.calls = true,	.calls_only = true },
	{ "stats",		do_stats },
};

/* To be spliced, a sub-buffer has to be full */
static unsigned int nr_events(const struct operation *op)
{
	return op->run == do_splice ? EVENTS_PER_SUBBUF + 10 : 10;
}

static void prepare(struct __test_metadata *_metadata, const struct source *src,
		    const struct operation *op, struct events *ev)
{
	events_clear(ev);
	if (op->off)
		return;
	ASSERT_EQ(0, source_on(src, true)) TH_LOG("%s", op->name);
	ASSERT_EQ(0, source_write_many(src, 0, nr_events(op))) TH_LOG("%s", op->name);
}

/* If tracing_on says that tracing is on, events are recorded */
static void check_on(struct __test_metadata *_metadata, const struct source *src)
{
	struct stats before, after;
	char on[16];

	ASSERT_LT(0, source_get(src, on, sizeof(on), "tracing_on"));
	if (on[0] == '0')
		return;
	ASSERT_EQ(0, source_put(src, "1", "events/%s/selftest/enable", src->remote));
	ASSERT_EQ(0, source_stats(src, 0, &before));
	/* This one passes the filter, if there is one; other events may come with it */
	ASSERT_EQ(0, source_write(src, 8));
	ASSERT_EQ(0, source_stats(src, 0, &after));
	EXPECT_LT(before.entries, after.entries);
}

/* Run @op with the @nth one failing, or with all; false if there were fewer */
static bool fail_once(struct __test_metadata *_metadata, const struct source *src,
		      const struct fault *fault, const struct operation *op,
		      struct events *ev, int nth)
{
	bool failed;
	int ret;

	prepare(_metadata, src, op, ev);
	if (nth == ALL)
		fault->fail_all(true);
	else
		fault->arm(nth);
	ret = op->run(src, ev);
	if (nth == ALL)
		fault->fail_all(false);
	failed = nth == ALL || fault->disarm();
	if (!op->consumes)
		check_on(_metadata, src);
	/* Some failures are harmless, and the operation succeeds */
	if (ret) {
		EXPECT_TRUE(failed) TH_LOG("%s, %d", op->name, nth);
		if (ret != fault->or_err)
			EXPECT_EQ(fault->err, ret) TH_LOG("%s, %d", op->name, nth);
		ASSERT_EQ(0, op->run(src, ev)) TH_LOG("%s again, %d", op->name, nth);
	}
	if (op->consumes) {
		EXPECT_EQ(nr_events(op), ev->nr) TH_LOG("%s, %d", op->name, nth);
		EXPECT_EQ(ev->nr, events_first_wrong(ev, 0)) TH_LOG("%s, %d", op->name, nth);
		EXPECT_EQ(NULL, ev->error) TH_LOG("%s, %d: %s", op->name, nth, ev->error);
	}
	check_on(_metadata, src);
	ASSERT_EQ(0, source_reset(src)) TH_LOG("%s, %d", op->name, nth);
	ASSERT_EQ(0, source_loaded(src)) TH_LOG("%s, %d", op->name, nth);
	return failed;
}

static void fail_each(struct __test_metadata *_metadata, const struct source *src,
		      const struct fault *fault, const struct operation *op, struct events *ev)
{
	long before;
	int nth = 0;

	/* The first runs fill the kernel's caches, and the program's memory */
	fail_once(_metadata, src, fault, op, ev, ALL);
	fail_once(_metadata, src, fault, op, ev, 1);
	before = settled_free_pages();
	while (fail_once(_metadata, src, fault, op, ev, ++nth))
		ASSERT_GT(MAX_FAULTS, nth);
	fail_once(_metadata, src, fault, op, ev, ALL);
	EXPECT_GE(NOISE_PAGES, missing_pages(before, NOISE_PAGES)) TH_LOG("%s", op->name);
	if (fault == &allocation || op->calls)
		EXPECT_LT(1, nth) TH_LOG("%s", op->name);
	TH_LOG("%s: each of %d", op->name, nth - 1);
}

static void check(struct __test_metadata *_metadata, const struct source *src,
		  const struct fault *fault, struct events *ev)
{
	char report[4096];
	unsigned int i;

	forget_leaks();
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		if (fault == &allocation && operations[i].calls_only)
			continue;
		fail_each(_metadata, src, fault, &operations[i], ev);
	}
	EXPECT_EQ(0, count_leaks(report, sizeof(report))) TH_LOG("%s", report);
}

TEST_F_TIMEOUT(faults, every_allocation, TIMEOUT_S)
{
	if (!allocation.prepare())
		SKIP(return, "the kernel has no fault injection");
	check(_metadata, &self->src, &allocation, &self->ev);
}

TEST_F_TIMEOUT(faults, every_hypercall, TIMEOUT_S)
{
	if (strcmp(variant->remote, HYPERVISOR))
		SKIP(return, "it makes no hypercalls");
	if (!hypercall.prepare())
		SKIP(return, "the kernel has no fault injection");
	check(_metadata, &self->src, &hypercall, &self->ev);
}

/*
 * hyptrace record
 */

#define RECORD_OUTPUT	"/tmp/faults.txt"
#define RECORD_FILE	"/tmp/faults.dat"
/* The recording up to the failure; the next one would refuse to overwrite it */
#define RECORD_PART	RECORD_FILE ".part"

/* cpuhp has the fewest events, so the fewest formats to copy */
static void exec_record(const char *option)
{
	int fd = open(RECORD_OUTPUT, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	dup2(fd, 1);
	dup2(fd, 2);
	execlp("hyptrace", "hyptrace", "record", option, "-b", "8", "-E", "selftest",
	       "-e", "cpuhp", "-o", RECORD_FILE, "--", "true", NULL);
	_exit(127);
}

/* The child's fail-nth, which can be read after it has ended; not our own */
static int left_of_allocations(pid_t pid)
{
	char path[64];
	siginfo_t info;

	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	snprintf(path, sizeof(path), "/proc/%d/fail-nth", pid);
	return get_number(path);
}

/* Record with the @nth one failing; @left is how many more it would have taken */
static int run_record(const struct fault *fault, const char *option, int nth, int *left)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		fail_nth_fd = -1;
		fault->arm(nth);
		exec_record(option);
	}
	if (fault == &allocation) {
		*left = left_of_allocations(pid);
		waitpid(pid, &status, 0);
	} else {
		waitpid(pid, &status, 0);
		*left = fault->disarm() ? 0 : get_number(FAIL_HYP_TRACE "space");
	}
	return status;
}

/* Has it failed properly, that is with a message if it got that far? */
static bool is_failed(const struct fault *fault, int status)
{
	char text[4096] = "";

	if (fault == &allocation && (WIFSIGNALED(status) || WEXITSTATUS(status) == 127))
		return true;	/* in exec */
	file_read(RECORD_OUTPUT, text, sizeof(text));
	return WIFEXITED(status) && WEXITSTATUS(status) == 1 &&
	       !strncmp(text, "hyptrace: ", strlen("hyptrace: "));
}

/* Was there an @nth one? */
static bool fail_record(struct __test_metadata *_metadata, const struct source *src,
			const struct fault *fault, int nth)
{
	bool failed;
	char text[4096] = "";
	int left, status;

	status = run_record(fault, "-q", nth, &left);
	failed = !left;
	if (status) {
		EXPECT_TRUE(failed && is_failed(fault, status)) {
			file_read(RECORD_OUTPUT, text, sizeof(text));
			TH_LOG("%d: status 0x%x: %s", nth, status, text);
		}
		ASSERT_EQ(0, system("rm -rf " RECORD_PART));
		ASSERT_EQ(0, run_record(fault, "-q", FAR_OFF, &left)) TH_LOG("again, %d", nth);
	}
	ASSERT_EQ(0, source_reset(src)) TH_LOG("%d", nth);
	ASSERT_EQ(0, source_loaded(src)) TH_LOG("%d", nth);
	return failed;
}

static void check_record(struct __test_metadata *_metadata, const struct source *src,
			 const struct fault *fault)
{
	int first = 0, last = 0, step = 1, tried = 0, failed = 0, left, nth;
	char report[4096];
	long before, noise;

	if (WEXITSTATUS(run_record(fault, "--help", FAR_OFF, &left)) == 127)
		SKIP(return, "there is no hyptrace");
	/* The allocations of exec are not tested */
	first = FAR_OFF - left;
	ASSERT_EQ(0, run_record(fault, "-q", FAR_OFF, &left));
	last = FAR_OFF - left;
	EXPECT_LT(first, last);
	if (!getenv("HYPTRACE_EACH_FAULT"))
		step += (last - first) / fault->max_records;
	forget_leaks();
	before = settled_free_pages();
	for (nth = first + 1; nth <= last; nth += step) {
		failed += fail_record(_metadata, src, fault, nth);
		if (++tried % 500 == 0)
			TH_LOG("record: %d, %d failed, to %d; %ld pages missing", nth, failed, last,
			       missing_pages(before, NOISE_PAGES));
	}
	/* The number of allocations varies a little with timing */
	EXPECT_LE(tried * 3 / 4, failed) TH_LOG("%d tried", tried);
	TH_LOG("record: %d of %d", failed, last - first);
	/* A leak would lose a page each time; the kernel's caches grow, but by less */
	noise = NOISE_PAGES + tried / 100;
	EXPECT_GE(noise, missing_pages(before, noise));
	EXPECT_EQ(0, count_leaks(report, sizeof(report))) TH_LOG("%s", report);
	unlink(RECORD_FILE);
	unlink(RECORD_OUTPUT);
}

TEST_F_TIMEOUT(faults, record_allocations, EACH_TIMEOUT_S)
{
	if (strcmp(variant->remote, HYPERVISOR))
		SKIP(return, "one remote is enough for it");
	if (!allocation.prepare())
		SKIP(return, "the kernel has no fault injection");
	check_record(_metadata, &self->src, &allocation);
}

TEST_F_TIMEOUT(faults, record_hypercalls, TIMEOUT_S)
{
	if (strcmp(variant->remote, HYPERVISOR))
		SKIP(return, "it makes no hypercalls");
	if (!hypercall.prepare())
		SKIP(return, "the kernel has no fault injection");
	check_record(_metadata, &self->src, &hypercall);
}

TEST_HARNESS_MAIN
