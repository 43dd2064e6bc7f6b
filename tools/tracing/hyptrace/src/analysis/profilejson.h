/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile as JSON.
 */
#ifndef HYPTRACE_PROFILEJSON_H
#define HYPTRACE_PROFILEJSON_H

#include <stdio.h>

#include "analysis/callgraph.h"
#include "analysis/profiler.h"
#include "analysis/slowest.h"

/**
 * struct profilejson - what is printed
 * @histogram:	histograms of the durations
 * @top:	at most so many rows of each list; 0 for all
 * @slowest:	the longest durations, or NULL
 * @calls:	where time goes inside of EL2, or NULL
 * @of_calls:	its result
 */
struct profilejson {
	bool histogram;
	unsigned int top;
	const struct slowest *slowest;
	const struct callgraph *calls;
	const struct callgraph_result *of_calls;
};

/**
 * profile_print_json - print it as one JSON document, all times in ns
 * @s:		the profile
 * @how:	what of it
 * @out:	where the text goes
 */
void profile_print_json(const struct profile *s, const struct profilejson *how, FILE *out);

#endif
