/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile as JSON.
 */
#ifndef HYPTRACE_PROFILEJSON_H
#define HYPTRACE_PROFILEJSON_H

#include <stdio.h>

#include "analysis/profiler.h"

/**
 * profile_print_json - print it as one JSON document, all times in ns
 * @s:		the profile
 * @histogram:	with histograms of the durations
 * @out:	where the text goes
 */
void profile_print_json(const struct profile *s, bool histogram, FILE *out);

#endif
