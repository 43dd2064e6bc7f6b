// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of tracing for a guest: a KVM_RUN from ioctl to return, whose guest only
 * stores to a device. Needs no trace remote, so that a kernel without one can be
 * compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "benches.h"

#define CODE_IPA	0x40000000
#define DEVICE_IPA	0x10000000
#define GUEST_PAGE	0x1000

/* All events of a batch fit on a sub-buffer */
#define CALLS		20
#define REPEATS		41

/**
 * struct guest - a VM with one vCPU
 * @kvm:	/dev/kvm
 * @vm:		the VM
 * @vcpu:	its vCPU
 * @run:	memory shared between the vCPU and user space
 * @b:		the remote, or NULL
 */
struct guest {
	int		kvm;
	int		vm;
	int		vcpu;
	struct kvm_run	*run;
	struct bench	*b;
};

static const uint32_t code[] = {
	0xd2a20016,	/* mov	x22, #DEVICE_IPA */
	0xb90002df,	/* str	wzr, [x22] */
	0x17ffffff,	/* b	to the store */
};

static int kvm_call(int fd, unsigned long cmd, void *arg, const char *what)
{
	int ret = ioctl(fd, cmd, arg);

	if (ret < 0)
		fail("%s: %s", what, strerror(errno));
	return ret;
}

static void *get_memory(int fd, size_t size, int flags)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (mem == MAP_FAILED)
		fail("mmap of a guest: %s", strerror(errno));
	return mem;
}

static void create_vm(struct guest *g)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = CODE_IPA, .memory_size = GUEST_PAGE,
	};
	int bits = ioctl(g->kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_VM_IPA_SIZE);
	/* 0 stands for 40 bits, which not every machine has */
	long type = bits > 0 && bits < 40 ? bits : 0;
	void *mem;

	g->vm = kvm_call(g->kvm, KVM_CREATE_VM, (void *)type, "KVM_CREATE_VM");
	mem = get_memory(-1, GUEST_PAGE, MAP_PRIVATE | MAP_ANONYMOUS);
	memcpy(mem, code, sizeof(code));
	region.userspace_addr = (uintptr_t)mem;
	kvm_call(g->vm, KVM_SET_USER_MEMORY_REGION, &region, "KVM_SET_USER_MEMORY_REGION");
}

static void create_vcpu(struct guest *g)
{
	uint64_t pc = CODE_IPA;
	struct kvm_one_reg reg = {
		.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE |
		      KVM_REG_ARM_CORE_REG(regs.pc),
		.addr = (uintptr_t)&pc,
	};
	struct kvm_vcpu_init init = {};
	int size;

	g->vcpu = kvm_call(g->vm, KVM_CREATE_VCPU, NULL, "KVM_CREATE_VCPU");
	kvm_call(g->vm, KVM_ARM_PREFERRED_TARGET, &init, "KVM_ARM_PREFERRED_TARGET");
	kvm_call(g->vcpu, KVM_ARM_VCPU_INIT, &init, "KVM_ARM_VCPU_INIT");
	size = kvm_call(g->kvm, KVM_GET_VCPU_MMAP_SIZE, NULL, "KVM_GET_VCPU_MMAP_SIZE");
	g->run = get_memory(g->vcpu, size, MAP_SHARED);
	kvm_call(g->vcpu, KVM_SET_ONE_REG, &reg, "KVM_SET_ONE_REG");
}

static void run_guest(void *arg)
{
	struct guest *g = arg;

	if (ioctl(g->vcpu, KVM_RUN, 0) || g->run->exit_reason != KVM_EXIT_MMIO)
		fail("KVM_RUN: %s, exit reason %u", strerror(errno), g->run->exit_reason);
}

static void clear(void *arg)
{
	struct guest *g = arg;

	if (g->b)
		bench_clear_and_start(g->b);
}

static struct cost run(struct guest *g)
{
	return measure(&(struct batch){ .prepare = clear, .call = run_guest, .arg = g,
					.calls = CALLS, .repeats = REPEATS });
}

static void report_pairs(struct guest *g, struct cost off)
{
	unsigned long long before;
	struct cost on;
	double pairs;

	bench_enable(g->b, "hyp_enter", true);
	bench_enable(g->b, "hyp_exit", true);
	bench_clear_and_start(g->b);
	before = bench_stats(g->b).entries;
	run_guest(g);
	pairs = (bench_stats(g->b).entries - before) / 2.0;

	on = run(g);
	report("kvm_run.on", on, "instructions");
	report_value("kvm_run.pairs", pairs, "events");
	report("kvm_run.pair", cost_scale(cost_less(on, off), 1 / pairs), "instructions");
}

void bench_kvm(struct bench *b)
{
	struct guest g = { .b = b };
	struct cost off;

	g.kvm = open("/dev/kvm", O_RDWR);
	if (g.kvm < 0)
		fail("/dev/kvm: %s", strerror(errno));
	create_vm(&g);
	create_vcpu(&g);
	if (!b) {
		report("kvm_run.compiled_out", run(&g), "instructions");
		return;
	}

	bench_select(b, NULL);
	need(source_on(&b->src, true), "tracing_on");
	off = run(&g);
	report("kvm_run.off", off, "instructions");
	report_pairs(&g, off);
	bench_select(b, NULL);
}
