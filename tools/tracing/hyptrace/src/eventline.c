// SPDX-License-Identifier: GPL-2.0
/*
 * An event as a line of text. See eventline.h.
 */
#include "eventline.h"
#include "util.h"

#define COLOR_HYP	"\033[36m"
#define COLOR_LOST	"\033[1;31m"
#define COLOR_END	"\033[m"

static void begin(const struct eventline *l, const char *color)
{
	if (l->color)
		fputs(color, l->out);
}

/* Stamps go back where the sides contradict each other: then with a minus */
static void print_difference(FILE *out, u64 ts, u64 from)
{
	u64 ns = ts < from ? from - ts : ts - from;

	fprintf(out, "%c%5llu.%09llu", ts < from ? '-' : '+',
		ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

static void print_time(const struct eventline *l, u64 ts)
{
	switch (l->time) {
	case TIME_ABSOLUTE:
		fprintf(l->out, "%5llu.%09llu", ts / NSEC_PER_SEC,
			ts % NSEC_PER_SEC);
		return;
	case TIME_RELATIVE:
		print_difference(l->out, ts, l->first);
		return;
	case TIME_DELTA:
		print_difference(l->out, ts, l->nr ? l->before : ts);
		return;
	}
}

static void print_place(struct eventline *l, const struct merged *ev, bool hyp)
{
	fprintf(l->out, "[%03u] ", ev->cpu);
	print_time(l, ev->ev.ts);
	fprintf(l->out, " %-4s ", hyp ? "hyp" : "host");
	l->before = ev->ev.ts;
	l->nr++;
}

static void end(const struct eventline *l)
{
	fputs(l->color ? COLOR_END "\n" : "\n", l->out);
}

void eventline_loss(struct eventline *l, const struct merged *ev, bool hyp)
{
	begin(l, COLOR_LOST);
	print_place(l, ev, hyp);
	if (ev->lost == RBPAGE_LOST_UNKNOWN)
		fprintf(l->out, "*** events lost, their number is not known");
	else
		fprintf(l->out, "*** %llu events lost", ev->lost);
	end(l);
}

static void print_corrupt(struct eventline *l, const struct merged *ev, bool hyp)
{
	begin(l, COLOR_LOST);
	print_place(l, ev, hyp);
	fprintf(l->out, "*** corrupt sub-buffer at file offset %llu", ev->offset);
	end(l);
}

void eventline_event(struct eventline *l, const struct merged *ev, bool hyp)
{
	if (!ev->ev.data) {
		print_corrupt(l, ev, hyp);
		return;
	}
	begin(l, hyp ? COLOR_HYP : "");
	print_place(l, ev, hyp);
	evdb_print(l->db, l->out, &ev->ev, ev->cpu);
	end(l);
}

void eventline_print(struct eventline *l, const struct merged *ev, bool hyp)
{
	if (ev->lost)
		eventline_loss(l, ev, hyp);
	eventline_event(l, ev, hyp);
}
