/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that is recorded.
 */
#ifndef HYPTRACE_CHILD_H
#define HYPTRACE_CHILD_H

#include "types.h"

struct child;

/**
 * child_fork - make the process; it waits for child_go()
 * @argv:	the command, NULL at the end
 *
 * Context: before any other thread runs.
 * Return: the child, or NULL with a message.
 */
struct child *child_fork(char **argv);

/** child_go - let it run the command */
void child_go(struct child *c);

/**
 * child_ended - whether it is gone
 * @c:		the child
 * @status:	its exit status then, 128 + n if signal n killed it,
 *		127 if the command could not be run (which was told)
 */
bool child_ended(struct child *c, int *status);

/** child_signal - send a signal, if it still runs */
void child_signal(struct child *c, int sig);

/**
 * child_free - forget it
 * @c:		the child, may be NULL
 * @told:	it got a signal by which it may be about to end
 *
 * One that never got child_go() ends without having run the command. One that
 * runs is asked to end, after a time of grace if it was told before, and killed if
 * it has not after another.
 */
void child_free(struct child *c, bool told);

#endif
