// SPDX-License-Identifier: GPL-2.0
/*
 * Exports a file as a Perfetto trace. See perfetto.h.
 *
 * Perfetto makes a slice of each pair of hyp_enter and hyp_exit of a CPU, and
 * takes its reason from the name of an event between them. It does not support two
 * hyp_enter in a row. So, for each CPU:
 *
 *	OUTSIDE	--hyp_enter-->	INSIDE
 *	INSIDE	--hyp_exit-->	OUTSIDE	adds the event of the entry's reason,
 *					if the file had none
 *	INSIDE	--loss, trace_on, trace_off, hyp_enter-->
 *				OUTSIDE	adds that event, and a hyp_exit at the
 *					last event of EL2
 *	INSIDE	--host event-->	LEFT	if an event of EL2 has the same
 *					timestamp: INSIDE again
 *	LEFT	--later event-->	OUTSIDE	adds both at the time of the host event
 *
 * Added events have no fields. An entry after a guest's run gets no reason, as none of
 * Perfetto's would be right.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/fileprofile.h"
#include "export/perfetto.h"
#include "export/pfbundle.h"
#include "export/pfcalls.h"
#include "export/pfevent.h"
#include "export/pfout.h"
#include "export/pftrack.h"
#include "export/pfvcpu.h"
#include "lib/log.h"
#include "trace/clocksnap.h"
#include "trace/evdb.h"
#include "trace/evload.h"
#include "trace/merge.h"

/**
 * struct slice - EL2 on one CPU
 * @inside:	there was a hyp_enter
 * @named:	and an event that says why
 * @reason:	of the hyp_enter
 * @pid:	task of the last event
 * @last:	its time
 * @left:	it is LEFT
 * @left_at:	since this time
 */
struct slice {
	bool inside;
	bool named;
	enum ev_reason reason;
	s32 pid;
	u64 last;
	bool left;
	u64 left_at;
};

struct perfetto {
	const struct datr *d;
	FILE *out;
	struct evdb *db;
	struct pfevent *translator;
	struct pfout *packets;
	struct pfbundle *bundles;
	struct pftrack *tracks;
	struct pfvcpu *vcpus;
	struct pfcalls *calls;
	u64 shift;
	u64 last;
	struct slice slice[MAX_CPUS];
	struct perfetto_result *result;
};

static int add_bare(struct perfetto *p, unsigned int cpu, enum pf_bare id,
		    u64 ts)
{
	p->result->added++;
	return pfbundle_add(p->bundles, cpu,
			    pfevent_bare(p->translator, id, ts,
					 p->slice[cpu].pid));
}

static int name_slice(struct perfetto *p, unsigned int cpu, u64 ts)
{
	struct slice *s = &p->slice[cpu];

	if (!s->inside || s->named)
		return 0;
	switch (s->reason) {
	case REASON_HVC:
		return add_bare(p, cpu, PF_HOST_HCALL, ts);
	case REASON_SMC:
		return add_bare(p, cpu, PF_HOST_SMC, ts);
	case REASON_HOST_ABORT:
		return add_bare(p, cpu, PF_HOST_MEM_ABORT, ts);
	case REASON_GUEST_EXIT:
	case REASON_ERET_HOST:
	case REASON_ERET_GUEST:
	case REASON_OTHER:
		break;
	}
	return 0;
}

/* INSIDE, LEFT => OUTSIDE, without a hyp_exit in the file */
static int cut_slice(struct perfetto *p, unsigned int cpu)
{
	struct slice *s = &p->slice[cpu];
	u64 end = s->left ? s->left_at : s->last;

	if (!s->inside)
		return 0;
	if (name_slice(p, cpu, end))
		return -1;
	s->inside = false;
	return add_bare(p, cpu, PF_HYP_EXIT, end);
}

/* LEFT => OUTSIDE */
static int see_time(struct perfetto *p, unsigned int cpu, u64 ts)
{
	struct slice *s = &p->slice[cpu];

	return s->left && ts > s->left_at ? cut_slice(p, cpu) : 0;
}

