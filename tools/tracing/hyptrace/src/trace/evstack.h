/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's event ftrace/kernel_stack: the call chain of the record before it.
 */
#ifndef HYPTRACE_EVSTACK_H
#define HYPTRACE_EVSTACK_H

#include "lib/types.h"

struct tep_event;
struct tep_format_field;
struct tep_handle;
struct trace_seq;

/**
 * evstack_callers - where the addresses of a stack are
 * @e:	an event
 *
 * Return: its field, whose size does not tell how many there are; NULL if @e is not the event
 * of stacks.
 */
const struct tep_format_field *evstack_callers(const struct tep_event *e);

/**
 * evstack_print - print a record as the kernel does, in lines
 * @callers:	from evstack_callers()
 * @tep:	has the symbols
 * @data:	the record, which ends after its last address
 * @size:	its size, not less than the offset of @callers
 * @s:		gets the text
 */
void evstack_print(const struct tep_format_field *callers, struct tep_handle *tep, const u8 *data,
		   u32 size, struct trace_seq *s);

#endif
