/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_COMPILER_H
#define _SHIM_LINUX_COMPILER_H
/*
 * The kernel's accessors as C11 atomics, so that ThreadSanitizer knows what they
 * order, with a hook before and after each of them.
 *
 * The hook lets a test run the other side right there, or switch coroutines. It
 * is set while only one thread runs.
 */
#include <linux/types.h>

#ifndef likely
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#endif

/* For options that are defined here */
#define CONFIG_TRACE_REMOTE_STACKS	1
#define IS_ENABLED(CONFIG_option)	(CONFIG_option)

#ifndef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#endif

#define barrier()	__asm__ volatile("" ::: "memory")

#ifndef __aligned
#define __aligned(n)	__attribute__((__aligned__(n)))
#endif

enum shim_op {
	SHIM_LOAD,
	SHIM_STORE,
	SHIM_CMPXCHG,
	SHIM_WMB,
};

/**
 * struct shim_access - a shared access that is about to happen, or that happened
 * @op: what
 * @done: false before, true after
 * @won: after a SHIM_CMPXCHG: it stored
 * @addr: where; NULL for a SHIM_WMB, which only happened
 * @value: after: what was loaded, or stored; before: 0
 */
struct shim_access {
	enum shim_op		op;
	bool			done;
	bool			won;
	const volatile void	*addr;
	u64			value;
};

extern void (*shim_hook)(const struct shim_access *access);

static __always_inline void shim_point(enum shim_op op, bool done, bool won,
				       const volatile void *addr, u64 value)
{
	if (unlikely(shim_hook)) {
		struct shim_access access = { op, done, won, addr, value };

		shim_hook(&access);
	}
}

#define shim_load(ptr, order) ({					\
	__typeof__(ptr) _ptr = (ptr);					\
									\
	shim_point(SHIM_LOAD, false, false, _ptr, 0);			\
	__auto_type _val = __atomic_load_n(_ptr, order);		\
	shim_point(SHIM_LOAD, true, false, _ptr, (u64)_val);		\
	_val;								\
})

#define shim_store(ptr, val, order) ({					\
	__typeof__(ptr) _ptr = (ptr);					\
	__typeof__(*_ptr) _val = (val);					\
									\
	shim_point(SHIM_STORE, false, false, _ptr, 0);			\
	__atomic_store_n(_ptr, _val, order);				\
	shim_point(SHIM_STORE, true, false, _ptr, (u64)_val);		\
})

#define READ_ONCE(x)		shim_load(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val)	shim_store(&(x), val, __ATOMIC_RELAXED)

#endif /* _SHIM_LINUX_COMPILER_H */
