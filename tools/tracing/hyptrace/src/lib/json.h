/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON strings.
 */
#ifndef HYPTRACE_JSON_H
#define HYPTRACE_JSON_H

#include <stdio.h>

#include "lib/types.h"

/**
 * json_bytes - print a string in its quotes
 * @out:	where it goes
 * @text:	any bytes
 * @size:	how many
 *
 * UTF-8 is printed as it is, but quotes, backslashes and control characters are escaped. The
 * encoding of any other byte is not known: it is taken as Latin 1.
 */
void json_bytes(FILE *out, const char *text, size_t size);

/** json_string - the same for a terminated string */
void json_string(FILE *out, const char *text);

#endif
