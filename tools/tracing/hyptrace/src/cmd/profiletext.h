/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile as text tables.
 */
#ifndef HYPTRACE_PROFILETEXT_H
#define HYPTRACE_PROFILETEXT_H

#include <stdio.h>

#include "analysis/profiler.h"
#include "analysis/slowest.h"
#include "lib/unit.h"

/**
 * struct profiletext - what is printed
 * @unit:	of all durations
 * @width:	how long a line may be; 0 for any length
 * @histogram:	histograms of the durations
 * @part:	it is of a part of the recording
 * @top:	at most so many rows of each table, and one for the others; 0 for all
 * @slowest:	the longest durations, or NULL
 */
struct profiletext {
	enum unit unit;
	unsigned int width;
	bool histogram;
	bool part;
	unsigned int top;
	const struct slowest *slowest;
};

/**
 * profile_print_text - print all tables
 * @s:		the profile
 * @how:	what of it
 * @out:	where the text goes
 *
 * Return: 0, or -1 with a message.
 */
int profile_print_text(const struct profile *s, const struct profiletext *how, FILE *out);

#endif
