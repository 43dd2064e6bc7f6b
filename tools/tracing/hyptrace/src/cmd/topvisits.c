// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace top --counters. See topvisits.h.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd/cmdline.h"
#include "cmd/screen.h"
#include "cmd/topvisits.h"
#include "lib/log.h"
#include "lib/output.h"
#include "lib/unit.h"
#include "lib/visible.h"
#include "record/endsignals.h"
#include "record/visitcount.h"

/* Longest wait at a time */
#define ROUND_MS	1000
#define NAME_WIDTH	33

/**
 * struct visitrow - the visits of one kind in an interval
 * @kind:	the same since the system was booted
 * @number:	how many visits
 * @ticks:	how long all of them took
 * @p99:	how long the shortest 99 % of them took at most
 */
struct visitrow {
	const struct visitcount *kind;
	u64 number;
	u64 ticks;
	u64 p99;
};

/**
 * struct topvisits - what is shown
 * @o:		what the user wants
 * @v:		what is counted
 * @before:	its kinds at the begin of the interval
 * @row:	room for the rows of a table
 * @start:	when the first interval began, ns
 * @since:	when the interval began, ns
 * @screen:	shows it
 * @sigfd:	reads the signals that end it
 * @signal:	the one that did, or 0
 * @shown:	number of tables so far
 * @quit:	it ends
 */
struct topvisits {
	const struct topvisits_options *o;
	struct visitcounts v;
	struct visitcount *before;
	struct visitrow *row;
	u64 start;
	u64 since;
	struct screen *screen;
	int sigfd;
	int signal;
	u64 shown;
	bool quit;
};

/* Rows */

/*
 * The upper bound of the bucket where 99 % are reached, or the longest visit since the system was
 * booted, if that is less
 */
static u64 p99_of(const struct visitcount *before, const struct visitcount *now, u64 number)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < VISITCOUNT_BUCKETS - 1; i++) {
		sum += now->bucket[i] - before->bucket[i];
		if (sum >= number - number / 100)
			return MIN(visitcount_bound(i), now->max);
	}
	return now->max;
}

static int compare_rows(const void *a, const void *b)
{
	const struct visitrow *x = a, *y = b;

	return compare_u64(y->ticks, x->ticks) ?: compare_u64(x->kind->row, y->kind->row);
}

/* Return: how many there are, the one that took most of the time first */
static unsigned int make_rows(const struct topvisits *t, struct visitrow *sum)
{
	const struct visitcount *before = t->before, *now = t->v.kind;
	unsigned int i, nr = 0;
	struct visitrow r;

	*sum = (struct visitrow) { 0 };
	for (i = 0; i < t->v.nr; i++, before++, now++) {
		r = (struct visitrow) {
			.kind = now,
			.number = now->number - before->number,
			.ticks = now->ticks - before->ticks,
		};
		if (!r.number)
			continue;
		r.p99 = p99_of(before, now, r.number);
		sum->number += r.number;
		sum->ticks += r.ticks;
		t->row[nr++] = r;
	}
	qsort(t->row, nr, sizeof(*t->row), compare_rows);
	return nr;
}

/* Showing */

static void put_time(const struct topvisits *t, double ticks, FILE *out)
{
	char text[UNIT_TEXT];

	fprintf(out, " %9s", unit_text(text, ticks * 1e9 / t->v.ticks_per_sec + 0.5, UNIT_AUTO));
}

static double share(const struct topvisits *t, u64 ticks, double seconds)
{
	return ticks ? 100.0 * ticks / t->v.ticks_per_sec / seconds : 0;
}

static void put_row(const struct topvisits *t, const struct visitrow *r, double seconds, FILE *out)
{
	visible_cell(out, r->kind->name, -NAME_WIDTH, NAME_WIDTH);
	fprintf(out, " %8.0f %6.2f", r->number / seconds, share(t, r->ticks, seconds));
	put_time(t, (double)r->ticks / r->number, out);
	put_time(t, r->p99, out);
	put_time(t, r->kind->max, out);
	fputc('\n', out);
}

