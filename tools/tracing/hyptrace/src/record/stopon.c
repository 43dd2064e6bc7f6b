// SPDX-License-Identifier: GPL-2.0
/*
 * An event that stops tracing: a trigger "traceoff". See stopon.h.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "lib/unit.h"
#include "record/evset.h"
#include "record/filter.h"
#include "record/stopon.h"

/* Reading */

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* How long a number with a unit at @text is, 0 if there is none */
static size_t unit_number(const char *text)
{
	size_t digits = strspn(text, "0123456789"), len;
	enum unit unit;

	for (unit = UNIT_NS; digits && unit_words[unit]; unit++) {
		len = strlen(unit_words[unit]);
		if (!strncmp(text + digits, unit_words[unit], len) && !in_word(text[digits + len]))
			return digits + len;
	}
	return 0;
}

/* Copy the number with a unit at @text in ns. Return: where @to ends, NULL with a message. */
static char *put_ns(char *to, const char *text, size_t len)
{
	char *number = xasprintf("%.*s", (int)len, text);
	u64 ns;

	if (!number)
		return NULL;
	if (parse_ns(number, &ns)) {
		log_error("bad time '%s' in --stop-on: too large", number);
		to = NULL;
	} else {
		to += sprintf(to, "%llu", (unsigned long long)ns);
	}
	free(number);
	return to;
}

/* All numbers with a unit in ns; a time takes up to 20 digits */
static char *in_ns(const char *text)
{
	char *copy = calloc(strlen(text) * 10 + 32, 1), *to = copy;
	char quote = 0, before = ' ';
	size_t len;

	if (!copy)
		log_oom();
	while (to && *text) {
		if (*text == '"' || *text == '\'')
			quote = quote == *text ? 0 : quote ?: *text;
		len = quote || in_word(before) ? 0 : unit_number(text);
		if (len) {
			to = put_ns(to, text, len);
			text += len;
			before = 's';
			continue;
		}
		before = *text;
		*to++ = *text++;
	}
	if (to)
		return copy;
	free(copy);
	return NULL;
}

int stopon_parse(struct stopon *s, const char *text)
{
	size_t len;

	text += strspn(text, " ");
	len = strcspn(text, " ");
	if (!len)
		return log_error("bad --stop-on '': expected an event, and a filter such as 'hyp_exit duration > 50us'");
	s->event = xasprintf("%.*s", (int)len, text);
	text += len;
	s->filter = in_ns(text + strspn(text, " "));
	return s->event && s->filter ? 0 : -1;
}

/* The trigger */

int stopon_choose(struct stopon *s, struct recording *r)
{
	struct strlist ids = { 0 };
	int ret = evset_add(&ids, r->dir[HYP], s->event);

	if (!ret && ids.nr != 1)
		ret = log_error("--stop-on '%s': expected one event", s->event);
	if (!ret) {
		free(s->event);
		s->event = xasprintf("%s", ids.str[0]);
		ret = s->event ? 0 : -1;
	}
	if (!ret && strlist_find(&r->events[HYP], s->event) == r->events[HYP].nr)
		ret = strlist_add(&r->events[HYP], s->event) ||
		      strlist_add(&r->filters[HYP], "") ? -1 : 0;
	strlist_free(&ids);
	return ret;
}

static char *trigger_file(const struct stopon *s)
{
	return xasprintf("events/%s/trigger", s->event);
}

/* Noted before it is set, as every change */
static int set_trigger(const struct stopon *s, const struct tdir *d, struct undo *undo,
		       const char *file)
{
	char *text = xasprintf(*s->filter ? "traceoff if %s" : "traceoff", s->filter);
	char *path = tdir_path(d, file);
	int ret = -1;

	if (text && path && !undo_write(undo, path, "!traceoff")) {
		ret = tdir_try(d, NULL, file, text);
		if (ret)
			undo_drop(undo);
	}
	free(path);
	free(text);
	return ret;
}

int stopon_arm(const struct stopon *s, const struct tdir *d, struct undo *undo)
{
	char *file = trigger_file(s);
	int ret = -1;

	if (file && !tdir_has(d, file))
		log_error("--stop-on: %s has no triggers: needs a kernel with CONFIG_NVHE_EL2_TRIGGERS",
			  s->event);
	else if (file)
		ret = set_trigger(s, d, undo, file);
	free(file);
	if (ret == -EINVAL)
		return filter_refused(d, s->event, s->filter);
	if (ret == -EEXIST)
		return log_error("%s has a trigger that switches tracing already: remove it first",
				 s->event);
	if (ret < -1)
		return log_error("cannot set the trigger of %s: %s", s->event, strerror(-ret));
	return ret;
}

int stopon_happened(const struct tdir *d)
{
	char *by = tdir_read_word(d, "stopped_by");
	int ret = by ? strcmp(by, "none") != 0 : -1;

	free(by);
	return ret;
}

/* "[001]\t   12.345678: hyp_exit reason=..." */
static int take_line(struct stopon *s, const char *line)
{
	const char *at = strchr(line, '\t');
	const char *rest = at ? parse_stamp(at + 1 + strspn(at + 1, " "), &s->ts) : NULL;

	if (!rest)
		return log_error("cannot read the time of the event that stopped tracing: '%s'",
				 line);
	s->text = xasprintf("%s", at + 1 + strspn(at + 1, " "));
	return s->text ? 0 : -1;
}

/* The last line of an event. Its stack may follow, with a line for each caller */
static const char *last_event(char *text)
{
	const char *last = text, *line;

	while ((line = strsep(&text, "\n"))) {
		if (*line == '[' && !strstr(line, ": kernel_stack "))
			last = line;
	}
	return last;
}

/* It is the last one of its CPU */
int stopon_find(struct stopon *s, const struct tdir *d)
{
	char *by = tdir_read_word(d, "stopped_by"), *file = NULL, *text = NULL;
	int ret = -1;

	if (by)
		s->cpu = atoi(by);
	file = by ? xasprintf("per_cpu/cpu%u/trace", s->cpu) : NULL;
	text = file ? tdir_read(d, file, NULL) : NULL;
	if (text && *text)
		ret = take_line(s, last_event(text));
	else if (text)
		log_error("CPU %u has stopped tracing, but has no event", s->cpu);
	free(text);
	free(file);
	free(by);
	return ret;
}

void stopon_free(struct stopon *s)
{
	free(s->event);
	free(s->filter);
	free(s->text);
}
