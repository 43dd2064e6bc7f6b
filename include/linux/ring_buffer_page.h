/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RING_BUFFER_PAGE_H
#define _LINUX_RING_BUFFER_PAGE_H
/*
 * The format of a tracefs sub-buffer, for writers outside the ring buffer code.
 * It is the one that events/header_page and events/header_event describe.
 */
#include <linux/types.h>

/**
 * struct rb_page - a sub-buffer
 * @time_stamp:	of the first event, in units of the trace clock
 * @commit:	bytes of data that are valid, and RB_PAGE_MISSED_* flags
 * @data:	events
 *
 * The type of @commit is the kernel's long, as in struct buffer_data_page.
 */
struct rb_page {
	u64		time_stamp;
	unsigned long	commit;
	u8		data[];
};

/** RB_PAGE_MISSED - events were lost before the first event of the sub-buffer */
#define RB_PAGE_MISSED		(1UL << 31)
/** RB_PAGE_MISSED_STORED - their number is stored, as a long, after the data */
#define RB_PAGE_MISSED_STORED	(1UL << 30)

/*
 * An event: one word {type_len:5, time_delta:27}, then type_len words of payload. If that does
 * not fit, type_len is 0, and another word has 4 plus the bytes of payload.
 */
#define RB_PAGE_EVENT_HDR		4
#define RB_PAGE_MAX_TYPE_LEN		28
#define RB_PAGE_TYPE_LONG		0
#define RB_PAGE_LONG_HDR		8
#define RB_PAGE_TYPE_TIME_EXTEND	30
#define RB_PAGE_TIME_EXTEND_LEN		8
#define RB_PAGE_DELTA_BITS		27
#define RB_PAGE_MAX_DELTA		((1UL << RB_PAGE_DELTA_BITS) - 1)

#define RB_PAGE_EVENT(type_len, delta)	((u32)((delta) << 5) | (type_len))

#endif /* _LINUX_RING_BUFFER_PAGE_H */
