// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the transitions of pages. See pagecheck.h.
 */
#include "analysis/pagecheck.h"
#include "analysis/pagereplay.h"

struct pagecheck {
	const struct cpulist *cpus;
	struct violations *v;
	struct pagecheck_counts *counts;
};

static void tell(const struct pagecheck *k, const struct page_step *s)
{
	const struct page_event *ev = s->event;
	char was[PAGE_TEXT_SIZE];

	page_text(&s->before, was);
	violations_add(k->v, ev->cpu, ev->ts, "%s of page 0x%llx%s, which was: %s",
		       page_op_name(ev->change.op), s->pfn, ev->ret ? " refused" : "", was);
}

static int take_step(void *ctx, const struct page_step *s)
{
	const struct pagecheck *k = ctx;
	struct pagecheck_counts *n = &k->counts[s->event->change.op];

	if (k->cpus && !cpulist_has(k->cpus, s->event->cpu))
		return 0;
	n->refused += s->event->ret != 0;
	n->done += !s->event->ret;
	n->unknown += !s->event->ret && !s->known;
	n->illegal += !s->legal;
	if (!s->legal && k->v)
		tell(k, s);
	return 0;
}

int pagecheck_run(const struct pagelog *l, const struct cpulist *cpus,
		  struct violations *v, struct pagecheck_counts *counts)
{
	struct pagecheck k = { .cpus = cpus, .v = v, .counts = counts };

	return pagereplay_run(l, take_step, &k);
}

struct pagecheck_counts pagecheck_sum(const struct pagecheck_counts *counts)
{
	struct pagecheck_counts sum = { 0 };
	enum page_op op;

	for (op = 0; op < NR_PAGE_OPS; op++) {
		sum.done += counts[op].done;
		sum.unknown += counts[op].unknown;
		sum.illegal += counts[op].illegal;
		sum.refused += counts[op].refused;
	}
	return sum;
}
