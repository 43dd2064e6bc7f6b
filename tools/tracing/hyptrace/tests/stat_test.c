// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of made-up recordings whose answers were computed by hand, and the arrays
 * that they are kept in.
 *
 *	make check
 *
 * Prints TAP.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dist.h"
#include "analysis/times.h"
#include "analysis/ttest.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/visible.h"

static unsigned int nr_tests;
static unsigned int nr_failed;
static unsigned int nr_wrong;

#define expect(got, want)	expect_at(__LINE__, #got, got, want)

static void expect_at(int line, const char *what, u64 got, u64 want)
{
	if (got == want)
		return;
	printf("# line %d: %s is %llu, want %llu\n", line, what, got, want);
	nr_wrong++;
}

static void result(const char *name)
{
	printf("%s %u %s\n", nr_wrong ? "not ok" : "ok", ++nr_tests, name);
	nr_failed += !!nr_wrong;
	nr_wrong = 0;
}

/* The recordings */

static struct times *times;
static struct dists *dists;

enum { HVC, ABORT, EXIT, EXIT_IRQ, EXIT_HVC, RUN, CALL };

static void begin(bool switches)
{
	times = times_new(switches, false);
	dists = dists_new(false);
	if (!times || !dists || times_add_cpu(times, 0))
		exit(1);
}

static void end(struct times_result *r)
{
	if (times_finish(times, r))
		exit(1);
}

static void done(const char *name)
{
	times_free(times);
	dists_free(dists);
	result(name);
}

static void feed(struct times_event ev)
{
	times_see(times, ev.ts);
	if (times_feed(times, &ev))
		exit(1);
}

static void hyp(u64 ts, enum ev_kind kind)
{
	struct times_event ev = {
		.side = HYP, .ts = ts, .kind = kind, .pid = 7, .vm = 3,
		.vcpu = 1,
	};

	feed(ev);
}

static struct times_event entry(u64 ts, int reason)
{
	static const enum ev_reason reasons[] = {
		[HVC]	= REASON_HVC,
		[ABORT]	= REASON_OTHER,
		[EXIT]	= REASON_GUEST_EXIT,
	};
	struct times_event ev = {
		.side = HYP, .ts = ts, .kind = EV_HYP_ENTER, .pid = 7,
		.reason = reasons[reason], .dist = dists_get(dists, reason),
	};

	return ev;
}

static void enter(u64 ts, int reason)
{
	feed(entry(ts, reason));
}

static void lost_enter(u64 ts, int reason)
{
	struct times_event ev = entry(ts, reason);

	ev.lost = true;
	feed(ev);
}

static void leave(u64 ts, enum ev_reason reason)
{
	struct times_event ev = {
		.side = HYP, .ts = ts, .kind = EV_HYP_EXIT, .reason = reason,
		.pid = 7, .other = 7,
	};

	feed(ev);
}

static void to_host(u64 ts)
{
	leave(ts, REASON_ERET_HOST);
}

static void to_guest(u64 ts)
{
	leave(ts, REASON_ERET_GUEST);
}

static void call(u64 ts, int id)
{
	struct times_event ev = {
		.side = HYP, .ts = ts, .kind = EV_HOST_HCALL, .pid = 7,
		.dist = dists_get(dists, id),
	};

	feed(ev);
}

static void vcpu_exit(u64 ts, int what)
{
	struct times_event ev = {
		.side = HYP, .ts = ts, .kind = EV_VCPU_EXIT, .pid = 7,
		.dist = dists_get(dists, what),
	};

	feed(ev);
}

static void host(u64 ts, enum ev_kind kind, s32 pid)
{
	struct times_event ev = {
		.ts = ts, .kind = kind, .pid = pid,
	};

	feed(ev);
}

static void lost_host(u64 ts, enum ev_kind kind, s32 pid)
{
	struct times_event ev = {
		.ts = ts, .kind = kind, .pid = pid, .lost = true,
	};

	feed(ev);
}

static void sched(u64 ts, s32 from, s32 to)
{
	struct times_event ev = {
		.ts = ts, .kind = EV_SCHED_SWITCH, .pid = from, .other = to,
	};

	feed(ev);
}

/* The results */

