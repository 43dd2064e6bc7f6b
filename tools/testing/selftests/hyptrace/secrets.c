// SPDX-License-Identifier: GPL-2.0
/*
 * What tracing tells the host about a guest. A guest whose registers and memory hold
 * known values leaves for EL2 in many ways, with all events on from its creation to its end.
 * Then every byte of every record is compared with these values: registers and memory must
 * never be there, the guest's syndromes and fault addresses must not be there if the VM is
 * a protected one.
 *
 * Needs root, KVM, and the remote "hypervisor". The VM is a protected one where the kernel
 * can make such. With CONFIG_NVHE_EL2_PROTECT_ALL_VMS, EL2 takes it for one in protected
 * mode. Elsewhere the test is the proof that the values would be found.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/reader.h"
#include "lib/vm.h"
#include "variants.h"

/*
 * The secret in register x<n>, whose two words are found at any place. Fault addresses
 * have their own values: the lower word is that of no page of the host.
 */
#define SECRET(n)	(0x5ec2e7a100c0ffeeULL | (__u64)(n) << 24)
#define CODE_IPA	0x15ec10000ULL
#define CODE_OFFSET	0x7c4
#define DATA_ADDR	0x15ec2ade8ULL
#define DEVICE_ADDR	0x15ec4bee8ULL
/* Passed to hypercalls that fail */
#define UNSHARE_ADDR	0x15ec60000ULL
#define GUEST_SIZE	0x20000
#define HVC_IMM		0x5ec1
#define SMC_IMM		0x5ec2

#define TEST_KB		4096
#define CORE_REG(reg)	VM_CORE_REG(offsetof(struct kvm_regs, reg))
#define CONTEXTIDR_EL1	ARM64_SYS_REG(3, 0, 13, 0, 1)

/* Exception classes */
#define EC(esr)		((esr) >> 26 & 63)
#define EC_FP		0x07
#define EC_HVC		0x16
#define EC_SMC		0x17
#define EC_SYS		0x18
#define EC_IABT		0x20
#define EC_DABT		0x24
#define ESR_IL		(1U << 25)
#define ESR_HVC		(EC_HVC << 26 | ESR_IL | HVC_IMM)
#define ESR_SMC		(EC_SMC << 26 | ESR_IL | SMC_IMM)

extern const char secret_code[];
extern const uint64_t secret_code_size;

/*
 * x21 and x23 are the addresses of data and of a device, x24 is for CPACR_EL1, x25 is
 * UNSHARE_ADDR, x2 and x3 become 0; all other registers hold secrets. Begins with
 * CODE_OFFSET bytes that do not run.
 */
asm(
"	.pushsection .rodata\n"
"	.balign	8\n"
"	.globl	secret_code, secret_code_size\n"
"secret_code:\n"
"	.skip	0x7c4\n"
"	hvc	#0x5ec1\n"
"	smc	#0x5ec2\n"
"	msr	tpidr_el1, x16\n"
"	mrs	x2, id_aa64pfr0_el1\n"
"	msr	cpacr_el1, x24\n"
"	isb\n"
"	fmov	d0, x17\n"
"	mov	x2, #0\n"
"	mov	x3, #0\n"
"	mov	w0, #3			// MEM_SHARE, not at a page's beginning\n"
"	movk	w0, #0xc600, lsl #16\n"
"	mov	x1, x20\n"
"	hvc	#0\n"
"	mov	w0, #4			// MEM_UNSHARE, of a page that is not there\n"
"	movk	w0, #0xc600, lsl #16\n"
"	mov	x1, x25\n"
"	hvc	#0\n"
"	str	x18, [x21]\n"
"	str	x19, [x23]\n"
"	str	x19, [x23]\n"
"1:	b	1b\n"
"	.balign	8\n"
"secret_code_size:\n"
"	.quad	. - secret_code\n"
"	.popsection\n"
);

/* A32: an endless loop */
static const __u32 a32_code[] = { 0xeafffffe };

/* ARM_EXCEPTION_TRAP of the kernel */
#define CODE_TRAP	2

/* The record of vcpu_exit, which the test "events" compares with its text */
struct vcpu_exit {
	struct record	rec;
	__u64		esr;
	__u64		far;
	__u64		hpfar;
	__u32		vm;
	__u16		vcpu;
	__u8		code;
	__u8		handled;
};

struct illegal_trap {
	struct record	rec;
	__u64		esr;
};

struct guest_mem {
	struct record	rec;
	__u64		gfn;
	__u64		pfn;
	__u64		nr_pages;
	__u32		vm;
	__s32		ret;
	__u8		op;
};

