/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks the format text of an event before libtraceevent parses it: that parser
 * trusts the text, and a corrupt file must not be able to exploit this.
 *
 * What kernels print is accepted. Whether a record can be printed with the result is
 * another question: see printcheck.h.
 */
#ifndef HYPTRACE_FMTCHECK_H
#define HYPTRACE_FMTCHECK_H

#include "lib/types.h"

/* Longer texts are bad */
#define FMT_MAX_TEXT	65536

/**
 * enum fmt_verdict - how much of the text is valid
 * @FMT_BAD:	not even the fields
 * @FMT_FIELDS:	the fields; not the "print fmt", or it uses more of C than
 *		libtraceevent supports
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

/** fmt_check_field - whether the line of a field is valid; it has no newline */
bool fmt_check_field(const char *line, size_t size);

#endif
