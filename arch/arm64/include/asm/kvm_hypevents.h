/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of the hypervisor. This one list generates EL2's record functions
 * (trace_<event>()), the host's format files and the text of the events.
 * include/linux/trace_remote_event.h says how an event is written.
 *
 * At EL2, an event that is a RARE_EVENT takes a fifth of the code, and some hundred
 * instructions more each time that it is written.
 *
 * No include guard: included once for each use.
 */
#ifndef RARE_EVENT
#define RARE_EVENT	REMOTE_EVENT
#endif
/* An event at which EL2 may count as well; see hyp/nvhe/counters.c */
#ifndef COUNTED_EVENT
#define COUNTED_EVENT	REMOTE_EVENT
#endif

/* EL2 is entered; @vcpu is the task of the vCPU that ran, 0 when the host did */
COUNTED_EVENT(hyp_enter,
	REMOTE_FIELDS(s32, vcpu, u8, reason),
	"reason=%s vcpu=%d", SYM(reason, hyp_reasons), REC(vcpu))

/* EL2 is left; @vcpu is the task of the vCPU that will run, 0 when the host will */
COUNTED_EVENT(hyp_exit,
	REMOTE_FIELDS(s32, vcpu, u8, reason),
	"reason=%s vcpu=%d", SYM(reason, hyp_reasons), REC(vcpu))

/*
 * The host
 */

/* A hypercall of the host, with its first arguments; refused if it is @invalid */
REMOTE_EVENT(host_hcall,
	REMOTE_FIELDS(u32, id, u32, invalid, u64, a1, u64, a2, u64, a3, u64, a4),
	"id=%s invalid=%u args=0x%llx,0x%llx,0x%llx,0x%llx",
	SYM(id, hyp_hcalls), REC(invalid), REC(a1), REC(a2), REC(a3), REC(a4))

/* The return value of that hypercall, unless @status says that it was refused */
REMOTE_EVENT(host_hcall_ret,
	REMOTE_FIELDS(s64, ret, s32, status),
	"ret=%lld status=%d", REC(ret), REC(status))

/* An SMC of the host; @forwarded to the firmware, or handled at EL2 */
REMOTE_EVENT(host_smc,
	REMOTE_FIELDS(u64, id, u32, forwarded),
	"id=%s forwarded=%u", SYM(id, hyp_smcs), REC(forwarded))

/* An FF-A call of the host; @ret and @error only if it was @handled at EL2 */
RARE_EVENT(host_ffa_call,
	REMOTE_FIELDS(u64, id, u64, ret, u32, handled, s32, error),
	"id=%s handled=%u ret=%s error=%d",
	SYM(id, hyp_smcs), REC(handled), SYM(ret, hyp_smcs), REC(error))

/* A stage-2 fault of the host, with the syndrome and the intermediate address */
REMOTE_EVENT(host_mem_abort,
	REMOTE_FIELDS(u64, esr, u64, addr, u8, outcome),
	"esr=0x%llx addr=0x%llx ec=%s outcome=%s", REC(esr), REC(addr),
	SYM(esr >> 26 & 63, hyp_esr_classes), SYM(outcome, hyp_outcomes))

#ifdef CONFIG_NVHE_EL2_TRACING_BOOT
/* EL2 comes up, and this step of it begins */
RARE_EVENT(hyp_boot,
	REMOTE_FIELDS(u8, step),
	"step=%s", SYM(step, hyp_boot_steps))
#endif

/*
 * Power
 */

/* The host starts the CPU @mpidr at the physical address @pc; PSCI's result */
RARE_EVENT(psci_cpu_on,
	REMOTE_FIELDS(u64, mpidr, u64, pc, u32, ret),
	"mpidr=0x%llx pc=0x%llx ret=%s", REC(mpidr), REC(pc), SYM(ret, hyp_psci_results))

/* This CPU goes off: its last event */
RARE_EVENT(psci_cpu_off,
	REMOTE_FIELDS(u64, mpidr),
	"mpidr=0x%llx", REC(mpidr))

/* EL2 has come up on this CPU, which was started or woken up; the host continues at @pc */
RARE_EVENT(psci_cpu_entry,
	REMOTE_FIELDS(u64, pc, u32, is_cpu_on),
	"pc=0x%llx is_cpu_on=%u", REC(pc), REC(is_cpu_on))

