/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_VM_H
#define _SELFTEST_HYPTRACE_VM_H
/*
 * A VM with one vCPU, made with the KVM API of arm64 and no library. Its MMU is off,
 * and it has no interrupt controller.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/kvm.h>

/**
 * struct vm - a VM
 * @fd:		the VM
 * @vcpu:	its vCPU
 * @mem:	its memory
 * @mem_size:	in bytes
 * @run:	what KVM says about the last exit
 * @run_size:	in bytes
 * @failed:	the step of vm_create() that failed
 */
struct vm {
	int		fd;
	int		vcpu;
	void		*mem;
	size_t		mem_size;
	struct kvm_run	*run;
	size_t		run_size;
	const char	*failed;
};

/**
 * struct vm_conf - what a VM is to be
 * @ipa:	guest physical address of its memory
 * @mem_size:	size of the memory in bytes, whole pages
 * @code:	guest code, copied to @ipa
 * @code_size:	its size in bytes
 * @features:	of its vCPU, bits 1 << KVM_ARM_VCPU_*
 * @is_protected: the host must not get at its memory, once the guest has touched that
 */
struct vm_conf {
	uint64_t	ipa;
	size_t		mem_size;
	const void	*code;
	size_t		code_size;
	uint32_t	features;
	bool		is_protected;
};

/**
 * vm_create - make a VM that starts at the beginning of its memory
 * @vm: the VM
 * @kvm: /dev/kvm
 * @conf: what it is to be
 *
 * Return: 0 or a negative errno; then there is no VM. -EINVAL where the kernel knows no
 * protected VMs, or is not in protected mode.
 */
int vm_create(struct vm *vm, int kvm, const struct vm_conf *conf);

/* Can the kernel make protected VMs? */
bool vm_can_be_protected(int kvm);

/* The register at an offset of bytes in struct kvm_regs */
#define VM_CORE_REG(offset)	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
				 (offset) / sizeof(__u32))

/* Set the vCPU's register @id, a VM_CORE_REG() or ARM64_SYS_REG() */
int vm_set_reg(struct vm *vm, uint64_t id, uint64_t value);

/* Run until it exits to user space: 0 or a negative errno */
int vm_run(struct vm *vm);

void vm_destroy(struct vm *vm);

#endif /* _SELFTEST_HYPTRACE_VM_H */
