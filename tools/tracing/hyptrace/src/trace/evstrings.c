// SPDX-License-Identifier: GPL-2.0
/*
 * Texts of trace_printk() and trace_puts(). See evstrings.h.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "trace/evstrings.h"

/**
 * struct evstring - a text
 * @text:	the text
 * @format:	libtraceevent can print it
 */
struct evstring {
	char *text;
	bool format;
};

/* The kernel writes a newline, a tab and a quote with a backslash; the text gets shorter */
static void remove_escapes(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text != '\\' || !text[1] || !strchr("nt\"", text[1]))
			*to++ = *text;
		else if (*++text == 'n')
			*to++ = '\n';
		else
			*to++ = *text == 't' ? '\t' : '"';
	}
	*to = '\0';
}

int evstrings_add(struct evstrings *s, u64 address, const char *text, bool format)
{
	char *copy = strdup(text);
	bool is_new = false;
	s32 i = -1;

	if (copy && !array_room(&s->string, &s->room, s->at.nr + 1, sizeof(*s->string)))
		i = u64map_get(&s->at, address, &is_new);
	if (!is_new) {
		free(copy);
		return i < 0 ? -1 : 0;
	}
	remove_escapes(copy);
	s->string[i] = (struct evstring) { copy, format };
	return 0;
}

static const struct evstring *find(const struct evstrings *s, u64 address)
{
	s32 i = u64map_find(&s->at, address);

	return i < 0 ? NULL : &s->string[i];
}

bool evstrings_has_format(const struct evstrings *s, u64 address)
{
	const struct evstring *found = find(s, address);

	return found && found->format;
}

const char *evstrings_text(const struct evstrings *s, u64 address)
{
	const struct evstring *found = find(s, address);

	return found ? found->text : NULL;
}

void evstrings_free(struct evstrings *s)
{
	while (s->at.nr)
		free(s->string[--s->at.nr].text);
	free(s->string);
	u64map_free(&s->at);
}
