/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of the hypervisor: the one list from which come EL2's record
 * functions (trace_<event>()), the host's format files and its text.
 * include/linux/trace_remote_event.h says how an event is written.
 *
 * No include guard: included once for each use.
 */

/* EL2 is entered; @vcpu is the task of the vCPU that ran, 0 when the host did */
REMOTE_EVENT(hyp_enter,
	REMOTE_FIELDS(s32, vcpu, u8, reason),
	"reason=%s vcpu=%d", SYM(reason, hyp_reasons), REC(vcpu))

/* EL2 is left; @vcpu is the task of the vCPU that will run, 0 when the host will */
REMOTE_EVENT(hyp_exit,
	REMOTE_FIELDS(s32, vcpu, u8, reason),
	"reason=%s vcpu=%d", SYM(reason, hyp_reasons), REC(vcpu))

/* A hypercall of the host; @invalid ones are refused */
REMOTE_EVENT(host_hcall,
	REMOTE_FIELDS(u32, id, u32, invalid),
	"id=%s invalid=%u", SYM(id, hyp_hcalls), REC(invalid))

/* An SMC of the host; @forwarded to the firmware or handled here */
REMOTE_EVENT(host_smc,
	REMOTE_FIELDS(u64, id, u32, forwarded),
	"id=0x%llx forwarded=%u", REC(id), REC(forwarded))

/* A stage-2 fault of the host, by the syndrome and the intermediate address */
REMOTE_EVENT(host_mem_abort,
	REMOTE_FIELDS(u64, esr, u64, addr),
	"esr=0x%llx addr=0x%llx", REC(esr), REC(addr))

/* Written by write_event */
REMOTE_EVENT(selftest,
	REMOTE_FIELDS(u64, id),
	"id=%llu", REC(id))

#ifdef CONFIG_NVHE_EL2_TRACING_BENCH
/* Of so many bytes; written by debugfs's hyp_bench */
REMOTE_EVENT(bench_0,
	REMOTE_FIELDS(),
	"%s", "")

REMOTE_EVENT(bench_8,
	REMOTE_FIELDS(u64, a),
	"a=%llu", REC(a))

REMOTE_EVENT(bench_11,
	REMOTE_FIELDS(u64, a, u16, b, u8, c),
	"a=%llu b=%u c=%u", REC(a), REC(b), REC(c))

REMOTE_EVENT(bench_32,
	REMOTE_FIELDS(u64, a, u64, b, u64, c, u64, d),
	"a=%llu d=%llu", REC(a), REC(d))

REMOTE_EVENT(bench_64,
	REMOTE_FIELDS(u64, a, u64, b, u64, c, u64, d, u64, e, u64, f, u64, g, u64, h),
	"a=%llu h=%llu", REC(a), REC(h))
#endif
