/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A text that is refreshed: in place on a terminal, else one after the other.
 */
#ifndef HYPTRACE_SCREEN_H
#define HYPTRACE_SCREEN_H

#include <poll.h>
#include <stdio.h>

#include "lib/types.h"

struct screen;

/**
 * screen_new - begin
 * @plain:	not in place, even on a terminal
 * @keys:	read the key q; only if no other program reads standard input
 *
 * Return: NULL with a message.
 */
struct screen *screen_new(bool plain, bool keys);

/** screen_in_place - whether a text replaces the previous one */
bool screen_in_place(const struct screen *s);

/** screen_begin - where the next text goes, for screen_end(). Return: NULL with a message. */
FILE *screen_begin(struct screen *s);

/** screen_end - show the text: on a terminal, as much as fits */
void screen_end(struct screen *s);

/* How many descriptors poll() needs for screen_quits() */
#define SCREEN_FDS	3

/** screen_poll - what poll() is to wait for, as well: @p has SCREEN_FDS entries */
void screen_poll(const struct screen *s, struct pollfd *p);

/**
 * screen_quits - act on what poll() has found
 *
 * If it is the signal of Ctrl-Z, the terminal gets its mode back and the process stops; this
 * returns when it is continued. In the foreground, keys are read then.
 *
 * Return: true if the key was q, or standard output has no reader any more.
 */
bool screen_quits(struct screen *s, const struct pollfd *p);

/** screen_free - restore the terminal; @s may be NULL */
void screen_free(struct screen *s);

#endif
