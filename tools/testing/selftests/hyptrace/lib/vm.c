// SPDX-License-Identifier: GPL-2.0
/*
 * A VM with one vCPU; see vm.h.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm.h"

/* Linux 7.1 and later, in protected mode */
#ifndef KVM_VM_TYPE_ARM_PROTECTED
#define KVM_VM_TYPE_ARM_PROTECTED	(1UL << 31)
#endif

static int new_vm(int kvm, bool is_protected)
{
	int bits = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_VM_IPA_SIZE);
	unsigned long type = is_protected ? KVM_VM_TYPE_ARM_PROTECTED : 0;

	/* 0 stands for 40 bits, which not every machine has */
	return ioctl(kvm, KVM_CREATE_VM, type | (bits > 0 && bits < 40 ? bits : 0));
}

bool vm_can_be_protected(int kvm)
{
	int fd = new_vm(kvm, true);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool failed(struct vm *vm, bool is, const char *what)
{
	if (is)
		vm->failed = what;
	return is;
}

static int add_memory(struct vm *vm, uint64_t ipa, size_t mem_size)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = ipa,
		.memory_size = mem_size,
	};
	void *mem = mmap(NULL, mem_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	if (failed(vm, mem == MAP_FAILED, "memory of the guest"))
		return -errno;

	vm->mem = mem;
	vm->mem_size = mem_size;
	region.userspace_addr = (uintptr_t)mem;
	return failed(vm, ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &region),
		      "KVM_SET_USER_MEMORY_REGION") ? -errno : 0;
}

int vm_set_reg(struct vm *vm, uint64_t id, uint64_t value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	return failed(vm, ioctl(vm->vcpu, KVM_SET_ONE_REG, &reg), "KVM_SET_ONE_REG") ?
		-errno : 0;
}

static int add_vcpu(struct vm *vm, int kvm, uint32_t features)
{
	struct kvm_vcpu_init init;
	void *run;

	vm->vcpu = ioctl(vm->fd, KVM_CREATE_VCPU, 0);
	if (failed(vm, vm->vcpu < 0, "KVM_CREATE_VCPU"))
		return -errno;
	if (failed(vm, ioctl(vm->fd, KVM_ARM_PREFERRED_TARGET, &init), "KVM_ARM_PREFERRED_TARGET"))
		return -errno;
	init.features[0] |= features | 1 << KVM_ARM_VCPU_PSCI_0_2;
	if (failed(vm, ioctl(vm->vcpu, KVM_ARM_VCPU_INIT, &init), "KVM_ARM_VCPU_INIT"))
		return -errno;

	vm->run_size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	run = mmap(NULL, vm->run_size, PROT_READ | PROT_WRITE, MAP_SHARED, vm->vcpu, 0);
	if (failed(vm, run == MAP_FAILED, "mmap of the vCPU"))
		return -errno;
	vm->run = run;
	return 0;
}

int vm_create(struct vm *vm, int kvm, const struct vm_conf *conf)
{
	int ret;

	*vm = (struct vm) { .fd = -1, .vcpu = -1 };
	vm->fd = new_vm(kvm, conf->is_protected);
	if (failed(vm, vm->fd < 0, "KVM_CREATE_VM"))
		return -errno;

	ret = add_memory(vm, conf->ipa, conf->mem_size);
	if (!ret) {
		memcpy(vm->mem, conf->code, conf->code_size);
		ret = add_vcpu(vm, kvm, conf->features) ?:
		      vm_set_reg(vm, VM_CORE_REG(offsetof(struct kvm_regs, regs.pc)),
				 conf->ipa);
	}
	if (ret)
		vm_destroy(vm);
	return ret;
}

int vm_run(struct vm *vm)
{
	int ret;

	do {
		ret = ioctl(vm->vcpu, KVM_RUN, 0);
	} while (ret && errno == EINTR);
	return ret ? -errno : 0;
}

void vm_destroy(struct vm *vm)
{
	if (vm->run)
		munmap(vm->run, vm->run_size);
	if (vm->vcpu >= 0)
		close(vm->vcpu);
	if (vm->fd >= 0)
		close(vm->fd);
	if (vm->mem)
		munmap(vm->mem, vm->mem_size);
	*vm = (struct vm){ .fd = -1, .vcpu = -1, .failed = vm->failed };
}
