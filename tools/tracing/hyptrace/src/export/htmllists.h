/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lists at the begin of the data of the page of "export --html": words, lines, tasks,
 * kinds and places, without duplicates. See htmldata.c for what is in them.
 */
#ifndef HYPTRACE_HTMLLISTS_H
#define HYPTRACE_HTMLLISTS_H

#include "analysis/times.h"
#include "lib/bytes.h"
#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/merge.h"

/* Kinds of entries in the list of events */
enum entry {
	ENTRY_EVENT,
	ENTRY_STRANGER,	/* an event that is not known, or has no task */
	ENTRY_LOSS,
	ENTRY_CORRUPT,
};

struct htmllists;

/** htmllists_new - of a file, empty. Return: NULL with a message. */
struct htmllists *htmllists_new(const struct datr *d);

/** htmllists_set_db - what the events of the file mean; always the same */
void htmllists_set_db(struct htmllists *l, struct evdb *db);

/*
 * Each returns the index of what it is called for, which is added if it is not there
 */
u32 htmllists_word(struct htmllists *l, const char *text);
u32 htmllists_line(struct htmllists *l, const char *text);

/** htmllists_kind - @ev is an entry @what, @head says of which event */
u32 htmllists_kind(struct htmllists *l, enum entry what, const struct merged *ev,
		   const struct evdb_head *head);
u32 htmllists_place(struct htmllists *l, const struct times_span *s);

/** htmllists_write - write all */
void htmllists_write(const struct htmllists *l, struct bytes *out);

void htmllists_free(struct htmllists *l);

#endif
