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
 * Bytes that are not ASCII may be of any encoding: each is taken as one of Latin 1.
 */
void json_bytes(FILE *out, const char *text, size_t size);

/** json_string - the same of all of @text */
void json_string(FILE *out, const char *text);

#endif
