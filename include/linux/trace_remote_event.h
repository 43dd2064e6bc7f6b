/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_TRACE_REMOTE_EVENT_H
#define _LINUX_TRACE_REMOTE_EVENT_H
/*
 * Generates a writer's record functions and the host's descriptions of its events
 * from one list.
 *
 * A remote keeps its events in one header that is included several times. Each
 * event is
 *
 *	REMOTE_EVENT(name,
 *		REMOTE_FIELDS(type, field, type, field, ...),
 *		"format with %u and %s", REC(field), SYM(field, table))
 *
 * with up to eight integer fields (u8..u64, s8..s64), ordered so that each is
 * aligned to its size without padding between them. The arguments of the record
 * function are the fields. REC(x) is the value of field x. SYM(x, t) is the name
 * of that value in the symbol table t; here x may also be an expression that
 * begins with a field and has no parenthesis, such as esr >> 26 & 63.
 *
 * Whatever the fields of a record are, printing it must do no harm: what an earlier boot has left
 * may be damaged. So a width or a precision of the format must not be any value.
 *
 * A record begins with the common header of all kernel events, so that every parser
 * can read it. A writer stores the header's first word as a whole, since the flags
 * and the preempt count are always zero.
 */
#include <linux/args.h>
#include <linux/types.h>

/**
 * struct remote_rec - the common header of a remote's event
 * @type:	event id, from the host's id space; the flags and the preempt count
 *		are the upper half of the word
 * @pid:	the host task on whose behalf the writer ran
 */
struct remote_rec {
	u32	type;
	s32	pid;
} __packed __aligned(4);

/**
 * struct remote_printk - a message of the writer: the kernel's event ftrace/bprint
 * @hdr: common header
 * @ip: where the message is written, as an address that the kernel has a symbol for
 * @fmt: address of the format, one of those in the section __tracepoint_str
 * @words: the arguments, as vbin_printf() stores them
 */
struct remote_printk {
	struct remote_rec	hdr;
	u64			ip;
	u64			fmt;
	u32			words[];
} __packed __aligned(4);

/*
 * What happens to functions of the writer: the kernel's events ftrace/function,
 * ftrace/funcgraph_entry and ftrace/funcgraph_exit. Addresses are those that the kernel has
 * symbols for.
 */

/**
 * struct remote_function - a function is called
 * @hdr: common header
 * @ip: the function
 * @parent_ip: where it returns to
 */
struct remote_function {
	struct remote_rec	hdr;
	u64			ip;
	u64			parent_ip;
} __packed __aligned(4);

/**
 * struct remote_funcgraph_entry - a function is called that has been hooked
 * @hdr: common header
 * @func: the function
 * @depth: how many of its callers have been hooked
 */
struct remote_funcgraph_entry {
	struct remote_rec	hdr;
	u64			func;
	remote_entry_depth	depth;
} __packed __aligned(4);

/**
 * struct remote_funcgraph_exit - it returns
 * @hdr: common header
 * @func: the function
 * @depth: as when it was called
 * @overrun: how many calls were not hooked, on this CPU up to now, as they were too deep
 * @calltime: when it was called, by the trace clock
 * @rettime: when it returned
 */
struct remote_funcgraph_exit {
	struct remote_rec	hdr;
	u64			func;
	remote_exit_depth	depth;
	u32			overrun;
	u64			calltime;
	u64			rettime;
} __packed __aligned(4);

/** REMOTE_STACK_MAX - largest number of callers in a stack */
#define REMOTE_STACK_MAX	32

/** REMOTE_STACK_ID - id of ftrace/kernel_stack, which is always the same: TRACE_STACK */
#define REMOTE_STACK_ID		4

/**
 * struct remote_stack - the call chain of the last record: the kernel's event ftrace/kernel_stack
 * @hdr: common header
 * @size: how many callers; the record ends after them
 * @reserved: 0
 * @caller: where the calls return to, the innermost first, as addresses that the kernel has
 *	symbols for
 */
struct remote_stack {
	struct remote_rec	hdr;
	s32			size;
	u32			reserved;
	u64			caller[REMOTE_STACK_MAX];
} __packed __aligned(4);

#define REMOTE_FIELDS(...)	__VA_ARGS__

/* An event without fields uses the _NONE variant of the mapped macro */
#define __REMOTE_MAP0(m, s, ...)	m##_NONE
#define __REMOTE_MAP2(m, s, t, f)	m(t, f)
#define __REMOTE_MAP4(m, s, t, f, ...)	m(t, f) s() __REMOTE_MAP2(m, s, __VA_ARGS__)
#define __REMOTE_MAP6(m, s, t, f, ...)	m(t, f) s() __REMOTE_MAP4(m, s, __VA_ARGS__)
#define __REMOTE_MAP8(m, s, t, f, ...)	m(t, f) s() __REMOTE_MAP6(m, s, __VA_ARGS__)
#define __REMOTE_MAP10(m, s, t, f, ...)	m(t, f) s() __REMOTE_MAP8(m, s, __VA_ARGS__)
#define __REMOTE_MAP12(m, s, t, f, ...)	m(t, f) s() __REMOTE_MAP10(m, s, __VA_ARGS__)
#define __REMOTE_MAP14(m, s, t, f, ...)	m(t, f) s() __REMOTE_MAP12(m, s, __VA_ARGS__)
#define __REMOTE_MAP16(m, s, t, f, ...)	m(t, f) s() __REMOTE_MAP14(m, s, __VA_ARGS__)
/* COUNT_ARGS() counts only to 15 */
#define ___REMOTE_COUNT(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, \
			_16, n, ...) n
#define __REMOTE_COUNT(...) \
	___REMOTE_COUNT(, ##__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define __REMOTE_MAP(m, s, ...)	\
	CONCATENATE(__REMOTE_MAP, __REMOTE_COUNT(__VA_ARGS__))(m, s, ##__VA_ARGS__)

#define __REMOTE_NOSEP()
#define __REMOTE_COMMA()		,
#define __REMOTE_DECLARE(t, f)		t f;
#define __REMOTE_PARAM(t, f)		t f
#define __REMOTE_AFTER(t, f)		, f
#define __REMOTE_AFTER_NONE
#define __REMOTE_ASSIGN(t, f)		__rec->f = f;
#define __REMOTE_DECLARE_NONE
#define __REMOTE_PARAM_NONE		void
#define __REMOTE_ASSIGN_NONE

/* struct members, function parameters, further arguments, assignments to __rec */
#define REMOTE_DECLARE(fields)	__REMOTE_MAP(__REMOTE_DECLARE, __REMOTE_NOSEP, fields)
#define REMOTE_PARAMS(fields)	__REMOTE_MAP(__REMOTE_PARAM, __REMOTE_COMMA, fields)
#define REMOTE_AFTER(fields)	__REMOTE_MAP(__REMOTE_AFTER, __REMOTE_NOSEP, fields)
#define REMOTE_ASSIGN(fields)	__REMOTE_MAP(__REMOTE_ASSIGN, __REMOTE_NOSEP, fields)

/* The record of an event, padded at the end to a multiple of 4 bytes */
#define REMOTE_RECORD(name, fields)					\
	struct remote_rec_##name {					\
		struct remote_rec	hdr;				\
		REMOTE_DECLARE(REMOTE_FIELDS(fields))			\
	} __packed __aligned(4)

#endif /* _LINUX_TRACE_REMOTE_EVENT_H */
