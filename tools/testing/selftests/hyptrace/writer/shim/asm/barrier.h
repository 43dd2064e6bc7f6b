/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_ASM_BARRIER_H
#define _SHIM_ASM_BARRIER_H
#include <linux/compiler.h>

#define smp_load_acquire(ptr)		shim_load(ptr, __ATOMIC_ACQUIRE)
#define smp_store_release(ptr, val)	shim_store(ptr, val, __ATOMIC_RELEASE)

/*
 * ThreadSanitizer does not model fences. The smp_wmb()s of the writer (D) are
 * for readers that do not own the sub-buffer; the threads in these tests read
 * only what they swapped out, so there they need only hold the compiler.
 */
#ifdef SHIM_TSAN
#define shim_wmb()	__asm__ volatile("" ::: "memory")
#define smp_rmb()	__asm__ volatile("" ::: "memory")
#else
#define shim_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif

#define smp_wmb() do {							\
	shim_wmb();							\
	shim_point(SHIM_WMB, true, false, NULL, 0);			\
} while (0)

#endif /* _SHIM_ASM_BARRIER_H */
