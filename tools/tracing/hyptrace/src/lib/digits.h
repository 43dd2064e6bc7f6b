/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers as text in memory, as printf() writes them, but much faster.
 */
#ifndef HYPTRACE_DIGITS_H
#define HYPTRACE_DIGITS_H

#include "lib/types.h"

/* Room for any number, if its width is not larger */
#define DIGITS_SIZE	20

/*
 * Each writes @v with at least @width characters, the rest of them @fill in front; @to is
 * not terminated.
 *
 * Return: the end of what was written.
 */
char *digits_decimal(char *to, u64 v, unsigned int width, char fill);
char *digits_hex(char *to, u64 v, unsigned int width, char fill);

#endif