/**
 * struct exits - what the records say
 * @exit_type:		id of vcpu_exit
 * @illegal_type:	id of vcpu_illegal_trap
 * @list:		the exits by a trap, in their order
 * @nr:			how many
 * @illegal:		illegal traps
 * @illegal_esr:	the syndrome of the last one
 * @mem_type:		id of guest_mem; no record has it if the kernel has no such event
 * @refused:		things that EL2 did not do to the guest's memory
 * @call_type:		id of guest_hcall, likewise
 * @calls:		hypercalls of the guest that EL2 handled
 * @told:		records that contain half a register, or such a part of the memory
 * @told_fault:		records that contain a syndrome or a fault address
 * @other_pid:		records whose task is not one of the host's
 */
struct exits {
	unsigned int	exit_type;
	unsigned int	illegal_type;
	struct {
		__u64	esr, far, hpfar;
	}		list[64];
	size_t		nr;
	size_t		illegal;
	__u64		illegal_esr;
	unsigned int	mem_type;
	size_t		refused;
	unsigned int	call_type;
	size_t		calls;
	size_t		told;
	size_t		told_fault;
	size_t		other_pid;
};

/*
 * Two bytes may be those of a register by chance. They are not if they are at the same place
 * of an event in each of several runs, of which each has its own value in all registers.
 */
#define NR_RUNS		3
#define NR_TYPES	4096
#define RECORD_BYTES	128

static const __u16 run_values[NR_RUNS] = { 0x9d63, 0xb59e, 0xd35a };

/**
 * struct parts - where two bytes of the guest's registers were found
 * @value:	of these registers, in each of their halfwords
 * @run:	number of the run
 * @runs:	by type and offset: a bit for each run in which they were found
 * @records:	number of records
 */
struct parts {
	__u16		value;
	unsigned int	run;
	__u8		runs[NR_TYPES][RECORD_BYTES];
	size_t		records;
};

FIXTURE(secrets) {
	struct source	src;
	struct events	ev;
	struct exits	exits;
	bool		is_protected;
	bool		hidden;
	int		kvm;
	struct vm	vm;
};

static bool is_secret(__u32 word)
{
	return word == SECRET(0) >> 32 || (word & 0xffffff) == (SECRET(0) & 0xffffff);
}

static bool is_fault(__u32 word)
{
	static const __u64 addrs[] = { CODE_IPA + CODE_OFFSET, DATA_ADDR, DEVICE_ADDR };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(addrs); i++) {
		if (word == (__u32)addrs[i] || word == addrs[i] >> 12 << 4)
			return true;
	}
	return word == ESR_HVC || word == ESR_SMC || word == (__u32)UNSHARE_ADDR ||
	       word == UNSHARE_ADDR / getpagesize();
}

static void look_at(void *arg, const struct record *rec, size_t len)
{
	const struct illegal_trap *trap = (void *)rec;
	const struct guest_mem *mem = (void *)rec;
	const struct vcpu_exit *exit = (void *)rec;
	bool told = false, told_fault = false;
	struct exits *exits = arg;
	size_t i;
	__u32 word;

	for (i = 0; i + sizeof(word) <= len; i++) {
		memcpy(&word, (const char *)rec + i, sizeof(word));
		told |= is_secret(word);
		told_fault |= is_fault(word);
	}
	exits->told += told;
	exits->told_fault += told_fault;
	/* The guest's own CONTEXTIDR_EL1 is a secret as well */
	exits->other_pid += rec->pid < 0 || rec->pid > 1 << 22;

	if (rec->type == exits->exit_type && len == sizeof(*exit) && exit->code == CODE_TRAP &&
	    exits->nr < ARRAY_SIZE(exits->list)) {
		exits->list[exits->nr].esr = exit->esr;
		exits->list[exits->nr].far = exit->far;
		exits->list[exits->nr++].hpfar = exit->hpfar;
	} else if (rec->type == exits->illegal_type && len == sizeof(*trap)) {
		exits->illegal++;
		exits->illegal_esr = trap->esr;
	} else if (rec->type == exits->mem_type && len > offsetof(struct guest_mem, op)) {
		exits->refused += mem->ret == -EPERM;
	} else if (rec->type == exits->call_type) {
		exits->calls++;
	}
}

static void look_for_parts(void *arg, const struct record *rec, size_t len)
{
	struct parts *parts = arg;
	__u16 part;
	size_t i;

	if (rec->type >= NR_TYPES || len > RECORD_BYTES)
		return;
	parts->records++;
	for (i = 0; i + sizeof(part) <= len; i++) {
		memcpy(&part, (const char *)rec + i, sizeof(part));
		if (part == parts->value || part == __builtin_bswap16(parts->value))
			parts->runs[rec->type][i] |= 1 << parts->run;
	}
}

static int event_type(const struct source *src, const char *name)
{
	char buf[16];

	return source_get(src, buf, sizeof(buf), "events/" HYPERVISOR "/%s/id", name) > 0 ?
		atoi(buf) : -1;
}

