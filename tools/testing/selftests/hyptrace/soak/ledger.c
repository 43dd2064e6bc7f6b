// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts for each event; see ledger.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger.h"

static bool __printf(2, 3) wrong(struct ledger *l, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!l->wrong[0])
		vsnprintf(l->wrong, sizeof(l->wrong), fmt, args);
	va_end(args);
	return false;
}

static void *grown(void *list, size_t nr, size_t *room, size_t size)
{
	if (nr < *room)
		return list;

	*room = *room ? 2 * *room : 1024;
	list = realloc(list, *room * size);
	if (!list) {
		perror("soak");
		exit(EXIT_FAILURE);
	}
	return list;
}

void ledger_init(struct ledger *l, __u64 start)
{
	free(l->runs);
	free(l->resets);
	*l = (struct ledger){ .start = start, .end = start };
}

void ledger_add_run(struct ledger *l, const struct run *run)
{
	l->runs = grown(l->runs, l->nr_runs, &l->room, sizeof(*l->runs));
	l->runs[l->nr_runs++] = *run;
}

void ledger_add_reset(struct ledger *l, __u64 first)
{
	l->resets = grown(l->resets, l->nr_resets, &l->resets_room, sizeof(*l->resets));
	l->resets[l->nr_resets++] = first;
}

bool runs_of(const struct events *ev, int cpu, size_t *from, struct run *run)
{
	const struct event *first = &ev->list[*from];
	size_t i;

	if (*from == ev->nr)
		return false;

	for (i = *from + 1; i < ev->nr; i++) {
		const struct event *e = &ev->list[i];

		if (e->lost || e->uncounted || e->id != first->id + (i - *from))
			break;
	}
	*run = (struct run){
		.first = first->id,
		.nr = i - *from,
		.lost = first->lost,
		.uncounted = first->uncounted,
		.cpu = cpu,
	};
	*from = i;
	return true;
}

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/**
 * struct balance - progress of balancing the accounts
 * @l:		the ledger
 * @next:	the next number
 * @life:	number of resets before it
 * @sum:	sum of all so far
 * @seen:	events seen in the last life
 */
struct balance {
	struct ledger	*l;
	__u64		next;
	size_t		life;
	struct tally	sum;
	__u64		seen;
};

/* If there was a reset before number @id, it belongs to a later life */
static void pass_resets(struct balance *b, __u64 id)
{
	const struct ledger *l = b->l;

	for (; b->life < l->nr_resets && l->resets[b->life] <= id; b->life++) {
		b->sum.discarded += l->resets[b->life] - b->next;
		b->next = l->resets[b->life];
		b->seen = 0;
	}
}

/* The gap before @run must be as large as the loss that its reader was told of */
static bool balance_gap(struct balance *b, const struct run *run)
{
	__u64 gap = run->first - b->next;

	if (run->uncounted ? gap <= run->lost : gap != run->lost)
		return wrong(b->l, "%llu follows %llu, %llu%s reported lost; reset at %llu",
			     run->first, b->next - 1, run->lost,
			     run->uncounted ? " and some" : "",
			     b->life ? b->l->resets[b->life - 1] : 0);
	b->sum.lost += run->lost;
	b->sum.uncounted += gap - run->lost;
	return true;
}

/* A reset may be within a run: text is collected event by event */
static bool balance_run(struct balance *b, const struct run *run)
{
	__u64 end = run->first + run->nr;

	if (run->first < b->next)
		return wrong(b->l, "%llu was seen twice", run->first);
	if (end > b->l->end)
		return wrong(b->l, "%llu was seen, but %llu is the last one written", end - 1,
			     b->l->end - 1);

	pass_resets(b, run->first);
	if (!balance_gap(b, run))
		return false;
	b->next = run->first;
	while (b->next < end) {
		__u64 part = end;

		pass_resets(b, b->next);
		if (b->life < b->l->nr_resets && b->l->resets[b->life] < end)
			part = b->l->resets[b->life];
		b->sum.seen += part - b->next;
		b->seen += part - b->next;
		b->next = part;
	}
	return true;
}

/* Compare with the kernel's counters since the last reset */
static bool balance_stats(struct balance *b, const struct stats *stats)
{
	__u64 start = b->l->nr_resets ? b->l->resets[b->l->nr_resets - 1] : b->l->start;
	__u64 written = b->l->end - start;

	if (stats->entries || stats->bytes)
		return wrong(b->l, "%llu events of %llu bytes left in an empty buffer",
			     stats->entries, stats->bytes);
	if (stats->read != b->seen)
		return wrong(b->l, "%llu read as the kernel counts, %llu seen", stats->read,
			     b->seen);
	if (written != stats->read + stats->overrun + stats->dropped)
		return wrong(b->l, "%llu written, but %llu read, %llu overrun, %llu dropped",
			     written, stats->read, stats->overrun, stats->dropped);
	return true;
}

bool ledger_close(struct ledger *l, const struct stats *stats, struct tally *sum)
{
	struct balance b = { .l = l, .next = l->start };
	size_t i;

	if (l->wrong[0])
		return false;
	qsort(l->runs, l->nr_runs, sizeof(*l->runs), compare_runs);
	for (i = 0; i < l->nr_runs; i++) {
		if (!balance_run(&b, &l->runs[i]))
			return false;
	}
	pass_resets(&b, l->end);
	b.sum.last = l->end - b.next;
	if (b.sum.last > stats->dropped)
		return wrong(l, "the last %llu are missing, %llu dropped", b.sum.last,
			     stats->dropped);
	if (!balance_stats(&b, stats))
		return false;

	sum->written += l->end - l->start;
	sum->seen += b.sum.seen;
	sum->lost += b.sum.lost;
	sum->uncounted += b.sum.uncounted;
	sum->discarded += b.sum.discarded;
	sum->last += b.sum.last;
	return true;
}
