/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_REMOTE_FUNCTIONS_H
#define _TRACE_REMOTE_FUNCTIONS_H
/*
 * Tracing the functions of a remote: between what switches them and its files. All of it is
 * protected by trace_remote::lock.
 */
#include "trace_remote_core.h"

enum function_tracer { TRACER_NOP, TRACER_FUNCTION, TRACER_GRAPH, NR_TRACERS };

enum function_list { LIST_FILTER, LIST_NOTRACE, LIST_GRAPH, NR_LISTS };

/**
 * struct remote_functions - what is traced of a remote's functions
 * @nr:		the number of functions
 * @tracer:	current_tracer
 * @lists:	a bitmap each
 * @how:	how each function is traced
 */
struct remote_functions {
	unsigned int			nr;
	enum function_tracer		tracer;
	unsigned long			*lists[NR_LISTS];
	u8				*how;
};

/**
 * remote_set_tracer - change current_tracer, and switch functions and events
 * @remote: the remote
 * @tracer: the tracer
 *
 * Return: 0, or what an operation of the remote returned; then all is as it was before, as
 * far as the remote lets it be.
 */
int remote_set_tracer(struct trace_remote *remote, enum function_tracer tracer);

/**
 * remote_set_list - change a list, and switch functions
 * @remote: the remote
 * @list: which list
 * @to: what it becomes
 * @spare: as large
 *
 * Return: as remote_set_tracer().
 */
int remote_set_list(struct trace_remote *remote, enum function_list list,
		    const unsigned long *to, unsigned long *spare);

/* Where the function with this index is, in the kernel's image; 0 after the last one */
static inline unsigned long remote_function_address(struct trace_remote *remote, unsigned int i)
{
	return remote->desc->ops->function(i, remote->desc->priv);
}

#endif /* _TRACE_REMOTE_FUNCTIONS_H */
