// SPDX-License-Identifier: GPL-2.0
/*
 * The events of the hypervisor: the test causes each of them, and checks the values of
 * its fields.
 *
 * Needs root, KVM, and the remote "hypervisor"; the test "calls" needs hyp_calls.ko.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/calls.h"
#include "lib/text.h"
#include "lib/vm.h"
#include "variants.h"

/* Guest physical addresses, which the guest's code has to know */
#define CODE_IPA	0x40000000
#define DATA_IPA	0x40010000
#define DEVICE_IPA	0x10000000
#define GUEST_SIZE	0x20000

#define TEST_KB		4096

extern const char guest_code[];
extern const uint64_t guest_code_size;

/* One exit of each kind, in this order */
asm(
"	.pushsection .rodata\n"
"	.balign	8\n"
"	.globl	guest_code, guest_code_size\n"
"guest_code:\n"
"	mov	w0, #0x84000000		// PSCI_VERSION\n"
"	hvc	#0\n"
"	mov	x1, #0x40000000\n"
"	add	x1, x1, #0x10000\n"
"	str	x0, [x1]		// a page that is not there yet\n"
"	mrs	x2, actlr_el1\n"
"	mov	x4, #0x300000		// floating point is the guest's\n"
"	msr	cpacr_el1, x4\n"
"	isb\n"
"	fmov	d0, #1.0\n"
"	mov	x3, #0x10000000\n"
"	str	w0, [x3]		// a device\n"
"1:	wfi\n"
"	b	1b\n"
"	.balign	8\n"
"guest_code_size:\n"
"	.quad	. - guest_code\n"
"	.popsection\n"
);

FIXTURE(events) {
	struct source	src;
	struct text	text;
	bool		protected;
};

FIXTURE_SETUP(events)
{
	if (!setup_source(_metadata, &self->src, HYPERVISOR, TEST_KB))
		return;
	ASSERT_EQ(0, source_put(&self->src, "1", "events/enable"));
	ASSERT_EQ(0, pin_to_cpu(0));
	self->protected = kvm_is_protected();
}

FIXTURE_TEARDOWN(events)
{
	source_close(&self->src);
	text_free(&self->text);
}

/* Run @stmt with tracing on, and keep the text of this CPU */
#define TRACED(stmt)							\
	do {								\
		ASSERT_EQ(0, source_on(&self->src, true));		\
		stmt;							\
		ASSERT_EQ(0, source_on(&self->src, false));		\
		ASSERT_EQ(0, text_read(&self->src, 0, &self->text));	\
	} while (0)

TEST_F(events, hypercall)
{
	const struct text *t = &self->text;
	long i;

	TRACED(ASSERT_EQ(0, source_write(&self->src, 42)));
	i = text_find(t, "selftest", "id=42");
	ASSERT_LT(1, i);
	ASSERT_LT(i + 2, t->nr);
	EXPECT_STREQ("hyp_enter reason=hvc vcpu=0", t->lines[i - 2]);
	EXPECT_NE(NULL, strstr(t->lines[i - 1], " id=__hyp_trace_selftest invalid=0 args=0x2a,"));
	EXPECT_EQ(t->lines[i - 1], strstr(t->lines[i - 1], "host_hcall "));
	i = text_find_from(t, i, "host_hcall_ret", "ret=0 status=0");
	ASSERT_LE(0, i);
	EXPECT_STREQ("hyp_exit reason=eret_host vcpu=0", t->lines[i + 1]);
}

TEST_F(events, first_and_last)
{
	const struct text *t = &self->text;
	int cpu;

	TRACED();
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		ASSERT_EQ(0, text_read(&self->src, cpu, &self->text));
		ASSERT_LE(2, t->nr);
		EXPECT_STREQ("trace_on flags=on,overwrite", t->lines[0]);
		EXPECT_STREQ("trace_off flags=off,overwrite", t->lines[t->nr - 1]);
	}
}

static void ignore_signal(int sig)
{
}

