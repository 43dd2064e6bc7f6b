// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that may run a vCPU. See pfrunner.h.
 */
#include <sys/param.h>

#include "export/pfrunner.h"

static void put_cpu(struct pftrack *t, const struct pfplace *on)
{
	const struct evdb_value cpu = { .name = "cpu", .integer = on->cpu };

	pftrack_argument(t, &cpu);
}

static void write_begin(struct pftrack *t, const struct pfrunner *r)
{
	u64 flow = 0;

	if (r->place != PLACE_TASK)
		flow = pfrun_step(&r->on->run, t, r->pid, r->begun);
	pftrack_event(t, PF_BEGIN, r->track, r->begun);
	switch (r->place) {
	case PLACE_GUEST:
		pftrack_name(t, "guest", "guest");
		break;
	case PLACE_EL2:
		pftrack_name(t, pftrack_el2_name(r->on->reason), "EL2");
		break;
	case PLACE_TASK:
	case PLACE_IRQ:
	case PLACE_SOFTIRQ:
	case PLACE_IDLE:
	case PLACE_UNKNOWN:
	case NR_PLACES:
		pftrack_name(t, "host", "host");
		break;
	}
	put_cpu(t, r->on);
	if (flow)
		pftrack_flow(t, PF_STEP, flow);
	pftrack_send(t);
}

static void write_end(struct pftrack *t, const struct pfrunner *r, u64 ts)
{
	pftrack_event(t, PF_END, r->track, ts);
	pftrack_send(t);
}

/* Write what waits */
static void write_exit(struct pfrunner *r, struct pftrack *t, const struct pfexit *e)
{
	r->waiting = false;
	pftrack_event(t, PF_BEGIN, r->track, r->begun);
	pftrack_name(t, e ? e->name : "guest_exit", "exit");
	if (e)
		evdb_values(e->db, e->ev, pftrack_argument, t);
	pftrack_send(t);
	write_begin(t, r);
}

static void end_exit(struct pftrack *t, struct pfrunner *r, u64 ts)
{
	if (r->exit)
		write_end(t, r, ts);
	r->exit = false;
}

u64 pfrunner_hide(struct pfrunner *r, struct pftrack *t, u64 ts)
{
	u64 end = MAX(ts, r->begun);

	if (r->waiting)
		write_exit(r, t, NULL);
	write_end(t, r, end);
	r->on->shown = NULL;
	r->on = NULL;
	return end;
}

void pfrunner_show(struct pfrunner *r, struct pftrack *t, struct pfplace *on, u64 ts)
{
	if (r->on)
		pfrunner_hide(r, t, ts);
	if (on->place == PLACE_GUEST) {
		end_exit(t, r, ts);
	} else if (on->place == PLACE_EL2 && r->place == PLACE_GUEST) {
		r->exit = true;
		r->waiting = true;
	}
	r->place = on->place;
	r->begun = ts;
	r->on = on;
	on->shown = r;
	if (!r->waiting)
		write_begin(t, r);
}

void pfrunner_exit(struct pfrunner *r, struct pftrack *t, const struct pfexit *e)
{
	if (r->waiting)
		write_exit(r, t, e);
}

void pfrunner_end(struct pfrunner *r, struct pftrack *t, u64 ts)
{
	if (r->on)
		ts = pfrunner_hide(r, t, ts);
	end_exit(t, r, ts);
	r->place = PLACE_UNKNOWN;
	r->track = 0;
}

void pfrunner_run(struct pfrunner *r, struct pftrack *t, u64 track, u64 ts)
{
	if (track != r->track)
		pfrunner_end(r, t, ts);
	r->track = track;
	r->named = false;
}
