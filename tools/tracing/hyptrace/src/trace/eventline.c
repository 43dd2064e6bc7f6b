// SPDX-License-Identifier: GPL-2.0
/*
 * An event as a line of text. See eventline.h.
 */
#include "lib/util.h"
#include "trace/eventline.h"

#define COLOR_HYP	"\033[36m"
#define COLOR_LOST	"\033[1;31m"
#define COLOR_END	"\033[m"

static void begin_line(const struct eventline *l, const char *color)
{
	if (l->color)
		fputs(color, l->out);
}

/* Only the time of a corrupt place can be less than @from: it may be 0 */
static void print_difference(FILE *out, u64 ts, u64 from)
{
	u64 ns = ts < from ? 0 : ts - from;

	fprintf(out, "+%5llu.%09llu", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
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
		print_difference(l->out, ts, l->follows ? l->before : ts);
		return;
	}
}

static void print_place(struct eventline *l, const struct merged *ev, enum side side)
{
	fprintf(l->out, "[%03u] ", ev->cpu);
	print_time(l, ev->ev.ts);
	fprintf(l->out, " %-4s ", side_name(side));
	if (!ev->ev.data)
		return;
	l->before = ev->ev.ts;
	l->follows = true;
}

static void end_line(const struct eventline *l)
{
	fputs(l->color ? COLOR_END "\n" : "\n", l->out);
}

void eventline_loss(struct eventline *l, const struct merged *ev, enum side side)
{
	begin_line(l, COLOR_LOST);
	print_place(l, ev, side);
	if (ev->lost == RBPAGE_LOST_UNKNOWN)
		fprintf(l->out, "*** events lost, number unknown");
	else
		fprintf(l->out, "*** %llu events lost", ev->lost);
	end_line(l);
}

static void print_corrupt(struct eventline *l, const struct merged *ev, enum side side)
{
	begin_line(l, COLOR_LOST);
	print_place(l, ev, side);
	fprintf(l->out, "*** corrupt sub-buffer at file offset %llu", ev->offset);
	end_line(l);
}

void eventline_event(struct eventline *l, const struct merged *ev, enum side side)
{
	if (!ev->ev.data) {
		print_corrupt(l, ev, side);
		return;
	}
	begin_line(l, side == HYP ? COLOR_HYP : "");
	print_place(l, ev, side);
	evdb_print(l->db, l->out, &ev->ev, ev->cpu);
	end_line(l);
}

void eventline_restart(struct eventline *l)
{
	l->follows = false;
}

void eventline_print(struct eventline *l, const struct merged *ev, enum side side)
{
	if (ev->lost)
		eventline_loss(l, ev, side);
	eventline_event(l, ev, side);
}
