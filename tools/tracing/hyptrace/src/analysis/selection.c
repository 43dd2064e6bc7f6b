// SPDX-License-Identifier: GPL-2.0
/*
 * Selects events. See selection.h.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/selection.h"
#include "lib/log.h"

/**
 * struct selection - a selection in progress
 * @d:		the file
 * @db:		its events
 * @rule:	which of them are wanted
 * @sink:	takes them
 * @kept:	a ring of events that may become context of a later one
 * @nr_kept:	how many there are
 * @next_kept:	where the next one goes
 * @follow:	this many of the next events are context
 * @left_out:	events were left out since the last one
 * @matched:	by side and CPU: 1 + the guest's number if its last event matched, else 0
 */
struct selection {
	const struct datr *d;
	struct evdb *db;
	const struct selection_rule *rule;
	const struct selection_sink *sink;
	struct merged *kept;
	u64 nr_kept;
	u64 next_kept;
	u64 follow;
	bool left_out;
	unsigned int matched[NR_ALL_SIDES][MAX_CPUS];
};

static bool matches(const char *pattern, const struct evdb_head *h)
{
	const char *colon = strchr(pattern, ':');
	char system[64];

	if (!colon)
		return !fnmatch(pattern, h->name, 0);
	snprintf(system, sizeof(system), "%.*s", (int)(colon - pattern), pattern);
	return !fnmatch(system, h->system, 0) && !fnmatch(colon + 1, h->name, 0);
}

/* A corrupt sub-buffer is always selected */
static bool matches_event(const struct selection *s, const struct merged *ev)
{
	const struct strlist *events = &s->rule->events;
	struct evdb_head h;
	unsigned int i;

	if (!events->nr || !ev->ev.data)
		return true;
	if (!evdb_head(evdb_of(s->db, ev->guest), &ev->ev, &h))
		return false;
	for (i = 0; i < events->nr; i++) {
		if (matches(events->str[i], &h))
			return true;
	}
	return false;
}

/* A stack follows its event on the same CPU; others may be between */
static bool is_stack_of_match(struct selection *s, const struct merged *ev, bool match)
{
	unsigned int *matched = &s->matched[merged_side(s->d, ev)][ev->cpu];
	enum ev_reason reason;

	if (ev->ev.data && *matched == ev->guest + 1 &&
	    evdb_kind(evdb_of(s->db, ev->guest), &ev->ev, &reason) == EV_STACK)
		return true;
	*matched = match ? ev->guest + 1 : 0;
	return false;
}

static void hand_on_loss(struct selection *s, const struct merged *ev)
{
	if (!ev->lost)
		return;
	s->sink->loss(s->sink->ctx, ev, s->left_out);
	s->left_out = false;
}

static void hand_on(struct selection *s, const struct merged *ev)
{
	hand_on_loss(s, ev);
	s->sink->event(s->sink->ctx, ev, s->left_out);
	s->left_out = false;
}

/* Of the event, only the loss before it is reported */
static void leave_out(struct selection *s, const struct merged *ev)
{
	hand_on_loss(s, ev);
	s->left_out = true;
}

/* Take the oldest one out of the ring, which is not empty */
static const struct merged *take_kept(struct selection *s)
{
	u64 context = s->rule->context;

	return &s->kept[(s->next_kept + context - s->nr_kept--) % context];
}

static void keep_event(struct selection *s, const struct merged *ev)
{
	u64 context = s->rule->context;

	if (!context) {
		leave_out(s, ev);
		return;
	}
	if (s->nr_kept == context)
		leave_out(s, take_kept(s));
	s->kept[s->next_kept] = *ev;
	s->next_kept = (s->next_kept + 1) % context;
	s->nr_kept++;
}

void selection_feed(struct selection *s, const struct merged *ev)
{
	bool match, stack;

	if (s->rule->no[merged_side(s->d, ev)])
		return;
	match = matches_event(s, ev);
	stack = s->rule->events.nr && is_stack_of_match(s, ev, match);
	if (match || stack) {
		while (s->nr_kept)
			hand_on(s, take_kept(s));
		hand_on(s, ev);
		if (match)
			s->follow = s->rule->events.nr ? s->rule->context : 0;
	} else if (s->follow) {
		hand_on(s, ev);
		s->follow--;
	} else {
		keep_event(s, ev);
	}
}

void selection_end(struct selection *s)
{
	while (s->nr_kept)
		leave_out(s, take_kept(s));
	s->follow = 0;
}

static void find_pattern(void *ctx, const struct evdb_head *h)
{
	const char **pattern = ctx;

	if (*pattern && matches(*pattern, h))
		*pattern = NULL;
}

/* A pattern that can match no event is a mistake */
static int check_patterns(const struct selection *s)
{
	const struct strlist *events = &s->rule->events;
	const char *pattern;
	unsigned int i, guest;

	for (i = 0; i < events->nr; i++) {
		pattern = events->str[i];
		for (guest = 0; guest <= datr_nr_guests(s->d); guest++)
			evdb_each(evdb_of(s->db, guest), find_pattern, &pattern);
		if (pattern)
			return log_error("%s: no event '%s': expected EVENT or SYSTEM:EVENT of the recorded systems",
					 datr_name(s->d), pattern);
	}
	return 0;
}

static int take_rule(struct selection *s)
{
	if (check_patterns(s))
		return -1;
	if (s->rule->context)
		s->kept = calloc(s->rule->context, sizeof(*s->kept));
	return s->rule->context && !s->kept ? log_oom() : 0;
}

struct selection *selection_new(const struct datr *d, struct evdb *db,
				const struct selection_rule *rule,
				const struct selection_sink *sink)
{
	struct selection *s = calloc(1, sizeof(*s));

	if (!s) {
		log_oom();
		return NULL;
	}
	*s = (struct selection) { .d = d, .db = db, .rule = rule, .sink = sink };
	if (!take_rule(s))
		return s;
	selection_free(s);
	return NULL;
}

void selection_free(struct selection *s)
{
	if (!s)
		return;
	free(s->kept);
	free(s);
}