static void expect_row_at(int line, const struct times_row *r, u64 in_host,
			  u64 el2, u64 guest, u64 unknown)
{
	if (!r) {
		printf("# line %d: there is no such row\n", line);
		nr_wrong++;
		return;
	}
	expect_at(line, "host", r->ns[PLACE_TASK] + r->ns[PLACE_IDLE], in_host);
	expect_at(line, "EL2", r->ns[PLACE_EL2], el2);
	expect_at(line, "guest", r->ns[PLACE_GUEST], guest);
	expect_at(line, "unknown", r->ns[PLACE_UNKNOWN], unknown);
}

#define expect_row(...)		expect_row_at(__LINE__, __VA_ARGS__)

typedef const struct times_row *(*row_at)(const struct times *t, unsigned int i);

static const struct times_row *find(row_at at, s32 id)
{
	const struct times_row *r;
	unsigned int i;

	for (i = 0; (r = at(times, i)); i++) {
		if (r->id == id)
			return r;
	}
	return NULL;
}

static void expect_dist_at(int line, struct dist *d, u64 count, u64 total)
{
	struct dist_summary s;

	dist_summarize(d, &s);
	expect_at(line, "count", s.count, count);
	expect_at(line, "total", s.total, total);
}

#define expect_dist(key, count, total)	\
	expect_dist_at(__LINE__, dists_get(dists, key), count, total)
#define expect_way(way, count, total)	\
	expect_dist_at(__LINE__, times_way(times, way), count, total)

/* All times of a row kind add up to the wall time of all CPUs */
static void expect_sum_at(int line, row_at at, u64 want)
{
	const struct times_row *r;
	unsigned int i, place;
	u64 sum = 0;

	for (i = 0; (r = at(times, i)); i++) {
		for (place = 0; place < NR_PLACES; place++)
			sum += r->ns[place];
	}
	expect_at(line, "sum", sum, want);
}

#define expect_sum(...)		expect_sum_at(__LINE__, __VA_ARGS__)

/* The tests: of distributions */

static struct dist *values(const u64 *value, unsigned int nr, bool bounded)
{
	unsigned int i;

	dists = dists_new(bounded);
	for (i = 0; i < nr; i++) {
		if (dist_add(dists_get(dists, 0), value[i]))
			exit(1);
	}
	return dists_get(dists, 0);
}

static void expect_summary_at(int line, const u64 *value, unsigned int nr,
			      struct dist_summary want)
{
	struct dist_summary s;

	dist_summarize(values(value, nr, false), &s);
	expect_at(line, "count", s.count, want.count);
	expect_at(line, "total", s.total, want.total);
	expect_at(line, "mean", s.mean, want.mean);
	expect_at(line, "p50", s.p50, want.p50);
	expect_at(line, "p90", s.p90, want.p90);
	expect_at(line, "p99", s.p99, want.p99);
	expect_at(line, "max", s.max, want.max);
	expect_at(line, "min", s.min, want.min);
	expect_at(line, "p99.9", s.p999, want.p999);
	dists_free(dists);
}

#define expect_summary(value, nr, ...)	\
	expect_summary_at(__LINE__, value, nr, (struct dist_summary)__VA_ARGS__)

static void test_percentiles(void)
{
	u64 v[1000] = { 0 };
	unsigned int i;

	expect_summary(v, 0, { 0 });
	result("percentiles of no value");
	v[0] = 42;
	expect_summary(v, 1, { 1, 42, 42, 42, 42, 42, 42, 42, 42 });
	result("percentiles of 1 value");
	v[1] = 11;
	expect_summary(v, 2, { 2, 53, 27, 11, 42, 42, 42, 11, 42 });
	result("percentiles of 2 values");
	v[2] = 12;
	expect_summary(v, 3, { 3, 65, 22, 12, 42, 42, 42, 11, 42 });
	result("percentiles of 3 values");
	for (i = 0; i < 100; i++)
		v[i] = 100 - i;
	expect_summary(v, 100, { 100, 5050, 51, 50, 90, 99, 100, 1, 100 });
	result("percentiles of 100 values");
	v[100] = 1000;
	expect_summary(v, 101, { 101, 6050, 60, 51, 91, 100, 1000, 1, 1000 });
	result("percentiles of 101 values");
	for (i = 0; i < 1000; i++)
		v[i] = i < 989 ? 5 : 9;
	expect_summary(v, 1000, { 1000, 5044, 5, 5, 5, 9, 9, 5, 9 });
	result("p99 among equal values, from above");
	v[989] = 5;
	expect_summary(v, 1000, { 1000, 5040, 5, 5, 5, 5, 9, 5, 9 });
	result("p99 among equal values, from below");
	for (i = 0; i < 1000; i++)
		v[i] = i < 998 ? 5 : 9;
	expect_summary(v, 1000, { 1000, 5008, 5, 5, 5, 5, 9, 5, 9 });
	result("p99.9 among equal values, from above");
	v[998] = 5;
	expect_summary(v, 1000, { 1000, 5004, 5, 5, 5, 5, 9, 5, 5 });
	result("p99.9 among equal values, from below");
}