/* Run the guest until it waits for an interrupt, then until a signal */
static void run_guest(struct __test_metadata *_metadata)
{
	struct itimerval soon = { .it_value.tv_usec = 50000, .it_interval.tv_usec = 50000 };
	struct itimerval never = {};
	const struct vm_conf conf = {
		.ipa = CODE_IPA,
		.mem_size = GUEST_SIZE,
		.code = guest_code,
		.code_size = guest_code_size,
	};
	int kvm = open("/dev/kvm", O_RDWR);
	struct vm vm;

	ASSERT_LE(0, kvm);
	ASSERT_EQ(0, vm_create(&vm, kvm, &conf)) TH_LOG("%s", vm.failed);
	ASSERT_EQ(0, vm_run(&vm));
	EXPECT_EQ(KVM_EXIT_MMIO, vm.run->exit_reason);

	signal(SIGALRM, ignore_signal);
	setitimer(ITIMER_REAL, &soon, NULL);
	EXPECT_EQ(-1, ioctl(vm.vcpu, KVM_RUN, 0));
	EXPECT_EQ(EINTR, errno);
	setitimer(ITIMER_REAL, &never, NULL);
	vm_destroy(&vm);
	close(kvm);
}

/* The first number of the kernel's release */
static int host_linux(void)
{
	struct utsname name;

	return uname(&name) ? 0 : atoi(name.release);
}

TEST_F(events, guest)
{
	static const struct {
		const char *ec;
		const char *what;
	} exits[] = {
		{ "ec=IABT_LOW", "hpfar=0x400000 handled=0" },
		{ "ec=HVC64", "handled=0" },
		{ "ec=DABT_LOW", "hpfar=0x400100 handled=0" },
		{ "ec=SYS64", "handled=0" },
		{ "ec=FP_ASIMD", "handled=1" },
		{ "ec=DABT_LOW", "hpfar=0x100000 handled=0" },
		{ "ec=WFx", "handled=0" },
	};
	const struct text *t = &self->text;
	unsigned int i;
	long at = 0;

	TRACED(run_guest(_metadata));
	EXPECT_EQ(text_count(t, "vcpu_enter"), text_count(t, "vcpu_exit"));
	for (i = 0; i < ARRAY_SIZE(exits); i++) {
		do {
			at = text_find_from(t, at, "vcpu_exit", "code=TRAP") + 1;
			ASSERT_LT(0, at) TH_LOG("no exit %s %s", exits[i].ec, exits[i].what);
		} while (!strstr(t->lines[at - 1], exits[i].ec));
		EXPECT_NE(NULL, strstr(t->lines[at - 1], exits[i].what))
			TH_LOG("%s", t->lines[at - 1]);
		EXPECT_NE(NULL, strstr(t->lines[at - 1], "vcpu=0 "));
		EXPECT_EQ(self->protected, !!text_value(t->lines[at - 1], " vm="));
		/* An exit that EL2 handles returns to the guest, any other one does not */
		EXPECT_EQ(t->lines[at], strstr(t->lines[at], strstr(exits[i].what, "handled=1") ?
					       "vcpu_enter " : t->lines[at]));
	}
}

/* Entries and exits of a vCPU alternate, with those of EL2 between them */
TEST_F(events, guest_order)
{
	const struct text *t = &self->text;
	bool in_guest = false;
	size_t i;

	TRACED(run_guest(_metadata));
	for (i = 0; i < t->nr; i++) {
		if (!strncmp(t->lines[i], "vcpu_enter ", 11)) {
			EXPECT_FALSE(in_guest) TH_LOG("line %zu", i);
			in_guest = true;
			ASSERT_LT(i + 2, t->nr);
			EXPECT_EQ(t->lines[i + 1],
				  strstr(t->lines[i + 1], "hyp_exit reason=eret_guest"));
			EXPECT_EQ(t->lines[i + 2],
				  strstr(t->lines[i + 2], "hyp_enter reason=guest_exit"));
		} else if (!strncmp(t->lines[i], "vcpu_exit ", 10)) {
			EXPECT_TRUE(in_guest) TH_LOG("line %zu", i);
			in_guest = false;
		}
	}
	EXPECT_FALSE(in_guest);
}