/* What goes in front of the event */
static int before_event(struct perfetto *p, const struct merged *ev,
			enum ev_kind kind, u64 ts)
{
	switch (kind) {
	case EV_HYP_ENTER:
	case EV_TRACE_ON:
		return cut_slice(p, ev->cpu);
	case EV_HYP_EXIT:
		return name_slice(p, ev->cpu, ts);
	case EV_TRACE_OFF:
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
	case EV_HOST_HCALL:
	case EV_VCPU_ENTER:
	case EV_VCPU_EXIT:
	case EV_SCHED_SWITCH:
	case EV_IRQ_ENTRY:
	case EV_IRQ_EXIT:
	case EV_SOFTIRQ_ENTRY:
	case EV_SOFTIRQ_EXIT:
	case EV_HOST_MEM_ABORT:
	case EV_MEM_TRANSITION:
	case EV_GUEST_MEM:
	case EV_HYP_BOOT:
	case EV_FUNC_ENTRY:
	case EV_FUNC_EXIT:
	case EV_FUNCTION:
	case EV_STACK:
	case EV_OTHER:
		break;
	}
	return 0;
}

static int after_event(struct perfetto *p, const struct merged *ev,
		       enum ev_kind kind, enum ev_reason reason)
{
	struct slice *s = &p->slice[ev->cpu];

	switch (kind) {
	case EV_HYP_ENTER:
		s->inside = true;
		s->left = false;
		s->named = false;
		s->reason = reason;
		break;
	case EV_HYP_EXIT:
		s->inside = false;
		break;
	case EV_TRACE_OFF:
		return cut_slice(p, ev->cpu);
	case EV_TRACE_ON:
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
	case EV_HOST_HCALL:
	case EV_VCPU_ENTER:
	case EV_VCPU_EXIT:
	case EV_SCHED_SWITCH:
	case EV_IRQ_ENTRY:
	case EV_IRQ_EXIT:
	case EV_SOFTIRQ_ENTRY:
	case EV_SOFTIRQ_EXIT:
	case EV_HOST_MEM_ABORT:
	case EV_MEM_TRANSITION:
	case EV_GUEST_MEM:
	case EV_HYP_BOOT:
	case EV_FUNC_ENTRY:
	case EV_FUNC_EXIT:
	case EV_FUNCTION:
	case EV_STACK:
	case EV_OTHER:
		break;
	}
	return 0;
}

static int put_event(struct perfetto *p, const struct merged *ev, u64 ts,
		     enum pf_kind *pf)
{
	const struct proto *event;

	*pf = pfevent_translate(p->translator, &ev->ev, ev->cpu, ts, &event);
	if (*pf == PF_UNKNOWN) {
		p->result->left_out++;
		return 0;
	}
	p->result->events++;
	p->result->generic += *pf == PF_GENERIC;
	return pfbundle_add(p->bundles, ev->cpu, event);
}

static int export_host(struct perfetto *p, const struct merged *ev, u64 ts)
{
	struct slice *s = &p->slice[ev->cpu];
	enum pf_kind pf;

	if (s->inside && !s->left) {
		s->left = true;
		s->left_at = ts;
	}
	return put_event(p, ev, ts, &pf);
}

static int export_hyp(struct perfetto *p, const struct merged *ev, u64 ts)
{
	struct slice *s = &p->slice[ev->cpu];
	enum ev_reason reason;
	enum ev_kind kind = evdb_kind(p->db, &ev->ev, &reason);
	struct evdb_head h;
	enum pf_kind pf;

	if (evdb_head(p->db, &ev->ev, &h))
		s->pid = h.pid;
	if (before_event(p, ev, kind, ts) || pfcalls_event(p->calls, ev, ts) ||
	    put_event(p, ev, ts, &pf))
		return -1;
	s->last = ts;
	s->left = false;
	s->named |= pf == PF_REASON;
	return after_event(p, ev, kind, reason);
}

/* Events are missing, or cannot be read, before @ev */
static int export_loss(struct perfetto *p, const struct merged *ev, enum side side)
{
	p->result->losses += !!ev->lost;
	corrupt_take(&p->result->corrupt, ev);
	if (p->vcpus)
		pfvcpu_lose(p->vcpus, ev->cpu, p->last, side);
	if (side == HYP)
		pfcalls_lose(p->calls, ev->cpu);
	if (side == HYP && cut_slice(p, ev->cpu))
		return -1;
	return pfbundle_lost(p->bundles, ev->cpu);
}

