/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks at the format text of an event before libtraceevent does: its parser
 * trusts the text, which a corrupt file must not be able to exploit.
 */
#ifndef HYPTRACE_FMTCHECK_H
#define HYPTRACE_FMTCHECK_H

#include "types.h"

/**
 * enum fmt_verdict - how much of the text makes sense
 * @FMT_BAD:	not even the fields
 * @FMT_FIELDS:	the fields; not the "print fmt", or it uses more of C than is
 *		understood here
 * @FMT_FULL:	all
 */
enum fmt_verdict { FMT_BAD, FMT_FIELDS, FMT_FULL };

/**
 * fmt_check - check the text of events/SYSTEM/EVENT/format
 * @text:	the text, not terminated
 * @size:	its size
 * @fields_end:	where "print fmt" begins, unless FMT_BAD
 */
enum fmt_verdict fmt_check(const char *text, size_t size, size_t *fields_end);

/** fmt_check_string - whether all conversions of a format string are harmless */
bool fmt_check_string(const char *string);

#endif
