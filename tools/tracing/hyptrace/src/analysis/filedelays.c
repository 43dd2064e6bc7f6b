// SPDX-License-Identifier: GPL-2.0
/*
 * The delays in a file. See filedelays.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/eventlabel.h"
#include "analysis/filedelays.h"
#include "lib/log.h"
#include "trace/merge.h"

/**
 * struct delays_reading - a file being read
 * @f:		the result
 * @useless:	events that tell nothing, since their counterparts were not recorded
 * @events:	reads events
 * @delays:	finds delays
 * @merge:	the events
 */
struct delays_reading {
	struct filedelays *f;
	bool useless[NR_WHY_EVENTS];
	struct eventlabel *events;
	struct delays *delays;
	struct merge *merge;
};

static void id_of(enum why_event ev, char *id, size_t size)
{
	const struct why_source *s = whyevents_source(ev);

	snprintf(id, size, "%s/%s", s->system, s->name);
}

static bool is_recorded(const struct datr *d, enum why_event ev)
{
	char id[64];

	id_of(ev, id, sizeof(id));
	return datr_enabled(d, id);
}

const char *filedelays_missing(const struct filedelays *f, enum why_event ev)
{
	return is_recorded(f->d, ev) ? NULL : whyevents_source(ev)->without;
}

static int check_recorded(const struct datr *d)
{
	static const enum why_event needed[] = { WHY_HYP_ENTER, WHY_HYP_EXIT, WHY_SWITCH };
	char id[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(needed); i++) {
		if (is_recorded(d, needed[i]))
			continue;
		id_of(needed[i], id, sizeof(id));
		return log_error("%s: %s was %s: expected a file of hyptrace record that has it, without a filter",
				 datr_name(d), id,
				 datr_filtered(d, id) ? "filtered" : "not recorded");
	}
	return 0;
}

/* What EL2 does lasts until its next event, but functions are called meanwhile */
static bool is_function(const struct delays_reading *r, const struct merged *ev, enum side side)
{
	enum ev_reason reason;

	return side == HYP && ev_kind_is_stateless(evdb_kind(r->f->db, &ev->ev, &reason));
}

static int take_event(void *ctx, const struct merged *ev)
{
	struct delays_reading *r = ctx;
	enum side side = datr_side(r->f->d, ev->buffer);
	struct delay_event out;

	corrupt_take(&r->f->corrupt, ev);
	if (!ev->ev.data)
		return delays_lose(r->delays, ev->cpu, side, ev->ev.ts);
	if (is_function(r, ev, side))
		return ev->lost ? delays_lose(r->delays, ev->cpu, side, ev->ev.ts) : 0;
	if (eventlabel_read(r->events, ev, &out, side))
		return -1;
	if (r->useless[out.kind])
		out.kind = WHY_OTHER;
	return delays_feed(r->delays, &out);
}

/* A begin without an end, or the other way round */
static void find_useless(struct delays_reading *r)
{
	static const enum why_event pairs[][2] = {
		{ WHY_IRQ_ENTRY, WHY_IRQ_EXIT }, { WHY_SOFTIRQ_ENTRY, WHY_SOFTIRQ_EXIT },
		{ WHY_IPI_ENTRY, WHY_IPI_EXIT }, { WHY_SYS_ENTER, WHY_SYS_EXIT },
		{ WHY_LOCK_BEGIN, WHY_LOCK_END },
	};
	unsigned int i;
	bool both;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		both = is_recorded(r->f->d, pairs[i][0]) && is_recorded(r->f->d, pairs[i][1]);
		r->useless[pairs[i][0]] = !both;
		r->useless[pairs[i][1]] = !both;
	}
}

static int prepare(struct delays_reading *r, delay_fn fn, void *ctx)
{
	struct filedelays *f = r->f;
	struct delays_known known;

	if (check_recorded(f->d))
		return -1;
	find_useless(r);
	known.calls = !r->useless[WHY_SYS_ENTER];
	known.user = is_recorded(f->d, WHY_USERSPACE_EXIT);
	f->db = evdb_load(f->d);
	f->labels = labels_new();
	if (!f->db || !f->labels)
		return -1;
	r->events = eventlabel_new(f->db, f->labels);
	r->delays = delays_new(&known, fn, ctx);
	/* of all CPUs: a task may be on any of them */
	r->merge = merge_new(f->d, NULL);
	return r->events && r->delays && r->merge ? 0 : -1;
}

struct delays_reading *filedelays_begin(const struct datr *d, delay_fn fn, void *ctx)
{
	struct delays_reading *r = calloc(1, sizeof(*r));

	if (r)
		r->f = calloc(1, sizeof(*r->f));
	if (!r || !r->f) {
		log_oom();
		free(r);
		return NULL;
	}
	r->f->d = d;
	if (!prepare(r, fn, ctx))
		return r;
	filedelays_end(r);
	return NULL;
}

int filedelays_step(struct delays_reading *r)
{
	int ret = merge_some(r->merge, take_event, r);

	if (!ret)
		delays_finish(r->delays, &r->f->result);
	return ret;
}

const struct filedelays *filedelays_so_far(const struct delays_reading *r)
{
	return r->f;
}

/* All but the result */
static void free_reading(struct delays_reading *r)
{
	merge_free(r->merge);
	delays_free(r->delays);
	eventlabel_free(r->events);
	free(r);
}

void filedelays_end(struct delays_reading *r)
{
	if (!r)
		return;
	filedelays_free(r->f);
	free_reading(r);
}

/* The longest ones */

static int take_delay(void *ctx, struct delay *d)
{
	return worst_feed(ctx, d);
}

struct filedelays *filedelays_read(const struct datr *d, const struct worst_rule *rule)
{
	struct worst *worst = worst_new(rule);
	struct delays_reading *r = worst ? filedelays_begin(d, take_delay, worst) : NULL;
	struct filedelays *f;
	int ret;

	if (!r) {
		worst_free(worst);
		return NULL;
	}
	do {
		ret = filedelays_step(r);
	} while (ret > 0);
	f = r->f;
	f->worst = worst;
	free_reading(r);
	if (!ret) {
		worst_sort(worst);
		return f;
	}
	filedelays_free(f);
	return NULL;
}

void filedelays_free(struct filedelays *f)
{
	if (!f)
		return;
	worst_free(f->worst);
	labels_free(f->labels);
	evdb_free(f->db);
	free(f);
}
