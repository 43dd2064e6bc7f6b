/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of the page of "export --html", in a compact format: see htmldata.c.
 */
#ifndef HYPTRACE_HTMLDATA_H
#define HYPTRACE_HTMLDATA_H

#include "analysis/times.h"
#include "lib/bytes.h"
#include "lib/types.h"
#include "trace/datr.h"
#include "trace/evdb.h"
#include "trace/merge.h"

struct htmldata;

/**
 * struct htmldata_counts - what was written
 * @events:	events
 * @losses:	places where events are missing
 * @spans:	spans of time with one place, task and vCPU
 * @outside:	events of guests that were left out: their CPU is not known
 */
struct htmldata_counts {
	u64 events;
	u64 losses;
	u64 spans;
	u64 outside;
};

/** htmldata_new - begin, for events of @d. Return: NULL with a message. */
struct htmldata *htmldata_new(const struct datr *d);
void htmldata_free(struct htmldata *h);

/* For struct profile_watch; errors stick, until htmldata_write() */
int htmldata_event(void *ctx, struct evdb *db, const struct merged *ev);
void htmldata_span(void *ctx, const struct times_span *s);
void htmldata_stay(void *ctx, const struct times_stay *s);
void htmldata_call(void *ctx, const struct times_call *s);
void htmldata_switch(void *ctx, const struct times_switch *s);

/**
 * htmldata_write - put all into @out
 * @h:		the data
 * @stat:	the profile, of profile_print_json()
 * @size:	its size
 * @out:	where it goes
 * @counts:	what was written
 *
 * Return: 0, or -1 with a message.
 */
int htmldata_write(struct htmldata *h, const char *stat, size_t size,
		   struct bytes *out, struct htmldata_counts *counts);

#endif