TEST_F(events, life_of_a_vm)
{
	const struct text *t = &self->text;
	char vm[32], vcpu[48];
	long at;

	if (!self->protected)
		SKIP(return, "EL2 knows of VMs in protected mode only");

	TRACED(run_guest(_metadata));
	at = text_find(t, "vm_create", "ret=");
	ASSERT_LE(0, at);
	snprintf(vm, sizeof(vm), "vm=0x%llx", text_value(t->lines[at], "ret="));
	EXPECT_LE(0x1000, text_value(t->lines[at], "ret="));
	EXPECT_GT(0x2000, text_value(t->lines[at], "ret="));
	snprintf(vcpu, sizeof(vcpu), "%s ret=0", vm);
	at = text_find_from(t, at, "vcpu_create", vcpu);
	ASSERT_LE(0, at);
	at = text_find_from(t, at, "vcpu_enter", vm);
	ASSERT_LE(0, at);
	at = text_find_from(t, at, "vm_teardown", vcpu);
	ASSERT_LE(0, at);
	EXPECT_EQ(-1, text_find_from(t, at, "vcpu_enter", vm));
}

/* Each page that EL2 got for the VM comes back in the end */
TEST_F(events, pages_change_hands)
{
	long long given = 0, shared = 0;
	const struct text *t = &self->text;
	long i;

	if (!self->protected)
		SKIP(return, "pages have owners in protected mode only");

	TRACED(run_guest(_metadata));
	for (i = 0; (i = text_find_from(t, i, "mem_transition", "")) >= 0; i++) {
		const char *line = t->lines[i];

		EXPECT_EQ(0, text_value(line, "ret=")) TH_LOG("%s", line);
		EXPECT_NE(0, text_value(line, "pfn="));
		if (strstr(line, "op=donate from=host to=hyp"))
			given += text_value(line, "nr_pages=");
		else if (strstr(line, "op=donate from=hyp to=host"))
			given -= text_value(line, "nr_pages=");
		else if (strstr(line, "op=share from=host to=hyp"))
			shared += text_value(line, "nr_pages=");
		else if (strstr(line, "op=unshare from=host to=hyp"))
			shared -= text_value(line, "nr_pages=");
		else
			EXPECT_STREQ("", line);
	}
	EXPECT_LT(0, text_count(t, "mem_transition"));
	EXPECT_EQ(0, given);
	EXPECT_LE(0, shared);
	EXPECT_LT(0, text_count(t, "host_s2_set_owner"));
}

/* Memory that the host has never touched, or that came back to it */
TEST_F(events, host_fault)
{
	const struct text *t = &self->text;
	long i, nr = 0;

	if (!self->protected)
		SKIP(return, "the host has a stage 2 in protected mode only");

	TRACED(run_guest(_metadata));
	for (i = 0; (i = text_find_from(t, i, "host_mem_abort", "outcome=mapped")) >= 0; i++) {
		unsigned long long addr = text_value(t->lines[i], "addr="), start, bytes;

		ASSERT_LT(0, i);
		ASSERT_EQ(t->lines[i - 1], strstr(t->lines[i - 1], "host_s2_map "))
			TH_LOG("%s", t->lines[i - 1]);
		start = text_value(t->lines[i - 1], "addr=");
		bytes = text_value(t->lines[i - 1], "bytes=");
		EXPECT_LE(start, addr);
		EXPECT_GT(start + bytes, addr);
		EXPECT_NE(NULL, strstr(t->lines[i - 1], " prot=rw"));
		EXPECT_NE(NULL, strstr(t->lines[i - 1], " ret=0"));
		EXPECT_TRUE(strstr(t->lines[i], "ec=DABT_LOW") ||
			    strstr(t->lines[i], "ec=IABT_LOW"));
		nr++;
	}
	if (!nr && host_linux() >= 7)
		SKIP(return, "what the host got back is mapped already");
	EXPECT_LT(0, nr);
}

TEST_F(events, tlb_flush)
{
	const struct text *t = &self->text;
	const char *flush;
	long at, enter;

	if (self->protected && host_linux() >= 7)
		SKIP(return, "the host does not ask for a flush");
	TRACED(run_guest(_metadata));
	at = text_find(t, "host_hcall", "id=__kvm_flush_cpu_context");
	enter = text_find(t, "vcpu_enter", "");
	ASSERT_LE(0, at);
	ASSERT_LT(at, enter);
	flush = t->lines[at + 1];
	EXPECT_EQ(flush, strstr(flush, "tlb_flush kind=cpu vm="));
	EXPECT_EQ(text_value(t->lines[enter], "vm="), text_value(flush, "vm="));
	EXPECT_EQ(!self->protected, text_value(flush, "vmid=") > 0) TH_LOG("%s", flush);
}

