// SPDX-License-Identifier: GPL-2.0
/*
 * hyp_workload - keep EL2 busy
 *
 * A thread on each CPU runs a small KVM guest that in each round makes a
 * hypercall, reads a trapped system register and touches a page that was not
 * mapped yet, and after some rounds stores to a device that user space
 * emulates. Every so often the VM is destroyed and another one made, so that
 * pages change hands between the host and the hypervisor. Where the kernel can
 * make protected VMs, every other one is: it also shares each page with the
 * host, and takes it back. That taints the kernel, as KVM warns.
 *
 * No libraries, no interrupt controller: the KVM API of arm64, used directly.
 *
 * Exit status: 0, 1 if something failed, 2 for a wrong command line, 4 (skip,
 * as kselftest has it) if there is no KVM.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "lib/vm.h"

#define MAX_CPUS	1024
#define EXIT_USAGE	2
#define EXIT_SKIP	4

/* Guest physical addresses, which the guest code below uses */
#define CODE_IPA	0x40000000
#define DATA_IPA	0x40010000
#define DEVICE_IPA	0x10000000
#define GUEST_PAGE	0x1000
#define NR_DATA_PAGES	32
#define ROUNDS_PER_STORE 8

#define CODE_SIZE	(DATA_IPA - CODE_IPA)
#define GUEST_SIZE	(CODE_SIZE + NR_DATA_PAGES * GUEST_PAGE)

/* A guest that makes no progress for this long is stuck */
#define STUCK_SECONDS	120
#define PAUSES_PER_SECOND	50

#define STR_(x)		#x
#define STR(x)		STR_(x)

extern const char ordinary_start[], protected_start[];
extern const uint64_t ordinary_size, protected_size;

/*
 * The guest, MMU off, position independent.
 *	x19	rounds; stored to the device, which tells user space how far it got
 *	x20	the next page to touch, x23 how many are left
 *	x22	the device
 * One register is for ordinary VMs only, the other one traps in protected ones too.
 */
asm(
"	.macro	guest	kind, trapped, is_protected\n"
"	.balign	8\n"
"	.globl	\\kind\\()_start, \\kind\\()_size\n"
"\\kind\\()_start:\n"
"	mov	x19, #0\n"
"	mov	x20, #" STR(CODE_IPA) "\n"
"	add	x20, x20, #(" STR(DATA_IPA) " - " STR(CODE_IPA) ")\n"
"	mov	x22, #" STR(DEVICE_IPA) "\n"
"	mov	x23, #" STR(NR_DATA_PAGES) "\n"
"1:	mov	w0, #0x84000000		// PSCI_VERSION\n"
"	hvc	#0\n"
"	mrs	x1, \\trapped\n"
"	cbz	x23, 2f\n"
"	str	x19, [x20]\n"
"	.if	\\is_protected\n"
"	memcall	3			// MEM_SHARE\n"
"	memcall	4			// MEM_UNSHARE\n"
"	.endif\n"
"	add	x20, x20, #" STR(GUEST_PAGE) "\n"
"	sub	x23, x23, #1\n"
"2:	add	x19, x19, #1\n"
"	tst	x19, #(" STR(ROUNDS_PER_STORE) " - 1)\n"
"	b.ne	1b\n"
"	str	w19, [x22]\n"
"	b	1b\n"
"	.balign	8\n"
"\\kind\\()_size:\n"
"	.quad	. - \\kind\\()_start\n"
"	.endm\n"
"	// KVM's hypercall \\nr of protected guests, for the page at x20\n"
"	.macro	memcall	nr\n"
"	mov	w0, #\\nr\n"
"	movk	w0, #0xc600, lsl #16\n"
"	mov	x1, x20\n"
"	mov	x2, #0\n"
"	mov	x3, #0\n"
"	hvc	#0\n"
"	.endm\n"
"	.pushsection .rodata\n"
"	guest	ordinary, actlr_el1, 0\n"
"	guest	protected, id_aa64pfr0_el1, 1\n"
"	.popsection\n"
);

struct options {
	bool cpu[MAX_CPUS];
	unsigned long stores;	/* per CPU, 0 for no limit */
	unsigned long seconds;	/* 0 for no limit */
	unsigned long vm_stores; /* stores in the life of a VM */
	bool ordinary;		/* no protected VMs */
};

struct counts {
	unsigned long vms;
	unsigned long protected;
	unsigned long stores;
	unsigned long rounds;
	unsigned long faults;
};

/**
 * struct worker - one CPU
 * @n:		what it has done; written only by its thread
 * @failed:	it gave up, after a message
 * @done:	its thread has ended
 * @can_protect: the kernel can make protected VMs
 */
struct worker {
	pthread_t thread;
	int cpu;
	int kvm;
	const struct options *opt;
	const bool *stop;
	struct counts n;
	bool failed;
	bool done;
	bool can_protect;
};

static int fail(const struct worker *w, const char *what)
{
	fprintf(stderr, "hyp_workload: CPU %d: %s: %s\n", w->cpu, what,
		strerror(errno));
	return -1;
}

