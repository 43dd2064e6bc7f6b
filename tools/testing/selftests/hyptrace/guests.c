// SPDX-License-Identifier: GPL-2.0
/*
 * The events of what the hypervisor does for the memory of guests, from their beginning to
 * their end: protected guests, to which the host gives pages, and others, with which it
 * shares them.
 *
 * Needs root, KVM in protected mode, the remote "hypervisor", and a kernel that makes
 * protected VMs, which is Linux 7.1 or later. The test "ordinary" needs hyp_calls.ko, and a
 * kernel without CONFIG_ARM64_HW_AFDBM, so that accesses of a guest fault.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/text.h"
#include "lib/vm.h"
#include "variants.h"

/* Guest physical addresses, which the guests' code has to know; the pages are of any size */
#define CODE_IPA	0x40000000
#define DATA_IPA	0x40010000
#define MORE_IPA	0x40020000
#define DEVICE_IPA	0x10000000
#define GUEST_SIZE	0x30000

/* What the guest stores to its page */
#define STORED		0x600d
#define TEST_KB		4096

extern const char protected_code[], ordinary_code[];
extern const uint64_t protected_code_size, ordinary_code_size;

/* Each store to the device is an exit: of a result, or of 0 */
asm(
"	.macro	hypercall	nr, arg\n"
"	mov	w0, #\\nr\n"
"	movk	w0, #0xc600, lsl #16\n"
"	mov	x1, \\arg\n"
"	mov	x2, #0\n"
"	mov	x3, #0\n"
"	hvc	#0\n"
"	str	w0, [x22]\n"
"	.endm\n"
"	.macro	begin\n"
"	mov	x22, #0x10000000\n"
"	mov	x20, #0x40000000\n"
"	add	x21, x20, #0x20000\n"
"	add	x20, x20, #0x10000\n"
"	mov	x19, #0x600d\n"
"	.endm\n"
"	.pushsection .rodata\n"
"	.balign	8\n"
"	.globl	protected_code, protected_code_size, ordinary_code, ordinary_code_size\n"
"protected_code:\n"
"	begin\n"
"	str	x19, [x20]\n"
"	hypercall	3, x20		// MEM_SHARE\n"
"	hypercall	4, x20		// MEM_UNSHARE\n"
"	hypercall	3, x21		// of a page that is not there yet\n"
"	hypercall	2, xzr		// HYP_MEMINFO\n"
"	ldr	x0, [x20]\n"
"	str	w0, [x22]\n"
"1:	b	1b\n"
"	.balign	8\n"
"protected_code_size:\n"
"	.quad	. - protected_code\n"
"ordinary_code:\n"
"	begin\n"
"1:	str	x19, [x20]\n"
"	str	wzr, [x22]\n"
"	b	1b\n"
"	.balign	8\n"
"ordinary_code_size:\n"
"	.quad	. - ordinary_code\n"
"	.popsection\n"
);

FIXTURE(guests) {
	struct source	src;
	struct text	text;
	int		kvm;
	struct vm	vm;
};

FIXTURE_SETUP(guests)
{
	self->vm = (struct vm) { .fd = -1, .vcpu = -1 };
	self->kvm = -1;
	if (!setup_source(_metadata, &self->src, HYPERVISOR, TEST_KB))
		return;
	self->kvm = open("/dev/kvm", O_RDWR);
	ASSERT_LE(0, self->kvm);
	if (!vm_can_be_protected(self->kvm))
		SKIP(return, "this kernel makes no protected VMs");
	ASSERT_EQ(0, source_put(&self->src, "1", "events/enable"));
	ASSERT_EQ(0, pin_to_cpu(0));
}

FIXTURE_TEARDOWN(guests)
{
	vm_destroy(&self->vm);
	close(self->kvm);
	source_close(&self->src);
	text_free(&self->text);
}

static unsigned long long gfn_of(unsigned long long ipa)
{
	return ipa / getpagesize();
}

