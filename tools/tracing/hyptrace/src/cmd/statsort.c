// SPDX-License-Identifier: GPL-2.0
/*
 * The order of rows. See statsort.h.
 */
#include "cmd/cmdline.h"
#include "cmd/statsort.h"

/* Behind the keys of distributions, those of times only */
enum {
	KEY_ENTRIES = NR_DIST_KEYS,
	KEY_TASK,
	KEY_EL2,
	KEY_GUEST,
	KEY_IRQ,
	KEY_SOFTIRQ,
	KEY_IDLE,
	KEY_UNKNOWN,
	NR_KEYS
};

static const char *const words[NR_KEYS + 1] = {
	[DIST_NAME]	= "name",
	[DIST_COUNT]	= "count",
	[DIST_TOTAL]	= "total",
	[DIST_MEAN]	= "mean",
	[DIST_MIN]	= "min",
	[DIST_P50]	= "p50",
	[DIST_P90]	= "p90",
	[DIST_P99]	= "p99",
	[DIST_P999]	= "p99.9",
	[DIST_MAX]	= "max",
	[KEY_ENTRIES]	= "entries",
	[KEY_TASK]	= "task",
	[KEY_EL2]	= "EL2",
	[KEY_GUEST]	= "guest",
	[KEY_IRQ]	= "irq",
	[KEY_SOFTIRQ]	= "softirq",
	[KEY_IDLE]	= "idle",
	[KEY_UNKNOWN]	= "unknown",
};

int statsort_key(const char *arg)
{
	return cmdline_word("sort", arg, words);
}

static int by_entries(const struct times_row *a, const struct times_row *b)
{
	return compare_u64(b->entries, a->entries) ?: rows_by_id(a, b);
}

static int by_place(const struct times_row *a, const struct times_row *b, enum place place)
{
	return compare_u64(b->ns[place], a->ns[place]) ?: rows_by_id(a, b);
}

static int by_task(const struct times_row *a, const struct times_row *b)
{
	return by_place(a, b, PLACE_TASK);
}

static int by_el2(const struct times_row *a, const struct times_row *b)
{
	return by_place(a, b, PLACE_EL2);
}

static int by_guest(const struct times_row *a, const struct times_row *b)
{
	return by_place(a, b, PLACE_GUEST);
}

static int by_irq(const struct times_row *a, const struct times_row *b)
{
	return by_place(a, b, PLACE_IRQ);
}

static int by_softirq(const struct times_row *a, const struct times_row *b)
{
	return by_place(a, b, PLACE_SOFTIRQ);
}

static int by_idle(const struct times_row *a, const struct times_row *b)
{
	return by_place(a, b, PLACE_IDLE);
}

static int by_unknown(const struct times_row *a, const struct times_row *b)
{
	return by_place(a, b, PLACE_UNKNOWN);
}

void statsort(struct profile *s, unsigned int key)
{
	static const rows_order orders[NR_KEYS] = {
		[DIST_NAME]	= rows_by_id,
		[KEY_ENTRIES]	= by_entries,
		[KEY_TASK]	= by_task,
		[KEY_EL2]	= by_el2,
		[KEY_GUEST]	= by_guest,
		[KEY_IRQ]	= by_irq,
		[KEY_SOFTIRQ]	= by_softirq,
		[KEY_IDLE]	= by_idle,
		[KEY_UNKNOWN]	= by_unknown,
	};

	if (orders[key])
		times_sort(s->times, orders[key]);
	if (key >= NR_DIST_KEYS)
		return;
	dists_sort_by(s->reasons, key);
	dists_sort_by(s->hcalls, key);
	dists_sort_by(s->steps, key);
	dists_sort_by(times_ways(s->times), key);
}
