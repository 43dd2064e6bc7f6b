// SPDX-License-Identifier: GPL-2.0
/*
 * An event as a line of text. See eventline.h.
 */
#include <string.h>

#include "lib/digits.h"
#include "lib/util.h"
#include "trace/eventline.h"

#define COLOR_HYP	"\033[36m"
#define COLOR_GUEST	"\033[33m"
#define COLOR_LOST	"\033[1;31m"
#define COLOR_END	"\033[m"

static void begin_line(const struct eventline *l, const char *color)
{
	if (l->color)
		fputs(color, l->out);
}

/* As the kernel's trace_clocks[] has it in in_ns */
bool eventline_is_time(const char *clock)
{
	static const char * const others[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcmp(clock, others[i]))
			return false;
	}
	return true;
}

static char *put_stamp(char *to, const struct eventline *l, u64 ns)
{
	if (l->ticks)
		return digits_decimal(to, ns, 15, ' ');
	to = digits_decimal(to, ns / NSEC_PER_SEC, 5, ' ');
	*to++ = '.';
	return digits_decimal(to, ns % NSEC_PER_SEC, 9, '0');
}

/* Only the time of a corrupt place can be less than @from: it may be 0 */
static char *put_difference(char *to, const struct eventline *l, u64 ts, u64 from)
{
	*to++ = '+';
	return put_stamp(to, l, ts < from ? 0 : ts - from);
}

static char *put_time(char *to, const struct eventline *l, u64 ts)
{
	switch (l->time) {
	case TIME_ABSOLUTE:
		break;
	case TIME_RELATIVE:
		return put_difference(to, l, ts, l->first);
	case TIME_DELTA:
		return put_difference(to, l, ts, l->follows ? l->before : ts);
	}
	return put_stamp(to, l, ts);
}

static const char *color_of(enum side side)
{
	static const char * const colors[] = {
		[HOST]	= "",
		[HYP]	= COLOR_HYP,
		[GUEST]	= COLOR_GUEST,
	};

	return colors[side];
}

/* " host ", " hyp  "; with guests " host  ", " hyp   ", " guest " */
static char *put_side(char *to, const struct eventline *l, enum side side)
{
	size_t width = strlen(evdb_has_guests(l->db) ? " guest " : " host ");

	memset(to, ' ', width);
	memcpy(to + 1, side_name(side), strlen(side_name(side)));
	return to + width;
}

static void print_place(struct eventline *l, const struct merged *ev, enum side side)
{
	char place[4 * DIGITS_SIZE], *to = place;

	*to++ = '[';
	to = digits_decimal(to, ev->cpu, 3, '0');
	to = put_time(stpcpy(to, "] "), l, ev->ev.ts);
	to = put_side(to, l, side);
	fwrite(place, 1, to - place, l->out);
	if (!ev->ev.data)
		return;
	l->before = ev->ev.ts;
	l->follows = true;
}

static void end_line(const struct eventline *l)
{
	if (l->color)
		fputs(COLOR_END, l->out);
	putc_unlocked('\n', l->out);
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
	begin_line(l, color_of(side));
	print_place(l, ev, side);
	evdb_print(evdb_of(l->db, ev->guest), l->out, &ev->ev, ev->cpu);
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
