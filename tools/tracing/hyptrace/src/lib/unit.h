/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Durations as text.
 */
#ifndef HYPTRACE_UNIT_H
#define HYPTRACE_UNIT_H

#include "lib/types.h"

enum unit {
	UNIT_AUTO,
	UNIT_NS,
	UNIT_US,
	UNIT_MS,
	UNIT_S,
};

/* The texts of the units, for cmdline_word() */
extern const char *const unit_words[];

/* Room that a duration takes */
#define UNIT_TEXT	32

/**
 * unit_text - print a duration
 * @text:	where to; of UNIT_TEXT bytes
 * @ns:		the duration
 * @unit:	its unit; UNIT_AUTO for four digits and the unit, as in "14.35us"
 *
 * In a given unit, no digit is left out, and the name of the unit is not printed.
 *
 * Return: @text.
 */
const char *unit_text(char *text, u64 ns, enum unit unit);

#endif
