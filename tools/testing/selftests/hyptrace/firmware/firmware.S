/* SPDX-License-Identifier: GPL-2.0 */
/*
 * firmware - EL3 of QEMU's machine "virt" with secure=on, for tests of pKVM with FF-A.
 *
 * It starts the kernel at EL2 and answers calls of its hypervisor: PSCI, so that CPUs go
 * off and on, and of FF-A what pKVM needs for letting the host map RX and TX buffers.
 * There is no partition to send messages to.
 *
 * All CPUs begin at address 0, where QEMU puts the file given with -bios. boot.sh puts the
 * kernel and its device tree where this expects them. The MMU of EL3 is off; what it writes
 * is in the machine's secure memory, which is zero at the beginning.
 */

#define KERNEL		0x40200000
#define DEVICE_TREE	0x47e00000
#define SECURE_MEMORY	0x0e000000
#define GICD_CTLR	0x08000000

#define GICD_CTLR_DS	0x40
#define ICC_SRE_EL3	S3_6_C12_C12_5
/* Lower levels: not secure, AArch64, HVC, pointer authentication; bits 4 and 5 are 1 */
#define SCR		0x30531
/* MMU and caches of EL2 off, with the bits that are 1 */
#define SCTLR_OFF	0x30c50830
/* EL2 with its own stack pointer, all exceptions masked */
#define SPSR_EL2H	0x3c9

/* A CPU's state, 32 bytes each from SECURE_MEMORY on; then a stack for each */
#define ENTRY		0	/* where it is to start, or 0 */
#define CONTEXT		8	/* its x0 then */
#define IS_ON		16
#define STACKS		0x1000

#define PSCI_VERSION		0x84000000
#define PSCI_CPU_OFF		0x84000002
#define PSCI_CPU_ON		0xc4000003
#define PSCI_AFFINITY_INFO	0xc4000004
#define PSCI_MIGRATE_INFO_TYPE	0x84000006
#define PSCI_SYSTEM_OFF		0x84000008
#define PSCI_SYSTEM_RESET	0x84000009
#define PSCI_FEATURES		0x8400000a
#define SMCCC_VERSION		0x80000000
#define FFA_ERROR		0x84000060
#define FFA_SUCCESS		0x84000061
#define FFA_VERSION		0x84000063
#define FFA_FEATURES		0x84000064
#define FFA_RXTX_MAP		0xc4000066
#define FFA_RXTX_UNMAP		0x84000067
#define FFA_ID_GET		0x84000069

#define NOT_SUPPORTED		-1
#define ALREADY_ON		-4
#define NO_TRUSTED_OS		2

/* Semihosting: the guest ends as planned */
#define SYS_EXIT		0x18
#define APPLICATION_EXIT	0x20026

	.macro	mov32, reg, value
	movz	\reg, #((\value) & 0xffff)
	movk	\reg, #((\value) >> 16), lsl #16
	.endm

	/* \reg = the state of CPU \cpu */
	.macro	state_of, reg, cpu
	mov32	\reg, SECURE_MEMORY
	add	\reg, \reg, \cpu, lsl #5
	.endm

	/* If w\reg is \id, go to \label; overwrites x4 */
	.macro	on_call, reg, id, label
	mov32	w4, \id
	cmp	w\reg, w4
	b.eq	\label
	.endm

	.text
	.globl	_start
_start:
	adr	x0, vectors
	msr	vbar_el3, x0
	mov32	x0, SCR
	msr	scr_el3, x0
	msr	cptr_el3, xzr
	msr	mdcr_el3, xzr
	mov	x0, #0xf
	msr	ICC_SRE_EL3, x0
	isb
	mrs	x19, mpidr_el1
	and	x19, x19, #0xff
	mov32	x0, SECURE_MEMORY + STACKS
	add	x0, x0, x19, lsl #10
	add	sp, x0, #0x400
	cbnz	x19, off

	/* Interrupts are the kernel's; there is no secure side that would want some */
	mov32	x0, GICD_CTLR
	mov	w1, #GICD_CTLR_DS
	str	w1, [x0]
	state_of x20, x19
	mov32	x1, KERNEL
	mov32	x0, DEVICE_TREE
	b	start

	/* CPU x19 is off: wait until it is to start */
