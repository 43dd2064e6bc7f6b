/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A comparison as tables, or as JSON.
 */
#ifndef HYPTRACE_COMPARETEXT_H
#define HYPTRACE_COMPARETEXT_H

#include <stdio.h>

#include "analysis/comparison.h"

/**
 * comparison_print_text - print it as tables
 * @c:		the comparison
 * @width:	how long a line may be; 0 for any length
 * @out:	where the text goes
 *
 * Return: 0, or -1 with a message.
 */
int comparison_print_text(const struct comparison *c, unsigned int width, FILE *out);

/** comparison_print_json - print it as one JSON document */
void comparison_print_json(const struct comparison *c, FILE *out);

#endif
