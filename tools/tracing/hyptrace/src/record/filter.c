// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of events. See filter.h.
 *
 * The reason why a filter is rejected is in the last entry of error_log:
 *
 *	[   12.345678] event filter parse error: error: Field not found
 *	  Command: foo == 1
 *	           ^
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "record/filter.h"

#define WHY		"error: "
#define COMMAND		"\n  Command: "

/* The text behind the last @needle in @text, or NULL */
static char *behind_last(char *text, const char *needle)
{
	char *at = NULL, *next = text;

	while ((next = strstr(next, needle))) {
		next += strlen(needle);
		at = next;
	}
	return at;
}

/* The byte of the filter that the caret below it points to */
static size_t column_of(const char *command)
{
	const char *line = strchr(command, '\n');
	size_t spaces = line ? strspn(line + 1, " ") : 0;
	size_t before = strlen(COMMAND) - 1;

	if (!line || line[1 + spaces] != '^' || spaces < before)
		return 0;
	return spaces - before;
}

int filter_refused(const struct tdir *d, const char *event, const char *filter)
{
	char *text = tdir_has(d, "error_log") ? tdir_read(d, "error_log", NULL) : NULL;
	char *command = text ? behind_last(text, COMMAND) : NULL;
	size_t column, len = strlen(filter);
	char *why = NULL;

	if (command && !strncmp(command, filter, len) && command[len] == '\n') {
		column = column_of(command);
		command[-(int)strlen(COMMAND)] = '\0';
		why = behind_last(text, WHY);
	}
	if (why)
		log_error("bad filter '%s' for %s: %s, at byte %zu: '%s'", filter,
			  event, why, column, filter + (column < len ? column : len));
	else
		log_error("bad filter '%s' for %s", filter, event);
	free(text);
	return -1;
}

/* Return: 1 if @event has no filter and needs none; -1 with a message */
static int needs_none(const struct tdir *d, const char *event, const char *file,
		      const char *filter)
{
	char *now;
	int ret;

	if (!tdir_has(d, file))
		return *filter ? log_error("%s does not support filters", event) : 1;
	if (*filter)
		return 0;
	now = tdir_read_word(d, file);
	ret = now ? !strcmp(now, "none") : -1;
	free(now);
	return ret;
}

static int set_filter(const struct tdir *d, struct undo *undo, const char *event,
		      const char *filter)
{
	char *file = xasprintf("events/%s/filter", event);
	int ret = file ? needs_none(d, event, file, filter) : -1;

	if (!ret)
		ret = tdir_try(d, undo, file, *filter ? filter : "0");
	else if (ret > 0)
		ret = 0;
	if (ret == -EINVAL)
		ret = filter_refused(d, event, filter);
	else if (ret < -1)
		ret = log_error("cannot set the filter '%s' for %s: %s", filter,
				event, strerror(-ret));
	free(file);
	return ret;
}

int filters_set(const struct tdir *d, struct undo *undo,
		const struct strlist *events, const struct strlist *filters)
{
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		if (set_filter(d, undo, events->str[i], filters->str[i]))
			return -1;
	}
	return 0;
}
