/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks a file: the order of its events, and that none is missing.
 */
#ifndef HYPTRACE_FILECHECK_H
#define HYPTRACE_FILECHECK_H

#include <stdio.h>

#include "analysis/account.h"
#include "analysis/checker.h"
#include "analysis/guestcheck.h"
#include "analysis/pagecheck.h"
#include "lib/types.h"
#include "lib/util.h"
#include "trace/corrupt.h"
#include "trace/datr.h"

struct filecheck;

/**
 * struct filecheck_result - the result
 * @violations:	broken rules
 * @order:	of the order of events
 * @calls:	calls of functions that were checked
 * @pages:	of the transitions of pages
 * @account:	of what was written, read and lost
 * @corrupt:	corrupt sub-buffers
 */
struct filecheck_result {
	u64 violations;
	struct check_result order;
	u64 calls;
	struct pagecheck_counts pages;
	struct account_result account;
	struct corrupt corrupt;
};

/**
 * filecheck_new - begin
 * @d:		the file; must outlive what is returned
 * @out:	findings are printed here
 *
 * Return: NULL with a message.
 */
struct filecheck *filecheck_new(struct datr *d, FILE *out);

/** filecheck_entries - whether EL2 entries and exits can be checked: all were recorded */
bool filecheck_entries(const struct filecheck *k);

/** filecheck_windows - whether kvm_entry and kvm_exit can be checked against those */
bool filecheck_windows(const struct filecheck *k);

/**
 * filecheck_pages - whether the transitions of pages can be checked
 * @k:		the check
 * @cpus:	of these CPUs; NULL for all, which it needs
 */
bool filecheck_pages(const struct filecheck *k, const struct cpulist *cpus);

/**
 * filecheck_run - check all events
 * @k:		the check
 * @cpus:	these CPUs; NULL for all
 * @result:	the result; after an error only @corrupt is valid
 *
 * Return: 0, whatever was found, or -1 with a message.
 */
int filecheck_run(struct filecheck *k, const struct cpulist *cpus,
		  struct filecheck_result *result);

/**
 * filecheck_guest - of the i-th guest, after filecheck_run() of all CPUs
 * @k:		the check
 * @i:		index of the guest
 * @times:	the times of its events
 * @account:	what its kernel wrote, and what is in its recording
 */
void filecheck_guest(struct filecheck *k, unsigned int i, struct guestcheck_result *times,
		     struct account_result *account);

/** filecheck_free - @k may be NULL */
void filecheck_free(struct filecheck *k);

#endif
