/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SORT_H
#define _SHIM_LINUX_SORT_H
#include <stdlib.h>

/* Without a function of the caller's that exchanges two elements */
static inline void sort(void *base, size_t nr, size_t size,
			int (*cmp)(const void *a, const void *b), const void *swap)
{
	(void)swap;
	qsort(base, nr, size, cmp);
}

#endif /* _SHIM_LINUX_SORT_H */
