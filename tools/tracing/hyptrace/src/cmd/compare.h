/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_COMPARE_H
#define HYPTRACE_COMPARE_H

#include <stdio.h>

#include "analysis/comparison.h"
#include "lib/types.h"

/**
 * compare_print - print what differs between recordings
 * @c:		of comparison_init()
 * @json:	as JSON, else as tables
 * @out:	where the text goes
 *
 * Return: 0; 1 if something became slower by more than the limit; -1 with a message.
 */
int compare_print(const struct comparison *c, bool json, FILE *out);

#endif
