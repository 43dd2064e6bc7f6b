// SPDX-License-Identifier: GPL-2.0
/*
 * Where faults are. See pageheat.h.
 *
 * Where events were lost, a vCPU may have been entered again. So no fault that began before
 * is measured.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pageheat.h"
#include "lib/log.h"
#include "trace/evdb.h"
#include "trace/merge.h"

/* Bits of a key: a block of at most 52 - 21 bits, a VM of 32 bits, and whether it has one */
#define BLOCK_SHIFT	21
#define BLOCK_MASK	0x7fffffffULL
#define VM_SHIFT	31
#define GUEST_BIT	(1ULL << 63)

/* ESR_EL2.EC of aborts from a lower exception level */
#define CLASS_SHIFT	26
#define CLASS_MASK	0x3f
#define IABT_LOW	0x20
#define DABT_LOW	0x24

/* HPFAR_EL2 has bits 51..12 of the address in its bits 43..4 */
#define HPFAR_MASK	0xffffffffff0ULL
#define HPFAR_SHIFT	8

/**
 * struct vcpu_fault - a vCPU, and the fault that it is in
 * @vm:		its VM
 * @vcpu:	its number there
 * @pid:	the task that runs it
 * @open:	it is in a fault
 * @key:	where
 * @start:	since when, ns
 * @epoch:	losses before
 */
struct vcpu_fault {
	u32 vm;
	u32 vcpu;
	s32 pid;
	bool open;
	u64 key;
	u64 start;
	u64 epoch;
};

/**
 * struct heat_cpu - a CPU
 * @at_el2:	it is at EL2, since @entry
 * @entry:	timestamp
 * @fault:	the host faults, at @key
 * @key:	where
 * @lost:	there is a corrupt place before the next event
 */
struct heat_cpu {
	bool at_el2;
	u64 entry;
	bool fault;
	u64 key;
	bool lost;
};

/**
 * struct heat_reading - a file being read
 * @vcpus:	a tree of struct vcpu_fault, of tsearch()
 * @epoch:	how often events were lost
 */
struct heat_reading {
	struct pageheat *h;
	const struct datr *d;
	struct evdb *db;
	const struct cpulist *cpus;
	void *vcpus;
	u64 epoch;
	struct heat_cpu cpu[MAX_CPUS];
};

static u64 key_of_host(u64 address)
{
	return address >> BLOCK_SHIFT & BLOCK_MASK;
}

static u64 key_of_guest(u32 vm, u64 address)
{
	return GUEST_BIT | (u64)vm << VM_SHIFT | (address >> BLOCK_SHIFT & BLOCK_MASK);
}

struct pageheat_block pageheat_block(const struct dist *d)
{
	u64 key = dist_key(d);

	return (struct pageheat_block) {
		.guest = key & GUEST_BIT,
		.vm = key >> VM_SHIFT,
		.address = (key & BLOCK_MASK) << BLOCK_SHIFT,
	};
}

static int measure(struct heat_reading *r, u64 key, u64 ns)
{
	struct dist *d = dists_get(r->h->blocks, key);

	return d ? dist_add(d, ns) : -1;
}

/* Guests */

