// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of times. See rows.h.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rows.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

int rows_by_id(const struct times_row *a, const struct times_row *b)
{
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->named != b->named)
		return a->named ? 1 : -1;
	if (a->vm != b->vm)
		return compare_u64(a->vm, b->vm);
	return compare_u64(a->vcpu, b->vcpu);
}

/* Those that are none sort last */
static int class_of(const struct times_row *r)
{
	return r->id == TIMES_UNKNOWN ? 2 : r->id == TIMES_OTHERS;
}

static u64 known(const struct times_row *r)
{
	enum place p;
	u64 sum = 0;

	for (p = 0; p < PLACE_UNKNOWN; p++)
		sum += r->ns[p];
	return sum;
}

int rows_by_time(const struct times_row *a, const struct times_row *b)
{
	if (class_of(a) != class_of(b))
		return class_of(a) - class_of(b);
	if (known(a) != known(b))
		return compare_u64(known(b), known(a));
	return rows_by_id(a, b);
}

int rows_by_guest(const struct times_row *a, const struct times_row *b)
{
	if (class_of(a) != class_of(b))
		return class_of(a) - class_of(b);
	if (a->ns[PLACE_GUEST] != b->ns[PLACE_GUEST])
		return compare_u64(b->ns[PLACE_GUEST], a->ns[PLACE_GUEST]);
	return rows_by_id(a, b);
}

static int compare_ids(const void *a, const void *b)
{
	return rows_by_id(a, b);
}

static struct times_row *add_row(struct rows *rows,
				 const struct times_row *wanted)
{
	struct times_row *r;

	if (array_room(&rows->row, &rows->room, rows->nr + 1, sizeof(*rows->row))) {
		log_oom();
		return NULL;
	}
	r = calloc(1, sizeof(*r));
	if (r)
		*r = (struct times_row) { .id = wanted->id,
			.named = wanted->named, .vm = wanted->vm,
			.vcpu = wanted->vcpu };
	if (!r || !tsearch(r, &rows->by_id, compare_ids)) {
		free(r);
		log_oom();
		return NULL;
	}
	rows->row[rows->nr++] = r;
	return r;
}

struct times_row *rows_find(const struct rows *rows,
			    const struct times_row *wanted)
{
	struct times_row **found = tfind(wanted, &rows->by_id, compare_ids);

	return found ? *found : NULL;
}

struct times_row *rows_get(struct rows *rows, const struct times_row *wanted)
{
	struct times_row *r = rows_find(rows, wanted);

	return r ? r : add_row(rows, wanted);
}

static int in_order(const void *a, const void *b, void *order)
{
	rows_order *by = order;

	return (*by)(*(struct times_row * const *)a,
		     *(struct times_row * const *)b);
}

void rows_sort(struct rows *rows, rows_order order)
{
	if (rows->nr)
		qsort_r(rows->row, rows->nr, sizeof(*rows->row), in_order,
			&order);
}

static int by_use(const struct times_row *a, const struct times_row *b)
{
	if (a->pinned != b->pinned)
		return a->pinned ? -1 : 1;
	return compare_u64(b->seen, a->seen);
}

/* The last one, whose times and entries @to gets */
static void remove_last(struct rows *rows, struct times_row *to)
{
	struct times_row *r = rows->row[--rows->nr];
	enum place p;

	for (p = 0; p < NR_PLACES; p++)
		to->ns[p] += r->ns[p];
	to->entries += r->entries;
	tdelete(r, &rows->by_id, compare_ids);
	free(r);
}

int rows_trim(struct rows *rows, unsigned int nr)
{
	const struct times_row wanted = { .id = TIMES_OTHERS };
	struct times_row *others = rows_get(rows, &wanted);
	unsigned int i;

	if (!others)
		return -1;
	others->pinned = true;
	rows_sort(rows, by_use);
	while (rows->nr > nr && !rows->row[rows->nr - 1]->pinned)
		remove_last(rows, others);
	for (i = 0; i < rows->nr; i++)
		rows->row[i]->pinned = false;
	return 0;
}

void rows_clear(struct rows *rows)
{
	unsigned int i;

	for (i = 0; i < rows->nr; i++) {
		rows->row[i]->entries = 0;
		memset(rows->row[i]->ns, 0, sizeof(rows->row[i]->ns));
	}
}

const char *place_name(enum place place)
{
	static const char * const names[NR_PLACES] = {
		[PLACE_TASK]	= "task",
		[PLACE_EL2]	= "el2",
		[PLACE_GUEST]	= "guest",
		[PLACE_IRQ]	= "irq",
		[PLACE_SOFTIRQ]	= "softirq",
		[PLACE_IDLE]	= "idle",
		[PLACE_UNKNOWN]	= "unknown",
	};

	return names[place];
}

bool place_is_host(enum place place)
{
	return place == PLACE_TASK || place == PLACE_IRQ || place == PLACE_SOFTIRQ ||
	       place == PLACE_IDLE;
}

bool times_row_empty(const struct times_row *r)
{
	unsigned int i;

	for (i = 0; i < NR_PLACES; i++) {
		if (r->ns[i])
			return false;
	}
	return !r->entries;
}

void rows_free(struct rows *rows)
{
	unsigned int i;

	for (i = 0; i < rows->nr; i++) {
		tdelete(rows->row[i], &rows->by_id, compare_ids);
		free(rows->row[i]);
	}
	free(rows->row);
}
