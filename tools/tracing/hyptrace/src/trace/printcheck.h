/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether libtraceevent can print a record safely, and prints what the kernel does.
 *
 * It trusts the formats and records that it prints: it divides by 0, reads as many bytes as
 * a field of the record says, and takes an expression for a field. So what it is about to
 * do is computed here first, from the expressions that it has parsed. It also takes all values
 * for positive ones of 64 bits, so that -1 of an s16 is 65535, and "REC->ret < 0" is never true.
 */
#ifndef HYPTRACE_PRINTCHECK_H
#define HYPTRACE_PRINTCHECK_H

#include "lib/types.h"

struct tep_event;
struct tep_print_arg;

/**
 * enum print_safety - which records of an event libtraceevent can print as the kernel does
 * @PRINT_NONE:		none
 * @PRINT_SOME:		those for which printcheck_record() says so
 * @PRINT_ALL:		all
 */
enum print_safety { PRINT_NONE, PRINT_SOME, PRINT_ALL };

/**
 * printcheck_event - which records of an event can be printed
 *
 * All records have to have the size that the fields need, and what their dynamic fields
 * point to has to be in the record.
 */
enum print_safety printcheck_event(struct tep_event *e);

/** printcheck_constant - the value of an expression. Return: false if a record decides it. */
bool printcheck_constant(struct tep_event *e, const struct tep_print_arg *arg, u64 *value);

/** printcheck_record - whether a record of a PRINT_SOME event can be printed */
bool printcheck_record(struct tep_event *e, const u8 *data, u32 size);

#endif
