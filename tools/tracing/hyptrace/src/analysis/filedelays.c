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
 */
struct delays_reading {
	struct filedelays *f;
	bool useless[NR_WHY_EVENTS];
	struct eventlabel *events;
	struct delays *delays;
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

static int take_delay(void *ctx, struct delay *d)
{
	struct delays_reading *r = ctx;

	return worst_feed(r->f->worst, d);
}

/* What EL2 does lasts until its next event, but functions are called meanwhile */
static bool is_function(const struct delays_reading *r, const struct merged *ev, enum side side)
{
	enum ev_reason reason;

	return side == HYP && ev_kind_is_ftrace(evdb_kind(r->f->db, &ev->ev, &reason));
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

static int prepare(struct delays_reading *r, const struct worst_rule *rule)
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
	f->worst = worst_new(rule);
	if (!f->db || !f->labels || !f->worst)
		return -1;
	r->events = eventlabel_new(f->db, f->labels);
	r->delays = delays_new(&known, take_delay, r);
	return r->events && r->delays ? 0 : -1;
}

static int read_all(struct delays_reading *r, const struct worst_rule *rule)
{
	/* of all CPUs: a task may be on any of them */
	if (prepare(r, rule) || merge_each(r->f->d, NULL, take_event, r))
		return -1;
	delays_finish(r->delays, &r->f->result);
	worst_sort(r->f->worst);
	return 0;
}

struct filedelays *filedelays_read(const struct datr *d, const struct worst_rule *rule)
{
	struct delays_reading r = { .f = calloc(1, sizeof(*r.f)) };
	int ret;

	if (!r.f) {
		log_oom();
		return NULL;
	}
	r.f->d = d;
	ret = read_all(&r, rule);
	delays_free(r.delays);
	eventlabel_free(r.events);
	if (!ret)
		return r.f;
	filedelays_free(r.f);
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