static bool has_config(const char *option)
{
	char command[128];

	snprintf(command, sizeof(command), "zcat /proc/config.gz | grep -q '^CONFIG_%s=y'",
		 option);
	return !system(command);
}

FIXTURE_SETUP(secrets)
{
	self->kvm = -1;
	self->vm = (struct vm) { .fd = -1, .vcpu = -1 };
	if (!setup_source(_metadata, &self->src, HYPERVISOR, TEST_KB))
		return;
	self->exits.exit_type = event_type(&self->src, "vcpu_exit");
	self->exits.illegal_type = event_type(&self->src, "vcpu_illegal_trap");
	self->exits.mem_type = event_type(&self->src, "guest_mem");
	self->exits.call_type = event_type(&self->src, "guest_hcall");
	events_init(&self->ev);
	self->ev.each = look_at;
	self->ev.arg = &self->exits;
	ASSERT_EQ(0, source_put(&self->src, "1", "events/enable"));
	ASSERT_EQ(0, pin_to_cpu(0));
	self->kvm = open("/dev/kvm", O_RDWR);
	ASSERT_LE(0, self->kvm);
	self->is_protected = vm_can_be_protected(self->kvm);
	self->hidden = (self->is_protected && !has_config("NVHE_EL2_DEBUG")) ||
		       (kvm_is_protected() && has_config("NVHE_EL2_PROTECT_ALL_VMS"));
}

FIXTURE_TEARDOWN(secrets)
{
	source_close(&self->src);
	events_free(&self->ev);
	vm_destroy(&self->vm);
	close(self->kvm);
}

/* Make a VM */
static void create_vm(struct __test_metadata *_metadata, FIXTURE_DATA(secrets) *self,
		      __u32 features, const void *code, size_t code_size)
{
	const struct vm_conf conf = {
		.ipa = CODE_IPA,
		.mem_size = GUEST_SIZE,
		.code = code,
		.code_size = code_size,
		.features = features,
		.is_protected = self->is_protected,
	};

	ASSERT_EQ(0, vm_create(&self->vm, self->kvm, &conf)) TH_LOG("%s", self->vm.failed);
}

#define SET_REG(reg, value)	ASSERT_EQ(0, vm_set_reg(&self->vm, reg, value))

/*
 * Make a VM that runs secret_code. Its general registers are @secret plus @step times their
 * number, and the others, number 31, but for those in which the code needs something
 */
static void create_secret_vm(struct __test_metadata *_metadata, FIXTURE_DATA(secrets) *self,
			     __u64 secret, __u64 step)
{
	int i;

	create_vm(_metadata, self, 0, secret_code, secret_code_size);
	for (i = 0; i < 31; i++)
		SET_REG(VM_CORE_REG(8 * i), secret + i * step);
	SET_REG(CORE_REG(regs.regs[21]), DATA_ADDR);
	SET_REG(CORE_REG(regs.regs[23]), DEVICE_ADDR);
	SET_REG(CORE_REG(regs.regs[24]), 3 << 20);
	SET_REG(CORE_REG(regs.regs[25]), UNSHARE_ADDR);
	SET_REG(CORE_REG(sp_el1), secret + 31 * step);
	SET_REG(CORE_REG(elr_el1), secret + 31 * step);
	SET_REG(CONTEXTIDR_EL1, secret + 31 * step);
	SET_REG(CORE_REG(regs.pc), CODE_IPA + CODE_OFFSET);
}

/* Run @stmt with tracing on, and look at each record of this CPU */
#define TRACED(stmt)							\
	do {								\
		int fd;							\
									\
		ASSERT_EQ(0, source_on(&self->src, true));		\
		stmt;							\
		ASSERT_EQ(0, source_on(&self->src, false));		\
		fd = source_open_file(&self->src, O_RDONLY | O_NONBLOCK, \
				      "per_cpu/cpu0/trace_pipe_raw");	\
		ASSERT_LE(0, fd);					\
		EXPECT_EQ(EAGAIN, -events_read_raw(&self->ev, &self->src, 0, fd)); \
		close(fd);						\
		EXPECT_EQ(NULL, self->ev.error);			\
		EXPECT_EQ(0, self->ev.lost);				\
	} while (0)

/* A fault address names a page of 4 KiB in HPFAR_EL2, here any of the same page */
static bool same_page(__u64 hpfar, __u64 ipa)
{
	return !(((hpfar >> 4 << 12) ^ ipa) & -SUBBUF_SIZE);
}