/* The range of @value ends at @end, if a larger value is the maximum */
static void expect_range_at(int line, u64 value, u64 end)
{
	const u64 v[] = { value, value, ~0ULL };
	struct dist_summary s;

	dist_summarize(values(v, 1, true), &s);
	expect_at(line, "p50 of one", s.p50, value);
	dists_free(dists);
	dist_summarize(values(v, 3, true), &s);
	expect_at(line, "count", s.count, 3);
	expect_at(line, "total", s.total, 2 * value - 1);
	expect_at(line, "p50", s.p50, end);
	expect_at(line, "p99", s.p99, ~0ULL);
	expect_at(line, "max", s.max, ~0ULL);
	dists_clear(dists);
	dist_summarize(dists_get(dists, 0), &s);
	expect_at(line, "count after clear", s.count, 0);
	dists_free(dists);
}

static void test_ranges(void)
{
	expect_range_at(__LINE__, 0, 0);
	expect_range_at(__LINE__, 1, 1);
	expect_range_at(__LINE__, 63, 63);
	expect_range_at(__LINE__, 64, 65);
	expect_range_at(__LINE__, 127, 127);
	expect_range_at(__LINE__, 128, 131);
	expect_range_at(__LINE__, 1000, 1007);
	expect_range_at(__LINE__, 1ULL << 63, (1ULL << 63) + (1ULL << 58) - 1);
	expect_range_at(__LINE__, ~0ULL, ~0ULL);
	result("values counted in ranges");
}

static void check_histogram(bool bounded)
{
	static const u64 v[] = { 0, 1, 2, 3, 4, 7, 8, ~0ULL };
	u64 bucket[DIST_BUCKETS], sum = 0;
	unsigned int i;

	dist_histogram(values(v, 8, bounded), bucket);
	expect(bucket[0], 1);
	expect(bucket[1], 1);
	expect(bucket[2], 2);
	expect(bucket[3], 2);
	expect(bucket[4], 1);
	expect(bucket[64], 1);
	for (i = 0; i < DIST_BUCKETS; i++)
		sum += bucket[i];
	expect(sum, 8);
	dists_free(dists);
}

static void test_histogram(void)
{
	check_histogram(false);
	result("histogram");
	check_histogram(true);
	result("histogram of ranges");
}

/* The tests: of times */

/*
 *	ts	0     10   12   15    40   41    45    80   82   90    100  101
 *		host  EL2            guest EL2   guest EL2       host
 */
static void one_run(void)
{
	host(0, EV_KVM_ENTRY, 7);
	enter(10, HVC);
	call(12, RUN);
	hyp(13, EV_VCPU_ENTER);
	to_guest(15);
	enter(40, EXIT);
	vcpu_exit(41, EXIT_IRQ);
	to_guest(45);
	enter(80, EXIT);
	vcpu_exit(82, EXIT_HVC);
	to_host(90);
	host(100, EV_KVM_EXIT, 7);
}

static void test_nested(void)
{
	struct times_result r;

	begin(true);
	one_run();
	enter(103, ABORT);
	to_host(110);
	host(120, EV_OTHER, 7);
	end(&r);
	expect(r.wall, 120);
	expect(r.losses + r.misplaced + r.no_exit + r.no_entry, 0);
	expect_row(times_cpu(times, 0), 23, 27, 60, 10);
	expect(times_cpu(times, 0)->entries, 4);
	expect_row(find(times_task, 7), 23, 27, 60, 0);
	expect_row(find(times_task, TIMES_UNKNOWN), 0, 0, 0, 10);
	expect_row(times_vcpu(times, 0), 23, 24, 60, 0);
	expect(times_vcpu(times, 0)->entries, 2);
	expect(times_vcpu(times, 0)->vm, 3);
	expect(times_vcpu(times, 0)->vcpu, 1);
	expect_dist(HVC, 1, 5);
	expect_dist(EXIT, 0, 0);
	expect_dist(EXIT_IRQ, 1, 5);
	expect_dist(EXIT_HVC, 1, 10);
	expect_dist(ABORT, 1, 7);
	expect_dist(RUN, 1, 20);
	expect_way(WAY_IN, 1, 15);
	expect_way(WAY_OUT, 1, 20);
	done("a guest's run with an exit that the host never sees");
}

