/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function graph tracer of a remote.
 */
#ifndef HYPTRACE_FUNCTIONS_H
#define HYPTRACE_FUNCTIONS_H

#include "lib/util.h"
#include "record/tdir.h"
#include "record/undo.h"

/**
 * functions_graph - switch the tracer on
 * @d:		directory of the remote
 * @undo:	journal of the changes
 * @functions:	names or patterns: only calls of these, and what they call; empty for all
 *
 * Return: 0, or -1 with a message.
 */
int functions_graph(const struct tdir *d, struct undo *undo, const struct strlist *functions);

#endif
