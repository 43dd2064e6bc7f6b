/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The conversions of a format string, as libtraceevent finds them.
 */
#ifndef HYPTRACE_FMTCONV_H
#define HYPTRACE_FMTCONV_H

#include "lib/types.h"

/**
 * struct fmt_conv - a conversion
 * @type:	its last character, such as 'd' or 'p'; 0 if the string ends before
 * @stars:	how many '*' it has
 * @precision:	the '*' is for the precision, not for the width
 * @safe:	printf() cannot do harm with it: its width is small, and it is not "%ls"
 * @takes_arg:	it takes an argument with every version of libtraceevent. If not, the
 *		arguments of those that follow are not known.
 * @modifiers:	what is between '%' and @type
 * @nr_modifiers: how many characters
 * @extension:	what is behind "%p" and belongs to it: letters and digits
 * @nr_extension: how many
 * @exact:	libtraceevent prints what the kernel prints, if the argument is one that it knows
 */
struct fmt_conv {
	char type;
	unsigned int stars;
	bool precision;
	bool safe;
	bool takes_arg;
	const char *modifiers;
	size_t nr_modifiers;
	const char *extension;
	size_t nr_extension;
	bool exact;
};

/**
 * fmt_next_conv - find the next conversion
 * @at:		where to begin; then, what is behind it
 * @c:		the conversion
 *
 * Return: false if there is none.
 */
bool fmt_next_conv(const char **at, struct fmt_conv *c);

/**
 * fmt_check_printk - whether libtraceevent prints a format string of printk as the kernel does
 *
 * Its arguments are in the record and are not checked.
 */
bool fmt_check_printk(const char *string);

#endif