static int create_vm(struct worker *w, struct vm *vm)
{
	struct vm_conf conf = {
		.ipa = CODE_IPA,
		.mem_size = GUEST_SIZE,
		.code = ordinary_start,
		.code_size = ordinary_size,
	};
	int ret;

	if (w->can_protect && (w->cpu + w->n.vms) % 2) {
		conf.code = protected_start;
		conf.code_size = protected_size;
		conf.is_protected = true;
	}
	ret = vm_create(vm, w->kvm, &conf);
	if (!ret) {
		w->n.protected += conf.is_protected;
		return 0;
	}
	errno = -ret;
	return fail(w, vm->failed);
}

/* Running */

static bool is_store(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_MMIO && run->mmio.is_write &&
	       run->mmio.phys_addr == DEVICE_IPA && run->mmio.len == 4;
}

/* Run until the next store of the guest, which has the number of its rounds */
static int run_vm(const struct worker *w, struct vm *vm, uint32_t *rounds)
{
	int ret = vm_run(vm);

	if (ret) {
		errno = -ret;
		return fail(w, "KVM_RUN");
	}
	if (!is_store(vm->run)) {
		fprintf(stderr, "hyp_workload: CPU %d: KVM exit %u, want a store to %#x\n",
			w->cpu, vm->run->exit_reason, DEVICE_IPA);
		return -1;
	}
	memcpy(rounds, vm->run->mmio.data, sizeof(*rounds));
	return 0;
}

static bool enough(const struct worker *w)
{
	return __atomic_load_n(w->stop, __ATOMIC_RELAXED) ||
	       (w->opt->stores && w->n.stores >= w->opt->stores);
}

static int live(struct worker *w, struct vm *vm)
{
	uint32_t rounds = 0;
	unsigned long i;

	for (i = 0; i < w->opt->vm_stores && !enough(w); i++) {
		if (run_vm(w, vm, &rounds))
			return -1;
		__atomic_add_fetch(&w->n.stores, 1, __ATOMIC_RELAXED);
	}
	w->n.rounds += rounds;
	w->n.faults += rounds < NR_DATA_PAGES ? rounds : NR_DATA_PAGES;
	w->n.vms++;
	return 0;
}

static int work(struct worker *w)
{
	cpu_set_t set;
	struct vm vm;
	int ret = 0;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return fail(w, "cannot run there");
	while (!ret && !enough(w)) {
		if (create_vm(w, &vm))
			return -1;
		ret = live(w, &vm);
		vm_destroy(&vm);
	}
	return ret;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	w->failed = work(w);
	__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The main thread watches */

static unsigned long stores_of(const struct worker *w, int nr, bool *done)
{
	unsigned long sum = 0;
	int i;

	*done = true;
	for (i = 0; i < nr; i++) {
		sum += __atomic_load_n(&w[i].n.stores, __ATOMIC_RELAXED);
		*done &= __atomic_load_n(&w[i].done, __ATOMIC_ACQUIRE);
	}
	return sum;
}

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/*
 * Counts pauses: a clock that leaps, as was seen, also without tracing, is not a guest that is
 * stuck. Return: false if there is no more progress
 */
static bool watch(const struct worker *w, int nr, const struct options *o,
		  bool *stop)
{
	unsigned long before = 0, sum, pauses;
	time_t start = now();
	bool done;

	for (pauses = 0; pauses < STUCK_SECONDS * PAUSES_PER_SECOND; pauses++) {
		sum = stores_of(w, nr, &done);
		if (done)
			return true;
		if (sum != before)
			pauses = 0;
		before = sum;
		if (o->seconds && now() - start >= (time_t)o->seconds)
			__atomic_store_n(stop, true, __ATOMIC_RELAXED);
		usleep(1000 * 1000 / PAUSES_PER_SECOND);
	}
	return false;
}

static void print_counts(const char *who, const struct counts *n)
{
	printf("%s: vms=%lu protected=%lu hvc=%lu sysreg=%lu faults=%lu mmio=%lu\n", who,
	       n->vms, n->protected, n->rounds, n->rounds, n->faults, n->stores);
}

static int print_all(const struct worker *w, int nr)
{
	struct counts sum = { 0 };
	bool failed = false;
	char who[16];
	int i;

	for (i = 0; i < nr; i++) {
		snprintf(who, sizeof(who), "cpu%d", w[i].cpu);
		print_counts(who, &w[i].n);
		sum.vms += w[i].n.vms;
		sum.protected += w[i].n.protected;
		sum.rounds += w[i].n.rounds;
		sum.faults += w[i].n.faults;
		sum.stores += w[i].n.stores;
		failed |= w[i].failed;
	}
	print_counts("total", &sum);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int start_workers(struct worker *w, const struct options *o, int kvm,
			 const bool *stop)
{
	bool can_protect = !o->ordinary && vm_can_be_protected(kvm);
	int cpu, nr = 0, err;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!o->cpu[cpu])
			continue;
		w[nr].cpu = cpu;
		w[nr].kvm = kvm;
		w[nr].opt = o;
		w[nr].can_protect = can_protect;
		w[nr].stop = stop;
		err = pthread_create(&w[nr].thread, NULL, worker_main, &w[nr]);
		if (err) {
			fprintf(stderr, "hyp_workload: no thread: %s\n",
				strerror(err));
			exit(EXIT_FAILURE);
		}
		nr++;
	}
	return nr;
}