TEST_F(events, cpu_goes_and_comes)
{
	const struct text *t = &self->text;
	long at;

	if (!self->protected)
		SKIP(return, "EL2 relays PSCI calls in protected mode only");
	if (nr_cpus() == 1)
		SKIP(return, "there is one CPU only");

	TRACED(ASSERT_EQ(0, cpu_set_online(1, false)); ASSERT_EQ(0, cpu_set_online(1, true)));
	at = text_find(t, "psci_cpu_on", "mpidr=0x1 ");
	ASSERT_LE(0, at);
	EXPECT_NE(NULL, strstr(t->lines[at], "ret=SUCCESS"));
	EXPECT_LE(0, text_find_from(t, at, "host_smc", "id=PSCI_CPU_ON_64 forwarded=0"));

	ASSERT_EQ(0, text_read(&self->src, 1, &self->text));
	at = text_find(t, "psci_cpu_off", "mpidr=0x1");
	ASSERT_LT(0, at);
	EXPECT_STREQ("hyp_enter reason=smc vcpu=0", t->lines[at - 1]);
	ASSERT_LT(at + 5, t->nr);
	EXPECT_EQ(t->lines[at + 1], strstr(t->lines[at + 1], "trace_off "));
	EXPECT_EQ(t->lines[at + 2], strstr(t->lines[at + 2], "trace_on "));
	EXPECT_STREQ("hyp_enter reason=psci vcpu=0", t->lines[at + 3]);
	EXPECT_EQ(t->lines[at + 4], strstr(t->lines[at + 4], "psci_cpu_entry pc=0x"));
	EXPECT_NE(NULL, strstr(t->lines[at + 4], "is_cpu_on=1"));
	EXPECT_STREQ("hyp_exit reason=eret_host vcpu=0", t->lines[at + 5]);
}

/* The address of a symbol, in the words of /proc/kallsyms */
static bool symbol_address(const char *name, char *address, size_t size)
{
	char line[256], *end;
	FILE *f = fopen("/proc/kallsyms", "r");
	bool found = false;

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		end = strpbrk(line, "\n\t");
		if (end)
			*end = '\0';
		end = strrchr(line, ' ');
		found = end && !strcmp(end + 1, name);
	}
	fclose(f);
	snprintf(address, size, "%.16s", line);
	return found;
}

/* The kernel's clock is shared with EL2 while buffers are loaded, and not before or after */
TEST_F(events, nothing_is_shared_without_a_buffer)
{
	char address[17], parameter[32];
	int i;

	if (!self->protected)
		SKIP(return, "pages have no owners outside protected mode");
	if (access("hyp_calls.ko", R_OK))
		SKIP(return, "there is no hyp_calls.ko");

	ASSERT_TRUE(symbol_address("tk_fast_mono", address, sizeof(address)));
	snprintf(parameter, sizeof(parameter), "share=0x%s", address);
	ASSERT_EQ(0, source_put(&self->src, "0", "events/enable"));
	ASSERT_EQ(0, source_set_clock(&self->src, "boot"));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, source_loaded(&self->src));
		EXPECT_EQ(0, run_hyp_calls(parameter));
		ASSERT_EQ(0, source_on(&self->src, true));
		EXPECT_EQ(-EPERM, run_hyp_calls(parameter));
		ASSERT_EQ(0, source_on(&self->src, false));
	}
	EXPECT_EQ(0, source_loaded(&self->src));
	EXPECT_EQ(0, run_hyp_calls(parameter));
}

