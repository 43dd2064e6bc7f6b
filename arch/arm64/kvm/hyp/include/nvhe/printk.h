/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_NVHE_PRINTK_H__
#define __ARM64_KVM_NVHE_PRINTK_H__
/*
 * Messages from EL2 into its trace.
 *
 * A record is that of the kernel's trace_printk(), the event ftrace/bprint: the
 * address of the call, the address of the format in the kernel image, and the
 * arguments. The format is in a section of the kernel that is not mapped at EL2,
 * together with those that printk_formats lists, so that every tool finds it.
 */
#include <linux/args.h>
#include <linux/build_bug.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

#ifdef CONFIG_NVHE_EL2_TRACING

#include <nvhe/trace.h>

/* Lets the compiler check the arguments against the format */
static inline __printf(1, 2) void __hyp_printk_check(const char *fmt, ...) { }

/*
 * @fmt is the address that the format would have at EL2 if it were mapped there.
 * @words are the arguments, @nr words as vbin_printf() stores them.
 */
void __trace_hyp_printk(u32 type, unsigned long ip, const char *fmt, const u32 *words, u32 nr);

/*
 * Translate an address in EL2's text to the kernel image. Other pointers become 0,
 * unless EL2 is built for debugging.
 */
u64 hyp_printk_pointer(unsigned long ptr);

#ifdef __CHECKER__	/* sparse does not know the builtin */
#define __HYP_PRINTK_IS_POINTER(v)	0
#else
#define __HYP_PRINTK_IS_POINTER(v)	(__builtin_classify_type(v) == 5)
#endif

/* Are messages on? For callers that would do extra work only for a message */
static __always_inline bool trace_hyp_printk_enabled(void)
{
	return unlikely(hyp_event_enabled(HYP_EVENT_PRINTK));
}

/* Strings are refused: the host must not read EL2's memory */
#define __HYP_PRINTK_PUT(x)						\
	{								\
		__auto_type __v = (x);					\
		u64 __u = (unsigned long)__v;				\
									\
		BUILD_BUG_ON(__same_type(__v, char *) || __same_type(__v, const char *));\
		if (__HYP_PRINTK_IS_POINTER(__v))				\
			__u = hyp_printk_pointer(__u);			\
		__words[__nr++] = __u;					\
		if (sizeof(__v) == sizeof(u64))				\
			__words[__nr++] = __u >> 32;			\
	}

#define __HYP_PRINTK_0()
#define __HYP_PRINTK_1(x)	__HYP_PRINTK_PUT(x)
#define __HYP_PRINTK_2(x, ...)	__HYP_PRINTK_PUT(x) __HYP_PRINTK_1(__VA_ARGS__)
#define __HYP_PRINTK_3(x, ...)	__HYP_PRINTK_PUT(x) __HYP_PRINTK_2(__VA_ARGS__)
#define __HYP_PRINTK_4(x, ...)	__HYP_PRINTK_PUT(x) __HYP_PRINTK_3(__VA_ARGS__)
#define __HYP_PRINTK_5(x, ...)	__HYP_PRINTK_PUT(x) __HYP_PRINTK_4(__VA_ARGS__)
#define __HYP_PRINTK_6(x, ...)	__HYP_PRINTK_PUT(x) __HYP_PRINTK_5(__VA_ARGS__)
#define __HYP_PRINTK_7(x, ...)	__HYP_PRINTK_PUT(x) __HYP_PRINTK_6(__VA_ARGS__)
#define __HYP_PRINTK_8(x, ...)	__HYP_PRINTK_PUT(x) __HYP_PRINTK_7(__VA_ARGS__)

/**
 * trace_hyp_printk - write a message into the trace of EL2
 * @fmt: literal, as for printk(); integers, %p and %pS
 *
 * Up to eight arguments follow, integers and pointers. The host sees pointers into
 * EL2's text; it sees others only with CONFIG_NVHE_EL2_DEBUG. Formats that read
 * through a pointer (%s) do not compile, nor do %c and %h.
 *
 * The message is written while the remote's event ftrace/bprint is on, and costs
 * as much as any event while it is off.
 *
 * Context: the same as for any event.
 */
#define trace_hyp_printk(fmt, ...)					\
do {									\
	static const char __str[] __used __aligned(1)			\
		__section("__tracepoints_strings") = fmt;		\
	static const char *__entry __tracepoint_string = __str;		\
	u32 __type, __words[2 * COUNT_ARGS(__VA_ARGS__) + 1], __nr = 0;	\
									\
	BUILD_BUG_ON(__builtin_strstr(fmt, "%c") || __builtin_strstr(fmt, "%h"));\
	__hyp_printk_check(fmt, ##__VA_ARGS__);				\
	if (unlikely(hyp_event_is_on(HYP_EVENT_PRINTK, &__type))) {	\
		CONCATENATE(__HYP_PRINTK_, COUNT_ARGS(__VA_ARGS__))(__VA_ARGS__)\
		__trace_hyp_printk(__type, _THIS_IP_, __str, __words, __nr);\
	}								\
} while (0)

#else /* !CONFIG_NVHE_EL2_TRACING */

static __always_inline bool trace_hyp_printk_enabled(void) { return false; }
#define trace_hyp_printk(fmt, ...)	no_printk(fmt, ##__VA_ARGS__)

#endif /* CONFIG_NVHE_EL2_TRACING */

#endif /* __ARM64_KVM_NVHE_PRINTK_H__ */
