/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MINMAX_H
#define _SHIM_LINUX_MINMAX_H

#define min(a, b)	((a) < (b) ? (a) : (b))

#endif /* _SHIM_LINUX_MINMAX_H */