/* The host enters EL2 between its kvm events and the guest's run */
/* The run of above, cut at 85, when it is at EL2, and at 86, without a new event */
static void test_ticks(void)
{
	struct times_result r;

	begin(true);
	host(0, EV_KVM_ENTRY, 7);
	enter(10, HVC);
	call(12, RUN);
	hyp(13, EV_VCPU_ENTER);
	to_guest(15);
	enter(40, EXIT);
	vcpu_exit(41, EXIT_IRQ);
	to_guest(45);
	enter(80, EXIT);
	vcpu_exit(82, EXIT_HVC);
	expect(times_tick(times, 85, &r), 0);
	expect(r.wall, 85);
	expect_row(times_cpu(times, 0), 0, 15, 60, 10);
	expect(times_cpu(times, 0)->entries, 3);
	expect_row(times_vcpu(times, 0), 0, 12, 60, 0);
	expect_dist(EXIT_IRQ, 1, 5);
	times_restart(times);
	expect(times_tick(times, 86, &r), 0);
	expect(r.wall, 1);
	expect_row(times_cpu(times, 0), 0, 1, 0, 0);
	times_restart(times);
	to_host(90);
	host(100, EV_KVM_EXIT, 7);
	end(&r);
	expect(r.wall, 14);
	expect(r.losses + r.misplaced + r.no_exit + r.no_entry, 0);
	expect_row(times_cpu(times, 0), 10, 4, 0, 0);
	expect(times_cpu(times, 0)->entries, 0);
	expect_row(find(times_task, 7), 10, 4, 0, 0);
	expect_dist(EXIT_HVC, 1, 10);
	expect_dist(RUN, 1, 20);
	expect_way(WAY_IN, 0, 0);
	expect_way(WAY_OUT, 1, 20);
	expect_sum(times_cpu, 14);
	expect_sum(times_task, 14);
	done("interim results");
}

static void test_entries_in_switches(void)
{
	struct times_result r;

	begin(false);
	host(0, EV_KVM_ENTRY, 7);
	enter(10, ABORT);
	to_host(15);
	enter(20, HVC);
	to_guest(25);
	enter(30, EXIT);
	to_host(40);
	enter(50, ABORT);
	to_host(60);
	host(70, EV_KVM_EXIT, 7);
	enter(80, HVC);
	to_host(90);
	host(95, EV_KVM_EXIT, 7);
	end(&r);
	expect_way(WAY_IN, 1, 25);
	expect_way(WAY_OUT, 1, 40);
	done("EL2 entries in world switches");
}

/* Events are lost in EL2, whose entry is then not measured, nor is the call */
static void test_loss_at_el2(void)
{
	struct times_result r;

	begin(false);
	enter(0, HVC);
	to_host(10);
	enter(20, HVC);
	call(21, CALL);
	lost_enter(50, ABORT);
	to_host(53);
	enter(60, HVC);
	call(61, CALL);
	to_host(64);
	end(&r);
	expect(r.wall, 64);
	expect(r.losses, 1);
	expect(r.misplaced, 0);
	expect(r.no_exit, 1);
	expect(r.no_entry, 0);
	expect_row(times_cpu(times, 0), 17, 18, 0, 29);
	expect_dist(HVC, 2, 14);
	expect_dist(ABORT, 1, 3);
	expect_dist(CALL, 1, 4);
	expect_sum(times_cpu, 64);
	expect_sum(times_task, 64);
	done("a loss at EL2");
}

/* Events that fit each other: only the mark tells that some were lost */
static void test_quiet_losses(void)
{
	struct times_result r;

	begin(false);
	enter(0, HVC);
	to_host(10);
	lost_enter(50, HVC);
	to_guest(60);
	host(70, EV_KVM_ENTRY, 7);
	lost_enter(90, EXIT);
	host(95, EV_KVM_EXIT, 7);
	to_host(100);
	end(&r);
	expect(r.losses, 2);
	expect(r.misplaced, 0);
	expect(r.no_exit + r.no_entry, 0);
	expect_row(times_cpu(times, 0), 0, 30, 0, 70);
	expect_dist(HVC, 2, 20);
	expect_dist(EXIT, 1, 10);
	expect_way(WAY_IN, 0, 0);
	expect_way(WAY_OUT, 0, 0);
	done("losses between events that fit");
}