/* The frame that the host passed with @gfn in the hypercall @call; all ones if it did not */
static unsigned long long pfn_given(const struct text *t, const char *call, unsigned long long gfn)
{
	char what[64];
	long at;

	for (at = 0; (at = text_find_from(t, at, "host_hcall", call)) >= 0; at++) {
		snprintf(what, sizeof(what), ",0x%llx,", gfn);
		if (strstr(t->lines[at], what))
			return text_value(t->lines[at], "args=");
	}
	return ~0ULL;
}

static void create(struct __test_metadata *_metadata, FIXTURE_DATA(guests) *self,
		   bool is_protected)
{
	const struct vm_conf conf = {
		.ipa = CODE_IPA,
		.mem_size = GUEST_SIZE,
		.code = is_protected ? protected_code : ordinary_code,
		.code_size = is_protected ? protected_code_size : ordinary_code_size,
		.is_protected = is_protected,
	};

	ASSERT_EQ(0, vm_create(&self->vm, self->kvm, &conf)) TH_LOG("%s", self->vm.failed);
}

/* Run until the next store to the device, which must be of @value */
static void run_to(struct __test_metadata *_metadata, FIXTURE_DATA(guests) *self, __u32 value)
{
	__u32 stored;

	ASSERT_EQ(0, vm_run(&self->vm));
	ASSERT_EQ(KVM_EXIT_MMIO, self->vm.run->exit_reason);
	ASSERT_EQ(DEVICE_IPA, self->vm.run->mmio.phys_addr);
	memcpy(&stored, self->vm.run->mmio.data, sizeof(stored));
	EXPECT_EQ(value, stored);
}

static __u64 *word_of(const struct vm *vm, unsigned long long ipa)
{
	return (void *)((char *)vm->mem + ipa - CODE_IPA);
}

static void stop_and_read(struct __test_metadata *_metadata, FIXTURE_DATA(guests) *self)
{
	ASSERT_EQ(0, source_on(&self->src, false));
	ASSERT_EQ(0, text_read(&self->src, 0, &self->text));
}

