// SPDX-License-Identifier: GPL-2.0
/*
 * The run of a vCPU. See pfrun.h.
 */
#include "export/pfrun.h"

static void begin_instant(struct pftrack *t, const char *name, s32 task, u64 ts)
{
	pftrack_event(t, PF_INSTANT, pftrack_thread(t, task, NULL), ts);
	pftrack_name(t, name, "kvm");
}

void pfrun_lose(struct pfrun *r, struct pftrack *t)
{
	if (r->task && !r->flow) {
		begin_instant(t, "kvm_entry", r->task, r->entry);
		pftrack_send(t);
	}
	*r = (struct pfrun) { 0 };
}

void pfrun_enter(struct pfrun *r, struct pftrack *t, s32 task, u64 ts)
{
	pfrun_lose(r, t);
	*r = (struct pfrun) { .task = task, .entry = ts };
}

u64 pfrun_step(struct pfrun *r, struct pftrack *t, s32 task, u64 ts)
{
	/* a slice that waited may be of the run before */
	if (!r->task || r->task != task || ts < r->entry)
		return 0;
	if (!r->flow) {
		r->flow = pftrack_new_flow(t);
		begin_instant(t, "kvm_entry", r->task, r->entry);
		pftrack_flow(t, PF_STEP, r->flow);
		pftrack_send(t);
	}
	return r->flow;
}

void pfrun_exit(struct pfrun *r, struct pftrack *t, s32 task, u64 ts)
{
	u64 flow = r->task == task ? r->flow : 0;

	pfrun_lose(r, t);
	begin_instant(t, "kvm_exit", task, ts);
	if (flow)
		pftrack_flow(t, PF_LAST, flow);
	pftrack_send(t);
}
