// SPDX-License-Identifier: GPL-2.0
/*
 * The history of pages. See pagestext.h.
 */
#include <limits.h>

#include "cmd/pagestext.h"
#include "lib/json.h"
#include "lib/util.h"
#include "lib/visible.h"

#define NAME_WIDTH	30

static void separate(FILE *out, unsigned int *nr)
{
	fputs((*nr)++ ? ",\n  " : "\n  ", out);
}

/* Counts */

static void text_counts(const char *name, const struct pagecheck_counts *n, FILE *out)
{
	fprintf(out, "%-*s %9llu %9llu %9llu %9llu\n", NAME_WIDTH, name, n->done,
		n->unknown, n->refused, n->illegal);
}

static void json_counts(const char *name, const struct pagecheck_counts *n, FILE *out)
{
	fprintf(out, "{\"name\": \"%s\", \"pages\": %llu, \"unknown\": %llu, \"refused\": %llu, \"illegal\": %llu}",
		name, n->done, n->unknown, n->refused, n->illegal);
}

static bool has_happened(const struct pagecheck_counts *n)
{
	return n->done || n->refused;
}

static bool is_empty(const struct pagecheck_counts *counts)
{
	enum page_op op;

	for (op = 0; op < NR_PAGE_OPS; op++) {
		if (has_happened(&counts[op]))
			return false;
	}
	return true;
}

void pagestext_counts(const struct pagecheck_counts *counts, bool json, FILE *out)
{
	unsigned int nr = 0;
	enum page_op op;

	if (json)
		fputs("{\"transitions\": [", out);
	else if (is_empty(counts))
		fputs("no transitions were recorded: outside of protected mode, EL2 makes none\n",
		      out);
	else
		fprintf(out, "%-*s %9s %9s %9s %9s\n", NAME_WIDTH, "TRANSITION", "pages",
			"unknown", "refused", "illegal");
	for (op = 0; op < NR_PAGE_OPS; op++) {
		if (!has_happened(&counts[op]))
			continue;
		if (json) {
			separate(out, &nr);
			json_counts(page_op_name(op), &counts[op], out);
		} else {
			text_counts(page_op_name(op), &counts[op], out);
		}
	}
	if (json)
		fputs("]}\n", out);
}

/* History */

static bool is_first_of_page(const struct pagehistory *h, size_t i)
{
	return !i || h->step[i - 1].pfn != h->step[i].pfn;
}

/* As text */

/* A state that only follows from the transition is in brackets */
static void text_states(const struct page_step *s, FILE *out)
{
	char before[PAGE_TEXT_SIZE], after[PAGE_TEXT_SIZE];

	page_text(&s->before, before);
	page_text(&s->after, after);
	if (s->event->ret)
		fprintf(out, "%s, refused: %d%s\n", before, s->event->ret,
			s->legal ? "" : ", illegal");
	else if (!s->legal)
		fprintf(out, "%s => %s, illegal\n", before, after);
	else
		fprintf(out, s->known ? "%s => %s\n" : "(%s) => %s\n", before, after);
}

static void text_step(const struct page_step *s, struct evdb *db, FILE *out)
{
	const struct page_event *ev = s->event;
	char task[64];

	fprintf(out, "[%03u] %5llu.%09llu %-*s ", ev->cpu, ev->ts / NSEC_PER_SEC,
		ev->ts % (u64)NSEC_PER_SEC, NAME_WIDTH, page_op_name(ev->change.op));
	visible_cell(out, ev->caller, -NAME_WIDTH, INT_MAX);
	snprintf(task, sizeof(task), " %s-%d ", evdb_comm(db, ev->pid), ev->pid);
	visible_cell(out, task, -NAME_WIDTH, INT_MAX);
	text_states(s, out);
}

static void text_history(const struct pagehistory *h, struct evdb *db, FILE *out)
{
	const struct page_step *s;
	size_t i;

	if (!h->nr)
		fputs("no transitions of these pages were recorded\n", out);
	for (i = 0; i < h->nr; i++) {
		s = &h->step[i];
		if (is_first_of_page(h, i))
			fprintf(out, "%sPAGE 0x%llx\n", i ? "\n" : "", s->pfn);
		text_step(s, db, out);
	}
}

/* As JSON */

static void json_step(const struct page_step *s, struct evdb *db, FILE *out)
{
	const struct page_event *ev = s->event;
	char before[PAGE_TEXT_SIZE], after[PAGE_TEXT_SIZE];

	page_text(&s->before, before);
	page_text(&s->after, after);
	fprintf(out, "{\"ts\": %llu, \"cpu\": %u, \"transition\": \"%s\", \"caller\": ", ev->ts,
		ev->cpu, page_op_name(ev->change.op));
	json_string(out, ev->caller);
	fprintf(out, ", \"pid\": %d, \"comm\": ", ev->pid);
	json_string(out, evdb_comm(db, ev->pid));
	fprintf(out, ", \"ret\": %d, \"before\": \"%s\", \"after\": \"%s\", \"known\": %s, \"legal\": %s}",
		ev->ret, before, after, s->known ? "true" : "false", s->legal ? "true" : "false");
}

static void json_history(const struct pagehistory *h, struct evdb *db, FILE *out)
{
	unsigned int pages = 0, steps = 0;
	size_t i;

	fputs("{\"pages\": [", out);
	for (i = 0; i < h->nr; i++) {
		if (is_first_of_page(h, i)) {
			if (pages)
				fputs("]}", out);
			separate(out, &pages);
			fprintf(out, "{\"pfn\": %llu, \"steps\": [", h->step[i].pfn);
			steps = 0;
		}
		separate(out, &steps);
		json_step(&h->step[i], db, out);
	}
	fputs(pages ? "]}]}\n" : "]}\n", out);
}

void pagestext_history(const struct pagehistory *h, struct evdb *db, bool json, FILE *out)
{
	if (json)
		json_history(h, db, out);
	else
		text_history(h, db, out);
}