/* The host suspends this CPU, which may resume at @pc */
RARE_EVENT(psci_cpu_suspend,
	REMOTE_FIELDS(u64, state, u64, pc),
	"state=0x%llx pc=0x%llx", REC(state), REC(pc))

/* The host suspends the system, resets it or switches it off */
RARE_EVENT(psci_system,
	REMOTE_FIELDS(u64, id),
	"id=%s", SYM(id, hyp_smcs))

/*
 * Guests. @vm is the handle of a VM in protected mode, else 0. trace_guest_value()
 * in nvhe/trace.h decides what the host may see of protected VMs.
 */

REMOTE_EVENT(vcpu_enter,
	REMOTE_FIELDS(u32, vm, u32, vcpu),
	"vm=0x%x vcpu=%u", REC(vm), REC(vcpu))

/* If @handled at EL2, the same vCPU continues. @far and @hpfar are of its last fault */
REMOTE_EVENT(vcpu_exit,
	REMOTE_FIELDS(u64, esr, u64, far, u64, hpfar, u32, vm, u16, vcpu, u8, code, u8, handled),
	"vm=0x%x vcpu=%u code=%s ec=%s esr=0x%llx far=0x%llx hpfar=0x%llx handled=%u",
	REC(vm), REC(vcpu), SYM(code, hyp_exit_codes), SYM(esr >> 26 & 63, hyp_esr_classes),
	REC(esr), REC(far), REC(hpfar), REC(handled))

#ifdef TRACE_REMOTE_LINUX_7
/* The host puts a vCPU on this CPU, which fails unless it is @loaded; and takes it off */
RARE_EVENT(vcpu_load,
	REMOTE_FIELDS(u32, vm, u32, vcpu, u8, loaded),
	"vm=0x%x vcpu=%u loaded=%u", REC(vm), REC(vcpu), REC(loaded))

RARE_EVENT(vcpu_put,
	REMOTE_FIELDS(u32, vm, u32, vcpu),
	"vm=0x%x vcpu=%u", REC(vm), REC(vcpu))

/*
 * A hypercall of a protected guest that EL2 handled, with its result but no argument. If
 * what the VM does is hidden, only of a page that is shared or is so no more.
 */
RARE_EVENT(guest_hcall,
	REMOTE_FIELDS(s64, ret, u32, id, u32, vm, u16, vcpu),
	"id=%s vm=0x%x vcpu=%u ret=%lld",
	SYM(id, hyp_guest_hcalls), REC(vm), REC(vcpu), REC(ret))
#endif

/* A guest did something illegal, such as enter AArch32 in a protected VM */
RARE_EVENT(vcpu_illegal_trap,
	REMOTE_FIELDS(u64, esr),
	"esr=0x%llx", REC(esr))

/*
 * Memory
 */

/* Pages from @pfn on are shared, unshared or donated; @from initiates it */
REMOTE_EVENT(mem_transition,
	REMOTE_FIELDS(u64, pfn, u64, nr_pages, s32, ret, u8, op, u8, from, u8, to),
	"op=%s from=%s to=%s pfn=0x%llx nr_pages=%llu ret=%d", SYM(op, hyp_mem_ops),
	SYM(from, hyp_mem_owners), SYM(to, hyp_mem_owners), REC(pfn), REC(nr_pages), REC(ret))

#ifdef TRACE_REMOTE_LINUX_7
/*
 * Pages of a guest, from its @gfn on, which are the host's from @pfn on; @pfn is 0 where it
 * was not looked at. If a call of a VM's own failed of which nothing is shown, both are 0, and
 * @ret does not say why.
 */
RARE_EVENT(guest_mem,
	REMOTE_FIELDS(u64, gfn, u64, pfn, u64, nr_pages, u32, vm, s32, ret, u8, op),
	"op=%s vm=0x%x gfn=0x%llx pfn=0x%llx nr_pages=%llu ret=%d", SYM(op, hyp_guest_mem_ops),
	REC(vm), REC(gfn), REC(pfn), REC(nr_pages), REC(ret))
#endif

