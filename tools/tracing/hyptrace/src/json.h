/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings in JSON.
 */
#ifndef HYPTRACE_JSON_H
#define HYPTRACE_JSON_H

#include <stdio.h>

#include "types.h"

/**
 * json_bytes - print a string in its quotes
 * @out:	where it goes
 * @text:	any bytes
 * @size:	how many
 *
 * What is UTF-8 is printed as it is. A byte that is not may be of any encoding: it is
 * taken as one of Latin 1.
 */
void json_bytes(FILE *out, const char *text, size_t size);

/** json_string - the same of all of @text */
void json_string(FILE *out, const char *text);

#endif
