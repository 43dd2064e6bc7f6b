/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_NVHE_BENCH_H__
#define __ARM64_KVM_NVHE_BENCH_H__

#include <linux/types.h>

/**
 * __hyp_bench - hypercall: run a piece of code whose cost is measured
 * @kind: enum hyp_bench
 *
 * Return: 0, or -EINVAL when there is no such kind.
 */
int __hyp_bench(u32 kind);

/**
 * __hyp_bench_write - hypercall: write many selftest events on this CPU
 * @first: id of the first; the others count up from it
 * @nr: number of events
 *
 * Writes all of them or none, as nothing can switch this CPU's writer off meanwhile.
 *
 * Return: events written or dropped on this CPU since its buffer was reset; -ENODATA
 * when tracing is off here, -EINVAL when @nr is 0 or more than HYP_BENCH_MAX_WRITE.
 */
s64 __hyp_bench_write(u64 first, u32 nr);

#endif /* __ARM64_KVM_NVHE_BENCH_H__ */
