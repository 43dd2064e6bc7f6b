/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stretches of time on a CPU whose place or task may not be known yet.
 *
 * They become known with the next event of a side: an event of the hypervisor settles
 * the place, one of the host the task that ran in the host. Until then the stretch
 * waits in a list:
 *
 *	| place and task known | place or task open | place and task open |
 *	  -> stretches_drop()  ^                    ^
 *	                       the lesser of settled[HYP], settled[HOST]
 */
#ifndef HYPTRACE_STRETCHES_H
#define HYPTRACE_STRETCHES_H

#include "analysis/rows.h"
#include "lib/types.h"
#include "trace/side.h"

/**
 * struct stretch - a stretch of time
 * @place:	where the CPU was
 * @task:	the task on whose behalf
 * @vcpu:	the vCPU that the task ran last, or NULL
 * @ns:		how long
 */
struct stretch {
	enum place place;
	struct times_row *task;
	struct times_row *vcpu;
	u64 ns;
};

/**
 * struct stretches - those of a CPU that wait, in order; all 0 at first
 * @list:	the stretches
 * @nr:		how many
 * @room:	how many fit
 * @settled:	the first one that a side has not settled
 */
struct stretches {
	struct stretch *list;
	size_t nr;
	size_t room;
	size_t settled[NR_SIDES];
};

/** stretches_add - add one at the end. Return: 0, or -1 with a message. */
int stretches_add(struct stretches *s, const struct stretch *one);

/**
 * stretches_settle - settle what a side has not settled
 * @s:		the stretches
 * @tasks:	the rows of tasks, for the unknown task
 * @known:	what was assumed is right; else the place or the task is unknown
 * @side:	HYP settles places, HOST what runs in the host, and its task
 *
 * Return: 0, or -1 with a message.
 */
int stretches_settle(struct stretches *s, struct rows *tasks, bool known, enum side side);

/** stretches_settled - how many, from the first one, both sides have settled */
size_t stretches_settled(const struct stretches *s);

/** stretches_drop - drop the first @nr, which both sides have settled */
void stretches_drop(struct stretches *s, size_t nr);

/** stretches_pin - pin the rows that are used */
void stretches_pin(const struct stretches *s);

void stretches_free(struct stretches *s);

#endif