/* The next line of event @name after @at that has the text of @format; gives its index */
#define EXPECT_NEXT(at, name, format, ...)				\
	({								\
		const char *__name = name;				\
		char __what[128];					\
		long __at;						\
									\
		snprintf(__what, sizeof(__what), format, ##__VA_ARGS__);\
		__at = text_find_from(&self->text, (at) + 1, __name, __what); \
		ASSERT_LE(0, __at) TH_LOG("no %s %s", __name, __what);	\
		__at;							\
	})

/* The next one of guest_mem, for one page */
#define EXPECT_MEM(at, op, vm, gfn, pfn, ret)				\
	EXPECT_NEXT(at, "guest_mem",					\
		    "op=" op " vm=0x%llx gfn=0x%llx pfn=0x%llx nr_pages=1 ret=%d", \
		    vm, gfn, pfn, ret)

/* From the reservation of its handle to the second phase of its teardown */
TEST_F(guests, protected_from_beginning_to_end)
{
	unsigned long long data = gfn_of(DATA_IPA), more = gfn_of(MORE_IPA), pfn, more_pfn, vm;
	const struct text *t = &self->text;
	char poison[64];
	long at;

	ASSERT_EQ(0, source_on(&self->src, true));
	create(_metadata, self, true);
	run_to(_metadata, self, 0);
	EXPECT_EQ(STORED, *word_of(&self->vm, DATA_IPA));
	run_to(_metadata, self, 0);
	run_to(_metadata, self, 0);
	run_to(_metadata, self, getpagesize());
	run_to(_metadata, self, STORED);
	vm_destroy(&self->vm);
	stop_and_read(_metadata, self);

	pfn = pfn_given(t, "id=__pkvm_host_donate_guest", data);
	more_pfn = pfn_given(t, "id=__pkvm_host_donate_guest", more);
	at = EXPECT_NEXT(-1, "vm_reserve", "ret=0x");
	vm = text_value(t->lines[at], "ret=");
	at = EXPECT_NEXT(at, "vm_create", "ret=0x%llx", vm);
	at = EXPECT_NEXT(at, "vcpu_create", "vm=0x%llx ret=0", vm);
	at = EXPECT_NEXT(at, "vcpu_load", "vm=0x%llx vcpu=0 loaded=1", vm);
	at = EXPECT_NEXT(at, "guest_mem", "op=donate vm=0x%llx gfn=0x%llx ", vm, gfn_of(CODE_IPA));
	EXPECT_NE(NULL, strstr(t->lines[at], " nr_pages=1 ret=0"));
	at = EXPECT_MEM(at, "donate", vm, data, pfn, 0);
	at = EXPECT_MEM(at, "share_host", vm, data, pfn, 0);
	at = EXPECT_NEXT(at, "guest_hcall", "id=MEM_SHARE vm=0x%llx vcpu=0 ret=0", vm);
	at = EXPECT_MEM(at, "unshare_host", vm, data, pfn, 0);
	at = EXPECT_NEXT(at, "guest_hcall", "id=MEM_UNSHARE vm=0x%llx vcpu=0 ret=0", vm);
	/* What the guest tried to share is not for the host, until it is there */
	at = EXPECT_MEM(at, "share_host", vm, 0ULL, 0ULL, -ENOENT);
	at = EXPECT_MEM(at, "donate", vm, more, more_pfn, 0);
	at = EXPECT_MEM(at, "share_host", vm, more, more_pfn, 0);
	at = EXPECT_NEXT(at, "guest_hcall", "id=MEM_SHARE vm=0x%llx vcpu=0 ret=0", vm);
	/* A call that changes nothing for the host is not for it, either */
	EXPECT_EQ(-1, text_find(t, "guest_hcall", "id=HYP_MEMINFO"));
	at = EXPECT_NEXT(at, "vcpu_put", "vm=0x%llx vcpu=0", vm);
	at = EXPECT_NEXT(at, "vm_teardown_start", "vm=0x%llx ret=0", vm);
	EXPECT_EQ(-1, text_find_from(t, at, "vcpu_load", "loaded=1"));
	EXPECT_MEM(at, "reclaim", vm, more, more_pfn, 0);
	/* A page that the host could see anyway is not poisoned */
	snprintf(poison, sizeof(poison), "op=poison vm=0x%llx gfn=0x%llx ", vm, more);
	EXPECT_EQ(-1, text_find(t, "guest_mem", poison));
	at = EXPECT_MEM(at, "poison", vm, data, pfn, 0);
	at = EXPECT_MEM(at, "reclaim", vm, data, pfn, 0);
	EXPECT_NEXT(at, "vm_teardown", "vm=0x%llx ret=0", vm);
}

/* A handle that no VM uses goes back */
TEST_F(guests, reserved_for_nothing)
{
	unsigned long long vm;
	long at;

	ASSERT_EQ(0, source_on(&self->src, true));
	EXPECT_TRUE(vm_can_be_protected(self->kvm));
	stop_and_read(_metadata, self);
	at = EXPECT_NEXT(-1, "vm_reserve", "ret=0x");
	vm = text_value(self->text.lines[at], "ret=");
	EXPECT_NEXT(at, "vm_unreserve", "vm=0x%llx", vm);
	EXPECT_EQ(-1, text_find(&self->text, "vm_create", ""));
}

/* The kernel reads a page that is the guest's: it gets zeroes, and the guest an error */
TEST_F(guests, reclaimed_by_force)
{
	struct iovec page = { .iov_len = sizeof(__u64) };
	unsigned long long data = gfn_of(DATA_IPA), pfn, vm;
	__u64 word = 1;
	int fds[2], i;
	long at;

	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(0, source_on(&self->src, true));
	create(_metadata, self, true);
	for (i = 0; i < 3; i++)
		run_to(_metadata, self, 0);
	/* To copy from the guest's page where that is mapped for the process fails */
	page.iov_base = word_of(&self->vm, DATA_IPA);
	EXPECT_EQ(-1, write(fds[1], page.iov_base, page.iov_len));
	EXPECT_EQ(EFAULT, errno);
	/* To do so in the kernel's own mapping does not */
	ASSERT_EQ(sizeof(word), vmsplice(fds[1], &page, 1, 0));
	ASSERT_EQ(sizeof(word), read(fds[0], &word, sizeof(word)));
	EXPECT_EQ(0, word);
	run_to(_metadata, self, getpagesize());
	EXPECT_EQ(-EFAULT, vm_run(&self->vm));
	vm_destroy(&self->vm);
	stop_and_read(_metadata, self);
	close(fds[0]);
	close(fds[1]);

	pfn = pfn_given(&self->text, "id=__pkvm_host_donate_guest", data);
	at = EXPECT_NEXT(-1, "vm_create", "ret=0x");
	vm = text_value(self->text.lines[at], "ret=");
	at = EXPECT_NEXT(at, "host_hcall", "id=__pkvm_force_reclaim_guest_page ");
	at = EXPECT_MEM(at, "poison", vm, data, pfn, 0);
	at = EXPECT_MEM(at, "force_reclaim", vm, data, pfn, 0);
	/* In the end it has nothing to give back there, which the host's call takes for success */
	EXPECT_MEM(at, "reclaim", vm, data, 0ULL, -EHWPOISON);
}

static void set_dirty_log(struct __test_metadata *_metadata, FIXTURE_DATA(guests) *self)
{
	struct kvm_userspace_memory_region region = {
		.flags = KVM_MEM_LOG_DIRTY_PAGES,
		.guest_phys_addr = CODE_IPA,
		.memory_size = GUEST_SIZE,
		.userspace_addr = (uintptr_t)self->vm.mem,
	};

	ASSERT_EQ(0, ioctl(self->vm.fd, KVM_SET_USER_MEMORY_REGION, &region));
}

/* The host shares pages with it, and takes permissions and accesses back */
TEST_F(guests, ordinary)
{
	unsigned long long data = gfn_of(DATA_IPA), pfn, vm;
	struct text *t = &self->text;
	char command[96];
	long at;

	if (access("hyp_calls.ko", R_OK))
		SKIP(return, "there is no hyp_calls.ko");

	ASSERT_EQ(0, source_on(&self->src, true));
	create(_metadata, self, false);
	run_to(_metadata, self, 0);
	ASSERT_EQ(0, text_read(&self->src, 0, t));
	vm = text_value(t->lines[EXPECT_NEXT(-1, "vm_create", "ret=0x")], "ret=");
	snprintf(command, sizeof(command),
		 "insmod hyp_calls.ko young_vm=%llu young_gfn=%llu && rmmod hyp_calls", vm, data);
	ASSERT_EQ(0, system(command));
	run_to(_metadata, self, 0);
	set_dirty_log(_metadata, self);
	run_to(_metadata, self, 0);
	vm_destroy(&self->vm);
	stop_and_read(_metadata, self);

	pfn = pfn_given(t, "id=__pkvm_host_share_guest", data);
	at = EXPECT_MEM(-1, "share", vm, data, pfn, 0);
	at = EXPECT_MEM(at, "test_young", vm, data, 0ULL, 1);
	at = EXPECT_MEM(at, "clear_young", vm, data, 0ULL, 1);
	at = EXPECT_MEM(at, "mkyoung", vm, data, 0ULL, 0);
	at = EXPECT_MEM(at, "wrprotect", vm, data, 0ULL, 0);
	at = EXPECT_MEM(at, "relax_perms", vm, data, 0ULL, 0);
	EXPECT_MEM(at, "unshare", vm, data, pfn, 0);
	EXPECT_EQ(-1, text_find(t, "guest_mem", "op=donate"));
	EXPECT_EQ(-1, text_find(t, "guest_mem", "op=poison"));
}

TEST_HARNESS_MAIN
