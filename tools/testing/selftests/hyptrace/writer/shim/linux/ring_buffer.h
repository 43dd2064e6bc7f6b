/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_RING_BUFFER_H
#define _SHIM_LINUX_RING_BUFFER_H

/* Whatever the test takes for it */
struct trace_buffer;

#define RING_BUFFER_ALL_CPUS	(-1)

#endif /* _SHIM_LINUX_RING_BUFFER_H */
