/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads a file's description of its events into libtraceevent. The library trusts it, so
 * parts that could do harm are left out.
 */
#ifndef HYPTRACE_EVLOAD_H
#define HYPTRACE_EVLOAD_H

#include "trace/datr.h"

struct tep_handle;
struct evstrings;

/**
 * evload - load formats, and names of tasks, symbols and strings
 * @tep:	gets them
 * @strings:	gets the texts of trace_printk() and trace_puts()
 * @d:		the file
 *
 * Return: 0, or -1 with a message if the file's sections are corrupt, or memory ran out.
 */
int evload(struct tep_handle *tep, struct evstrings *strings, const struct datr *d);

/** typedef evload_comm_fn - takes the name of a task */
typedef void (*evload_comm_fn)(void *ctx, s32 pid, const char *comm);

/**
 * evload_comms - call @fn for each task that has a name in the file
 *
 * Return: 0, or -1 with a message if memory ran out.
 */
int evload_comms(const struct datr *d, evload_comm_fn fn, void *ctx);

#endif
