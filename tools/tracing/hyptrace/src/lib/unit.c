// SPDX-License-Identifier: GPL-2.0
/*
 * Durations as text. See unit.h.
 */
#include <stdio.h>

#include "lib/unit.h"

static const struct {
	u64 ns;
	int digits;
} units[] = {
	[UNIT_NS]	= { 1, 0 },
	[UNIT_US]	= { 1000, 3 },
	[UNIT_MS]	= { 1000 * 1000, 6 },
	[UNIT_S]	= { 1000 * 1000 * 1000, 9 },
};

const char *const unit_words[] = {
	[UNIT_AUTO]	= "auto",
	[UNIT_NS]	= "ns",
	[UNIT_US]	= "us",
	[UNIT_MS]	= "ms",
	[UNIT_S]	= "s",
	NULL
};

/* The largest unit in which it is at least 1, after rounding to four digits */
static enum unit best_unit(u64 ns)
{
	enum unit unit = UNIT_NS;

	while (unit < UNIT_S && ns + (unit == UNIT_NS ? 0 : units[unit].ns / 20) >=
				units[unit + 1].ns)
		unit++;
	return unit;
}

static int four_digits(double value)
{
	return value < 9.9995 ? 3 : value < 99.995 ? 2 : 1;
}

const char *unit_text(char *text, u64 ns, enum unit unit)
{
	enum unit best = best_unit(ns);
	double value = (double)ns / units[best].ns;

	if (unit != UNIT_AUTO && unit != UNIT_NS)
		snprintf(text, UNIT_TEXT, "%llu.%0*llu", ns / units[unit].ns,
			 units[unit].digits, ns % units[unit].ns);
	else if (unit == UNIT_NS || best == UNIT_NS)
		snprintf(text, UNIT_TEXT, "%llu%s", ns, unit == UNIT_NS ? "" : "ns");
	else
		snprintf(text, UNIT_TEXT, "%.*f%s", four_digits(value), value,
			 unit_words[best]);
	return text;
}