/* The second entry of the guest, and the exit that ends the run, are lost */
static void test_loss_in_run(void)
{
	struct times_result r;

	begin(true);
	host(0, EV_KVM_ENTRY, 7);
	enter(10, HVC);
	call(12, RUN);
	to_guest(15);
	enter(40, EXIT);
	lost_enter(200, HVC);
	call(201, CALL);
	to_host(210);
	host(220, EV_KVM_EXIT, 7);
	end(&r);
	expect(r.wall, 220);
	expect(r.losses, 1);
	expect(r.no_exit, 1);
	expect_row(times_cpu(times, 0), 10, 15, 25, 170);
	expect_dist(HVC, 2, 15);
	expect_dist(EXIT, 0, 0);
	expect_dist(RUN, 0, 0);
	expect_dist(CALL, 1, 10);
	expect_way(WAY_IN, 1, 15);
	expect_way(WAY_OUT, 0, 0);
	expect_sum(times_task, 220);
	done("a loss in a guest's run");
}

/* A contradiction is a loss without a mark */
static void test_misplaced(void)
{
	struct times_result r;

	begin(false);
	enter(0, HVC);
	to_host(10);
	to_host(30);
	enter(40, HVC);
	enter(60, HVC);
	to_host(70);
	end(&r);
	expect(r.misplaced, 2);
	expect(r.no_exit, 1);
	expect(r.no_entry, 1);
	expect_row(times_cpu(times, 0), 10, 20, 0, 40);
	expect_dist(HVC, 2, 20);
	done("events that contradict");
}

static void test_begin_in_guest(void)
{
	struct times_result r;

	begin(true);
	host(0, EV_OTHER, 7);
	enter(30, EXIT);
	vcpu_exit(31, EXIT_IRQ);
	to_host(40);
	host(50, EV_KVM_EXIT, 7);
	enter(60, HVC);
	hyp(70, EV_TRACE_OFF);
	host(90, EV_OTHER, 7);
	end(&r);
	expect(r.no_exit, 1);
	expect(r.no_entry, 0);
	expect(r.losses + r.misplaced, 0);
	expect_row(times_cpu(times, 0), 20, 20, 0, 50);
	expect_dist(EXIT_IRQ, 1, 10);
	expect_dist(HVC, 0, 0);
	expect_way(WAY_OUT, 1, 20);
	expect_sum(times_task, 90);
	done("a CPU that begins in a guest and ends at EL2");
}

/* Off, and on again: in between it may have been switched off */
static void test_trace_on(void)
{
	struct times_result r;

	begin(false);
	hyp(0, EV_TRACE_ON);
	to_host(5);
	hyp(20, EV_TRACE_ON);
	to_host(24);
	end(&r);
	expect(r.wall, 24);
	expect(r.no_entry, 2);
	expect(r.misplaced, 0);
	expect_row(times_cpu(times, 0), 0, 9, 0, 15);
	done("tracing begins twice");
}

static void test_tasks(void)
{
	struct times_result r;

	begin(true);
	enter(0, HVC);
	to_host(10);
	sched(30, 7, 8);
	sched(35, 8, 9);
	lost_host(60, EV_OTHER, 9);
	sched(70, 9, 8);
	sched(90, 7, 9);
	host(100, EV_OTHER, 9);
	end(&r);
	expect(r.losses, 1);
	expect_row(times_cpu(times, 0), 90, 10, 0, 0);
	expect_row(find(times_task, 7), 0, 10, 0, 0);
	expect_row(find(times_task, 8), 5, 0, 0, 0);
	expect_row(find(times_task, 9), 20, 0, 0, 0);
	expect_row(find(times_task, TIMES_UNKNOWN), 65, 0, 0, 0);
	expect_sum(times_task, 100);
	done("tasks, some of them unknown");
}

