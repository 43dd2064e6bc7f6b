// SPDX-License-Identifier: GPL-2.0
/*
 * JSON strings. See json.h.
 */
#include <string.h>

#include "lib/json.h"

/* Bytes of the UTF-8 character at @p; 0 if it is ASCII, or none */
static size_t utf8_size(const u8 *p, size_t left)
{
	static const u32 least[] = { [2] = 0x80, [3] = 0x800, [4] = 0x10000 };
	/* as many as there are ones at the front of the first */
	size_t size = __builtin_clz(~((u32)*p << 24)), i;
	u32 c;

	if (size < 2 || size > 4 || size > left)
		return 0;
	c = *p & (0x7f >> size);
	for (i = 1; i < size; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	/* neither overlong, nor a surrogate of UTF-16 */
	return c >= least[size] && c < 0x110000 && c >> 11 != 0x1b ? size : 0;
}

static void put_byte(FILE *out, u8 byte)
{
	if (byte == '"' || byte == '\\')
		fprintf(out, "\\%c", byte);
	else if (byte < 0x20 || byte >= 0x7f)
		fprintf(out, "\\u%04x", byte);
	else
		fputc(byte, out);
}

void json_bytes(FILE *out, const char *text, size_t size)
{
	size_t n;

	fputc('"', out);
	for (; size; text += n, size -= n) {
		n = utf8_size((const u8 *)text, size);
		if (n) {
			fwrite(text, n, 1, out);
			continue;
		}
		put_byte(out, *text);
		n = 1;
	}
	fputc('"', out);
}

void json_string(FILE *out, const char *text)
{
	json_bytes(out, text, strlen(text));
}
