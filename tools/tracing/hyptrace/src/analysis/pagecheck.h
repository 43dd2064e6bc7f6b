/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks that all transitions of pages are legal, and counts them.
 */
#ifndef HYPTRACE_PAGECHECK_H
#define HYPTRACE_PAGECHECK_H

#include "analysis/pagelog.h"
#include "analysis/violations.h"
#include "lib/types.h"
#include "lib/util.h"

/**
 * struct pagecheck_counts - transitions of one page each
 * @done:	EL2 has made them
 * @unknown:	of these, the state before was not known, so that they were taken for legal
 * @refused:	EL2 refused them
 * @illegal:	of all, it was not right to make or refuse them
 */
struct pagecheck_counts {
	u64 done;
	u64 unknown;
	u64 refused;
	u64 illegal;
};

/**
 * pagecheck_run - check all transitions
 * @l:		the transitions
 * @cpus:	only those on these CPUs; NULL for all
 * @v:		gets those that are not legal; NULL for none
 * @counts:	for each of the NR_PAGE_OPS; added to what is there
 *
 * Return: 0, whatever was found, or -1 with a message.
 */
int pagecheck_run(const struct pagelog *l, const struct cpulist *cpus,
		  struct violations *v, struct pagecheck_counts *counts);

/** pagecheck_sum - of all NR_PAGE_OPS @counts */
struct pagecheck_counts pagecheck_sum(const struct pagecheck_counts *counts);

#endif