static void put_table(const struct topvisits *t, u64 now, FILE *out)
{
	double seconds = (now - t->since) / 1e9;
	struct visitrow sum;
	unsigned int i, nr = make_rows(t, &sum);

	fprintf(out, "hyptrace top: %.1f s, last %.3f s: %.0f visits/s to EL2, %.2f %% of one CPU\n\n",
		(now - t->start) / 1e9, seconds, sum.number / seconds,
		share(t, sum.ticks, seconds));
	fprintf(out, "%-*s %8s %6s %9s %9s %9s\n", NAME_WIDTH, "EL2 VISIT", "count/s", "time %",
		"mean", "p99 <=", "max ever");
	for (i = 0; i < nr && (!t->o->rows || i < t->o->rows); i++)
		put_row(t, &t->row[i], seconds, out);
}

static int show(struct topvisits *t)
{
	u64 now = now_ns();
	FILE *out = screen_begin(t->screen);

	if (!out)
		return -1;
	put_table(t, now, out);
	screen_end(t->screen);
	t->since = now;
	t->quit |= ++t->shown == t->o->iterations;
	return cmdline_output(&t->quit);
}

/* Following */

static int read_counts(struct topvisits *t)
{
	if (visitcounts_read(&t->v))
		return -1;
	if (t->v.on)
		return 0;
	return log_error("counting is off: switch it on with 'hyptrace metrics --enable'");
}

static void keep_counts(struct topvisits *t)
{
	memcpy(t->before, t->v.kind, t->v.nr * sizeof(*t->before));
}

static void take_signal(struct topvisits *t)
{
	struct signalfd_siginfo si;

	if (read(t->sigfd, &si, sizeof(si)) != sizeof(si))
		return;
	output_end();
	t->signal = si.ssi_signo;
	t->quit = true;
}

static void wait_for_input(struct topvisits *t, int ms)
{
	struct pollfd p[1 + SCREEN_FDS] = { { .fd = t->sigfd, .events = POLLIN } };

	screen_poll(t->screen, p + 1);
	if (poll(p, ARRAY_SIZE(p), ms) <= 0)
		return;
	if (p[0].revents)
		take_signal(t);
	else
		t->quit = screen_quits(t->screen, p + 1);
}

static u64 elapsed_ms(const struct topvisits *t)
{
	return (now_ns() - t->start) / NSEC_PER_MSEC;
}

/* Return: false if the user has ended it before */
static bool wait_until(struct topvisits *t, u64 ms)
{
	u64 elapsed;

	while (!t->quit && (elapsed = elapsed_ms(t)) < ms)
		wait_for_input(t, MIN(ms - elapsed, ROUND_MS));
	return !t->quit;
}

/* When the interval ends in which @ms is */
static u64 end_of_interval(const struct topvisits_options *o, u64 ms)
{
	u64 end = ms / o->interval_ms * o->interval_ms + o->interval_ms;

	return o->duration_ms ? MIN(end, o->duration_ms) : end;
}

static int follow(struct topvisits *t)
{
	int ret = 0;

	while (!ret && wait_until(t, end_of_interval(t->o, elapsed_ms(t)))) {
		ret = read_counts(t) ?: show(t);
		keep_counts(t);
		if (t->o->duration_ms && elapsed_ms(t) >= t->o->duration_ms)
			break;
	}
	return ret;
}

/* All */

static int prepare(struct topvisits *t)
{
	if (visitcounts_open(&t->v, t->o->remote) || read_counts(t))
		return -1;
	t->start = now_ns();
	t->since = t->start;
	t->before = calloc(t->v.nr, sizeof(*t->before));
	t->row = calloc(t->v.nr, sizeof(*t->row));
	if (!t->before || !t->row)
		return log_oom();
	keep_counts(t);
	t->sigfd = endsignals_open();
	if (t->sigfd < 0 || output_start(t->sigfd))
		return -1;
	t->screen = screen_new(false, true);
	return t->screen ? 0 : -1;
}

/* The descriptor of signals stays open, for what is still printed: see output_start() */
static void finish(struct topvisits *t)
{
	screen_free(t->screen);
	visitcounts_close(&t->v);
	free(t->before);
	free(t->row);
}

int topvisits(const struct topvisits_options *o)
{
	struct topvisits t = { .o = o };
	int ret = prepare(&t) ?: follow(&t);

	finish(&t);
	if (ret)
		return EXIT_ERROR;
	return t.signal && t.signal != SIGINT ? 128 + t.signal : EXIT_OK;
}
