/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
#ifndef _UAPI_LINUX_TRACE_COUNTERS_H
#define _UAPI_LINUX_TRACE_COUNTERS_H
/*
 * The counters of a remote: what the files counters/cpuN have. See
 * Documentation/trace/remotes.rst.
 */
#include <linux/types.h>

#define TRACE_COUNTERS_VERSION	1

/*
 * Bucket 0 counts times of 0 and 1 ticks, bucket n those from 2^n to 2^(n+1) - 1, the last one all
 * that are longer
 */
#define TRACE_COUNTERS_BUCKETS	30

/**
 * struct trace_counters - what a CPU's counters begin with; struct trace_counters_row follows
 * @version:	TRACE_COUNTERS_VERSION
 * @head_size:	bytes before the first row
 * @row_size:	bytes of a row
 * @nr_rows:	rows; the file counters/format says what each one counts
 * @nr_buckets:	buckets of a row
 * @reserved:	0
 * @ticks_per_sec: frequency of the counter that ticks
 * @begun:	one more each time that rows are about to be changed
 * @done:	the same once they have been. Rows are consistent if @begun, read after them, is
 *		what @done was, read before them
 * @unused:	0
 */
struct trace_counters {
	__u32	version;
	__u32	head_size;
	__u32	row_size;
	__u32	nr_rows;
	__u32	nr_buckets;
	__u32	reserved;
	__u64	ticks_per_sec;
	__u64	begun;
	__u64	done;
	__u64	unused[2];
};

/**
 * struct trace_counters_row - how long one kind of thing took, since the system was booted
 * @ticks:	the sum
 * @max:	the longest time, in ticks
 * @bucket:	how often it took how long; all of them together are how often it was there
 */
struct trace_counters_row {
	__u64	ticks;
	__u64	max;
	__u64	bucket[TRACE_COUNTERS_BUCKETS];
};

#endif /* _UAPI_LINUX_TRACE_COUNTERS_H */
