/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYPBENCH_H_
#define __ARM64_KVM_HYPBENCH_H_
#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * What __hyp_bench(kind) does at EL2, and what is written to debugfs's hyp_bench.
 * All kinds take the same way to their work, so that a cost is a kind less
 * HYP_BENCH_NULL.
 */

/** HYP_BENCH_SITES - trace points of HYP_BENCH_MANY */
#define HYP_BENCH_SITES	16

enum hyp_bench {
	HYP_BENCH_NULL = 1,	/* nothing; not 0, which takes longer to parse */
	HYP_BENCH_0,		/* the event bench_0, if it is on, and so on */
	HYP_BENCH_8,
	HYP_BENCH_11,
	HYP_BENCH_32,
	HYP_BENCH_64,
	HYP_BENCH_MANY,		/* the event bench_0, HYP_BENCH_SITES times */
	NR_HYP_BENCHES
};

/** HYP_BENCH_MAX_WRITE - most events of one __hyp_bench_write() */
#define HYP_BENCH_MAX_WRITE	4096

/**
 * struct hyp_bench_write - many events selftest in one hypercall
 * @first:	number of the first
 * @nr:		how many, at most HYP_BENCH_MAX_WRITE
 * @cpu:	on which CPU; has to be the caller's
 * @written:	result: events written or dropped on this CPU since its buffer was reset
 */
struct hyp_bench_write {
	__u64	first;
	__u32	nr;
	__u32	cpu;
	__u64	written;
};

/* Of debugfs's hyp_bench_write */
#define HYP_BENCH_IOCTL_WRITE	_IOWR('R', 0x7f, struct hyp_bench_write)

#endif /* __ARM64_KVM_HYPBENCH_H_ */
