// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the transitions of pages. See pagerows.h.
 */
#include <stdlib.h>

#include "analysis/filepages.h"
#include "analysis/pagereplay.h"
#include "export/sqlpagerows.h"
#include "lib/log.h"

/**
 * struct pagerows - a recording being read
 * @recording:	the recording
 * @out:	gets the rows
 * @pages:	all transitions: what is known of a page depends on those of all CPUs
 * @replay:	replays them
 */
struct pagerows {
	struct query_recording *recording;
	struct cells *out;
	struct filepages pages;
	struct pagereplay *replay;
};

static void add_state(struct cells *out, const struct page *p)
{
	char text[PAGE_TEXT_SIZE];

	page_text(p, text);
	cells_copy(out, text);
}

static void add_guest(struct cells *out, const struct page_step *s)
{
	const struct page_change *c = &s->event->change;

	if (!page_op_of_guest(c->op)) {
		cells_null(out);
		cells_null(out);
		return;
	}
	cells_integer(out, c->vm);
	cells_integer(out, c->gfn + (s->pfn - s->event->pfn));
}

static int take_step(void *ctx, const struct page_step *s)
{
	struct pagerows *r = ctx;
	const struct page_event *ev = s->event;

	cells_integer(r->out, ev->cpu);
	cells_integer(r->out, ev->ts);
	cells_integer(r->out, s->pfn);
	cells_text(r->out, page_op_name(ev->change.op));
	cells_text(r->out, ev->caller);
	cells_integer(r->out, ev->pid);
	cells_text(r->out, evdb_comm(r->recording->db, ev->pid));
	add_guest(r->out, s);
	cells_integer(r->out, (long long)ev->ret);
	add_state(r->out, &s->before);
	add_state(r->out, &s->after);
	cells_integer(r->out, s->known);
	cells_integer(r->out, s->legal);
	return r->out->failed ? -1 : 0;
}

static void end(void *rows)
{
	struct pagerows *r = rows;

	pagereplay_free(r->replay);
	filepages_free(&r->pages);
	free(r);
}

static void *begin(const struct computed_table *t, struct query_recording *recording,
		   struct cells *out)
{
	struct pagerows *r = calloc(1, sizeof(*r));

	(void)t;
	if (!r) {
		log_oom();
		return NULL;
	}
	r->recording = recording;
	r->out = out;
	if (!filepages_read(recording->d, &r->pages)) {
		recording_corrupt(recording, &r->pages.corrupt);
		r->replay = pagereplay_new(r->pages.log, take_step, r);
		if (r->replay)
			return r;
	}
	end(r);
	return NULL;
}

static int step(void *rows)
{
	int ret = pagereplay_step(((struct pagerows *)rows)->replay);

	return ret < 0 ? -1 : !ret;
}

static const struct query_column columns[] = {
	RECORDING_COLUMN, CPU_COLUMN,
	{ "ts", "INTEGER", "timestamp, in ns" },
	{ "pfn", "INTEGER", "frame number of the page" },
	{ "transition", "TEXT", "name of the function at EL2" },
	{ "caller", "TEXT", "the host's hypercall, or why EL2 was entered" },
	PID_COLUMN, COMM_COLUMN,
	{ "vm", "INTEGER", "handle of the guest's VM, or NULL" },
	{ "gfn", "INTEGER", "frame number in the guest, or NULL" },
	{ "ret", "INTEGER", "0, or the error for which EL2 refused it" },
	{ "before", "TEXT", "whose the page was; if not known, what follows from the transition" },
	{ "after", "TEXT", "whose it is then" },
	{ "known", "INTEGER", "1 if the state before was known, else 0" },
	{ "legal", "INTEGER", "1 if that state allowed what EL2 did, else 0" },
	{ 0 }
};

const struct computed_table page_table = {
	.name = "page",
	.what = "a transition of a page between host, EL2 and guests: see hyptrace-pages(1)",
	.column = columns,
	.by = "transition",
	.begin = begin,
	.step = step,
	.end = end,
};
