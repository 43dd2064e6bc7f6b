// SPDX-License-Identifier: GPL-2.0
/*
 * Fits the recording of a guest to that of its host. See guestfit.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/guestfit.h"
#include "analysis/vcpuclock.h"
#include "lib/log.h"
#include "trace/counterpair.h"

/**
 * struct fit - a fit in progress
 * @host:	recording of the host
 * @db:		its events, or NULL
 * @clocks:	its VMs, or NULL
 * @host_clock:	its clock
 * @guest_clock: the guest's
 */
struct fit {
	struct datr *host;
	struct evdb *db;
	struct vcpuclocks *clocks;
	struct counterline host_clock;
	struct counterline guest_clock;
};

/* Clocks */

static int read_clock(const struct datr *d, struct counterline *l)
{
	if (!counterline_read(d, l))
		return 0;
	return log_error("%s: its clock cannot be related to the counter: expected a recording that was made on arm64 with --clock=%s",
			 datr_name(d), COUNTERPAIR_CLOCK);
}

/* Of a recording that does not relate it to the counter itself */
static int check_clock(const struct datr *d)
{
	const char *clock = datr_nr_buffers(d) ? datr_buffer(d, 0)->clock : "";

	if (!strcmp(clock, COUNTERPAIR_CLOCK))
		return 0;
	return log_error("%s: its clock is '%s': expected %s", datr_name(d), clock,
			 COUNTERPAIR_CLOCK);
}

static int read_clocks(struct fit *f, const struct datr *guest, const struct datr *clock)
{
	u64 host_hz, guest_hz;

	if (read_clock(f->host, &f->host_clock) || read_clock(clock, &f->guest_clock) ||
	    (clock != guest && check_clock(guest)))
		return -1;
	host_hz = f->host_clock.first.frequency;
	guest_hz = f->guest_clock.first.frequency;
	if (host_hz == guest_hz)
		return 0;
	return log_error("%s: the counter has %llu Hz, in %s %llu Hz: expected a guest of that machine",
			 datr_name(guest), guest_hz, datr_name(f->host), host_hz);
}

/* The difference of the clocks at a moment is in this range */
struct range {
	long long from;
	long long to;
};

static struct range difference(const struct fit *f, const struct counterpair *p, u64 cntvoff)
{
	struct range r;

	counterline_clock(&f->host_clock, p->counter + cntvoff, &r.from, &r.to);
	r.from -= p->to;
	r.to -= p->from;
	return r;
}

/* What both have in common; if there is nothing, the rates differ, and it is in between */
static struct range join(struct range a, struct range b)
{
	struct range r = { MAX(a.from, b.from), MIN(a.to, b.to) };

	if (r.from > r.to)
		r = (struct range) { MIN(a.from, b.from), MAX(a.to, b.to) };
	return r;
}

static void relate(const struct fit *f, struct datr_guest *g, u64 cntvoff)
{
	struct range r = join(difference(f, &f->guest_clock.first, cntvoff),
			      difference(f, &f->guest_clock.last, cntvoff));

	g->cntvoff = cntvoff;
	g->shift = r.from + (r.to - r.from) / 2;
	g->error = (r.to - r.from + 1) / 2;
}

/* VMs */

static int take_event(void *ctx, const struct merged *ev)
{
	struct fit *f = ctx;

	if (!ev->ev.data || merged_side(f->host, ev) != HYP)
		return 0;
	return vcpuclocks_feed(f->clocks, f->db, &ev->ev);
}

static int read_vms(struct fit *f)
{
	f->db = evdb_load(f->host);
	f->clocks = vcpuclocks_new();
	if (!f->db || !f->clocks || merge_each(f->host, NULL, take_event, f))
		return -1;
	if (vcpuclocks_vm(f->clocks, 0))
		return 0;
	return log_error("%s: no hypercall __kvm_timer_set_cntvoff of a vCPU: expected all hypervisor events, recorded while the guest ran",
			 datr_name(f->host));
}

struct world {
	struct guestcheck *check;
	struct evdb *db;
};

static int check_event(void *ctx, const struct merged *ev)
{
	const struct world *w = ctx;

	return guestcheck_feed(w->check, w->db, ev);
}

/* Check the times of @g as a guest of the host */
static int check_attached(struct fit *f, struct guestcheck_result *result)
{
	unsigned int last = datr_nr_guests(f->host) - 1;
	struct world w = { guestcheck_new(f->host, NULL), f->db };
	int ret = w.check ? merge_each_world(f->host, check_event, &w) : -1;

	if (!ret)
		guestcheck_finish(w.check, last, result);
	guestcheck_free(w.check);
	return ret;
}

static int check_guest(struct fit *f, const struct datr_guest *g, struct guestcheck_result *result)
{
	int ret;

	if (datr_attach(f->host, g))
		return -1;
	ret = check_attached(f, result);
	datr_detach(f->host);
	return ret;
}

static u64 inside(const struct guestcheck_result *r)
{
	return r->events - r->violations;
}

/**
 * struct best - the VM that fits best
 * @g:		the guest as a guest of this VM
 * @result:	where its events lie
 * @tie:	another one fits as well
 */
struct best {
	struct datr_guest g;
	struct guestcheck_result result;
	bool tie;
};

static int try(struct fit *f, u64 cntvoff, struct best *best)
{
	struct datr_guest g = best->g;
	struct guestcheck_result r;

	relate(f, &g, cntvoff);
	if (check_guest(f, &g, &r))
		return -1;
	if (inside(&r) == inside(&best->result))
		best->tie = true;
	if (inside(&r) > inside(&best->result))
		*best = (struct best) { g, r, false };
	return 0;
}

static int try_all(struct fit *f, struct best *best)
{
	u64 cntvoff;
	size_t i;

	for (i = 0; (cntvoff = vcpuclocks_vm(f->clocks, i)); i++) {
		if (try(f, cntvoff, best))
			return -1;
	}
	return 0;
}

static int try_task(struct fit *f, s32 task, struct best *best)
{
	u64 cntvoff = vcpuclocks_offset(f->clocks, task);

	if (!cntvoff)
		return log_error("%s: task %d ran no vCPU: expected a task that did",
				 datr_name(f->host), task);
	return try(f, cntvoff, best);
}

static int judge(const struct fit *f, const struct best *best)
{
	const struct guestcheck_result *r = &best->result;
	const char *host = datr_name(f->host), *guest = datr_name(best->g.d);

	if (!inside(r))
		return log_error("%s: no event of it is within a run of a vCPU in %s: expected a guest that ran during that recording",
				 guest, host);
	if (best->tie)
		return log_error("%s: it fits to more than one VM of %s: expected --task, a task that runs one of its vCPUs",
				 guest, host);
	if (r->violations > inside(r))
		return log_error("%s: %llu of %llu events are outside of the runs of the vCPUs in %s: expected a guest of that machine",
				 guest, r->violations, r->events, host);
	return 0;
}

static int find(struct fit *f, struct datr_guest *g, const struct datr *clock, s32 task,
		struct guestcheck_result *result)
{
	struct best best = { .g = *g };

	if (read_clocks(f, g->d, clock) || read_vms(f))
		return -1;
	if ((task ? try_task(f, task, &best) : try_all(f, &best)) || judge(f, &best))
		return -1;
	*g = best.g;
	*result = best.result;
	return 0;
}

int guestfit_find(struct datr *host, struct datr_guest *g, const struct datr *clock, s32 task,
		  struct guestcheck_result *result)
{
	struct fit f = { .host = host };
	int ret = find(&f, g, clock, task, result);

	vcpuclocks_free(f.clocks);
	evdb_free(f.db);
	return ret;
}
