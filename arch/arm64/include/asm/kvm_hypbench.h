/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYPBENCH_H_
#define __ARM64_KVM_HYPBENCH_H_
#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * The kinds of work that __hyp_bench(kind) does at EL2; debugfs's hyp_bench takes
 * their numbers. All kinds take the same path to their work, so the cost of a kind
 * is its time less that of HYP_BENCH_NULL.
 */

/** HYP_BENCH_SITES - trace points of HYP_BENCH_MANY */
#define HYP_BENCH_SITES	16

/** HYP_BENCH_DEPTH - calls within each other of HYP_BENCH_DEEP */
#define HYP_BENCH_DEPTH	40

enum hyp_bench {
	HYP_BENCH_NULL = 1,	/* nothing; not 0, which takes longer to parse */
	HYP_BENCH_0,		/* the event bench_0, if it is on, and so on */
	HYP_BENCH_8,
	HYP_BENCH_11,
	HYP_BENCH_32,
	HYP_BENCH_64,
	HYP_BENCH_MANY,		/* the event bench_0, HYP_BENCH_SITES times */
	HYP_BENCH_DEEP,		/* calls of bench_deeper(), which traces the innermost one */
	NR_HYP_BENCHES
};

/** HYP_BENCH_MAX_WRITE - largest number of events of one __hyp_bench_write() */
#define HYP_BENCH_MAX_WRITE	4096

/**
 * struct hyp_bench_write - write many selftest events in one hypercall
 * @first:	id of the first; the others count up from it
 * @nr:		how many, at most HYP_BENCH_MAX_WRITE
 * @cpu:	CPU to write on; has to be the caller's
 * @written:	result: events written or dropped on this CPU since its buffer was reset
 */
struct hyp_bench_write {
	__u64	first;
	__u32	nr;
	__u32	cpu;
	__u64	written;
};

/* The ioctl of debugfs's hyp_bench_write */
#define HYP_BENCH_IOCTL_WRITE	_IOWR('R', 0x7f, struct hyp_bench_write)

#endif /* __ARM64_KVM_HYPBENCH_H_ */