static int run(const struct options *o, int kvm)
{
	static struct worker workers[MAX_CPUS];
	static bool stop;
	int i, nr = start_workers(workers, o, kvm, &stop);

	if (!watch(workers, nr, o, &stop)) {
		fprintf(stderr, "hyp_workload: no guest moved for %d s\n",
			STUCK_SECONDS);
		print_all(workers, nr);
		return EXIT_FAILURE;
	}
	for (i = 0; i < nr; i++)
		pthread_join(workers[i].thread, NULL);
	return print_all(workers, nr);
}

/* Command line */

static int print_usage(FILE *out, int status)
{
	fprintf(out,
		"usage: hyp_workload [-c CPULIST] [-n STORES] [-t SECONDS] [-r STORES] [-o]\n"
		"  -c  CPUs, as in 0,2-3 [those that it may run on]\n"
		"  -n  end after so many device stores on each CPU [1000, if no -t]\n"
		"  -t  end after so many seconds\n"
		"  -r  make a new VM after so many device stores [64]\n"
		"  -o  ordinary VMs only; else every other one is a protected one, if the kernel can make\n"
		"      those, which taints it\n");
	return status;
}

static int parse_number(const char *text, unsigned long *out)
{
	char *end;

	errno = 0;
	*out = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *out)
		return 0;
	fprintf(stderr, "hyp_workload: bad number '%s': want 1 or more\n",
		text);
	return -1;
}

static int parse_range(char *text, bool *set)
{
	unsigned long first, last;
	char *end;

	first = strtoul(text, &end, 10);
	last = first;
	if (end != text && *end == '-') {
		text = end + 1;
		last = strtoul(text, &end, 10);
	}
	if (end == text || *end || last < first || last >= MAX_CPUS)
		return -1;
	while (first <= last)
		set[first++] = true;
	return 0;
}

static int parse_cpus(char *text, bool *set)
{
	char *part;

	for (part = strtok(text, ","); part; part = strtok(NULL, ",")) {
		if (parse_range(part, set)) {
			fprintf(stderr, "hyp_workload: bad CPUs '%s': want a list as 0,2-3\n",
				part);
			return -1;
		}
	}
	return 0;
}

static bool any_cpu(const bool *set)
{
	return memchr(set, true, MAX_CPUS * sizeof(*set));
}

static void allowed_cpus(bool *set)
{
	cpu_set_t mask;
	int cpu;

	CPU_ZERO(&mask);
	sched_getaffinity(0, sizeof(mask), &mask);
	for (cpu = 0; cpu < MAX_CPUS && cpu < CPU_SETSIZE; cpu++)
		set[cpu] = CPU_ISSET(cpu, &mask);
}

static int parse_option(struct options *o, int c)
{
	switch (c) {
	case 'c':
		return parse_cpus(optarg, o->cpu);
	case 'n':
		return parse_number(optarg, &o->stores);
	case 't':
		return parse_number(optarg, &o->seconds);
	case 'r':
		return parse_number(optarg, &o->vm_stores);
	case 'o':
		o->ordinary = true;
		return 0;
	case 'h':
		exit(print_usage(stdout, EXIT_SUCCESS));
	default:
		return -1;
	}
}

static int parse_options(struct options *o, int argc, char **argv)
{
	int c;

	o->vm_stores = 64;
	while ((c = getopt(argc, argv, "c:n:t:r:oh")) != -1) {
		if (parse_option(o, c))
			return -1;
	}
	if (optind < argc)
		return -1;
	if (!any_cpu(o->cpu))
		allowed_cpus(o->cpu);
	if (!o->stores && !o->seconds)
		o->stores = 1000;
	return 0;
}

static int open_kvm(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (kvm < 0) {
		fprintf(stderr,
			"hyp_workload: cannot open /dev/kvm: %s: want a kernel with KVM, booted at EL2\n",
			strerror(errno));
		return -1;
	}
	if (ioctl(kvm, KVM_GET_API_VERSION, 0) == KVM_API_VERSION)
		return kvm;
	fprintf(stderr, "hyp_workload: /dev/kvm has not API version %d\n",
		KVM_API_VERSION);
	close(kvm);
	return -1;
}

int main(int argc, char **argv)
{
	static struct options o;
	int kvm;

	if (parse_options(&o, argc, argv))
		return print_usage(stderr, EXIT_USAGE);
	kvm = open_kvm();
	if (kvm < 0)
		return EXIT_SKIP;
	return run(&o, kvm);
}
