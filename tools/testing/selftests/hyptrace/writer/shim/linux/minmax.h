/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MINMAX_H
#define _SHIM_LINUX_MINMAX_H

#define min(a, b) ({							\
	__auto_type _a = (a);						\
	__auto_type _b = (b);						\
									\
	_a < _b ? _a : _b;						\
})

#endif /* _SHIM_LINUX_MINMAX_H */
