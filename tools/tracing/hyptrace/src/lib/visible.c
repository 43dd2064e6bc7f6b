// SPDX-License-Identifier: GPL-2.0
/*
 * Text of others. See visible.h.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "lib/utf8.h"
#include "lib/visible.h"

/* Of a character: four bytes, each escaped */
#define CHAR_SIZE	VISIBLE_SIZE(4)

static int escape(char *to, u8 byte)
{
	static const char letters[] = "abtnvfr";

	if (byte == '\\')
		return sprintf(to, "\\\\");
	if (byte >= '\a' && byte <= '\r')
		return sprintf(to, "\\%c", letters[byte - '\a']);
	return sprintf(to, "\\%03o", byte);
}

/* The first character of @text as it is written. Return: its bytes in @text. */
static size_t show_char(char *to, const char *text)
{
	u32 c;
	size_t size = utf8_char(text, strnlen(text, 4), &c), i;

	if (size && !utf8_control(c) && c != '\\') {
		memcpy(to, text, size);
		to[size] = '\0';
		return size;
	}
	size = size ? size : 1;
	for (i = 0; i < size; i++)
		to += escape(to, text[i]);
	return size;
}

/* Bytes that are written as they are, as most are */
static size_t plain_length(const char *text)
{
	const char *p;

	for (p = text; *p >= ' ' && *p < 0x7f && *p != '\\'; p++)
		;
	return p - text;
}

void visible_put(FILE *out, const char *text)
{
	char shown[CHAR_SIZE];
	size_t plain;

	for (;;) {
		plain = plain_length(text);
		fwrite(text, 1, plain, out);
		text += plain;
		if (!*text)
			return;
		text += show_char(shown, text);
		fputs(shown, out);
	}
}

/* Characters that @c has when it is written */
static int shown_length(const char *shown)
{
	/* what is not ASCII is one character */
	return (u8)*shown < 0x80 ? strlen(shown) : 1;
}

/* Bytes of @text that fit into @max characters; their number in @nr */
static size_t measure(const char *text, int max, int *nr)
{
	char shown[CHAR_SIZE];
	const char *p = text;
	size_t size;
	int more;

	for (*nr = 0; *p; *nr += more, p += size) {
		size = show_char(shown, p);
		more = shown_length(shown);
		if (*nr + more > max)
			break;
	}
	return p - text;
}

static void put_blanks(FILE *out, int nr)
{
	static const char blanks[] = "                ";
	int some;

	for (; nr > 0; nr -= some) {
		some = MIN(nr, (int)strlen(blanks));
		fwrite(blanks, 1, some, out);
	}
}

void visible_cell(FILE *out, const char *text, int width, int max)
{
	char shown[CHAR_SIZE];
	size_t plain = plain_length(text);
	const char *end;
	int nr;

	if (text[plain]) {
		end = text + measure(text, max, &nr);
	} else {
		nr = MIN(plain, (size_t)max);
		end = text + nr;
	}
	if (width > 0)
		put_blanks(out, width - nr);
	if (!text[plain]) {
		fwrite(text, 1, nr, out);
		text = end;
	}
	while (text < end) {
		text += show_char(shown, text);
		fputs(shown, out);
	}
	if (width < 0)
		put_blanks(out, -width - nr);
}

unsigned int visible_width(const char *text)
{
	int nr;

	measure(text, INT_MAX, &nr);
	return nr;
}

void visible_copy(char *to, size_t size, const char *text)
{
	char shown[CHAR_SIZE];
	size_t len;

	*to = '\0';
	while (*text) {
		text += show_char(shown, text);
		len = strlen(shown);
		if (len >= size)
			return;
		memcpy(to, shown, len + 1);
		to += len;
		size -= len;
	}
}
