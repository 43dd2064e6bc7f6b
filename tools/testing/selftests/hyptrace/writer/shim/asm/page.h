/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_ASM_PAGE_H
#define _SHIM_ASM_PAGE_H

/* Small pages make one event fill a page, and a table of many pages cheap */
#ifndef SHIM_PAGE_SHIFT
#define SHIM_PAGE_SHIFT	12
#endif
#define PAGE_SHIFT	SHIM_PAGE_SHIFT
#define PAGE_SIZE	(1UL << PAGE_SHIFT)

#endif /* _SHIM_ASM_PAGE_H */