/* What ends the walk after an error of the output */
#define OUT_FAILED	1

static int export_event(void *ctx, const struct merged *ev)
{
	struct perfetto *p = ctx;
	enum side side = datr_side(p->d, ev->buffer);
	u64 ts = ev->ev.ts + p->shift;

	if (ferror(p->out))
		return OUT_FAILED;
	if ((ev->lost || !ev->ev.data) && export_loss(p, ev, side))
		return -1;
	if (!ev->ev.data)
		return 0;
	p->last = ts;
	if (see_time(p, ev->cpu, ts) ||
	    (p->vcpus && pfvcpu_event(p->vcpus, ev, ts, side)))
		return -1;
	return side == HYP ? export_hyp(p, ev, ts) : export_host(p, ev, ts);
}

static void name_thread(void *ctx, s32 pid, const char *comm)
{
	if (pid)	/* not the idle tasks: there is one for each CPU */
		pftrack_thread(ctx, pid, comm);
}

/* vCPUs have slices if hyptrace stat could measure them */
static int open_vcpus(struct perfetto *p)
{
	if (!fileprofile_possible(p->d))
		return 0;
	p->vcpus = pfvcpu_new(p->db, p->tracks, datr_enabled(p->d, "sched/sched_switch"));
	return p->vcpus ? 0 : -1;
}

static int open_all(struct perfetto *p)
{
	p->db = evdb_load(p->d);
	p->packets = pfout_new(p->out);
	if (!p->db || !p->packets)
		return -1;
	p->bundles = pfbundle_new(p->packets);
	p->tracks = pftrack_new(p->packets);
	p->translator = pfevent_new(p->db);
	if (!p->bundles || !p->tracks || !p->translator)
		return -1;
	p->calls = pfcalls_new(p->db, p->tracks);
	if (!p->calls || evload_comms(p->d, name_thread, p->tracks))
		return -1;
	return open_vcpus(p);
}

static void close_all(struct perfetto *p)
{
	pfcalls_free(p->calls);
	pfvcpu_free(p->vcpus);
	pfevent_free(p->translator);
	pftrack_free(p->tracks);
	pfbundle_free(p->bundles);
	pfout_free(p->packets);
	evdb_free(p->db);
}

static int finish_all(struct perfetto *p)
{
	if (p->vcpus)
		pfvcpu_finish(p->vcpus, p->last);
	pfcalls_finish(p->calls);
	if (pftrack_finish(p->tracks) || pfbundle_finish(p->bundles))
		return -1;
	return pfout_finish(p->packets);
}

int perfetto_export(const struct datr *d, const struct cpulist *cpus, u64 shift,
		    FILE *out, struct perfetto_result *result)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return log_oom();
	p->d = d;
	p->out = out;
	p->shift = shift;
	p->result = result;
	memset(result, 0, sizeof(*result));
	ret = open_all(p);
	if (!ret)
		ret = merge_each(d, cpus, export_event, p);
	if (!ret)
		ret = finish_all(p);
	if (ret == OUT_FAILED)
		ret = 0;
	close_all(p);
	free(p);
	return ret;
}

/* The clock */

static int clock_shift(const struct datr *d, const char *clock, u64 *shift)
{
	struct clocksnap s;
	const char *text;
	unsigned int i;

	*shift = 0;
	if (!strcmp(clock, "boot"))
		return 0;
	for (i = 0; (text = datr_text(d, i)); i++) {
		if (clocksnap_parse(text, clock, &s))
			continue;
		*shift = s.boot - s.now;	/* modulo 2^64 */
		return 0;
	}
	return -1;
}

int perfetto_shift(const struct datr *d, const char *name, u64 *shift)
{
	const char *clock = "boot", *other;
	unsigned int i;

	for (i = 0; i < datr_nr_buffers(d); i++) {
		other = datr_buffer(d, i)->clock;
		if (i && strcmp(clock, other))
			return log_error("%s: its buffers have the clocks '%s' and '%s': expected one clock",
					 name, clock, other);
		clock = other;
	}
	if (clock_shift(d, clock, shift))
		return log_error("%s: cannot convert the timestamps of its clock '%s' to boot time: record again with -C boot",
				 name, clock);
	return 0;
}
