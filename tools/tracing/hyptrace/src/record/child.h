/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that is recorded.
 */
#ifndef HYPTRACE_CHILD_H
#define HYPTRACE_CHILD_H

#include "lib/types.h"

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

/** child_fd - polls readable when it has ended */
int child_fd(const struct child *c);

/**
 * child_ended - whether it has ended
 * @c:		the child
 * @status:	its exit status then, 128 + n if signal n killed it,
 *		127 if the command could not be run, with a message
 */
bool child_ended(struct child *c, int *status);

/** child_not_run - whether child_ended() has seen that the command could not be run */
bool child_not_run(const struct child *c);

/** child_signal - send a signal, if it still runs */
void child_signal(struct child *c, int sig);

/**
 * child_free - end and free it
 * @c:		the child, may be NULL
 * @signalled:	it already got a signal that asks it to end
 * @sigfd:	polls readable when it has to end at once; -1 for never
 *
 * Without child_go(), it ends without running the command. If it still runs, it gets
 * SIGTERM, if @signalled only after a grace period, and is killed after another one, or
 * when @sigfd becomes readable. A message says that it is waited for.
 */
void child_free(struct child *c, bool signalled, int sigfd);

#endif
