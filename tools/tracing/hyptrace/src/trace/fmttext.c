// SPDX-License-Identifier: GPL-2.0
/*
 * A format text that is consumed from the front. See fmttext.h.
 */
#include <ctype.h>
#include <string.h>

#include "trace/fmttext.h"

void fmt_skip_blanks(struct fmt_text *t)
{
	while (isspace(fmt_peek(t)))
		t->at++;
}

bool fmt_take(struct fmt_text *t, const char *s)
{
	size_t len = strlen(s);

	if ((size_t)(t->end - t->at) < len || memcmp(t->at, s, len))
		return false;
	t->at += len;
	return true;
}

bool fmt_take_token(struct fmt_text *t, const char *s)
{
	fmt_skip_blanks(t);
	return fmt_take(t, s);
}

struct fmt_word fmt_take_word(struct fmt_text *t)
{
	struct fmt_word w = { t->at, 0 };

	while (isalnum(fmt_peek(t)) || fmt_peek(t) == '_')
		t->at++;
	w.len = t->at - w.at;
	return w;
}

bool fmt_is_word(const struct fmt_word *w, const char *s)
{
	return w->len == strlen(s) && !memcmp(w->at, s, w->len);
}

const struct fmt_field *fmt_find_field(const struct fmt_text *t, const struct fmt_word *name)
{
	unsigned int i;

	for (i = 0; i < t->nr_fields; i++) {
		if (t->field[i].name.len == name->len &&
		    !memcmp(t->field[i].name.at, name->at, name->len))
			return &t->field[i];
	}
	return NULL;
}