off:
	state_of x20, x19
	str	xzr, [x20, #IS_ON]
1:	wfe
	ldr	x1, [x20, #ENTRY]
	cbz	x1, 1b
	ldr	x0, [x20, #CONTEXT]

	/* Start at x1, with x0 */
start:
	str	xzr, [x20, #ENTRY]
	mov	x2, #1
	str	x2, [x20, #IS_ON]
	mov32	x2, SCTLR_OFF
	msr	sctlr_el2, x2
	msr	hcr_el2, xzr
	mov	x2, #SPSR_EL2H
	msr	spsr_el3, x2
	msr	elr_el3, x1
	mov	x1, xzr
	mov	x2, xzr
	mov	x3, xzr
	eret

	/* The arguments are in x0 to x3, as are the results; all others are preserved */
call:
	stp	x4, x5, [sp, #-16]!
	on_call	0, PSCI_VERSION, psci_version
	on_call	0, PSCI_CPU_OFF, psci_cpu_off
	on_call	0, PSCI_CPU_ON, psci_cpu_on
	on_call	0, PSCI_AFFINITY_INFO, psci_affinity_info
	on_call	0, PSCI_MIGRATE_INFO_TYPE, psci_migrate_info_type
	on_call	0, PSCI_SYSTEM_OFF, quit
	on_call	0, PSCI_SYSTEM_RESET, quit
	on_call	0, PSCI_FEATURES, psci_features
	on_call	0, SMCCC_VERSION, smccc_version
	on_call	0, FFA_VERSION, ffa_version
	on_call	0, FFA_FEATURES, ffa_success
	on_call	0, FFA_RXTX_MAP, ffa_success
	on_call	0, FFA_RXTX_UNMAP, ffa_success
	on_call	0, FFA_ID_GET, ffa_success
not_supported:
	mov	x0, #NOT_SUPPORTED
done:
	ldp	x4, x5, [sp], #16
	eret

psci_version:
ffa_version:
	mov32	x0, 0x10001
	b	done

smccc_version:
	mov32	x0, 0x10002
	b	done

psci_migrate_info_type:
	mov	x0, #NO_TRUSTED_OS
	b	done

psci_features:
	on_call	1, PSCI_CPU_OFF, success
	on_call	1, PSCI_CPU_ON, success
	on_call	1, PSCI_AFFINITY_INFO, success
	on_call	1, PSCI_SYSTEM_OFF, success
	on_call	1, PSCI_SYSTEM_RESET, success
	on_call	1, SMCCC_VERSION, success
	b	not_supported

success:
	mov	x0, xzr
	b	done

	/* x1: the CPU's number, x2: where it starts, x3: with which x0 */
psci_cpu_on:
	and	x1, x1, #0xff
	state_of x4, x1
	ldr	x5, [x4, #IS_ON]
	mov	x0, #ALREADY_ON
	cbnz	x5, done
	str	x3, [x4, #CONTEXT]
	dsb	sy
	str	x2, [x4, #ENTRY]
	dsb	sy
	sev
	b	success

psci_cpu_off:
	ldp	x4, x5, [sp], #16
	mrs	x19, mpidr_el1
	and	x19, x19, #0xff
	b	off

	/* 0 if the CPU is on, else 1 */
psci_affinity_info:
	and	x1, x1, #0xff
	state_of x4, x1
	ldr	x0, [x4, #IS_ON]
	eor	x0, x0, #1
	b	done

	/* x2 is a result of some: the host's partition is 0, buffers have at least 4 KiB */
ffa_success:
	mov32	x0, FFA_SUCCESS
	mov	x1, xzr
	mov	x2, xzr
	mov	x3, xzr
	b	done

quit:
	mov	w0, #SYS_EXIT
	adr	x1, exit_block
	hlt	#0xf000

	.balign	8
exit_block:
	.quad	APPLICATION_EXIT, 0

	/* Only calls of lower levels are expected */
	.balign	0x800
vectors:
	.rept	8
	.balign	0x80
	b	quit
	.endr
	.balign	0x80
	b	call
	.rept	7
	.balign	0x80
	b	quit
	.endr
