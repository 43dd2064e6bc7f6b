/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events from which the causes of a delay are told.
 */
#ifndef HYPTRACE_WHYEVENTS_H
#define HYPTRACE_WHYEVENTS_H

#include "lib/types.h"
#include "trace/side.h"

enum why_event {
	WHY_OTHER,
	WHY_HYP_ENTER,
	WHY_HYP_EXIT,
	WHY_TRACE_ON,
	WHY_TRACE_OFF,
	WHY_HOST_HCALL,
	WHY_HOST_SMC,
	WHY_TLB_FLUSH,
	WHY_PSCI_CPU_OFF,
	WHY_PSCI_CPU_ENTRY,
	WHY_PSCI_CPU_SUSPEND,
	WHY_VCPU_ENTER,
	WHY_VCPU_EXIT,
	WHY_VM_TEARDOWN,
	WHY_SWITCH,
	WHY_WAKING,
	WHY_WAKEUP,
	WHY_MIGRATE,
	WHY_IRQ_ENTRY,
	WHY_IRQ_EXIT,
	WHY_SOFTIRQ_ENTRY,
	WHY_SOFTIRQ_EXIT,
	WHY_IPI_ENTRY,
	WHY_IPI_EXIT,
	WHY_SYS_ENTER,
	WHY_SYS_EXIT,
	WHY_LOCK_BEGIN,
	WHY_LOCK_END,
	WHY_USERSPACE_EXIT,
	WHY_VCPU_WAKEUP,
	WHY_MMIO,
	NR_WHY_EVENTS,
};

/**
 * struct why_source - where an event comes from
 * @side:	whose it is
 * @system:	its system
 * @name:	its name
 * @without:	what is not known unless it is recorded, or NULL if that is nothing
 */
struct why_source {
	enum side side;
	const char *system;
	const char *name;
	const char *without;
};

/** whyevents_source - that of any but WHY_OTHER */
const struct why_source *whyevents_source(enum why_event ev);

/** whyevents_find - the event of this name, WHY_OTHER if it is none of them */
enum why_event whyevents_find(const char *system, const char *name);

#endif
