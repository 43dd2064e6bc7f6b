/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Relates a trace clock to the architected counter (CNTVCT_EL0) of the machine that
 * recorded. It is stored as a CPUSTAT option, a line of text. A file has one of the moment
 * before the first event and, if the recording has ended, one of that after the last.
 *
 * The clock has to be mono_raw, which is the counter multiplied by a constant.
 */
#ifndef HYPTRACE_COUNTERPAIR_H
#define HYPTRACE_COUNTERPAIR_H

#include "lib/types.h"
#include "trace/datr.h"

/* The trace clock */
#define COUNTERPAIR_CLOCK	"mono_raw"

/**
 * struct counterpair - a moment
 * @counter:	value of the counter
 * @from:	the clock was not before this then, ns
 * @to:		nor after this
 * @frequency:	of the counter, Hz
 */
struct counterpair {
	u64 counter;
	u64 from;
	u64 to;
	u64 frequency;
};

/** counterpair_format - the text for the file, to be freed; NULL after a message */
char *counterpair_format(const struct counterpair *p);

/**
 * struct counterline - what the clock was at any value of the counter
 * @first:	a moment
 * @last:	a later one, or the same
 */
struct counterline {
	struct counterpair first;
	struct counterpair last;
};

/** counterline_read - take the moments of a file. Return: 0, or -1 if it has none. */
int counterline_read(const struct datr *d, struct counterline *l);

/**
 * counterline_clock - the clock at @counter
 * @l:		the moments
 * @counter:	value of the counter; less than 2^63 away from those
 * @from:	the clock was not before this, ns
 * @to:		nor after this
 */
void counterline_clock(const struct counterline *l, u64 counter, long long *from, long long *to);

#endif
