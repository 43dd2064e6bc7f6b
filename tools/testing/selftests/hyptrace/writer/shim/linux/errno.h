/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_ERRNO_H
#define _SHIM_LINUX_ERRNO_H
/* What the system's header holds; libc's <errno.h> comes here as well */
#include <asm/errno.h>
#endif /* _SHIM_LINUX_ERRNO_H */
