/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's names of integer types and attributes.
 */
#ifndef HYPTRACE_TYPES_H
#define HYPTRACE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;

#define __printf(fmt, args)	__attribute__((format(printf, fmt, args)))
#define __noreturn		__attribute__((noreturn))

/* For a value that other threads or the kernel change at the same time */
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)

#define BIT(n)			(1U << (n))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#endif
