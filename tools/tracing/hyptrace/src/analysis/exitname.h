/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a guest was left, by vcpu_exit.
 */
#ifndef HYPTRACE_EXITNAME_H
#define HYPTRACE_EXITNAME_H

#include "lib/types.h"
#include "trace/evdb.h"

/* The exit's code, and the class of its syndrome */
#define EXIT_CLASS_BITS	6
#define NR_EXITS	(256 << EXIT_CLASS_BITS)

/** exit_index - a number below NR_EXITS, by which exits of different names differ */
u32 exit_index(struct evdb *db, const struct rbevent *ev);

/**
 * exit_name - a trap has the name of its class, all others that of their code
 *
 * Return: the name, until the next call that prints an event.
 */
const char *exit_name(struct evdb *db, const struct rbevent *ev);

/* The names of exits, each of which is made once */
struct exitnames;

/** exitnames_new - Return: NULL with a message. */
struct exitnames *exitnames_new(void);
void exitnames_free(struct exitnames *e);

/** exitnames_get - as exit_name(), but it stays valid */
const char *exitnames_get(struct exitnames *e, struct evdb *db, const struct rbevent *ev);

#endif
