/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The run of a vCPU by its task in the host, from kvm_entry to kvm_exit. In a Perfetto
 * trace, a flow leads from the one, an instant of the task, through the slices of its vCPU
 * at EL2 and in the guest to the other. All are on one CPU, as KVM does not give it up there.
 *
 *	no run	--kvm_entry-->	begun
 *	begun	--slice-->	flowing		writes kvm_entry, which is the flow's start
 *	flowing	--kvm_exit-->	no run		which is its end
 *	begun	--kvm_exit-->	no run		writes kvm_entry, without a flow
 *	any	--loss-->	no run
 */
#ifndef HYPTRACE_PFRUN_H
#define HYPTRACE_PFRUN_H

#include "export/pftrack.h"
#include "lib/types.h"

/**
 * struct pfrun - a run; all 0 if there is none
 * @task:	which runs it
 * @entry:	time of kvm_entry
 * @flow:	not 0 once it flows
 */
struct pfrun {
	s32 task;
	u64 entry;
	u64 flow;
};

/** pfrun_enter - kvm_entry of @task */
void pfrun_enter(struct pfrun *r, struct pftrack *t, s32 task, u64 ts);

/** pfrun_step - a slice of @task began. Return: the flow that it is a step of, 0 for none */
u64 pfrun_step(struct pfrun *r, struct pftrack *t, s32 task, u64 ts);

/** pfrun_exit - kvm_exit of @task */
void pfrun_exit(struct pfrun *r, struct pftrack *t, s32 task, u64 ts);

/** pfrun_lose - events were lost */
void pfrun_lose(struct pfrun *r, struct pftrack *t);

#endif
