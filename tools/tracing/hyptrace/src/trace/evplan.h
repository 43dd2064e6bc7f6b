/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the records of an event as libtraceevent does, but much faster, and negative numbers as
 * the kernel does.
 *
 * libtraceevent interprets the "print fmt" for each record: it parses numbers that are text,
 * searches lists, and calls printf() for each piece. A plan knows once and for all what to
 * put where. There is one for events that print integers, in decimal or hexadecimal, and
 * names of values; the others are left to libtraceevent.
 */
#ifndef HYPTRACE_EVPLAN_H
#define HYPTRACE_EVPLAN_H

#include "lib/types.h"

struct evplan;
struct tep_event;

/**
 * evplan_new - make a plan
 * @e:		the event, of which libtraceevent can print at least some records
 * @size:	the smallest size of its records
 *
 * Return: the plan; NULL without a message if there is none.
 */
struct evplan *evplan_new(struct tep_event *e, u32 size);

/**
 * evplan_print - print a record
 * @p:		the plan
 * @data:	the record, which has the smallest size or more
 *
 * Return: the text, which may be changed, until the next call for @p.
 */
char *evplan_print(struct evplan *p, const u8 *data);

/** evplan_free - @p may be NULL */
void evplan_free(struct evplan *p);

#endif