/* The host's loss is reported after the events of EL2 during the loss */
static void test_host_loss(void)
{
	struct times_result r;

	begin(true);
	sched(0, 8, 7);
	enter(10, HVC);
	to_host(20);
	host(30, EV_KVM_ENTRY, 7);
	enter(40, HVC);
	call(41, RUN);
	to_guest(45);
	enter(50, EXIT);
	to_host(60);
	lost_host(70, EV_KVM_EXIT, 7);
	end(&r);
	expect_row(times_cpu(times, 0), 30, 25, 5, 10);
	expect_row(find(times_task, 7), 10, 25, 5, 0);
	expect_row(find(times_task, TIMES_UNKNOWN), 20, 0, 0, 10);
	expect_row(times_vcpu(times, 0), 0, 10, 5, 0);
	expect(times_vcpu(times, 0)->named, false);
	expect_way(WAY_IN, 1, 15);
	expect_way(WAY_OUT, 0, 0);
	done("a loss of the host's events");
}

static void test_time_back(void)
{
	struct times_result r;

	begin(false);
	enter(100, HVC);
	to_host(120);
	enter(110, HVC);
	to_host(130);
	end(&r);
	expect(r.wall, 30);
	expect(r.misplaced, 1);
	expect_row(times_cpu(times, 0), 0, 30, 0, 0);
	expect_sum(times_cpu, 30);
	done("time that goes back");
}

/* Of one CPU only the place is known, of one nothing, of one an end is lost */
static void test_cpus(void)
{
	struct times_result r;
	struct times_event ev;

	begin(false);
	if (times_add_cpu(times, 2) || times_add_cpu(times, 1))
		exit(1);
	times_see(times, 50);
	enter(60, HVC);
	ev = entry(70, HVC);
	ev.cpu = 1;
	feed(ev);
	to_host(80);
	times_lose(times, 1, true);
	times_see(times, 150);
	end(&r);
	expect(r.wall, 100);
	expect(r.losses, 1);
	expect_row(times_cpu(times, 0), 70, 20, 0, 10);
	expect_row(times_cpu(times, 1), 0, 0, 0, 100);
	expect_row(times_cpu(times, 2), 0, 0, 0, 100);
	expect(!!times_cpu(times, 3), false);
	expect_sum(times_cpu, 300);
	expect_sum(times_task, 300);
	done("CPUs have one wall time");
}

static void test_two_vcpus(void)
{
	struct times_result r;
	struct times_event ev = { .side = HYP, .kind = EV_VCPU_ENTER,
		.pid = 7, .vm = 3 };
	unsigned int i;

	begin(true);
	for (i = 0; i < 2; i++) {
		enter(100 * i, HVC);
		ev.ts = 100 * i + 2;
		ev.vcpu = i;
		feed(ev);
		to_guest(100 * i + 5);
		enter(100 * i + 20 + 10 * i, EXIT);
		to_host(100 * i + 50);
	}
	/* the task of this time is unknown */
	lost_enter(200, HVC);
	to_guest(210);
	end(&r);
	expect_row(times_vcpu(times, 0), 0, 23, 25, 0);
	expect(times_vcpu(times, 0)->vcpu, 1);
	expect_row(times_vcpu(times, 1), 0, 35, 15, 0);
	expect(times_vcpu(times, 1)->vcpu, 0);
	expect(times_vcpu(times, 1)->entries, 1);
	expect_row(times_vcpu(times, 2), 0, 0, 0, 0);
	expect(times_vcpu(times, 2)->named, false);
	expect(times_vcpu(times, 2)->entries, 1);
	expect_row(find(times_task, 7), 0, 70, 40, 0);
	expect_row(find(times_task, TIMES_UNKNOWN), 50, 0, 0, 50);
	done("a task that runs two vCPUs");
}

static unsigned int count(row_at at)
{
	unsigned int nr = 0;

	while (at(times, nr))
		nr++;
	return nr;
}

/*
 * Rounds of 100: task 7, which runs a guest for 10 of 30 at EL2, hands over to a task that runs
 * for 40, of which 10 at EL2, and never again
 */
static void many_tasks(unsigned int from, unsigned int to)
{
	struct times_event visit;
	unsigned int i;
	u64 ts;

	for (i = from; i < to; i++) {
		ts = 100ULL * i;
		enter(ts, HVC);
		if (!i)
			hyp(ts + 5, EV_VCPU_ENTER);
		to_guest(ts + 10);
		enter(ts + 20, EXIT);
		to_host(ts + 30);
		sched(ts + 50, 7, 1000 + i);
		visit = entry(ts + 60, HVC);
		visit.pid = 1000 + i;
		feed(visit);
		to_host(ts + 70);
		sched(ts + 90, 1000 + i, 7);
	}
}

