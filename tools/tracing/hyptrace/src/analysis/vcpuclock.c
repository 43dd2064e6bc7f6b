// SPDX-License-Identifier: GPL-2.0
/*
 * The virtual counters of guests. See vcpuclock.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/vcpuclock.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

#define NO_ID		UINT64_MAX

/**
 * struct vcpuclock - of the task of a vCPU
 * @pid:	the task
 * @offset:	its last CNTVOFF
 */
struct vcpuclock {
	s32 pid;
	u64 offset;
};

/**
 * struct vcpuclocks - what is known
 * @task:	the tasks
 * @nr_tasks:	entries of @task
 * @task_room:	and how many fit
 * @vm:		CNTVOFF of each VM
 * @nr_vms:	entries of @vm
 * @vm_room:	and how many fit
 * @id:		number of the hypercall, NO_ID as long as it was not seen
 */
struct vcpuclocks {
	struct vcpuclock *task;
	size_t nr_tasks;
	size_t task_room;
	u64 *vm;
	size_t nr_vms;
	size_t vm_room;
	u64 id;
};

struct vcpuclocks *vcpuclocks_new(void)
{
	struct vcpuclocks *v = calloc(1, sizeof(*v));

	if (v)
		v->id = NO_ID;
	else
		log_oom();
	return v;
}

void vcpuclocks_free(struct vcpuclocks *v)
{
	if (!v)
		return;
	free(v->task);
	free(v->vm);
	free(v);
}

static struct vcpuclock *find(const struct vcpuclocks *v, s32 pid)
{
	size_t i;

	for (i = 0; i < v->nr_tasks; i++) {
		if (v->task[i].pid == pid)
			return &v->task[i];
	}
	return NULL;
}

static int add_vm(struct vcpuclocks *v, u64 offset)
{
	size_t i;

	for (i = 0; i < v->nr_vms; i++) {
		if (v->vm[i] == offset)
			return 0;
	}
	if (array_room(&v->vm, &v->vm_room, v->nr_vms + 1, sizeof(*v->vm)))
		return log_oom();
	v->vm[v->nr_vms++] = offset;
	return 0;
}

static int set(struct vcpuclocks *v, s32 pid, u64 offset)
{
	struct vcpuclock *c = find(v, pid);

	if (!c) {
		if (array_room(&v->task, &v->task_room, v->nr_tasks + 1, sizeof(*c)))
			return log_oom();
		c = &v->task[v->nr_tasks++];
		c->pid = pid;
		c->offset = 0;
	}
	if (c->offset == offset)
		return 0;
	c->offset = offset;
	return add_vm(v, offset);
}

/* The text is only needed until the number is known */
static bool is_call(struct vcpuclocks *v, struct evdb *db, const struct rbevent *ev)
{
	const char *name;
	u64 id;

	if (!evdb_number(db, ev, "id", &id))
		return false;
	if (v->id != NO_ID)
		return id == v->id;
	name = evdb_word(db, ev, "id");
	if (!name || strcmp(name, "__kvm_timer_set_cntvoff"))
		return false;
	v->id = id;
	return true;
}

int vcpuclocks_feed(struct vcpuclocks *v, struct evdb *db, const struct rbevent *ev)
{
	enum ev_reason reason;
	u64 offset;

	if (evdb_kind(db, ev, &reason) != EV_HOST_HCALL || !is_call(v, db, ev) ||
	    !evdb_number(db, ev, "a1", &offset) || !offset)
		return 0;
	return set(v, evdb_pid(ev), offset);
}

u64 vcpuclocks_offset(const struct vcpuclocks *v, s32 pid)
{
	const struct vcpuclock *c = find(v, pid);

	return c ? c->offset : 0;
}

/* What is not handled at EL2 ends the run */
static bool is_handled(struct evdb *db, const struct rbevent *ev)
{
	u64 handled;

	return evdb_number(db, ev, "handled", &handled) && handled;
}

bool vcpuclocks_run(const struct vcpuclocks *v, struct evdb *db, const struct rbevent *ev,
		    struct vcpuclock_run *run)
{
	enum ev_reason reason;
	enum ev_kind kind = evdb_kind(db, ev, &reason);
	u64 vcpu;

	if ((kind != EV_VCPU_ENTER && kind != EV_VCPU_EXIT) ||
	    !evdb_number(db, ev, "vcpu", &vcpu) || vcpu >= MAX_CPUS ||
	    (kind == EV_VCPU_EXIT && is_handled(db, ev)))
		return false;
	run->begins = kind == EV_VCPU_ENTER;
	run->offset = vcpuclocks_offset(v, evdb_pid(ev));
	run->vcpu = vcpu;
	return run->offset;
}

u64 vcpuclocks_vm(const struct vcpuclocks *v, size_t i)
{
	return i < v->nr_vms ? v->vm[i] : 0;
}
