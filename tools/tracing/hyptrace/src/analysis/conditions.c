// SPDX-License-Identifier: GPL-2.0
/*
 * How recordings were made. See conditions.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/conditions.h"
#include "lib/log.h"
#include "lib/util.h"

static const char unknown[] = "not known";

/**
 * struct condition_kind - a condition
 * @name:	for people
 * @grave:	figures cannot be compared if it differs
 * @prefix:	how lines begin in the file's CPUSTAT texts, if it is there
 */
struct condition_kind {
	const char *name;
	bool grave;
	const char *prefix;
};

static const struct condition_kind kinds[NR_CONDITIONS] = {
	[CONDITION_FUNCTIONS]	= { .name = "functions", .grave = true },
	[CONDITION_STACKS]	= { .name = "stacks", .grave = true },
	[CONDITION_CLOCK]	= { .name = "clock", .grave = true },
	[CONDITION_TIME]	= { "time", true, "hyptrace: time=" },
	[CONDITION_OPTIONS]	= { "KVM's options", false, "hyptrace: option=" },
	[CONDITION_KERNEL]	= { .name = "kernel" },
	[CONDITION_CPUS]	= { .name = "CPUs" },
	[CONDITION_EVENTS]	= { "events", false, "hyptrace: enabled=" },
	[CONDITION_FILTERS]	= { "filters", false, "hyptrace: filter=" },
	[CONDITION_LOST]	= { .name = "lost events" },
	[CONDITION_BOOTS]	= { "boots", false, "hyptrace: boot=" },
};

/* One recording */

/* The lines with this prefix. Return: how many */
static unsigned int put_texts(FILE *out, const struct datr *d, const char *prefix)
{
	unsigned int i, nr = 0;
	const char *text;

	for (i = 0; (text = datr_text(d, i)); i++) {
		if (strncmp(text, prefix, strlen(prefix)))
			continue;
		fputs(text + strlen(prefix), out);
		nr++;
	}
	return nr;
}

/* Filters are not in files of older versions */
static bool put_filters(FILE *out, const struct datr *d)
{
	return put_texts(out, d, kinds[CONDITION_FILTERS].prefix) ||
	       !put_texts(out, d, "hyptrace: filtered=");
}

static bool put_cpus(FILE *out, const struct datr *d)
{
	unsigned int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (datr_has_cpu(d, cpu))
			fprintf(out, "%u\n", cpu);
	}
	return true;
}

static bool put_line(FILE *out, const char *text)
{
	return text && fprintf(out, "%s\n", text) > 0;
}

static bool put_lost(FILE *out, const struct account_result *events)
{
	if (events->lost || events->vague)
		fprintf(out, "%llu%s\n", events->lost, lost_more(events->vague));
	return true;
}

/* Return: whether it is known */
static bool put(FILE *out, const struct datr *d, const struct profile *p, enum condition which)
{
	switch (which) {
	case CONDITION_FUNCTIONS:
		return !p->calls || put_line(out, "recorded");
	case CONDITION_STACKS:
		return !p->stacks || put_line(out, "recorded");
	case CONDITION_CLOCK:
		return datr_nr_buffers(d) && put_line(out, datr_buffer(d, 0)->clock);
	case CONDITION_KERNEL:
		return put_line(out, datr_uname(d));
	case CONDITION_CPUS:
		return put_cpus(out, d);
	case CONDITION_FILTERS:
		return put_filters(out, d);
	case CONDITION_LOST:
		return put_lost(out, &p->events);
	case CONDITION_TIME:
	case CONDITION_OPTIONS:
	case CONDITION_EVENTS:
	case CONDITION_BOOTS:
	case NR_CONDITIONS:
		break;
	}
	return put_texts(out, d, kinds[which].prefix);
}

int conditions_read(struct conditions *c, const struct datr *d, const struct profile *p)
{
	enum condition which;
	size_t size;
	bool known;
	FILE *out;

	*c = (struct conditions) { 0 };
	for (which = 0; which < NR_CONDITIONS; which++) {
		out = open_memstream(&c->text[which], &size);
		if (!out)
			return log_oom();
		known = put(out, d, p, which);
		if (fclose(out))
			return log_oom();
		if (known)
			continue;
		free(c->text[which]);
		c->text[which] = NULL;
	}
	return 0;
}

void conditions_free(struct conditions *c)
{
	enum condition which;

	for (which = 0; which < NR_CONDITIONS; which++)
		free(c->text[which]);
}

bool conditions_virtual(const struct conditions *c)
{
	const char *time = c->text[CONDITION_TIME];

	return time && !strcmp(time, "virtual\n");
}

/* Several */

static const char *text_of(const struct conditions *c, enum condition which)
{
	return c->text[which] ?: unknown;
}

/* Takes a line from @text. Return: its length; *@text is then what follows it */
static size_t take_line(const char **text)
{
	size_t len = strcspn(*text, "\n");

	*text += len + !!(*text)[len];
	return len;
}

static bool has_line(const char *text, const char *line, size_t size)
{
	const char *at;
	size_t len;

	while (*(at = text)) {
		len = take_line(&text);
		if (len == size && !memcmp(at, line, size))
			return true;
	}
	return false;
}

