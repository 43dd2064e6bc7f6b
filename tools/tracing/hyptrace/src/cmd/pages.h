/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_PAGES_H
#define HYPTRACE_PAGES_H

#include <stdio.h>

#include "analysis/pagehistory.h"
#include "lib/util.h"
#include "trace/datr.h"

/**
 * struct pages_how - what is printed
 * @pages:	the history of these pages; if there are none, how many changed hands
 * @heat:	where faults are, instead
 * @json:	as JSON
 * @cpus:	only what happened on these CPUs; NULL for all
 */
struct pages_how {
	struct page_ranges pages;
	bool heat;
	bool json;
	const struct cpulist *cpus;
};

/**
 * pages_file - print which pages changed hands
 * @d:		the file
 * @how:	what is printed
 * @out:	where to
 *
 * Return: 0, or -1 with a message.
 */
int pages_file(struct datr *d, const struct pages_how *how, FILE *out);

#endif
