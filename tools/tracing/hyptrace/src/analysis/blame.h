/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is to blame for a delay, in words.
 */
#ifndef HYPTRACE_BLAME_H
#define HYPTRACE_BLAME_H

#include "analysis/delay.h"
#include "analysis/filedelays.h"
#include "analysis/pieces.h"

/** part_word - the part as one word, for programs */
const char *part_word(enum part part);

/** part_title - the part in words, for people */
const char *part_title(enum part part);

/**
 * blame_what - what exactly it was: a task, a system call, an interrupt, a hypercall ...
 *
 * Return: the name, for free(), "" if it has none; NULL with a message.
 */
char *blame_what(const struct filedelays *f, const struct label *label);

/** blame_after - what the delay follows. Return: the text, for free(); NULL with a message. */
char *blame_after(const struct filedelays *f, const struct delay *d);

/**
 * blame_sentence - one sentence that says what was to blame
 * @f:		the file
 * @d:		the delay
 * @t:		its totals
 * @nr:		how many, at least one
 *
 * To blame are all parts of the kind that took longest, and of these the longest is named.
 * Interrupts of all kinds are one kind; so is all that handles a stage-2 fault.
 *
 * Return: the text, for free(); NULL with a message.
 */
char *blame_sentence(const struct filedelays *f, const struct delay *d,
		     const struct total *t, size_t nr);

#endif
