/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event of the hypervisor that stops tracing.
 */
#ifndef HYPTRACE_STOPON_H
#define HYPTRACE_STOPON_H

#include "lib/types.h"
#include "record/recording.h"
#include "record/undo.h"

/**
 * struct stopon - the event, and what stopped
 * @event:	"system/event"
 * @filter:	which of these events, in ns; "" for any
 * @cpu:	the CPU whose event has stopped tracing
 * @text:	that event, with its time and its fields
 * @ts:		its time, ns, up to a microsecond less
 */
struct stopon {
	char *event;
	char *filter;
	unsigned int cpu;
	char *text;
	u64 ts;
};

/**
 * stopon_parse - read "hyp_exit duration > 50us"
 * @s:		gets it; to be freed also after an error
 * @text:	an event, and a filter in which numbers may have a unit: ns, us, ms, s
 *
 * @s->event is still the event as it is in @text.
 *
 * Return: 0, or -1 with a message.
 */
int stopon_parse(struct stopon *s, const char *text);

/**
 * stopon_choose - look the event up, and record it
 * @s:		parsed
 * @r:		what is recorded
 *
 * Return: 0, or -1 with a message.
 */
int stopon_choose(struct stopon *s, struct recording *r);

/** stopon_arm - set the trigger. Return: 0, or -1 with a message. */
int stopon_arm(const struct stopon *s, const struct tdir *d, struct undo *undo);

/** stopon_happened - whether it has stopped. Return: -1 with a message. */
int stopon_happened(const struct tdir *d);

/** stopon_find - find the event that has stopped tracing. Return: 0, or -1 with a message. */
int stopon_find(struct stopon *s, const struct tdir *d);

void stopon_free(struct stopon *s);

#endif
