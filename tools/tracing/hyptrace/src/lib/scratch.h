/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A temporary file without a name, for data that may not fit into memory: first it is
 * written from begin to end, then it is mapped. It is in $TMPDIR, or in /tmp.
 */
#ifndef HYPTRACE_SCRATCH_H
#define HYPTRACE_SCRATCH_H

#include "lib/types.h"

struct scratch;

/**
 * scratch_new - make one, empty
 * @name:	of what it is for, in messages; must outlive what is returned
 *
 * From now on, a file that is too large is an error instead of a signal.
 *
 * Return: NULL with a message.
 */
struct scratch *scratch_new(const char *name);

/** scratch_size - how much was added */
u64 scratch_size(const struct scratch *s);

/** scratch_add - add to its end. Return: 0, or -1 with a message. */
int scratch_add(struct scratch *s, const void *data, size_t size);

/**
 * scratch_map - map it; once, and nothing may be added later
 *
 * Return: its content; NULL with a message.
 */
const void *scratch_map(struct scratch *s);

/** scratch_free - remove it; @s may be NULL */
void scratch_free(struct scratch *s);

#endif