/* A CPU comes online although EL2 has no buffer for it */
TEST_F(events, cpu_without_buffer)
{
	if (nr_cpus() == 1)
		SKIP(return, "there is one CPU only");
	if (access("hyp_calls.ko", R_OK))
		SKIP(return, "there is no hyp_calls.ko");

	/* Nothing is written, so nothing has to be read to unload the buffers */
	ASSERT_EQ(0, source_put(&self->src, "0", "events/enable"));
	ASSERT_EQ(0, source_on(&self->src, true));
	ASSERT_EQ(0, cpu_set_online(1, false));
	EXPECT_EQ(0, system("insmod hyp_calls.ko unload_cpu=1 && rmmod hyp_calls"));
	EXPECT_EQ(0, cpu_set_online(1, true));
	/* Without that CPU, tracing can be switched off */
	EXPECT_EQ(0, cpu_set_online(1, false));
	EXPECT_EQ(0, source_on(&self->src, false));
	EXPECT_EQ(0, source_loaded(&self->src));
	EXPECT_EQ(0, cpu_set_online(1, true));
}

/* The next line of event @name after @at must contain @what; gives its index */
#define EXPECT_NEXT(at, name, what)					\
	({								\
		const char *__name = name;				\
		long __at = text_find_from(&self->text, (at) + 1, __name, "");\
									\
		ASSERT_LE(0, __at) TH_LOG("no %s", __name);		\
		EXPECT_NE(NULL, strstr(self->text.lines[__at], what))	\
			TH_LOG("%s", self->text.lines[__at]);		\
		__at;							\
	})

/* The calls of test_modules/hyp_calls.c, one after the other */
TEST_F(events, calls)
{
	long at;

	if (access("hyp_calls.ko", R_OK))
		SKIP(return, "there is no hyp_calls.ko");

	TRACED(ASSERT_EQ(0, system(self->protected ? "insmod hyp_calls.ko protected=1" :
						     "insmod hyp_calls.ko")));
	ASSERT_EQ(0, system("rmmod hyp_calls"));

	at = text_find(&self->text, "host_hcall", "id=0x3fff invalid=1 args=0x1,0x2,0x3,0x4");
	ASSERT_LE(0, at);
	at = EXPECT_NEXT(at, "host_hcall_ret", "status=-1");
	if (!self->protected)
		return;

	at = EXPECT_NEXT(at, "mem_transition", "op=share from=host to=hyp");
	EXPECT_NE(NULL, strstr(self->text.lines[at], "nr_pages=1 ret=0"));
	at = EXPECT_NEXT(at, "host_hcall_ret", "ret=0 status=0");
	at = EXPECT_NEXT(at, "mem_transition", "nr_pages=1 ret=-1");
	at = EXPECT_NEXT(at, "host_hcall_ret", "ret=-1 status=0");
	at = EXPECT_NEXT(at, "mem_transition", "op=unshare from=host to=hyp");
	at = EXPECT_NEXT(at, "host_smc", "id=0xc200ff00 forwarded=1");
	at = EXPECT_NEXT(at, "host_smc", "id=PSCI_PSCI_FEATURES forwarded=0");
	at = EXPECT_NEXT(at, "host_ffa_call", "id=FFA_RUN handled=1 ret=FFA_ERROR error=-2");
	at = EXPECT_NEXT(at, "host_smc", "id=FFA_RUN forwarded=0");
	at = EXPECT_NEXT(at, "psci_system", "id=PSCI_SYSTEM_SUSPEND_64");
	at = EXPECT_NEXT(at, "host_smc", "id=PSCI_SYSTEM_SUSPEND_64 forwarded=0");
	at = EXPECT_NEXT(at, "psci_cpu_suspend", "state=0x0 pc=0x1000");
	EXPECT_NEXT(at, "host_smc", "id=PSCI_CPU_SUSPEND_64 forwarded=0");
}

/* The message of printk_selftest() in nvhe/hyp-main.c */
TEST_F(events, message)
{
	const struct text *t = &self->text;
	long at;

	TRACED(ASSERT_EQ(0, source_write(&self->src, ~0ULL)));
	at = text_find(t, "bprint", "__kvm_nvhe_printk_selftest: selftest 18446744073709551615, ");
	ASSERT_LE(0, at);
	EXPECT_NE(NULL, strstr(t->lines[at], ", low -1, byte 0xff, bit 1, "));
	EXPECT_NE(NULL, strstr(t->lines[at], " at __kvm_nvhe_printk_selftest+0x0/"));
}

TEST_HARNESS_MAIN
