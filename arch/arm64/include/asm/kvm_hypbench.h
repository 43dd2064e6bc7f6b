/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYPBENCH_H_
#define __ARM64_KVM_HYPBENCH_H_
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

#endif /* __ARM64_KVM_HYPBENCH_H_ */
