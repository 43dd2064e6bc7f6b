/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A text that is refreshed: in place on a terminal, else one after the other.
 */
#ifndef HYPTRACE_SCREEN_H
#define HYPTRACE_SCREEN_H

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

/** screen_job_fd - polls readable for screen_job(); -1 if keys are not read */
int screen_job_fd(const struct screen *s);

/**
 * screen_job - act on a signal of job control
 *
 * If it is that of Ctrl-Z, the terminal gets its mode back and the process stops; this
 * returns when it is continued. In the foreground, keys are read then.
 */
void screen_job(struct screen *s);

/** screen_key_fd - polls readable for screen_quits(); -1 if keys are not read */
int screen_key_fd(const struct screen *s);

/** screen_quits - read a key. Return: true for q. */
bool screen_quits(struct screen *s);

/** screen_free - restore the terminal; @s may be NULL */
void screen_free(struct screen *s);

#endif
