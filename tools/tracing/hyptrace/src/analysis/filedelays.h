/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The delays of the vCPUs in a file.
 */
#ifndef HYPTRACE_FILEDELAYS_H
#define HYPTRACE_FILEDELAYS_H

#include "analysis/delays.h"
#include "analysis/labels.h"
#include "analysis/worst.h"
#include "trace/corrupt.h"
#include "trace/datr.h"
#include "trace/evdb.h"

/**
 * struct filedelays - the result
 * @d:		the file
 * @db:		its events
 * @labels:	names of what time was spent on
 * @worst:	the longest delays
 * @result:	what else there is
 * @corrupt:	corrupt sub-buffers
 */
struct filedelays {
	const struct datr *d;
	struct evdb *db;
	struct labels *labels;
	struct worst *worst;
	struct delays_result result;
	struct corrupt corrupt;
};

/**
 * filedelays_read - find the delays
 * @d:		the file; must outlive the result
 * @rule:	which of them
 *
 * Return: NULL with a message. Corrupt sub-buffers are no error here.
 */
struct filedelays *filedelays_read(const struct datr *d, const struct worst_rule *rule);

struct delays_reading;

/**
 * filedelays_begin - find the delays, some events at a time
 * @d:		the file; must outlive the reading
 * @fn:		gets each delay when it has ended
 * @ctx:	passed to it
 *
 * Return: NULL with a message.
 */
struct delays_reading *filedelays_begin(const struct datr *d, delay_fn fn, void *ctx);

/** filedelays_step - take some events. Return: 1 if there are more, 0, or -1 with a message. */
int filedelays_step(struct delays_reading *r);

/** filedelays_so_far - what is known, without @worst; valid until filedelays_end() */
const struct filedelays *filedelays_so_far(const struct delays_reading *r);

/** filedelays_end - @r may be NULL */
void filedelays_end(struct delays_reading *r);

/** filedelays_free - @f may be NULL */
void filedelays_free(struct filedelays *f);

/**
 * filedelays_missing - an event that was not recorded, or not all of it
 * @f:		the result
 * @ev:		the event
 *
 * Return: what is not known because of that; NULL if that is nothing.
 */
const char *filedelays_missing(const struct filedelays *f, enum why_event ev);

#endif
