/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_ATOMIC_H
#define _SHIM_LINUX_ATOMIC_H
#include <linux/compiler.h>

#define cmpxchg(ptr, old, new) ({					\
	__typeof__(ptr) _ptr = (ptr);					\
	__typeof__(*_ptr) _old = (old);					\
	bool _won;							\
									\
	shim_point(SHIM_CMPXCHG, false, false, _ptr, 0);		\
	_won = __atomic_compare_exchange_n(_ptr, &_old, (new), false,	\
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	shim_point(SHIM_CMPXCHG, true, _won, _ptr, (u64)_old);		\
	_old;								\
})

#endif /* _SHIM_LINUX_ATOMIC_H */
