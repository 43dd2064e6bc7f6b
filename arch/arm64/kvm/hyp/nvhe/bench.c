// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmarks of trace points at EL2; see asm/kvm_hypbench.h.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include <asm/kvm_hypbench.h>

#include <nvhe/bench.h>
#include <nvhe/trace.h>

/* Real trace points are in functions that call others and so have a stack frame */
static __always_inline void need_frame(void)
{
	asm volatile("" : : : "x30");
}

static void bench_null(void)
{
	need_frame();
}

static void bench_0(void)
{
	need_frame();
	trace_bench_0();
}

static void bench_8(void)
{
	need_frame();
	trace_bench_8(1);
}

static void bench_11(void)
{
	need_frame();
	trace_bench_11(1, 2, 3);
}

static void bench_32(void)
{
	need_frame();
	trace_bench_32(1, 2, 3, 4);
}

static void bench_64(void)
{
	need_frame();
	trace_bench_64(1, 2, 3, 4, 5, 6, 7, 8);
}

/* clang does not unroll a loop that has an asm goto */
static __always_inline void bench_four(void)
{
	trace_bench_0();
	trace_bench_0();
	trace_bench_0();
	trace_bench_0();
}

static void bench_many(void)
{
	BUILD_BUG_ON(HYP_BENCH_SITES != 16);
	need_frame();
	bench_four();
	bench_four();
	bench_four();
	bench_four();
}

static noinline void bench_deeper(u32 depth)
{
	if (depth > 1)
		bench_deeper(depth - 1);
	else
		trace_bench_0();
	need_frame();
}

static void bench_deep(void)
{
	bench_deeper(HYP_BENCH_DEPTH);
	need_frame();
}

static void (*const benches[NR_HYP_BENCHES])(void) = {
	[HYP_BENCH_NULL]	= bench_null,
	[HYP_BENCH_0]		= bench_0,
	[HYP_BENCH_8]		= bench_8,
	[HYP_BENCH_11]		= bench_11,
	[HYP_BENCH_32]		= bench_32,
	[HYP_BENCH_64]		= bench_64,
	[HYP_BENCH_MANY]	= bench_many,
	[HYP_BENCH_DEEP]	= bench_deep,
};

int __hyp_bench(u32 kind)
{
	if (!kind || kind >= NR_HYP_BENCHES)
		return -EINVAL;

	benches[kind]();
	return 0;
}

s64 __hyp_bench_write(u64 first, u32 nr)
{
	u64 written;
	u32 i;

	if (!nr || nr > HYP_BENCH_MAX_WRITE)
		return -EINVAL;
	if (!hyp_trace_written(&written))
		return -ENODATA;

	for (i = 0; i < nr; i++)
		trace_selftest(first + i);
	hyp_trace_written(&written);
	return written;
}
