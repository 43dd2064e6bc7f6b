/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shows how much of a recording is in its file, while data is copied or compressed.
 */
#ifndef HYPTRACE_FILLING_H
#define HYPTRACE_FILLING_H

#include "lib/types.h"
#include "trace/datcopy.h"

/**
 * struct filling - what is shown
 * @file:	the file
 * @total:	bytes of data, 0 if not known
 * @done:	of them, in the file
 * @due:	when the next line is shown, ns; 0: never
 * @watch:	for part_finish()
 */
struct filling {
	const char *file;
	u64 total;
	u64 done;
	u64 due;
	struct datwatch watch;
};

/** filling_begin - show it from some time on, if stderr is a terminal and not @quiet */
void filling_begin(struct filling *f, const char *file, u64 total, bool quiet);

/** filling_end - clear what is shown */
void filling_end(const struct filling *f);

#endif