TEST_F(secrets, exits)
{
	static const struct {
		unsigned int	ec;
		unsigned int	imm;	/* 0 if there is none */
		__u64		addr;	/* 0 if there is none */
	} expected[] = {
		{ EC_IABT, 0, CODE_IPA + CODE_OFFSET },
		{ EC_HVC, HVC_IMM, 0 },
		{ EC_SMC, SMC_IMM, 0 },
		{ EC_SYS, 0, 0 },
		{ EC_FP, 0, 0 },
		{ EC_DABT, 0, DATA_ADDR },
		{ EC_DABT, 0, DEVICE_ADDR },
	};
	const struct exits *exits = &self->exits;
	size_t i, at = 0;

	/* Once more, so that the vCPU is loaded with what it has in its registers */
	TRACED(create_secret_vm(_metadata, self, SECRET(0), SECRET(1) - SECRET(0));
	       ASSERT_EQ(0, vm_run(&self->vm)); ASSERT_EQ(0, vm_run(&self->vm)));

	/* The guest got to its end, so it did leave in each of these ways */
	ASSERT_EQ(KVM_EXIT_MMIO, self->vm.run->exit_reason);
	EXPECT_EQ(DEVICE_ADDR, self->vm.run->mmio.phys_addr);
	EXPECT_EQ(0, memcmp(self->vm.run->mmio.data, &(__u64){ SECRET(19) }, sizeof(__u64)));
	/* EL2 still has its registers when the host takes its pages back */
	TRACED(vm_destroy(&self->vm));
	ASSERT_LE(ARRAY_SIZE(expected), exits->nr);
	EXPECT_EQ(0, exits->told);
	EXPECT_EQ(0, exits->other_pid);

	if (self->hidden) {
		EXPECT_EQ(0, exits->told_fault);
		/* The call that failed is there, without what the guest passed */
		EXPECT_EQ(self->is_protected, exits->refused);
		EXPECT_EQ(0, exits->calls);
		for (i = 0; i < exits->nr; i++) {
			EXPECT_EQ(0, exits->list[i].esr);
			EXPECT_EQ(0, exits->list[i].far);
			EXPECT_EQ(0, exits->list[i].hpfar);
		}
		return;
	}

	EXPECT_LE(5, exits->told_fault);
	for (i = 0; i < ARRAY_SIZE(expected); i++, at++) {
		while (at < exits->nr && EC(exits->list[at].esr) != expected[i].ec)
			at++;
		ASSERT_LT(at, exits->nr) TH_LOG("no exit of class 0x%x", expected[i].ec);
		if (expected[i].imm)
			EXPECT_EQ(expected[i].imm, exits->list[at].esr & 0xffff);
		if (expected[i].addr) {
			EXPECT_EQ(expected[i].addr, exits->list[at].far);
			EXPECT_TRUE(same_page(exits->list[at].hpfar, expected[i].addr));
		}
	}
}

/* Nor do the records contain two bytes of a register */
TEST_F(secrets, parts_of_registers)
{
	static struct parts parts;
	int type, i;

	self->ev.each = look_for_parts;
	self->ev.arg = &parts;
	for (parts.run = 0; parts.run < NR_RUNS; parts.run++) {
		parts.value = run_values[parts.run];
		parts.records = 0;
		TRACED(create_secret_vm(_metadata, self, parts.value * 0x1000100010001ULL, 0);
		       ASSERT_EQ(0, vm_run(&self->vm)); ASSERT_EQ(0, vm_run(&self->vm));
		       ASSERT_EQ(KVM_EXIT_MMIO, self->vm.run->exit_reason);
		       vm_destroy(&self->vm));
		EXPECT_LT(20, parts.records);
	}
	for (type = 0; type < NR_TYPES; type++) {
		for (i = 0; i < RECORD_BYTES; i++)
			EXPECT_NE((1 << NR_RUNS) - 1, parts.runs[type][i])
				TH_LOG("offset %d of the event with id %d", i, type);
	}
}

/* A protected VM must not run AArch32 code: EL2 notices it at the first exit */
TEST_F(secrets, illegal_trap)
{
	int ret;

	if (ioctl(self->kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_EL1_32BIT) <= 0)
		SKIP(return, "this CPU has no AArch32 at EL1");
	if (!self->hidden)
		SKIP(return, "EL2 does not take the VM for a protected one");

	create_vm(_metadata, self, 1 << KVM_ARM_VCPU_EL1_32BIT, a32_code, sizeof(a32_code));
	TRACED(ret = vm_run(&self->vm));
	/* A VM that was made as a protected one is refused before it runs */
	if (self->is_protected)
		EXPECT_EQ(-EINVAL, ret);
	EXPECT_EQ(!self->is_protected, self->exits.illegal);
	EXPECT_EQ(0, self->exits.illegal_esr);
	EXPECT_EQ(0, self->exits.told);
	EXPECT_EQ(0, self->exits.other_pid);
}

TEST_HARNESS_MAIN