/* The host's stage 2: @bytes at @addr become reachable */
REMOTE_EVENT(host_s2_map,
	REMOTE_FIELDS(u64, addr, u64, bytes, u64, prot, s32, ret),
	"addr=0x%llx bytes=0x%llx prot=%s ret=%d",
	REC(addr), REC(bytes), SYM(prot, hyp_prots), REC(ret))

/* The host's stage 2: @bytes at @addr are unmapped, to recycle its tables */
RARE_EVENT(host_s2_unmap,
	REMOTE_FIELDS(u64, addr, u64, bytes, s32, ret),
	"addr=0x%llx bytes=0x%llx ret=%d", REC(addr), REC(bytes), REC(ret))

/* The host's stage 2: @bytes at @addr are marked as @owner's */
RARE_EVENT(host_s2_set_owner,
	REMOTE_FIELDS(u64, addr, u64, bytes, s32, ret, u8, owner),
	"addr=0x%llx bytes=0x%llx owner=%s ret=%d",
	REC(addr), REC(bytes), SYM(owner, hyp_mem_owners), REC(ret))

/*
 * TLB entries of a VM are invalidated; @addr and @nr_pages are 0 if @kind has none. In
 * protected mode @vm is the VM's handle, in the others @vmid is its VMID; they are 0 for
 * the host's memory, and for all VMs.
 */
REMOTE_EVENT(tlb_flush,
	REMOTE_FIELDS(u64, addr, u64, nr_pages, u32, vmid, u32, vm, u8, kind),
	"kind=%s vm=0x%x vmid=%u addr=0x%llx nr_pages=%llu", SYM(kind, hyp_tlb_kinds),
	REC(vm), REC(vmid), REC(addr), REC(nr_pages))

/*
 * The life cycle of VMs in protected mode, and of tracing
 */

#ifdef TRACE_REMOTE_LINUX_7
/* @ret is the handle for a VM to be, or an errno */
RARE_EVENT(vm_reserve,
	REMOTE_FIELDS(s32, ret),
	"ret=0x%x", REC(ret))

/* That handle is given back, for which there is no VM */
RARE_EVENT(vm_unreserve,
	REMOTE_FIELDS(u32, vm),
	"vm=0x%x", REC(vm))

/* The VM runs no more, and its pages can be reclaimed */
RARE_EVENT(vm_teardown_start,
	REMOTE_FIELDS(u32, vm, s32, ret),
	"vm=0x%x ret=%d", REC(vm), REC(ret))
#endif

/* @ret is the handle of the new VM, or an errno */
RARE_EVENT(vm_create,
	REMOTE_FIELDS(s32, ret),
	"ret=0x%x", REC(ret))

RARE_EVENT(vcpu_create,
	REMOTE_FIELDS(u32, vm, s32, ret),
	"vm=0x%x ret=%d", REC(vm), REC(ret))

RARE_EVENT(vm_teardown,
	REMOTE_FIELDS(u32, vm, s32, ret),
	"vm=0x%x ret=%d", REC(vm), REC(ret))

/* Tracing begins on this CPU: its first event. @flags are those of __hyp_trace_enable() */
RARE_EVENT(trace_on,
	REMOTE_FIELDS(u32, flags),
	"flags=%s", SYM(flags, hyp_trace_modes))

/* Tracing ends on this CPU: its last event */
RARE_EVENT(trace_off,
	REMOTE_FIELDS(u32, flags),
	"flags=%s", SYM(flags, hyp_trace_modes))

/*
 * EL2 panics: the last event, but for one that another CPU is about to write. @esr and
 * @far are those reported to the host; @ip is 0 unless it is in EL2's text.
 */
RARE_EVENT(hyp_panic,
	REMOTE_FIELDS(u64, esr, u64, far, u64, ip),
	"esr=0x%llx ec=%s far=0x%llx ip=%pS", REC(esr), SYM(esr >> 26 & 63, hyp_esr_classes),
	REC(far), (void *)REC(ip))

/* Written by write_event */
REMOTE_EVENT(selftest,
	REMOTE_FIELDS(u64, id),
	"id=%llu", REC(id))

#ifdef CONFIG_NVHE_EL2_TRACING_BENCH
/* Events of this many bytes; written by debugfs's hyp_bench */
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
#undef RARE_EVENT
#undef COUNTED_EVENT
