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

#endif /* __ARM64_KVM_NVHE_BENCH_H__ */
