// SPDX-License-Identifier: GPL-2.0
/*
 * A choice of events. See evset.h.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "record/evset.h"

/* What to do with each event; a result other than 0 ends the walk */
typedef int (*event_fn)(void *ctx, const struct tdir *d, const char *id);

/* Whether to walk through the events of @system; below 0 ends the walk */
typedef int (*system_fn)(void *ctx, const struct tdir *d, const char *system);

static int walk_system(const struct tdir *d, const char *system, event_fn fn,
		       void *ctx)
{
	struct strlist events = { 0 };
	int ret = tdir_events(d, system, &events);
	unsigned int i;
	char *id;

	for (i = 0; !ret && i < events.nr; i++) {
		id = xasprintf("%s/%s", system, events.str[i]);
		ret = id ? fn(ctx, d, id) : -1;
		free(id);
	}
	strlist_free(&events);
	return ret;
}

static int walk_events(const struct tdir *d, system_fn wants, event_fn fn, void *ctx)
{
	struct strlist systems = { 0 };
	int ret = tdir_systems(d, &systems);
	unsigned int i;

	for (i = 0; !ret && i < systems.nr; i++) {
		ret = wants(ctx, d, systems.str[i]);
		if (ret > 0)
			ret = walk_system(d, systems.str[i], fn, ctx);
	}
	strlist_free(&systems);
	return ret;
}

/**
 * struct match - what evset_add() looks for
 * @set:	gets what matches
 * @system:	NULL for any
 * @event:	"*" for any
 * @found:	number of matches
 */
struct match {
	struct strlist *set;
	const char *system;
	const char *event;
	unsigned int found;
};

static bool matches(const char *want, const char *name)
{
	return !want || !strcmp(want, "*") || !strcmp(want, name);
}

static int match_system(void *ctx, const struct tdir *d, const char *system)
{
	const struct match *m = ctx;

	(void)d;
	return matches(m->system, system);
}

static int add_match(void *ctx, const struct tdir *d, const char *id)
{
	struct match *m = ctx;

	(void)d;
	if (!matches(m->event, strchr(id, '/') + 1))
		return 0;
	m->found++;
	return strlist_has(m->set, id) ? 0 : strlist_add(m->set, id);
}

static int add_named(const struct tdir *d, struct match *m)
{
	return walk_events(d, match_system, add_match, m);
}

static bool is_system(const struct tdir *d, const char *name)
{
	char *file = xasprintf("events/%s/enable", name);
	bool is = file && tdir_has(d, file);

	free(file);
	return is;
}

int evset_add(struct strlist *set, const struct tdir *d, const char *name)
{
	struct match m = { .set = set };
	char *copy = xasprintf("%s", name), *sep, *events;
	int ret;

	if (!copy)
		return -1;
	sep = strpbrk(copy, ":/");
	if (sep)
		*sep = '\0';
	if (sep || is_system(d, copy))
		m.system = copy;
	m.event = sep ? sep + 1 : m.system ? "*" : copy;
	ret = add_named(d, &m);
	free(copy);
	if (ret || m.found)
		return ret;
	events = tdir_path(d, "events");
	log_error("unknown event '%s': expected SYSTEM:EVENT, SYSTEM or EVENT as listed in %s",
		  name, events ? events : "events");
	free(events);
	return -1;
}

int evset_add_if(struct strlist *set, const struct tdir *d,
		 const char *system, const char *event)
{
	char *format = xasprintf("events/%s/%s/format", system, event);
	char *id = xasprintf("%s/%s", system, event);
	int ret = format && id ? 0 : -1;

	if (!ret && tdir_has(d, format))
		ret = strlist_add(set, id);
	free(format);
	free(id);
	return ret;
}

int evset_add_all(struct strlist *set, const struct tdir *d)
{
	struct match m = { .set = set, .event = "*" };

	return add_named(d, &m);
}

/* The file has lines "system:event" */
int evset_add_enabled(struct strlist *set, const struct tdir *d)
{
	char *text = tdir_read(d, "set_event", NULL), *rest = text, *line, *colon;
	int ret = text ? 0 : -1;

	while (!ret && (line = strsep(&rest, "\n"))) {
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '/';
		ret = strlist_add(set, line);
	}
	free(text);
	return ret;
}

struct switcher {
	const struct strlist *set;
	struct undo *undo;
};

static int switch_event(void *ctx, const struct tdir *d, const char *id)
{
	struct switcher *s = ctx;
	const char *want = strlist_has(s->set, id) ? "1" : "0";
	char *file = xasprintf("events/%s/enable", id), *now;
	int ret = 0;

	if (!file)
		return -1;
	now = tdir_has(d, file) ? tdir_read_word(d, file) : strdup(want);
	if (!now)
		ret = -1;
	else if (strcmp(now, want))
		ret = s->undo ? tdir_change(d, s->undo, file, want) :
				tdir_write(d, file, want);
	free(now);
	free(file);
	return ret;
}

/* In most systems no event is enabled, or has to be */
static int switch_system(void *ctx, const struct tdir *d, const char *system)
{
	const struct switcher *s = ctx;
	char *file = xasprintf("events/%s/enable", system), *now;
	size_t len = strlen(system);
	unsigned int i;
	int ret;

	now = file ? tdir_read_word(d, file) : NULL;
	ret = now ? strcmp(now, "0") != 0 : -1;
	for (i = 0; !ret && i < s->set->nr; i++)
		ret = !strncmp(s->set->str[i], system, len) && s->set->str[i][len] == '/';
	free(now);
	free(file);
	return ret;
}

int evset_enable(const struct strlist *set, const struct tdir *d,
		 struct undo *undo)
{
	struct switcher s = { set, undo };

	return walk_events(d, switch_system, switch_event, &s);
}

int evset_disable_all(const struct tdir *d, struct undo *undo)
{
	struct strlist none = { 0 };

	return evset_enable(&none, d, undo);
}
