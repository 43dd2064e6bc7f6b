// SPDX-License-Identifier: GPL-2.0
/*
 * Strings in JSON. See json.h.
 */
#include <string.h>

#include "json.h"

void json_bytes(FILE *out, const char *text, size_t size)
{
	const u8 *p = (const u8 *)text;

	fputc('"', out);
	for (; size--; p++) {
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20 || *p >= 0x7f)
			fprintf(out, "\\u%04x", *p);
		else
			fputc(*p, out);
	}
	fputc('"', out);
}

void json_string(FILE *out, const char *text)
{
	json_bytes(out, text, strlen(text));
}
