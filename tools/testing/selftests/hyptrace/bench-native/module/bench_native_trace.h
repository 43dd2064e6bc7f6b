/* SPDX-License-Identifier: GPL-2.0 */
/* An ordinary event that holds what "selftest" of remotes does */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM bench_native

#if !defined(_BENCH_NATIVE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _BENCH_NATIVE_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(bench_selftest,
	    TP_PROTO(u64 id),
	    TP_ARGS(id),
	    TP_STRUCT__entry(__field(u64, id)),
	    TP_fast_assign(__entry->id = id;),
	    TP_printk("id=%llu", __entry->id)
);

#endif /* _BENCH_NATIVE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE bench_native_trace
#include <trace/define_trace.h>
