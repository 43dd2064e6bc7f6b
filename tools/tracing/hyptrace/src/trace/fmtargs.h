/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks the arguments of a "print fmt": whether libtraceevent can parse them safely.
 */
#ifndef HYPTRACE_FMTARGS_H
#define HYPTRACE_FMTARGS_H

#include "trace/fmttext.h"

/** fmt_take_string - take "a string", or several in a row */
bool fmt_take_string(struct fmt_text *t);

/** fmt_take_args - take arguments, each behind a comma, up to the end of the text */
bool fmt_take_args(struct fmt_text *t);

#endif
