/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_UAPI_TRACE_MMAP_H
#define _SHIM_UAPI_TRACE_MMAP_H
/*
 * The meta page. The Makefile names the header of a patched kernel tree when
 * there is one; else this copy serves. The assertions hold for both.
 */
#ifdef SHIM_TRACE_MMAP_H
#include SHIM_TRACE_MMAP_H
#else
#include <linux/types.h>

struct trace_buffer_meta {
	__u32		meta_page_size;
	__u32		meta_struct_len;

	__u32		subbuf_size;
	__u32		nr_subbufs;

	struct {
		__u64	lost_events;
		__u32	id;
		__u32	read;
	} reader;

	__u64	flags;

	__u64	entries;
	__u64	overrun;
	__u64	read;

	__u64	pages_lost;
	__u64	pages_touched;
	__u64	pages_read;
	__u64	dropped;
	__u64	reader_entries;
	__u64	closed_bytes;
	__u64	pages_gone;
};

#define TRACE_BUFFER_META_REMOTE	(1 << 0)
#endif

_Static_assert(offsetof(struct trace_buffer_meta, reader) == 16, "meta page: reader");
_Static_assert(offsetof(struct trace_buffer_meta, flags) == 32, "meta page: flags");
_Static_assert(offsetof(struct trace_buffer_meta, entries) == 40, "meta page: entries");
_Static_assert(offsetof(struct trace_buffer_meta, pages_lost) == 64, "meta page: lost");
_Static_assert(offsetof(struct trace_buffer_meta, pages_touched) == 72, "meta page: touched");
_Static_assert(offsetof(struct trace_buffer_meta, dropped) == 88, "meta page: dropped");
_Static_assert(offsetof(struct trace_buffer_meta, reader_entries) == 96, "meta page: entries");
_Static_assert(offsetof(struct trace_buffer_meta, closed_bytes) == 104, "meta page: bytes");
_Static_assert(offsetof(struct trace_buffer_meta, pages_gone) == 112, "meta page: gone");
_Static_assert(sizeof(struct trace_buffer_meta) == 120, "meta page: size");

#endif /* _SHIM_UAPI_TRACE_MMAP_H */