static int compare(const void *a, const void *b)
{
	const struct vcpu_fault *x = a, *y = b;

	if (x->vm != y->vm)
		return compare_u64(x->vm, y->vm);
	if (x->vcpu != y->vcpu)
		return compare_u64(x->vcpu, y->vcpu);
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static struct vcpu_fault *get_vcpu(struct heat_reading *r, const struct rbevent *ev)
{
	const struct vcpu_fault wanted = {
		.vm = evdb_field(r->db, ev, "vm"), .vcpu = evdb_field(r->db, ev, "vcpu"),
		.pid = evdb_pid(ev),
	};
	struct vcpu_fault **found = tfind(&wanted, &r->vcpus, compare), *v;

	if (found)
		return *found;
	v = malloc(sizeof(*v));
	if (v)
		*v = wanted;
	if (!v || !tsearch(v, &r->vcpus, compare)) {
		free(v);
		log_oom();
		return NULL;
	}
	return v;
}

static bool is_abort(struct heat_reading *r, const struct rbevent *ev)
{
	u64 class = evdb_field(r->db, ev, "esr") >> CLASS_SHIFT & CLASS_MASK;

	return class == IABT_LOW || class == DABT_LOW;
}

static int vcpu_exit(struct heat_reading *r, const struct heat_cpu *c, const struct merged *ev)
{
	struct vcpu_fault *v;
	u64 address;

	if (!is_abort(r, &ev->ev))
		return 0;
	v = get_vcpu(r, &ev->ev);
	if (!v)
		return -1;
	r->h->unmeasured += v->open || !c->at_el2;
	address = (evdb_field(r->db, &ev->ev, "hpfar") & HPFAR_MASK) << HPFAR_SHIFT;
	v->open = c->at_el2;
	v->key = key_of_guest(v->vm, address);
	v->start = c->entry;
	v->epoch = r->epoch;
	return 0;
}

static int vcpu_enter(struct heat_reading *r, const struct merged *ev)
{
	struct vcpu_fault *v = get_vcpu(r, &ev->ev);

	if (!v)
		return -1;
	if (!v->open)
		return 0;
	v->open = false;
	if (v->epoch == r->epoch)
		return measure(r, v->key, ev->ev.ts - v->start);
	r->h->unmeasured++;
	return 0;
}

/* All */

static void forget(struct heat_reading *r, struct heat_cpu *c)
{
	r->h->unmeasured += c->fault;
	c->fault = false;
	c->at_el2 = false;
	r->epoch++;
}

static int hyp_exit(struct heat_reading *r, struct heat_cpu *c, u64 ts)
{
	bool fault = c->fault;

	c->fault = false;
	c->at_el2 = false;
	return fault ? measure(r, c->key, ts - c->entry) : 0;
}

static void host_abort(struct heat_reading *r, struct heat_cpu *c, const struct merged *ev)
{
	c->fault = c->at_el2;
	c->key = key_of_host(evdb_field(r->db, &ev->ev, "addr"));
	r->h->unmeasured += !c->at_el2;
}

static int take(struct heat_reading *r, struct heat_cpu *c, const struct merged *ev)
{
	bool chosen = !r->cpus || cpulist_has(r->cpus, ev->cpu);
	enum ev_reason reason;

	switch (evdb_kind(r->db, &ev->ev, &reason)) {
	case EV_HYP_ENTER:
		c->at_el2 = true;
		c->entry = ev->ev.ts;
		break;
	case EV_HYP_EXIT:
		return hyp_exit(r, c, ev->ev.ts);
	case EV_HOST_MEM_ABORT:
		if (chosen)
			host_abort(r, c, ev);
		break;
	case EV_VCPU_EXIT:
		return chosen ? vcpu_exit(r, c, ev) : 0;
	case EV_VCPU_ENTER:
		return vcpu_enter(r, ev);
	case EV_TRACE_ON:
		forget(r, c);
		break;
	case EV_TRACE_OFF:
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
	case EV_HOST_HCALL:
	case EV_MEM_TRANSITION:
	case EV_GUEST_MEM:
	case EV_HYP_BOOT:
	case EV_SCHED_SWITCH:
	case EV_IRQ_ENTRY:
	case EV_IRQ_EXIT:
	case EV_SOFTIRQ_ENTRY:
	case EV_SOFTIRQ_EXIT:
	case EV_FUNC_ENTRY:
	case EV_FUNC_EXIT:
	case EV_FUNCTION:
	case EV_STACK:
	case EV_OTHER:
		break;
	}
	return 0;
}

static int take_event(void *ctx, const struct merged *ev)
{
	struct heat_reading *r = ctx;
	struct heat_cpu *c = &r->cpu[ev->cpu];

	corrupt_take(&r->h->corrupt, ev);
	if (datr_side(r->d, ev->buffer) != HYP)
		return 0;
	if (ev->lost || c->lost)
		forget(r, c);
	c->lost = !ev->ev.data;
	return c->lost ? 0 : take(r, c, ev);
}

static void count_open(const void *node, VISIT which, void *ctx)
{
	const struct vcpu_fault *v = *(struct vcpu_fault * const *)node;
	struct heat_reading *r = ctx;

	if (which == postorder || which == leaf)
		r->h->unmeasured += v->open;
}

static void finish(struct heat_reading *r)
{
	unsigned int i;

	for (i = 0; i < MAX_CPUS; i++)
		r->h->unmeasured += r->cpu[i].fault;
	twalk_r(r->vcpus, count_open, r);
	dists_sort(r->h->blocks);
}

static int check_recorded(const struct datr *d)
{
	bool entries = datr_enabled(d, "hypervisor/hyp_enter") &&
		       datr_enabled(d, "hypervisor/hyp_exit");
	bool host = datr_enabled(d, "hypervisor/host_mem_abort");
	bool guests = datr_enabled(d, "hypervisor/vcpu_enter") &&
		      datr_enabled(d, "hypervisor/vcpu_exit");

	if (entries && (host || guests))
		return 0;
	return log_error("%s: faults were not recorded: expected a file of hyptrace record that has hyp_enter, hyp_exit, and host_mem_abort or vcpu_enter and vcpu_exit, without a filter",
			 datr_name(d));
}

static int read_events(struct heat_reading *r, struct datr *d)
{
	r->db = evdb_load(d);
	r->h->blocks = dists_new(false);
	if (!r->db || !r->h->blocks || merge_each(d, NULL, take_event, r))
		return -1;
	finish(r);
	return 0;
}

int pageheat_read(struct pageheat *h, struct datr *d, const struct cpulist *cpus)
{
	struct heat_reading *r;
	int ret;

	memset(h, 0, sizeof(*h));
	if (check_recorded(d))
		return -1;
	r = calloc(1, sizeof(*r));
	if (!r)
		return log_oom();
	r->h = h;
	r->d = d;
	r->cpus = cpus;
	ret = read_events(r, d);
	tdestroy(r->vcpus, free);
	evdb_free(r->db);
	free(r);
	return ret;
}

void pageheat_free(struct pageheat *h)
{
	dists_free(h->blocks);
}
