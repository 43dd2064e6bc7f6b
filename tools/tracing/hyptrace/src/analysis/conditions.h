/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How recordings were made, and in what they differ: figures of recordings that were made in
 * different ways may differ for that reason alone.
 */
#ifndef HYPTRACE_CONDITIONS_H
#define HYPTRACE_CONDITIONS_H

#include "analysis/profiler.h"
#include "lib/types.h"
#include "trace/datr.h"

enum condition {
	CONDITION_FUNCTIONS,	/* calls of functions */
	CONDITION_STACKS,	/* a stack behind each event */
	CONDITION_CLOCK,	/* trace clock */
	CONDITION_TIME,		/* real or virtual, see timekind.h */
	CONDITION_OPTIONS,	/* the kernel's options that choose KVM's mode */
	CONDITION_KERNEL,	/* what uname says */
	CONDITION_CPUS,
	CONDITION_EVENTS,	/* that were enabled */
	CONDITION_FILTERS,	/* of these events */
	CONDITION_LOST,		/* events */
	CONDITION_BOOTS,	/* of several recordings */
	NR_CONDITIONS
};

/**
 * struct conditions - how one recording was made
 * @text:	lines, none for what it does not have; NULL for what the file does not say
 */
struct conditions {
	char *text[NR_CONDITIONS];
};

/**
 * conditions_read - find out how a recording was made
 * @c:		gets it; conditions_free() is needed in either case
 * @d:		the file
 * @p:		its profile
 *
 * Return: 0, or -1 with a message.
 */
int conditions_read(struct conditions *c, const struct datr *d, const struct profile *p);
void conditions_free(struct conditions *c);

/** conditions_virtual - whether the recording is known to be on virtual time */
bool conditions_virtual(const struct conditions *c);

/**
 * struct difference - in what recordings differ
 * @what:	its name
 * @text:	@what and @side in words, NULL if there is no difference
 * @side:	what those before and those after a change have that not all have
 * @grave:	the figures of both cannot be compared
 */
struct difference {
	const char *what;
	char *text;
	char *side[2];
	bool grave;
};

/**
 * differences_find - compare all conditions
 * @out:	NR_CONDITIONS of them; differences_free() is needed in either case
 * @c:		all recordings, those before the change first
 * @nr_a:	how many of them are before
 * @nr:		how many there are
 *
 * What is not known of any recording is named as well.
 *
 * Return: 0, or -1 with a message.
 */
int differences_find(struct difference *out, const struct conditions *c, unsigned int nr_a,
		     unsigned int nr);
void differences_free(struct difference *d);

#endif
