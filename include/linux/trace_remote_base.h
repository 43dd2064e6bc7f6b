/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_TRACE_REMOTE_BASE_H
#define _LINUX_TRACE_REMOTE_BASE_H
/*
 * What differs between the kernels that trace remotes are for: Linux 6.12, and 7.3, which
 * defines TRACE_REMOTE_LINUX_7
 */
#include <linux/version.h>
#include <linux/workqueue.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)

#define TRACE_REMOTE_LINUX_7

/* What header_page says of a member that the kernel does not have */
#define TRACE_REMOTE_OVERWRITE_TYPE	char

/* The depth in the kernel's own funcgraph_entry and funcgraph_exit */
typedef u64 remote_entry_depth;
typedef u32 remote_exit_depth;
#define TRACE_REMOTE_ENTRY_DEPTH	"unsigned long"
#define TRACE_REMOTE_EXIT_DEPTH		"unsigned int"
#define TRACE_REMOTE_ENTRY_DEPTH_FMT	"%lu"
#define TRACE_REMOTE_EXIT_DEPTH_FMT	"%u"

/* A field at the end of the kernel's own function and funcgraph_entry; remotes have no values */
#define TRACE_REMOTE_ARGS_FIELD		{ .type = "unsigned long[]", .name = "args", .align = 1 },

#else

#include <linux/hrtimer.h>

static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *timer),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}

#define TRACE_REMOTE_OVERWRITE_TYPE	int

typedef s32 remote_entry_depth;
typedef s32 remote_exit_depth;
#define TRACE_REMOTE_ENTRY_DEPTH	"int"
#define TRACE_REMOTE_EXIT_DEPTH		"int"
#define TRACE_REMOTE_ENTRY_DEPTH_FMT	"%d"
#define TRACE_REMOTE_EXIT_DEPTH_FMT	"%d"

#define TRACE_REMOTE_ARGS_FIELD

#define system_dfl_wq	system_unbound_wq

#endif

/**
 * enum trace_remote_function - how a remote's function is traced
 * @TRACE_REMOTE_FUNCTION_OFF: not
 * @TRACE_REMOTE_FUNCTION_CALL: each call is a record, struct remote_function
 * @TRACE_REMOTE_FUNCTION_GRAPH: within a function that is traced by this or the next one,
 *	each call and each return is a record, struct remote_funcgraph_entry and
 *	struct remote_funcgraph_exit
 * @TRACE_REMOTE_FUNCTION_ROOT: the same, whatever has called it
 * @NR_TRACE_REMOTE_FUNCTION: the number of them
 */
enum trace_remote_function {
	TRACE_REMOTE_FUNCTION_OFF,
	TRACE_REMOTE_FUNCTION_CALL,
	TRACE_REMOTE_FUNCTION_GRAPH,
	TRACE_REMOTE_FUNCTION_ROOT,
	NR_TRACE_REMOTE_FUNCTION
};

#endif /* _LINUX_TRACE_REMOTE_BASE_H */
