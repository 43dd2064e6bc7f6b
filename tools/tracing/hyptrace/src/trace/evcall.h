/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of the kernel's function tracers, which are of system ftrace: function,
 * funcgraph_entry and funcgraph_exit.
 */
#ifndef HYPTRACE_EVCALL_H
#define HYPTRACE_EVCALL_H

#include "lib/types.h"

struct evcall;
struct tep_event;
struct tep_handle;
struct trace_seq;

enum call_kind {
	CALL_ENTRY,	/* funcgraph_entry */
	CALL_EXIT,	/* funcgraph_exit */
	CALL_PLAIN,	/* function */
};

/**
 * struct call - what one of these events says; what it does not say is 0
 * @func:	address of the function, or in it
 * @parent:	of CALL_PLAIN: where it was called
 * @depth:	of the others: how many functions of the stack are below
 * @overrun:	of CALL_EXIT: calls that were too deep to be recorded, so far
 * @start:	of CALL_EXIT: when the function was entered, as the event has it
 * @end:	of CALL_EXIT: when it was left
 */
struct call {
	u64 func;
	u64 parent;
	u64 depth;
	u64 overrun;
	u64 start;
	u64 end;
};

/**
 * evcall_new - learn the format of an event
 * @e:		the event
 * @out:	gets it, or NULL if it is not one of these
 *
 * Return: 0, or -1 without a message if memory ran out.
 */
int evcall_new(const struct tep_event *e, struct evcall **out);
void evcall_free(struct evcall *c);

enum call_kind evcall_kind(const struct evcall *c);

/** evcall_read - read a record, which is as long as its format says */
void evcall_read(const struct evcall *c, const void *data, struct call *out);

/**
 * evcall_function - the function at an address
 * @tep:	has the symbols
 * @addr:	an address in the function
 * @start:	gets where it begins, @addr if it is not known; or NULL
 *
 * Return: its name, for EL2's functions without the prefix that the kernel gives them;
 * NULL if it is not known.
 */
const char *evcall_function(struct tep_handle *tep, u64 addr, u64 *start);

/** evcall_print - print a record in the way of the kernel's tracers, by its depth */
void evcall_print(const struct evcall *c, struct tep_handle *tep, const void *data,
		  struct trace_seq *s);

#endif