/* However many tasks there were, few have rows, and nothing is lost */
static void test_many_tasks(void)
{
	enum { TASKS = 20000, MAX = 16 };
	u64 others, until = 100 * TASKS;
	struct times_result r;
	s32 i;

	begin(true);
	times_limit_tasks(times, MAX);
	sched(0, 7, 7);
	many_tasks(0, TASKS);
	expect(times_tick(times, until, &r), 0);
	expect(count(times_task) <= MAX + 1, true);
	expect(count(times_vcpu) <= 2, true);
	expect_sum(times_task, until);
	expect_row(find(times_task, 7), 30 * TASKS, 20 * TASKS, 10 * TASKS, 0);
	expect_row(find(times_task, 1000 + TASKS - 1), 30, 10, 0, 0);
	expect(!find(times_task, 1000), true);
	/* all but those with a row, which are not task 7 and the others themselves */
	others = TASKS + 2 - count(times_task);
	expect_row(find(times_task, TIMES_OTHERS), 30 * others, 10 * others, 0, 0);
	expect_row(times_vcpu(times, 0), 30 * TASKS, 20 * TASKS - 5, 10 * TASKS, 0);
	expect(times_vcpu(times, 0)->entries, TASKS);
	/* a row stays while the place of some of its time is not known */
	times_restart(times);
	for (i = 0; i < 4 * MAX; i++)
		sched(until + 10 * i, i ? 100 + i - 1 : 7, 100 + i);
	expect(count(times_task), 4 * MAX);
	enter(until + 10 * i, HVC);
	to_host(until + 10 * i);
	for (; i < 16 * MAX; i++)
		sched(until + 10 * i, 100 + i - 1, 100 + i);
	enter(until + 10 * i, HVC);
	end(&r);
	expect_sum(times_task, 160 * MAX);
	expect_row(find(times_task, TIMES_OTHERS), 40 * MAX, 0, 0, 0);
	expect_row(find(times_task, 100 + 4 * MAX), 10, 0, 0, 0);
	done("more tasks than rows");
}

static void expect_ttest(int line, const double *a, size_t nr_a, const double *b, size_t nr_b,
			 u64 millionths)
{
	struct estimate x = estimate_mean(a, nr_a), y = estimate_mean(b, nr_b);

	expect_at(line, "p, 10^-6", ttest(&x, &y) * 1e6 + 0.5, millionths);
	expect_at(line, "p, the other way round", ttest(&y, &x) * 1e6 + 0.5, millionths);
}

/* Of the quantiles of Student's distribution in tables */
static void test_ttest(void)
{
	static const double a[] = { 0, 0, 0, 3, 3, 3 }, b[] = { 1, 2, 3, 4, 5 };
	static const double near[] = { -1, 1 };
	/* t = 4.30265 with two degrees of freedom: p = 0.05 */
	static const double two[] = { 4.30265 * 1.4142136 - 1,
		4.30265 * 1.4142136 + 1 };
	/* t = 2.77645 with four of them */
	static const double three[] = { -1, 0, 1 }, four[] = { 2.77645 * 0.8164966 - 1,
		2.77645 * 0.8164966, 2.77645 * 0.8164966 + 1 };
	/* one side has all of the variance, and its one degree: t = 12.7062 */
	static const double far[] = { 12.7062, 12.7062, 12.7062 };

	expect_ttest(__LINE__, near, 2, two, 2, 50000);
	expect_ttest(__LINE__, three, 3, four, 3, 50000);
	expect_ttest(__LINE__, near, 2, far, 3, 50000);
	expect_ttest(__LINE__, a, 3, a + 3, 3, 0);
	expect_ttest(__LINE__, a, 3, a, 3, 1000000);
	expect_ttest(__LINE__, b, 5, b, 5, 1000000);
	expect_ttest(__LINE__, b, 1, b + 1, 4, 1000000);
	/* t = 3.273 with 2.88 degrees of freedom, of which two count */
	expect_ttest(__LINE__, b, 2, b + 2, 3, 82015);
	result("t-test");
}

