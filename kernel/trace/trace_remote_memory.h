/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_TRACE_REMOTE_MEMORY_H
#define _KERNEL_TRACE_REMOTE_MEMORY_H
/*
 * What trace_remote_memory.c, which keeps the buffers of a remote in memory that outlives the
 * kernel, and trace_remote_last.c, which shows those of the last boot, share.
 */
#include <linux/cpumask.h>
#include <linux/ring_buffer_image.h>

#include "trace_remote_core.h"

/**
 * struct remote_memory - the region of a remote
 * @region:	it, in the linear map
 * @size:	its bytes
 * @layout:	how it is divided, since it has been in use
 * @events:	what an image says of the events of the remote
 * @formats:	their formats
 * @formats_len: bytes of these
 * @cpus:	the CPUs that have a buffer there
 * @index:	of each of these, the number of its buffer
 * @clock:	that of the image; NULL before the first one
 * @used:	the image is one of this boot
 * @died:	the writer has panicked
 * @end:	how this boot ends, as far as is known
 */
struct remote_memory {
	void			*region;
	u64			size;
	struct rb_image_layout	layout;
	struct rb_image_event	*events;
	char			*formats;
	u32			formats_len;
	struct cpumask		cpus;
	u32			*index;
	const struct trace_remote_clock *clock;
	bool			used;
	bool			died;
	enum rb_image_end	end;
};

/* Of the linker script */
extern const void __start_notes, __stop_notes;

/* A number that no other boot has */
u64 remote_boot_number(void);
u32 remote_build_id(u8 id[RB_IMAGE_BUILD_ID]);

#endif /* _KERNEL_TRACE_REMOTE_MEMORY_H */
