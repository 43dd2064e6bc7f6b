/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A delay of a vCPU.
 */
#ifndef HYPTRACE_DELAY_H
#define HYPTRACE_DELAY_H

#include "analysis/delayevent.h"
#include "analysis/pieces.h"
#include "lib/types.h"

/**
 * struct delay_vcpu - whose delay
 * @task:	the task that runs the vCPU
 * @named:	@vm and @vcpu are known
 * @vm:		the handle of its VM
 * @vcpu:	its index in the VM
 */
struct delay_vcpu {
	s32 task;
	bool named;
	u32 vm;
	u32 vcpu;
};

/**
 * struct delay - the time in which a vCPU could run, and did not
 * @whose:	the vCPU
 * @woken:	it begins with a wake-up, else with an exit of the guest
 * @exit:	how the guest was left
 * @exit_kind:	the same, in general
 * @ipa:	if that was an abort: the page, or 0
 * @mmio:	the host emulated an MMIO access
 * @start:	its first ns, as a timestamp
 * @end:	the first ns of the guest
 * @cpu:	where it ends
 * @pieces:	from @start to @end without a gap
 */
struct delay {
	struct delay_vcpu whose;
	bool woken;
	struct label exit;
	enum exit_kind exit_kind;
	u64 ipa;
	bool mmio;
	u64 start;
	u64 end;
	unsigned int cpu;
	struct pieces pieces;
};

#endif
