/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The virtual counters of guests.
 *
 * A guest's counter is that of the machine less CNTVOFF. All vCPUs of a VM have the same
 * CNTVOFF, and VMs of different ones: it is the counter's value at the VM's creation. The host
 * sets it by the hypercall __kvm_timer_set_cntvoff when a task begins to run a vCPU on a CPU,
 * and sets 0 for itself when that ends. So it also tells, in each mode, which tasks run the
 * vCPUs of one VM.
 */
#ifndef HYPTRACE_VCPUCLOCK_H
#define HYPTRACE_VCPUCLOCK_H

#include "lib/types.h"
#include "trace/evdb.h"

struct vcpuclocks;

/** vcpuclocks_new - Return: NULL with a message. */
struct vcpuclocks *vcpuclocks_new(void);
void vcpuclocks_free(struct vcpuclocks *v);

/**
 * vcpuclocks_feed - take an event of the hypervisor
 * @v:		what is known
 * @db:		the file's events
 * @ev:		any event; the events of a task must come in order
 *
 * Return: 0, or -1 with a message.
 */
int vcpuclocks_feed(struct vcpuclocks *v, struct evdb *db, const struct rbevent *ev);

/** vcpuclocks_offset - CNTVOFF of the vCPU that a task runs. Return: 0 if it is not known. */
u64 vcpuclocks_offset(const struct vcpuclocks *v, s32 pid);

/**
 * struct vcpuclock_run - a run of a vCPU begins or ends
 * @begins:	or else ends
 * @offset:	CNTVOFF of its VM
 * @vcpu:	its number, below MAX_CPUS
 */
struct vcpuclock_run {
	bool begins;
	u64 offset;
	unsigned int vcpu;
};

/**
 * vcpuclocks_run - whether a run of a vCPU begins or ends
 * @v:		what is known
 * @db:		the file's events
 * @ev:		any event of the hypervisor
 * @run:	the run
 *
 * Return: false also if it is not known of which VM the vCPU is.
 */
bool vcpuclocks_run(const struct vcpuclocks *v, struct evdb *db, const struct rbevent *ev,
		    struct vcpuclock_run *run);

/**
 * vcpuclocks_vm - CNTVOFF of the i-th VM, in the order in which they were seen
 *
 * Return: 0 if there is none.
 */
u64 vcpuclocks_vm(const struct vcpuclocks *v, size_t i);

#endif
