// SPDX-License-Identifier: GPL-2.0
/*
 * A trace clock on the architected counter. See counterpair.h.
 */
#include <stdio.h>
#include <string.h>

#include "lib/util.h"
#include "trace/counterpair.h"

#define FORMAT	"hyptrace: counter=%llu " COUNTERPAIR_CLOCK "=%llu..%llu frequency=%llu"

char *counterpair_format(const struct counterpair *p)
{
	return xasprintf(FORMAT "\n", p->counter, p->from, p->to, p->frequency);
}

/* Return: 0, or -1 if the text is something else */
static int parse(const char *text, struct counterpair *p)
{
	if (sscanf(text, FORMAT, &p->counter, &p->from, &p->to, &p->frequency) != 4)
		return -1;
	return p->from <= p->to && p->to <= INT64_MAX && p->frequency ? 0 : -1;
}

int counterline_read(const struct datr *d, struct counterline *l)
{
	struct counterpair p;
	const char *text;
	unsigned int i;
	int ret = -1;

	for (i = 0; (text = datr_text(d, i)); i++) {
		if (parse(text, &p))
			continue;
		if (ret)
			l->first = p;
		l->last = p;
		ret = 0;
	}
	return ret;
}

/* @a of @counter @ca and @b of @cb, extended to @ca + @at */
static long long extend(long long a, long long b, long long at, long long width)
{
	return a + (long long)((__int128)(b - a) * at / width);
}

/* At the nominal frequency */
static long long ns_of(long long ticks, u64 frequency)
{
	return (long long)((__int128)ticks * NSEC_PER_SEC / (__int128)frequency);
}

void counterline_clock(const struct counterline *l, u64 counter, long long *from, long long *to)
{
	const struct counterpair *a = &l->first, *b = &l->last;
	long long width = (long long)(b->counter - a->counter);
	long long at = (long long)(counter - a->counter);

	if (width <= 0) {
		*from = (long long)a->from + ns_of(at, a->frequency);
		*to = (long long)a->to + ns_of(at, a->frequency);
	} else if (at < 0) {
		*from = extend(a->from, b->to, at, width);
		*to = extend(a->to, b->from, at, width);
	} else if (at > width) {
		*from = extend(a->to, b->from, at, width);
		*to = extend(a->from, b->to, at, width);
	} else {
		*from = extend(a->from, b->from, at, width);
		*to = extend(a->to, b->to, at, width);
	}
}
