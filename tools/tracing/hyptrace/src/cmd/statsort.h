/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of the rows of "hyptrace stat".
 */
#ifndef HYPTRACE_STATSORT_H
#define HYPTRACE_STATSORT_H

#include "analysis/profiler.h"

/** statsort_key - find a column. Return: its number, or -1 with a message. */
int statsort_key(const char *arg);

/** statsort - sort the tables that have a column, the largest first; names ascending */
void statsort(struct profile *s, unsigned int key);

#endif