/* Of 20 values, the two smallest and the two largest count as those next to them */
static void test_estimates(void)
{
	u64 values[20] = { 0, 0, 10, 10, 10, 10, 10, 10, 10, 10, 20, 20, 20, 20, 20, 20, 20, 20,
		1000, 2000 };
	static const double few[] = { 8, 10, 12 };
	struct estimate e = estimate_middle(values, 20);

	/* 20 deviations of 5 */
	expect(e.mean, 15);
	expect(e.freedom, 15);
	expect(e.variance * 1e6 + 0.5, 20 * 25 * 1000000 / 16 / 15);
	e = estimate_mean(few, 3);
	expect(e.mean, 10);
	expect(e.freedom, 2);
	expect(e.variance * 1e6 + 0.5, 4000000 / 3);
	expect(estimate_spread(&e, 3) * 1e6 + 0.5, 20000000);
	e = estimate_mean(few, 1);
	expect(e.freedom, 0);
	expect(e.variance, 0);
	result("estimates");
}

/* Each part loses its order, but no value */
static void test_parts(void)
{
	static const u64 values[] = { 5, 1, 9, 7, 2, 4 };
	struct dists *s = dists_new(false);
	struct dist *d = dists_get(s, 1);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		dist_add(d, values[i]);
	expect(dist_part_mean(d, 0, 3), 3);
	expect(dist_part_mean(d, 1, 3), 8);
	expect(dist_part_mean(d, 2, 3), 3);
	expect(dist_part_mean(d, 0, 4), 1);
	expect(dist_part_mean(d, 1, 4), 6);
	expect(dist_count(d), 6);
	dists_free(s);
	result("parts of a distribution");
}

static void test_array(void)
{
	size_t room = 0, moved = 0, nr, before;
	u64 *array = NULL, *was;

	for (nr = 0; nr < 1000; nr++) {
		before = room;
		if (array_room(&array, &room, nr + 1, sizeof(*array)))
			exit(1);
		expect(room > nr, true);
		expect(room == before || room >= 2 * before, true);
		moved += room != before;
		array[nr] = nr;
	}
	expect(moved, 7);	/* 16, 32, ... 1024 */
	for (nr = 0; nr < 1000; nr++)
		expect(array[nr], nr);
	before = room;
	was = array;
	errno = 0;
	expect(array_room(&array, &room, SIZE_MAX / sizeof(*array), sizeof(*array)), -1);
	expect(errno, ENOMEM);
	expect(array_room(&array, &room, SIZE_MAX, 1), -1);
	expect(array == was && room == before, true);
	free(array);
	result("an array that grows");
}

static void expect_cell(int line, const char *text, int width, int max, const char *want)
{
	char *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);

	if (!out)
		exit(1);
	visible_cell(out, text, width, max);
	if (fclose(out))
		exit(1);
	if (strcmp(got, want)) {
		printf("# line %d: the cell is '%s', want '%s'\n", line, got, want);
		nr_wrong++;
	}
	free(got);
}

static void test_visible(void)
{
	char small[8];

	expect_cell(__LINE__, "abc", 5, 9, "  abc");
	expect_cell(__LINE__, "abc", -5, 9, "abc  ");
	expect_cell(__LINE__, "abc", -5, 2, "ab   ");
	expect_cell(__LINE__, "a\033", 6, 9, " a\\033");
	expect_cell(__LINE__, "a\033", -6, 9, "a\\033 ");
	/* neither an escape nor a character is cut */
	expect_cell(__LINE__, "a\033b", -4, 4, "a   ");
	expect_cell(__LINE__, "a\033b", -4, 5, "a\\033");
	expect_cell(__LINE__, "\303\251\342\202\254z", -4, 2, "\303\251\342\202\254  ");
	expect_cell(__LINE__, "\302\233\n\\", 0, 99, "\\302\\233\\n\\\\");
	visible_copy(small, sizeof(small), "abc\033\033");
	expect(strcmp(small, "abc\\033"), 0);
	visible_copy(small, sizeof(small), "abcd\033");
	expect(strcmp(small, "abcd"), 0);
	result("text of others");
}

int main(void)
{
	puts("TAP version 13");
	test_percentiles();
	test_ranges();
	test_histogram();
	test_nested();
	test_ticks();
	test_entries_in_switches();
	test_loss_at_el2();
	test_quiet_losses();
	test_loss_in_run();
	test_misplaced();
	test_begin_in_guest();
	test_trace_on();
	test_tasks();
	test_host_loss();
	test_time_back();
	test_cpus();
	test_two_vcpus();
	test_many_tasks();
	test_ttest();
	test_estimates();
	test_parts();
	test_array();
	test_visible();
	printf("1..%u\n", nr_tests);
	return nr_failed ? 1 : 0;
}
