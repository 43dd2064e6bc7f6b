/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replays the transitions of a recording: keeps a state for each page, and compares each
 * transition with the legal ones.
 */
#ifndef HYPTRACE_PAGEREPLAY_H
#define HYPTRACE_PAGEREPLAY_H

#include "analysis/pagelog.h"
#include "analysis/pagestate.h"
#include "lib/types.h"

/* Pages in one transition at most. What more would do is not followed */
#define PAGEREPLAY_MAX	8192

/**
 * struct page_step - a transition of one page
 * @event:	of which it is a part
 * @pfn:	the page
 * @known:	its state was known before
 * @legal:	it was right to make the transition, or to refuse it
 * @before:	the state before; if it was not known, what the transition implies
 * @after:	the state after; the one before if it was refused
 */
struct page_step {
	const struct page_event *event;
	u64 pfn;
	bool known;
	bool legal;
	struct page before;
	struct page after;
};

/** typedef page_step_fn - takes one. Return: 0, or what ends the replay */
typedef int (*page_step_fn)(void *ctx, const struct page_step *s);

struct pagereplay;

/**
 * pagereplay_new - begin
 * @l:		the transitions
 * @fn:		takes each; @s is valid until it returns, but its @event as long as @l
 * @ctx:	passed to @fn
 *
 * Return: NULL with a message.
 */
struct pagereplay *pagereplay_new(const struct pagelog *l, page_step_fn fn, void *ctx);

/**
 * pagereplay_step - call @fn for each page of the next transition
 *
 * Return: 0; 1 if there is none; the result of @fn that ended the replay, or -1 with a message
 * if memory ran out.
 */
int pagereplay_step(struct pagereplay *r);

/** pagereplay_free - @r may be NULL */
void pagereplay_free(struct pagereplay *r);

/**
 * pagereplay_run - call @fn for each page of each transition, in order of time
 *
 * The arguments are those of pagereplay_new(); @fn returns 0 or a negative number.
 *
 * Return: 0, the result of @fn that ended the replay, or -1 with a message if memory ran
 * out.
 */
int pagereplay_run(const struct pagelog *l, page_step_fn fn, void *ctx);

#endif
