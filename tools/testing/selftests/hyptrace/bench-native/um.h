/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two files of User-mode Linux are compiled with this first, by gcc's -include: see
 * UM_FLAGS in qemu-scripts/common.sh.
 */
#ifdef __UM_HOST__
/*
 * registers.c, which calls the C library: save the x87 and SSE registers of a process,
 * and no others. The buffer for all of them has 2696 bytes. Where the CPU has more
 * (AMX), the host refuses to restore what was cut off, and the first process dies with
 * "ptrace set fp regs failed, errno = 14". A process that is alone keeps the others in
 * the CPU.
 */
#include <sys/ptrace.h>
#undef PTRACE_GETREGSET
#undef PTRACE_SETREGSET
#else
/*
 * ring_buffer.c: ARCH=um does not say that its CPU may access words at any address, so
 * events would be aligned to 8 bytes, which they are neither on x86 nor on arm64.
 */
#undef CONFIG_HAVE_64BIT_ALIGNED_ACCESS
#endif
