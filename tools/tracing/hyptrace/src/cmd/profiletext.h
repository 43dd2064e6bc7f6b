/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile as text tables.
 */
#ifndef HYPTRACE_PROFILETEXT_H
#define HYPTRACE_PROFILETEXT_H

#include <stdio.h>

#include "analysis/profiler.h"

/**
 * profile_print_text - print all tables
 * @s:		the profile
 * @histogram:	with histograms of the durations
 * @out:	where the text goes
 */
void profile_print_text(const struct profile *s, bool histogram, FILE *out);

#endif