/* How many of the recordings have a line */
static unsigned int count(const struct conditions *c, unsigned int nr, enum condition which,
			  const char *line, size_t size)
{
	unsigned int i, sum = 0;

	for (i = 0; i < nr; i++)
		sum += has_line(text_of(&c[i], which), line, size);
	return sum;
}

/**
 * struct search - the recordings whose conditions are compared
 * @all:	all of them
 * @nr_all:	how many
 * @which:	the condition
 */
struct search {
	const struct conditions *all;
	unsigned int nr_all;
	enum condition which;
};

/* The lines of @c[@i] that not all have, nor those of the same side before it */
static void put_own(FILE *out, const struct search *s, const struct conditions *c, unsigned int i)
{
	const char *text = text_of(&c[i], s->which), *at;
	size_t len;

	while (*(at = text)) {
		len = take_line(&text);
		if (c[i].text[s->which] &&
		    count(s->all, s->nr_all, s->which, at, len) == s->nr_all)
			continue;
		if (!count(c, i, s->which, at, len))
			fprintf(out, "%s%.*s", ftell(out) ? ", " : "", (int)len, at);
	}
}

/* Return: for free(), "" for nothing; NULL with a message */
static char *own_lines(const struct search *s, const struct conditions *c, unsigned int nr)
{
	char *text = NULL;
	unsigned int i;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; out && i < nr; i++)
		put_own(out, s, c, i);
	if (out && !fclose(out))
		return text;
	free(text);
	log_oom();
	return NULL;
}

/* Whether two recordings differ, of which both are known */
static bool is_known_to_differ(const struct search *s)
{
	const char *first = NULL, *text;
	unsigned int i;

	for (i = 0; i < s->nr_all; i++) {
		text = s->all[i].text[s->which];
		if (text && first && strcmp(text, first))
			return true;
		first = text ?: first;
	}
	return false;
}

/* Return: as own_lines() */
static char *describe(const struct difference *d)
{
	const char *a = d->side[0], *b = d->side[1];

	if (!strcmp(a, unknown) && !strcmp(b, unknown))
		return xasprintf("%s: %s", d->what, a);
	return xasprintf("different %s: %s%s%s%s%s", d->what, a, *a ? " in A" : "",
			 *a && *b ? ", " : "", b, *b ? " in B" : "");
}

/* How many of the recordings are of the same boot as the i-th */
static unsigned int count_boot(const struct conditions *c, unsigned int nr, const char *boot)
{
	return count(c, nr, CONDITION_BOOTS, boot, strcspn(boot, "\n"));
}

static unsigned int count_boots(const struct conditions *c, unsigned int nr)
{
	unsigned int i, sum = 0;

	for (i = 0; i < nr; i++)
		sum += !count_boot(c, i, c[i].text[CONDITION_BOOTS]);
	return sum;
}

/*
 * Recordings of one boot depend on each other. That makes no difference if both sides have some of
 * the same boot, or if each is of a boot of its own
 */
static bool boots_differ(const struct conditions *c, unsigned int nr_a, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!c[i].text[CONDITION_BOOTS])
			return false;
		if (i < nr_a && count_boot(c + nr_a, nr - nr_a, c[i].text[CONDITION_BOOTS]))
			return false;
	}
	return count_boots(c, nr) < nr;
}

static char *boots_text(const struct conditions *c, unsigned int nr)
{
	return xasprintf("%u for %u recordings", count_boots(c, nr), nr);
}

/* Sets @side; to "" if there is no difference */
static void compare_sides(struct difference *d, const struct search *s, unsigned int nr_a)
{
	const struct conditions *b = s->all + nr_a;
	unsigned int nr_b = s->nr_all - nr_a;

	if (s->which == CONDITION_BOOTS && boots_differ(s->all, nr_a, s->nr_all)) {
		d->side[0] = boots_text(s->all, nr_a);
		d->side[1] = boots_text(b, nr_b);
	} else if (s->which == CONDITION_BOOTS) {
		d->side[0] = xasprintf("%s", "");
		d->side[1] = xasprintf("%s", "");
	} else {
		d->side[0] = own_lines(s, s->all, nr_a);
		d->side[1] = own_lines(s, b, nr_b);
	}
}

int differences_find(struct difference *out, const struct conditions *c, unsigned int nr_a,
		     unsigned int nr)
{
	struct search s = { .all = c, .nr_all = nr };
	struct difference *d;

	for (; s.which < NR_CONDITIONS; s.which++) {
		d = &out[s.which];
		compare_sides(d, &s, nr_a);
		if (!d->side[0] || !d->side[1])
			return -1;
		if (!*d->side[0] && !*d->side[1])
			continue;
		d->what = kinds[s.which].name;
		d->grave = kinds[s.which].grave && is_known_to_differ(&s);
		d->text = describe(d);
		if (!d->text)
			return -1;
	}
	return 0;
}

void differences_free(struct difference *d)
{
	enum condition which;

	for (which = 0; which < NR_CONDITIONS; which++) {
		free(d[which].text);
		free(d[which].side[0]);
		free(d[which].side[1]);
	}
}
