// SPDX-License-Identifier: GPL-2.0
/*
 * JSON strings. See json.h.
 */
#include <string.h>

#include "lib/json.h"
#include "lib/utf8.h"

static void put_char(FILE *out, const char *text, size_t size, u32 c)
{
	if (c == '"' || c == '\\')
		fprintf(out, "\\%c", c);
	else if (utf8_control(c))
		fprintf(out, "\\u%04x", c);
	else
		fwrite(text, size, 1, out);
}

void json_bytes(FILE *out, const char *text, size_t size)
{
	size_t n;
	u32 c;

	fputc('"', out);
	for (; size; text += n, size -= n) {
		n = utf8_char(text, size, &c);
		if (n) {
			put_char(out, text, n, c);
			continue;
		}
		fprintf(out, "\\u%04x", (u8)*text);
		n = 1;
	}
	fputc('"', out);
}

void json_string(FILE *out, const char *text)
{
	json_bytes(out, text, strlen(text));
}
