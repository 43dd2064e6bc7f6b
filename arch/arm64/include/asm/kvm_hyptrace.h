/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYPTRACE_H_
#define __ARM64_KVM_HYPTRACE_H_
/*
 * What host and EL2 agree on for tracing the hypervisor, beside the hypercalls
 * themselves (__hyp_trace_* in asm/kvm_asm.h, documented with their handlers in
 * arch/arm64/kvm/hyp/include/nvhe/trace.h).
 */
#include <linux/trace_remote_event.h>
#include <linux/types.h>

/* Why EL2 was entered or left */
enum hyp_reason {
	HYP_REASON_SMC,
	HYP_REASON_HVC,
	HYP_REASON_SYS,
	HYP_REASON_PSCI,
	HYP_REASON_HOST_ABORT,
	HYP_REASON_GUEST_EXIT,
	HYP_REASON_ERET_HOST,
	HYP_REASON_ERET_GUEST,
};

/* Index of an event, the same on both sides */
enum hyp_event {
#define REMOTE_EVENT(name, ...)	HYP_EVENT_##name,
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT
	NR_HYP_EVENTS
};

#define REMOTE_EVENT(name, fields, ...)	REMOTE_RECORD(name, REMOTE_FIELDS(fields));
#include <asm/kvm_hypevents.h>
#undef REMOTE_EVENT

/** HYP_TRACE_PFNS_PER_CALL - pages that one __hyp_trace_add_subbufs call takes */
#define HYP_TRACE_PFNS_PER_CALL	5

/** HYP_TRACE_PAGES_PER_UNLOAD - pages that one __hyp_trace_unload call gives back */
#define HYP_TRACE_PAGES_PER_UNLOAD	16

#endif /* __ARM64_KVM_HYPTRACE_H_ */
