// SPDX-License-Identifier: GPL-2.0
/*
 * Replays transitions. See pagereplay.h.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "analysis/pagereplay.h"
#include "lib/log.h"
#include "lib/util.h"

/**
 * struct page_entry - a page whose state is known, more or less
 * @pfn:	which
 * @page:	the state
 */
struct page_entry {
	u64 pfn;
	struct page page;
};

/* Pages that are not in the tree, of tsearch(), are in an unknown state */
struct pagereplay {
	const struct pagelog *log;
	size_t next;
	void *by_pfn;
	page_step_fn fn;
	void *ctx;
};

static int compare(const void *a, const void *b)
{
	return compare_u64(((const struct page_entry *)a)->pfn,
			   ((const struct page_entry *)b)->pfn);
}

static void forget_all(struct pagereplay *r)
{
	tdestroy(r->by_pfn, free);
	r->by_pfn = NULL;
}

static struct page_entry *find(struct pagereplay *r, u64 pfn)
{
	const struct page_entry wanted = { .pfn = pfn };
	struct page_entry **found = tfind(&wanted, &r->by_pfn, compare);

	return found ? *found : NULL;
}

static struct page_entry *get(struct pagereplay *r, u64 pfn)
{
	struct page_entry *e = find(r, pfn);

	if (e)
		return e;
	e = malloc(sizeof(*e));
	if (e)
		e->pfn = pfn;
	if (!e || !tsearch(e, &r->by_pfn, compare)) {
		free(e);
		log_oom();
		return NULL;
	}
	page_forget(&e->page);
	return e;
}

/*
 * EL2 has a reason to refuse. -EPERM says that it is the state of one of the pages. For a
 * page of a guest, it may also be the state of the place in the guest, which is not followed.
 */
static bool is_refusal_right(const struct page_step *s)
{
	const struct page_event *ev = s->event;

	return ev->ret != -EPERM || ev->nr != 1 || page_op_of_guest(ev->change.op) || !s->known ||
	       !page_allows(&s->before, &ev->change);
}

static int refuse(struct pagereplay *r, struct page_step *s)
{
	const struct page_entry *e = find(r, s->pfn);

	if (e)
		s->before = e->page;
	else
		page_forget(&s->before);
	s->after = s->before;
	s->known = page_known(&s->before);
	s->legal = is_refusal_right(s);
	return r->fn(r->ctx, s);
}

static int apply(struct pagereplay *r, struct page_step *s, u64 i)
{
	struct page_change c = s->event->change;
	struct page_entry *e = get(r, s->pfn);

	if (!e)
		return -1;
	c.gfn += i;
	s->known = page_known(&e->page);
	s->legal = page_apply(&e->page, &c, &s->before);
	s->after = e->page;
	return r->fn(r->ctx, s);
}

static bool is_small(const struct page_event *ev)
{
	return ev->nr <= PAGEREPLAY_MAX && ev->pfn <= UINT64_MAX - ev->nr;
}

static int take_event(struct pagereplay *r, const struct page_event *ev)
{
	struct page_step s = { .event = ev };
	int ret = 0;
	u64 i;

	if (ev->doubtful || (!ev->ret && !is_small(ev)))
		forget_all(r);
	for (i = 0; i < ev->nr && is_small(ev) && !ret; i++) {
		s.pfn = ev->pfn + i;
		ret = ev->ret ? refuse(r, &s) : apply(r, &s, i);
	}
	return ret;
}

struct pagereplay *pagereplay_new(const struct pagelog *l, page_step_fn fn, void *ctx)
{
	struct pagereplay *r = calloc(1, sizeof(*r));

	if (!r) {
		log_oom();
		return NULL;
	}
	*r = (struct pagereplay) { .log = l, .fn = fn, .ctx = ctx };
	return r;
}

int pagereplay_step(struct pagereplay *r)
{
	const struct page_event *ev = pagelog_event(r->log, r->next++);

	return ev ? take_event(r, ev) : 1;
}

void pagereplay_free(struct pagereplay *r)
{
	if (!r)
		return;
	forget_all(r);
	free(r);
}

int pagereplay_run(const struct pagelog *l, page_step_fn fn, void *ctx)
{
	struct pagereplay *r = pagereplay_new(l, fn, ctx);
	int ret = r ? 0 : -1;

	while (!ret)
		ret = pagereplay_step(r);
	pagereplay_free(r);
	return ret > 0 ? 0 : ret;
}
