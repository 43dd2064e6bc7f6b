/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_COMPARE_H
#define HYPTRACE_COMPARE_H

#include <stdio.h>

#include "analysis/profiler.h"
#include "lib/types.h"

/**
 * compare_print - print what differs between two recordings
 * @a:		the first one
 * @b:		the second one
 * @json:	as JSON, else as tables
 * @out:	where the text goes
 */
void compare_print(const struct profile *a, const struct profile *b,
		   bool json, FILE *out);

#endif
